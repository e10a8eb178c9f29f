package assertion

import (
	"iter"
	"maps"
	"math/bits"
	"slices"

	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/explore"
)

// paths has the shortest paths through an execution: by the phase before it and the phase after it, and by the phase before it those
// on which the path that the query asks for ends. Nil: there is none. A path without steps is not nil.
//
// Branches run in any order, with steps interleaved. Only two events matter to a path: its first
// node, and the node that must not run before its end. So it suffices to run the branches in
// sequence, in every order. Paths that begin in one branch and end in another are the exception;
// acrossBranches looks for them.
type paths struct {
	to    [ruledOut][ruledOut][]Step
	found [ruledOut][]Step // of what may be cancelled
}

type outcomes = cfg.Outcomes[paths]

// add adds a path.
func (p *paths) add(from, to phase, path []Step) {
	if to < ruledOut {
		p.to[from][to] = shorter(p.to[from][to], path)
	}
}

// find adds a path on which the path that the query asks for ends.
func (p *paths) find(from phase, path []Step) { p.found[from] = shorter(p.found[from], path) }

// shorter returns the shorter path, a if they are of one length.
func shorter(a, b []Step) []Step {
	if a == nil || b != nil && len(b) < len(a) {
		return b
	}
	return a
}

// joined returns the path a followed by b; nil: it has more steps than a run.
func (q *query) joined(a, b []Step) []Step {
	if a == nil || b == nil || len(a)+len(b) > q.maxSteps {
		return nil
	}
	return append(append(make([]Step, 0, len(a)+len(b)), a...), b...)
}

// Nothing returns the paths without steps.
func (q *query) Nothing() paths {
	var p paths
	p.add(before, before, []Step{})
	p.add(underWay, underWay, []Step{})
	return p
}

// Then returns the paths through a and b.
func (q *query) Then(a, b paths) (p paths) {
	for from := range a.to {
		for at, path := range a.to[from] {
			if path == nil {
				continue
			}
			for to, rest := range b.to[at] {
				p.add(phase(from), phase(to), q.joined(path, rest))
			}
			p.find(phase(from), q.joined(path, b.found[at]))
		}
	}
	return p
}

// Or returns the paths through a or b.
func (q *query) Or(a, b paths) paths {
	for from := range b.to {
		for to, path := range b.to[from] {
			a.add(phase(from), phase(to), path)
		}
		a.find(phase(from), b.found[from])
	}
	return a
}

// Undo returns the same paths: what has run has run.
func (q *query) Undo(a paths) paths { return a }

// Cut returns the paths up to any point.
func (q *query) Cut(o outcomes) paths { return q.Or(q.Nothing(), o.Cancelled) }

// enough is the number of repetitions after which no further phase appears.
const enough = 8

// Again returns the paths through repetitions.
func (q *query) Again(a paths, least, most int) (p paths) {
	all := q.Nothing()
	for k := range min(most, enough) + 1 {
		if k >= min(least, enough) {
			p = q.Or(p, all)
		}
		all = q.Then(all, a)
	}
	return p
}

const (
	leafTurns = 3      // how many turns of a node may end it: more end in no other phase
	usedTurns = 10_000 // and after how many its visits are used up at the latest; the path is then shorter than one of a run
)

// Leaf returns the paths through a node without regions. Turns that call tools visit it again, until its visits are used up.
func (q *query) Leaf(n *cfg.Node) (o outcomes, usedUp paths) {
	for from := range ruledOut {
		ph, all := from, []Step{}
		for turns := 1; ; turns++ {
			all = append(all, Step{Node: n})
			path := all[:turns:turns]
			var goal bool
			if ph, goal = q.arrive(ph, n, nil); goal {
				o.Cancelled.find(from, path)
			}
			if goal || len(path) > q.maxSteps {
				break
			}
			o.Cancelled.add(from, ph, path)
			if ph = q.leave(ph, n, explore.Exit{}); ph == ruledOut {
				break
			}
			if turns <= leafTurns {
				o.Success.add(from, ph, path)
				o.Cancelled.add(from, ph, path)
			}
			if !n.Spec.Loops {
				break
			}
			if turns == min(n.MaxVisits, usedTurns) {
				if n.MaxVisits <= q.maxSteps {
					usedUp.add(from, ph, path)
				}
				break
			}
		}
	}
	o.Failure = o.Success
	return o, usedUp
}

