package walks

import (
	"iter"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A Visit is a visit that a node makes of another.
type Visit struct {
	Node  string
	Unrun bool // it is skipped
}

// A fate is how a node within another ends.
type fate uint8

const (
	succeeded fate = iota
	failed
	spent     // no visits left, which is not forgiven
	stopped   // by others, or because the steps are used up
	overdrawn // a budget is spent
)

// An inside is what runs within one visit, as chance has it.
type inside struct {
	walk   *Walk
	random *rand.Rand
	done   []Visit // in the order of the schedule
	over   bool    // the steps are used up
}

// longestList is the greatest length of a list for which the spec sets none.
const longestList = 6

// RunInside runs what the visited node runs, and returns the visits in the order in which they
// were made. Of nodes that run no others it does nothing.
func (v *Walk) RunInside(r *rand.Rand) []Visit {
	if v.At == nil || !v.At.Kind.Composite() {
		return nil
	}
	if v.At.Has(spec.SkipOnError) && v.failed {
		return nil
	}
	x := &inside{walk: v, random: r}
	end := x.within(v.At, func(Visit) bool { return true })
	v.inside = &end
	if x.over {
		v.At = nil
	}
	return x.done
}

// visit begins a visit. It reports whether a step was left for it, and yield returned true.
func (x *inside) visit(n *resolve.Node, unrun bool, yield func(Visit) bool) bool {
	v := x.walk
	switch {
	case x.over:
		return false
	case v.Steps == v.maxSteps():
		x.over = true
		return false
	}
	v.Steps++
	name := n.Spec.Name.V
	v.Visits[name]++
	x.done = append(x.done, Visit{name, unrun})
	return yield(x.done[len(x.done)-1])
}

// overdraws reports whether a node finds a budget spent, in a graph that has an edge for that.
func (x *inside) overdraws(n *resolve.Node) bool {
	return n.Draws() && slices.ContainsFunc(x.walk.g.Spec.Edges, func(e *spec.Edge) bool { return e.On.V == "budget" }) && x.chance(5)
}

func (x *inside) chance(one int) bool { return x.random.IntN(one) == 0 }

// chain runs nodes one after the other. Routers skip some.
func (x *inside) chain(nodes []*resolve.Node, yield func(Visit) bool) fate {
	if nodes[0].Region.Graph {
		return x.graph(nodes, yield)
	}
	soft, before := false, ""
	for i := 0; i < len(nodes); {
		n := nodes[i].Spec
		visits := x.walk.Visits[n.Name.V]
		end, softly := x.child(nodes[i], soft, yield)
		if before != "" && x.walk.Visits[n.Name.V] > visits {
			x.walk.Within[[2]string{before, n.Name.V}]++
		}
		if end != succeeded {
			return end
		}
		soft, before = softly, n.Name.V
		if len(n.Routes) > 0 && !soft {
			i = place(nodes, n.Routes[x.random.IntN(len(n.Routes))].V)
		} else {
			i++
		}
	}
	x.walk.Within[[2]string{before, spec.End}]++
	return succeeded
}

// graph runs the nodes of a region that is a graph: from the entry, by edges.
func (x *inside) graph(nodes []*resolve.Node, yield func(Visit) bool) fate {
	entry := nodes[0].Region.Written[0].V
	n, soft, before := nodes[place(nodes, entry)], false, ""
	for {
		visits, skipped := x.walk.Visits[n.Spec.Name.V], skips(n, soft)
		end, softly := x.child(n, soft, yield)
		if before != "" && x.walk.Visits[n.Spec.Name.V] > visits {
			x.walk.Within[[2]string{before, n.Spec.Name.V}]++
		}
		if end == stopped {
			return stopped
		}
		to := -1
		if end == succeeded {
			if to, end = x.takes(nodes, n, skipped); end == succeeded {
				soft = softly
			}
		}
		switch {
		case end == overdrawn:
			if to = spendsTo(nodes, n); to < 0 {
				return overdrawn
			}
			soft = true
		case end != succeeded:
			if to = failsTo(nodes, n); to < 0 || end == spent { // it has not run
				return failed
			}
			soft = true
		}
		before = n.Spec.Name.V
		if to == len(nodes) {
			x.walk.Within[[2]string{before, spec.End}]++
			return succeeded
		}
		n = nodes[to]
	}
}

// takes chooses the edge that is taken after a success of a node, whose condition may panic, or after a node that is skipped, which tries no condition.
func (x *inside) takes(nodes []*resolve.Node, n *resolve.Node, skipped bool) (to int, end fate) {
	for _, e := range n.Leaving {
		switch {
		case e.Spec.On.IsSet(), skipped && e.Spec.If.IsSet():
		case !e.Spec.If.IsSet():
			return place(nodes, e.Spec.To.V), succeeded
		case panics(e.Spec.If.V) && x.chance(8):
			return 0, failed
		case x.chance(2):
			return place(nodes, e.Spec.To.V), succeeded
		}
	}
	return len(nodes), succeeded // by no_match, or because no edge leaves it
}

// failsTo returns the place to which a failure of a node leads in a region that is a graph, -1 if it ends the region.
func failsTo(nodes []*resolve.Node, n *resolve.Node) int {
	for _, e := range n.Leaving {
		if e.Spec.On.V == "error" && !n.Spec.FailSoft.V { // what fails softly leads on as a success; else a condition panicked
			return place(nodes, e.Spec.To.V)
		}
	}
	return -1
}

// spendsTo returns the place to which a spent budget leads from a node in a region that is a graph, -1 if it ends the region.
func spendsTo(nodes []*resolve.Node, n *resolve.Node) int {
	for _, e := range n.Leaving {
		if e.Spec.On.V == "budget" {
			return place(nodes, e.Spec.To.V)
		}
	}
	return -1
}

// place returns the place in a chain of what a route names, which for end is behind its last node.
func place(nodes []*resolve.Node, route string) int {
	if i := slices.IndexFunc(nodes, func(n *resolve.Node) bool { return n.Spec.Name.V == route }); i >= 0 {
		return i
	}
	return len(nodes)
}

// skips reports whether a node is skipped, after a failure or not.
func skips(n *resolve.Node, after bool) bool { return n.Has(spec.SkipOnError) && after }

// child executes a node. A soft failure counts as a success.
func (x *inside) child(n *resolve.Node, after bool, yield func(Visit) bool) (end fate, soft bool) {
	if skips(n, after) {
		if !x.visit(n, true, yield) {
			return stopped, false
		}
		return succeeded, true
	}
	if n.Kind.Composite() {
		if !x.visit(n, false, yield) {
			return stopped, false
		}
		end = x.within(n, yield)
	} else {
		end = x.leaf(n, yield)
	}
	switch {
	case end == failed && n.Spec.FailSoft.V:
		return succeeded, true
	case end == spent && !n.Region.Graph:
		return failed, false
	}
	return end, false
}

func (x *inside) leaf(n *resolve.Node, yield func(Visit) bool) fate {
	most := visits(x.walk.g, n)
	for visits := 0; ; visits++ {
		if visits == most {
			return spent
		}
		if !x.visit(n, false, yield) {
			return stopped
		}
		x.walk.ModelCalls += calls(n.Spec)
		if x.overdraws(n) {
			return overdrawn
		}
		if n.Loops && !x.chance(4) {
			x.walk.ToolTurns++
			continue
		}
		for _, e := range n.Spec.Evals {
			if e.Judge.IsSet() {
				x.walk.ModelCalls++
			}
		}
		if x.chance(4) {
			return failed
		}
		return succeeded
	}
}

// within runs what a composite node runs, again as often as it may be tried.
func (x *inside) within(n *resolve.Node, yield func(Visit) bool) fate {
	executions := 1
	if f, ok := n.Spec.Flag(spec.Retryable); ok {
		if executions = 3; f.Retry != nil && f.Retry.Attempts.IsSet() {
			executions = f.Retry.Attempts.V
		}
	}
	for {
		late := false
		end := x.once(n, func(v Visit) bool {
			late = late || n.Spec.Timeout.IsSet() && x.chance(6)
			return !late && yield(v)
		})
		if late && end == stopped && !x.over {
			end = failed
		}
		if executions--; end != failed || executions == 0 {
			return end
		}
	}
}

func (x *inside) once(n *resolve.Node, yield func(Visit) bool) fate {
	s := n.Spec
	or := func(v spec.Value[int], most int) int {
		if v.IsSet() {
			return v.V
		}
		return most
	}
	if n.Spec.Timeout.IsSet() && x.chance(10) {
		return failed
	}
	switch n.Kind.Name {
	case "loop":
		for range or(s.MaxIterations, 10) {
			if end := x.chain(n.Regions[0].Nodes, yield); end != succeeded {
				return end
			}
			if s.Until.IsSet() && x.chance(6) {
				if panics(s.Until.V) && x.chance(3) {
					return failed
				}
				return succeeded
			}
		}
		return succeeded
	case "retry":
		end := failed
		for attempts := or(s.Retry.Attempts, 3); end == failed && attempts > 0; attempts-- {
			if end = x.chain(n.Regions[0].Nodes, yield); end == succeeded && s.Timeout.IsSet() && x.chance(6) {
				end = failed // it was late
			}
		}
		return end
	case "autonomous":
		return x.pool(n, or(s.MaxSteps, 15), yield)
	}
	var branches [][]*resolve.Node
	for _, r := range n.Regions {
		switch {
		case r.May() && panics(r.Branch.If.V) && x.chance(12):
			return failed
		case !r.May() || !x.chance(3):
			branches = append(branches, r.Nodes)
		}
	}
	if n.Kind.Name == "map" {
		most := longestList
		for _, f := range x.walk.g.Spec.State {
			if f.Name.V == s.Over.V && f.MaxLength.IsSet() {
				if most = f.MaxLength.V; x.chance(10) {
					return failed // the list is longer
				}
			}
		}
		branches = slices.Repeat(branches, x.random.IntN(most+1))
	}
	return x.fork(n, branches, or(s.Prompt.MaxParallel, 8), max(1, s.Count.V), yield)
}

// pool picks nodes.
func (x *inside) pool(n *resolve.Node, most int, yield func(Visit) bool) fate {
	s := n.Spec
	terminal := func(r *resolve.Region) bool {
		return slices.ContainsFunc(s.Terminal, func(t spec.String) bool { return t.V == r.Name.V })
	}
	var ran []*resolve.Region
	for len(ran) < most {
		var able []*resolve.Region
		for _, r := range n.Regions {
			repeated := s.AllowRepeat.IsSet() && !s.AllowRepeat.V && slices.Contains(ran, r)
			if !repeated && (len(s.Terminal) == 0 || terminal(r) || len(ran) < most-1) {
				able = append(able, r)
			}
		}
		if len(ran) == 0 && s.PoolEntry.IsSet() {
			able = slices.DeleteFunc(slices.Clone(n.Regions), func(r *resolve.Region) bool { return r.Name.V != s.PoolEntry.V })
		} else {
			choices := len(able)
			if len(s.Terminal) == 0 {
				choices++
			}
			if choices > 1 {
				x.walk.ModelCalls += 2
				if x.overdraws(n) {
					return overdrawn
				}
				if x.chance(20) {
					return failed
				}
			}
		}
		if begins := len(ran) == 0 && s.PoolEntry.IsSet(); len(able) == 0 || len(s.Terminal) == 0 && !begins && x.chance(8) {
			return succeeded
		}
		r := able[x.random.IntN(len(able))]
		ran = append(ran, r)
		if end := x.chain(r.Nodes, yield); end != succeeded || terminal(r) {
			return end
		}
	}
	return succeeded
}

// panics reports whether a condition has an operation that may panic.
func panics(condition string) bool { return strings.ContainsAny(condition, "*/%[(") }

// A branch is one of those that run at once.
type branch struct {
	next func() (Visit, bool)
	stop func()
	end  fate
}

// fork runs branches, step by step, whichever chance has it.
func (x *inside) fork(n *resolve.Node, nodes [][]*resolve.Node, width, count int, yield func(Visit) bool) fate {
	join := n.Spec.Join.V
	wins, losses, began, over, broke := 0, 0, 0, false, false
	var running []*branch
	defer func() {
		for _, b := range running {
			b.stop()
		}
	}()
	for began < len(nodes) || len(running) > 0 {
		if room := began < len(nodes) && len(running) < width; room && (len(running) == 0 || x.chance(2)) {
			b := &branch{}
			chain := nodes[began]
			b.next, b.stop = iter.Pull(func(yield func(Visit) bool) { b.end = x.chain(chain, yield) })
			running = append(running, b)
			began++
		}
		i := x.random.IntN(len(running))
		b := running[i]
		visit, more := b.next()
		if more {
			if !yield(visit) {
				return stopped
			}
			continue
		}
		running = slices.Delete(running, i, i+1)
		switch b.end {
		case succeeded:
			wins++
		case failed:
			losses++
		case stopped:
			return stopped // the steps are used up
		case overdrawn:
			broke, began = true, len(nodes) // none that has not begun is started
			losses++
		}
		over = broke && join == "first" || join == "first" && wins == count || (join == "" || join == "fail_fast") && losses > 0
		if over {
			break
		}
	}
	if over && x.chance(2) { // some go on for a while before they see it
		for _, b := range running {
			for x.chance(2) {
				if visit, more := b.next(); !more || !yield(visit) {
					break
				}
			}
		}
	}
	some := join == "first" || join == "settled"
	switch {
	case x.over:
		return stopped
	case broke:
		return overdrawn
	case some && wins >= count, !some && losses == 0, len(nodes) == 0:
		return succeeded
	}
	return failed
}
