package assertion

import (
	"iter"
	"maps"
	"slices"

	"github.com/graphgen/graphgen/spec/explore"
)

// An explorer finds what regions can do to a path that a query asks for.
//
// Branches run in any order, with steps interleaved. Only two events matter to a path: its first
// node, and the node that must not run before its end. So it suffices to run the branches in
// sequence, in every order. Paths that begin in one branch and end in another are the exception;
// acrossBranches looks for them.
type explorer struct {
	query    *query
	maxSteps int    // steps that are left
	found    []Step // visits up to the end of the path
}

// A situation is the state of a path between two visits.
type situation struct {
	phase  phase
	failed bool // the node before failed
}

// A pathSet holds the shortest path to each situation.
type pathSet map[situation][]Step

// outcomes are the situations after a success, after a failure, and after a cancellation by other
// branches.
type outcomes struct{ succeeded, failed, cancelled pathSet }

// all iterates over the situations in a fixed order.
func (t pathSet) all() iter.Seq2[situation, []Step] {
	return func(yield func(situation, []Step) bool) {
		for _, ph := range []phase{before, underWay} {
			for _, failed := range []bool{false, true} {
				s := situation{ph, failed}
				if path, ok := t[s]; ok && !yield(s, path) {
					return
				}
			}
		}
	}
}

func (t pathSet) add(s situation, path []Step) {
	if s.phase == ruledOut {
		return
	}
	if have, ok := t[s]; !ok || len(path) < len(have) {
		t[s] = path
	}
}

func (t pathSet) join(u pathSet) pathSet {
	out := maps.Clone(t)
	if out == nil {
		out = pathSet{}
	}
	for s, path := range u.all() {
		out.add(s, path)
	}
	return out
}

func (e *outcomes) add(f outcomes) {
	e.succeeded, e.failed, e.cancelled = e.succeeded.join(f.succeeded), e.failed.join(f.failed), e.cancelled.join(f.cancelled)
}

// enter returns the phase in which the children of a composite node begin.
func (q *query) enter(ph phase, n *explore.Node) phase { return q.leave(ph, n, explore.Exit{}) }

// A regionVisit is a visit of a composite node in some phase.
type regionVisit struct {
	node  *explore.Node
	phase phase
}

// A regionPaths holds the outcomes of a composite node, and the visits up to the end of a path that
// ends within it.
type regionPaths struct {
	ends  outcomes
	found []Step
}

// region explores the regions of a composite node. The result is cached.
func (q *query) region(n *explore.Node, ph phase) regionPaths {
	at := regionVisit{n, ph}
	e, ok := q.regions[at]
	if ok {
		return e
	}
	if ph = q.enter(ph, n); ph != ruledOut {
		x := &explorer{query: q, maxSteps: q.maxSteps}
		e.ends = x.composite(n, pathSet{{ph, false}: nil})
		e.found = x.found
	}
	q.regions[at] = e
	return e
}

// visit returns a path extended by a visit.
func (x *explorer) visit(path []Step, n *explore.Node) []Step {
	return append(slices.Clone(path), Step{Node: n})
}

// arrive begins a visit. It reports whether the path may continue.
func (x *explorer) arrive(s situation, path []Step, n *explore.Node) (phase, []Step, bool) {
	path = x.visit(path, n)
	if len(path) > x.maxSteps {
		return ruledOut, nil, false
	}
	ph, goal := x.query.arrive(s.phase, n)
	if goal {
		if x.found == nil || len(path) < len(x.found) {
			x.found = path
		}
		return ruledOut, nil, false
	}
	return ph, path, true
}

// chain explores nodes in sequence. The first does not follow a failure. The outcomes do not depend
// on the path before and are cached.
func (x *explorer) chain(nodes []*explore.Node, from pathSet) outcomes {
	var out outcomes
	for s, path := range from.all() {
		at := regionVisit{nodes[0], s.phase}
		e, ok := x.query.chains[at]
		if !ok {
			y := &explorer{query: x.query, maxSteps: x.maxSteps}
			e.ends = y.explore(nodes, s.phase)
			e.found = y.found
			x.query.chains[at] = e
		}
		out.add(outcomes{e.ends.succeeded.behind(path), e.ends.failed.behind(path), e.ends.cancelled.behind(path)})
		if e.found != nil && (x.found == nil || len(path)+len(e.found) < len(x.found)) {
			x.found = slices.Concat(path, e.found)
		}
	}
	return out
}

// behind returns the paths of t, each after path.
func (t pathSet) behind(path []Step) pathSet {
	out := pathSet{}
	for s, rest := range t {
		out[s] = slices.Concat(path, rest)
	}
	return out
}

func (x *explorer) explore(nodes []*explore.Node, ph phase) outcomes {
	at := make([]pathSet, len(nodes)+1) // before each node, and at the end
	at[0] = pathSet{{ph, false}: nil}
	all := outcomes{cancelled: at[0].join(nil), failed: pathSet{}}
	for i, n := range nodes {
		next := x.node(n, at[i])
		all.failed, all.cancelled = all.failed.join(next.failed), all.cancelled.join(next.cancelled)
		for s, path := range next.succeeded.all() {
			places := n.Onward
			if s.failed && len(n.Softly) > 0 {
				places = n.Softly
			}
			for _, to := range places {
				if at[to] == nil {
					at[to] = pathSet{}
				}
				at[to].add(s, path)
			}
		}
	}
	all.succeeded = at[len(nodes)].join(nil)
	return all
}

