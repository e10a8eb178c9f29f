package bounds_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// An adversary walks a graph: whatever a handler, a condition or a guard may do it does. It
// reads the spec anew and shares no code with the walks that bounds are found with.
type adversary struct {
	g     *resolve.Graph
	edges map[*resolve.Node][]*spec.Edge
}

// An option is what can happen at a node.
type option struct {
	from, to, rule, text string
	counts               bool // an edge: its pair counts it
	failed               bool // the next node comes after a failure
	ends                 bool // the run ends here
}

// key names the way; the ways of on_error and the entry come from anywhere. Of the values of
// a route field, those that lead to one node are one way.
func (o option) key() string {
	text := o.text
	if o.rule == "route" {
		text, _, _ = strings.Cut(text, " ")
	}
	return strings.Join([]string{o.from, o.to, o.rule, text}, "|")
}

func adversaryOf(g *resolve.Graph) *adversary {
	a := &adversary{g: g, edges: map[*resolve.Node][]*spec.Edge{}}
	for _, e := range g.Spec.Expand() {
		n := g.Node(e.From.V)
		a.edges[n] = append(a.edges[n], e)
	}
	for _, list := range a.edges {
		slices.SortStableFunc(list, func(x, y *spec.Edge) int { return cmp.Compare(y.Priority.V, x.Priority.V) })
	}
	return a
}

// An adventure is one walk.
type adventure struct {
	*adversary
	at      *resolve.Node
	steps   int
	failed  bool
	visits  map[string]int
	pairs   map[[2]string]int
	follows map[string]int
}

func (a *adversary) start() *adventure {
	v := &adventure{adversary: a, visits: map[string]int{}, pairs: map[[2]string]int{}, follows: map[string]int{}}
	v.take(option{to: a.g.Entry.Spec.Name.V, rule: "entry"})
	return v
}

func target(name string) string {
	if spec.IsEnd(name) {
		return spec.End
	}
	return name
}

func (v *adventure) open(e *spec.Edge, to string) bool {
	return !e.MaxIterations.IsSet() || v.pairs[[2]string{e.From.V, target(to)}] < e.MaxIterations.V
}

func (v *adventure) maxSteps() int {
	if v.g.Spec.Limits.MaxSteps.IsSet() {
		return v.g.Spec.Limits.MaxSteps.V
	}
	return 50
}

// take goes where an option leads, round nodes whose visits are used up.
func (v *adventure) take(o option) {
	v.at = nil
	if o.ends {
		return
	}
	if o.counts {
		v.pairs[[2]string{o.from, o.to}]++
	}
	v.failed = o.failed
	for detours := 0; ; {
		if o.to == spec.End {
			v.follows[o.key()]++
			return
		}
		if v.steps == v.maxSteps() {
			return
		}
		n := v.g.Node(o.to)
		most := 25
		if n.Spec.MaxVisits.IsSet() {
			most = n.Spec.MaxVisits.V
		}
		if v.visits[o.to] < most {
			v.follows[o.key()]++
			v.visits[o.to]++
			v.steps++
			v.at = n
			return
		}
		detours++
		way, ok := v.errorTransition(n)
		if !ok || detours > len(v.g.Nodes) {
			return
		}
		o, v.failed = way, true
	}
}

func (v *adventure) errorTransition(n *resolve.Node) (option, bool) {
	for _, t := range n.Spec.Transitions {
		if t.Key.V == "error" {
			return option{from: n.Spec.Name.V, to: target(t.To.V), rule: "error", text: "transition error", failed: true}, true
		}
	}
	if e := v.g.Spec.OnError.V; e != "" && e != n.Spec.Name.V {
		return option{to: e, rule: "error", text: "on_error", failed: true}, true
	}
	return option{}, false
}

// options lists all that can happen at the node.
func (v *adventure) options() []option {
	s := v.at.Spec
	_, skips := s.Flag("skip_on_error")
	if skips && v.failed {
		return v.skipped()
	}
	out := v.success(false)
	out = append(out, v.refused()...)
	if s.FailSoft.V {
		out = append(out, v.success(true)...)
		if slices.ContainsFunc(v.edges[v.at], func(e *spec.Edge) bool { return e.If.IsSet() }) {
			out = append(out, v.failure()...) // its condition panics
		}
		return out
	}
	return append(out, v.failure()...)
}

func (v *adventure) edge(e *spec.Edge, to, rule, text string, failed bool) option {
	return option{from: e.From.V, to: target(to), rule: rule, text: text, counts: true, failed: failed}
}

func (v *adventure) on(event string) (out []*spec.Edge) {
	for _, e := range v.edges[v.at] {
		if e.On.V == event {
			out = append(out, e)
		}
	}
	return out
}

func (v *adventure) way(to, rule, text string, failed bool) option {
	return option{from: v.at.Spec.Name.V, to: target(to), rule: rule, text: text, failed: failed}
}

func (v *adventure) skipped() []option {
	for _, e := range v.on("") {
		plain := !e.If.IsSet() && e.OnOutput == nil && !e.OnConfidence.IsSet() && !e.BranchPos.IsSet()
		if plain && v.open(e, e.To.V) {
			return []option{v.edge(e, e.To.V, "edge", "", true)}
		}
	}
	if next := cmp.Or(v.at.Spec.Next.V, v.at.Spec.OnPass.V); next != "" {
		return []option{v.way(next, "next", "next", true)}
	}
	return v.noMatch(true)
}

func (v *adventure) refused() []option {
	s := v.at.Spec
	for _, e := range v.on("guard_fail") {
		if v.open(e, e.To.V) {
			return []option{v.edge(e, e.To.V, "guard fail", "on guard_fail", false)}
		}
	}
	if s.OnFail.IsSet() {
		return []option{v.way(s.OnFail.V, "guard fail", "on_fail", false)}
	}
	return nil
}

