package golden_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	journals "github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/golden/pauses"
	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
)

// personal are the answers of people, by node.
var personal = map[string]string{
	"lawyer": `"approve"`, "editor": `"fine"`, "lead": `"good"`, "approve": `"approve"`,
	"judge": `{"content":true,"note":"fine"}`, "sign": `"approve"`,
}

// roundsIn makes a run of rounds in a thread of a store.
func roundsIn(t *testing.T, s thread.Store, mode thread.Mode) (*pauses.Rounds, *ledger) {
	t.Helper()
	bank := new(ledger)
	m, err := pauses.NewRounds(roundsWork{bank}, thread.With(thread.Settings{Store: s, Mode: mode}))
	if err != nil {
		t.Fatal(err)
	}
	live(t, func() survivor { return roundsThread(m, "t") }, personal)
	return m, bank
}

func roundsThread(m *pauses.Rounds, name string) survivor {
	return survivorOf(m.Thread(name), pauses.RoundsInput{Topic: "otters"})
}

// deskIn makes a run of desk in a thread of a store.
func deskIn(t *testing.T, s thread.Store) (*pauses.Desk, *ledger) {
	t.Helper()
	bank := new(ledger)
	panel, err := pauses.NewPanel(panelWork{bank})
	if err != nil {
		t.Fatal(err)
	}
	m, err := pauses.NewDesk(panel, thread.In(s))
	if err != nil {
		t.Fatal(err)
	}
	live(t, func() survivor { return deskThread(m, "t") }, personal)
	return m, bank
}

func deskThread(m *pauses.Desk, name string) survivor {
	return survivorOf(m.Thread(name), pauses.DeskInput{Texts: []string{"a", "b"}})
}

// lineOf writes a step as a line.
func lineOf(s thread.Step) string {
	var parts []string
	if s.Run != "" {
		parts = append(parts, "begins "+s.Run)
	}
	if s.Forked.Thread != "" {
		parts = append(parts, fmt.Sprintf("forked from %s behind %d", s.Forked.Thread, s.Forked.Seq))
	}
	for _, c := range s.Changes {
		what := c.Node
		if c.At != "" {
			what = c.At + ":" + what
		}
		if !c.Ended {
			what += " goes on"
		} else {
			what = strings.TrimSpace(what + " " + c.Transition + " -> " + c.Next)
		}
		for _, v := range c.Written {
			op := "="
			if v.Added {
				op = "+="
			}
			what += fmt.Sprintf(" %s%s%s", v.Name, op, v.JSON)
		}
		parts = append(parts, what)
	}
	for _, c := range s.Calls {
		parts = append(parts, fmt.Sprintf("call %s%s gave %s", c.At, c.Key, c.JSON))
	}
	for _, a := range s.Answers {
		parts = append(parts, a.Decision+" "+a.ID)
	}
	if len(s.Open) > 0 {
		parts = append(parts, "waits for "+strings.Join(s.Open, ", "))
	}
	if s.Ended != "" {
		parts = append(parts, s.Ended)
	}
	return fmt.Sprintf("%d: %s", s.Seq, strings.Join(parts, "; "))
}

func historyOf(t *testing.T, s thread.Store, name string, after uint64) (lines []string) {
	t.Helper()
	for step, err := range durable.History(t.Context(), s, name, after) {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, lineOf(step))
	}
	return lines
}

// ended reads a sequence to its end, and returns its last pair.
func ended[T any](all iter.Seq2[T, error]) (last T, err error) {
	for last, err = range all {
	}
	return last, err
}

func sameLines(t *testing.T, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		var a, b string
		if i < len(got) {
			a = got[i]
		}
		if i < len(want) {
			b = want[i]
		}
		if a != b {
			t.Errorf("line %d is\n\t%s\nwant\n\t%s", i+1, a, b)
		}
	}
}

