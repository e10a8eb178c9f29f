package engine

import (
	"slices"

	"github.com/graphgen/graphgen"
)

// Report describes the run so far.
func (r *Run) Report() *graphgen.Report {
	rep := new(graphgen.Report)
	r.report(rep, r.more.get().tally.counts().HookFailures)
	return rep
}

// report fills a report of the run so far.
func (r *Run) report(rep *graphgen.Report, hookFailures int) {
	if r.ending.Paused() && r.Pauses().awaited().whole != nil {
		own := r.more.get().tally.counts().HookFailures
		r = r.Pauses().waiting.whole(r.Pauses())
		hookFailures += r.more.get().tally.counts().HookFailures - own // of the runs within it
	}
	x := r.more.get()
	*rep = graphgen.Report{
		ID: r.related.name(), Graph: r.Graph().Name, Reason: r.ending.reason, Steps: r.path.steps(),
		Failures: slices.Clone(x.Failures), HookFailures: hookFailures, Origin: x.changes.drawn(r.Graph()),
	}
	x.tally.fill(rep)
	if o := x.changes; o != nil {
		rep.Mutations = Clip(o.log)
	}
	if a := x.agent; a != nil {
		rep.Usage, rep.ModelCalls, rep.Tools, rep.Prompts = a.usage, a.modelCalls, a.tools, slices.Clone(a.prompts)
	}
	rep.Transitions = r.path.transitionCounts()
	rep.Ending = r.ending.name()
	rep.Nodes = r.path.nodeCounts()
	x.watch.addTo(rep.Nodes)
	x.agent.addTo(rep.Nodes)
	rep.Path = r.path.numbered(rep.Nodes)
	rep.Dropped = rep.Steps - len(rep.Path)
	rep.Detail = x.details.of(r, rep)
}

// addTo adds what the nodes have used to their counts.
func (a *Agent) addTo(counts []graphgen.NodeCount) {
	if a == nil {
		return
	}
	for n := range a.usages {
		if n > 0 {
			a.usages[n].addTo(&counts[n-1])
		}
	}
	if n := a.since.node; n != End {
		a.since.addTo(&counts[n-1])
	}
}

// addTo adds the times of the nodes to their counts.
func (w *watch) addTo(counts []graphgen.NodeCount) {
	if w == nil {
		return
	}
	for n, took := range w.timings {
		if n > 0 {
			counts[n-1].Time = took
		}
	}
}

func (u *nodeUsage) addTo(c *graphgen.NodeCount) {
	c.Usage, c.ModelCalls, c.Tools = c.Usage.Add(u.usage), c.ModelCalls+u.modelCalls, c.Tools.Add(u.tools)
}
