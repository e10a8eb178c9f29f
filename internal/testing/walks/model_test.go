package walks

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A Graph is a graph to walk.
type Graph struct {
	g     *resolve.Graph
	edges map[*resolve.Node][]*spec.Edge
}

// An Option is what can happen at a node.
type Option struct {
	From, To, Rule, Text string
	End                  string // the name of the end to which it leads
	counts               bool   // an edge: its pair counts it
	failed               bool   // the next node follows a failure
	ends                 bool   // the run ends here
	Completes            bool   // the run ends here otherwise than by failing
	Unrun                bool   // the node is skipped
	judged               bool   // the model has judged
	called               bool   // the model calls tools
}

// Key names the transition. Those of on_error and the entry have any source. The values of a
// route field that lead to one node are one transition.
func (o Option) Key() string {
	text := o.Text
	if o.Rule == "route" {
		text, _, _ = strings.Cut(text, " ")
	}
	return strings.Join([]string{o.From, o.To, o.Rule, text}, "|")
}

// modelOf makes the model of a resolved graph.
func modelOf(g *resolve.Graph) *Graph {
	a := &Graph{g: g, edges: map[*resolve.Node][]*spec.Edge{}}
	for _, e := range g.Spec.Expand() {
		n := g.Node(e.From.V)
		a.edges[n] = append(a.edges[n], e)
	}
	for _, list := range a.edges {
		slices.SortStableFunc(list, func(x, y *spec.Edge) int { return cmp.Compare(y.Priority.V, x.Priority.V) })
	}
	return a
}

// A Walk is one walk.
type Walk struct {
	*Graph
	At      *resolve.Node // visited last; nil: the walk has ended
	Steps   int
	failed  bool
	Visits  map[string]int
	pairs   map[[2]string]int
	Follows map[string]int
	Within  map[[2]string]int // transitions from node to node of regions, and to the end of them
	Ended   bool              // otherwise than by failing or max_steps
	End     string            // the name of the end

	ModelCalls, ToolTurns int // of the visits before

	inside *fate // the outcome of the visited node's region; nil: any
}

// Start begins a walk, at the entry.
func (a *Graph) Start() *Walk {
	v := &Walk{Graph: a, Visits: map[string]int{}, pairs: map[[2]string]int{}, Follows: map[string]int{}, Within: map[[2]string]int{}}
	v.Take(Option{To: a.g.Entry.Spec.Name.V, Rule: "entry"})
	return v
}

// target returns where a name leads, and the name of the end there.
func (a *Graph) target(name string) (to, end string) {
	switch {
	case spec.IsEnd(name):
		return spec.End, ""
	case a.g.Spec.NamesEnd(name):
		return spec.End, name
	}
	return name, ""
}

func (v *Walk) open(e *spec.Edge, to string) bool {
	to, _ = v.target(to)
	return !e.MaxIterations.IsSet() || v.pairs[[2]string{e.From.V, to}] < e.MaxIterations.V
}

func (v *Walk) maxSteps() int {
	if v.g.Spec.Limits.MaxSteps.IsSet() {
		return v.g.Spec.Limits.MaxSteps.V
	}
	return 50
}

// visits is how often a run may visit a node.
func visits(g *resolve.Graph, n *resolve.Node) int {
	switch {
	case n.Spec.MaxVisits.IsSet():
		return n.Spec.MaxVisits.V
	case g.Spec.Limits.MaxVisits.IsSet():
		return g.Spec.Limits.MaxVisits.V
	}
	return 25
}

