package check

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/dataflow"
)

// A model is a small random graph as its author thinks of it. It is written as a spec for
// the pass, and walked step by step, after the semantics alone, by a walker.
type model struct {
	nodes   []modelNode
	outputs uint // of fields
	onError int  // -1: none
	names   []string
	routed  bool // routers choose how some regions go on
}

// called gives a node its name.
func (m *model) called(n *modelNode, name string) {
	m.names = append(m.names, name)
	n.name, n.id = name, len(m.names)
}

type modelNode struct {
	kind                          string
	state                         bool // it takes the whole state
	reads, writes                 uint
	guarded, soft, skip, critical bool
	loops, defers                 bool // a prompt: it runs the tools that it calls, or leaves them to others
	goTo                          []int
	edges, failed, refused        []modelEdge
	called                        []modelEdge
	next, errorTo, onFail         int // -1: none, end: the end

	name   string
	id     int     // from 1, among all nodes
	inner  *inside // what it runs; nil: nothing
	routes []int   // of a router in a region: how far ahead they lead
}

// end is where a model's run ends.
const end = 100

type modelEdge struct {
	name  string
	to    int
	also  int    // a branch table: the second label's target; -1: it is none
	when  string // the condition, "" where there is none: an expression, byModel or uncalled
	asks  int    // the field that it looks at; -1: none
	bound bool   // followed once at most
}

// What asks for no expression.
const (
	byModel  = "judged"   // what the model judges
	uncalled = "uncalled" // a turn without tool calls
)

const modelFields = 3

func someModel(r *rand.Rand) *model {
	m := &model{nodes: make([]modelNode, 2+r.IntN(4)), outputs: uint(r.IntN(1 << modelFields)), onError: -1}
	target := func() int {
		if r.IntN(6) == 0 {
			return end
		}
		return r.IntN(len(m.nodes))
	}
	maybe := func(n int) int {
		if r.IntN(n) > 0 {
			return -1
		}
		return target()
	}
	fields := func(n int) (set uint) {
		for i := range modelFields {
			if r.IntN(n) == 0 {
				set |= 1 << i
			}
		}
		return set
	}
	if r.IntN(3) == 0 {
		m.onError = r.IntN(len(m.nodes))
	}
	names := 0
	edge := func() modelEdge {
		names++
		return modelEdge{name: fmt.Sprintf("e%d", names), to: target(), also: -1, asks: -1, bound: r.IntN(2) == 0}
	}
	for i := range m.nodes {
		n := &m.nodes[i]
		*n = modelNode{
			kind: []string{"func", "func", "prompt", "guard", "router"}[r.IntN(5)], state: r.IntN(12) == 0, reads: fields(4), writes: fields(3),
			soft: r.IntN(6) == 0, skip: r.IntN(5) == 0, critical: r.IntN(8) == 0,
			next: maybe(3), errorTo: maybe(5), onFail: -1,
		}
		m.called(n, fmt.Sprintf("n%d", i))
		n.critical = n.critical && !n.soft
		for range r.IntN(3) {
			n.failed = append(n.failed, edge())
		}
		if n.answers() {
			n.loops = n.kind == "prompt" && r.IntN(3) == 0
			n.defers = n.kind == "prompt" && !n.loops && r.IntN(2) == 0
			n.state = n.state && n.kind == "func"
		} else {
			n.writes = 0
		}
		for range r.IntN(3) {
			if n.defers {
				n.called = append(n.called, edge())
			}
		}
		if n.kind == "router" {
			n.goTo = []int{target(), target()}
			continue
		}
		n.guarded = n.kind == "guard" || r.IntN(5) == 0
		if n.kind == "guard" {
			n.onFail = maybe(2)
		} else if n.kind == "func" && r.IntN(6) == 0 {
			n.goTo = []int{r.IntN(len(m.nodes))}
		}
		for range r.IntN(2) {
			n.refused = append(n.refused, edge())
		}
		for range r.IntN(4) {
			e := edge()
			switch r.IntN(9) {
			case 0, 1:
				if n.answers() {
					e.when = []string{"out.Ok", "!out.Ok", "res.Err != nil", "res.Err == nil", "out.N > 2", "out.N < 2"}[r.IntN(6)]
				}
			case 2:
				e.asks = r.IntN(modelFields)
				e.when, e.bound = fmt.Sprintf("state.F%d > 1", e.asks), false
			case 3:
				if n.kind == "func" {
					e.also, e.bound = target(), false
				}
				if n.defers {
					e.when = uncalled
				}
			case 4, 5:
				e.when = byModel
			}
			n.edges = append(n.edges, e)
		}
	}
	return m
}

