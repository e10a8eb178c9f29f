package golden_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
)

// A trial is one run of a fork, with some trouble.
type trial struct {
	*workload
	fork
	pace   time.Duration // a node's work takes this long, or until it is cancelled
	cancel context.CancelFunc
}

// takesTime is work that takes as long as it is to, and ends when it is cancelled.
func (tr *trial) takesTime(ctx context.Context, node string) error {
	timer := time.NewTimer(tr.pace)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// isFirst reports whether a node is the first one of a branch; its name ends in 1 in the graph of each join.
func isFirst(node string) bool { return strings.HasSuffix(node, "1") }

// inTheMidst calls do at the first event of the node in the second branch.
func inTheMidst(do func()) graphgen.Option {
	done := false
	return graphgen.WithObserver(func(e graphgen.Event) {
		if e.Kind == graphgen.NodeStart && strings.HasSuffix(e.Node, "2") && !done {
			done = true
			do()
		}
	})
}

// troubles are what may happen to a run in the midst of its branches.
var troubles = []struct {
	name string
	make func(tr *trial, ctx context.Context)
}{
	{"all goes well", func(tr *trial, ctx context.Context) { _ = tr.run(ctx) }},
	{"all goes well, and somebody listens", func(tr *trial, ctx context.Context) {
		_ = tr.run(ctx, graphgen.WithObserver(func(graphgen.Event) {}))
	}},
	{"a node fails", func(tr *trial, ctx context.Context) {
		tr.work = func(ctx context.Context, node string) error {
			if isFirst(node) {
				return errors.New("no")
			}
			return tr.takesTime(ctx, node)
		}
		_ = tr.run(ctx)
	}},
	{"every node fails, each time it is tried", func(tr *trial, ctx context.Context) {
		tr.work = func(context.Context, string) error { return graphgen.Transient(errors.New("no")) }
		_ = tr.run(ctx)
	}},
	{"a node panics", func(tr *trial, ctx context.Context) {
		tr.work = func(ctx context.Context, node string) error {
			if isFirst(node) {
				panic("no")
			}
			return tr.takesTime(ctx, node)
		}
		_ = tr.run(ctx)
	}},
	{"a node ends its goroutine", func(tr *trial, ctx context.Context) {
		tr.work = func(ctx context.Context, node string) error {
			if isFirst(node) {
				runtime.Goexit()
			}
			return tr.takesTime(ctx, node)
		}
		if err := tr.run(ctx); err != nil && !strings.Contains(err.Error(), "its goroutine was ended") {
			panic(err)
		}
	}},
	{"the last branch ends its goroutine, which may be the caller's", func(tr *trial, ctx context.Context) {
		tr.work = func(ctx context.Context, node string) error {
			if !isFirst(node) {
				runtime.Goexit()
			}
			return tr.takesTime(ctx, node)
		}
		aside(func() { _ = tr.run(ctx) })
	}},
	{"nodes take no notice of being cancelled", func(tr *trial, ctx context.Context) {
		tr.work = func(ctx context.Context, node string) error {
			if isFirst(node) {
				tr.cancel()
			}
			return tr.takesTime(context.WithoutCancel(ctx), node)
		}
		_ = tr.run(ctx)
	}},
	{"the time is up", func(tr *trial, ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, tr.pace/2)
		defer cancel()
		_ = tr.run(ctx)
	}},
	{"an observer cancels the run", func(tr *trial, ctx context.Context) {
		_ = tr.run(ctx, inTheMidst(tr.cancel))
	}},
	{"an observer panics", func(tr *trial, ctx context.Context) {
		_ = tr.run(ctx, inTheMidst(func() { panic("no") }))
	}},
	{"an observer ends the caller's goroutine", func(tr *trial, ctx context.Context) {
		aside(func() { _ = tr.run(ctx, inTheMidst(runtime.Goexit)) })
	}},
	{"a stop is requested", func(tr *trial, ctx context.Context) {
		var s graphgen.Stopper
		_ = tr.run(ctx, graphgen.WithStopper(&s), inTheMidst(s.Stop))
	}},
	{"a hook ends the run before a node", func(tr *trial, ctx context.Context) {
		_ = tr.run(ctx, graphgen.WithHook(graphgen.Hook{Governing: true, Before: func(_ context.Context, e graphgen.Event) error {
			if strings.HasSuffix(e.Node, "2") {
				return errors.New("not this one")
			}
			return nil
		}}))
	}},
	{"a hook ends the run after a node", func(tr *trial, ctx context.Context) {
		_ = tr.run(ctx, graphgen.WithHook(graphgen.Hook{Governing: true, After: func(_ context.Context, e graphgen.Event) error {
			if strings.HasSuffix(e.Node, "2") {
				return &graphgen.LimitError{Limit: graphgen.LimitBudget, Of: "patience"}
			}
			return nil
		}}))
	}},
	{"a hook panics", func(tr *trial, ctx context.Context) {
		_ = tr.run(ctx, graphgen.WithHook(graphgen.Hook{Governing: true, Before: func(_ context.Context, e graphgen.Event) error {
			if strings.HasSuffix(e.Node, "2") {
				panic("no")
			}
			return nil
		}}))
	}},
	{"a stream is broken off", func(tr *trial, ctx context.Context) {
		for e := range tr.stream(ctx) {
			if strings.HasSuffix(e.Node, "2") {
				break
			}
		}
	}},
	{"the body of a stream's loop panics", func(tr *trial, ctx context.Context) {
		defer func() {
			if v := recover(); v != "no more" {
				panic(fmt.Sprint("another panic: ", v))
			}
		}()
		for e := range tr.stream(ctx) {
			if strings.HasSuffix(e.Node, "2") {
				panic("no more")
			}
		}
	}},
	{"the body of a stream's loop ends the goroutine", func(tr *trial, ctx context.Context) {
		aside(func() {
			for e := range tr.stream(ctx) {
				if strings.HasSuffix(e.Node, "2") {
					runtime.Goexit()
				}
			}
		})
	}},
}

