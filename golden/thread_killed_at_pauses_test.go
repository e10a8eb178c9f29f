package golden_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/pauses"
	"github.com/graphgen/graphgen/thread"
)

// A mortal is a store of a process that is killed at one of its appends: nothing that the process does afterwards
// reaches the threads.
type mortal struct {
	thread.Store
	mu     sync.Mutex
	left   int  // appends before the last one
	during bool // the last append takes effect, and the process does not learn of it
	dead   bool
	takes  time.Duration // an append
}

var errKilled = &thread.LostError{Thread: "killed"}

func (m *mortal) Append(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
	time.Sleep(m.takes)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead {
		return thread.Ack{}, errKilled
	}
	if m.left == 0 {
		m.dead = true
		if m.during {
			if _, err := m.Store.Append(ctx, l, h, r); err != nil {
				return thread.Ack{}, err
			}
		}
		return thread.Ack{}, errKilled
	}
	m.left--
	return m.Store.Append(ctx, l, h, r)
}

func (m *mortal) Release(ctx context.Context, l thread.Lease) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead {
		return errKilled
	}
	return m.Store.Release(ctx, l)
}

// A ledger is what the nodes of all processes have done outside, by their keys.
type ledger struct {
	mu    sync.Mutex
	done  map[string]int
	fails string // the first call under it fails, and what follows has keys of its own
	hangs bool   // it fails by taking too long
	fell  bool
}

func (l *ledger) did(ctx context.Context) { l.count(graphgen.IdempotencyKey(ctx)) }

func (l *ledger) count(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done == nil {
		l.done = map[string]int{}
	}
	if l.fell {
		key = "after the failure " + key
	}
	l.done[key]++
}

// falls reports whether a call is the one that fails.
func (l *ledger) falls(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fell || key != l.fails {
		return false
	}
	l.fell = true
	return true
}

// A survivor is a machine of a durable graph, as a process makes it with its own store.
type survivor struct {
	start   func(context.Context) (any, error)
	recover func(context.Context) (any, error)
	answer  func(context.Context, string, []byte) (any, error)
}

// survivorOf makes the run of a thread that begins with an input. Each of its calls has the options.
func survivorOf[M, In, Out, State any](th thread.Thread[M, In, Out, State], in In, opts ...graphgen.CallOption) survivor {
	var run []graphgen.RunOption
	var resume []graphgen.ResumeOption
	for _, o := range opts {
		run, resume = append(run, o), append(resume, o)
	}
	return survivor{
		start:   func(ctx context.Context) (any, error) { return th.Start(ctx, in, run...) },
		recover: func(ctx context.Context) (any, error) { return th.Recover(ctx, opts...) },
		answer: func(ctx context.Context, id string, data []byte) (any, error) {
			return th.Resume(ctx, graphgen.AnswerJSON[M](id, data), resume...)
		},
	}
}

// live makes a run to its end, with the answers of people, in processes that make returns: each call is the next one.
func live(t *testing.T, next func() survivor, answers map[string]string) (out any, processes int) {
	t.Helper()
	m := next()
	out, err := m.start(t.Context())
	for processes = 1; err != nil; {
		if processes > 200 {
			t.Fatalf("the run does not end: %v", err)
		}
		p := graphgen.AsPause(err)
		lost := errors.Is(err, errKilled)
		switch _, none := errors.AsType[*thread.NotFoundError](err); {
		case p != nil:
			q := p.Requests[processes%len(p.Requests)]
			out, err = m.answer(t.Context(), q.ID, []byte(answers[cmp.Or(q.Tool, q.Node)]))
			processes++
		case none:
			out, err = m.start(t.Context())
		case lost:
			m = next()
			processes++
			out, err = m.recover(t.Context())
		default:
			t.Fatalf("process %d: %v", processes, err)
		}
	}
	return out, processes
}

// killed holds that a run which is killed at any of its appends, before or behind it, ends as one that is not, and that
// no finished step runs again.
func killed(t *testing.T, atOnce int, make func(thread.Option, *ledger) survivor, answers map[string]string) {
	t.Helper()
	for name, kept := range map[string]thread.Settings{"": {}, "snapshots alone": {Snapshot: 1}} {
		t.Run(name, func(t *testing.T) { killedWith(t, kept, atOnce, make, answers) })
	}
}

func killedWith(t *testing.T, kept thread.Settings, atOnce int, make func(thread.Option, *ledger) survivor, answers map[string]string) {
	t.Helper()
	killedIn(t, 0, kept, atOnce, make, answers)
}

