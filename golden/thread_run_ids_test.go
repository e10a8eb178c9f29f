package golden_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/golden/pauses"
	"github.com/graphgen/graphgen/golden/sealed"
	"github.com/graphgen/graphgen/thread"
)

// TestRunIDWaits holds that Start with the ID of a run that waits returns its pause, and its output when it has ended.
func TestRunIDWaits(t *testing.T) {
	store, bank := thread.NewMemory(), new(ledger)
	m, err := pauses.NewRounds(roundsWork{bank}, thread.In(store))
	if err != nil {
		t.Fatal(err)
	}
	start := func(topic string) (pauses.RoundsOutput, error) {
		return m.Thread("t").Start(t.Context(), pauses.RoundsInput{Topic: topic}, graphgen.WithRunID("r"))
	}
	_, err = start("otters")
	first := pause(t, err)
	before := statusOf(t, store, "t")
	_, err = start("otters")
	if again := pause(t, err); again.Requests[0].ID != first.Requests[0].ID || statusOf(t, store, "t").Seq != before.Seq {
		t.Errorf("the pause is %+v, want %+v", again.Requests, first.Requests)
	}
	if _, err = start("seals"); !errors.Is(err, thread.ErrOtherInput) {
		t.Errorf("another input: %v", err)
	}
	_, err = m.Thread("t").Resume(t.Context(), pauses.AnswerRoundsJudge(pauses.Verdict{Content: true}))
	pause(t, err)
	out, err := m.Thread("t").Resume(t.Context(), pauses.AnswerRoundsSign(graphgen.Approve))
	if err != nil {
		t.Fatal(err)
	}
	again, err := start("otters")
	if made, want := fmt.Sprint(again), fmt.Sprint(out); err != nil || made != want {
		t.Errorf("it gives %s, %v, want %s", made, err, want)
	}
	for key, n := range bank.done {
		if n > 1 {
			t.Errorf("the effect %s was made %d times", key, n)
		}
	}
}

// TestRunIDKilled holds that a run which is killed at any of its appends ends by Start with its ID, and makes no finished step again.
func TestRunIDKilled(t *testing.T) {
	killed(t, 1, func(kept thread.Option, bank *ledger) survivor {
		m, err := pauses.NewRounds(roundsWork{bank}, kept)
		if err != nil {
			t.Fatal(err)
		}
		in := pauses.RoundsInput{Topic: "otters"}
		start := func(ctx context.Context) (any, error) { return m.Thread("t").Start(ctx, in, graphgen.WithRunID("r")) }
		s := survivorOf(m.Thread("t"), in)
		s.start, s.recover = start, start
		return s
	}, map[string]string{"judge": `{"content":true,"note":"fine"}`, "sign": `"approve"`})
}

// TestRunIDForked holds that a fork does not make the run of the other thread again, and has a run of its own.
func TestRunIDForked(t *testing.T) {
	store := thread.NewMemory()
	m := newJournal(t, page, thread.Settings{Store: store})
	in := durable.JournalInput{Basis: "b", Most: 3}
	if _, err := m.Thread("t").Start(t.Context(), in, graphgen.WithRunID("r")); err != nil {
		t.Fatal(err)
	}
	if err := m.Thread("t").Fork(t.Context(), 2, "f", func(s *durable.JournalState) { s.Most = 2 }); err != nil {
		t.Fatal(err)
	}
	_, err := m.Thread("f").Start(t.Context(), in, graphgen.WithRunID("r"))
	if !errors.Is(err, thread.ErrRunForked) {
		t.Errorf("the run of the other thread: %v", err)
	}
	if out, err := m.Thread("f").Recover(t.Context()); err != nil || out.Pages != 2 {
		t.Errorf("the fork gives %+v, %v", out, err)
	}
	if out, err := m.Thread("f").Start(t.Context(), in, graphgen.WithRunID("s")); err != nil || out.Pages != 3 {
		t.Errorf("another run of the fork gives %+v, %v", out, err)
	}
	if _, err = m.Thread("f").Start(t.Context(), in, graphgen.WithRunID("r")); !errors.Is(err, thread.ErrRunForked) {
		t.Errorf("the run of the other thread, later: %v", err)
	}
}

