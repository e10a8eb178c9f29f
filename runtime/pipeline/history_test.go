package pipeline_test

import (
	"errors"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/pipeline"
)

func TestOwnTurnIsShown(t *testing.T) {
	for _, most := range []pipeline.Limits{{Messages: 1}, {Tokens: 1}, {Messages: 2, Tokens: 3}} {
		model := &answers{turns: []chat.Message{{Text: "before"}, calls(queries(2)...), {Text: "done"}}}
		s := on(t, model)
		asks := deferring("asks", "search")
		asks.History = most
		var first, d pipeline.Transcript
		err := errors.Join(s.turn(&first, plain("first"), "first?"), s.turn(&d, asks, "where?"),
			pipeline.CallPending(s.Context(), &s.Run, &s.conversation, runs, &s.tools), s.turn(&d, asks, "where?"))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := model.lastSent(), "assistant search{\"query\":\"0\"} search{\"query\":\"1\"}: \ntool: found 0\ntool: found 1"; got != want {
			t.Errorf("within %+v the model was sent:\n%s\nwant:\n%s", most, got, want)
		}
	}
}

func TestHistoryBounds(t *testing.T) {
	const title = "user: What is known so far:\n"
	for _, c := range []struct {
		name  string
		scope pipeline.Scope
		most  pipeline.Limits
		want  string
	}{
		{"all of it", pipeline.Full, pipeline.Limits{},
			"user: asks?\nassistant search{\"query\":\"0\"}: \ntool: found 0\nassistant: it is here\nuser: again?\nassistant: it is there\nuser: last?"},
		{"the last messages", pipeline.Full, pipeline.Limits{Messages: 3}, "assistant: it is here\nuser: again?\nassistant: it is there\nuser: last?"},
		{"no result without its call", pipeline.Full, pipeline.Limits{Messages: 4}, "assistant: it is here\nuser: again?\nassistant: it is there\nuser: last?"},
		{"the last tokens", pipeline.Full, pipeline.Limits{Tokens: 9}, "assistant: it is there\nuser: last?"},
		{"fewer tokens than a message has", pipeline.Full, pipeline.Limits{Tokens: 1}, "user: last?"},
		{"every fact", pipeline.Ledger, pipeline.Limits{}, title + "- search{\"query\":\"0\"}: found 0\n- asks: it is here\n- asks: it is there\nuser: last?"},
		{"the facts of the last messages", pipeline.Ledger, pipeline.Limits{Messages: 3}, title + "- asks: it is here\n- asks: it is there\nuser: last?"},
		{"the last facts within so many tokens", pipeline.Ledger, pipeline.Limits{Tokens: 14}, title + "- asks: it is there\nuser: last?"},
		{"no fact has room", pipeline.Ledger, pipeline.Limits{Tokens: 1}, "user: last?"},
		{"nothing", pipeline.Scoped, pipeline.Limits{}, "user: last?"},
		{"as much as there is, where it has room", pipeline.Fitted, pipeline.Limits{Tokens: 1000},
			"user: asks?\nassistant search{\"query\":\"0\"}: \ntool: found 0\nassistant: it is here\nuser: again?\nassistant: it is there\nuser: last?"},
		{"the last facts, where it has none", pipeline.Fitted, pipeline.Limits{Tokens: 14}, title + "- asks: it is there\nuser: last?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := &answers{turns: []chat.Message{calls(queries(1)...), {Text: "it is here"}, {Text: "it is there"}, {Text: "done"}}}
			s := on(t, model)
			asks, last := deferring("asks", "search"), deferring("last", "search")
			asks.Loop = true
			last.Scope, last.History = c.scope, c.most
			var first, second pipeline.Transcript
			for _, reads := range []string{"asks?", "asks?", "again?"} {
				if err := s.turn(&first, asks, reads); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.turn(&second, last, "last?"); err != nil {
				t.Fatal(err)
			}
			if got := model.lastSent(); got != c.want {
				t.Errorf("the model was sent:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}