// Take goes where an option leads, round nodes whose visits are used up.
func (v *Walk) Take(o Option) {
	if v.At != nil {
		v.ModelCalls, v.ToolTurns = v.Spent(o)
	}
	v.At, v.Ended, v.inside = nil, o.Completes, nil
	if o.ends {
		return
	}
	if o.counts {
		v.pairs[[2]string{o.From, o.To}]++
	}
	v.failed = o.failed
	for detours := 0; ; {
		if o.To == spec.End {
			v.Follows[o.Key()]++
			v.Ended, v.End = true, o.End
			return
		}
		if v.Steps == v.maxSteps() {
			return
		}
		n := v.g.Node(o.To)
		most := visits(v.g, n)
		if v.Visits[o.To] < most {
			v.Follows[o.Key()]++
			v.Visits[o.To]++
			v.Steps++
			v.At = n
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

func (v *Walk) errorTransition(n *resolve.Node) (Option, bool) {
	for _, t := range n.Spec.Transitions {
		if t.Key.V == "error" {
			to, end := v.target(t.To.V)
			return Option{From: n.Spec.Name.V, To: to, End: end, Rule: "error", Text: "transition error", failed: true}, true
		}
	}
	if e := v.g.Spec.OnError.V; e != "" && e != n.Spec.Name.V {
		return Option{To: e, Rule: "error", Text: "on_error", failed: true}, true
	}
	return Option{}, false
}

// Options lists all that can happen at the node.
func (v *Walk) Options() []Option {
	s := v.At.Spec
	_, skips := s.Flag(spec.SkipOnError)
	if skips && v.failed {
		out := v.skipped()
		for i := range out {
			out[i].Unrun = true
		}
		return out
	}
	if v.inside != nil {
		return v.outcomes(*v.inside)
	}
	out := append(v.success(false), v.called()...)
	out = append(append(out, v.refused()...), v.overBudget()...)
	if s.FailSoft.V {
		out = append(out, v.success(true)...)
		evaluates := slices.ContainsFunc(s.Evals, func(e *spec.Eval) bool { return e.If.IsSet() || e.Judge.IsSet() })
		if evaluates || slices.ContainsFunc(v.edges[v.At], func(e *spec.Edge) bool { return e.If.IsSet() }) {
			out = append(out, v.failure()...) // its condition panics
		}
		return out
	}
	return append(out, v.failure()...)
}

// outcomes lists what can happen at a node where others have run.
func (v *Walk) outcomes(end fate) []Option {
	panics := slices.ContainsFunc(v.edges[v.At], func(e *spec.Edge) bool { return e.If.IsSet() })
	switch {
	case end == stopped:
		return []Option{{ends: true}}
	case end == overdrawn:
		return append(v.overBudget(), Option{ends: true})
	case end == succeeded && panics:
		return append(v.success(false), v.failure()...)
	case end == succeeded:
		return v.success(false)
	case v.At.Spec.FailSoft.V && panics:
		return append(v.success(true), v.failure()...)
	case v.At.Spec.FailSoft.V:
		return v.success(true)
	}
	return v.failure()
}

func (v *Walk) edge(e *spec.Edge, to, rule, text string, failed bool) Option {
	to, end := v.target(to)
	return Option{From: e.From.V, To: to, End: end, Rule: rule, Text: text, counts: true, failed: failed}
}

func (v *Walk) on(event string) (out []*spec.Edge) {
	for _, e := range v.edges[v.At] {
		if e.On.V == event {
			out = append(out, e)
		}
	}
	return out
}

func (v *Walk) way(to, rule, text string, failed bool) Option {
	to, end := v.target(to)
	return Option{From: v.At.Spec.Name.V, To: to, End: end, Rule: rule, Text: text, failed: failed}
}

// Spent returns how often the walk has called models and how often these have called tools, if
// it continues with option o. Every answer is repaired, and every execution retried, as often as
// the spec allows.
func (v *Walk) Spent(o Option) (modelCalls, toolTurns int) {
	modelCalls, toolTurns = v.ModelCalls, v.ToolTurns
	s := v.At.Spec
	if o.Unrun {
		return modelCalls, toolTurns
	}
	modelCalls += calls(s)
	if o.judged {
		modelCalls++
	}
	if o.called {
		toolTurns++
		modelCalls -= gates(s)
	}
	return modelCalls, toolTurns
}

// gates is how many guards of a node a model judges. They are not asked about a turn that calls tools.
func gates(s *spec.Node) (n int) {
	for _, g := range s.Guards {
		if g.Judge.IsSet() {
			n++
		}
	}
	return n
}

// calls is how often a turn asks a model, for its answer and for its guards. A router and a guard that have instructions ask, too.
func calls(s *spec.Node) int {
	each, executions, repairs := gates(s), 1, 1
	if s.Prompt.Repair.IsSet() {
		repairs = s.Prompt.Repair.V
	}
	if f, ok := s.Flag(spec.Retryable); ok {
		executions = f.Retry.Attempts.V
	}
	if s.Prompt.Instructions.IsSet() && s.Kind.V != "autonomous" {
		each += 1 + repairs
	}
	return (executions + s.GuardRetries.V) * each
}

// Choose picks an option: most often the one that the walk prefers.
func (v *Walk) Choose(r *rand.Rand, liking map[string]int) Option {
	options := v.Options()
	if r.IntN(8) == 0 {
		return options[r.IntN(len(options))]
	}
	like := func(o Option) int {
		if o.ends || o.To == spec.End {
			return -1
		}
		if _, ok := liking[o.Key()]; !ok {
			liking[o.Key()] = r.IntN(1000)
		}
		return liking[o.Key()]
	}
	return slices.MaxFunc(options, func(a, b Option) int { return cmp.Compare(like(a), like(b)) })
}

// Clone returns an independent copy.
func (v *Walk) Clone() *Walk {
	c := *v
	c.Visits, c.pairs, c.Follows, c.Within = maps.Clone(v.Visits), maps.Clone(v.pairs), maps.Clone(v.Follows), maps.Clone(v.Within)
	return &c
}

// State distinguishes walks at one node that can continue differently.
func (v *Walk) State() string {
	if v.inside != nil {
		return fmt.Sprint(v.failed, v.pairs, *v.inside)
	}
	return fmt.Sprint(v.failed, v.pairs)
}
