package engine

import (
	"context"
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/runtime/driver"
)

// A child run of another machine may be made elsewhere, by a driver: in a workflow of its own. What the runs around it would give it and count for
// it crosses as data. Where it is made, the runs around it have stand-ins, each with one node: the one that waits for the child run. So a child run,
// with its Settings and its Agent, is the same in both places.

// The input and the output of a child run, which cross in JSON.
type (
	toJSON   interface{ MarshalJSON() ([]byte, error) }
	fromJSON interface{ UnmarshalJSON([]byte) error }
)

// Apart makes the child run of the current node elsewhere, if the driver does that, and reports whether it has. It decodes the output of a child run
// that succeeds into out. most is how deep runs of the same machine may be nested; 0: the child run is of another machine.
func (r *Run) Apart(ctx context.Context, most int, in toJSON, out fromJSON) (made bool, err error) {
	d := r.settings.driver
	if d == nil || d.Children == nil {
		return false, nil
	}
	n := newNesting(r)
	if most > 0 {
		if err := n.deepen(most); err != nil {
			return true, err
		}
	}
	input, err := in.MarshalJSON()
	if err != nil {
		return true, err
	}
	c := &driver.Child{Input: input, Stopping: r.settings.isStopping, Place: strings.TrimPrefix(n.name(), n.outermost().related.name())}
	n.describe(c)
	e, err := d.Children.Child(ctx, c)
	if err != nil {
		return true, err
	}
	n.count(e.Report, e.Counted, c.Around)
	if d := e.Report.Detail; d != nil && e.Err == nil {
		d.Output = out
	}
	n.addReport(e.Report)
	if e.Err != nil {
		return true, n.ending(e, c.Around)
	}
	return true, out.UnmarshalJSON(e.Output)
}

// outermost returns the run that no other is around.
func (n *nesting) outermost() *Run {
	for n.run.settings.nesting != nil {
		n = n.run.settings.nesting
	}
	return n.run
}

// describe adds the runs around a child run, the outermost first.
func (n *nesting) describe(c *driver.Child) {
	r := n.run
	a := driver.Around{
		Graph: r.Graph().Name, Node: n.node, Branch: n.branch, Step: n.step, Visit: n.visit, Attempt: n.attempt, Depth: n.depth,
		Budgets: r.settings.Budgets, DryRun: r.settings.DryRun, Timings: r.settings.Timings, Details: r.settings.Report != nil,
	}
	if outer := r.settings.nesting; outer != nil {
		outer.describe(c)
	} else {
		a.Run = r.related.name()
	}
	used := r.more.get().agent.used()
	a.Usage, a.ModelCalls, a.ToolCalls = used.usage, used.modelCalls+n.asks, used.tools.Made+n.calls
	if l := r.related.ledger; l != nil { // it has the calls that child runs have reserved, too
		a.Usage, a.ModelCalls, a.ToolCalls = l.usage, l.modelCalls, l.toolCalls
	}
	a.Counted = n.counted()
	c.Around = append(c.Around, a)
}

// counted returns what the parent counts besides what it uses.
func (n *nesting) counted() (c driver.Counted) {
	r := n.run
	c.HookFailures = r.more.get().tally.counts().HookFailures
	if w := r.related.root.more.get().watch; w != nil {
		c.Events, c.Calls = w.events, int(w.calls.Load())
	}
	return c
}

// count counts what the child run has used and counted, for the runs around it.
func (n *nesting) count(rep *graphgen.Report, after []driver.Counted, before []driver.Around) {
	last := len(before) - 1
	r := n.run
	if outer := r.settings.nesting; outer != nil && last > 0 {
		outer.count(rep, after[:last], before[:last])
	}
	a := r.Agent()
	a.enterNode()
	a.modelCalls, a.since.modelCalls = a.modelCalls+rep.ModelCalls, a.since.modelCalls+rep.ModelCalls
	a.tools, a.since.tools = a.tools.Add(rep.Tools), a.since.tools.Add(rep.Tools)
	addUsage(&a.usage, &rep.Usage)
	addUsage(&a.since.usage, &rep.Usage)
	if l := r.related.ledger; l != nil {
		l.addReport(rep)
	}
	if d := r.more.get().details; d != nil {
		s := d.ofStep(&r.path)
		s.ModelCalls += rep.ModelCalls
		addUsage(&s.Usage, &rep.Usage)
		s.ToolCalls, s.ToolFailures, s.Deduplicated = s.ToolCalls+rep.Tools.Made, s.ToolFailures+rep.Tools.Failed, s.Deduplicated+rep.Tools.Deduplicated
	}
	was, is := before[last].Counted, after[last]
	if failed := is.HookFailures - was.HookFailures; failed > 0 {
		r.tally().HookFailures += failed
	}
	if w := r.related.root.more.get().watch; w != nil {
		w.events += is.Events - was.Events
		w.calls.Add(int32(is.Calls - was.Calls))
	}
}