// aside does something on a goroutine of its own, and waits until that has ended.
func aside(do func()) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		do()
	}()
	<-ended
}

func newTrial(t *testing.T, name string, pace time.Duration) (*trial, context.Context) {
	tr := &trial{workload: &workload{}, pace: pace}
	tr.work = tr.takesTime
	var err error
	if tr.fork, err = forks[name](tr.workload); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	tr.cancel = cancel
	return tr, ctx
}

func TestNoGoroutineOutlivesTheRun(t *testing.T) {
	for name := range forks {
		for _, trouble := range troubles {
			t.Run(name+", "+trouble.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { // ends when all of its goroutines have, and else fails
					tr, ctx := newTrial(t, name, 4*time.Second)
					defer tr.cancel()
					trouble.make(tr, ctx)
					if n := tr.working.Load(); n != 0 {
						t.Errorf("%d nodes still work", n)
					}
					synctest.Wait()
					if left := branchesLeft(); left != "" {
						t.Errorf("a goroutine is left:\n%s", left)
					}
				})
			})
		}
	}
}

func TestNoGoroutineOfARunIsLeft(t *testing.T) {
	for name := range forks {
		for _, trouble := range troubles {
			if name == "forkRetry" || name == "branchNode" {
				continue // they wait for seconds between attempts
			}
			tr, ctx := newTrial(t, name, time.Millisecond)
			trouble.make(tr, ctx)
			if n := tr.working.Load(); n != 0 {
				t.Errorf("%s, %s: %d nodes still work", name, trouble.name, n)
			}
			if left := branchesLeft(); left != "" {
				t.Errorf("%s, %s: a goroutine is left:\n%s", name, trouble.name, left)
			}
			tr.cancel()
		}
	}
}

// TestBranchesAreFound holds that branchesLeft would find a branch: its name in stacks is the one that is looked for.
func TestBranchesAreFound(t *testing.T) {
	for name := range forks {
		tr, ctx := newTrial(t, name, time.Millisecond)
		var found atomic.Bool
		tr.work = func(context.Context, string) error {
			found.Store(found.Load() || branchStack() != "")
			return nil
		}
		if err := tr.run(ctx); err != nil || !found.Load() {
			t.Errorf("%s: no branch is found; %v", name, err)
		}
		tr.cancel()
	}
}

// branchesLeft returns the stack of a goroutine that a fork has started. One that has said that it
// is done is given the time to end.
func branchesLeft() (left string) {
	for range 1000 {
		if left = branchStack(); left == "" {
			return ""
		}
		runtime.Gosched()
	}
	return left
}

// branchStack returns the stack of a goroutine that executes a branch, or was started for one.
func branchStack() (found string) {
	buf := make([]byte, 1<<20)
	for stack := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		if strings.Contains(stack, "runtime/engine.(*Fork).") {
			found = stack
		}
	}
	return found
}
