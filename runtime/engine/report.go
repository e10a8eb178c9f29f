package engine

import (
	"slices"

	"github.com/graphgen/graphgen"
)

// Report describes the run so far.
func (r *Run) Report() *graphgen.Report {
	rep := new(graphgen.Report)
	r.report(rep, r.extra().tally.counts().HookFailures)
	return rep
}

// report fills a report of the run so far.
func (r *Run) report(rep *graphgen.Report, hookFailures int) {
	if r.isPaused() && r.Pauses().awaited().whole != nil {
		own := r.extra().tally.counts().HookFailures
		r = r.Pauses().waiting.whole(r.Pauses())
		hookFailures += r.extra().tally.counts().HookFailures - own // of the runs within it
	}
	x := r.extra()
	*rep = graphgen.Report{
		ID: r.outermost().name(), Graph: r.Graph().Name, Reason: r.reason, Steps: r.path.steps(),
		Failures: slices.Clone(x.Failures), HookFailures: hookFailures, Origin: r.drawn(),
	}
	x.tally.fill(rep)
	if o := x.changes; o != nil {
		rep.Mutations = Clip(o.log)
	}
	if a := x.agent; a != nil {
		rep.Usage, rep.ModelCalls, rep.Tools, rep.Prompts = a.usage, a.modelCalls, a.tools, slices.Clone(a.prompts)
	}
	rep.Transitions = r.path.transitionCounts()
	rep.Nodes = r.nodeCounts()
	rep.Path = r.path.numbered(rep.Nodes)
	rep.Dropped = rep.Steps - len(rep.Path)
	rep.Detail = r.details(rep)
}

// final returns a report of the run that has ended, with the failures of observers at its end. before are those before its
// end.
func (r *Run) final(rep *graphgen.Report, before int) *graphgen.Report {
	if failed := r.extra().tally.counts().HookFailures - before; failed > 0 {
		next := *rep // observers have the other one
		next.HookFailures += failed
		return &next
	}
	return rep
}

// nodeCounts returns the counts of all nodes but end.
func (r *Run) nodeCounts() []graphgen.NodeCount {
	g, x := r.Graph(), r.extra()
	counts := make([]graphgen.NodeCount, len(g.Nodes)+len(g.dynamicNodes)-1)
	for i := range counts {
		n, c := i+1, &counts[i]
		c.Node, c.Visits = g.NodeName(NodeID(n)), r.visit(NodeID(n))
		if x.watch != nil && n < len(x.watch.timings) {
			c.Time = x.watch.timings[n]
		}
		x.agent.addTo(c, NodeID(n))
	}
	return counts
}

// addTo adds what a node has used to its counts.
func (a *Agent) addTo(c *graphgen.NodeCount, n NodeID) {
	if a == nil {
		return
	}
	if int(n) < len(a.usages) {
		a.usages[n].addTo(c)
	}
	if a.since.node == n {
		a.since.addTo(c)
	}
}

func (u *nodeUsage) addTo(c *graphgen.NodeCount) {
	c.Usage, c.ModelCalls, c.Tools = c.Usage.Add(u.usage), c.ModelCalls+u.modelCalls, c.Tools.Add(u.tools)
}
