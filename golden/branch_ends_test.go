package golden_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/branchnode"
	"github.com/graphgen/graphgen/golden/loopretry"
	"github.com/graphgen/graphgen/golden/mapping"
	"github.com/graphgen/graphgen/golden/parallel"
)

// told lists failures as node: error, with what became of them.
func told(failures []graphgen.Failure) string {
	var list []string
	for _, f := range failures {
		s := f.Err.Where.Node
		if f.Soft {
			s += " softly"
		}
		if f.Cleared {
			s += " cleared"
		}
		list = append(list, s)
	}
	return strings.Join(list, ", ")
}

// sifter has the handlers of graph map_settled, and counts their calls. The join of that map cancels no branch.
type sifter struct {
	mapping.MapSettledHandlers
	judged, noted atomic.Int64
}

func (s *sifter) Judge(_ context.Context, in mapping.MapSettledJudgeIn) error {
	if s.judged.Add(1); in.Kept != "first" {
		<-time.After(time.Second)
	}
	return nil
}

func (s *sifter) Note(context.Context, mapping.MapSettledNoteIn) (mapping.MapSettledNoteOut, error) {
	s.noted.Add(1)
	return mapping.MapSettledNoteOut{}, nil
}

func TestNoBranchAfterEnd(t *testing.T) {
	for name, end := range map[string]struct {
		verdict error
		reason  graphgen.Reason
	}{
		"a hook's verdict": {errors.New("enough"), graphgen.Failed},
		"a spent budget":   {&graphgen.LimitError{Limit: graphgen.LimitBudget, Of: "patience"}, graphgen.Budget},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := new(sifter)
			m, err := mapping.NewMapSettled(s)
			if err != nil {
				t.Fatal(err)
			}
			topics := make([]string, 20)
			topics[0] = "first"
			var rep graphgen.Report
			_, err = m.Run(t.Context(), mapping.MapSettledInput{Topics: topics}, graphgen.WithReport(&rep),
				graphgen.WithHook(graphgen.Hook{Name: "watch", Governing: true, After: func(_ context.Context, e graphgen.Event) error {
					if e.Node == "judge" && e.Run.Branch == "0" {
						return end.verdict
					}
					return nil
				}}))
			if verdict, ok := errors.AsType[*graphgen.HookError](err); !ok || verdict.Err != end.verdict || rep.Reason != end.reason {
				t.Errorf("%s: the reason is %s: %v", name, rep.Reason, err)
			}
			if judged, noted := s.judged.Load(), s.noted.Load(); judged != 8 || noted != 7 {
				t.Errorf("%s: %d were judged, and %d noted: those that ran, 8 at once, were to come to their end", name, judged, noted)
			}
		})
	}
}

func TestBranchGoexit(t *testing.T) {
	for _, observed := range []bool{false, true} {
		tr, ctx := newTrial(t, "joinSettled", time.Millisecond)
		defer tr.cancel()
		tr.work = func(_ context.Context, node string) error {
			if isFirst(node) {
				runtime.Goexit()
			}
			return nil
		}
		var rep graphgen.Report
		opts := []graphgen.RunOption{graphgen.WithReport(&rep)}
		var failed []string
		if observed {
			opts = append(opts, graphgen.WithObserver(func(e graphgen.Event) {
				if e.Kind == graphgen.NodeFailed {
					failed = append(failed, e.Node+": "+e.Err.(*graphgen.NodeError).Err.Error())
				}
			}))
		}
		if err := tr.run(ctx, opts...); err != nil {
			t.Fatal(err)
		}
		if told(rep.Failures) != "poll1 softly" {
			t.Errorf("the failures are %s", told(rep.Failures))
		}
		if observed && !slices.Equal(failed, []string{"poll1: its goroutine was ended"}) {
			t.Errorf("told of %q", failed)
		}
	}
}

// strict refuses what the guarded node gives.
type strict struct{ branchNode }

func (strict) Clean(context.Context, branchnode.BranchNodeQuick1Out) error {
	return graphgen.Reject("dirty")
}

func TestBranchRefusalListedOnce(t *testing.T) {
	m, err := branchnode.NewBranchNode(strict{branchNode{idle()}})
	if err != nil {
		t.Fatal(err)
	}
	var rep graphgen.Report
	if _, err := m.Run(t.Context(), branchnode.BranchNodeInput{}, graphgen.WithReport(&rep)); err != nil {
		t.Fatal(err)
	}
	if len(rep.Refusals) != 1 || rep.Refusals[0].Where.Node != "quick1" || told(rep.Failures) != "hasty cleared" {
		t.Errorf("refusals %+v, failures %s", rep.Refusals, told(rep.Failures))
	}
}

// skipping has the handlers of the graph branch_skip: the first node of a branch fails softly.
type skipping struct {
	kept error // of a node behind it
}

func (skipping) Flaky(context.Context) (branchnode.BranchSkipFlakyOut, error) {
	return branchnode.BranchSkipFlakyOut{}, errors.New("flaky")
}

func (skipping) Guarded(context.Context) (branchnode.BranchSkipGuardedOut, error) {
	return branchnode.BranchSkipGuardedOut{}, nil
}

func (s skipping) Kept(context.Context) (branchnode.BranchSkipKeptOut, error) {
	return branchnode.BranchSkipKeptOut{}, s.kept
}

func (skipping) Kept2(context.Context) (branchnode.BranchSkipKept2Out, error) {
	return branchnode.BranchSkipKept2Out{}, nil
}

