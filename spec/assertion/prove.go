package assertion

import (
	"iter"
	"slices"

	"github.com/graphgen/graphgen/spec/bounds"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/explore"
)

// Result is the result of a proof.
type Result uint8

const (
	Holds   Result = iota
	Fails          // there is a forbidden path, or no wanted one
	Open           // neither proved nor refuted
	Vacuous        // no path has the form that the assertion is about
)

// A Verdict is the result of a proof with its evidence.
type Verdict struct {
	Result Result
	Path   []Step // a forbidden path from the entry; for Open, a path that may be impossible
	Most   int    // for AtMost: the bound of the visits, unless ByAnswers
	Doubt  *Doubt // for Open: why changes of the graph leave it open

	ByAnswers bool // for AtMost: the answers of people are all that bounds the visits
}

// A Step is a visit and the transition after it. The first step of a path has no node, nor has the
// last step of a path to the end.
type Step struct {
	Node       *cfg.Node
	Outcome    cfg.Outcome
	Transition *cfg.Transition // to the next step; nil: the run ends at the node
	UsedUp     []*cfg.Node     // nodes before the next step whose visits were used up
	Regions    []Step          // visits of its regions; in the last step they end the path
}

// A Prover proves assertions about one graph.
type Prover struct {
	graph      *cfg.Graph
	usedUp     []bool // by the node's index: the visits can be used up
	pastUsedUp bool   // a run may continue after a node whose visits are used up
	changes    *Changes
}

// NewProver returns the prover of a graph.
func NewProver(g *cfg.Graph) *Prover {
	p := &Prover{graph: g, usedUp: bounds.UsedUp(g)}
	for _, n := range g.Running {
		p.pastUsedUp = p.pastUsedUp || p.usedUp[n.Index] && n.LastResort() != nil
	}
	return p
}

// Prove decides an assertion all of whose names are known.
func (p *Prover) Prove(a *Assertion) Verdict {
	if p.changes != nil {
		return p.proveMutable(a)
	}
	return p.proveWritten(a)
}

// proveWritten decides an assertion about the graph as written.
func (p *Prover) proveWritten(a *Assertion) Verdict {
	if a.Kind == AtMost {
		return p.atMost(a)
	}
	q := p.query(a)
	if a.Kind == Reachable {
		return p.reachable(q)
	}
	wanted := *q
	wanted.without, wanted.fold = nil, cfg.NewFold(&wanted, true)
	if p.searchUncounted(&wanted) == nil {
		return Verdict{Result: Vacuous}
	}
	rough := p.searchUncounted(q)
	if rough == nil {
		return Verdict{Result: Holds}
	}
	if p.possible(rough) {
		return Verdict{Result: Fails, Path: rough}
	}
	switch path, complete := p.searchCounted(q); {
	case path != nil:
		return Verdict{Result: Fails, Path: path}
	case complete:
		if path, complete := p.searchCounted(&wanted); path == nil && complete {
			return Verdict{Result: Vacuous}
		}
		return Verdict{Result: Holds}
	}
	return Verdict{Result: Open, Path: rough}
}

func (p *Prover) reachable(q *query) Verdict {
	rough := p.searchUncounted(q)
	if rough == nil {
		return Verdict{Result: Fails}
	}
	if p.possible(rough) {
		return Verdict{Result: Holds, Path: rough}
	}
	switch path, complete := p.searchCounted(q); {
	case path != nil:
		return Verdict{Result: Holds, Path: path}
	case complete:
		return Verdict{Result: Fails}
	}
	return Verdict{Result: Open, Path: rough}
}

func (p *Prover) atMost(a *Assertion) Verdict {
	n := p.graph.Named(a.Names[0].V)
	bound := bounds.Visits(p.graph, n)
	v := Verdict{Most: bound.Most, ByAnswers: bound.ByAnswers}
	switch {
	case bound.Most <= a.Most && !bound.ByAnswers:
		return v
	case bound.Reached <= a.Most:
		v.Result = Open
	default:
		v.Result = Fails
	}
	if v.Result == Fails {
		v.Path = pathToVisits(bound.Path, n, a.Most+1)
	}
	return v
}

// maxShown bounds the steps of a path that shows the visits of a node.
const maxShown = 100_000

// pathToVisits returns the steps of a walk up to a number of visits of a node.
func pathToVisits(way bounds.Path, n *cfg.Node, visits int) []Step {
	var path []Step
	at := Step{}
	shown := 0
	for leg := range way.Segments() {
		w := leg.Transition
		at.Transition = w
		switch {
		case w.Rule == cfg.ByError:
			at.Outcome = cfg.Failed
		case w.From != nil:
			for _, o := range [...]cfg.Outcome{cfg.Refused, cfg.CalledTools, cfg.Denied, cfg.Late, cfg.Spent} {
				if slices.Contains(w.From.On[o], w) {
					at.Outcome = o
				}
			}
		}
		path = append(path, at)
		at = Step{Node: w.To}
		if w.To == n {
			visits--
		}
		if shown++; leg.Regions != nil && visits > 0 {
			for inner := range leg.Regions.Visits() {
				at.Regions = append(at.Regions, Step{Node: inner})
				if inner == n {
					visits--
				}
				if shown++; visits == 0 || shown > maxShown {
					break
				}
			}
		}
		if visits == 0 || shown > maxShown {
			break
		}
	}
	return append(path, at)
}

