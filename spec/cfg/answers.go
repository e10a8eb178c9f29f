package cfg

import (
	"math"
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/scc"
)

// NoLimit is the most visits of a node, or the most steps of a run, that only the answers of people bound. An author may write the same number:
// AnswersBound tells which it is.
const NoLimit = math.MaxInt32

// Waits reports whether a run takes a transition of a node only once a person has answered there: to the node itself, or to one that it runs.
func (g *Graph) Waits(n *Node, t *Transition) bool {
	if n.unasked == nil {
		n.unasked = map[*Transition]bool{}
		for o, list := range n.On {
			if Outcome(o) == OutOfVisits || g.answered(n, Outcome(o)) == sure { // the caller knows whether visits are used up
				continue
			}
			for _, t := range list {
				n.unasked[t] = true
			}
		}
	}
	return !n.unasked[t]
}

// answered returns what is known of the executions of a node with an outcome.
func (g *Graph) answered(n *Node, o Outcome) answered {
	if g.asking == nil {
		g.asking = NewFold(&asking{map[*resolve.Graph]bool{g.Spec: false}}, true)
	}
	var known Outcomes[answered]
	if n.Composite() {
		known = g.asking.Regions(n)
	} else {
		known, _ = g.asking.Leaf(n)
	}
	switch o {
	case Succeeded, Refused, Denied:
		return max(known.Success, gated(n))
	case Failed, SoftFailed: // a condition may have panicked after a success
		if gated(n) == sure && !n.Spec.Approval().Timeout.IsSet() {
			return sure
		}
		return g.asking.Or(known.Success, known.Failure)
	}
	return unsure
}

// answered is what is known of executions.
type answered uint8

const (
	none   answered = iota // there are none
	unsure                 // in some nobody may have answered
	sure                   // in each a person has
)

// gated is what the approval of a node makes known of its executions. What a cache has is not approved again.
func gated(n *Node) answered {
	if n.Spec.Gated() && !n.Spec.Has(spec.Cacheable) {
		return sure
	}
	return unsure
}

// An asking is the algebra that finds in which executions a person answers.
type asking struct {
	graphs map[*resolve.Graph]bool // whether a person answers in each run that succeeds; false also while that is found out
}

func (*asking) Nothing() answered { return unsure }

func (*asking) Then(a, b answered) answered {
	if a == none || b == none {
		return none
	}
	return max(a, b)
}

func (*asking) Or(a, b answered) answered {
	if a == none || b == none {
		return max(a, b)
	}
	return min(a, b)
}

func (*asking) Undo(a answered) answered        { return a }
func (*asking) Cut(Outcomes[answered]) answered { return unsure }

func (*asking) Again(a answered, least, _ int) answered {
	if least == 0 {
		return unsure
	}
	return a
}

func (w *asking) Leaf(n *Node) (o Outcomes[answered], usedUp answered) {
	gate := gated(n)
	o = Outcomes[answered]{gate, unsure, unsure, gate}
	late := n.Spec.Approval().Timeout.IsSet()
	switch n.Spec.Kind.By {
	case spec.ByPerson:
		o.Success, late = sure, n.Spec.Spec.Timeout.IsSet()
	case spec.ByGraph:
		if n.Spec.Sub != nil && w.answers(n.Spec.Sub) {
			o.Success = sure
		}
	}
	if (gate == sure || n.Spec.Kind.By == spec.ByPerson) && !late {
		o.Failure = sure
	}
	return o, unsure
}

// Enter has the late answer apart from the others: gated is known of these alone.
func (*asking) Enter(n *Node) Outcomes[answered] {
	o := Outcomes[answered]{Success: gated(n), Cancelled: unsure}
	if n.Spec.Gated() && n.Spec.Approval().Timeout.IsSet() {
		o.Failure = unsure
	}
	return o
}
func (*asking) Pass(*Node) Outcomes[answered] {
	return Outcomes[answered]{Success: unsure, Cancelled: unsure}
}
func (*asking) Until(*Node) Outcomes[answered] { return Outcomes[answered]{Success: unsure} }

func (*asking) Test(*Node, *Transition) Outcomes[answered] {
	return Outcomes[answered]{Success: unsure}
}

func (*asking) Onward(_ *Node, _ int, a answered) answered { return a }

// Withhold returns the same: what is known of failures counts late answers.
func (*asking) Withhold(_ *Node, a answered) answered { return a }

func (w *asking) Fork(_ *Node, rule *Fork, branches []Outcomes[answered]) Outcomes[answered] {
	o := Outcomes[answered]{Cancelled: unsure}
	without := 0 // branches that may succeed although nobody has answered
	for i, b := range branches {
		if b.Success == unsure {
			without++
		}
		if i == 0 {
			o = Outcomes[answered]{b.Success, b.Failure, unsure, unsure}
			continue
		}
		o.Failure = w.Or(o.Failure, b.Failure)
		if rule.Join.Some {
			o.Success = max(o.Success, b.Success)
		} else {
			o.Success = w.Then(o.Success, b.Success)
		}
	}
	success, failure := rule.Quorums(len(branches))
	if rule.Join.Some && o.Success == sure && without >= success.Branches || rule.Each && rule.Join.Some {
		o.Success = unsure
	}
	if failure.Branches == 0 || rule.Each {
		o.Failure = unsure
	}
	return o
}

