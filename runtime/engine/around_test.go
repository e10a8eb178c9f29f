package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/engine"
)

type scopeKey struct{}

// scoped returns a hook that notes in log when a step begins and ends, and passes on a context with its name.
func scoped(name string, log *[]string) graphgen.Option {
	note := func(text string, e graphgen.Event) { *log = append(*log, fmt.Sprintf("%s %s %d", name, text, e.Step)) }
	return graphgen.WithHook(graphgen.Hook{
		Name:   name,
		Before: func(_ context.Context, e graphgen.Event) error { note("before", e); return nil },
		After:  func(_ context.Context, e graphgen.Event) error { note("after", e); return nil },
		Around: func(ctx context.Context, e graphgen.Event, next func(context.Context) error) error {
			outer, _ := ctx.Value(scopeKey{}).(string)
			if info := graphgen.Info(ctx); info.Node != "count" || info.Step != e.Step || e.Kind != graphgen.NodeStart {
				return fmt.Errorf("%s: info is %+v", name, info)
			}
			note("opens in "+outer, e)
			err := next(context.WithValue(ctx, scopeKey{}, outer+"/"+name))
			note("closes", e)
			return err
		},
	})
}

func TestAround(t *testing.T) {
	var log []string
	var rep graphgen.Report
	m := newCounter(50, func(ctx context.Context, n *int) (bool, error) {
		*n++
		log = append(log, fmt.Sprint("work in ", ctx.Value(scopeKey{}), " at ", graphgen.Info(ctx).Step))
		return *n < 2, nil
	})
	observe := graphgen.WithObserver(func(e graphgen.Event) { log = append(log, e.Kind.String()) })
	if n, err := m.Run(t.Context(), observe, scoped("a", &log), scoped("b", &log), graphgen.WithReport(&rep)); n != 2 || err != nil || rep.HookFailures != 0 {
		t.Fatalf("the run gave %d and %v, %d hooks failed", n, err, rep.HookFailures)
	}
	step := func(n int) []string {
		return strings.Split(fmt.Sprintf("node_start, a before %[1]d, b before %[1]d, a opens in  %[1]d, b opens in /a %[1]d, work in /a/b at %[1]d,"+
			" b closes %[1]d, a closes %[1]d, node_end, a after %[1]d, b after %[1]d, route", n), ", ")
	}
	if want := slices.Concat([]string{"run_start", "route"}, step(1), step(2), []string{"run_end"}); !slices.Equal(log, want) {
		t.Errorf("got  %q\nwant %q", log, want)
	}
}

// TestAroundFailures holds that hooks wrap all attempts of a step, and are given its failure, which they do
// not change.
func TestAroundFailures(t *testing.T) {
	broken := errors.New("broken")
	returns := map[string]func(error) error{
		"what it was given": func(err error) error { return err },
		"nothing":           func(error) error { return nil },
		"another error":     func(error) error { return errors.New("another") },
	}
	for name, result := range returns {
		for _, governing := range []bool{false, true} {
			for _, fails := range []int{1, 2, 9} { // the second failure of the counter has no route
				var seen []string
				var rep graphgen.Report
				calls := 0
				m := newCounter(50, func(_ context.Context, n *int) (bool, error) {
					if calls++; calls <= 3*fails {
						return false, broken
					}
					*n++
					return false, nil
				})
				m.policy = engine.Policy{Attempts: 3, RetryAny: true}
				hook := graphgen.Hook{Name: "h", Governing: governing,
					Around: func(ctx context.Context, _ graphgen.Event, next func(context.Context) error) error {
						err := next(ctx)
						node, _ := err.(*graphgen.NodeError)
						seen = append(seen, fmt.Sprint(err == nil || node != nil && node.Attempt == 3 && errors.Is(err, broken), calls))
						if err == nil {
							return nil
						}
						return result(err)
					}}
				_, err := m.Run(t.Context(), graphgen.WithHook(hook), graphgen.WithReport(&rep))
				want, failed := []string{"true 3", "true 4"}, false
				if fails > 1 {
					want, failed = []string{"true 3", "true 6"}, true
				}
				if _, is := errors.AsType[*graphgen.NodeError](err); is != failed || !slices.Equal(seen, want) || rep.HookFailures != 0 {
					t.Errorf("a hook that returns %s, %d failures: it saw %q, want %q; the run gave %v, %d hooks failed", name,
						fails, seen, want, err, rep.HookFailures)
				}
			}
		}
	}
}

