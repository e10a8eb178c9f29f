package pipeline_test

import (
	"context"
	"errors"
	"strconv"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
)

// says is a model made of functions, a function a call; the last one is called again and again.
type says []func(req *chat.Request, stream func(chat.Delta)) (*chat.Response, error)

func (s *says) Generate(_ context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	f := (*s)[0]
	if len(*s) > 1 {
		*s = (*s)[1:]
	}
	return f(req, stream)
}

func answer(m chat.Message, finish chat.Finish) func(*chat.Request, func(chat.Delta)) (*chat.Response, error) {
	return func(*chat.Request, func(chat.Delta)) (*chat.Response, error) {
		return &chat.Response{Message: m, Finish: finish}, nil
	}
}

func TestModelErrors(t *testing.T) {
	gone := errors.New("no network")
	for _, c := range []struct {
		name  string
		model says
		is    func(error) bool
	}{
		{"an error beside an answer", says{func(*chat.Request, func(chat.Delta)) (*chat.Response, error) {
			return &chat.Response{Message: chat.Message{Text: "done"}, Usage: chat.Usage{Input: 1}}, gone
		}}, func(err error) bool { return errors.Is(err, gone) }},
		{"neither an answer nor an error", says{func(*chat.Request, func(chat.Delta)) (*chat.Response, error) { return nil, nil }},
			func(err error) bool { return chat.IsKind(err, chat.Malformed) }},
		{"a panic", says{func(*chat.Request, func(chat.Delta)) (*chat.Response, error) { panic("nil map") }}, isA[*graphgen.PanicError]},
	} {
		t.Run(c.name, func(t *testing.T) {
			var report graphgen.Report
			m := &machine{model: &c.model, node: &agentPrompt, options: []graphgen.RunOption{graphgen.WithReport(&report)}}
			_, err := m.Run(t.Context(), "where?")
			if !isA[*graphgen.NodeError](err) || !c.is(err) {
				t.Errorf("the run gave %v", err)
			}
			if report.ModelCalls != 1 {
				t.Errorf("%d calls of the model are counted", report.ModelCalls)
			}
		})
	}
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func TestResentConversation(t *testing.T) {
	for _, c := range []struct {
		name string
		said chat.Message
		want []string // the IDs of the calls
	}{
		{"an answer of nobody's", chat.Message{Calls: queries(2)}, []string{"0", "1"}},
		{"an answer of the user's", chat.Message{Role: chat.RoleUser, Calls: queries(1)}, []string{"0"}},
		{"calls without IDs", calls(call("", "search", `{"query":"a"}`), call("", "search", `{"query":"b"}`)), []string{"call_1", "call_2"}},
		{"calls of one ID", calls(call("x", "search", `{"query":"a"}`), call("x", "search", `{"query":"b"}`)), []string{"x", "call_1"}},
		{"an ID that another call is given", calls(call("", "search", `{"query":"a"}`), call("call_1", "search", `{"query":"b"}`)),
			[]string{"call_2", "call_1"}},
		{"as many calls as there are", calls(queries(40)...), ids(40)},
	} {
		t.Run(c.name, func(t *testing.T) {
			var sent []chat.Message
			model := says{answer(c.said, chat.ToolCalls), func(req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
				sent = req.Messages
				return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: "done"}}, nil
			}}
			before := chat.Message{Role: c.said.Role, Calls: append([]chat.ToolCall(nil), c.said.Calls...)}
			if _, err := (&machine{model: &model, node: &agentPrompt}).Run(t.Context(), "where?"); err != nil {
				t.Fatal(err)
			}
			if sent[1].Role != chat.RoleAssistant || len(sent) != 2+len(c.want) {
				t.Fatalf("the model was sent %+v", sent)
			}
			for i, id := range c.want {
				if told := sent[2+i]; sent[1].Calls[i].ID != id || told.Role != chat.RoleTool || told.Call != id {
					t.Errorf("call %d is %q and its result answers %q, want %q", i, sent[1].Calls[i].ID, told.Call, id)
				}
				if c.said.Calls[i] != before.Calls[i] {
					t.Errorf("the model's own answer was changed: %+v", c.said.Calls[i])
				}
			}
		})
	}
}

func TestAnAnswerIsText(t *testing.T) {
	model := says{answer(chat.Message{Text: "d\xffne"}, chat.Stop)}
	if out, err := (&machine{model: &model, node: &agentPrompt}).Run(t.Context(), "where?"); err != nil || out != "d\ufffdne" {
		t.Errorf("the run gave %q and %v", out, err)
	}
}

func ids(n int) []string {
	var out []string
	for i := range n {
		out = append(out, strconv.Itoa(i))
	}
	return out
}

func TestStreamAfterAnswer(t *testing.T) {
	late := make(chan func(chat.Delta), 1)
	model := says{func(_ *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
		stream(chat.Delta{Text: "do"})
		late <- stream
		return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: "done"}}, nil
	}}
	var told string
	var ended bool
	m := &machine{model: &model, node: &agentPrompt, options: []graphgen.RunOption{graphgen.WithObserver(func(e graphgen.Event) {
		told += e.Token().Text
		if e.Kind == graphgen.NodeEnd {
			streamed := make(chan bool)
			go func() { (<-late)(chat.Delta{Text: "ne"}); close(streamed) }()
			<-streamed
			ended = true
		}
	})}}
	if _, err := m.Run(t.Context(), "where?"); err != nil || told != "do" || !ended {
		t.Errorf("the observer was told %q, and the run gave %v", told, err)
	}
}