func (*asking) Pool(*Node, *Pool, []Outcomes[answered]) Outcomes[answered] {
	return Outcomes[answered]{unsure, unsure, unsure, unsure}
}

// answers reports whether a person answers in each run of a graph that succeeds: no way leads from its entry to an end without an answer.
func (w *asking) answers(of *resolve.Graph) bool {
	if known, ok := w.graphs[of]; ok {
		return known
	}
	w.graphs[of] = false
	g := build(of)
	if g.Entry == nil || g.Entry.To == nil || of.Mutations != nil || of.Spec.Limits.OnMaxSteps.IsSet() {
		return false
	}
	g.asking = NewFold(w, true)
	seen, todo := map[*Node]bool{g.Entry.To: true}, []*Node{g.Entry.To}
	for len(todo) > 0 {
		n := todo[0]
		todo = todo[1:]
		for o, list := range n.On {
			if g.answered(n, Outcome(o)) == sure {
				continue
			}
			switch n.Else[o] {
			case Completes, Exhausts, Ends, Unstated:
				if n.occurs(Outcome(o)) {
					return false
				}
			}
			if Outcome(o) == Succeeded && n.Exhaustible() {
				return false
			}
			for _, t := range list {
				if t.To == nil {
					return false
				}
				if !seen[t.To] {
					seen[t.To] = true
					todo = append(todo, t.To)
				}
			}
		}
	}
	w.graphs[of] = true
	return true
}

// boundByAnswers finds the nodes that a run visits as often as people answer, and whether that alone bounds the steps of a run. Such a node lies on
// a cycle without a bound that the spec states, and in each such cycle through it a person answers. A run that may change
// its graph has the defaults.
func (g *Graph) boundByAnswers() {
	limits := &g.Spec.Spec.Limits
	if limits.MaxVisits.IsSet() || limits.Unread || g.Spec.Spec.Mutations != nil || !asksPeople(g.Spec, map[*resolve.Graph]bool{}) {
		return
	}
	alone := make([]bool, len(g.Nodes)) // it lies on a cycle in which nobody answers
	limited := slices.Clone(alone)      // so its visits may be used up
	for round := 0; ; round++ {
		if round == mostRounds {
			limited = slices.Repeat([]bool{true}, len(g.Nodes))
		}
		free, found := scc.Cycles(g.unbounded(limited, false)), false
		for _, members := range free {
			for _, i := range members {
				found = found || !limited[i]
				alone[i], limited[i] = true, true
			}
		}
		if found {
			continue // the visits of more nodes may be used up
		}
		for _, members := range scc.Cycles(g.unbounded(limited, true)) {
			for _, i := range members {
				n := g.Nodes[i]
				if alone[i] {
					continue
				}
				g.answersBound = len(free) == 0
				if !n.Spec.Spec.MaxVisits.IsSet() {
					n.MaxVisits, n.AnswersBound = NoLimit, true
				}
			}
		}
		return
	}
}

// mostRounds is how many rounds look for nodes whose visits are used up because visits of others are. After that, any may be.
const mostRounds = 20

// unbounded lists where each node leads, by index, without transitions that what the spec states bounds, and unless answered is set without those
// that are taken after answers. Nodes with a bound, and nodes of limited, lead on when their visits are used up.
func (g *Graph) unbounded(limited []bool, answered bool) [][]int {
	next := make([][]int, len(g.Nodes))
	for i, n := range g.Nodes {
		bounded := n.Spec.Spec.MaxVisits.IsSet()
		for o, list := range n.On {
			usedUp := Outcome(o) == OutOfVisits
			if n.IsChild() || n.Spec.Template || bounded && !usedUp || usedUp && !bounded && !limited[i] {
				continue
			}
			for _, t := range list {
				if t.To != nil && !t.Bounded && (answered || usedUp || !g.Waits(n, t)) {
					next[i] = append(next[i], t.To.Index)
				}
			}
		}
	}
	return next
}

// AnswersBound reports whether the answers of people are all that bounds the steps of a run: the spec states no limit, and people bound every cycle
// that it does not bound.
func (g *Graph) AnswersBound() bool {
	limits := &g.Spec.Spec.Limits
	return g.answersBound && !limits.MaxSteps.IsSet() && !limits.OnMaxSteps.IsSet()
}

// asksPeople reports whether a graph, or one that it runs, asks people.
func asksPeople(g *resolve.Graph, seen map[*resolve.Graph]bool) bool {
	if seen[g] {
		return false
	}
	seen[g] = true
	return slices.ContainsFunc(g.All(), func(n *resolve.Node) bool {
		return n.Gated() || n.Kind.By == spec.ByPerson || n.Sub != nil && asksPeople(n.Sub, seen)
	})
}
