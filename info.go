package graphgen

import (
	"context"
	"errors"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/origin"
)

// StepInfo is what a handler can learn about the step it runs in.
type StepInfo struct {
	Graph, Node string
	Step, Visit int // count from 1
	Attempt     int // counts from 1; more than 1 after a retry
	Iteration   int // of the innermost loop: counts from 1 in each of its visits; elsewhere 0

	// Branch is the path of the enclosing branches of parallel and map nodes, outermost first:
	// names, and indices of elements from 0, as in each/3. It is empty outside of them.
	Branch string

	// Within is the path of the parents' nodes that started this child run, joined by /. It is
	// empty in a run without parent.
	Within string

	// Failure is the failure that led the run to this node, nil if none did.
	Failure *NodeError
	// Feedback holds the messages of the guards that refused the previous attempt, or,
	// after an on: guard_fail edge, the previous node's output.
	Feedback []string
}

// Info returns the step that ctx belongs to. Outside a run it is the zero StepInfo. In
// a node with the flag isolated_context it omits the preceding steps.
//
// It is valid until the handler or the tool returns: all steps of a run share one context. A goroutine that may outlive its handler uses the
// context of Detach instead. With ctx it races with the run, and gets another step.
func Info(ctx context.Context) StepInfo {
	r, ok := ctx.Value(origin.RunKey{}).(interface {
		StepInfo(context.Context) StepInfo
	})
	if !ok {
		return StepInfo{}
	}
	return r.StepInfo(ctx)
}

// IdempotencyKey returns a key for external effects of a handler or a tool. It is the same when a
// step is executed again, and differs for every other step or call. It is empty outside of a run. As Info, it is
// valid until the handler or the tool returns.
func IdempotencyKey(ctx context.Context) string {
	r, ok := ctx.Value(origin.RunKey{}).(interface {
		IdempotencyKey(context.Context) string
	})
	if !ok {
		return ""
	}
	return r.IdempotencyKey(ctx)
}

// Detach returns a context for goroutines that may outlive the handler or the tool that calls it. Info and IdempotencyKey return for it
// what they return for ctx at the call, at any time and on any goroutine. It ends with ctx and has its values, but does not belong to the
// run: thread.Once returns an error for it.
func Detach(ctx context.Context) context.Context {
	if ctx.Value(origin.RunKey{}) == nil {
		return ctx
	}
	ctx = context.WithValue(ctx, origin.RunKey{}, detached{Info(ctx), IdempotencyKey(ctx)})
	return context.WithValue(ctx, chat.WaiterKey{}, nil)
}

// detached is what was known of a step.
type detached struct {
	info StepInfo
	key  string
}

func (d detached) StepInfo(context.Context) StepInfo { return d.info }

func (d detached) IdempotencyKey(context.Context) string { return d.key }

// Once is what package thread calls: no step of a run is there to save the result.
func (detached) Once(context.Context, string, func(context.Context) ([]byte, error)) ([]byte, error) {
	return nil, errDetached
}

var errDetached = errors.New("thread.Once: the context is of graphgen.Detach; call it with the context of the handler, before that returns")
