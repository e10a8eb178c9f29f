package engine

import (
	"context"
	"slices"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/option"
	"github.com/graphgen/graphgen/runtime/driver"
)

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
	match(r, a)
	n := &nesting{
		run: r, node: a.Node, branch: a.Branch, step: a.Step, visit: a.Visit, attempt: a.Attempt,
		given: len(settings.given), depth: a.Depth, watched: settings.isWatched(), observed: settings.Observed(), path: a.Node,
	}
	if outer := settings.nesting; outer != nil {
		n.path = outer.path + "/" + a.Node
	}
	return n
}

// match makes a stand-in what the run for which it stands is at this moment.
func match(r *Run, a *driver.Around) {
	agent := r.Agent()
	agent.usage, agent.modelCalls, agent.tools.Made = a.Usage, a.ModelCalls, a.ToolCalls
	r.tally().HookFailures = a.Counted.HookFailures
	w := r.watch()
	w.events = a.Counted.Events
	w.calls.Store(int32(a.Counted.Calls))
}

// Option returns the option of the child run.
func (s *Stand) Option() graphgen.RunOption {
	n := s.nestings[len(s.nestings)-1]
	if n.depth > 0 {
		return n.again()
	}
	return n.option()
}

// inner returns the stand-in of the run that is around the child run.
func (s *Stand) inner() *Run { return s.nestings[len(s.nestings)-1].run }

// Continue returns the option with which the child run, which waits, continues in a context: with answers to its requests or because the context has
// ended. It returns nil if there is no reason to continue. around is what the runs around it are now; nil: as they were.
func (s *Stand) Continue(ctx context.Context, around []driver.Around, answers []driver.Answered) graphgen.RunOption {
	for i, n := range s.nestings {
		n.run.context.Context = ctx
		if around != nil {
			match(n.run, &around[i])
		}
	}
	p := s.inner().Pausing()
	open := p.requests()
	for i := range answers {
		a := &answers[i]
		at := slices.IndexFunc(open, func(q *request) bool { return q.ID == a.Request })
		if at < 0 {
			continue // it has been answered before
		}
		p.run.settings.Person = &option.Person{Name: a.By, Note: a.Note}
		open[at].give(p.run, a)
	}
	p.run.settings.Person = nil
	if ctx.Err() == nil && !p.waiting.roused {
		return nil
	}
	return p.Unnest()
}

// give gives the request the answer that has crossed, if it is valid. around is the run around the child run.
func (q *request) give(around *Run, a *driver.Answered) {
	q.pause = &pause{run: around}
	if a.Late != nil {
		q.answer(nil, a.Late)
	} else if commit, invalid := q.decodes(a.Answer); invalid == nil {
		q.answer(commit, nil)
	} else {
		return
	}
	q.record()
}

// Ended returns how the child run has ended, with its error, or what it waits for.
func (s *Stand) Ended(err error) *driver.Ended {
	e := &driver.Ended{Err: err, Ends: -1}
	last := s.inner()
	of := endedBy(last.ending.part(err))
	for i, n := range s.nestings {
		e.Counted = append(e.Counted, n.counted())
		if n.run == of {
			e.Ends = i
		}
	}
	if p := last.Pauses(); p.awaited() != nil {
		e.Err, e.Report = nil, p.waiting.child.Report()
		for _, q := range p.requests() {
			e.Waits = append(e.Waits, q.Request)
		}
	} else if made := last.tally().nested; len(made) > 0 {
		e.Report = made[len(made)-1].Report
	}
	return e
}
