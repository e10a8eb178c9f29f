package graphrt

import (
	"context"
	"errors"
	"iter"
	"slices"
)

// A composite node runs other nodes in a child run: a record of its own, of the same graph,
// which ends with the last of them. Generated code creates it (Inner, or Fork.Go), calls Begin
// with a transition, drives it like any run, and checks Ended. Join, or the Fork, adds its
// record to that of the parent, its host.

// inner is the part of a run that links it to its parent and its child runs.
type inner struct {
	host   *Run     // the run around this one; nil: there is none
	fork   *Fork    // this run is a branch of
	branch string   // which branch of which: names and numbers from the outside inwards
	base   int      // how many steps were made when it began
	behind int      // how many steps the child runs of the current node have made
	purse  *purse   // what the runs within one another share; nil while none is within another
	ran    []uint32 // by node: how often it ran before, in runs within the host
	won    bool     // of a branch: what it has done counts
	ended  bool     // a child run has ended for a reason that ends all of them
	held   int      // calls of tools that the purse holds for this turn
}

// errEnded is passed to Fail when a run is over and its end has been reported.
var errEnded = errors.New("the run is over")

// Inner makes b a child run of r on the same goroutine, for the nodes that the current node
// of r runs. ctx is the context of that node.
func (b *Run) Inner(ctx context.Context, r *Run, f Frame) {
	r.attentive()
	b.within(ctx, r, &f)
	b.own, b.branch = newContext(ctx, b), r.branch
}

// within makes b a child run of host.
func (b *Run) within(ctx context.Context, host *Run, f *Frame) {
	b.run, b.host, b.settings = b, host, host.settings
	b.frame(host.graph, f)
	b.parent, b.asks = ctx, ctx.Done() != nil
	b.purse, b.base = host.share(), host.base+host.made()
}

// Begin starts a child run with a transition to its first node. It also restarts a child run
// that has ended.
func (b *Run) Begin(way Way) {
	b.over, b.reason, b.err = false, Completed, nil
	b.prevFailed, b.pending, b.stuck, b.settled, b.detours, b.passedOver = false, 0, 0, len(b.failures), 0, End
	b.outcome, b.soft, b.feedback, b.started = succeeded, nil, nil, false
	b.renew()
	b.At = End
	b.Attend(way, b.graph.to(way))
}

// renew resets the visits of the nodes: the bound holds for each execution of a region.
func (b *Run) renew() {
	if b.n == 0 {
		return
	}
	if b.graph.to(b.last()) == End {
		b.n-- // the path goes on
	}
	b.ran = sum(b.ran, b.visits)
	clear(b.visits)
}

// sum returns counts with those of another list added to them.
func sum(counts, add []uint32) []uint32 {
	if len(add) > 0 {
		counts = grown(counts, len(add)-1)
	}
	for i, n := range add {
		counts[i] += n
	}
	return counts
}

// Ended returns the error with which the parent's node fails, nil if the child run succeeded.
// A spent budget, used up steps or a stop ends the parent run too.
func (b *Run) Ended() error {
	if !b.over {
		b.arrive(b.last())
	}
	host := b.host
	switch {
	case b.endsAll():
	case b.err == nil:
		return nil
	case b.isStopped() && (host.parent.Err() != nil || host.stopping()):
	default:
		return b.err
	}
	host.end(b.reason, b.err)
	host.ended = true
	return errEnded
}

// endsAll reports whether the child run ended for a reason that also ends its parents.
func (b *Run) endsAll() bool {
	_, ruled := ownError[*HookError](b.err)
	isDry := b.err == nil && b.reason == Stopped
	return b.reason == Budget || b.reason == MaxSteps || ruled || isDry || b.ended || endsRun(b.err)
}

// isStopped reports whether the run was cancelled or stopped, and not by its own nodes.
func (b *Run) isStopped() bool {
	switch b.err.(type) {
	case *CancelledError, *StopError:
		return true
	}
	return false
}

func (r *Run) stopping() bool { return r.stopped() != nil }

// stopped returns the run with the requested stop: this one, or a parent.
func (r *Run) stopped() *Run {
	for ; r != nil; r = r.outer.run {
		if r.stop != nil && r.stop.requested.Load() {
			return r
		}
		if r.outer == nil {
			return nil
		}
	}
	return nil
}

