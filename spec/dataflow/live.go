package dataflow

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/resolve"
)

// LiveAfter calls visit for each node that runs reach, with the fields that are live after it
// succeeds: something may read them before they are overwritten. Nodes that a composite node runs
// are visited, too.
func (f *Flow) LiveAfter(visit func(n *resolve.Node, live Set)) {
	live := f.live()
	for at := range f.points {
		if p := &f.points[at]; !p.skipped && live[at] != nil {
			f.before(p, live, visit)
		}
	}
}

// live finds, for every point that a run reaches, the fields that are live before it.
func (f *Flow) live() []Set {
	words := len(f.Output)
	all := make(Set, words*len(f.points))
	live := make([]Set, len(f.points))
	predecessors := f.predecessors()
	work := &worklist{queued: make([]bool, len(f.points))}
	reached := f.reached()
	slices.Reverse(reached) // the last ones first
	for _, at := range reached {
		live[at] = all[at*words : (at+1)*words]
		work.add(at)
	}
	scratch := make(Set, 3*words)
	for at, ok := work.next(); ok; at, ok = work.next() {
		clear(scratch)
		if !live[at].Union(f.beforeIn(scratch, &f.points[at], live, nil)) {
			continue
		}
		for _, p := range predecessors[at] {
			if live[p] != nil {
				work.add(p)
			}
		}
	}
	return live
}

// eachSuccessor visits the successors of a point that are points.
func (f *Flow) eachSuccessor(at int, visit func(to int)) {
	for _, o := range f.points[at].outcomes {
		for _, s := range o.successors {
			if s.to != exit {
				visit(s.to)
			}
		}
	}
}

// predecessors lists the points of which each is a successor.
func (f *Flow) predecessors() [][]int {
	list := make([][]int, len(f.points))
	for at := range f.points {
		f.eachSuccessor(at, func(to int) { list[to] = append(list[to], at) })
	}
	return list
}

// reached lists the points that a run can reach, nearest first.
func (f *Flow) reached() []int {
	seen := make([]bool, len(f.points))
	seen[f.entry] = true
	list := []int{f.entry}
	for i := 0; i < len(list); i++ {
		f.eachSuccessor(list[i], func(to int) {
			if !seen[to] {
				seen[to] = true
				list = append(list, to)
			}
		})
	}
	return list
}

// after adds the fields that are live after an outcome: those that its conditions read, those
// that are live at its successors, and at an end those that are read after it. With on_max_steps: last or flag a run
// can end anywhere.
func (f *Flow) after(o *outcome, live []Set, facts Set) {
	if most := f.Graph.Spec.Spec.Limits.OnMaxSteps; most.Lost || most.V == "last" || most.V == "flag" {
		facts.Union(f.Kept)
	}
	for i := range o.successors {
		s := &o.successors[i]
		facts.AddAll(s.reads)
		switch {
		case s.to == exit:
			facts.Union(f.Kept)
		case live[s.to] != nil:
			facts.Union(live[s.to])
		}
	}
}

// before returns the fields that are live before a point.
func (f *Flow) before(p *point, live []Set, visit func(*resolve.Node, Set)) Set {
	return f.beforeIn(make(Set, 3*len(f.Output)), p, live, visit)
}

// beforeIn is before, with the memory of three empty sets, of which the result is one.
func (f *Flow) beforeIn(memory Set, p *point, live []Set, visit func(*resolve.Node, Set)) Set {
	words := len(f.Output)
	succeeded, failed, facts := memory[:words:words], memory[words:2*words:2*words], memory[2*words:]
	for i := range p.outcomes {
		switch o := &p.outcomes[i]; {
		case o.commits():
			f.after(o, live, succeeded)
		case o.executes():
			f.after(o, live, failed)
		default:
			f.after(o, live, facts)
		}
	}
	switch l := (&liveness{f, visit}); {
	case p.skipped:
	case p.node.Spec.Kind.Composite() || visit != nil:
		facts.Union(l.node(p.node.Spec, succeeded, failed))
	default:
		l.through(p, succeeded, failed)
		facts.Union(succeeded)
	}
	return facts
}

