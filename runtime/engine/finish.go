package engine

import "github.com/graphgen/graphgen"

// Finish ends the run, and returns what its call does: the output, or its error with the zero value.
func Finish[Out any](r *Run, out Out) (Out, error) {
	if err := r.ending.complete(&out); err != nil {
		var none Out
		return none, err
	}
	return out, nil
}

// complete ends the run. The output is a pointer.
func (e *Ending) complete(output any) error {
	r := e.run
	if !e.over {
		e.byTransition(r.path.last())
	}
	if x := r.more.extra; x != nil {
		if x.deadline != nil {
			x.deadline.cancel()
		}
		x.output = output
	}
	reported, before := r.settings.Observed() || r.more.get().watch.hasScopes(), r.more.get().tally.counts().HookFailures
	rep, err := e.result(reported)
	if t := r.settings.thread; t != nil && r.enclosing() == nil {
		err = t.Ended(r, err)
	}
	if reported {
		r.watch().closeRun(rep, err)
	}
	switch dst := r.settings.Report; {
	case dst != nil && rep != nil:
		*dst = *r.more.get().tally.final(rep, before)
	case dst != nil:
		r.report(dst, r.more.get().tally.counts().HookFailures)
	}
	if r.settings.nesting != nil && e.reason != graphgen.Paused {
		n := r.settings.nesting
		n.addReport(n.run, n.run.here(), r.more.get().tally.final(rep, before))
	}
	if r.settings.FinalState != nil {
		if problem := r.settings.FinalState(r.stateView()); problem != nil && err == nil {
			err = problem
		}
	}
	if e.reason == graphgen.Paused {
		r.settings.endCall()
	}
	return err
}

// result wraps the run's error with the report and the state. It returns the report too, nil where nothing has it besides
// who requests it. If reported, observers or hooks have had the event of the end.
func (e *Ending) result(reported bool) (*graphgen.Report, error) {
	r := e.run
	if e.err == nil && r.settings.nesting != nil && r.settings.DryRun && e.reason == graphgen.Stopped {
		e.err = &errDryRun{of: r.settings.nesting.run}
	}
	cause := e.err
	if cause == nil && r.settings.nesting == nil && !(reported && r.more.keepsDetails()) { // the details have the time
		return nil, nil
	}
	rep := r.Report()
	switch {
	case cause == nil:
		return rep, nil
	case cause == errPaused:
		return rep, errPaused
	}
	var state any
	if e.reason == graphgen.Paused {
		state = r.more.pauses.pause.state
	} else {
		state = r.stateView()
	}
	return rep, &graphgen.RunError{Graph: r.Graph().Name, Reason: e.reason, Report: rep, Err: cause, State: state}
}
