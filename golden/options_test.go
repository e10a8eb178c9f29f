package golden_test

import (
	"context"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/golden/pauses"
	"github.com/graphgen/graphgen/golden/subgraph"
	"github.com/graphgen/graphgen/internal/optionset"
	"github.com/graphgen/graphgen/thread"
)

// TestOptionsOnce holds that each option of a call is applied once: in runs, in runs of threads, in what resumes either, and where the
// graph runs others.
func TestOptionsOnce(t *testing.T) {
	applied := 0
	count := optionset.Option(func(*optionset.Settings) { applied++ })
	once := func(call string) {
		t.Helper()
		if applied != 1 {
			t.Errorf("%s applies an option %d times", call, applied)
		}
		applied = 0
	}
	store := thread.NewMemory()
	desk, err := pauses.NewRounds(roundsWork{new(ledger)}, thread.In(store))
	if err != nil {
		t.Fatal(err)
	}
	in := pauses.RoundsInput{Topic: "otters"}
	_, err = desk.Run(t.Context(), in, count)
	p := pause(t, err)
	once("Run")
	_, err = desk.Resume(t.Context(), p, pauses.AnswerRoundsJudge(pauses.Verdict{Content: true}), count)
	p = pause(t, err)
	once("an answer")
	if _, err = desk.Resume(t.Context(), p, graphgen.AnswerJSON[pauses.Rounds](p.Requests[0].ID, []byte(`"approve"`)), count); err != nil {
		t.Fatal(err)
	}
	once("Answer")

	_, err = desk.Thread("t").Start(t.Context(), in, count)
	pause(t, err)
	once("Start")
	_, err = desk.Thread("t").Recover(t.Context(), count)
	pause(t, err)
	once("Recover of a run that waits")
	_, err = desk.Thread("t").Resume(t.Context(), pauses.AnswerRoundsJudge(pauses.Verdict{Content: true}), count)
	pause(t, err)
	once("an answer in a thread")
	if _, err = desk.Thread("t").Resume(t.Context(), pauses.AnswerRoundsSign(graphgen.Approve), count); err != nil {
		t.Fatal(err)
	}
	once("the last answer in a thread")
	if _, err = desk.Thread("t").Recover(t.Context(), count); err != nil {
		t.Fatal(err)
	}
	once("Recover of a run that has ended")

	ctx, cancel := context.WithCancel(t.Context())
	m := newJournal(t, func(context.Context) (string, error) { cancel(); return "page", nil }, thread.Settings{Store: store})
	if _, err := m.Thread("j").Start(ctx, durable.JournalInput{Most: 3}, count); err == nil {
		t.Fatal("its context did not end")
	}
	once("Start of a run that is cut off")
	if _, err := m.Thread("j").Recover(t.Context(), count); err != nil {
		t.Fatal(err)
	}
	once("Recover")

	panel, err := pauses.NewPanel(panelWork{new(ledger)})
	if err != nil {
		t.Fatal(err)
	}
	around, err := pauses.NewDesk(panel, thread.In(store))
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{"lawyer": `"approve"`, "editor": `"fine"`, "lead": `"good"`}
	for name, start := range map[string]func() error{
		"a run around others": func() error {
			return second(around.Run(t.Context(), pauses.DeskInput{Texts: []string{"a", "b"}}, count))
		},
		"a run around others in a thread": func() error {
			return second(around.Thread("d").Start(t.Context(), pauses.DeskInput{Texts: []string{"a", "b"}}, count))
		},
	} {
		err := start()
		for once(name); err != nil; once("an answer to " + name) {
			p := pause(t, err)
			q := p.Requests[0]
			_, err = around.Resume(t.Context(), p, graphgen.AnswerJSON[pauses.Desk](q.ID, []byte(answers[q.Node])), count)
		}
	}
	if _, err := new(library).article(t).Run(t.Context(), subgraph.ArticleInput{Topic: "otters"}, count); err != nil {
		t.Fatal(err)
	}
	once("a run with child runs")
}