// TestAroundMisuse holds what a hook does that does not call next once: the step is executed as without it,
// once, and the failure is counted; that of a governing hook ends the run.
func TestAroundMisuse(t *testing.T) {
	wrong := errors.New("wrong")
	spent := &graphgen.LimitError{Limit: graphgen.LimitBudget, Of: "patience"}
	type around = func(ctx context.Context, e graphgen.Event, next func(context.Context) error) error
	var late func(context.Context) error
	for _, c := range []struct {
		name    string
		around  around
		runs    bool // a governing hook had the node executed
		verdict string
		budget  bool
	}{
		{"no call", func(context.Context, graphgen.Event, func(context.Context) error) error { return nil }, false, "did not call next", false},
		{"an error and no call", func(context.Context, graphgen.Event, func(context.Context) error) error { return wrong }, false, "wrong", false},
		{"a spent budget", func(context.Context, graphgen.Event, func(context.Context) error) error { return spent }, false, "patience", true},
		{"a panic before", func(context.Context, graphgen.Event, func(context.Context) error) error { panic("early") }, false, "panic: early", false},
		{"a panic after", func(ctx context.Context, _ graphgen.Event, next func(context.Context) error) error {
			_ = next(ctx)
			panic("late")
		}, true, "panic: late", false},
		{"an error after", func(ctx context.Context, _ graphgen.Event, next func(context.Context) error) error {
			if err := next(ctx); err != nil {
				return err
			}
			return wrong
		}, true, "wrong", false},
		{"a second call", func(ctx context.Context, _ graphgen.Event, next func(context.Context) error) error {
			if err := next(ctx); err != nil {
				return err
			}
			_ = next(ctx)
			return nil
		}, true, "called next again", false},
		{"a call in the midst of a call", func(ctx context.Context, _ graphgen.Event, next func(context.Context) error) error {
			return next(context.WithValue(ctx, scopeKey{}, next))
		}, true, "called next again", false},
	} {
		for _, governing := range []bool{false, true} {
			runs := 0
			m := newCounter(50, func(ctx context.Context, n *int) (bool, error) {
				if next, ok := ctx.Value(scopeKey{}).(func(context.Context) error); ok {
					_ = next(ctx)
				}
				runs++
				*n++
				return false, nil
			})
			var rep graphgen.Report
			_, err := m.Run(t.Context(), graphgen.WithHook(graphgen.Hook{Name: "h", Governing: governing, Around: c.around}), graphgen.WithReport(&rep))
			if !governing {
				if err != nil || runs != 1 || rep.HookFailures != 1 {
					t.Errorf("%s: the node ran %d times, %d hooks failed: %v", c.name, runs, rep.HookFailures, err)
				}
				continue
			}
			verdict, _ := errors.AsType[*graphgen.HookError](err)
			if verdict == nil || !strings.Contains(verdict.Error(), c.verdict) || verdict.Where.Node != "count" ||
				verdict.Where.Step != 1 || (runs == 1) != c.runs || rep.Steps != runs || (rep.Reason == graphgen.Budget) != c.budget {
				t.Errorf("%s: the node ran %d times, the run ended as %s: %v", c.name, runs, rep.Reason, err)
			}
		}
	}
	m := newCounter(50, upTo(1))
	keep := graphgen.Hook{Around: func(ctx context.Context, _ graphgen.Event, next func(context.Context) error) error {
		late = next
		return next(ctx)
	}}
	if n, err := m.Run(t.Context(), graphgen.WithHook(keep)); n != 1 || err != nil || late(t.Context()) == nil {
		t.Errorf("next was called after the run: %d, %v", n, err)
	}
}

// TestAroundOnAnotherGoroutine holds that a step waits for a hook that has next called elsewhere, and that
// no step begins before next has returned.
func TestAroundOnAnotherGoroutine(t *testing.T) {
	elsewhere := func(wait bool) graphgen.Option {
		return graphgen.WithHook(graphgen.Hook{Around: func(ctx context.Context, _ graphgen.Event, next func(context.Context) error) error {
			done, began := make(chan error, 1), make(chan bool, 1)
			go func() { done <- next(context.WithValue(ctx, scopeKey{}, began)) }()
			if wait {
				return <-done
			}
			<-began
			return nil
		}})
	}
	for _, wait := range []bool{true, false} {
		steps := 0
		m := newCounter(50, func(ctx context.Context, n *int) (bool, error) {
			ctx.Value(scopeKey{}).(chan bool) <- true
			steps++
			*n++
			return *n < 5, nil
		})
		if n, err := m.Run(t.Context(), elsewhere(wait)); n != 5 || steps != 5 || err != nil {
			t.Errorf("the run gave %d and %v", n, err)
		}
	}
}

