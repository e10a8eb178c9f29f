package engine_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/engine"
)

// streamed is a stream of a run of a counter.
func streamed(ctx context.Context, m *counter, opts ...graphgen.Option) graphgen.Events {
	return engine.Stream(ctx, func(ctx context.Context, o graphgen.Option) error {
		_, err := m.Run(ctx, append(opts, o)...)
		return err
	})
}

func TestBufferedHasAllEvents(t *testing.T) {
	broken := errors.New("broken")
	m := newCounter(50, func(_ context.Context, n *int) (bool, error) {
		if *n++; *n == 3 {
			return false, graphgen.Transient(broken)
		}
		return *n < 6, nil
	})
	texts := func(events graphgen.Events) (list []string) {
		for e, err := range events {
			list = append(list, fmt.Sprint(e.Kind, e.Node, e.Step, e.Err, err))
			_, ended := graphgen.Output[int](e)
			if last := e.Kind == graphgen.RunEnd; ended != last {
				t.Errorf("%s has an output: %v", e.Kind, ended)
			}
		}
		return list
	}
	want := texts(streamed(t.Context(), m))
	for _, size := range []int{-1, 0, 1, 3, 1000} {
		if got := texts(graphgen.Buffered(streamed(t.Context(), m), size)); !slices.Equal(got, want) {
			t.Errorf("a buffer of %d gives %q, want %q", size, got, want)
		}
	}
}

func TestBufferedState(t *testing.T) {
	for e := range graphgen.Buffered(streamed(t.Context(), newCounter(50, upTo(3))), 2) {
		if s := graphgen.State[int](e); (s == nil) != (e.Kind != graphgen.RunEnd) {
			t.Errorf("%s has the state %v, which the run may be changing", e.Kind, s)
		}
	}
}

// TestBufferedWaits holds that a run is ahead of its loop by as many events as the buffer has, one
// that waits for room, and no more.
func TestBufferedWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, size := range []int{0, 1, 5} {
			made := 0
			count := graphgen.WithObserver(func(graphgen.Event) { made++ })
			taken := 0
			for range graphgen.Buffered(streamed(t.Context(), newCounter(50, upTo(9)), count), size) {
				taken++
				synctest.Wait()
				if ahead := made - taken; ahead > size+1 {
					t.Errorf("with a buffer of %d the run is %d events ahead", size, ahead)
				} else if taken < 10 && ahead != size+1 {
					t.Errorf("with a buffer of %d the run is %d events ahead, and waits", size, ahead)
				}
			}
		}
	})
}

// TestBufferedEnds holds that no goroutine outlives the loop, however it ends: the bubble would wait
// for it.
func TestBufferedEnds(t *testing.T) {
	type end func(taken int) (more bool)
	for name, loop := range map[string]end{
		"at its end":     func(int) bool { return true },
		"at once":        func(int) bool { return false },
		"in the midst":   func(taken int) bool { return taken < 5 },
		"with a panic":   func(taken int) bool { return taken < 5 || panics() },
		"with its test":  func(taken int) bool { return taken < 5 || exits() },
		"where it waits": func(taken int) bool { synctest.Wait(); return taken < 5 },
	} {
		for _, size := range []int{0, 2, 1000} {
			t.Run(fmt.Sprint(name, ", buffer of ", size), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					running, steps := 0, 0
					m := newCounter(1000, func(ctx context.Context, n *int) (bool, error) {
						running++
						defer func() { running-- }()
						*n++
						steps++
						return *n < 100, ctx.Err()
					})
					done := make(chan any)
					go func() {
						ended := any("exited")
						defer func() {
							if v := recover(); v != nil {
								ended = v
							}
							done <- ended
						}()
						taken := 0
						for range graphgen.Buffered(streamed(t.Context(), m), size) {
							if taken++; !loop(taken) {
								break
							}
						}
						ended = running
					}()
					want := map[string]any{"with a panic": "the loop", "with its test": "exited"}[name]
					if want == nil {
						want = 0
					}
					if got := <-done; got != want {
						t.Errorf("the loop ended with %v, want %v", got, want)
					}
					if whole := name == "at its end"; whole != (steps == 100) && size < 1000 {
						t.Errorf("the run made %d steps", steps)
					}
				})
			})
		}
	}
}

func panics() bool { panic("the loop") }

func exits() bool {
	runtime.Goexit()
	return true
}

// TestBufferedTroubles holds that what ends the goroutine of a stream ends that of its loop.
func TestBufferedTroubles(t *testing.T) {
	for name, c := range map[string]struct {
		do   func()
		want any
	}{
		"a panic": {func() { panic("the stream") }, "the stream"},
		"an exit": {runtime.Goexit, "exited"},
	} {
		done := make(chan any)
		go func() {
			ended := any("exited")
			defer func() {
				if v := recover(); v != nil {
					ended = v
				}
				done <- ended
			}()
			for range graphgen.Buffered(func(yield func(graphgen.Event, error) bool) { yield(graphgen.Event{}, nil); c.do() }, 1) {
			}
			ended = "nothing"
		}()
		if got := <-done; got != c.want {
			t.Errorf("%s: the loop ended with %v, want %v", name, got, c.want)
		}
	}
}

// TestBufferedReachesCalls holds that a loop that breaks off ends a call that waits for its context and makes no event.
func TestBufferedReachesCalls(t *testing.T) {
	for _, size := range []int{0, 8} {
		synctest.Test(t, func(t *testing.T) {
			var cause error
			m := newCounter(50, func(ctx context.Context, _ *int) (bool, error) {
				<-ctx.Done()
				cause = context.Cause(ctx)
				return false, cause
			})
			for range graphgen.Buffered(streamed(t.Context(), m), size) {
				synctest.Wait()
				break
			}
			if size > 0 && cause != context.Canceled {
				t.Errorf("with a buffer of %d the call ended with %v", size, cause)
			}
		})
	}
}
