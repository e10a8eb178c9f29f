package golden_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/scripted"
	"github.com/graphgen/graphgen/golden/clienttools"
	"github.com/graphgen/graphgen/mutation"
)

// shop has the tools of the graph clienttools that are methods.
type shop struct{ called []string }

func (s *shop) LookUp(_ context.Context, args clienttools.ClienttoolsLookUpArgs) (string, error) {
	s.called = append(s.called, "look_up "+args.Order)
	return "shipped", nil
}

func (s *shop) Refund(_ context.Context, args clienttools.ClienttoolsRefundArgs) (int, error) {
	s.called = append(s.called, "refund "+args.Order)
	return 5, nil
}

// locating plays a model that calls tools of all sorts in one turn.
func locating() *scripted.Model {
	return scripted.New(
		scripted.Turn{Calls: []chat.ToolCall{
			{Name: "locate", Arguments: `{}`}, {Name: "look_up", Arguments: `{"order":"a"}`}, {Name: "refund", Arguments: `{"order":"a"}`},
			{Name: "pick", Arguments: `{"from":["x","y"],"most":1}`}, {Name: "locate", Arguments: `{}`},
		}},
		scripted.Turn{Text: "done"},
	)
}

func newClientTools(t *testing.T) (*clienttools.Clienttools, *shop, *scripted.Model) {
	t.Helper()
	s, model := new(shop), locating()
	m, err := clienttools.NewClienttools(s, model)
	if err != nil {
		t.Fatal(err)
	}
	return m, s, model
}

// TestClientTools answers calls of the caller's tools by their typed methods.
func TestClientTools(t *testing.T) {
	m, s, model := newClientTools(t)
	ctx := t.Context()
	_, err := m.Run(ctx, clienttools.ClienttoolsInput{Question: "Where?"})
	p := pause(t, err)
	if got := listed(p); got != "assist.1.locate.1 client_tool locate, assist.1.refund.3 tool_approval refund, assist.1.pick.4 "+
		"client_tool pick, assist.1.locate.5 client_tool locate" {
		t.Fatalf("the run waits for %s", got)
	}
	pick := p.Requests[2]
	if args, ok := pick.Args.(clienttools.ClienttoolsPickArgs); !ok || !slices.Equal(args.From, []string{"x", "y"}) ||
		pick.Choices != nil || !strings.Contains(pick.Schema, `"error"`) {
		t.Errorf("arguments %#v, choices %q, schema %s", pick.Args, pick.Choices, pick.Schema)
	}
	if !strings.Contains(err.Error(), "waits for its caller: What does locate return") {
		t.Errorf("the error is %v", p)
	}
	if text, err := graphgen.AppendRequests(nil, p.Requests); err != nil || !strings.Contains(string(text), `"kind":"client_tool"`) {
		t.Errorf("the requests are %s, %v", text, err)
	}
	approved := clienttools.ApproveClienttoolsRefund(graphgen.Approval[clienttools.ClienttoolsRefundArgs]{Decision: graphgen.Approve})
	bonn := graphgen.Returned[clienttools.Place]{Value: clienttools.Place{City: "Bonn"}}
	refuse := func(what string, want, err error) {
		t.Helper()
		resumed, ok := errors.AsType[*graphgen.ResumeError](err)
		if _, answer := errors.AsType[*graphgen.AnswerError](err); !ok || want != nil && !errors.Is(resumed, want) || want == nil && !answer {
			t.Errorf("%s: %v, want it refused with %v", what, err, want)
		}
	}
	_, err = m.Resume(ctx, p, clienttools.ReturnClienttoolsLocate(bonn))
	refuse("one of two calls", graphgen.ErrSeveral, err)
	_, err = m.Resume(ctx, p, clienttools.ReturnClienttoolsLocate(bonn).For(pick.ID))
	refuse("a result of another tool", graphgen.ErrOtherNode, err)
	_, err = m.Resume(ctx, p, approved.For(pick.ID))
	refuse("an approval", graphgen.ErrOtherNode, err)
	nowhere := graphgen.Returned[clienttools.Place]{Value: clienttools.Place{Distance: -1}}
	_, err = m.Resume(ctx, p, clienttools.ReturnClienttoolsLocate(nowhere).For("assist.1.locate.1"))
	refuse("a result outside of its bounds", nil, err)
	for _, text := range []string{``, `"approve"`, `{}`, `{"result":["x"],"error":"no"}`, `{"error":""}`, `{"result":"x"}`,
		`{"result":[1]}`, `{"result":null}`, `{"decision":"approve"}`, `["x"]`} {
		_, err = m.Resume(ctx, p, graphgen.AnswerJSON[clienttools.Clienttools]("assist.1.pick.4", []byte(text)))
		refuse("the answer "+text, nil, err)
	}
	_, err = m.Resume(ctx, p, clienttools.ReturnClienttoolsLocate(graphgen.Returned[clienttools.Place]{Error: "no signal"}).For("assist.1.locate.5"))
	rest := pause(t, err)
	if got := strings.Join(s.called, ", "); len(rest.Requests) != 3 || got != "look_up a" {
		t.Fatalf("the run then waits for %s, the calls are %s", listed(rest), got)
	}
	_, err = m.Resume(ctx, p, clienttools.ReturnClienttoolsLocate(bonn).For("assist.1.locate.5"))
	refuse("a second result", graphgen.ErrResumed, err)
	_, err = m.Resume(ctx, p, approved)
	pause(t, err)
	_, err = m.Resume(ctx, p, graphgen.AnswerJSON[clienttools.Clienttools]("assist.1.pick.4", []byte(`{"result":["y"]}`)))
	pause(t, err)
	var report graphgen.Report
	out, err := m.Resume(ctx, rest, clienttools.ReturnClienttoolsLocate(bonn).For("assist.1.locate.1"), graphgen.WithReport(&report))
	if err != nil || out.Answer != "done" || report.Tools.Made != 5 || report.Tools.Failed != 1 || report.Steps != 2 {
		t.Errorf("the run ends with %+v, %v: %+v in %d steps", out, err, report.Tools, report.Steps)
	}
	if got := strings.Join(s.called, ", "); got != "look_up a, refund a" {
		t.Errorf("the calls are %s", got)
	}
	said := model.Asked()[1].Request.Messages
	var results []string
	for _, r := range said[len(said)-5:] {
		results = append(results, r.Text)
	}
	if got := strings.Join(results, "; "); got != `{"city":"Bonn","distance":0}; shipped; 5; ["y"]; no signal` {
		t.Errorf("the model is told %s", got)
	}
}