// liveness follows live fields back through what nodes run.
type liveness struct {
	*Flow
	visit func(*resolve.Node, Set) // nil: the nodes within are not visited
}

// A demand has what makes fields live before a composite node: each field by itself is live in any
// case, or where it is live after a success, or after a failure.
type demand struct{ always, succeeded, failed Set }

// demand returns the demand of a composite node. It is computed once, from the demands of the nodes
// within, so that the work does not depend on how deep nodes are nested.
func (f *Flow) demand(n *resolve.Node) *demand {
	if d := f.demands[n]; d != nil {
		return d
	}
	all, l := f.NewSet(), &liveness{Flow: f}
	all.fill()
	d := &demand{
		always:    l.composite(n, f.NewSet(), f.NewSet()),
		succeeded: l.composite(n, all, f.NewSet()),
		failed:    l.composite(n, f.NewSet(), all),
	}
	f.demands[n] = d
	return d
}

// before returns the fields that are live before the node.
func (d *demand) before(succeeded, failed Set) Set {
	facts := slices.Clone(d.always)
	for i := range facts {
		facts[i] |= d.succeeded[i]&succeeded[i] | d.failed[i]&failed[i]
	}
	return facts
}

// node returns the fields that are live before a node, from those that are live after its success
// and after its failure. A failure keeps what was written.
func (l *liveness) node(n *resolve.Node, succeeded, failed Set) Set {
	switch {
	case !n.Kind.Composite():
		return l.leaf(n, succeeded, failed)
	case l.visit == nil:
		return l.demand(n).before(succeeded, failed)
	}
	return l.composite(n, succeeded, failed)
}

func (l *liveness) leaf(n *resolve.Node, succeeded, failed Set) Set {
	if l.visit != nil {
		l.visit(n, succeeded)
	}
	p, facts := l.Flow.leaf(l.Graph.Node(n)), slices.Clone(succeeded)
	l.through(&p, facts, failed)
	return facts
}

// through follows live fields back through a node that runs no others: it changes those after its success to those before it.
func (l *liveness) through(p *point, facts, failed Set) {
	for _, w := range p.writes {
		if l.Fields[w].Merge == "last" {
			facts.Remove(w)
		}
	}
	facts.Union(failed)
	if p.readsAll {
		facts.fill()
	}
	facts.AddAll(p.reads)
}

// composite follows live fields back through what a node runs.
func (l *liveness) composite(n *resolve.Node, succeeded, failed Set) Set {
	l.work++
	inside := failed
	rollsBack := l.Graph.Node(n).RollsBack()
	if rollsBack {
		inside = l.NewSet() // a failure undoes what was written
	}
	after := slices.Clone(succeeded)
	for _, e := range l.Graph.Node(n).Evals {
		after.AddAll(l.EvalReads(e))
	}
	var facts Set
	switch {
	case n.Kind.Loops():
		facts = l.loop(n, after, inside)
	case n.Kind.Picks():
		facts = l.pool(n, after, inside)
	default:
		facts = l.branches(n, after, inside)
	}
	if rollsBack || n.Gated() { // a no, or a late answer, and nothing has run
		facts.Union(failed)
	}
	return facts
}

