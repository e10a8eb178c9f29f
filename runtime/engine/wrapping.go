package engine

import (
	"context"

	"github.com/graphgen/graphgen"
)

// A wrapping is a step that hooks wrap.
type wrapping struct {
	run        *Run
	event      graphgen.Event // its NodeStart
	node       NodeID         // at whose code it begins
	hooks      []wrapper
	loop       func() (done bool)
	ctx        context.Context // of the handlers; nil: outside of the hooks
	waits      bool            // the loop has returned before it
	inside     bool            // the loop is to return when it ends
	transition TransitionID    // by which it ends
	to         NodeID          // where that leads
	aborts     bool            // the step ends the run, because its failure has no route
	refused    bool            // a governing hook did not have the node executed
	verdict    *graphgen.HookError
}

func wrapsSteps(h *graphgen.Hook) bool { return h.Around != nil }

// wrapStep prepares a step that hooks wrap. A node that is skipped is not executed, and not wrapped.
func (w *watch) wrapStep(n NodeID, start *graphgen.Event) {
	w.run.more.make().wrap = nil
	if w.run.more.get().PrevFailed && w.run.Graph().node(n).Skips {
		return
	}
	if hooks := w.run.settings.wrappers(wrapsSteps); len(hooks) > 0 {
		w.run.more.make().wrap = &wrapping{run: w.run, event: *start, hooks: hooks}
	}
}

// holdBack makes the generated loop return before a step that hooks wrap.
func (w *wrapping) holdBack() {
	w.waits, w.node, w.run.At = true, w.run.At, End
}

// endStep makes the generated loop return when the step that it executes in a wrapping ends.
func (w *wrapping) endStep(transition TransitionID, to NodeID) {
	w.transition, w.to, w.run.At = transition, to, End
}

// isHeldBack reports whether the loop has returned before a step that hooks wrap.
func (w *wrapping) isHeldBack() bool { return w != nil && w.waits }