// killedIn is killedWith for a store whose appends take a time in the process that is killed.
func killedIn(
	t *testing.T, takes time.Duration, kept thread.Settings, atOnce int, make func(thread.Option, *ledger) survivor, answers map[string]string,
) {
	t.Helper()
	in := func(s thread.Store) thread.Option {
		set := kept
		set.Store = s
		return thread.With(set)
	}
	var whole ledger
	undisturbed := thread.NewMemory()
	want, _ := live(t, func() survivor { return make(in(undisturbed), &whole) }, answers)
	for key, times := range whole.done {
		if times != 1 {
			t.Errorf("%s was done %d times", key, times)
		}
	}
	head, _, err := undisturbed.Load(t.Context(), "t", 0)
	if err != nil {
		t.Fatal(err)
	}
	for at := range int(head.Seq) + 1 {
		for _, during := range []bool{false, true} {
			var now atomic.Int64 // in seconds; leases are renewed beside the run
			now.Store(1e9)
			store := thread.NewMemoryAt(func() time.Time { return time.Unix(now.Load(), 0) })
			first := true
			var bank ledger
			got, _ := live(t, func() survivor {
				now.Add(3600)
				s := thread.Store(store)
				if first {
					s, first = &mortal{Store: store, left: at, during: during, takes: takes}, false
				}
				return make(in(s), &bank)
			}, answers)
			if a, b := canonical(t, want), canonical(t, got); a != b {
				t.Errorf("killed at append %d (%v): the output is %s, want %s", at, during, b, a)
			}
			again := 0
			for key, times := range bank.done {
				if again += times - 1; times > 2 {
					t.Errorf("killed at append %d (%v): %s was done %d times", at, during, key, times)
				}
			}
			if most := atOnce; again > most || during && atOnce == 1 && again > 0 {
				t.Errorf("killed at append %d (%v): %d steps were executed again: %v", at, during, again, bank.done)
			}
			if a, b := slices.Sorted(maps.Keys(whole.done)), slices.Sorted(maps.Keys(bank.done)); !slices.Equal(a, b) {
				t.Errorf("killed at append %d (%v): the keys are\n%s, want\n%s", at, during, strings.Join(b, "\n"), strings.Join(a, "\n"))
			}
		}
	}
}