// TestClientToolWrappers checks that a wrapper of tools sees the calls that the caller has made, and cannot make
// others of them.
func TestClientToolWrappers(t *testing.T) {
	for name, other := range map[string]func(*chat.ToolCall){
		"as it is":         func(*chat.ToolCall) {},
		"other arguments":  func(c *chat.ToolCall) { c.Arguments = `{"from":[],"most":2}` },
		"a tool to answer": func(c *chat.ToolCall) { c.Name = "confirm" },
	} {
		m, _, model := newClientTools(t)
		wrapped := 0
		wrapper := graphgen.WithToolWrapper(func(next chat.ToolFunc) chat.ToolFunc {
			return func(ctx context.Context, call *chat.ToolCall) (chat.ToolResult, error) {
				c := *call
				if c.Name == "pick" {
					wrapped++
					other(&c)
				}
				return next(ctx, &c)
			}
		})
		_, err := m.Run(t.Context(), clienttools.ClienttoolsInput{}, wrapper)
		for p := pause(t, err); p != nil; p = graphgen.AsPause(err) {
			_, err = m.Resume(t.Context(), p, graphgen.AnswerJSON[clienttools.Clienttools](p.Requests[0].ID, map[string][]byte{"locate": []byte(`{"result":{"city":"Bonn"}}`), "refund": []byte(`"deny"`), "pick": []byte(`{"result":["y"]}`)}[p.Requests[0].Tool]))
		}
		said := model.Asked()[1].Request.Messages
		got, want := said[len(said)-2].Text, `["y"]`
		if name != "as it is" {
			want = "what is called is not what was answered"
		}
		if err != nil || wrapped != 1 || got != want {
			t.Errorf("%s: %v, %d wrapped calls, the result %s", name, err, wrapped, got)
		}
	}
}

// TestFailedTexts holds that the model gets the error of a tool whose result is a text, and no text.
func TestFailedTexts(t *testing.T) {
	for given, want := range map[graphgen.Returned[string]]string{
		{Value: "yes"}:                          "yes",
		{Error: "no one is here"}:               "no one is here",
		{Value: "yes", Error: "no one is here"}: "no one is here",
	} {
		model := scripted.New(scripted.Turn{Calls: []chat.ToolCall{{Name: "confirm", Arguments: `{"question":"Now?"}`}}}, scripted.Turn{Text: "done"})
		m, err := clienttools.NewClienttools(new(shop), model)
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Run(t.Context(), clienttools.ClienttoolsInput{})
		if _, err = m.Resume(t.Context(), pause(t, err), clienttools.ReturnClienttoolsConfirm(given)); err != nil {
			t.Fatal(err)
		}
		said := model.Asked()[1].Request.Messages
		if last := said[len(said)-1]; !strings.Contains(last.Text, want) || last.Failed != (given.Error != "") {
			t.Errorf("for %+v the model gets %q, failed: %t", given, last.Text, last.Failed)
		}
	}
}

// adder adds a node that runs another graph.
type adder struct{}

func (adder) Plan(context.Context, *clienttools.AidedState) ([]mutation.Change, error) {
	return []mutation.Change{clienttools.AidedAddAssist("help", clienttools.AidedPlan, clienttools.AidedEnd)}, nil
}

// TestTimeOfAddedNode holds that the report of a pause has the time of a nested run at the added node that waits for it, not at its template.
func TestTimeOfAddedNode(t *testing.T) { synctest.Test(t, timeOfAddedNode) }

func timeOfAddedNode(t *testing.T) {
	turns := locating()
	inner, err := clienttools.NewClienttools(new(shop), chat.ModelFunc(
		func(ctx context.Context, r *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
			time.Sleep(2 * time.Second) // of the bubble
			return turns.Generate(ctx, r, stream)
		}))
	if err != nil {
		t.Fatal(err)
	}
	m, err := clienttools.NewAided(adder{}, inner)
	if err != nil {
		t.Fatal(err)
	}
	var report graphgen.Report
	_, err = m.Run(t.Context(), clienttools.AidedInput{Question: "Where?"}, graphgen.WithReport(&report))
	if pause(t, err); strings.Join(report.NodePath(), " ") != "plan help" {
		t.Fatalf("the path is %v", report.NodePath())
	}
	for i, n := range report.Nodes {
		want := time.Duration(0)
		if n.Node == "help" {
			want = 2 * time.Second
		}
		if got := report.Detail.Nodes[i].ModelTime; got != want {
			t.Errorf("%s has %s of models, want %s", n.Node, got, want)
		}
	}
	if got := report.Detail.Steps[1].ModelTime; got != 2*time.Second {
		t.Errorf("its step has %s", got)
	}
}