var roundsHistory = []string{
	`1: begins t.1; end>insist -> insist text="none" topic="otters" verdict=null`,
	`2: insist goes on; /insist:improve goes on; /insist/improve:write write>judge -> judge notes=["wrote otters"] text="otters"`,
	`3: waits for judge.1`,
	`4: /insist/improve:judge terminal -> verdict={"content":true,"note":"fine"}; reply judge.1`,
	`5: /insist:improve improve>sign -> sign notes=["wrote otters"] text="otters" verdict={"content":true,"note":"fine"}`,
	`6: waits for sign.1`,
	`7: /insist:sign sign>store -> store; approve sign.1`,
	`8: /insist:store terminal -> notes+=["stored otters"]`,
	`9: insist insist>file -> file notes=["wrote otters","stored otters"] text="otters" verdict={"content":true,"note":"fine"}`,
	`10: file terminal -> notes+=["filed otters"]; completed`,
}

func TestHistory(t *testing.T) {
	s := thread.NewMemory()
	m, _ := roundsIn(t, s, thread.EveryStep)
	sameLines(t, historyOf(t, s, "t", 0), roundsHistory)
	sameLines(t, historyOf(t, s, "t", 6), roundsHistory[6:])
	var ofMachine []string
	for step, err := range m.Thread("t").History(t.Context(), 6) {
		if err != nil {
			t.Fatal(err)
		}
		ofMachine = append(ofMachine, lineOf(step))
	}
	sameLines(t, ofMachine, roundsHistory[6:])
	if _, err := m.Thread("t").Start(t.Context(), pauses.RoundsInput{Topic: "eels"}); err == nil {
		t.Fatal("the run does not wait")
	}
	sameLines(t, historyOf(t, s, "t", 10)[:1], []string{`11: begins t.11; end>insist -> insist text="none" topic="eels" verdict=null`})
	if n, err := s.Prune(t.Context(), "t", 11); n != 10 || err != nil {
		t.Fatal(n, err)
	}
	if got := historyOf(t, s, "t", 0); len(got) != 3 || !strings.HasPrefix(got[0], "11: begins t.11;") {
		t.Errorf("after Prune: %v", got)
	}
	if _, err := ended(durable.History(t.Context(), s, "none", 0)); !isNotFound(err) {
		t.Errorf("the error is %v", err)
	}
	if _, err := ended(m.Thread("none").History(t.Context(), 0)); !isNotFound(err) {
		t.Errorf("the error is %v", err)
	}
}

// TestHistoryOfSnapshots holds that snapshots within a run are shown as what they change.
func TestHistoryOfSnapshots(t *testing.T) {
	s := thread.NewMemory()
	roundsIn(t, s, thread.AtPauses)
	sameLines(t, historyOf(t, s, "t", 0), []string{
		`1: begins t.1; end>insist -> insist text="none" topic="otters" verdict=null`,
		`2: insist goes on; /insist:improve goes on text="none" topic="otters" verdict=null; /insist/improve:write write>judge -> ` +
			`judge notes=["wrote otters"] text="otters" topic="otters" verdict=null; waits for judge.1`,
		`3: /insist:improve improve>sign -> sign notes=["wrote otters"] text="otters" verdict={"content":true,"note":"fine"}; ` +
			`reply judge.1; waits for sign.1`,
		`4: file terminal -> notes=["wrote otters","stored otters","filed otters"] text="otters" verdict={"content":true,"note":"fine"}; completed`,
	})
}

// TestLongHistory holds that a history of several pages has every record once.
func TestLongHistory(t *testing.T) {
	s := thread.NewMemory()
	m, err := journals.NewJournal(journalist{}, thread.In(s))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Thread("t").Start(t.Context(), journals.JournalInput{Most: 1100}); err != nil {
		t.Fatal(err)
	}
	steps := uint64(0)
	for step, err := range durable.History(t.Context(), s, "t", 0) {
		if steps++; err != nil || step.Seq != steps {
			t.Fatalf("step %d is %d, %v", steps, step.Seq, err)
		}
	}
	if steps != 1101 {
		t.Errorf("there are %d steps", steps)
	}
}

