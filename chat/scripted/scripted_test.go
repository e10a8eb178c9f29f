package scripted_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/scripted"
	"github.com/graphgen/graphgen/runtime/codec"
)

// ask makes a request of one message, and returns what is answered and streamed.
func ask(ctx context.Context, m chat.Model, text string) (answer string, streamed []chat.Delta, err error) {
	req := &chat.Request{Messages: []chat.Message{chat.UserText(text)}}
	resp, err := m.Generate(ctx, req, func(d chat.Delta) { streamed = append(streamed, d) })
	if err != nil {
		return "", streamed, err
	}
	return resp.Message.Text, streamed, nil
}

func TestTurn(t *testing.T) {
	call := chat.ToolCall{ID: "a", Name: "search", Arguments: "{}"}
	for story, c := range map[string]struct {
		turn   scripted.Turn
		want   chat.Response
		deltas []chat.Delta
	}{
		"nothing": {scripted.Turn{}, chat.Response{Finish: chat.Stop}, nil},
		"a text": {scripted.Turn{Text: "hello", Usage: chat.Usage{Input: 3, Output: 1}},
			chat.Response{Message: chat.Message{Text: "hello"}, Finish: chat.Stop, Usage: chat.Usage{Input: 3, Output: 1}}, []chat.Delta{{Text: "hello"}}},
		"a value": {scripted.Turn{Output: codec.Of(true, codec.WriteBool)},
			chat.Response{Message: chat.Message{Text: "true"}, Finish: chat.Stop}, []chat.Delta{{Text: "true"}}},
		"a stream": {scripted.Turn{Stream: []chat.Delta{{Text: "hel"}, {Text: "lo"}}},
			chat.Response{Message: chat.Message{Text: "hello"}, Finish: chat.Stop}, []chat.Delta{{Text: "hel"}, {Text: "lo"}}},
		"an end": {scripted.Turn{Text: "hel", Finish: chat.Length}, chat.Response{Message: chat.Message{Text: "hel"}, Finish: chat.Length},
			[]chat.Delta{{Text: "hel"}}},
		"a call": {
			scripted.Turn{Reasoning: "I must look", Text: "wait", Calls: []chat.ToolCall{call}},
			chat.Response{Message: chat.Message{Text: "wait", Calls: []chat.ToolCall{call}, Reasoning: []chat.Reasoning{{Text: "I must look"}}},
				Finish: chat.ToolCalls},
			[]chat.Delta{{Reasoning: "I must look"}, {Text: "wait"}, {Tool: "search", ToolID: "a"}},
		},
		"a call without a name": {
			scripted.Turn{Calls: []chat.ToolCall{{Name: "search"}}},
			chat.Response{Message: chat.Message{Calls: []chat.ToolCall{{ID: "call-1", Name: "search"}}}, Finish: chat.ToolCalls},
			[]chat.Delta{{Tool: "search", ToolID: "call-1"}},
		},
	} {
		t.Run(story, func(t *testing.T) {
			var deltas []chat.Delta
			got, err := scripted.New(c.turn).Generate(t.Context(), &chat.Request{}, func(d chat.Delta) { deltas = append(deltas, d) })
			if err != nil {
				t.Fatal(err)
			}
			if got.Message.Role != chat.RoleAssistant || got.Message.Text != c.want.Message.Text || got.Finish != c.want.Finish || got.Usage != c.want.Usage ||
				!slices.Equal(got.Message.Calls, c.want.Message.Calls) || !slices.Equal(got.Message.Reasoning, c.want.Message.Reasoning) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			if !slices.Equal(deltas, c.deltas) {
				t.Errorf("streamed %v, want %v", deltas, c.deltas)
			}
		})
	}
}

func TestEveryNodeHasItsTurns(t *testing.T) {
	type node struct{}
	m := scripted.Play(scripted.Script{
		Key: func(ctx context.Context, _ *chat.Request) string { return ctx.Value(node{}).(string) },
		Turns: map[string][]scripted.Turn{
			"draft": {{Text: "v1"}, {Text: "v2"}},
			"":      {{Text: "ok"}},
		},
	})
	for _, c := range []struct{ node, answer, wrong string }{
		{"draft", "v1", ""},
		{"critic", "ok", ""},
		{"draft", "v2", ""},
		{"draft", "", `turn 3 of "draft" of the script: there is none left`},
		{"editor", "", `turn 2 of "editor" of the script: there is none left`},
	} {
		got, _, err := ask(context.WithValue(t.Context(), node{}, c.node), m, c.node+"?")
		wrong := ""
		if err != nil {
			wrong = err.Error()
		}
		if got != c.answer || wrong != c.wrong || err != nil && !errors.Is(err, scripted.ErrNoTurn) {
			t.Errorf("%s: %q (error %v), want %q (%s)", c.node, got, err, c.answer, c.wrong)
		}
	}
	var who []string
	for _, a := range m.Asked() {
		if a.Request.Messages[0].Text != a.Key+"?" || len(a.Request.Messages) != 1 {
			t.Errorf("%s asked %v", a.Key, a.Request.Messages)
		}
		who = append(who, a.Key)
	}
	if want := []string{"draft", "critic", "draft", "draft", "editor"}; !slices.Equal(who, want) {
		t.Errorf("asked were %v, want %v", who, want)
	}
}