// region follows live fields back through the nodes of a region.
func (l *liveness) region(r *resolve.Region, succeeded, failed Set) Set {
	facts := make([]Set, len(r.Nodes)+1) // before each node, and at the end
	facts[len(r.Nodes)] = succeeded
	after := func(n *cfg.Node, outcomes ...cfg.Outcome) Set {
		all := l.NewSet()
		for _, o := range outcomes {
			for _, m := range n.Departures(o) {
				if facts[m.Place] != nil { // else a cycle leads back, which is a mistake
					all.Union(facts[m.Place])
				}
				all.AddAll(l.conditionReads(m.Via))
			}
		}
		return all
	}
	for i, spec := range slices.Backward(r.Nodes) {
		n := l.Graph.Node(spec)
		fails, softly := after(n, cfg.Recovered[:]...), []cfg.Outcome(nil)
		if n.Aborting() || n.Overspends() {
			fails.Union(failed)
		}
		if n.Soft {
			softly = append(softly, cfg.SoftFailed, cfg.Refused, cfg.Denied, cfg.Late)
		}
		if n.Skip {
			softly = append(softly, cfg.Skipped)
		}
		succeeds, passes := after(n, cfg.Succeeded), after(n, softly...)
		if n.FailsLeaving() || n.Overspends() && len(n.JudgedEdges()) > 0 {
			succeeds.Union(fails)
			passes.Union(fails)
		}
		facts[i] = l.child(spec, succeeds, passes, fails)
	}
	return slices.Clone(facts[0])
}

// child follows live fields back through a node of a region, which may be skipped, or have a soft
// failure.
func (l *liveness) child(n *resolve.Node, succeeded, softly, failed Set) Set {
	after := l.NewSet()
	if n.Spec.FailSoft.V {
		after.Union(softly)
	}
	if !n.Spec.FailSoft.V || n.Evaluates() || n.Loops || l.Graph.Node(n).Overspends() { // used-up visits are no soft failure
		after.Union(failed)
	}
	facts := l.node(n, succeeded, after)
	if n.Has(spec.SkipOnError) {
		facts.Union(softly)
	}
	return facts
}

func (l *liveness) loop(n *resolve.Node, succeeded, failed Set) Set {
	until, _ := l.Reads(l.Graph.Node(n).Until)
	succeeded.AddAll(until)
	quiet := &liveness{Flow: l.Flow}
	for n.Spec.MaxIterations.V != 1 && succeeded.Union(quiet.region(n.Regions[0], succeeded, failed)) {
	}
	return l.region(n.Regions[0], succeeded, failed)
}

// pool follows live fields back through a pool, of which any node may follow any.
func (l *liveness) pool(n *resolve.Node, succeeded, failed Set) Set {
	asked := slices.Clone(failed) // before the model is asked, which may fail
	for _, field := range n.Reads {
		asked.Add(l.number[field]) // the model is shown them
	}
	after := slices.Clone(succeeded) // after a region
	after.Union(asked)
	regions := func(l *liveness) Set {
		facts := l.NewSet()
		for _, r := range n.Regions {
			facts.Union(l.region(r, after, failed))
		}
		return facts
	}
	quiet := &liveness{Flow: l.Flow}
	for after.Union(regions(quiet)) {
	}
	facts, rule := regions(l), l.Graph.Node(n).Pool()
	if rule.RunsNothing() {
		facts.Union(succeeded)
	}
	if rule.Asks(0) {
		facts.Union(asked)
	}
	return facts
}

// branches follows live fields back through branches that work on copies, or through a body that
// is undone when it fails. A field that all of them may leave unwritten is live if it is live
// after them.
func (l *liveness) branches(n *resolve.Node, succeeded, failed Set) Set {
	facts := l.NewSet()
	for _, r := range n.Regions {
		facts.Union(l.region(r, succeeded, failed))
	}
	if n.Kind.OnFailure {
		return facts
	}
	if n.Item != nil {
		facts.Remove(l.number[n.Item])
	}
	if n.Over != nil {
		facts.Add(l.number[n.Over])
	}
	unwritten := l.Effect(n).succeeded.unwritten
	for i := range facts {
		facts[i] |= succeeded[i] & unwritten[i]
	}
	for _, x := range l.Graph.Node(n).Starts() {
		reads, _ := l.Reads(x)
		facts.AddAll(reads)
	}
	return facts
}