// TestRunIDOlder holds that a run is known by its ID where a version saved it that kept no hash of the input: then all inputs are accepted.
func TestRunIDOlder(t *testing.T) {
	store := thread.NewMemory()
	m := newJournal(t, page, thread.Settings{Store: store})
	start := func(m *durable.Journal, most int) (durable.JournalOutput, error) {
		return m.Thread("t").Start(t.Context(), durable.JournalInput{Basis: "b", Most: most}, graphgen.WithRunID("r"))
	}
	if _, err := start(m, 1); err != nil {
		t.Fatal(err)
	}
	older := forger{store, func(r []thread.Record) []thread.Record {
		for i := range r {
			r[i].Data = regexp.MustCompile(`,"input":"[^"]*"`).ReplaceAll(r[i].Data, nil)
			if i > 0 {
				r[i].Data = regexp.MustCompile(`"before":"[^"]*"`).ReplaceAll(r[i].Data, []byte(`"before":"`+hashOf(r[i-1].Data)+`"`))
			}
		}
		return r
	}, true}
	if out, err := start(newJournal(t, page, thread.Settings{Store: older}), 2); err != nil || out.Pages != 1 {
		t.Errorf("the run of an earlier version gives %+v, %v", out, err)
	}
	if _, err := start(m, 2); !errors.Is(err, thread.ErrOtherInput) {
		t.Errorf("the run of this version: %v", err)
	}
}

// TestRunIDSealed holds that what tells inputs apart is sealed where they may have secrets.
func TestRunIDSealed(t *testing.T) {
	store := thread.NewMemory()
	m := newSealed(t, new(ledger), thread.Settings{Store: store, Seal: keys(t, "k")})
	start := func(run, name string) error {
		_, err := m.Thread("t").Start(t.Context(), sealed.SealedInput{Name: name}, graphgen.WithRunID(run))
		return err
	}
	pause(t, start("r", "Ada"))
	pause(t, start("r", "Ada"))
	if err := start("r", "Eve"); !errors.Is(err, thread.ErrOtherInput) {
		t.Errorf("another input: %v", err)
	}
	if _, err := m.Thread("t").Resume(t.Context(), sealed.AnswerSealedSign(graphgen.Approve)); err != nil {
		t.Fatal(err)
	}
	pause(t, start("s", "Bob"))
	if err := start("r", "Ada"); err != nil {
		t.Errorf("the earlier run: %v", err)
	}
	if err := start("r", "Eve"); !errors.Is(err, thread.ErrOtherInput) {
		t.Errorf("another input of the earlier run: %v", err)
	}
	records, err := store.History(t.Context(), "t", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	snapshots := 0
	for _, r := range records {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(r.Data, &members); err != nil || members["input"] != nil || members["earlier"] != nil {
			t.Errorf("record %d has %s, %v", r.Seq, r.Data, err)
		}
		if r.Snapshot {
			snapshots++
		}
	}
	if snapshots != 2 || strings.Contains(string(statusOf(t, store, "t").Summary), "input") {
		t.Errorf("%d snapshots", snapshots)
	}
}

// TestRunIDsForgotten holds how many runs a thread knows by their IDs, and that its steps do not grow with them.
func TestRunIDsForgotten(t *testing.T) {
	store := thread.NewMemory()
	m := newJournal(t, page, thread.Settings{Store: store})
	start := func(n, most int) error {
		_, err := m.Thread("t").Start(t.Context(), durable.JournalInput{Most: most}, graphgen.WithRunID(fmt.Sprint("run", n)))
		return err
	}
	const remembered = 1000
	for n := range remembered + 2 {
		if err := start(n, 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := start(1, 2); !errors.Is(err, thread.ErrOtherInput) {
		t.Errorf("the oldest run that is known: %v", err)
	}
	head, records, err := store.Load(t.Context(), "t", 0)
	if err != nil || len(head.Summary) > 200 || len(records[0].Data) > 70*remembered+1000 {
		t.Errorf("the head has %d bytes, the first record %d, %v", len(head.Summary), len(records[0].Data), err)
	}
	for _, r := range records[1:] {
		if len(r.Data) > 600 {
			t.Errorf("record %d has %d bytes", r.Seq, len(r.Data))
		}
	}
}
