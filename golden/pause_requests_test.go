package golden_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/pauses"
)

// These tests hold what runs of other engines get wrong that wait for several people. Each names the report of that.

// panelists counts what the nodes of the panel do.
type panelists struct {
	mu   sync.Mutex
	done map[string]int
}

func (p *panelists) did(ctx context.Context) {
	at := graphgen.Info(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done == nil {
		p.done = map[string]int{}
	}
	p.done[strings.Trim(at.Within+"/"+at.Branch+"/"+at.Node, "/")]++
}

func (p *panelists) Prepare(ctx context.Context, in pauses.PanelPrepareIn) (pauses.PanelPrepareOut, error) {
	p.did(ctx)
	return pauses.PanelPrepareOut{Log: []string{"prepared " + in.Text}}, nil
}

func (p *panelists) Thank(ctx context.Context, in pauses.PanelThankIn) (pauses.PanelThankOut, error) {
	p.did(ctx)
	return pauses.PanelThankOut{Log: []string{"thanked for " + in.Text}}, nil
}

func (p *panelists) Check(ctx context.Context, _ pauses.PanelCheckIn) (pauses.PanelCheckOut, error) {
	p.did(ctx)
	return pauses.PanelCheckOut{Checked: true}, nil
}

func (p *panelists) Publish(ctx context.Context, in pauses.PanelPublishIn) (pauses.PanelPublishOut, error) {
	p.did(ctx)
	return pauses.PanelPublishOut{Log: []string{"published " + in.Text + ", " + in.Style}}, nil
}

// once reports nodes that have run more than once in one place.
func (p *panelists) once(t *testing.T) {
	t.Helper()
	for at, times := range p.done {
		if times != 1 {
			t.Errorf("%s ran %d times", at, times)
		}
	}
}

// panelAt returns a panel that waits for both of its people.
func panelAt(t *testing.T, opts ...graphgen.RunOption) (*pauses.Panel, *panelists, *graphgen.Pause) {
	t.Helper()
	work := new(panelists)
	m, err := pauses.NewPanel(work)
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Run(t.Context(), pauses.PanelInput{Text: "x"}, opts...)
	return m, work, pause(t, err)
}

// deskAt returns a desk that runs the panel for two texts, and waits for the people of both.
func deskAt(t *testing.T, opts ...graphgen.RunOption) (*pauses.Desk, *panelists, *graphgen.Pause) {
	t.Helper()
	work := new(panelists)
	panel, err := pauses.NewPanel(work)
	if err != nil {
		t.Fatal(err)
	}
	m, err := pauses.NewDesk(panel)
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Run(t.Context(), pauses.DeskInput{Texts: []string{"a", "b"}}, opts...)
	return m, work, pause(t, err)
}

func ids(p *graphgen.Pause) (ids []string) {
	for _, q := range p.Requests {
		ids = append(ids, q.ID)
	}
	return ids
}

// TestAnswerWithoutARequest: langgraph 8579 accepts one value for several open interrupts.
func TestAnswerWithoutARequest(t *testing.T) {
	m, work, p := deskAt(t)
	if _, err := m.Resume(t.Context(), p, pauses.AnswerDeskPanelLawyer(graphgen.Approve)); !errors.Is(err, graphgen.ErrSeveral) {
		t.Fatalf("one answer for two requests: %v", err)
	}
	_, err := m.Resume(t.Context(), p, pauses.AnswerDeskPanelLawyer(graphgen.Approve).For("1/law/panel.1/lawyer.1"))
	if open := ids(pause(t, err)); len(open) != 3 || slices.Contains(open, "1/law/panel.1/lawyer.1") {
		t.Errorf("still open: %v", open)
	}
	if work.done["panel/1/law/thank"] != 1 || work.done["panel/0/law/thank"] != 0 {
		t.Errorf("the answer reached another run: %v", work.done)
	}
}

// TestAnswersInEitherOrder: langgraph 4028 and mastra 9288 give the answer of one interrupt to another.
func TestAnswersInEitherOrder(t *testing.T) {
	for _, editorFirst := range []bool{false, true} {
		m, work, p := panelAt(t)
		answers := []func(*graphgen.Pause) (pauses.PanelOutput, error){
			func(p *graphgen.Pause) (pauses.PanelOutput, error) {
				return m.Resume(t.Context(), p, pauses.AnswerPanelLawyer(graphgen.Approve))
			},
			func(p *graphgen.Pause) (pauses.PanelOutput, error) {
				return m.Resume(t.Context(), p, pauses.AnswerPanelEditor("calm"))
			},
		}
		if editorFirst {
			slices.Reverse(answers)
		}
		_, err := answers[0](p)
		pause(t, err)
		out, err := answers[1](p) // the first pause still names it
		if err != nil || out.Style != "calm" || !slices.Equal(out.Log, []string{"prepared x", "thanked for x", "published x, calm"}) {
			t.Errorf("%+v, %v", out, err)
		}
		work.once(t)
	}
}

// TestAnsweredRequestsStayAnswered: langgraph 5952 fires resolved interrupts again; 2870 uses a value again.
func TestAnsweredRequestsStayAnswered(t *testing.T) {
	m, _, p := panelAt(t)
	var asked []string
	watch := graphgen.WithObserver(func(e graphgen.Event) {
		if e.Kind == graphgen.Interrupt {
			asked = append(asked, e.Node)
		}
	})
	_, err := m.Resume(t.Context(), p, pauses.AnswerPanelEditor("calm"), watch)
	if next := pause(t, err); !slices.Equal(ids(next), []string{"law/lawyer.1"}) || len(asked) > 0 {
		t.Errorf("open are %v, asked again was %v", ids(next), asked)
	}
	for _, again := range []*graphgen.Pause{p, pause(t, err)} {
		_, err := m.Resume(t.Context(), again, graphgen.AnswerJSON[pauses.Panel]("style/editor.1", []byte(`"wild"`)))
		if _, refused := errors.AsType[*graphgen.ResumeError](err); !refused {
			t.Errorf("a second answer: %v", err)
		}
	}
	if out, err := m.Resume(t.Context(), p, pauses.AnswerPanelLawyer(graphgen.Approve)); err != nil || out.Style != "calm" {
		t.Errorf("%+v, %v", out, err)
	}
}

// TestFinishedNodesStayFinished: langgraph 6208 runs a node again after each resume, 6792 what came before an
// interrupt in a subgraph, 4796 the whole subgraph.
func TestFinishedNodesStayFinished(t *testing.T) {
	m, work, p := deskAt(t)
	var err error
	for _, q := range p.Requests {
		answer := `"approve"`
		if q.Kind == graphgen.RequestReply {
			answer = `"calm"`
		}
		if _, err = m.Resume(t.Context(), p, graphgen.AnswerJSON[pauses.Desk](q.ID, []byte(answer))); err == nil {
			t.Fatal("nobody has asked for the verdict")
		}
	}
	out, err := m.Resume(t.Context(), pause(t, err), pauses.AnswerDeskLead("fine"))
	if err != nil || out.Verdict != "fine" || len(out.Log) != 6 || out.Log[0] != "prepared a" || out.Log[5] != "published b, calm" {
		t.Errorf("%+v, %v", out, err)
	}
	work.once(t)
	if len(work.done) != 8 {
		t.Errorf("what ran: %v", work.done)
	}
}

// TestNestedPausesAreKept: eino 1213, 1222 and 1225 lose the pause of a graph within a graph, or play an answer again.
func TestNestedPausesAreKept(t *testing.T) {
	var report graphgen.Report
	m, _, p := deskAt(t, graphgen.WithReport(&report))
	want := []string{"0/law/panel.1/lawyer.1", "0/style/panel.1/editor.1", "1/law/panel.1/lawyer.1", "1/style/panel.1/editor.1"}
	if !slices.Equal(ids(p), want) {
		t.Fatalf("open are %v", ids(p))
	}
	if q := p.Requests[2]; q.Graph != "panel" || q.Within != "panel" || q.Branch != "1/law" || q.Node != "lawyer" ||
		q.Question != "Is b lawful?" || len(q.Shown) != 1 {
		t.Errorf("%+v", q)
	}
	if report.Reason != graphgen.Paused || !slices.Equal(report.NodePath(), []string{"each", "panel", "panel"}) ||
		len(report.Nested) != 2 || report.Nested[1].Report.Steps != 5 {
		t.Errorf("the report of the pause: %v, %v, %d", report.Reason, report.NodePath(), len(report.Nested))
	}
	_, err := m.Resume(t.Context(), p, graphgen.AnswerJSON[pauses.Desk](want[3], []byte(`"calm"`)), graphgen.WithReport(&report))
	if next := pause(t, err); !slices.Equal(ids(next), want[:3]) {
		t.Errorf("open are %v", ids(next))
	}
}

// TestParallelPausesAreTaken: adk-go refuses two pauses at once (ErrParallelHITLUnsupported).
func TestParallelPausesAreTaken(t *testing.T) {
	m, work, p := panelAt(t)
	errs := make([]error, 2)
	outs := make([]pauses.PanelOutput, 2)
	var wait sync.WaitGroup
	wait.Go(func() { outs[0], errs[0] = m.Resume(t.Context(), p, pauses.AnswerPanelLawyer(graphgen.Approve)) })
	wait.Go(func() { outs[1], errs[1] = m.Resume(t.Context(), p, pauses.AnswerPanelEditor("calm")) })
	wait.Wait()
	last := slices.Index(errs, nil)
	if last < 0 || len(ids(pause(t, errs[1-last]))) != 1 || outs[last].Style != "calm" {
		t.Errorf("%v, %+v", errs, outs)
	}
	work.once(t)
}

// TestWrongAnswersChangeNothing holds that a refused answer leaves every request open.
func TestWrongAnswersChangeNothing(t *testing.T) {
	m, _, p := panelAt(t)
	other, _, _ := panelAt(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, answer := range map[string]func() error{
		"an unknown ID": func() error {
			_, err := m.Resume(t.Context(), p, graphgen.AnswerJSON[pauses.Panel]("law/lawyer.2", []byte(`"approve"`)))
			return err
		},
		"no JSON": func() error {
			_, err := m.Resume(t.Context(), p, graphgen.AnswerJSON[pauses.Panel]("style/editor.1", []byte(`calm`)))
			return err
		},
		"another type": func() error {
			_, err := m.Resume(t.Context(), p, graphgen.AnswerJSON[pauses.Panel]("style/editor.1", []byte(`7`)))
			return err
		},
		"neither yes nor no": func() error {
			_, err := m.Resume(t.Context(), p, graphgen.AnswerJSON[pauses.Panel]("law/lawyer.1", []byte(`"maybe"`)))
			return err
		},
		"true is no decision": func() error {
			_, err := m.Resume(t.Context(), p, graphgen.AnswerJSON[pauses.Panel]("law/lawyer.1", []byte(`true`)))
			return err
		},
		"nothing": func() error {
			_, err := m.Resume(t.Context(), p, graphgen.AnswerJSON[pauses.Panel]("law/lawyer.1", nil))
			return err
		},
		"a request of another": func() error {
			_, err := m.Resume(t.Context(), p, pauses.AnswerPanelEditor("calm").For("law/lawyer.1"))
			return err
		},
		"no request": func() error {
			_, err := m.Resume(t.Context(), p, pauses.AnswerPanelEditor("calm").For("lawyer"))
			return err
		},
		"another machine":         func() error { _, err := other.Resume(t.Context(), p, pauses.AnswerPanelEditor("calm")); return err },
		"a context that is ended": func() error { _, err := m.Resume(ended, p, pauses.AnswerPanelEditor("calm")); return err },
	} {
		if _, refused := errors.AsType[*graphgen.ResumeError](answer()); !refused {
			t.Errorf("%s: %v", name, answer())
		}
	}
	_, err := m.Resume(t.Context(), p, pauses.AnswerPanelEditor("calm"))
	if out, err := m.Resume(t.Context(), pause(t, err), pauses.AnswerPanelLawyer(graphgen.Approve)); err != nil || out.Style != "calm" {
		t.Errorf("%+v, %v", out, err)
	}
}

// stepped records the steps of a review in rounds: the node, its number and its idempotency key.
type stepped struct {
	steps []string
	keys  map[string]bool
}

func (s *stepped) did(ctx context.Context) {
	at := graphgen.Info(ctx)
	s.steps = append(s.steps, at.Node+" "+strconv.Itoa(at.Step))
	if s.keys == nil {
		s.keys = map[string]bool{}
	}
	s.keys[graphgen.IdempotencyKey(ctx)] = true
}

func (s *stepped) Write(ctx context.Context, _ pauses.RoundsWriteIn) (pauses.RoundsWriteOut, error) {
	s.did(ctx)
	return pauses.RoundsWriteOut{}, nil
}

func (s *stepped) Store(ctx context.Context, _ pauses.RoundsStoreIn) (pauses.RoundsStoreOut, error) {
	s.did(ctx)
	return pauses.RoundsStoreOut{}, nil
}

func (s *stepped) File(ctx context.Context, _ pauses.RoundsFileIn) (pauses.RoundsFileOut, error) {
	s.did(ctx)
	return pauses.RoundsFileOut{}, nil
}

func (s *stepped) GiveUp(ctx context.Context, _ pauses.RoundsGiveUpIn) (pauses.RoundsGiveUpOut, error) {
	s.did(ctx)
	return pauses.RoundsGiveUpOut{}, nil
}

// TestStepsAfterAPause: a step behind one that paused within counts on, and has an idempotency key of its own.
func TestStepsAfterAPause(t *testing.T) {
	work := new(stepped)
	m, err := pauses.NewRounds(work)
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Run(t.Context(), pauses.RoundsInput{Topic: "otters"})
	_, err = m.Resume(t.Context(), pause(t, err), pauses.AnswerRoundsJudge(pauses.Verdict{Content: true}))
	if _, err = m.Resume(t.Context(), pause(t, err), pauses.AnswerRoundsSign(graphgen.Approve)); err != nil {
		t.Fatal(err)
	}
	if want := []string{"write 3", "store 6", "file 7"}; !slices.Equal(work.steps, want) || len(work.keys) != len(want) {
		t.Errorf("the steps are %q, with %d keys", work.steps, len(work.keys))
	}
}

// TestRequestsAsJSON holds that a server which knows no graph can show each request, and answer it.
func TestRequestsAsJSON(t *testing.T) {
	m, _, p := deskAt(t)
	answers := map[string]string{`{"enum":["approve","deny"]}`: `"approve"`, `{"type":"string"}`: `"calm"`}
	var err error
	for p != nil {
		data, problem := graphgen.AppendRequests(nil, p.Requests)
		if problem != nil {
			t.Fatal(problem)
		}
		var page struct {
			Requests []struct {
				ID     string
				Answer json.RawMessage
			}
		}
		if problem := json.Unmarshal(data, &page); problem != nil || len(page.Requests) == 0 {
			t.Fatalf("%s: %v", data, problem)
		}
		last := page.Requests[len(page.Requests)-1]
		var out pauses.DeskOutput
		if out, err = m.Resume(t.Context(), p, graphgen.AnswerJSON[pauses.Desk](last.ID, []byte(answers[string(last.Answer)]))); err == nil {
			if out.Verdict != "calm" || len(out.Log) != 6 {
				t.Errorf("%+v", out)
			}
			return
		}
		p = graphgen.AsPause(err)
	}
	t.Error(err)
}

// TestStopWhileItWaits holds that a stop ends the run with the next answer, and that the other requests are withdrawn.
func TestStopWhileItWaits(t *testing.T) {
	work, stop := new(panelists), new(graphgen.Stopper)
	m, err := pauses.NewPanel(work)
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Run(t.Context(), pauses.PanelInput{Text: "x"}, graphgen.WithStopper(stop))
	p := pause(t, err)
	stop.Stop()
	_, err = m.Resume(t.Context(), p, pauses.AnswerPanelEditor("calm"))
	run, _ := errors.AsType[*graphgen.RunError](err)
	if _, stopped := errors.AsType[*graphgen.StopError](err); !stopped || run == nil || run.Reason != graphgen.Stopped {
		t.Errorf("the end: %v", err)
	}
	if _, err := m.Resume(t.Context(), p, pauses.AnswerPanelLawyer(graphgen.Approve)); !errors.Is(err, graphgen.ErrResumed) {
		t.Errorf("a request of a run that was stopped: %v", err)
	}
	if len(work.done) != 2 {
		t.Errorf("what ran: %v", work.done)
	}
}

// TestIterationsAreCountedOverPauses holds that a loop that pauses in each iteration ends by its bound.
func TestIterationsAreCountedOverPauses(t *testing.T) {
	work := new(stepped)
	m, err := pauses.NewRounds(work)
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Run(t.Context(), pauses.RoundsInput{Topic: "otters"})
	for i := range 3 {
		p := pause(t, err)
		if p.Requests[0].Node != "judge" {
			t.Fatalf("iteration %d waits at %s", i+1, p.Requests[0].Node)
		}
		_, err = m.Resume(t.Context(), p, pauses.AnswerRoundsJudge(pauses.Verdict{Note: "dull"}))
	}
	if p := pause(t, err); p.Requests[0].Node != "sign" || len(work.steps) != 3 {
		t.Errorf("after three iterations it waits at %s: %v", p.Requests[0].Node, work.steps)
	}
}