// A query asks for a path from a node, or the entry, to a node, or the end, on which another node
// does not run.
type query struct {
	from    *cfg.Node // nil: the entry
	to      *cfg.Node // nil: the end
	end     string    // the name of the end; empty: any
	without *cfg.Node // nil: any path matches

	fromNode     bool // the path begins at from, whether or not a run reaches it
	ignoreBounds bool // bounds are never used up
	mayClose     bool // a transition with a bound may be closed, whether or not it was followed

	exhausted map[*cfg.Node][]Step // nodes whose edges are to be used up, with the paths found

	maxSteps int // of a run
	fold     *cfg.Fold[paths]
}

func (p *Prover) query(a *Assertion) *query {
	node := func(i int) *cfg.Node { return p.graph.Named(a.Names[i].V) }
	q := &query{maxSteps: p.graph.MaxSteps()}
	q.fold = cfg.NewFold(q, true)
	switch a.Kind {
	case Without:
		q.from, q.to, q.without = node(0), node(1), node(2)
	case Passes:
		q.to, q.without = node(0), node(1)
	default:
		q.to = node(0)
	}
	for _, name := range a.Names {
		if p.graph.Spec.Spec.NamesEnd(name.V) {
			q.end = name.V
		}
	}
	return q
}

// A phase is the state of a path that the query asks for.
type phase uint8

const (
	before phase = iota
	underWay
	ruledOut // the path ran without, and no other path from the entry can begin
)

// arrive returns the phase after a visit of a node begins, or a transition leads to an end, and whether the path is complete.
func (q *query) arrive(ph phase, n *cfg.Node, by *cfg.Transition) (phase, bool) {
	if ph == underWay && n == q.to && (q.end == "" || by != nil && by.End == q.end) {
		return ph, true
	}
	if q.from != nil && n == q.from {
		return underWay, false
	}
	return ph, false
}

// leave returns the phase after a visit of a node ends.
func (q *query) leave(ph phase, n *cfg.Node, m explore.Exit) phase {
	switch {
	case ph != underWay || n != q.without || q.without == nil || m.Unrun:
		return ph
	case q.from == nil:
		return ruledOut
	}
	return before
}

func (q *query) start() phase {
	if q.from == nil {
		return underWay
	}
	return before
}

// usable reports whether the bound of a transition can be used up on a path from the entry. It
// cannot if every traversal runs the node that must not run.
func (q *query) usable(w *cfg.Transition) bool {
	return !q.ignoreBounds && (q.mayClose || q.from != nil || q.without == nil || w.To != q.without || q.without.Skip)
}

// A position is a state of the search, and how it was reached.
type position struct {
	state  *explore.State // nil in an uncounted search
	key    string         // of the state
	node   *cfg.Node
	failed explore.Failed
	phase  phase
	steps  int  // to this position, in an uncounted search
	by     Step // from the position before
	before *position
}

// path returns the steps to a position.
func (at *position) path(last ...Step) []Step {
	out := slices.Clone(last)
	for ; at.before != nil; at = at.before {
		out = append(out, at.by)
	}
	slices.Reverse(out)
	return out
}

// endWithin returns the path that ends in a region of the current node.
func (at *position) endWithin(found []Step) []Step {
	return append(at.path(), Step{Node: at.node, Regions: found})
}

// endAt returns the path that ends with a step to a node or to the end.
func (at *position) endAt(by Step, to *cfg.Node) []Step {
	return append(at.path(by), Step{Node: to})
}

// insertBySteps inserts a position before those with more steps.
func insertBySteps(queue []*position, at *position) []*position {
	i := len(queue)
	for i > 0 && queue[i-1].steps > at.steps {
		i--
	}
	return slices.Insert(queue, i, at)
}

// fewer reports whether no position of the key had as few steps, and keeps the fewest. A position may be found
// before one of its key with fewer steps, which replaces it: a visit of a composite node makes many.
func fewer[K comparable](least map[K]int, k K, steps int) bool {
	if before, seen := least[k]; seen && before <= steps {
		return false
	}
	least[k] = steps
	return true
}

// A visit holds how a path may continue at a node.
type visit struct {
	query    *query
	position *position
	maxSteps int      // steps that are left
	begin    phase    // of the children of a composite node
	outcomes outcomes // of a composite node
	found    []Step   // visits up to the end of the path, within the node
}

