package chat_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/errtree"
	"github.com/graphgen/graphgen/runtime/engine"
)

func TestErrorTexts(t *testing.T) {
	lost := errors.New("lost")
	for want, err := range map[string]error{
		"rate limited":                                         &chat.ModelError{Kind: chat.RateLimited},
		"rate limited, try again in 2s: slower":                &chat.ModelError{Kind: chat.RateLimited, Wait: 2 * time.Second, Message: "slower"},
		"the context is too long":                              &chat.ModelError{Kind: chat.ContextTooLong},
		"the context is too long for 10 tokens: it has 20: no": &chat.ModelError{Kind: chat.ContextTooLong, Limit: 10, Used: 20, Message: "no"},
		"the model refused: never":                             &chat.ModelError{Kind: chat.Refused, Message: "never"},
		"the request was not accepted (404): which?":           &chat.ModelError{Kind: chat.BadRequest, Status: 404, Message: "which?"},
		"the request was not accepted: which?":                 &chat.ModelError{Kind: chat.BadRequest, Message: "which?"},
		"the model could not be reached: lost":                 &chat.ModelError{Kind: chat.Unreachable, Err: lost},
		"the provider failed (503): lost":                      &chat.ModelError{Kind: chat.Unreachable, Status: 503, Err: lost},
		"malformed answer":                                     &chat.ModelError{Kind: chat.Malformed, Text: "{"},
		"malformed answer: no JSON: lost":                      &chat.ModelError{Kind: chat.Malformed, Message: "no JSON", Err: lost},
		`there is no tool "f"`:                                 &chat.ToolError{Kind: chat.UnknownTool, Name: "f"},
		`there is no tool "f"; the tools are g, h`:             &chat.ToolError{Kind: chat.UnknownTool, Name: "f", Known: []string{"g", "h"}},
		"the arguments do not fit: lost":                       &chat.ToolError{Kind: chat.BadArguments, Err: lost},
		"the tool failed: lost":                                &chat.ToolError{Kind: chat.ToolPanicked, Err: lost},
		"the result has 1 byte, the limit is 0: ask for less":  &chat.ToolError{Kind: chat.ResultTooLarge, Size: 1},
		"the result has 9 bytes, the limit is 8: ask for less": &chat.ToolError{Kind: chat.ResultTooLarge, Size: 9, Limit: 8},
		"full":                              &chat.ToolError{Kind: chat.ClientFailed, Text: "full"},
		"the tool gave no result in time":   &chat.ToolError{Kind: chat.ClientFailed, Late: true},
		"a person denied the call":          &chat.ToolError{Kind: chat.CallDenied},
		"a person denied the call: too far": &chat.ToolError{Kind: chat.CallDenied, Text: "too far"},
		"the call was not approved in time, and is not made": &chat.ToolError{Kind: chat.CallDenied, Late: true},
	} {
		if err.Error() != want {
			t.Errorf("got %q, want %q", err, want)
		}
	}
}

// What only some kinds know is left to the other errors of a tree.
func TestWhichErrorDecides(t *testing.T) {
	limited := &chat.ModelError{Kind: chat.RateLimited, Wait: time.Second}
	lost := &chat.ModelError{Kind: chat.Unreachable, Wait: time.Minute}
	wrong, spent := &chat.ModelError{Kind: chat.BadRequest}, &graphgen.LimitError{Limit: graphgen.LimitBudget}
	for name, c := range map[string]struct {
		err       error
		transient bool
		wait      time.Duration
	}{
		"a rate limit":                         {limited, true, time.Second},
		"a lost call":                          {fmt.Errorf("x: %w", lost), true, time.Minute},
		"a wrong request":                      {wrong, false, 0},
		"a wait of a kind that has none":       {&chat.ModelError{Kind: chat.Refused, Wait: time.Hour}, false, 0},
		"the first that decides":               {errors.Join(wrong, limited, lost), true, time.Second},
		"a spent budget before a lost call":    {errors.Join(spent, lost), true, time.Minute},
		"what a malformed answer wraps":        {&chat.ModelError{Kind: chat.Malformed, Err: lost}, true, time.Minute},
		"the models of a fallback":             {&chat.FallbackError{Errs: []error{wrong, limited}}, true, time.Second},
		"a tool's timeout, which is final":     {errors.Join(engine.Late("tool", time.Second), graphgen.Transient(wrong)), false, 0},
		"the timeout of a node":                {engine.Late("node", time.Second), true, 0},
		"a wrong request marked as transient":  {graphgen.Transient(wrong), true, 0},
		"another error before a transient one": {errors.Join(errors.New("x"), limited), true, time.Second},
	} {
		if got := graphgen.IsTransient(c.err); got != c.transient {
			t.Errorf("%s: transient is %t", name, got)
		}
		if got := errtree.RetryAfter(c.err); got != c.wait {
			t.Errorf("%s: the wait is %s, want %s", name, got, c.wait)
		}
	}
}

func TestIsKind(t *testing.T) {
	wrong := &chat.ModelError{Kind: chat.BadRequest}
	err := errors.Join(errors.New("x"), fmt.Errorf("y: %w", &chat.ModelError{Kind: chat.Unreachable, Err: wrong}))
	for kind, want := range map[chat.ErrorKind]bool{chat.Unreachable: true, chat.BadRequest: true, chat.Malformed: false} {
		if chat.IsKind(err, kind) != want {
			t.Errorf("%v: %t", kind, !want)
		}
	}
	if chat.IsKind(nil, chat.Refused) {
		t.Error("no error is a refusal")
	}
}
