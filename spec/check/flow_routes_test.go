package check_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// routeTypes are what a route field may be; empty: the output does not have it.
var routeTypes = []string{"", "string", "'?string'", "Way", "'?Way'"}

// rests are what may stand behind rule 2, by what it is.
var rests = map[string]struct{ node, edge string }{
	"nothing":      {},
	"an edge":      {edge: "  - {from: a, to: c}\n"},
	"next":         {node: ", next: c"},
	"a condition":  {edge: "  - {from: a, to: c, if: state.N > 1}\n"},
	"no_match":     {node: ", no_match: end"},
	"both":         {node: ", no_match: end", edge: "  - {from: a, to: c, if: state.N > 1}\n"},
	"a table":      {edge: "  - {from: a, by: class, branch: {x: c, y: end}}\n"},
	"a part of it": {edge: "  - {from: a, by: class, branch: {x: c}}\n", node: ", no_match: end"},
}

// A routed is a node with route fields, what stands behind them, and how it may fail.
type routed struct {
	types [4]string // of the fields, in the order of rule 2
	rest  string
	fails string // "", "fail_soft: true" or "flags: [skip_on_error]"
}

func (r routed) text() string {
	var fields []string
	for i, typ := range r.types {
		if typ != "" {
			fields = append(fields, cfg.RouteFields[i]+": "+typ)
		}
	}
	fails := r.fails
	if fails != "" {
		fails = ", " + fails
	}
	return "graph: g\nentry: e\ntypes:\n  Way: {enum: [b, end]}\nstate: {n: int}\ninput: n\nnodes:\n" +
		"  e: {fail_soft: true, goto: [a, b, c], next: a}\n" +
		"  a: {reads: n, output: {class: {enum: [x, y]}, " + strings.Join(fields, ", ") + "}" + fails + rests[r.rest].node + "}\n  b: {}\n  c: {}\nedges:\n" +
		"  - {from: e, to: b, if: state.N > 5}\n" + rests[r.rest].edge
}

// passed reports whether a success can come past rule 2: the first field that is present names
// a node, unless it is a text.
func (r routed) passed() bool {
	for _, typ := range r.types {
		switch typ {
		case "string", "'?string'":
			return true
		case "Way":
			return false
		}
	}
	return true
}

// wanted lists the codes that the checks have to give.
func (r routed) wanted() []string {
	routes := r.types != [4]string{}
	soft, skips := strings.HasPrefix(r.fails, "fail_soft"), strings.HasPrefix(r.fails, "flags")
	always := r.rest == "an edge" || r.rest == "next"
	edge := rests[r.rest].edge != "" && !always
	choice := r.rest == "a table"
	var out []string
	come := r.passed() || soft // to what stands behind, whatever that is
	switch {
	case always && !come && !skips, edge && !come:
		out = append(out, "GG062")
	}
	says := strings.Contains(rests[r.rest].node, "no_match")
	open := come && !always && !(choice && !soft) || skips && !always
	if !routes && r.rest != "a condition" && !edge && !always {
		open = false // the node is terminal
	}
	if open && !says {
		out = append(out, "GG080")
	}
	if !open && says {
		out = append(out, "GG068")
	}
	return out
}

// outputs calls f with everything that the route fields may hold: "" is nothing, "?" a text
// that names nothing.
func (r routed) outputs(f func(held [4]string)) {
	var held [4]string
	var fill func(i int)
	fill = func(i int) {
		if i == len(held) {
			f(held)
			return
		}
		values := map[string][]string{"": {""}, "string": {"", "?", "c"}, "'?string'": {"", "?", "c"}, "Way": {"b", "end"}, "'?Way'": {"", "b", "end"}}
		for _, v := range values[r.types[i]] {
			held[i] = v
			fill(i + 1)
		}
	}
	fill(0)
}

// leads is where rule 2 leads; empty: nowhere.
func (r routed) leads(held [4]string, known bool) string {
	for i, v := range held {
		switch {
		case v == "":
		case v == "?", v == "c" && !known && strings.Contains(r.types[i], "string"):
			return ""
		default:
			return v
		}
	}
	return ""
}

// planned is where the machine's tests lead by rule 2; empty: to those behind.
func planned(n *plan.Node, held [4]string) string {
	value := func(f *resolve.Field) string { return held[slices.Index(cfg.RouteFields, f.Name)] }
	for _, t := range n.Routes.Tests {
		if t.Kind != plan.RouteEnum && t.Kind != plan.RouteText || slices.ContainsFunc(t.Absent, func(f *resolve.Field) bool { return value(f) != "" }) {
			continue
		}
		v := value(t.Field)
		if t.Kind == plan.RouteEnum && t.Const == "Way"+strings.ToUpper(v[:min(1, len(v))])+v[min(1, len(v)):] ||
			t.Kind == plan.RouteText && slices.Contains(t.Texts, v) {
			if t.Transition.To == nil {
				return "end"
			}
			return t.Transition.To.Name
		}
	}
	return ""
}

// TestRoutesMatchMachines tries combinations of route fields with whatever may
// stand behind them, in the tier full every one: the checks refuse what is never come to, ask for what is missing, and what
// they accept builds, and goes where the rule says.
func TestRoutesMatchMachines(t *testing.T) {
	c := newCompiler(t)
	var all []routed
	for i := range 5 * 5 * 5 * 5 {
		types := [4]string{routeTypes[i%5], routeTypes[i/5%5], routeTypes[i/25%5], routeTypes[i/125]}
		for _, rest := range slices.Sorted(maps.Keys(rests)) {
			for _, fails := range []string{"", "fail_soft: true", "flags: [skip_on_error]"} {
				all = append(all, routed{types, rest, fails})
			}
		}
	}
	all = tier.Some(t, 150, 1200, all)
	built := map[string]bool{}
	accepted := 0
	for _, r := range all {
		text := r.text()
		g, found := spec.Load("g.graph.yaml", []byte(text))
		if len(found) > 0 {
			t.Fatalf("%v\n%s", found, text)
		}
		var codes []string
		for _, d := range check.Run(cfg.Of(g)) {
			if d.Severity == diag.Error {
				codes = append(codes, d.Code)
			}
		}
		slices.Sort(codes)
		if want := r.wanted(); !slices.Equal(codes, want) {
			t.Fatalf("the checks give %v, want %v\n%s", codes, want, text)
		}
		if len(codes) > 0 {
			continue
		}
		accepted++
		m := plan.Lower(cfg.Of(g), "p")
		a := m.Flow.Nodes[1]
		known := rests[r.rest].edge+rests[r.rest].node != "" && r.rest != "no_match"
		r.outputs(func(held [4]string) {
			if got, want := planned(a, held), r.leads(held, known); got != want {
				t.Fatalf("with %q rule 2 leads to %q, want %q\n%s", held, got, want, text)
			}
		})
		never := a.Routes.Default.Kind == plan.Never
		if open := (r.passed() || r.fails == "fail_soft: true") && !slices.Contains([]string{"an edge", "next"}, r.rest) &&
			(r.rest != "a table" || r.fails == "fail_soft: true"); never == open && a.Routes.Default.Kind != plan.Terminal {
			t.Fatalf("the machine has a default: %v, want %v\n%s", !never, open, text)
		}
		shape := fmt.Sprint(slices.DeleteFunc(slices.Clone(r.types[:]), func(typ string) bool { return typ == "" }), r.rest, r.fails)
		if built[shape] { // the names of the fields make no difference
			continue
		}
		built[shape] = true
		if err := c.build(g); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	t.Logf("%d graphs, %d accepted, %d built", len(all), accepted, len(built))
}