// addReport adds what a child run has used elsewhere.
func (p *ledger) addReport(rep *graphgen.Report) {
	p.mu.Lock()
	defer p.mu.Unlock()
	addUsage(&p.usage, &rep.Usage)
	p.modelCalls, p.toolCalls = p.modelCalls+rep.ModelCalls, p.toolCalls+rep.Tools.Made
}

// ending returns the error of a child run. The run that ends with it too becomes the origin of the error in it that has one.
func (n *nesting) ending(e *driver.Ended, around []driver.Around) error {
	failure, ok := e.Err.(*graphgen.RunError)
	if !ok || e.Ends < 0 || e.Ends >= len(around) {
		return e.Err
	}
	of := n.run
	for range len(around) - 1 - e.Ends {
		of = of.settings.nesting.run
	}
	if !originates(failure.Err, origin.To(of)) {
		failure.Err = &errDryRun{of}
	}
	return failure
}

// originates sets the origin of each error of a tree that has one, and reports whether there is such an error.
func originates(err error, of origin.Ref) (found bool) {
	var at *origin.Ref
	switch err := err.(type) {
	case *graphgen.LimitError:
		at = &err.Origin
	case *graphgen.HookError:
		at = &err.Origin
	case *graphgen.StopError:
		at = &err.Origin
	}
	if at != nil && *at != (origin.Ref{}) {
		*at, found = of, true
	}
	switch err := err.(type) {
	case interface{ Unwrap() error }:
		return originates(err.Unwrap(), of) || found
	case interface{ Unwrap() []error }:
		for _, inner := range err.Unwrap() {
			found = originates(inner, of) || found
		}
	}
	return found
}

// A Stand has the stand-ins of the runs around a child run, the outermost first.
type Stand struct{ nestings []*nesting }

// StandIn returns the stand-ins of runs. ctx is the context of the child run. The options are the options of the outermost run in this place: the
// driver, models, tools, observers, hooks.
func StandIn(ctx context.Context, around []driver.Around, options []graphgen.RunOption) *Stand {
	s := new(Stand)
	for i := range around {
		a := &around[i]
		if i > 0 {
			options = []graphgen.RunOption{s.Option()}
		}
		s.nestings = append(s.nestings, standIn(ctx, a, options))
	}
	return s
}

// standIn returns a run that is at a node, as the run around a child run.
func standIn(ctx context.Context, a *driver.Around, options []graphgen.RunOption) *nesting {
	r, g := new(Run), &Graph{Name: a.Graph, Nodes: []NodeInfo{{}, {Name: a.Node}}, Transitions: make([]TransitionInfo, 1)}
	settings := *settle(g, nil, options)
	settings.Budgets, settings.Timings = a.Budgets, settings.Timings || a.Timings
	if r.settings = &settings; a.Run != "" {
		settings.RunID = a.Run
	}
	if a.DryRun && !settings.DryRun {
		settings.DryRun, settings.given = true, append(Clip(settings.given), &gift{dryRun: true})
	}
	if a.Details {
		settings.Report = new(graphgen.Report)
	}
	if outer := settings.nesting; outer != nil {
		r.related.branch = outer.branch
	}
	r.frame(g, NewFrame(make([]uint32, 3), nil))
	r.first.run, r.At, r.path.tail = r, 1, 1
	r.context = &r.first
	r.context.Context = ctx
	agent := r.Agent()
	agent.usage, agent.modelCalls, agent.tools.Made = a.Usage, a.ModelCalls, a.ToolCalls
	r.tally().HookFailures = a.Counted.HookFailures
	w := r.watch()
	w.events = a.Counted.Events
	w.calls.Store(int32(a.Counted.Calls))
	n := &nesting{
		run: r, node: a.Node, branch: a.Branch, step: a.Step, visit: a.Visit, attempt: a.Attempt,
		given: len(settings.given), depth: a.Depth, watched: settings.isWatched(), observed: settings.Observed(), path: a.Node,
	}
	if outer := settings.nesting; outer != nil {
		n.path = outer.path + "/" + a.Node
	}
	return n
}

// Option returns the option of the child run.
func (s *Stand) Option() graphgen.RunOption {
	n := s.nestings[len(s.nestings)-1]
	if n.depth > 0 {
		return n.again()
	}
	return n.option()
}

// Ended returns how the child run has ended, with its error.
func (s *Stand) Ended(err error) *driver.Ended {
	e := &driver.Ended{Err: err, Ends: -1}
	last := s.nestings[len(s.nestings)-1].run
	if of := endedBy(last.ending.part(err)); of != nil {
		for i, n := range s.nestings {
			if n.run == of {
				e.Ends = i
			}
		}
	}
	for _, n := range s.nestings {
		e.Counted = append(e.Counted, n.counted())
	}
	if made := last.tally().nested; len(made) > 0 {
		e.Report = made[len(made)-1].Report
	}
	return e
}