func canonical(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestKilledAhead holds that a run which is saved while it goes on loses no more than what waits to be saved.
func TestKilledAhead(t *testing.T) {
	const ahead = 3
	killedWith(t, thread.Settings{Mode: thread.Async, Ahead: ahead}, ahead+1, func(kept thread.Option, bank *ledger) survivor {
		m, err := pauses.NewRounds(roundsWork{bank}, kept)
		if err != nil {
			t.Fatal(err)
		}
		return survivorOf(m.Thread("t"), pauses.RoundsInput{Topic: "otters"})
	}, map[string]string{"judge": `{"content":true,"note":"fine"}`, "sign": `"approve"`})
}

// A bank knows what nodes have done outside.
type bank interface{ did(context.Context) }

type roundsWork struct{ bank bank }

func (w roundsWork) Write(ctx context.Context, in pauses.RoundsWriteIn) (pauses.RoundsWriteOut, error) {
	w.bank.did(ctx)
	text := in.Topic
	if in.Verdict != nil {
		text += ", " + in.Verdict.Note
	}
	return pauses.RoundsWriteOut{Text: text, Notes: []string{"wrote " + text}}, nil
}

func (w roundsWork) Store(ctx context.Context, in pauses.RoundsStoreIn) (pauses.RoundsStoreOut, error) {
	w.bank.did(ctx)
	return pauses.RoundsStoreOut{Notes: []string{"stored " + in.Text}}, nil
}

func (w roundsWork) File(ctx context.Context, in pauses.RoundsFileIn) (pauses.RoundsFileOut, error) {
	w.bank.did(ctx)
	return pauses.RoundsFileOut{Notes: []string{"filed " + in.Text}}, nil
}

func (w roundsWork) GiveUp(ctx context.Context, _ pauses.RoundsGiveUpIn) (pauses.RoundsGiveUpOut, error) {
	w.bank.did(ctx)
	return pauses.RoundsGiveUpOut{Notes: []string{"gave up"}}, nil
}

func TestKilledRounds(t *testing.T) {
	for _, test := range []struct{ judge, sign string }{
		{`{"content":true,"note":"fine"}`, `"approve"`},
		{`{"content":false,"note":"longer"}`, `"approve"`},
		{`{"content":true,"note":"fine"}`, `"deny"`},
	} {
		killed(t, 1, func(kept thread.Option, bank *ledger) survivor {
			m, err := pauses.NewRounds(roundsWork{bank}, kept)
			if err != nil {
				t.Fatal(err)
			}
			return survivorOf(m.Thread("t"), pauses.RoundsInput{Topic: "otters"})
		}, map[string]string{"judge": test.judge, "sign": test.sign})
	}
}

// A filer files a text under a number that it gets once.
type filer struct {
	roundsWork
	files, numbers *int
}

func (f filer) File(ctx context.Context, in pauses.RoundsFileIn) (pauses.RoundsFileOut, error) {
	*f.files++
	number, err := thread.Once(ctx, "number", func(context.Context) ([]byte, error) {
		*f.numbers++
		return []byte(strconv.Itoa(*f.numbers)), nil
	})
	return pauses.RoundsFileOut{Notes: []string{"filed " + in.Text + " as " + string(number)}}, err
}

// TestOnce holds that a part of a handler runs once, though the handler runs again.
func TestOnce(t *testing.T) {
	again := 0
	for at := range 16 {
		now := time.Unix(1e9, 0)
		store := thread.NewMemoryAt(func() time.Time { return now })
		files, numbers, first := 0, 0, true
		out, _ := live(t, func() survivor {
			now = now.Add(time.Hour)
			s := thread.Store(store)
			if first {
				s, first = &mortal{Store: store, left: at, during: true}, false
			}
			m, err := pauses.NewRounds(filer{roundsWork{new(ledger)}, &files, &numbers}, thread.In(s))
			if err != nil {
				t.Fatal(err)
			}
			return survivorOf(m.Thread("t"), pauses.RoundsInput{Topic: "otters"})
		}, map[string]string{"judge": `{"content":true,"note":"fine"}`, "sign": `"approve"`})
		if again += files - 1; numbers != 1 || !strings.Contains(canonical(t, out), "as 1") {
			t.Errorf("killed at append %d: there are %d numbers, and the output is %s", at, numbers, canonical(t, out))
		}
	}
	if again == 0 {
		t.Error("the handler never ran again")
	}
}

type panelWork struct{ bank bank }

func (w panelWork) Prepare(ctx context.Context, in pauses.PanelPrepareIn) (pauses.PanelPrepareOut, error) {
	w.bank.did(ctx)
	return pauses.PanelPrepareOut{Log: []string{"prepared " + in.Text}}, nil
}

func (w panelWork) Thank(ctx context.Context, in pauses.PanelThankIn) (pauses.PanelThankOut, error) {
	w.bank.did(ctx)
	return pauses.PanelThankOut{Log: []string{"thanked for " + in.Text}}, nil
}

func (w panelWork) Check(ctx context.Context, _ pauses.PanelCheckIn) (pauses.PanelCheckOut, error) {
	w.bank.did(ctx)
	return pauses.PanelCheckOut{Checked: true}, nil
}

func (w panelWork) Publish(ctx context.Context, in pauses.PanelPublishIn) (pauses.PanelPublishOut, error) {
	w.bank.did(ctx)
	return pauses.PanelPublishOut{Log: []string{"published " + in.Text + ", " + in.Style}}, nil
}

func TestKilledPanel(t *testing.T) {
	killed(t, 3, func(kept thread.Option, bank *ledger) survivor {
		m, err := pauses.NewPanel(panelWork{bank}, kept)
		if err != nil {
			t.Fatal(err)
		}
		return survivorOf(m.Thread("t"), pauses.PanelInput{Text: "x"})
	}, map[string]string{"lawyer": `"approve"`, "editor": `"fine"`})
}

func TestKilledDesk(t *testing.T) {
	if testing.Short() {
		t.Skip("TestKilledProcesses kills in a short test")
	}
	killed(t, 8, func(kept thread.Option, bank *ledger) survivor {
		panel, err := pauses.NewPanel(panelWork{bank})
		if err != nil {
			t.Fatal(err)
		}
		m, err := pauses.NewDesk(panel, kept)
		if err != nil {
			t.Fatal(err)
		}
		return survivorOf(m.Thread("t"), pauses.DeskInput{Texts: []string{"a", "b"}})
	}, map[string]string{"lawyer": `"approve"`, "editor": `"fine"`, "lead": `"good"`})
}
