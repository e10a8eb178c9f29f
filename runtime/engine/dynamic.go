package engine

import (
	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/mutation"
)

// Follow follows the first dynamic edge of the current node that is open, and reports whether there is one. Dynamic
// edges are tried before the edges of the spec.
func (o *Changes) Follow() bool {
	if !o.exist() {
		return false
	}
	for _, transition := range o.edges[o.run.here()] {
		if !o.mayFollow(transition) {
			continue
		}
		w := o.own.transition(transition)
		if w.Max > 0 {
			if o.counts == nil {
				o.counts = map[TransitionID]uint32{}
			}
			o.counts[transition]++
		}
		o.run.SlowStep(transition, w.To)
		return true
	}
	return false
}

// DynamicNode returns the description of the current node, a dynamic node of kind prompt.
func (o *Changes) DynamicNode() *mutation.Node { return &o.nodes[o.run.here()].Node }

// Reenter makes a dynamic node of kind prompt run again, with the results of the tools that its
// model has called.
func (o *Changes) Reenter() {
	n := o.run.here()
	o.run.SlowStep(o.transitionOf(TransitionInfo{From: n, To: n, Rule: graphgen.RuleToolLoop, Text: "tool calls"}), n)
}
