package golden_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/scripted"
	"github.com/graphgen/graphgen/golden/clienttools"
	"github.com/graphgen/graphgen/golden/interrupts"
	"github.com/graphgen/graphgen/golden/pauses"
	"github.com/graphgen/graphgen/golden/toolapproval"
)

// TestResumeOptions gives options to resumes that do not fit: nothing changes, and the request stays open.
func TestResumeOptions(t *testing.T) {
	c, ctx := new(till), t.Context()
	m, _ := toolapproval.NewToolapproval(c, refunding())
	_, err := m.Run(ctx, toolapproval.ToolapprovalInput{})
	p := pause(t, err)
	for what, option := range map[string]graphgen.ResumeOption{
		"a prompt of no node":         graphgen.WithPrompt("nobody", "Hurry."),
		"a prompt with another field": graphgen.WithPrompt("close", "About {{nothing}}."),
		"an empty message":            graphgen.WithPromptMessage("close", " "),
	} {
		var report graphgen.Report
		_, err := m.Resume(ctx, p, graphgen.AnswerJSON[toolapproval.Toolapproval](p.Requests[0].ID, []byte(`"approve"`)), option, graphgen.WithReport(&report))
		_, refused := err.(*graphgen.ResumeError)
		_, prompt := errors.AsType[*graphgen.ConfigError](err)
		if !refused || !prompt || report.Graph != "" {
			t.Errorf("%s: %v, report of %q", what, err, report.Graph)
		}
	}
	_, err = m.Resume(ctx, p, graphgen.AnswerJSON[toolapproval.Toolapproval](p.Requests[0].ID, []byte(`"approve"`)), graphgen.WithInterruptBefore("close"))
	if wrong, ok := errors.AsType[*graphgen.ConfigError](err); !ok || !strings.Contains(wrong.Why, "cannot be interrupted") {
		t.Errorf("an interrupt of a machine without interrupts: %v", err)
	}
	for _, q := range p.Requests {
		_, err = m.Resume(ctx, p, graphgen.AnswerJSON[toolapproval.Toolapproval](q.ID, []byte(`"approve"`)), graphgen.WithPrompt("close", "Say goodbye after {{answer}}."))
	}
	if err != nil || len(c.called) != 4 {
		t.Errorf("the run ends with %v, the calls are %v", err, c.called)
	}

	work := new(clerk)
	nodes, _ := interrupts.NewInterrupts(work)
	_, err = nodes.Run(ctx, interrupts.InterruptsInput{}, graphgen.WithInterruptBefore("prepare"))
	at := pause(t, err)
	_, err = nodes.Resume(ctx, at, interrupts.ContinueInterrupts(), graphgen.WithInterruptAfter("nowhere"))
	wrong, unknown := errors.AsType[*graphgen.ConfigError](err)
	if _, refused := err.(*graphgen.ResumeError); !refused || !unknown || wrong.Name != "nowhere" || len(work.did) > 0 {
		t.Errorf("an interrupt of no node: %v, after %v", err, work.did)
	}
	_, err = nodes.Resume(ctx, at, interrupts.ContinueInterrupts(), graphgen.WithInterruptAfter("prepare"))
	if id := pause(t, err).Requests[0].ID; id != "prepare.1.after" {
		t.Errorf("the run waits at %s", id)
	}
}

// TestNestedResumeOptions gives options to a resume that are for graphs within graphs which wait.
func TestNestedResumeOptions(t *testing.T) {
	s, ctx := new(shop), t.Context()
	first := scripted.New(scripted.Turn{Calls: []chat.ToolCall{{Name: "locate", Arguments: `{}`}}}, scripted.Turn{Text: "here"})
	within, _ := clienttools.NewClienttools(s, first)
	desk, _ := clienttools.NewDesk(first, within)
	m, err := clienttools.NewHall(desk)
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Run(ctx, clienttools.HallInput{Question: "Where?"})
	p := pause(t, err)
	const locate, stamp = "help/desk.1/assist.1/assist.1.locate.1", "papers/desk.1/file.1.stamp.1"
	for _, node := range []string{"desk/sort", "desk/assist/assist"} {
		_, err = m.Resume(ctx, p, graphgen.AnswerJSON[clienttools.Hall](stamp, []byte(`{"result":true}`)), graphgen.WithPrompt(node, "About {{nothing}}."))
		if e, ok := errors.AsType[*graphgen.ConfigError](err); !ok || !strings.Contains(e.Why, `"nothing"`) {
			t.Errorf("a prompt of node %s: %v", node, err)
		}
	}
	second := scripted.New(scripted.Turn{Text: "sorted"})
	var wrapped []string
	wrapper := graphgen.WithToolWrapper(func(next chat.ToolFunc) chat.ToolFunc {
		return func(ctx context.Context, call *chat.ToolCall) (chat.ToolResult, error) {
			wrapped = append(wrapped, call.Name)
			return next(ctx, call)
		}
	})
	_, err = m.Resume(ctx, p, graphgen.AnswerJSON[clienttools.Hall](stamp, []byte(`{"result":true}`)), wrapper, graphgen.WithModel(second), graphgen.WithPromptMessage("desk/sort", "Sort them."))
	pause(t, err)
	out, err := m.Resume(ctx, p, graphgen.AnswerJSON[clienttools.Hall](locate, []byte(`{"result":{"city":"Bonn"}}`)))
	if err != nil || out.Answer != "here" || strings.Join(wrapped, " ") != "stamp locate" {
		t.Fatalf("the run ends with %+v, %v; the wrapped calls are %v", out, err, wrapped)
	}
	asked := second.Asked()
	if len(asked) != 1 || !strings.Contains(asked[0].Request.Messages[len(asked[0].Request.Messages)-1].Text, "Sort them.") {
		t.Errorf("the model of the resume was asked %d times: %+v", len(asked), asked)
	}
}

// leaver ends its goroutine after a lawyer's answer.
type leaver struct{ panelists }

func (l *leaver) Thank(context.Context, pauses.PanelThankIn) (out pauses.PanelThankOut, err error) {
	runtime.Goexit()
	return out, nil
}

// TestResumeGoexit checks that a call which ends its goroutine does not hold up the answers to other requests.
func TestResumeGoexit(t *testing.T) {
	exits := graphgen.WithObserver(func(e graphgen.Event) {
		if e.Kind == graphgen.RunStart {
			runtime.Goexit()
		}
	})
	for name, opts := range map[string][]graphgen.ResumeOption{"a handler": nil, "an observer": {exits}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, _ := pauses.NewPanel(new(leaver))
				_, err := m.Run(t.Context(), pauses.PanelInput{Text: "x"})
				p := pause(t, err)
				aside(func() { _, _ = m.Resume(t.Context(), p, pauses.AnswerPanelLawyer(graphgen.Approve), opts...) })
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				if _, err = m.Resume(ctx, p, pauses.AnswerPanelEditor("calm")); !errors.Is(err, graphgen.ErrResumed) {
					t.Errorf("the other request: %v", err)
				}
			})
		})
	}
}
