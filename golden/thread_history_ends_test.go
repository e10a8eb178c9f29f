package golden_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/golden/pauses"
	"github.com/graphgen/graphgen/golden/records"
	rundurable "github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
)

// TestHistoryOfNextEnd holds that the last record of a run names its node and the transition to the end.
func TestHistoryOfNextEnd(t *testing.T) {
	store := thread.NewMemory()
	m, err := durable.NewTurns(turnsWork{new(ledger)}, thread.In(store))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Thread("t").Start(t.Context(), durable.TurnsInput{}); err != nil {
		t.Fatal(err)
	}
	lines := historyOf(t, store, "t", 0)
	if last := lines[len(lines)-1]; !strings.Contains(last, ": pair pair>end ->") || !strings.HasSuffix(last, "; completed") {
		t.Errorf("the last record is %s", last)
	}
}

// unprepared fails in the first step of a branch.
type unprepared struct{ panelWork }

func (unprepared) Prepare(context.Context, pauses.PanelPrepareIn) (pauses.PanelPrepareOut, error) {
	return pauses.PanelPrepareOut{}, errors.New("no ink")
}

// TestHistoryOfFailedBranch holds that the record of a branch that fails in its first step names the node.
func TestHistoryOfFailedBranch(t *testing.T) {
	store := thread.NewMemory()
	m, err := pauses.NewPanel(unprepared{panelWork{new(ledger)}}, thread.In(store))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Thread("t").Start(t.Context(), pauses.PanelInput{Text: "x"}); err == nil {
		t.Fatal("the run did not fail")
	}
	failed := 0
	for step, err := range rundurable.History(t.Context(), store, "t", 0) {
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range step.Changes {
			if c.Failed == "" {
				continue
			}
			if failed++; c.At != "/review.law" || c.Node != "prepare" || !c.Ended {
				t.Errorf("the record of the failed branch has %+v", c)
			}
		}
	}
	if failed != 1 {
		t.Errorf("%d records have a failed branch", failed)
	}
}

// TestHistoryOfAnswers holds that the history has how each request was answered: a late approval is not one, and no denial either.
func TestHistoryOfAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := thread.NewMemory()
		m, err := records.NewRecords(herald{}, thread.In(store))
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Thread("t").Start(t.Context(), records.RecordsInput{Payments: []string{"a", "b"}})
		for _, decision := range []string{"approve", "deny", "approve"} {
			p := pause(t, err)
			if len(p.Requests) == 1 && p.Requests[0].Node == "chief" {
				time.Sleep(2 * time.Hour)
			}
			answer := graphgen.AnswerJSON[records.Records](p.Requests[0].ID, []byte(strconv.Quote(decision)))
			_, err = m.Thread("t").Resume(t.Context(), answer)
		}
		if err != nil {
			t.Fatal(err)
		}
		var answers []string
		for step, err := range rundurable.History(t.Context(), store, "t", 0) {
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range step.Answers {
				answers = append(answers, a.Decision+" "+strconv.FormatBool(a.Late.IsZero()))
			}
		}
		if want := []string{"approve true", "deny true", "late false"}; !slices.Equal(answers, want) {
			t.Errorf("the answers are %q, want %q", answers, want)
		}
	})
}
