package replay_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/record"
	"github.com/graphgen/graphgen/golden/replay"
)

// diverging is work whose replay diverges wherever there is a way past a failure.
type diverging struct {
	start replay.ReplayStartGoto

	mu      sync.Mutex // branches work at once
	reached []string   // what is to be reached by nothing that diverges
	tried   int
	err     error // of what diverges, in its place
}

var divergence = &record.DivergenceError{Kind: "tool", Name: "search", How: "it is not in the recording"}

func (d *diverging) work(node string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch node {
	case "left", "judged": // these go on beside, or up to, what diverges
		return nil
	case "other":
		return errors.New("an ordinary failure")
	case "last", "rescue":
		d.reached = append(d.reached, node)
		return nil
	}
	if d.tried++; d.err != nil {
		return d.err
	}
	return divergence
}

func (d *diverging) Start(context.Context, replay.ReplayState) (replay.ReplayStartGoto, error) {
	return d.start, nil
}

// part is the work of the graph that another runs.
type part struct{ *diverging }

func (p part) Work(context.Context) (out replay.PartWorkOut, err error) { return out, p.work("work") }

func (p part) Rescue(context.Context) (out replay.PartRescueOut, err error) {
	return out, p.work("rescue")
}

// TestADivergenceEndsTheRun holds that no way past a failure is taken by the divergence of a replay.
func TestADivergenceEndsTheRun(t *testing.T) {
	model := chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
		return nil, divergence
	})
	routes := 0
	for route := replay.ReplayStartGoto(1); route.String() != ""; route++ {
		routes++
		for _, watched := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				d := &diverging{start: route}
				within, err := replay.NewPart(part{d})
				if err != nil {
					t.Fatal(err)
				}
				m, err := replay.NewReplay(d, model, within)
				if err != nil {
					t.Fatal(err)
				}
				var ends []graphgen.EventKind
				var opts []graphgen.RunOption
				if watched {
					opts = append(opts, graphgen.WithObserver(func(e graphgen.Event) { ends = append(ends, e.Kind) }))
				}
				_, err = m.Run(t.Context(), replay.ReplayInput{List: []string{"a"}}, opts...)
				run, ok := errors.AsType[*graphgen.RunError](err)
				if !ok || run.Reason != graphgen.Failed || !errors.Is(err, divergence) {
					t.Errorf("%s: the run ends with %v", route, err)
				}
				if d.tried > 1 && !slices.Contains([]string{"all"}, route.String()) || len(d.reached) > 0 {
					t.Errorf("%s: what diverges is tried %d times, and leads to %v", route, d.tried, d.reached)
				}
				if watched && ends[len(ends)-1] != graphgen.RunEnd {
					t.Errorf("%s: the last event is %s", route, ends[len(ends)-1])
				}
				if ok && !slices.ContainsFunc(run.Report.Failures,
					func(f graphgen.Failure) bool { return errors.Is(f.Err, divergence) && !f.Cleared }) && route != replay.ReplayStartGotoJudged {
					t.Errorf("%s: the report has %v", route, run.Report.Failures)
				}
			})
		}
	}
	if routes != 17 {
		t.Errorf("%d ways past a failure are looked at", routes)
	}
}

func TestStopInRetryWait(t *testing.T) {
	for _, route := range []replay.ReplayStartGoto{replay.ReplayStartGotoTried, replay.ReplayStartGotoAgain} {
		for _, when := range []time.Duration{0, 100 * time.Millisecond} {
			synctest.Test(t, func(t *testing.T) {
				d := &diverging{start: route, err: errors.New("broken")}
				m, err := replay.NewReplay(d, chat.ModelFunc(nil), new(replay.Part))
				if err != nil {
					t.Fatal(err)
				}
				var stop graphgen.Stopper
				begun := time.Now()
				_, err = m.Run(t.Context(), replay.ReplayInput{}, graphgen.WithStopper(&stop), graphgen.WithObserver(func(e graphgen.Event) {
					if e.Kind == graphgen.Retry && when == 0 {
						stop.Stop()
					} else if e.Kind == graphgen.Retry {
						time.AfterFunc(when, stop.Stop)
					}
				}))
				run, _ := errors.AsType[*graphgen.RunError](err)
				stopped, ok := errors.AsType[*graphgen.StopError](err)
				if !ok || run.Reason != graphgen.Stopped || !errors.Is(stopped, d.err) {
					t.Errorf("%s: the run ends with %v", route, err)
				}
				if took := time.Since(begun); took != when || d.tried != 1 || len(d.reached) > 0 {
					t.Errorf("%s: the run ends after %v, %d attempts and %v", route, took, d.tried, d.reached)
				}
			})
		}
	}
}