// TestStateAt holds that the states that a replay yields are those at the records, and those that the machine reads.
func TestStateAt(t *testing.T) {
	s := thread.NewMemory()
	m, bank := roundsIn(t, s, thread.EveryStep)
	calls := len(bank.done)
	var paths []string
	for state, err := range durable.Replay(t.Context(), s, "t", 0, 0) {
		if err != nil {
			t.Fatal(err)
		}
		at, err := durable.StateAt(t.Context(), s, "t", state.Seq)
		if err != nil || !reflect.DeepEqual(at, state) {
			t.Errorf("the state at %d is %+v, %v, and %+v in a replay", state.Seq, at, err, state)
		}
		typed, err := m.Thread("t").StateAt(t.Context(), state.Seq)
		if err != nil || fmt.Sprintf("%q", typed.Text) != string(state.Field("text")) || typed.Topic != "otters" {
			t.Errorf("the state at %d is %+v, %v, want %s", state.Seq, typed, err, state.Runs[0].JSON())
		}
		paths = append(paths, fmt.Sprintf("%d %s|%s|%s|%s|%v", state.Seq, state.Runs[0].Node, state.Runs[len(state.Runs)-1].Next,
			state.Runs[0].JSON(), state.Ended, state.Open))
	}
	sameLines(t, slices.Concat(paths[2:3], paths[9:]), []string{
		`3 insist|judge|{"text":"none","topic":"otters","verdict":null}||[judge.1]`,
		`10 file||{"notes":["wrote otters","stored otters","filed otters"],"text":"otters","topic":"otters","verdict":{"content":true,` +
			`"note":"fine"}}|completed|[]`,
	})
	if len(bank.done) != calls {
		t.Error("looking back has effects")
	}
	partly := 0
	for state, err := range durable.Replay(t.Context(), s, "t", 4, 6) {
		if partly++; err != nil || state.Seq != uint64(3+partly) {
			t.Errorf("%+v, %v", state, err)
		}
	}
	_, err := durable.StateAt(t.Context(), s, "t", 99)
	if none, ok := errors.AsType[*thread.NotFoundError](err); !ok || none.Seq != 99 || partly != 3 {
		t.Errorf("%d states, %v", partly, err)
	}
	panel, _ := pauses.NewPanel(panelWork{bank})
	desk, _ := pauses.NewDesk(panel, thread.In(s))
	if _, err := desk.Thread("t").StateAt(t.Context(), 0); err == nil || !strings.Contains(err.Error(), `is of the graph "rounds"`) {
		t.Errorf("the error is %v", err)
	}
	if err := desk.Thread("t").Fork(t.Context(), 0, "x", nil); err == nil || !strings.Contains(err.Error(), `is of the graph "rounds"`) {
		t.Errorf("the error is %v", err)
	}
}

