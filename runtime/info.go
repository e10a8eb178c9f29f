package graphrt

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/graphgen/graphgen/runtime/chat"
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
func Info(ctx context.Context) StepInfo {
	r, _ := ctx.Value(runKey{}).(*Run)
	if r == nil {
		return StepInfo{}
	}
	at := r.here()
	info := StepInfo{
		Graph: r.graph.Name, Node: r.graph.NodeName(at),
		Within: r.location(), Branch: r.branch, Step: r.step(), Visit: r.visit(at), Attempt: max(1, r.attempts), Iteration: r.iterating(),
	}
	if isolated, _ := ctx.Value(isolationKey{}).(bool); isolated {
		return info
	}
	info.Feedback = Clip(r.feedback)
	if r.prevFailed && len(r.failures) > 0 {
		info.Failure = r.failures[len(r.failures)-1].Err
	}
	return info
}

type runKey struct{}

// A runContext is the context handlers get: the caller's, and the run.
type runContext struct {
	context.Context
	run atomic.Pointer[Run] // nil once its branch is over, whose record serves another then
}

func newContext(ctx context.Context, r *Run) *runContext {
	c := &runContext{Context: ctx}
	c.run.Store(r)
	return c
}

func (c *runContext) Value(key any) any {
	switch key {
	case runKey{}:
		return c.run.Load()
	case chat.WaiterKey{}:
		if r := c.run.Load(); r != nil {
			return waiter{r}
		}
	}
	return c.Context.Value(key)
}

// A waiter waits on behalf of a handler, on any goroutine, as the run does between attempts.
type waiter struct{ run *Run }

func (w waiter) Wait(ctx context.Context, d time.Duration, err error) error {
	return w.run.wait(ctx, d, err)
}

type isolationKey struct{}

// Isolated returns the context for a node with the flag isolated_context.
func (r *Run) Isolated(ctx context.Context) context.Context {
	return context.WithValue(ctx, isolationKey{}, true)
}
