package engine

import (
	"context"
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/option"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/runtime/driver"
)

// A child run of another machine may be made elsewhere, by a driver: in a workflow of its own. What the runs around it would give it and count for
// it crosses as data. Where it is made, the runs around it have stand-ins, each with one node: the one that waits for the child run. So a child run,
// with its Settings and its Agent, is the same in both places. It may wait for people there: then its requests cross, the run around it has them, and
// their answers cross when it continues.

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
	c := &driver.Child{Stopping: r.settings.isStopping, Place: strings.TrimPrefix(n.name(), n.outermost().related.name())}
	before, asked := r.Pauses().continueApart(c)
	if !c.Continues {
		if c.Input, err = in.MarshalJSON(); err != nil {
			return true, err
		}
	}
	n.describe(c)
	e, err := d.Children.Child(ctx, c)
	if err != nil {
		return true, err
	}
	n.addCounted(e.Counted, c.Around)
	n.count(since(e.Report, before))
	if e.Waits != nil {
		r.Pausing().awaitApart(n, e, asked)
		return true, errPaused
	}
	if d := e.Report.Detail; d != nil && e.Err == nil {
		d.Output = out
	}
	n.addReport(n.run, n.run.here(), e.Report)
	if e.Err != nil {
		return true, n.ending(e, c.Around)
	}
	return true, out.UnmarshalJSON(e.Output)
}

// An apart is a child run that is made elsewhere, and waits.
type apart struct {
	nesting *nesting
	report  *graphgen.Report // until now
	answers []driver.Answered
}

// continueApart takes the child run for which the current node waits, if it is one that is made elsewhere: it is to continue. It returns the report
// of that run until now, and its requests that have no answer.
func (p *Pauses) continueApart(c *driver.Child) (before *graphgen.Report, asked []*request) {
	w := p.awaited()
	if w == nil || w.apart == nil {
		return nil, nil
	}
	c.Continues, c.Answers = true, w.apart.answers
	p.waiting = nil
	return w.apart.report, w.requests
}

// awaitApart notes that the run waits for a child run that is made elsewhere. Of its requests, those that have been asked before stay what they are: an
// answer to one may wait for its turn.
func (p *Pauses) awaitApart(n *nesting, e *driver.Ended, asked []*request) {
	w, of := p.wait(), &apart{nesting: n, report: e.Report}
	w.apart, w.whole = of, (*Pauses).whole
	for i := range e.Waits {
		of.ask(p, &e.Waits[i], asked, e.Check)
	}
}

// ask adds a request of the child run to the requests of the run around it.
func (of *apart) ask(p *Pauses, asks *graphgen.Request, asked []*request, check func(*graphgen.Request, []byte) error) {
	w := p.waiting
	for _, q := range asked {
		if q.ID == asks.ID {
			q.apart = of
			w.requests = append(w.requests, q)
			return
		}
	}
	q := &request{run: p.run, node: p.run.At, apart: of, Request: *asks}
	q.accept = func(data []byte) (func(), error) {
		return func() { q.apart.answers = append(q.apart.answers, driver.Answered{Request: q.ID, Answer: data}) }, check(asks, data)
	}
	w.requests = append(w.requests, q)
}

// addLate notes that the answer to a request came too late, if it did.
func (of *apart) addLate(q *request, late error) {
	if e, ok := late.(*graphgen.LateError); ok {
		of.answers = append(of.answers, driver.Answered{Request: q.ID, Late: e})
	}
}

// sign notes who has given the last answer.
func (of *apart) sign(by *option.Person) {
	if by != nil {
		last := &of.answers[len(of.answers)-1]
		last.By, last.Note = by.Name, by.Note
	}
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

// addCounted counts what the child run has counted since the call before, for the runs around it.
func (n *nesting) addCounted(after []driver.Counted, before []driver.Around) {
	last := len(before) - 1
	r := n.run
	if outer := r.settings.nesting; outer != nil && last > 0 {
		outer.addCounted(after[:last], before[:last])
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

// since returns what a child run has used after an earlier report of it. Without an earlier one it is all.
func since(rep, before *graphgen.Report) *graphgen.Report {
	if before == nil {
		return rep
	}
	u, was, t, had := rep.Usage, before.Usage, rep.Tools, before.Tools
	return &graphgen.Report{
		ModelCalls: rep.ModelCalls - before.ModelCalls,
		Tools:      graphgen.ToolCount{Made: t.Made - had.Made, Failed: t.Failed - had.Failed, Deduplicated: t.Deduplicated - had.Deduplicated},
		Usage: chat.Usage{
			Input: u.Input - was.Input, Output: u.Output - was.Output, Reasoning: u.Reasoning - was.Reasoning,
			CacheRead: u.CacheRead - was.CacheRead, CacheWrite: u.CacheWrite - was.CacheWrite, Cost: u.Cost - was.Cost,
		},
	}
}

// count counts what the child run has used, for the runs around it.
func (n *nesting) count(rep *graphgen.Report) {
	r := n.run
	if outer := r.settings.nesting; outer != nil {
		outer.count(rep)
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
