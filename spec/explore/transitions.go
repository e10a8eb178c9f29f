package explore

import (
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
)

// transitionsOf adds the transitions that leave a node, in the order of the routing rules.
func (b *builder) transitionsOf(from *cfg.Node) {
	n := b.nodes[from.Spec]
	n.terminal, n.exhaustible, n.noMatch = from.Terminal(), from.Exhaustible(), from.NoMatch
	n.assured = from.Spec.Kind.By == spec.ByPerson && !from.Refusable()
	tried := map[*cfg.Transition]bool{}
	for _, list := range from.On {
		for _, t := range list {
			tried[t] = true
		}
	}
	for _, t := range from.Leaving {
		if tried[t] {
			b.addTransition(n, t)
		}
	}
}

// addTransition adds a transition to the list of its rule.
func (b *builder) addTransition(n *Node, t *cfg.Transition) {
	w := b.transition(t)
	switch t.Rule {
	case cfg.ByToolLoop, cfg.ByToolCall:
		n.Called = append(n.Called, w)
	case cfg.ByGuardFail:
		n.Refused = append(n.Refused, w)
	case cfg.ByError:
		if t.Edge == nil {
			n.ErrorTo = w
		} else {
			n.Failed = append(n.Failed, w)
		}
	case cfg.ByHuman:
		if t.Key == "on_deny" {
			n.Denied = w
		} else {
			n.Late = w
		}
	default:
		n.Tests = append(n.Tests, b.test(t, w, len(n.Tests)))
	}
}

// kinds maps conditions to what their tests depend on. All others are choices.
var kinds = map[cfg.CondKind]Kind{
	cfg.Always: Always, cfg.Unread: Always, cfg.If: Condition, cfg.Equals: Output, cfg.AtLeast: Output,
	cfg.Uncalled: Uncalled, cfg.Event: Uncalled, cfg.Judged: Judged,
}

// test returns the test of a transition. The last test of a required choice gets the size of the
// choice.
func (b *builder) test(t *cfg.Transition, w *Transition, before int) Test {
	test := Test{Transition: w, Kind: Choice}
	if kind, ok := kinds[t.Cond.Kind]; ok {
		test.Kind = kind
	}
	if c := t.Choice; c != nil && c.Required && lastOf(c) == t {
		test.Loose = c.Loose
		for _, member := range c.Members {
			if b.transitions[member] != nil {
				test.ChoiceSize++
			}
		}
	}
	return test
}

// lastOf returns the last transition of a choice that a run tries.
func lastOf(c *cfg.Choice) *cfg.Transition {
	var last *cfg.Transition
	for _, t := range c.Members {
		if t.Known && t.First == nil {
			last = t
		}
	}
	return last
}