// answers reports whether the node has an output.
func (n *modelNode) answers() bool { return n.kind == "func" || n.kind == "prompt" }

// tried lists the edges of a success in the order they are tried: the model judges what no
// other condition decides, and what has no condition is left for then.
func (n *modelNode) tried() []modelEdge {
	if !slices.ContainsFunc(n.edges, func(e modelEdge) bool { return e.when == byModel }) {
		return n.edges
	}
	var first, second, last []modelEdge
	for _, e := range n.edges {
		switch {
		case e.when == byModel:
			second = append(second, e)
		case e.when == "" && e.also < 0:
			last = append(last, e)
		default:
			first = append(first, e)
		}
	}
	return slices.Concat(first, second, last)
}

// text is the model as a spec.
func (m *model) text() string {
	var b strings.Builder
	name := func(to int) string {
		if to == end {
			return "end"
		}
		return fmt.Sprintf("n%d", to)
	}
	set := func(fields uint) string {
		var list []string
		for i := range modelFields {
			if fields&(1<<i) != 0 {
				list = append(list, fmt.Sprintf("f%d", i))
			}
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	b.WriteString("graph: g\nentry: n0\nno_match: error\nlimits: {max_steps: 50}\ntools: {look: }\n")
	if m.onError >= 0 {
		b.WriteString("on_error: " + name(m.onError) + "\n")
	}
	b.WriteString("state: {f0: int, f1: int, f2: int, list: \"[]int\", item: int}\ninput: list\noutput: " + set(m.outputs) + "\nnodes:\n")
	for i := range m.nodes {
		n := &m.nodes[i]
		keys := []string{"kind: " + n.kind}
		if n.kind == "prompt" {
			shown := strings.NewReplacer("[", "{{", "]", "}}", ", ", "}} {{", "[]", "all").Replace(set(n.reads))
			keys = append(keys, fmt.Sprintf("instructions: %q", shown))
		} else if !n.state && n.inner == nil {
			keys = append(keys, "reads: "+set(n.reads))
		}
		if n.inner != nil {
			keys = append(keys, n.inner.keys(n, set)...)
		}
		if n.loops || n.defers {
			keys = append(keys, "tools: look", fmt.Sprintf("tool_loop: %v", n.loops))
		}
		if !n.state {
			if n.writes > 0 {
				keys = append(keys, "writes: "+set(n.writes))
			}
		}
		if n.answers() {
			keys = append(keys, "output: {ok: bool, n: int, f0: int, f1: int, f2: int}")
		}
		var targets []string
		for _, t := range n.goTo {
			targets = append(targets, name(t))
		}
		switch {
		case n.kind == "router":
			keys = append(keys, "routes: ["+strings.Join(targets, ", ")+"]")
		case len(targets) > 0:
			keys = append(keys, "goto: ["+strings.Join(targets, ", ")+"]")
		}
		if n.guarded && n.answers() {
			keys = append(keys, "guards: [fine]")
		}
		if n.soft {
			keys = append(keys, "fail_soft: true")
		}
		var flags []string
		if n.skip {
			flags = append(flags, "skip_on_error")
		}
		if n.critical {
			flags = append(flags, "critical")
		}
		if n.inner != nil && n.inner.retryable {
			flags = append(flags, "retryable")
		}
		keys = append(keys, "flags: ["+strings.Join(flags, ", ")+"]")
		if n.next >= 0 {
			keys = append(keys, "next: "+name(n.next))
		}
		if n.onFail >= 0 {
			keys = append(keys, "on_fail: "+name(n.onFail))
		}
		if n.errorTo >= 0 {
			keys = append(keys, "transitions: {error: "+name(n.errorTo)+"}")
		}
		fmt.Fprintf(&b, "  n%d: {%s}\n", i, strings.Join(keys, ", "))
		if n.inner != nil {
			n.inner.text(&b, set)
		}
	}
	b.WriteString("edges:\n  - {from: n0, to: n0, on: error, priority: -9, max_iterations: 1}\n")
	for i := range m.nodes {
		write := func(e modelEdge, more string) {
			if e.bound {
				more += ", max_iterations: 1"
			}
			to := "to: " + name(e.to) + ", label: " + e.name
			if e.also >= 0 {
				to = "branch: {x: " + name(e.to) + ", y: " + name(e.also) + "}"
			}
			fmt.Fprintf(&b, "  - {from: n%d, %s%s}\n", i, to, more)
		}
		for _, e := range m.nodes[i].edges {
			more := ""
			switch e.when {
			case "":
			case byModel:
				more = ", when: " + e.name
			case uncalled:
				more = ", on: no_tool_call"
			default:
				more = ", if: " + fmt.Sprintf("%q", e.when)
			}
			write(e, more)
		}
		for _, e := range m.nodes[i].failed {
			write(e, ", on: error")
		}
		for _, e := range m.nodes[i].refused {
			write(e, ", on: guard_fail")
		}
		for _, e := range m.nodes[i].called {
			write(e, ", on: tool_call")
		}
	}
	return b.String()
}

// told is what the pass finds, in the walker's words, with what it said.
func told(t *testing.T, text string) map[string]bool {
	t.Helper()
	g, read := spec.Load("g.graph.yaml", []byte(text))
	if len(read) > 0 {
		t.Fatalf("%v\n%s", read, text)
	}
	c := newContext(cfg.Of(g))
	f := c.dataFlow()
	if f == nil {
		t.Fatalf("the flow is not known\n%s", text)
	}
	found := map[string]bool{}
	for _, r := range f.Unassigned() {
		field := f.Fields[r.Field].Name
		switch r.Place {
		case dataflow.InNode:
			found[r.Node.Spec.Name.V+" reads "+field] = true
		case dataflow.InCondition:
			found[r.Via.Label+" asks "+field] = true
		case dataflow.InOutput:
			found["output "+field] = true
		}
		if r.Path[0].Node != c.graph.Entry {
			t.Errorf("the path %s does not begin at the entry", words(r.Path))
		}
	}
	return found
}

func keys(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

// What a walk of every path finds that counts bounds as loosely as the pass is what the
// pass finds; what one that counts them for real finds is among it.
func TestUnassignedReads(t *testing.T) {
	for name, some := range models {
		t.Run(name, func(t *testing.T) { walkEveryPath(t, some) })
	}
}

// models are the kinds of graph that walks are compared with.
var models = map[string]func(*rand.Rand) *model{"nodes alone": someModel, "nodes that run others": someComposed, "nodes that routers skip": someRouted}

func walkEveryPath(t *testing.T, some func(*rand.Rand) *model) {
	finds, silent, late := 0, 0, 0
	tries := tier.Pick(50, 300, 2000)
	for d := range tier.Draws(t, tries) {
		m := some(d.Rand())
		text := m.text()
		got := told(t, text)
		loose := &walker{m: m, loose: true}
		want := loose.walk()
		if len(loose.todo) > 0 {
			t.Fatalf("the walk takes too long\n%s", text)
		}
		if !maps.Equal(got, want) {
			t.Fatalf("the pass finds %q\na walk finds   %q\n%s", keys(got), keys(want), text)
		}
		exact := &walker{m: m}
		for what := range exact.walk() {
			if !got[what] {
				t.Fatalf("the pass misses %q\n%s", what, text)
			}
		}
		finds += len(got)
		if len(got) == 0 {
			silent++
		}
		if !maps.Equal(got, exact.found) {
			late++
		}
	}
	t.Logf("%d findings, %d graphs without one, %d in which real bounds leave fewer", finds, silent, late)
	if !tier.Alone() && (finds < tries || silent < tries/100) {
		t.Errorf("only %d findings, %d graphs without one", finds, silent)
	}
}

var unreadWrite = regexp.MustCompile(`what node "(n\w+)" writes to "(f\d)"`)

// A walk never finds a read of a write that the pass says nothing reads. It knows which
// conditions cannot hold, and tries bounds as the pass does.
func TestUnreadWrites(t *testing.T) {
	for name, some := range models {
		t.Run(name, func(t *testing.T) { followWrites(t, some) })
	}
}

func followWrites(t *testing.T, some func(*rand.Rand) *model) {
	unread := 0
	tries := tier.Pick(25, 200, 1000)
	for d := range tier.Draws(t, tries) {
		m := some(d.Rand())
		text := m.text()
		g, _ := spec.Load("g.graph.yaml", []byte(text))
		w := &walker{m: m, loose: true, follow: true}
		w.walk()
		c := newContext(cfg.Of(g))
		unreadWrites(c)
		for _, found := range c.found {
			if !unreadWrite.MatchString(found.Message) {
				t.Fatal(found.Message)
			}
			unread++
			what := unreadWrite.FindStringSubmatch(found.Message)
			if w.used[what[1]+" "+what[2]] {
				t.Fatalf("%s, but it is read\n%s", found.Message, text)
			}
		}
	}
	if unread < tries/12 && !tier.Alone() {
		t.Errorf("only %d unread writes", unread)
	}
}
