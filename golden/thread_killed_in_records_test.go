package golden_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/records"
	"github.com/graphgen/graphgen/thread"
)

// TestRecordsKilled holds that the record of an answer is saved with the step of its node or not at all, where the process is killed
// between the answer and the step: the question is then open, and the state has the record of who answers it again. An
// answer whose step was saved is not asked for again, and its record is there once.
func TestRecordsKilled(t *testing.T) {
	for name, mode := range map[string]thread.Mode{"every step": thread.EveryStep, "async": thread.Async, "at pauses": thread.AtPauses} {
		t.Run(name, func(t *testing.T) {
			again, appends := 0, 1
			for at := 0; at < appends; at++ {
				for _, during := range []bool{false, true} {
					asked, head := recordsKilled(t, mode, at, during)
					appends = max(appends, int(head))
					again += asked
				}
			}
			few := again < 4 && mode != thread.Async // which has more records in an append on a busy machine
			if appends < 5 || few || mode == thread.EveryStep && again > appends {
				t.Errorf("of %d appends, %d answers were asked for again", appends, again)
			}
		})
	}
}

// recordsKilled makes a run whose first process is killed at an append, and returns how many answers were given again, and how many
// records the thread has.
func recordsKilled(t *testing.T, mode thread.Mode, at int, during bool) (again int, seq uint64) {
	now := time.Unix(1e9, 0)
	store := thread.NewMemoryAt(func() time.Time { return now })
	machine := func(s thread.Store) *records.Records {
		m, err := records.NewRecords(herald{}, thread.With(thread.Settings{Store: s, Mode: mode}))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	m := machine(&mortal{Store: store, left: at, during: during})
	in := records.RecordsInput{Payments: []string{"a", "b"}}
	out, err := m.Thread("t").Start(t.Context(), in)
	by := map[string]string{} // who has answered last, by request
	killed := false
	for answers := 0; err != nil && answers < 20; answers++ {
		p := graphgen.AsPause(err)
		if p == nil {
			if !errors.Is(err, errKilled) || killed {
				t.Fatalf("append %d (%v): %v", at, during, err)
			}
			killed = true
			now = now.Add(time.Hour)
			m = machine(store)
			out, err = m.Thread("t").Recover(t.Context())
			if _, none := errors.AsType[*thread.NotFoundError](err); none {
				out, err = m.Thread("t").Start(t.Context(), in)
			}
			continue
		}
		id := p.Requests[0].ID
		if by[id] != "" {
			again++
		}
		by[id] = fmt.Sprintf("%s by %d", id, answers)
		text := `"approve"`
		if strings.HasPrefix(id, "ask.") {
			text = `"fine"`
		}
		answer := graphgen.AnswerJSON[records.Records](id, []byte(text))
		out, err = m.Thread("t").Resume(context.WithoutCancel(t.Context()), answer, graphgen.AnsweredBy(by[id]))
	}
	if err != nil {
		t.Fatalf("append %d (%v): %v", at, during, err)
	}
	want := []string{by["0/check.1"], by["1/check.1"], by["ask.1"]}
	var got []string
	for _, s := range out.Signed {
		got = append(got, s.By)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || out.Last.By != by["chief.1"] || len(by) != 4 {
		t.Errorf("append %d (%v): signed by %q, last %q, want %q, %q", at, during, got, out.Last.By, want, by["chief.1"])
	}
	head, _, err := store.Load(t.Context(), "t", 0)
	if err != nil {
		t.Fatal(err)
	}
	return again, head.Seq
}