func (q *query) visit(at *position, room int) visit {
	v := visit{query: q, position: at, maxSteps: room}
	if !at.node.Composite() {
		return v
	}
	if v.begin = q.leave(at.phase, at.node, explore.Exit{}); v.begin == ruledOut {
		return v
	}
	v.outcomes = q.fold.Regions(at.node)
	if found := v.outcomes.Cancelled.found[v.begin]; len(found) <= room {
		v.found = found
	}
	return v
}

// exits iterates over the phases after an exit, with the visits of regions.
func (v *visit) exits(m explore.Exit) iter.Seq2[phase, []Step] {
	n, o := v.position.node, &v.outcomes
	through := o.Failure
	switch {
	case !n.Composite() || m.Outcome == cfg.Skipped:
		return func(yield func(phase, []Step) bool) { yield(v.query.leave(v.position.phase, n, m), nil) }
	case m.Outcome == cfg.Denied || m.Outcome == cfg.Late:
		through = v.query.Nothing()
	case m.Outcome == cfg.Succeeded:
		through = o.Success
	case m.Outcome == cfg.Spent:
		if through = o.Spent; len(n.JudgedEdges()) > 0 {
			through = v.query.Or(o.Spent, o.Success)
		}
	case m.Outcome == cfg.Failed && (n.Soft || n.FailsLate()):
		through = v.query.Or(o.Failure, o.Success)
	}
	return through.through(v.begin, v.maxSteps)
}

// searchUncounted looks for a path without counting: every bound may be used up or not, and every
// node whose visits can be used up may be passed over. It finds every path. It excludes paths with
// more steps than a run makes, unless nodes may be passed over: these take no steps.
func (p *Prover) searchUncounted(q *query) []Step {
	type key struct {
		node   *cfg.Node
		failed explore.Failed
		phase  phase
	}
	least := map[key]int{}
	var queue []*position
	var found []Step
	add := func(from *position, by Step, to *cfg.Node, failed explore.Failed, ph phase) {
		if ph == ruledOut || found != nil || to != nil && from.steps+len(by.Regions) >= p.graph.MaxSteps() && !p.pastUsedUp {
			return
		}
		ph, done := q.arrive(ph, to, by.Transition)
		if done {
			found = from.endAt(by, to)
			return
		}
		steps := from.steps + len(by.Regions) + 1
		if k := (key{to, failed, ph}); to != nil && fewer(least, k, steps) {
			queue = insertBySteps(queue, &position{node: to, failed: failed, phase: ph, steps: steps, by: by, before: from})
		}
	}
	if q.fromNode {
		queue = append(queue, &position{node: q.from, failed: explore.No | explore.Yes, phase: underWay, before: &position{}, by: Step{}})
	} else {
		add(&position{}, Step{Transition: p.graph.Entry}, p.graph.Entry.To, explore.No, q.start())
	}
	for i := 0; i < len(queue) && found == nil; i++ {
		at := queue[i]
		if least[key{at.node, at.failed, at.phase}] < at.steps {
			continue // replaced
		}
		room := p.graph.MaxSteps()
		if !p.pastUsedUp {
			room -= at.steps
		}
		v := q.visit(at, room)
		if v.found != nil {
			return at.endWithin(v.found)
		}
		for _, m := range explore.Exits(at.node, at.failed, q.usable) {
			var to *cfg.Node
			if m.Transition != nil {
				to = m.Transition.To
			}
			for ph, inside := range v.exits(m) {
				add(at, Step{Node: at.node, Outcome: m.Outcome, Transition: m.Transition, Regions: inside}, to, m.After, ph)
			}
		}
		if w := at.node.LastResort(); w != nil && !q.ignoreBounds && (p.usedUp[at.node.Index] || p.changes != nil) &&
			!(q.from == nil && at.node == q.without && !at.node.Skip) { // which has run, unless it was skipped each time
			add(at, Step{Node: at.node, Outcome: cfg.Failed, Transition: w, UsedUp: []*cfg.Node{at.node}}, w.To, explore.Yes, at.phase)
		}
	}
	return found
}

// possible reports whether a run can take a path of searchUncounted. It tries the first exit for
// each transition.
func (p *Prover) possible(path []Step) bool {
	s := explore.Start(p.graph)
	s.Take(p.graph.Entry, explore.No)
	for _, step := range path[1 : len(path)-1] {
		if s.Current != step.Node {
			return false
		}
		moves := s.Exits()
		i := slices.IndexFunc(moves, func(m explore.Exit) bool { return m.Transition == step.Transition && m.Outcome == step.Outcome })
		switch {
		case i < 0 || step.UsedUp != nil:
			return false
		case s.Steps+len(step.Regions) > p.graph.MaxSteps():
			return false
		case step.Transition == nil:
			s.Current = nil
		case !s.AddSteps(len(step.Regions)) || s.Take(step.Transition, moves[i].After).Transition != step.Transition:
			return false
		}
	}
	last := path[len(path)-1]
	return s.Current == last.Node && s.Steps+len(last.Regions) <= p.graph.MaxSteps()
}
