package cfg

import "slices"

// try sets the transitions that are tried after each outcome of a node, and what happens otherwise.
func (b *builder) try(n *Node) {
	if n.Spec.Chained() {
		b.tryHosted(n)
		return
	}
	list := tries(n)
	n.UsedUp = usedUp(n, list)
	n.On[CalledTools] = until((*Transition).Certain, known(slices.Concat(n.By(ByToolLoop), n.By(ByToolCall))))
	run := until((*Transition).CertainAfterRun, list)
	n.On[Succeeded] = untilDecided(run)
	n.Else[Succeeded] = n.otherwise(Succeeded)
	if n.Soft {
		n.On[SoftFailed] = run // an empty output makes no choice
		n.Else[SoftFailed] = n.otherwise(SoftFailed)
	}
	if n.Skip {
		n.On[Skipped] = until((*Transition).Certain, slices.DeleteFunc(slices.Clone(list), (*Transition).Conditional))
		n.Else[Skipped] = n.otherwise(Skipped)
	}
	n.Tests = anyOutcome(n, list)
	n.On[Refused] = until((*Transition).Certain, known(n.By(ByGuardFail)))
	n.Else[Refused] = unless(n.On[Refused], Fails)
	n.On[Denied], n.On[Late] = known(n.keyed("on_deny")), known(n.keyed("on_timeout"))
	n.Else[Denied], n.Else[Late] = unless(n.On[Denied], Fails), unless(n.On[Late], Fails)
	if edges := known(n.By(ByBudget)); len(edges) > 0 && n.Spec.Draws() && !n.Critical {
		n.On[Spent] = until((*Transition).Certain, edges)
	}
	n.Else[Spent] = unless(n.On[Spent], Aborts)
	b.tryFailure(n)
}

// anyOutcome returns the transitions of a list that are tried after some outcome.
func anyOutcome(n *Node, list []*Transition) []*Transition {
	tried := map[*Transition]bool{}
	for _, on := range n.On {
		for _, t := range on {
			tried[t] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(t *Transition) bool { return !tried[t] })
}

// tries returns the transitions of rules 2 to 6 that a run tries.
func tries(n *Node) []*Transition {
	return slices.DeleteFunc(known(n.Leaving), func(t *Transition) bool {
		// An entry of rule 5 that is not an output field is the target of a value of rule 2.
		value := t.Cond.Kind == Holds && t.Cond.Field == nil
		return t.Rule < ByRoute || t.Rule > ByNext || value || t.First != nil
	})
}

// tryFailure sets the transitions after a failure and after used-up visits.
func (b *builder) tryFailure(n *Node) {
	last := n.keyed("transition error")
	edges := n.By(ByError)
	edges = edges[:len(edges)-len(last)]
	if on := b.graph.OnError; len(last) == 0 && on != nil && on.To != n && !n.IsChild() {
		last = []*Transition{on}
	}
	if n.Soft {
		edges = nil // it fails only by a panic in a condition, which is not its own failure
	}
	if !n.Critical {
		n.On[Failed] = until((*Transition).Certain, known(slices.Concat(edges, last)))
	}
	n.On[OutOfVisits] = known(last)
	n.Else[Failed], n.Else[OutOfVisits] = unless(n.On[Failed], Aborts), unless(n.On[OutOfVisits], Aborts)
}

// tryHosted is try for a node of a region whose nodes run one after the other, which only leads to the next node, or of a router there to one of
// the nodes after it.
func (b *builder) tryHosted(n *Node) {
	n.On[CalledTools] = n.By(ByToolLoop)
	n.Else[Refused], n.Else[Denied], n.Else[Late] = Fails, Fails, Fails
	n.Else[Spent], n.Else[Failed], n.Else[OutOfVisits] = Aborts, Aborts, Aborts
	var chain []*Transition
	if n.Chain != nil {
		chain = []*Transition{n.Chain}
	}
	if n.Spec.Kind.Chooses && len(n.Choices) > 0 {
		n.On[Succeeded] = known(n.By(ByGoto))
		if n.Soft {
			n.On[SoftFailed] = append(known(n.By(ByGoto)), chain...)
			n.Else[SoftFailed] = unless(chain, Completes)
		}
		return
	}
	for _, o := range [...]Outcome{Succeeded, SoftFailed, Skipped} {
		n.On[o] = chain
		n.Else[o] = unless(chain, Completes)
	}
}

// keyed returns the transition of a key as a list of at most one.
func (n *Node) keyed(key string) []*Transition {
	if t := n.Keyed(key); t != nil {
		return []*Transition{t}
	}
	return nil
}

// known returns the transitions with known targets in a new list.
func known(list []*Transition) []*Transition {
	return slices.DeleteFunc(slices.Clone(list), func(t *Transition) bool { return !t.Known })
}

// until drops the transitions after the first that is always taken.
func until(taken func(*Transition) bool, list []*Transition) []*Transition {
	if i := slices.IndexFunc(list, taken); i >= 0 {
		return list[: i+1 : i+1]
	}
	return list
}

// untilDecided drops the transitions after the first choice that always names one.
func untilDecided(list []*Transition) []*Transition {
	var choice *Choice
	for i, t := range list {
		switch {
		case choice != nil && t.Choice != choice:
			return list[:i:i]
		case t.Choice != nil && t.Choice.Decides():
			choice = t.Choice
		}
	}
	return list
}

// unless returns otherwise, or Never if the last transition is always taken.
func unless(list []*Transition, otherwise Else) Else {
	if last := len(list) - 1; last >= 0 && list[last].Certain() {
		return Never
	}
	return otherwise
}

// usedUp returns the edges of a node whose used-up bounds end the run: every edge is bounded, and
// no other transition leaves the node. A node with no_match: error fails instead.
func usedUp(n *Node, list []*Transition) []*Transition {
	strict := n.Spec.Spec.NoMatch.V == "error"
	other := func(t *Transition) bool {
		return t.Rule >= ByToolCall && t.Rule <= ByNext && (t.Rule != ByEdge || !t.Bounded)
	}
	if strict || len(n.By(ByEdge)) == 0 || slices.ContainsFunc(n.Leaving, other) {
		return nil
	}
	return list
}

// otherwise implements rule 7: it returns what happens after an outcome if no transition is taken.
func (n *Node) otherwise(o Outcome) Else {
	switch {
	case n.Terminal():
		return Completes
	case n.settled(o):
		return Never
	case n.Exhaustible() && !slices.ContainsFunc(n.UsedUp, (*Transition).Conditional):
		return Exhausts
	case n.NoMatch == "end":
		return Ends
	case n.NoMatch == "":
		return Unstated
	}
	return Errors
}

// settled reports whether one of the transitions of an outcome is always taken.
func (n *Node) settled(o Outcome) bool {
	list := n.On[o]
	if last := len(list) - 1; last >= 0 && list[last].CertainAfterRun() {
		return true
	}
	// A failure has no output and makes no choice.
	return o == Succeeded && slices.ContainsFunc(list, func(t *Transition) bool { return t.Choice != nil && t.Choice.Decides() })
}

// Refusable reports whether a person may deny or answer late without a transition for it. The node
// then fails.
func (n *Node) Refusable() bool {
	return n.Spec.Decides() && n.Keyed("on_deny") == nil || n.Spec.Spec.Timeout.IsSet() && n.Keyed("on_timeout") == nil
}