// stoppers yields the Stoppers of the run and of its parents.
func (r *Run) stoppers() iter.Seq[*Stopper] {
	return func(yield func(*Stopper) bool) {
		for {
			if r.stop != nil && !yield(r.stop) || r.outer == nil {
				return
			}
			r = r.outer.run
		}
	}
}

// stoppable reports whether the run or a parent has a Stopper.
func (r *Run) stoppable() bool {
	for ; r.stop == nil; r = r.outer.run {
		if r.outer == nil {
			return false
		}
	}
	return true
}

// Join adds the record of a child run to that of its parent: its path, its usage and its
// failures. The generated code joins the state.
func (r *Run) Join(b *Run) {
	if b.host == nil {
		return // a branch that was not started
	}
	b.tallyUp()
	r.splice(b)
	r.retries += b.retries
	r.cacheHits += b.cacheHits
	r.skips += b.skips
	r.rejected += b.rejected
	r.hookFailures += b.hookFailures
	r.refusals = append(r.refusals, b.refusals...)
	for i := range b.nested {
		r.keepNested(b.nested[i])
	}
	r.nestedDropped += b.nestedDropped
	for i := range b.timings {
		if r.timings == nil {
			r.timings = slices.Clone(b.timings)
			break
		}
		r.timings[i] += b.timings[i]
	}
	r.usage = r.usage.Add(b.usage)
	r.modelCalls += b.modelCalls
	r.tools.add(b.tools)
	for n := range b.usages {
		u := &b.usages[n]
		if u.modelCalls > 0 || u.tools != (ToolCount{}) {
			r.use(Node(n), u)
		}
	}
	r.inherit(b)
	if r.host == nil {
		r.purse = nil // its own counts are complete
	}
}

// splice adds the path of a child run and its counters, behind the step that it belongs to.
func (r *Run) splice(b *Run) {
	r.edges = sum(r.edges, b.edges)
	r.visits = sum(sum(r.visits, b.visits), b.ran)
	r.behind += b.made()
	if missing := b.oldest(); missing > 0 {
		r.n += missing
		r.gap = r.n // what is missing is missing at the start
	}
	for i := b.oldest(); i < b.n; i++ {
		if way := b.path[i&(len(b.path)-1)]; r.graph.to(way) != End {
			r.note(way)
		}
	}
}

// inherit copies the failures that the child run recovered from. The failure that ended the
// child is the cause of the parent's.
func (r *Run) inherit(b *Run) {
	failures := b.failures
	if last := len(failures) - 1; last >= 0 && b.endedWith(&failures[last]) {
		switch {
		case b.isStopped(): // to be cancelled is no failure
			failures = failures[:last]
		case r.ended: // the parent's node has no failure of its own that would report it
		case b.fork != nil && b.fork.forgiven:
			failures[last].Soft = true
		default:
			failures = failures[:last]
		}
	}
	if len(failures) == 0 {
		return
	}
	r.failures = append(r.failures, failures...)
	if r.pending == 0 { // else the success of the host clears the failure before it
		r.settled = len(r.failures)
	}
}

// endedWith reports whether the last failure is the one that ended the run: it is its error, or the
// run was cancelled.
func (b *Run) endedWith(last *Failure) bool {
	cancelled, ok := b.err.(*CancelledError)
	if !ok {
		return b.err == error(last.Err)
	}
	return cancelled.Failure == last.Err || last.Soft && (errors.Is(last.Err, cancelled.Err) || errors.Is(last.Err, b.parent.Err()))
}

// step returns the number of the current step in the whole run. Concurrent branches each count on
// from the step at which the fork began.
func (r *Run) step() int { return r.base + r.made() - r.behind }

// outermost returns the run without parent.
func (r *Run) outermost() *Run {
	for r.host != nil {
		r = r.host
	}
	return r
}

// iterating returns the iteration of the innermost enclosing loop.
func (r *Run) iterating() int {
	for ; r != nil; r = r.host {
		if r.graph.node(r.here()).Most > 0 {
			return r.iterations
		}
	}
	return 0
}
