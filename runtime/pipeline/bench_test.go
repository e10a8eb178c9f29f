package pipeline_test

import (
	"context"
	"testing"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/chat"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/pipeline"
)

type searchArgs struct {
	Query string
	Limit int
}

var searchArgsJSON = codec.Members{Type: "args", Names: []string{"query", "limit"}}

func (v *searchArgs) DecodeJSON(d *codec.Decoder) {
	o := codec.ReadObject(d, &searchArgsJSON)
	for o.Next() {
		switch o.Name {
		case "query":
			codec.ReadString(&v.Query, d)
		case "limit":
			codec.ReadInt(&v.Limit, d)
		}
	}
}

type machine struct{ model chat.Model }

func (m *machine) CallTool(ctx context.Context, c *chat.ToolCall) (chat.ToolResult, error) {
	switch c.Name {
	case "search":
		var args searchArgs
		if err := codec.UnmarshalString(c.Arguments, &args); err != nil {
			return chat.ToolResult{}, &pipeline.ArgumentsError{Err: err}
		}
		return chat.ToolResult{Text: "found " + args.Query}, nil
	}
	return pipeline.Unknown(c)
}

type run struct {
	graphrt.Run
	at, mark graphrt.Node
	state    struct{ Question, Answer string }
	talk     pipeline.Conversation
	agent    pipeline.Dialog
	visits   [2]uint32
	counts   [3]uint32
}

var agentPrompt = pipeline.Node{
	Name: "agent", System: "Answer the question.", Loop: true, Repair: 1,
	Tools: []pipeline.Tool{{Name: "search"}},
	Specs: []chat.ToolSpec{{Name: "search", Schema: "{}"}},
}

var graph = graphrt.Graph{
	Name: "agent", MaxSteps: 50, Chain: 1,
	Nodes: []graphrt.NodeInfo{{Name: "end"}, {Name: "agent", MaxVisits: 25}},
	Ways:  []graphrt.WayInfo{{To: 1, Rule: graphrt.RuleEntry}, {From: 1, To: 1, Rule: graphrt.RuleToolLoop}},
}

func (m *machine) ask(ctx context.Context, r *run) (string, error) {
	if r.agent.Enter(&r.Run, &r.talk, m.model, &agentPrompt) {
		r.agent.Prompt().Show("question", r.state.Question)
	}
	err := r.agent.Ask(ctx, m, nil)
	return r.agent.Text(), err
}

func (m *machine) Run(ctx context.Context, question string) (string, error) {
	r := &run{}
	r.state.Question = question
	r.Start(ctx, &graph, graphrt.Frame{At: &r.at, Mark: &r.mark, Visits: r.visits[:], Counts: r.counts[:], State: &r.state})
	m.walk(r)
	return r.state.Answer, r.Finish(&r.state.Answer)
}

func (m *machine) walk(r *run) {
	defer r.Recover()
	ctx := r.Context()
	for {
		switch r.at {
		case 1:
			if r.visits[1] == 25 {
				panic("visits")
			}
			r.visits[1]++
			out, err := m.ask(ctx, r)
			if err != nil {
				panic(err)
			}
			if r.agent.Looping() {
				r.Go(1)
				r.at = 1 | r.mark
				continue
			}
			r.talk.Keep(&r.agent)
			r.state.Answer = out
			r.Go(graphrt.Terminal)
			r.at = 0 | r.mark
		case 0:
			return
		default:
			r.Attend()
		}
	}
}

type script struct{ turns []chat.Response }

func (s *script) Generate(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
	return &s.turns[(len(req.Messages)-1)/2], nil
}

func newScript(rounds int) *script {
	s := &script{}
	for range rounds {
		s.turns = append(s.turns, chat.Response{Finish: chat.ToolCalls, Message: chat.Message{Role: chat.RoleAssistant, Calls: []chat.ToolCall{{ID: "1", Name: "search", Arguments: `{"query":"otters","limit":3}`}}}})
	}
	s.turns = append(s.turns, chat.Response{Finish: chat.Stop, Message: chat.Message{Role: chat.RoleAssistant, Text: "done"}})
	return s
}

func byHand(ctx context.Context, model chat.Model, m *machine, question string) (string, error) {
	messages := []chat.Message{chat.UserText(question)}
	for {
		said, err := model.Generate(ctx, &chat.Request{System: "Answer the question.", Messages: messages, Tools: agentPrompt.Specs}, nil)
		if err != nil {
			return "", err
		}
		messages = append(messages, said.Message)
		if len(said.Message.Calls) == 0 {
			return said.Message.Text, nil
		}
		for i := range said.Message.Calls {
			c := &said.Message.Calls[i]
			result, err := m.CallTool(ctx, c)
			if err != nil {
				return "", err
			}
			messages = append(messages, chat.Message{Role: chat.RoleTool, Call: c.ID, Name: c.Name, Text: result.Text})
		}
	}
}

func BenchmarkToolLoop(b *testing.B) {
	s := newScript(10)
	m := &machine{model: s}
	ctx := context.Background()
	b.Run("hand", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := byHand(ctx, s, m, "where?"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("graph", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := m.Run(ctx, "where?"); err != nil {
				b.Fatal(err)
			}
		}
	})
}