// forkAll forks a thread behind each of its records, and makes the runs of the forks.
func forkAll(t *testing.T, s thread.Store, bank *ledger, fork func(seq uint64, to string) error, machine func(name string) survivor) {
	t.Helper()
	head, records, err := s.Load(t.Context(), "t", 0)
	if err != nil {
		t.Fatal(err)
	}
	whole := historyOf(t, s, "t", 0)
	want, err := machine("t").recover(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for seq := uint64(1); seq <= head.Seq; seq++ {
		name := fmt.Sprintf("fork %d", seq)
		if err := fork(seq, name); err != nil {
			t.Fatal(err)
		}
		first := true
		before := len(bank.done)
		got, _ := live(t, func() survivor {
			m := machine(name)
			if first {
				first, m.start = false, m.recover
			}
			return m
		}, personal)
		if a, b := canonical(t, want), canonical(t, got); a != b {
			t.Errorf("%s: the output is %s, want %s", name, b, a)
		}
		if fresh := len(bank.done) - before; seq < 3 && fresh == 0 || seq == head.Seq && fresh > 0 {
			t.Errorf("%s has %d effects with keys of its own", name, fresh)
		}
		lines := historyOf(t, s, name, 0)
		sameLines(t, lines[:seq], whole[:seq])
		if origin := fmt.Sprintf("begins %s.%d; forked from t behind %d", name, seq+1, seq); seq < head.Seq &&
			!strings.HasPrefix(lines[seq], fmt.Sprintf("%d: %s", seq+1, origin)) {
			t.Errorf("%s begins with %s", name, lines[seq])
		}
	}
	if last, _, err := s.Load(t.Context(), fmt.Sprintf("fork %d", head.Seq), 0); err != nil || last.Status != thread.Completed {
		t.Errorf("the fork of a complete run is %+v, %v", last, err)
	}
	after, again, err := s.Load(t.Context(), "t", 0)
	if err != nil || !reflect.DeepEqual(head, after) || !reflect.DeepEqual(records, again) {
		t.Errorf("the forks have changed their origin: %+v, %v", after, err)
	}
	for key, times := range bank.done {
		if times != 1 {
			t.Errorf("%s was done %d times", key, times)
		}
	}
}

func TestForkEverywhere(t *testing.T) {
	t.Run("rounds", func(t *testing.T) {
		s := thread.NewMemory()
		m, bank := roundsIn(t, s, thread.EveryStep)
		fork := func(seq uint64, to string) error {
			return m.Thread("t").Fork(t.Context(), seq, to, func(*pauses.RoundsState) {})
		}
		forkAll(t, s, bank, fork, func(name string) survivor { return roundsThread(m, name) })
	})
	t.Run("desk", func(t *testing.T) {
		s := thread.NewMemory()
		m, bank := deskIn(t, s)
		fork := func(seq uint64, to string) error { return durable.ForkThread(t.Context(), s, "t", seq, to) }
		forkAll(t, s, bank, fork, func(name string) survivor { return deskThread(m, name) })
	})
}

// TestForkWithEdits holds that a fork goes on with what was edited.
func TestForkWithEdits(t *testing.T) {
	s := thread.NewMemory()
	m, _ := roundsIn(t, s, thread.EveryStep)
	edit := func(field, value string) []thread.Edit {
		return []thread.Edit{{Field: field, JSON: []byte(value)}}
	}
	tests := map[string]struct {
		fork func(to string) error
		want string // of the output, or of the error
	}{
		"typed": {func(to string) error {
			return m.Thread("t").Fork(t.Context(), 9, to, func(s *pauses.RoundsState) { s.Text, s.Notes = "eels", append(s.Notes, "edited") })
		}, `{"text":"eels","notes":["wrote otters","stored otters","edited","filed eels"]}`},
		"JSON": {func(to string) error {
			return durable.ForkThread(t.Context(), s, "t", 9, to, edit("text", ` "eels" `)...)
		},
			`{"text":"eels","notes":["wrote otters","stored otters","filed eels"]}`},
		"of a child run": {func(to string) error {
			return durable.ForkThread(t.Context(), s, "t", 7, to, thread.Edit{At: "/insist", Field: "text", JSON: []byte(`"eels"`)})
		}, `{"text":"eels","notes":["wrote otters","stored eels","filed eels"]}`},
		"before the first step": {func(to string) error {
			return m.Thread("t").Fork(t.Context(), 1, to, func(s *pauses.RoundsState) { s.Topic = "eels" })
		}, `{"text":"eels","notes":["wrote eels","stored eels","filed eels"]}`},
		"a value of another type": {func(to string) error { return durable.ForkThread(t.Context(), s, "t", 9, to, edit("text", `7`)...) },
			`text: expected a string, found a number`},
		"a field that the graph does not have": {func(to string) error { return durable.ForkThread(t.Context(), s, "t", 9, to, edit("txt", `"x"`)...) },
			`the graph has no field "txt"`},
		"a cell of the kernel": {func(to string) error { return durable.ForkThread(t.Context(), s, "t", 9, to, edit(".at", `"end"`)...) },
			`thread "t" has no field ".at"`},
		"no JSON": {func(to string) error { return durable.ForkThread(t.Context(), s, "t", 9, to, edit("text", `eels`)...) },
			`the value of text is not JSON`},
		"a place without a run": {func(to string) error {
			return durable.ForkThread(t.Context(), s, "t", 9, to, thread.Edit{At: "/insist", Field: "text", JSON: []byte(`""`)})
		}, `thread "t" has no run at "/insist" after record 9`},
		"an end": {func(to string) error { return durable.ForkThread(t.Context(), s, "t", 0, to, edit("text", `"x"`)...) },
			`thread "t" is complete at record 10`},
		"no such record": {func(to string) error { return durable.ForkThread(t.Context(), s, "t", 11, to) }, `thread "t" has no record 11`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := test.fork(name)
			if err == nil {
				var out any
				th := m.Thread(name)
				out, err = th.Recover(t.Context())
				for p := graphgen.AsPause(err); p != nil; p = graphgen.AsPause(err) {
					q := p.Requests[0]
					out, err = th.Resume(t.Context(), graphgen.AnswerJSON[pauses.Rounds](q.ID, []byte(personal[q.Node])))
				}
				if err == nil {
					if got := canonical(t, out); got != test.want {
						t.Errorf("the output is %s, want %s", got, test.want)
					}
					return
				}
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, want %s", err, test.want)
			}
		})
	}
}

