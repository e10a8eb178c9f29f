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
)

// streamed is a stream of a run of a counter.
func streamed(ctx context.Context, m *counter, opts ...graphgen.RunOption) *graphgen.Stream[int] {
	return graphgen.NewStream(ctx, func(ctx context.Context, events graphgen.Option) (int, error) {
		return m.Run(ctx, append(opts, events)...)
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
	texts := func(s *graphgen.Stream[int]) (list []string) {
		for e := range s.Events() {
			list = append(list, fmt.Sprint(e.Kind, e.Node, e.Step, e.Err))
			out, err := s.Output()
			if last := e.Kind == graphgen.RunEnd; last != (err == nil && out == 6) {
				t.Errorf("at %s the output is %d: %v", e.Kind, out, err)
			}
		}
		return list
	}
	want := texts(streamed(t.Context(), m))
	for _, size := range []int{-1, 0, 1, 3, 1000} {
		if got := texts(streamed(t.Context(), m).Buffered(size)); !slices.Equal(got, want) {
			t.Errorf("a buffer of %d gives %q, want %q", size, got, want)
		}
	}
}

func TestBufferedState(t *testing.T) {
	for e := range streamed(t.Context(), newCounter(50, upTo(3))).Buffered(2).Events() {
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
			for range streamed(t.Context(), newCounter(50, upTo(9)), count).Buffered(size).Events() {
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
						for range streamed(t.Context(), m).Buffered(size).Events() {
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
			s := graphgen.NewStream(t.Context(), func(context.Context, graphgen.Option) (int, error) { c.do(); return 0, nil })
			for range s.Buffered(1).Events() {
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
			for range streamed(t.Context(), m).Buffered(size).Events() {
				synctest.Wait()
				break
			}
			if size > 0 && cause != context.Canceled {
				t.Errorf("with a buffer of %d the call ended with %v", size, cause)
			}
		})
	}
}
