package golden_test

import (
	"context"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/golden/pauses"
	"github.com/graphgen/graphgen/golden/subgraph"
	"github.com/graphgen/graphgen/thread"
)

// TestOptionsOnce holds that each option of a call is applied once: in runs, in runs of threads, in what resumes either, and where the
// graph runs others.
func TestOptionsOnce(t *testing.T) {
	applied := 0
	count := func(*graphgen.Settings) { applied++ }
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
	_, err = desk.ResumeJudge(t.Context(), p, pauses.Verdict{Content: true}, count)
	p = pause(t, err)
	once("an answer")
	if _, err = desk.Answer(t.Context(), p, p.Requests[0].ID, []byte(`"approve"`), count); err != nil {
		t.Fatal(err)
	}
	once("Answer")

	_, err = desk.Start(t.Context(), "t", in, count)
	pause(t, err)
	once("Start")
	_, err = desk.Recover(t.Context(), "t", count)
	pause(t, err)
	once("Recover of a run that waits")
	_, err = desk.ResumeJudge(t.Context(), desk.Thread("t"), pauses.Verdict{Content: true}, count)
	pause(t, err)
	once("an answer in a thread")
	if _, err = desk.ResumeSign(t.Context(), desk.Thread("t"), graphgen.Approve, count); err != nil {
		t.Fatal(err)
	}
	once("the last answer in a thread")
	if _, err = desk.Recover(t.Context(), "t", count); err != nil {
		t.Fatal(err)
	}
	once("Recover of a run that has ended")

	ctx, cancel := context.WithCancel(t.Context())
	m := newJournal(t, func(context.Context) (string, error) { cancel(); return "page", nil }, thread.Settings{Store: store})
	if _, err := m.Start(ctx, "j", durable.JournalInput{Most: 3}, count); err == nil {
		t.Fatal("its context did not end")
	}
	once("Start of a run that is cut off")
	if _, err := m.Recover(t.Context(), "j", count); err != nil {
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
			return second(around.Start(t.Context(), "d", pauses.DeskInput{Texts: []string{"a", "b"}}, count))
		},
	} {
		err := start()
		for once(name); err != nil; once("an answer to " + name) {
			p := pause(t, err)
			q := p.Requests[0]
			_, err = around.Answer(t.Context(), p, q.ID, []byte(answers[q.Node]), count)
		}
	}
	if _, err := new(library).article(t).Run(t.Context(), subgraph.ArticleInput{Topic: "otters"}, count); err != nil {
		t.Fatal(err)
	}
	once("a run with child runs")
}
