package golden_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/carry"
	journals "github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/golden/pauses"
	"github.com/graphgen/graphgen/thread"
)

// A sleepyStore takes its time.
type sleepyStore struct {
	thread.Store
	append, history time.Duration
}

func (s *sleepyStore) Append(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
	time.Sleep(s.append)
	return s.Store.Append(ctx, l, h, r)
}

func (s *sleepyStore) History(ctx context.Context, id string, after uint64, limit int) ([]thread.Record, error) {
	time.Sleep(s.history)
	return s.Store.History(ctx, id, after, limit)
}

// TestWatchOrder holds that the pieces of an answer are behind the step before it and before their own, however long the store takes:
// pieces whose step was seen first are left out.
func TestWatchOrder(t *testing.T) {
	for name, test := range map[string]struct {
		store sleepyStore
		mode  thread.Mode
		want  string
	}{
		"records wait to be saved": {sleepyStore{append: 10 * time.Second}, thread.Async, "1:|One |two.|2:|3:answer|count begins|4:countcompleted|"},
		"a look takes longer than an answer": {sleepyStore{append: time.Second, history: 10 * time.Second}, thread.EveryStep,
			"1:|2:|3:answer|4:countcompleted|"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				test.store.Store = thread.NewMemory()
				m, err := carry.NewHelpdesk(new(counter), new(counter), speaker("One ", "two."),
					thread.With(thread.Settings{Store: &test.store, Mode: test.mode, Seal: keys(t, "k"), Feed: new(thread.Feed)}))
				if err != nil {
					t.Fatal(err)
				}
				go func() {
					if _, err := m.Thread("t").Start(t.Context(), carry.HelpdeskInput{Message: "hello"}); err != nil {
						t.Error(err)
					}
				}()
				time.Sleep(time.Millisecond)
				got := ""
				for e, err := range m.Thread("t").Watch(t.Context(), thread.After{}) {
					if err != nil {
						t.Fatal(err)
					}
					if s := inBrief(e); s != "" {
						got += s + "|"
					}
					if e.Live.Kind == graphgen.NodeStart && e.Live.Node == "count" {
						got += "count begins|"
					}
				}
				if got != test.want {
					t.Errorf("the watch has %s\nwant %s", got, test.want)
				}
			})
		})
	}
}

// TestWatchPruned holds that a watch which is slower than the pruning of its thread ends with a GapError.
func TestWatchPruned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := thread.NewMemory()
		m := newJournal(t, func(context.Context) (string, error) {
			time.Sleep(time.Second)
			return "page", nil
		}, thread.Settings{Store: store, Snapshot: 1})
		go func() {
			if _, err := m.Thread("t").Start(t.Context(), journals.JournalInput{Most: 6}); err != nil {
				t.Error(err)
			}
		}()
		var last error
		for e, err := range m.Thread("t").Watch(t.Context(), thread.After{Stay: true}) {
			if last = err; e.Seq == 2 {
				time.Sleep(time.Minute)
				if n, err := store.Prune(t.Context(), "t", 5); n != 4 || err != nil {
					t.Fatal(n, err)
				}
			}
		}
		gap, ok := errors.AsType[*thread.GapError](last)
		if !ok || gap.First != 5 || gap.After != 2 {
			t.Errorf("the error is %v", last)
		}
	})
}

// TestWatchAnswered holds that a watch has the events of a run that goes on with an answer, and none of the work by which the
// process reads the run; and that it ends where the run waits.
func TestWatchAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, err := pauses.NewRounds(roundsWork{new(ledger)}, thread.With(thread.Settings{Store: thread.NewMemory(), Feed: new(thread.Feed)}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Thread("t").Start(t.Context(), pauses.RoundsInput{Topic: "otters"}); err == nil {
			t.Fatal("the run does not wait")
		}
		seen := uint64(0)
		for e, err := range m.Thread("t").Watch(t.Context(), thread.After{}) {
			if seen = e.Seq; err != nil {
				t.Fatal(err)
			}
		}
		if seen != 3 {
			t.Fatalf("it waits behind %d", seen)
		}
		started := map[string]int{}
		steps := 0
		done := make(chan bool)
		go func() {
			defer close(done)
			for e, err := range m.Thread("t").Watch(t.Context(), thread.After{Seq: 3, Stay: true}) {
				if err != nil {
					t.Error(err)
				}
				if e.Seq > 0 {
					steps++
				} else if e.Live.Kind == graphgen.NodeStart {
					started[e.Live.Node]++
				}
				if e.Saved.Ended != "" {
					return
				}
			}
		}()
		synctest.Wait()
		if _, err := m.Thread("t").Resume(t.Context(), pauses.AnswerRoundsJudge(pauses.Verdict{Content: true})); err == nil {
			t.Fatal("the run does not wait")
		}
		if _, err := m.Thread("t").Resume(t.Context(), pauses.AnswerRoundsSign(graphgen.Approve)); err != nil {
			t.Fatal(err)
		}
		<-done
		if steps != 7 || started["judge"] != 0 || started["sign"] != 1 || started["store"] != 1 || started["file"] != 1 {
			t.Errorf("there are %d steps, the nodes %v began", steps, started)
		}
	})
}