// A refusing store has an error for the second Append of a thread.
type refusing struct{ thread.Store }

func (refusing) Append(context.Context, thread.Lease, thread.Head, []thread.Record) (thread.Ack, error) {
	return thread.Ack{}, errors.New("the disk is full")
}

// TestForkIsStopped holds that nothing takes up a fork by itself, that the name of a thread is used once, and that a
// fork which cannot be written is not there.
func TestForkIsStopped(t *testing.T) {
	s := thread.NewMemory()
	roundsIn(t, s, thread.EveryStep)
	if err := durable.ForkThread(t.Context(), s, "t", 9, "fork", thread.Edit{Field: "text", JSON: []byte(`"eels"`)}); err != nil {
		t.Fatal(err)
	}
	sameLines(t, historyOf(t, s, "fork", 9), []string{`10: begins fork.10; forked from t behind 9; insist insist>file -> file text="eels"`})
	head, _, err := s.Load(t.Context(), "fork", 0)
	if err != nil || head.Status != thread.Stopped || !head.Until.IsZero() || head.Graph != "rounds" || head.Created.IsZero() {
		t.Errorf("the head is %+v, %v", head, err)
	}
	err = durable.ForkThread(t.Context(), s, "t", 9, "fork")
	if state, ok := errors.AsType[*thread.StateError](err); !ok || state.Thread != "fork" || !errors.Is(err, thread.ErrExists) {
		t.Errorf("the error is %v", err)
	}
	if err := durable.ForkThread(t.Context(), refusing{s}, "t", 9, "none"); err == nil {
		t.Error("the fork has no error")
	}
	_, _, err = s.Load(t.Context(), "none", 0)
	if _, none := errors.AsType[*thread.NotFoundError](err); !none {
		t.Errorf("the error is %v", err)
	}
}

// A copying store is of a process that ends when it has copied a thread.
type copying struct{ thread.Store }

var errCopied = errors.New("the process has ended")

func (copying) Acquire(context.Context, string, time.Duration) (thread.Lease, thread.Head, error) {
	return thread.Lease{}, thread.Head{}, errCopied
}

func (copying) Delete(context.Context, string) error { return errCopied }

// TestForkKilled holds that a fork of which only the copy is made is not run, and that the same fork completes it.
func TestForkKilled(t *testing.T) {
	s := thread.NewMemory()
	m, _ := roundsIn(t, s, thread.EveryStep)
	eels := thread.Edit{Field: "text", JSON: []byte(`"eels"`)}
	if err := durable.ForkThread(t.Context(), copying{s}, "t", 9, "fork", eels); !errors.Is(err, errCopied) {
		t.Fatal(err)
	}
	_, recovered := m.Thread("fork").Recover(t.Context())
	_, started := m.Thread("fork").Start(t.Context(), pauses.RoundsInput{Topic: "eels"})
	for _, err := range []error{recovered, started} {
		if state, ok := errors.AsType[*thread.StateError](err); !ok || !strings.Contains(state.Error(), "not whole") {
			t.Errorf("the error is %v", err)
		}
	}
	if err := durable.ForkThread(t.Context(), s, "t", 8, "fork"); !errors.Is(err, thread.ErrExists) {
		t.Errorf("the error of another fork is %v", err)
	}
	if err := durable.ForkThread(t.Context(), s, "t", 9, "fork", eels); err != nil {
		t.Fatal(err)
	}
	sameLines(t, historyOf(t, s, "fork", 9), []string{`10: begins fork.10; forked from t behind 9; insist insist>file -> file text="eels"`})
	if err := durable.ForkThread(t.Context(), s, "t", 9, "fork", eels); !errors.Is(err, thread.ErrExists) {
		t.Errorf("the error of a third fork is %v", err)
	}
	if _, err := m.Thread("fork").Recover(t.Context()); err != nil {
		t.Error(err)
	}
}
