package golden_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/interrupts"
	"github.com/graphgen/graphgen/thread"
)

// correspondent writes letters, and posts them.
type correspondent struct {
	did    []string
	posted func()
}

func (c *correspondent) Write(context.Context) (interrupts.LetterWriteOut, error) {
	c.did = append(c.did, "write")
	return interrupts.LetterWriteOut{Log: []string{"written"}}, nil
}

func (c *correspondent) Post(context.Context) (interrupts.LetterPostOut, error) {
	if c.did = append(c.did, "post"); c.posted != nil {
		c.posted()
	}
	return interrupts.LetterPostOut{Log: []string{"posted"}}, nil
}

// TestLastNodeRunsOnce holds that another process continues a run that has paused after its last node, without a second run of that node.
func TestLastNodeRunsOnce(t *testing.T) {
	for name, mode := range map[string]thread.Mode{"every step": thread.EveryStep, "async": thread.Async, "at pauses": thread.AtPauses} {
		t.Run(name, func(t *testing.T) {
			work, store := new(correspondent), thread.NewMemory()
			process := func() *interrupts.Letter {
				m, err := interrupts.NewLetter(work, thread.With(thread.Settings{Store: store, Mode: mode}))
				if err != nil {
					t.Fatal(err)
				}
				return m
			}
			_, err := process().Thread("t").Start(t.Context(), interrupts.LetterInput{})
			var met []string
			var out interrupts.LetterOutput
			for p := pause(t, err); p != nil; p = graphgen.AsPause(err) {
				met = append(met, p.Requests[0].ID)
				out, err = process().Thread("t").Resume(t.Context(), interrupts.ContinueLetter())
			}
			if got := strings.Join(met, " "); err != nil || got != "write.1.after post.1.after" || strings.Join(out.Log, " ") != "written posted" {
				t.Errorf("the run waits for %s, and ends with %v, %v", got, out.Log, err)
			}
			if got := strings.Join(work.did, " "); got != "write post" {
				t.Errorf("the nodes that ran are %s", got)
			}
		})
	}
}

// TestStopAfterTheLastNode holds that a stop continues no run which waits for a person, and that it asks later.
func TestStopAfterTheLastNode(t *testing.T) {
	work, store := new(correspondent), thread.NewMemory()
	m, err := interrupts.NewLetter(work, thread.In(store))
	if err != nil {
		t.Fatal(err)
	}
	work.posted = func() {
		if err := m.Thread("t").Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
	_, err = m.Thread("t").Start(t.Context(), interrupts.LetterInput{})
	pause(t, err)
	_, err = m.Thread("t").Resume(t.Context(), interrupts.ContinueLetter())
	end, _ := errors.AsType[*graphgen.RunError](err)
	if head := statusOf(t, store, "t"); end == nil || end.Reason != graphgen.Stopped || head.Status != thread.Stopped {
		t.Fatalf("the thread is %v, the error %v", head.Status, err)
	}
	_, err = m.Thread("t").Recover(t.Context())
	if p := pause(t, err); p.Requests[0].ID != "post.1.after" {
		t.Errorf("then it asks %+v", p.Requests)
	}
	out, err := m.Thread("t").Resume(t.Context(), interrupts.ContinueLetter())
	if err != nil || strings.Join(out.Log, " ") != "written posted" || len(work.did) != 2 {
		t.Errorf("it ends with %+v, %v, after %v", out, err, work.did)
	}
}

// TestWithdrawnAfterTheLastNode holds that a run which waited after its last node is stopped where its request is withdrawn.
func TestWithdrawnAfterTheLastNode(t *testing.T) {
	letter, err := interrupts.NewLetter(new(correspondent))
	if err != nil {
		t.Fatal(err)
	}
	m, err := interrupts.NewMail(letter)
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Run(t.Context(), interrupts.MailInput{})
	p := pause(t, err)
	_, err = m.Resume(t.Context(), p, interrupts.ContinueMail())
	p = pause(t, err)
	if len(p.Requests) != 2 || p.Requests[0].ID != "writer/letter.1/post.1.after" {
		t.Errorf("the run waits for %+v", p.Requests)
	}
	var report graphgen.Report
	out, err := m.Resume(t.Context(), p, interrupts.AnswerMailWant(graphgen.Deny), graphgen.WithReport(&report))
	if err != nil || len(out.Log) > 0 {
		t.Errorf("the end: %v, %v", out.Log, err)
	}
	if n := report.Nested; len(n) != 1 || n[0].Report.Reason != graphgen.Stopped {
		t.Errorf("the runs within are %+v", n)
	}
}