func (skipping) Kept3(context.Context) (branchnode.BranchSkipKept3Out, error) {
	return branchnode.BranchSkipKept3Out{}, nil
}

func TestBranchSoftFailures(t *testing.T) {
	for _, c := range []struct {
		name, failures string
		kept           error
		stop           bool
	}{
		{"nothing does", "flaky softly", nil, false},
		{"a stop is requested", "flaky softly", nil, true},
		{"a node fails", "flaky softly, last", errors.New("no"), false},
	} {
		var s graphgen.Stopper
		m, err := branchnode.NewBranchSkip(skipping{c.kept})
		if err != nil {
			t.Fatal(err)
		}
		var rep graphgen.Report
		_, _ = m.Run(t.Context(), branchnode.BranchSkipInput{}, graphgen.WithReport(&rep), graphgen.WithStopper(&s),
			graphgen.WithObserver(func(e graphgen.Event) {
				if c.stop && e.Kind == graphgen.NodeFailed && e.Node == "flaky" {
					s.Stop()
				}
			}))
		if got := told(rep.Failures); got != c.failures {
			t.Errorf("%s: the failures are %s", c.name, got)
		}
	}
}

// sleeper takes longer than the nap may last.
type sleeper struct {
	loopretry.RetryTimeoutHandlers
	dozed int
}

func (s *sleeper) Doze(context.Context) (loopretry.RetryTimeoutDozeOut, error) {
	s.dozed++
	<-time.After(4 * time.Second) // whatever its context says
	return loopretry.RetryTimeoutDozeOut{}, nil
}

func TestLateEndIsNotRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(sleeper)
		m, err := loopretry.NewRetryTimeout(s)
		if err != nil {
			t.Fatal(err)
		}
		var rep graphgen.Report
		_, err = m.Run(t.Context(), loopretry.RetryTimeoutInput{}, graphgen.WithReport(&rep),
			graphgen.WithHook(graphgen.Hook{Name: "watch", Governing: true, After: func(_ context.Context, e graphgen.Event) error {
				if e.Node == "doze" {
					return &graphgen.LimitError{Limit: graphgen.LimitBudget, Of: "patience"}
				}
				return nil
			}}))
		if s.dozed != 1 || rep.Reason != graphgen.Budget || rep.Retries != 0 {
			t.Errorf("dozed %d times, %d retries, the reason %s: %v", s.dozed, rep.Retries, rep.Reason, err)
		}
	})
}

func TestNestedBranchEvents(t *testing.T) {
	caller := goroutine()
	var telling sync.Mutex
	counts := map[string]int{}
	sees := func(e graphgen.Event) {
		if !telling.TryLock() {
			t.Error("two events are told at once")
			return
		}
		defer telling.Unlock()
		if g := goroutine(); g != caller {
			t.Errorf("%s %s of branch %s is told on another goroutine: %s", e.Kind, e.Node, e.Run.Branch, g)
		}
		counts[fmt.Sprint(e.Kind)]++
	}
	hook := graphgen.Hook{Before: func(_ context.Context, e graphgen.Event) error { sees(e); return nil },
		After: func(_ context.Context, e graphgen.Event) error { sees(e); return nil }}
	m := newGrid(t, func() {})
	out, err := m.Run(t.Context(), gridInput, graphgen.WithObserver(sees), graphgen.WithHook(hook))
	if err != nil || out.Score == 0 {
		t.Fatal(out, err)
	}
	if counts["node_end"] == 0 || counts["node_start"] != counts["node_end"] {
		t.Errorf("told %v", counts)
	}
}

// goroutine returns the name of the goroutine that calls it.
func goroutine() string {
	buf := make([]byte, 64)
	name, _, _ := strings.Cut(string(buf[:runtime.Stack(buf, false)]), " [")
	return name
}

// A late caller ends the context of its run when a branch sees that the others have settled it.
type lateCaller struct {
	parallel.ParallelHandlers
	cancel context.CancelCauseFunc
	begun  chan struct{}
}

var errLate, errTorn = errors.New("the caller has gone"), errors.New("the page is torn")

func (l lateCaller) Fetch(ctx context.Context, _ parallel.ParallelFetchIn) (parallel.ParallelFetchOut, error) {
	close(l.begun)
	<-ctx.Done()
	l.cancel(errLate)
	return parallel.ParallelFetchOut{}, ctx.Err()
}

func (l lateCaller) Mark(context.Context, parallel.ParallelMarkIn) (parallel.ParallelMarkOut, error) {
	<-l.begun
	return parallel.ParallelMarkOut{}, errTorn
}

func (lateCaller) Watch(context.Context, parallel.ParallelState) error { return nil }

// TestSettledBranchIsNoFailure holds that a branch which ended since another one has failed is not why the run fails, although the context of
// the run has ended as well since.
func TestSettledBranchIsNoFailure(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	m, err := parallel.NewParallel(lateCaller{cancel: cancel, begun: make(chan struct{})})
	if err != nil {
		t.Fatal(err)
	}
	var rep graphgen.Report
	_, err = m.Run(ctx, parallel.ParallelInput{}, graphgen.WithReport(&rep))
	failures := rep.Failures
	if !errors.Is(err, errLate) || len(failures) == 0 || !errors.Is(failures[len(failures)-1].Err, errTorn) {
		t.Errorf("the run ended with %v; failures: %s", err, told(failures))
	}
}
