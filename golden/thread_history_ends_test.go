package golden_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/golden/pauses"
	rundurable "github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/runtime/thread"
)

// TestHistoryOfNextEnd holds that the last record of a run names its node and the transition to the end.
func TestHistoryOfNextEnd(t *testing.T) {
	store := thread.NewMemory()
	m, err := durable.NewTurns(turnsWork{new(ledger)}, thread.In(store))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Start(t.Context(), "t", durable.TurnsInput{}); err != nil {
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
	if _, err := m.Start(t.Context(), "t", pauses.PanelInput{Text: "x"}); err == nil {
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
