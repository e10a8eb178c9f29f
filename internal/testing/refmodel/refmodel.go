// Package refmodel walks graphs at random, for tests of what is proved of every run: it does
// whatever a handler, a condition, a guard or a model may do. It reads the spec itself, and shares
// no code with the analyses that it tests.
package refmodel

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
	counts               bool // an edge: its pair counts it
	failed               bool // the next node follows a failure
	ends                 bool // the run ends here
	Completes            bool // the run ends here otherwise than by failing
	Unrun                bool // the node is skipped
	judged               bool // the model has judged
	called               bool // the model calls tools
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

// Of makes a Graph of a resolved graph.
func Of(g *resolve.Graph) *Graph {
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

	ModelCalls, ToolTurns int // of the visits before

	inside *fate // the outcome of the visited node's region; nil: any
}

// Start begins a walk, at the entry.
func (a *Graph) Start() *Walk {
	v := &Walk{Graph: a, Visits: map[string]int{}, pairs: map[[2]string]int{}, Follows: map[string]int{}, Within: map[[2]string]int{}}
	v.Take(Option{To: a.g.Entry.Spec.Name.V, Rule: "entry"})
	return v
}

func target(name string) string {
	if spec.IsEnd(name) {
		return spec.End
	}
	return name
}

func (v *Walk) open(e *spec.Edge, to string) bool {
	return !e.MaxIterations.IsSet() || v.pairs[[2]string{e.From.V, target(to)}] < e.MaxIterations.V
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
			v.Ended = true
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
			return Option{From: n.Spec.Name.V, To: target(t.To.V), Rule: "error", Text: "transition error", failed: true}, true
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
	out = append(out, v.refused()...)
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
	return Option{From: e.From.V, To: target(to), Rule: rule, Text: text, counts: true, failed: failed}
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
	return Option{From: v.At.Spec.Name.V, To: target(to), Rule: rule, Text: text, failed: failed}
}

// plain reports whether an edge has no condition.
func plain(e *spec.Edge) bool {
	return !e.If.IsSet() && !e.On.IsSet() && e.OnOutput == nil && !e.OnConfidence.IsSet() && !e.BranchPos.IsSet() && !e.When.IsSet()
}

// tried lists the edges of rule 4. Those in natural language are behind the other conditions,
// and edges without a condition are last.
func (v *Walk) tried() []*spec.Edge {
	var first, judged, last []*spec.Edge
	all := append(slices.Clone(v.on("")), v.on("no_tool_call")...)
	slices.SortStableFunc(all, func(x, y *spec.Edge) int {
		return slices.Index(v.edges[v.At], x) - slices.Index(v.edges[v.At], y)
	})
	for _, e := range all {
		switch {
		case e.When.IsSet():
			judged = append(judged, e)
		case plain(e):
			last = append(last, e)
		default:
			first = append(first, e)
		}
	}
	if judged == nil {
		return all
	}
	return slices.Concat(first, judged, last)
}

// called lists what a turn with tool calls leads to.
func (v *Walk) called() []Option {
	s := v.At.Spec
	_, injected := s.Flag(spec.InjectTools)
	if loops := !s.Prompt.ToolLoop.IsSet() || s.Prompt.ToolLoop.V; s.Kind.V == "prompt" && loops && (injected || len(s.Prompt.Tools) > 0) {
		o := v.way(s.Name.V, "tool loop", "tool calls", false)
		o.called = true
		return []Option{o}
	}
	var options []Option
	for _, e := range v.on("tool_call") {
		if !v.open(e, e.To.V) {
			continue
		}
		text := "on tool_call"
		for i, tool := range e.Tools {
			text += []string{" ", ", "}[min(i, 1)] + tool.V
		}
		o := v.edge(e, e.To.V, "edge", text, false)
		o.called = true
		if options = append(options, o); len(e.Tools) == 0 { // else the turn may have called others
			break
		}
	}
	return options
}

func (v *Walk) skipped() []Option {
	for _, e := range v.on("") {
		if plain(e) && v.open(e, e.To.V) {
			return []Option{v.edge(e, e.To.V, "edge", "", true)}
		}
	}
	if next, key := passed(v.At.Spec); next != "" {
		return []Option{v.way(next, "next", key, true)}
	}
	return v.noMatch(true, 0)
}

// passed returns the target of rule 6, and the key of the spec that sets it.
func passed(s *spec.Node) (next, key string) {
	if s.OnPass.V != "" {
		return s.OnPass.V, "on_pass"
	}
	return s.Next.V, "next"
}

func (v *Walk) refused() []Option {
	s := v.At.Spec
	for _, e := range v.on("guard_fail") {
		if v.open(e, e.To.V) {
			return []Option{v.edge(e, e.To.V, "guard fail", "on guard_fail", false)}
		}
	}
	if s.OnFail.IsSet() {
		return []Option{v.way(s.OnFail.V, "guard fail", "on_fail", false)}
	}
	return nil
}

func (v *Walk) failure() []Option {
	if v.At.Has(spec.Critical) {
		return []Option{{ends: true}}
	}
	for _, e := range v.on("error") {
		if v.open(e, e.To.V) {
			return []Option{v.edge(e, e.To.V, "error", "on error", true)}
		}
	}
	if o, ok := v.errorTransition(v.At); ok {
		return []Option{o}
	}
	return []Option{{ends: true}}
}

// success lists the transitions of rules 2 to 7, of a success or a soft failure. The model has
// judged before those that follow the first edge it is asked about.
func (v *Walk) success(soft bool) []Option {
	out := v.ways(soft)
	if i := slices.IndexFunc(out, func(o Option) bool { return strings.HasPrefix(o.Text, "when ") }); i >= 0 {
		for i := range out[i:] {
			out[len(out)-1-i].judged = true
		}
	}
	return out
}