func TestLastTurnRepeats(t *testing.T) {
	m := scripted.Play(scripted.Script{Repeat: true, Turns: map[string][]scripted.Turn{"": {{Text: "a"}, {Text: "b"}}}})
	got := ""
	for range 4 {
		text, _, err := ask(t.Context(), m, "?")
		if err != nil {
			t.Fatal(err)
		}
		got += text
	}
	if got != "abbb" || len(m.Left()) != 0 {
		t.Errorf("got %q, left %v", got, m.Left())
	}
	m.Rewind()
	if left := m.Left()[""]; left != 2 || len(m.Asked()) != 0 {
		t.Errorf("%d turns are left, and %d requests, of a script that is begun again", left, len(m.Asked()))
	}
}

func TestATurnMayFail(t *testing.T) {
	lost := &chat.ModelError{Kind: chat.Unreachable}
	m := scripted.New(
		scripted.Turn{Stream: []chat.Delta{{Text: "hel"}}, Err: lost},
		scripted.Turn{Check: func(r *chat.Request) error { return errors.New("I did not expect " + r.Messages[0].Text) }},
		scripted.Turn{Output: codec.Of("\xff", codec.WriteString)},
	)
	_, streamed, err := ask(t.Context(), m, "?")
	if !errors.Is(err, lost) || len(streamed) != 1 {
		t.Errorf("got %v after %v", err, streamed)
	}
	for _, want := range []string{
		"turn 2 of the script: I did not expect this", "turn 3 of the script: the text is not valid UTF-8", "turn 4 of the script: there is none left",
	} {
		if _, _, err = ask(t.Context(), m, "this"); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestTurnDelay(t *testing.T) {
	turn := scripted.Turn{Wait: time.Second, Pause: time.Minute, Stream: []chat.Delta{{Text: "a"}, {Text: "b"}, {Text: "c"}}}
	for story, c := range map[string]struct {
		cancelled time.Duration
		took      time.Duration
		deltas    int
	}{
		"it takes all of it":       {time.Hour, 2*time.Minute + time.Second, 3},
		"it ends while it waits":   {time.Second / 2, time.Second / 2, 0},
		"it ends between pieces":   {90 * time.Second, 90 * time.Second, 2},
		"it ended before it began": {0, 0, 0},
	} {
		t.Run(story, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), c.cancelled)
				defer cancel()
				start := time.Now()
				_, deltas, err := ask(ctx, scripted.New(turn), "?")
				if took := time.Since(start); took != c.took || len(deltas) != c.deltas || (err == nil) != (c.deltas == 3) {
					t.Errorf("took %s with %d pieces (error %v), want %s with %d", took, len(deltas), err, c.took, c.deltas)
				}
			})
		})
	}
}

func TestManyMayAskAtOnce(t *testing.T) {
	const askers, turns = 8, 50
	m := scripted.New(make([]scripted.Turn, askers*turns)...)
	var all sync.WaitGroup
	for range askers {
		all.Go(func() {
			for range turns {
				if _, _, err := ask(t.Context(), m, "?"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if len(m.Asked()) != askers*turns || len(m.Left()) != 0 {
		t.Errorf("%d requests, left %v", len(m.Asked()), m.Left())
	}
}

func TestATurnCostsNoAllocation(t *testing.T) {
	m, req := loop(10)
	if n := testing.AllocsPerRun(100, func() { play(t, m, req) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// loop returns the script of a tool loop.
func loop(rounds int) (*scripted.Model, *chat.Request) {
	turns := make([]scripted.Turn, rounds)
	for i := range turns[1:] {
		turns[i].Calls = []chat.ToolCall{{Name: "search", Arguments: "{}"}}
	}
	turns[rounds-1].Text = "done"
	return scripted.New(turns...), &chat.Request{Messages: make([]chat.Message, 0, 2*rounds+1)}
}

func play(t testing.TB, m *scripted.Model, req *chat.Request) {
	m.Rewind()
	req.Messages = append(req.Messages[:0], chat.UserText("?"))
	for {
		resp, err := m.Generate(context.Background(), req, nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp.Finish == chat.Stop {
			return
		}
		req.Messages = append(req.Messages, resp.Message, chat.Message{Role: chat.RoleTool, Call: resp.Message.Calls[0].ID})
	}
}

func BenchmarkALoopOfTenRounds(b *testing.B) {
	m, req := loop(10)
	b.ReportAllocs()
	for b.Loop() {
		play(b, m, req)
	}
}