// Enter returns the paths to the children of a composite node.
func (q *query) Enter(n *cfg.Node) (o outcomes) {
	for from := range ruledOut {
		path := []Step{{Node: n}}
		if ph, goal := q.arrive(from, n, nil); goal {
			o.Cancelled.find(from, path)
		} else {
			o.Success.add(from, q.leave(ph, n, explore.Exit{}), path)
		}
	}
	o.Cancelled = q.Or(o.Cancelled, o.Success)
	return o
}

// Pass returns the paths through a node that is skipped.
func (q *query) Pass(n *cfg.Node) (o outcomes) {
	for from := range ruledOut {
		path := []Step{{Node: n, Outcome: cfg.Skipped}}
		if ph, goal := q.arrive(from, n, nil); goal {
			o.Cancelled.find(from, path)
		} else {
			o.Success.add(from, ph, path)
		}
	}
	return o
}

// Until returns the paths without steps.
func (q *query) Until(*cfg.Node) outcomes { return outcomes{Success: q.Nothing()} }

// Test returns the paths without steps.
func (q *query) Test(*cfg.Node, *cfg.Transition) outcomes { return outcomes{Success: q.Nothing()} }

// Withhold returns the same paths.
func (q *query) Withhold(_ *cfg.Node, a paths) paths { return a }

// Onward returns the same paths.
func (q *query) Onward(_ *cfg.Node, _ int, a paths) paths { return a }

// picked returns a bit for each region of a pool in which none runs again, and how many regions without a bit may run before the last. In a large pool, the
// regions that the query does not name have none: only how many of them have run is counted. So a path may name one of them twice, where another one runs,
// which may have more steps.
func (q *query) picked(n *cfg.Node, rule *cfg.Pool) (once []uint64, others int) {
	once = make([]uint64, rule.Size)
	if rule.Repeat {
		return once, rule.Most
	}
	bit := uint64(1)
	for k, r := range n.Regions {
		switch {
		case rule.Size <= maxBranches || slices.ContainsFunc(r.Nodes, q.names):
			once[k] = bit
			bit <<= 1
		case !rule.Last[k]:
			others++
		}
	}
	return once, others
}

// Pool returns the paths through regions that a model picks.
func (q *query) Pool(n *cfg.Node, rule *cfg.Pool, regions []outcomes) (o outcomes) {
	o.Cancelled = q.Nothing()
	if rule.Asks(0) {
		o.Failure = q.Nothing() // the model picked no valid node
	}
	if rule.RunsNothing() {
		o.Success = q.Nothing()
	}
	once, others := q.picked(n, rule)
	at := map[uint64]paths{0: q.Nothing()} // by the regions with a bit that have run
	for i := range min(rule.Most, 2*rule.Size+enough) {
		next := map[uint64]paths{}
		for _, ran := range slices.Sorted(maps.Keys(at)) {
			for k, r := range regions {
				if !rule.Runs(k, i) || ran&once[k] != 0 || once[k] == 0 && !rule.Last[k] && i-bits.OnesCount64(ran) >= others {
					continue
				}
				after := q.Then(at[ran], r.Success)
				o.Failure = q.Or(o.Failure, q.Then(at[ran], r.Failure))
				o.Cancelled = q.Or(o.Cancelled, q.Then(at[ran], r.Cancelled))
				if rule.Over(k, i+1) {
					o.Success = q.Or(o.Success, after)
				}
				if rule.Last[k] {
					continue
				}
				if rule.Asks(i + 1) {
					o.Failure = q.Or(o.Failure, after) // the pick after it failed
				}
				next[ran|once[k]] = q.Or(next[ran|once[k]], after)
			}
		}
		at = next
	}
	return o
}

// through iterates over the paths of some steps at most, by the phase after them.
func (p *paths) through(from phase, most int) iter.Seq2[phase, []Step] {
	return func(yield func(phase, []Step) bool) {
		if from == ruledOut {
			return
		}
		for to, path := range p.to[from] {
			if path != nil && len(path) <= most && !yield(phase(to), path) {
				return
			}
		}
	}
}
