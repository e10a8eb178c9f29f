package toolloop

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/graphgen/graphgen/runtime/chat"
	"github.com/graphgen/graphgen/runtime/codec"
)

var specs = []chat.ToolSpec{{Name: "search", Doc: "finds a text.", Schema: AgentSearchArgs{}.JSONSchema()}}

// byHand is what one would write without a machine.
func byHand(ctx context.Context, model chat.Model, t AgentTools) (string, error) {
	messages := []chat.Message{chat.UserText(Question)}
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
	m, err := NewAgent(Tools{}, NewScript())
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func TestBothGiveTheSameAnswer(t *testing.T) {
	want, err := byHand(t.Context(), NewScript(), Tools{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := machine(t).Run(t.Context(), AgentInput{Question: Question})
	if err != nil || out.Answer != want {
		t.Errorf("the machine answers %q and %v, by hand it is %q", out.Answer, err, want)
	}
}

func BenchmarkToolLoop(b *testing.B) {
	ctx := context.Background()
	b.Run("by hand", func(b *testing.B) {
		model := NewScript()
		b.ReportAllocs()
		for b.Loop() {
			if _, err := byHand(ctx, model, Tools{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("machine", func(b *testing.B) {
		m := machine(b)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := m.Run(ctx, AgentInput{Question: Question}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// slow takes a millisecond for every call.
type slow struct{ Tools }

func (s slow) Search(ctx context.Context, args AgentSearchArgs) (string, error) {
	time.Sleep(time.Millisecond)
	return s.Tools.Search(ctx, args)
}

// BenchmarkEightCallsAtOnce is one turn of eight calls, of a millisecond each, and the answer.
func BenchmarkEightCallsAtOnce(b *testing.B) {
	model := &Script{turns: make([]chat.Response, 5)}
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
		if out, err := m.Run(context.Background(), AgentInput{Question: Question}); err != nil || out.Answer != "In kelp." {
			b.Fatal(out.Answer, err)
		}
	}
}