// node explores one execution of a node.
func (x *explorer) node(n *explore.Node, from pathSet) outcomes {
	out := outcomes{pathSet{}, pathSet{}, pathSet{}}
	for s, path := range from.all() {
		ph, path, ok := x.arrive(s, path, n)
		if !ok {
			continue
		}
		if n.Skip && s.failed {
			path[len(path)-1].Outcome = explore.Skipped // the last step is n's, which is on the path all the same
			out.succeeded.add(situation{ph, true}, path)
			continue
		}
		var one outcomes
		var used pathSet
		if n.Composite != nil {
			begun := pathSet{}
			begun.add(situation{x.query.enter(ph, n), false}, path)
			one = x.composite(n, begun)
			one.succeeded = one.succeeded.whole()
		} else {
			one, used = x.leaf(n, ph, path)
		}
		if n.Soft {
			for s, path := range one.failed.all() {
				one.succeeded.add(situation{s.phase, true}, path)
			}
			one.failed = pathSet{}
			if n.Evals {
				one.failed = one.succeeded
			}
			one.failed = one.failed.join(used)
		}
		out.add(one)
	}
	return out
}

// whole returns the paths of a node that has succeeded, whatever failed softly in it.
func (t pathSet) whole() pathSet {
	out := pathSet{}
	for s, path := range t.all() {
		out.add(situation{s.phase, false}, path)
	}
	return out
}

// leaf explores one execution of a node without regions. Turns that call tools visit it again, until its visits are used up: the node
// does not run then, so that this is not a failure of its own, which may be soft.
func (x *explorer) leaf(n *explore.Node, ph phase, path []Step) (out outcomes, used pathSet) {
	out, used = outcomes{pathSet{}, pathSet{}, pathSet{}}, pathSet{}
	for turns := 1; ; turns++ {
		out.cancelled.add(situation{ph, false}, path)
		ph = x.query.leave(ph, n, explore.Exit{})
		s := situation{ph, false}
		if turns <= leafTurns {
			out.succeeded.add(s, path)
			out.failed.add(s, path)
			out.cancelled.add(s, path)
		}
		switch {
		case !n.Loops, turns == leafTurns && !n.Soft:
			return out, used
		case turns == min(n.MaxVisits, usedTurns):
			used.add(s, path)
			return out, used
		}
		var ok bool
		if ph, path, ok = x.arrive(s, path, n); !ok {
			return out, used
		}
	}
}

const (
	leafTurns = 3   // how many turns of a node may end it: more end in no other situation
	usedTurns = 100 // and after how many its visits are used up at the latest; the path is then shorter than one of a run
)

// composite explores the regions of a composite node.
func (x *explorer) composite(n *explore.Node, from pathSet) outcomes {
	in := n.Composite
	if len(in.Regions) == 0 {
		return outcomes{succeeded: from}
	}
	return x.again(from, in.Executions, func(from pathSet) outcomes {
		var o outcomes
		switch {
		case in.Kind.Loops():
			o = x.loop(in, from)
		case in.Kind.OnFailure:
			o = x.again(from, in.MaxRuns, func(from pathSet) outcomes { return cutOff(in, x.chain(in.Regions[0].Nodes, from), from) })
		case in.Kind.Forks():
			o = x.concurrent(in, from)
		default:
			o = x.pool(in, from)
		}
		return cutOff(in, o, from)
	})
}

// cutOff adds what an execution may be that is ended from outside: by its timeout, as a failure.
func cutOff(in *explore.Composite, o outcomes, from pathSet) outcomes {
	o.cancelled = o.cancelled.join(from)
	if in.Timeout {
		o.failed = o.failed.join(o.cancelled)
	}
	return o
}

// enough is the number of repetitions after which no further situation appears.
const enough = 8

// again explores up to the given number of tries.
func (x *explorer) again(from pathSet, times int, try func(pathSet) outcomes) outcomes {
	var out outcomes
	for range max(1, min(times, enough)) {
		o := try(from)
		out.add(o)
		from = o.failed
	}
	return out
}

func (x *explorer) loop(in *explore.Composite, from pathSet) outcomes {
	var out outcomes
	times := min(in.MaxRuns, enough)
	for i := range times {
		o := x.chain(in.Regions[0].Nodes, from)
		from = o.succeeded
		if in.Panics {
			o.failed = o.failed.join(o.succeeded)
		}
		if !in.Until && i < times-1 {
			o.succeeded = nil
		}
		out.add(o)
	}
	return out
}

// pool explores the nodes of a pool in sequence.
func (x *explorer) pool(in *explore.Composite, from pathSet) outcomes {
	out, rule := outcomes{cancelled: from}, in.Pool
	if rule.Asks(0) {
		out.failed = from // the model picked no valid node
	}
	if rule.RunsNothing() {
		out.succeeded = from
	}
	at := map[uint64]pathSet{0: from} // by the nodes that may not be picked again
	times := min(rule.Most, 2*rule.Size+enough)
	for i := range times {
		next := map[uint64]pathSet{}
		for ran, from := range at {
			for k, r := range in.Regions {
				bit := uint64(1) << min(k, 63)
				if !rule.Runs(k, i) || !rule.Repeat && ran&bit != 0 && k < 63 {
					continue
				}
				o := x.chain(r.Nodes, from)
				out.failed, out.cancelled = out.failed.join(o.failed), out.cancelled.join(o.cancelled)
				if rule.Over(k, i+1) {
					out.succeeded = out.succeeded.join(o.succeeded)
				}
				if rule.Last[k] {
					continue
				}
				if rule.Asks(i + 1) {
					out.failed = out.failed.join(o.succeeded) // the pick after it failed
				}
				after := ran
				if !rule.Repeat {
					after |= bit
				}
				next[after] = next[after].join(o.succeeded)
			}
		}
		at = next
	}
	return out
}
