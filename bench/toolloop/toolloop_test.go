package toolloop

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/runtime/codec"
)

var specs = []chat.ToolSpec{{Name: "search", Doc: "finds a text.", Schema: AgentSearchArgs{}.JSONSchema()}}

// spent is what a run by hand has used.
type spent struct {
	usage                           chat.Usage
	modelCalls, toolCalls, failures int
}

// byHand is the loop without a machine: it asks the context before every call, decodes the arguments
// with the generated decoder, sends errors and panics of tools to the model, refuses an answer that was cut
// off, counts what it uses, and bounds the rounds.
func byHand(ctx context.Context, model chat.Model, t AgentTools) (answer string, used spent, err error) {
	messages := []chat.Message{chat.UserText(Question)}
	for range 25 {
		if err := ctx.Err(); err != nil {
			return "", used, err
		}
		said, err := model.Generate(ctx, &chat.Request{System: "Answer the question.", Messages: messages, Tools: specs}, nil)
		if err != nil {
			return "", used, err
		}
		used.modelCalls++
		used.usage = used.usage.Add(said.Usage)
		messages = append(messages, said.Message)
		if len(said.Message.Calls) == 0 {
			if said.Finish == chat.Length {
				return "", used, errors.New("the answer was cut off")
			}
			return said.Message.Text, used, nil
		}
		for i := range said.Message.Calls {
			if err := ctx.Err(); err != nil {
				return "", used, err
			}
			call := &said.Message.Calls[i]
			result := chat.Message{Role: chat.RoleTool, Call: call.ID, Name: call.Name}
			used.toolCalls++
			if result.Text, err = callTool(ctx, t, call); err != nil {
				used.failures++
				result.Text, result.Failed = err.Error(), true
			}
			messages = append(messages, result)
		}
	}
	return "", used, errors.New("the model calls tools without end")
}

// callTool makes a call of a tool. A panic is an error of it.
func callTool(ctx context.Context, t AgentTools, call *chat.ToolCall) (result string, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the tool failed: %v", v)
		}
	}()
	switch call.Name {
	case "search":
		var args AgentSearchArgs
		if err := codec.UnmarshalString(call.Arguments, &args); err != nil {
			return "", err
		}
		return t.Search(ctx, args)
	}
	return "", errors.New("no such tool: " + call.Name)
}

func machine(tb testing.TB, rounds int) *Agent {
	m, err := NewAgent(Tools{}, newScript(rounds))
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func TestBothGiveTheSameAnswer(t *testing.T) {
	want, used, err := byHand(t.Context(), NewScript(), Tools{})
	if err != nil || used != (spent{modelCalls: rounds + 1, toolCalls: rounds}) {
		t.Fatal(err, used)
	}
	out, err := machine(t, rounds).Run(t.Context(), AgentInput{Question: Question})
	if err != nil || out.Answer != want {
		t.Errorf("the machine answers %q and %v, by hand it is %q", out.Answer, err, want)
	}
}

// allocations returns how many allocations a run of some rounds makes, in a machine and by hand.
func allocations(t *testing.T, rounds int) (inMachine, inLoop float64) {
	m, model, ctx := machine(t, rounds), newScript(rounds), context.Background()
	inMachine = testing.AllocsPerRun(100, func() {
		if _, err := m.Run(ctx, AgentInput{Question: Question}); err != nil {
			t.Fatal(err)
		}
	})
	inLoop = testing.AllocsPerRun(100, func() {
		if _, _, err := byHand(ctx, model, Tools{}); err != nil {
			t.Fatal(err)
		}
	})
	return inMachine, inLoop
}

// TestARoundIsFrugal compares the allocations of a round of tools, and of a run of ten, with those of the
// loop by hand. Of a round, one is the text of the tool, two are the arguments and their decoder, and the contexts
// of five calls are one. By hand, the request of the model is one, and the list of messages grows.
func TestARoundIsFrugal(t *testing.T) {
	if tier.Raced() {
		t.Skip("the race detector allocates, too")
	}
	one, _ := allocations(t, 1)
	ten, byHand := allocations(t, rounds)
	if a := (ten - one) / (rounds - 1); a > 2.25 {
		t.Errorf("a round makes %v allocations, want at most 2.25", a)
	}
	if ten > byHand-5 {
		t.Errorf("a run of %d rounds makes %v allocations, by hand %v", rounds, ten, byHand)
	}
}

func BenchmarkToolLoop(b *testing.B) {
	cancellable, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, c := range []struct {
		name    string
		ctx     context.Context
		options []graphgen.RunOption
	}{
		{"", context.Background(), nil},
		{" cancellable", cancellable, nil},
		{" observed", cancellable, []graphgen.RunOption{graphgen.WithObserver(func(graphgen.Event) {})}},
	} {
		if c.options == nil {
			b.Run("by hand"+c.name, func(b *testing.B) {
				model := newScript(rounds)
				b.ReportAllocs()
				for b.Loop() {
					if _, _, err := byHand(c.ctx, model, Tools{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run("machine"+c.name, func(b *testing.B) {
			m := machine(b, rounds)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.Run(c.ctx, AgentInput{Question: Question}, c.options...); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
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