func (v *Walk) ways(soft bool) []Option {
	s := v.At.Spec
	out, decided := v.routes(soft)
	if decided {
		return out
	}
	if !soft {
		for _, to := range append(slices.Clone(s.Goto), s.Routes...) {
			what := "goto "
			if v.At.Kind.Name == "router" {
				what = "route "
			}
			out = append(out, v.way(to.V, "goto", what+to.V, false))
		}
		if v.At.Kind.Name == "router" {
			return out
		}
	}
	judged := 0
	for _, e := range v.tried() {
		if e.BranchPos.IsSet() {
			text, passes := "branch ", soft
			if e.By.IsSet() {
				text, passes = "branch "+e.By.V+": ", soft || !v.covers(e)
			}
			for _, l := range e.Branch {
				switch {
				case soft:
				case v.open(e, l.To.V):
					out = append(out, v.edge(e, l.To.V, "edge", text+l.Name.V, false))
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
		if e.When.IsSet() {
			judged++
		}
		out = append(out, v.edge(e, e.To.V, "edge", condition(e), soft))
		if plain(e) || e.On.IsSet() {
			return out
		}
	}
	for _, t := range s.Transitions {
		if t.Key.V != "error" && v.At.Out != nil && v.At.Out.Field(t.Key.V) != nil && !soft {
			out = append(out, v.way(t.To.V, "transition", "transition "+t.Key.V, false))
		}
	}
	if next, key := passed(s); next != "" {
		return append(out, v.way(next, "next", key, soft))
	}
	return append(out, v.noMatch(soft, judged)...)
}

// covers reports whether a branch table has a label for whatever an output of the node holds.
func (v *Walk) covers(e *spec.Edge) bool {
	for n := v.At.Body; n != nil; n = n.Body {
		if n.Has(spec.SkipOnError) || n.Spec.FailSoft.V {
			return false // what it runs may give none
		}
	}
	held := v.At.Out
	if held.Kind == resolve.Struct {
		held = held.Field(e.By.V).Type
	}
	return held.Kind == resolve.Enum && len(held.Values) == len(e.Branch)
}

// condition returns the condition of an edge, as reports show it.
func condition(e *spec.Edge) string {
	switch {
	case e.If.IsSet():
		return "if " + e.If.V
	case e.OnOutput != nil:
		return "on_output " + e.OnOutput.Key.V + ": " + e.OnOutput.Value.Text
	case e.OnConfidence.IsSet():
		return "on_confidence " + fmt.Sprint(e.OnConfidence.V)
	case e.On.IsSet():
		return "on " + e.On.V
	case e.When.IsSet():
		return "when " + e.When.V
	}
	return ""
}

// routes is rule 2. A text that names nothing known lets the later rules be tried.
func (v *Walk) routes(soft bool) (out []Option, decided bool) {
	if soft || v.At.Out == nil || v.At.Out.Kind != resolve.Struct {
		return nil, false
	}
	text := false
	for _, name := range []string{"route", "_next", "next_step", "goto"} {
		f := v.At.Out.Field(name)
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
func (v *Walk) led(value string) string {
	for _, t := range v.At.Spec.Transitions {
		if t.Key.V == value && value != "error" {
			return t.To.V
		}
	}
	return value
}

// declared lists what a text may name.
func (v *Walk) declared() []string {
	out := []string{spec.End}
	node := func(name string) {
		if !spec.IsEnd(name) && name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	s := v.At.Spec
	for _, to := range append(slices.Clone(s.Goto), s.Routes...) {
		node(to.V)
	}
	for _, e := range v.tried() {
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

// noMatch is rule 7, after the model was asked about judged edges: it may refuse one that is alone.
func (v *Walk) noMatch(failed bool, judged int) []Option {
	s := v.At.Spec
	edges := v.tried()
	over := Option{ends: true, Completes: true, failed: failed}
	other := len(v.on("tool_call"))+len(s.Goto)+len(s.Routes) > 0 || cmp.Or(s.Next.V, s.OnPass.V) != "" ||
		slices.ContainsFunc(s.Transitions, func(t spec.Transition) bool { return t.Key.V != "error" })
	for _, name := range []string{"route", "_next", "next_step", "goto"} {
		other = other || v.At.Out.Field(name) != nil
	}
	usedUp := true // also where there is no edge: the node is terminal
	for _, e := range edges {
		targets := []string{e.To.V}
		if e.BranchPos.IsSet() {
			targets = nil
			for _, l := range e.Branch {
				targets = append(targets, l.To.V)
			}
		}
		usedUp = usedUp && !slices.ContainsFunc(targets, func(to string) bool { return v.open(e, to) })
	}
	if !other && usedUp && (s.NoMatch.V != "error" || len(edges) == 0) || cmp.Or(s.NoMatch.V, v.g.Spec.NoMatch.V) == "end" {
		return []Option{over}
	}
	if judged == 1 {
		return append(v.failure(), over)
	}
	return v.failure()
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
	}
	return modelCalls, toolTurns
}

// calls is how often a turn asks a model. A router and a guard that have instructions ask, too.
func calls(s *spec.Node) int {
	if !s.Prompt.Instructions.IsSet() || s.Kind.V == "autonomous" {
		return 0
	}
	repairs, executions := 1, 1
	if s.Prompt.Repair.IsSet() {
		repairs = s.Prompt.Repair.V
	}
	if f, ok := s.Flag(spec.Retryable); ok {
		executions = f.Retry.Attempts.V
	}
	return (executions + s.GuardRetries.V) * (1 + repairs)
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
