// Package toolloop measures what a tool loop of a generated machine costs beside the same
// loop written by hand, over the same model and the same tool.
package toolloop

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/graphgen/graphgen/runtime/chat"
	"github.com/graphgen/graphgen/runtime/codec"
)

// rounds is how often the model asks for the tool before it answers.
const rounds = 10

const question = "Where do otters sleep?"

// tools finds what it is asked for.
type tools struct{}

//go:noinline
func (tools) Search(_ context.Context, args AgentSearchArgs) (string, error) {
	return "found " + args.Query, nil
}

// script is a model that asks for the tool in every round, and then answers. It tells the
// rounds by the messages it is sent, and allocates nothing.
type script struct{ turns []chat.Response }

func newScript() *script {
	s := &script{}
	for range rounds {
		s.turns = append(s.turns, chat.Response{Finish: chat.ToolCalls, Message: chat.Message{
			Role: chat.RoleAssistant, Calls: []chat.ToolCall{{ID: "call_1", Name: "search", Arguments: `{"query":"otters","limit":3}`}},
		}})
	}
	s.turns = append(s.turns, chat.Response{Finish: chat.Stop, Message: chat.Message{Role: chat.RoleAssistant, Text: "In kelp."}})
	return s
}

func (s *script) Generate(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
	return &s.turns[(len(req.Messages)-1)/2], nil
}

var specs = []chat.ToolSpec{{Name: "search", Doc: "finds a text.", Schema: AgentSearchArgs{}.JSONSchema()}}

// byHand is what one would write without a machine.
func byHand(ctx context.Context, model chat.Model, t AgentTools) (string, error) {
	messages := []chat.Message{chat.UserText(question)}
	for {
		said, err := model.Generate(ctx, &chat.Request{System: "Answer the question.", Messages: messages, Tools: specs}, nil)
		if err != nil {
			return "", err
		}
		messages = append(messages, said.Message)
		if len(said.Message.Calls) == 0 {
			return said.Message.Text, nil
		}
		for i := range said.Message.Calls {
			call := &said.Message.Calls[i]
			result := chat.Message{Role: chat.RoleTool, Call: call.ID, Name: call.Name}
			switch call.Name {
			case "search":
				var args AgentSearchArgs
				if err := codec.UnmarshalString(call.Arguments, &args); err != nil {
					result.Text, result.Failed = err.Error(), true
					break
				}
				if result.Text, err = t.Search(ctx, args); err != nil {
					result.Text, result.Failed = err.Error(), true
				}
			default:
				result.Text, result.Failed = "no such tool: "+call.Name, true
			}
			messages = append(messages, result)
		}
	}
}

func machine(tb testing.TB) *Agent {
	m, err := NewAgent(tools{}, newScript())
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func TestBothGiveTheSameAnswer(t *testing.T) {
	want, err := byHand(t.Context(), newScript(), tools{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := machine(t).Run(t.Context(), AgentInput{Question: question})
	if err != nil || out.Answer != want {
		t.Errorf("the machine answers %q and %v, by hand it is %q", out.Answer, err, want)
	}
}

// TestATurnIsFrugal holds what a run of ten rounds may allocate.
func TestATurnIsFrugal(t *testing.T) {
	m, ctx := machine(t), context.Background()
	allocations := testing.AllocsPerRun(100, func() {
		if _, err := m.Run(ctx, AgentInput{Question: question}); err != nil {
			t.Fatal(err)
		}
	})
	if allocations >= 100 {
		t.Errorf("a run of %d rounds makes %v allocations, want fewer than 100", rounds, allocations)
	}
}

func BenchmarkToolLoop(b *testing.B) {
	ctx := context.Background()
	b.Run("by hand", func(b *testing.B) {
		model := newScript()
		b.ReportAllocs()
		for b.Loop() {
			if _, err := byHand(ctx, model, tools{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("machine", func(b *testing.B) {
		m := machine(b)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := m.Run(ctx, AgentInput{Question: question}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// slow takes a millisecond for every call.
type slow struct{ tools }

func (s slow) Search(ctx context.Context, args AgentSearchArgs) (string, error) {
	time.Sleep(time.Millisecond)
	return s.tools.Search(ctx, args)
}

// BenchmarkEightCallsAtOnce is one turn of eight calls, of a millisecond each, and the answer.
func BenchmarkEightCallsAtOnce(b *testing.B) {
	model := &script{turns: make([]chat.Response, 5)}
	for range 8 {
		first := &model.turns[0].Message
		first.Calls = append(first.Calls, chat.ToolCall{ID: strconv.Itoa(len(first.Calls)), Name: "search", Arguments: `{"query":"otters"}`})
	}
	model.turns[4].Message.Text = "In kelp." // nine messages later
	m, err := NewAgent(slow{}, model)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if out, err := m.Run(context.Background(), AgentInput{Question: question}); err != nil || out.Answer != "In kelp." {
			b.Fatal(out.Answer, err)
		}
	}
}