func (v *adventure) failure() []option {
	if _, critical := v.at.Spec.Flag("critical"); critical {
		return []option{{ends: true}}
	}
	for _, e := range v.on("error") {
		if v.open(e, e.To.V) {
			return []option{v.edge(e, e.To.V, "error", "on error", true)}
		}
	}
	if o, ok := v.errorTransition(v.at); ok {
		return []option{o}
	}
	return []option{{ends: true}}
}

// success lists the ways of rules 2 to 7, of a success or a soft failure.
func (v *adventure) success(soft bool) []option {
	s := v.at.Spec
	out, decided := v.routes(soft)
	if decided {
		return out
	}
	if !soft {
		for _, to := range append(slices.Clone(s.Goto), s.Routes...) {
			what := "goto "
			if v.at.Kind == "router" {
				what = "route "
			}
			out = append(out, v.way(to.V, "goto", what+to.V, false))
		}
		if v.at.Kind == "router" {
			return out
		}
	}
	for _, e := range v.on("") {
		if e.BranchPos.IsSet() {
			passes := soft
			for _, l := range e.Branch {
				switch {
				case soft:
				case v.open(e, l.To.V):
					out = append(out, v.edge(e, l.To.V, "edge", "branch "+l.Name.V, false))
				default:
					passes = true
				}
			}
			if !passes {
				return out
			}
			continue
		}
		if !v.open(e, e.To.V) {
			continue
		}
		text := ""
		switch {
		case e.If.IsSet():
			text = "if " + e.If.V
		case e.OnOutput != nil:
			text = "on_output " + e.OnOutput.Key.V + ": " + e.OnOutput.Value.Text
		case e.OnConfidence.IsSet():
			text = "on_confidence " + fmt.Sprint(e.OnConfidence.V)
		}
		out = append(out, v.edge(e, e.To.V, "edge", text, soft))
		if text == "" {
			return out
		}
	}
	for _, t := range s.Transitions {
		if t.Key.V != "error" && v.at.Out != nil && v.at.Out.Field(t.Key.V) != nil && !soft {
			out = append(out, v.way(t.To.V, "transition", "transition "+t.Key.V, false))
		}
	}
	if next := cmp.Or(s.Next.V, s.OnPass.V); next != "" {
		return append(out, v.way(next, "next", "next", soft))
	}
	return append(out, v.noMatch(soft)...)
}

// routes is rule 2. A text that names nothing known lets the later rules be tried.
func (v *adventure) routes(soft bool) (out []option, decided bool) {
	if soft || v.at.Out == nil || v.at.Out.Kind != resolve.Struct {
		return nil, false
	}
	text := false
	for _, name := range []string{"route", "_next", "next_step", "goto"} {
		f := v.at.Out.Field(name)
		if f == nil {
			continue
		}
		switch f.Type.Base().Kind {
		case resolve.String:
			text = true
			for _, value := range v.declared() {
				out = append(out, v.way(v.led(value), "route", name+" "+value, false))
			}
		case resolve.Enum:
			for _, value := range f.Type.Base().Values {
				out = append(out, v.way(v.led(value.Name), "route", name+" "+value.Name, false))
			}
			if f.Type.Kind == resolve.Enum {
				return out, !text
			}
		}
	}
	return out, false
}

// led is where a route value leads.
func (v *adventure) led(value string) string {
	for _, t := range v.at.Spec.Transitions {
		if t.Key.V == value && value != "error" {
			return t.To.V
		}
	}
	return value
}

// declared lists what a text may name.
func (v *adventure) declared() []string {
	out := []string{spec.End}
	node := func(name string) {
		if !spec.IsEnd(name) && name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	s := v.at.Spec
	for _, to := range append(slices.Clone(s.Goto), s.Routes...) {
		node(to.V)
	}
	for _, e := range v.on("") {
		node(e.To.V)
		for _, l := range e.Branch {
			node(l.To.V)
		}
	}
	for _, t := range s.Transitions {
		if t.Key.V != "error" {
			node(t.To.V)
			node(t.Key.V)
		}
	}
	node(cmp.Or(s.Next.V, s.OnPass.V))
	return out
}

// noMatch is rule 7. Where the node has a way on, it is left open whether the node's edges
// are used up or fail to match: both may happen.
func (v *adventure) noMatch(failed bool) []option {
	s := v.at.Spec
	edges := v.on("")
	used := len(edges) > 0 && len(s.Goto)+len(s.Routes) == 0
	for _, e := range edges {
		used = used && e.MaxIterations.IsSet()
	}
	terminal := len(edges)+len(s.Goto)+len(s.Routes) == 0 && len(v.declared()) == 1
	for _, name := range []string{"route", "_next", "next_step", "goto"} {
		terminal = terminal && v.at.Out.Field(name) == nil
	}
	switch {
	case cmp.Or(s.NoMatch.V, v.g.Spec.NoMatch.V) == "end" || terminal:
		return []option{{ends: true, failed: failed}}
	case used:
		return append(v.failure(), option{ends: true})
	}
	return v.failure()
}

// choose picks what to do: most often what the walk has taken a liking to.
func (v *adventure) choose(r *rand.Rand, liking map[string]int) option {
	options := v.options()
	if r.IntN(8) == 0 {
		return options[r.IntN(len(options))]
	}
	like := func(o option) int {
		if o.ends || o.to == spec.End {
			return -1
		}
		if _, ok := liking[o.key()]; !ok {
			liking[o.key()] = r.IntN(1000)
		}
		return liking[o.key()]
	}
	return slices.MaxFunc(options, func(a, b option) int { return cmp.Compare(like(a), like(b)) })
}