// TestStopInModelRetry holds that a stop ends the wait between two calls of a model,
// wherever the model is asked, and that no other model is called.
func TestStopInModelRetry(t *testing.T) {
	limited := &chat.ModelError{Kind: chat.RateLimited, Wait: time.Minute}
	asked, softly, judged, picked := replay.ReplayStartGotoAsked, replay.ReplayStartGotoSoftly, replay.ReplayStartGotoJudged, replay.ReplayStartGotoPicked
	for _, c := range []struct {
		name   string
		last   time.Duration // when the stop is requested, or the time of the run
		stop   bool
		want   int // calls
		routes []replay.ReplayStartGoto
	}{
		{"stop before the wait", 0, true, 1, []replay.ReplayStartGoto{asked, softly, judged, picked}},
		{"stop during the wait", time.Second, true, 1, []replay.ReplayStartGoto{asked, softly, judged, picked}},
		{"no stop", 3 * time.Minute, false, 5, []replay.ReplayStartGoto{softly, judged, picked}},
	} {
		for _, route := range c.routes {
			t.Run(c.name+"/"+route.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var stop graphgen.Stopper
					calls := 0
					model := func(limit int) chat.Model {
						return chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
							switch calls++; {
							case calls > limit:
								return nil, &chat.ModelError{Kind: chat.BadRequest, Status: 400}
							case c.stop && c.last == 0:
								stop.Stop()
							case c.stop:
								time.AfterFunc(c.last, stop.Stop)
							}
							return nil, limited
						})
					}
					m, err := replay.NewReplay(&diverging{start: route},
						chat.Fallback(chat.Retry(model(4), chat.Backoff{Attempts: 4}), model(0)), new(replay.Part))
					if err != nil {
						t.Fatal(err)
					}
					begun := time.Now()
					_, err = m.Run(t.Context(), replay.ReplayInput{}, graphgen.WithStopper(&stop))
					stopped, ok := errors.AsType[*graphgen.StopError](err)
					if ok != c.stop || ok && stopped.Where.Node != route.String() && stopped.Where.Node != "last" {
						t.Errorf("the run ends with %v", err)
					}
					if took := time.Since(begun); took != c.last || calls != c.want {
						t.Errorf("the run ends after %v and %d calls, want %v and %d", took, calls, c.last, c.want)
					}
				})
			})
		}
	}
}

func (d *diverging) Plain(_ context.Context) (out replay.ReplayPlainOut, err error) {
	return out, d.work("plain")
}

func (d *diverging) Edged(_ context.Context) (out replay.ReplayEdgedOut, err error) {
	return out, d.work("edged")
}

func (d *diverging) Transited(_ context.Context) (out replay.ReplayTransitedOut, err error) {
	return out, d.work("transited")
}

func (d *diverging) Soft(_ context.Context) (out replay.ReplaySoftOut, err error) {
	return out, d.work("soft")
}

func (d *diverging) Tried(_ context.Context) (out replay.ReplayTriedOut, err error) {
	return out, d.work("tried")
}

func (d *diverging) Shaky(_ context.Context) (out replay.ReplayShakyOut, err error) {
	return out, d.work("shaky")
}

func (d *diverging) Round(_ context.Context) (out replay.ReplayRoundOut, err error) {
	return out, d.work("round")
}

func (d *diverging) One(_ context.Context) (out replay.ReplayOneOut, err error) {
	return out, d.work("one")
}

func (d *diverging) Other(_ context.Context) (out replay.ReplayOtherOut, err error) {
	return out, d.work("other")
}

func (d *diverging) Left(_ context.Context) (out replay.ReplayLeftOut, err error) {
	return out, d.work("left")
}

func (d *diverging) Right(_ context.Context) (out replay.ReplayRightOut, err error) {
	return out, d.work("right")
}

func (d *diverging) Up(_ context.Context) (out replay.ReplayUpOut, err error) {
	return out, d.work("up")
}

func (d *diverging) Down(_ context.Context) (out replay.ReplayDownOut, err error) {
	return out, d.work("down")
}

func (d *diverging) Take(_ context.Context, _ replay.ReplayTakeIn) (out replay.ReplayTakeOut, err error) {
	return out, d.work("take")
}

func (d *diverging) See(_ context.Context) (out replay.ReplaySeeOut, err error) {
	return out, d.work("see")
}

func (d *diverging) Buy(_ context.Context) (out replay.ReplayBuyOut, err error) {
	return out, d.work("buy")
}

func (d *diverging) Eat(_ context.Context) (out replay.ReplayEatOut, err error) {
	return out, d.work("eat")
}

func (d *diverging) Drink(_ context.Context) (out replay.ReplayDrinkOut, err error) {
	return out, d.work("drink")
}

func (d *diverging) Judged(_ context.Context) (out replay.ReplayJudgedOut, err error) {
	return out, d.work("judged")
}

func (d *diverging) Last(_ context.Context) (out replay.ReplayLastOut, err error) {
	return out, d.work("last")
}

func (d *diverging) Rescue(_ context.Context) (out replay.ReplayRescueOut, err error) {
	return out, d.work("rescue")
}
