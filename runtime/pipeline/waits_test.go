package pipeline_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/runtime/pipeline"
)

func TestRetryAfter(t *testing.T) {
	for _, c := range []struct {
		name     string
		asks     time.Duration
		waits    time.Duration
		answered bool
	}{
		{"longer than the policy would", 20 * time.Second, 20 * time.Second, true},
		{"not for more than a minute: then it fails at once", 2 * time.Minute, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				s := on(t, chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
					if asked++; asked == 1 {
						return nil, &chat.ModelError{Kind: chat.RateLimited, Wait: c.asks}
					}
					return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: "done"}}, nil
				}))
				var d pipeline.Transcript
				began := time.Now()
				err := s.Execute(s.Context(), engine.Policy{Attempts: 2, Wait: time.Millisecond, MaxWait: time.Second}, func(ctx context.Context) error {
					return s.attempt(ctx, &d, &agentPrompt, "where?")
				})
				if waited := time.Since(began); waited != c.waits || (err == nil) != c.answered {
					t.Errorf("the node waited %s and gave %v, want %s", waited, err, c.waits)
				}
			})
		})
	}
}

func TestEmptyAnswer(t *testing.T) {
	model := &answers{turns: []chat.Message{calls(queries(1)...), {}, {Text: "done"}}}
	s := on(t, model)
	var d pipeline.Transcript
	for _, reads := range []string{"the first", "", "the second"} {
		if err := s.turn(&d, &agentPrompt, reads); err != nil {
			t.Fatal(err)
		}
		s.step()
	}
	sent := model.sent[len(model.sent)-1]
	if last := sent[len(sent)-1]; last.Role != chat.RoleUser || last.Text != "the second" {
		t.Errorf("the model was sent:\n%s", told(sent))
	}
}

// TestGate holds what a guard says that a model judges.
func TestGate(t *testing.T) {
	for answer, want := range map[string]string{
		`{"pass": true, "message": "fine"}`:          "",
		`{"pass": false, "message": " it shouts\n"}`: "it shouts",
		`{"pass": false, "message": ""}`:             "does not hold: the text is polite",
		`{"pass": false}`:                            "does not hold: the text is polite",
	} {
		s := on(t, &answers{turns: []chat.Message{{Text: answer}}})
		err := pipeline.Gate(s.Context(), &s.Run, s.model, "the text is polite", "GO AWAY")
		got := ""
		if rejected, is := errors.AsType[interface {
			error
			Rejection() string
		}](err); is {
			got = rejected.Rejection()
		} else if err != nil {
			t.Errorf("%s: the judge fails: %v", answer, err)
		}
		if got != want {
			t.Errorf("%s: the rejection is %q, want %q", answer, got, want)
		}
	}
}

func TestWhyAnEvalDoesNotHoldIsTold(t *testing.T) {
	var events []graphgen.Event
	model := &answers{turns: []chat.Message{{Text: `{"pass": false, "message": "it shouts"}`}, {Text: `{"pass": true}`}}}
	s := on(t, model, graphgen.WithObserver(func(e graphgen.Event) { events = append(events, e) }))
	for _, want := range []bool{false, true} {
		if pass, err := pipeline.Evaluate(s.Context(), &s.Run, model, "the text is polite", "GO AWAY"); err != nil || pass != want {
			t.Fatalf("the eval gave %t and %v", pass, err)
		}
	}
	told := 0
	for _, e := range events {
		if e.Kind == graphgen.Progress {
			told++
			if what, text := e.Progress(); what != "does not hold: the text is polite" || text != "it shouts" {
				t.Errorf("told was %q, %q", what, text)
			}
		}
	}
	if told != 1 {
		t.Errorf("it was told %d times, want once", told)
	}
}