func TestAroundSkippedNode(t *testing.T) {
	var wrapped []int
	m := newCounter(50, func(_ context.Context, n *int) (bool, error) {
		if *n++; *n == 1 {
			return false, errors.New("broken")
		}
		return *n < 4, nil
	})
	m.graph.Nodes[1].Skips = true
	hook := graphgen.Hook{Around: func(ctx context.Context, e graphgen.Event, next func(context.Context) error) error {
		wrapped = append(wrapped, e.Step)
		return next(ctx)
	}}
	if n, err := m.Run(t.Context(), graphgen.WithHook(hook)); n != 4 || err != nil || !slices.Equal(wrapped, []int{1, 3, 4}) {
		t.Errorf("the steps %v were wrapped: %d, %v", wrapped, n, err)
	}
}

// TestAroundEnds holds that the scope of a step closes however the run ends.
func TestAroundEnds(t *testing.T) {
	stopper := new(graphgen.Stopper)
	for name, c := range map[string]struct {
		handle func(cancel func()) (bool, error)
		steps  int
	}{
		"a panic":       {func(func()) (bool, error) { panic("nil map") }, 50},
		"a stop":        {func(func()) (bool, error) { stopper.Stop(); return true, nil }, 50},
		"a cancel":      {func(cancel func()) (bool, error) { cancel(); return true, nil }, 50},
		"no steps left": {func(func()) (bool, error) { return true, nil }, 1},
	} {
		stopper = new(graphgen.Stopper)
		ctx, cancel := context.WithCancel(t.Context())
		m := newCounter(c.steps, func(context.Context, *int) (bool, error) { return c.handle(cancel) })
		open, opened := 0, 0
		hook := graphgen.Hook{Around: func(ctx context.Context, _ graphgen.Event, next func(context.Context) error) error {
			open, opened = open+1, opened+1
			defer func() { open-- }()
			return next(ctx)
		}}
		_, err := m.Run(ctx, graphgen.WithHook(hook), graphgen.WithStopper(stopper))
		if want := map[bool]int{true: 2, false: 1}[name == "a panic"]; err == nil || open != 0 || opened != want {
			t.Errorf("%s: %d scopes were opened, %d are open: %v", name, opened, open, err)
		}
		cancel()
	}
}

// TestBegin holds that hooks open the scope of a run before its steps, around these, and close it after them.
func TestBegin(t *testing.T) {
	var log []string
	opens := func(name string, gives func(context.Context) context.Context) graphgen.Option {
		return graphgen.WithHook(graphgen.Hook{Name: name, Begin: func(ctx context.Context, e graphgen.Event) (context.Context, func(graphgen.Event)) {
			outer, _ := ctx.Value(scopeKey{}).(string)
			log = append(log, e.Kind.String()+" "+name+" in "+outer+" of "+e.Run.ID)
			return gives(context.WithValue(ctx, scopeKey{}, outer+"/"+name)), func(e graphgen.Event) {
				log = append(log, e.Kind.String()+" "+name+" "+e.Report().Reason.String())
			}
		}})
	}
	same := func(ctx context.Context) context.Context { return ctx }
	m := newCounter(50, func(ctx context.Context, n *int) (bool, error) {
		*n++
		log = append(log, fmt.Sprint("work in ", ctx.Value(scopeKey{})))
		return false, nil
	})
	run := func(opts ...graphgen.RunOption) string {
		log = nil
		var rep graphgen.Report
		_, err := m.Run(t.Context(), append(opts, graphgen.WithRunID("r"), graphgen.WithReport(&rep))...)
		return fmt.Sprint(strings.Join(log, ", "), "; ", rep.HookFailures, " ", err)
	}
	both := "run_start a in  of r, run_start b in /a of r, work in /a/b, run_end b completed, run_end a completed; 0 <nil>"
	if got := run(opens("a", same), opens("b", same)); got != both {
		t.Errorf("got  %s\nwant %s", got, both)
	}
	cancelled := func(ctx context.Context) context.Context {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return ctx
	}
	if got := run(opens("a", cancelled)); !strings.Contains(got, "run_end a stopped; 0 ") || strings.Contains(got, "work") {
		t.Errorf("a scope that has ended: %s", got)
	}
	none := func(context.Context) context.Context { return nil }
	if got := run(opens("a", none)); !strings.HasPrefix(got, "run_start a in  of r, work in <nil>, run_end a completed; 0") {
		t.Errorf("a hook that gives no context: %s", got)
	}
	panics := func(context.Context) context.Context { panic("no scope") }
	if got := run(opens("a", panics), opens("b", same)); !strings.HasSuffix(got, "work in /b, run_end b completed; 1 <nil>") {
		t.Errorf("a hook that panics: %s", got)
	}
	ends := graphgen.Hook{Begin: func(ctx context.Context, _ graphgen.Event) (context.Context, func(graphgen.Event)) {
		return ctx, func(graphgen.Event) { panic("no end") }
	}}
	if got := run(opens("a", same), graphgen.WithHook(ends)); !strings.HasSuffix(got, "run_end a completed; 1 <nil>") {
		t.Errorf("an end that panics: %s", got)
	}
}
