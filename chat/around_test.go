package chat_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/scripted"
)

func TestTransientErrorsAreRetried(t *testing.T) {
	busy, limited := &chat.ModelError{Kind: chat.Unreachable, Status: 503}, &chat.ModelError{Kind: chat.RateLimited, Wait: 20 * time.Second}
	for story, c := range map[string]struct {
		turns       []scripted.Turn
		backoff     chat.Backoff
		limit       time.Duration // of the context; 0: none
		stream      bool
		calls       int
		least, most time.Duration
		err         string
	}{
		"none if it answers": {turns: []scripted.Turn{{Text: "ok"}}, calls: 1},
		"the second time it answers": {turns: []scripted.Turn{{Err: busy}, {Text: "ok"}}, calls: 2,
			least: 250 * time.Millisecond, most: 500 * time.Millisecond},
		"three calls, with growing waits": {turns: []scripted.Turn{{Err: busy}, {Err: busy}, {Err: busy}, {Text: "ok"}},
			calls: 3, least: 750 * time.Millisecond, most: 1500 * time.Millisecond, err: "the provider failed (503)"},
		"waits are bounded": {turns: []scripted.Turn{{Err: busy}, {Err: busy}, {Err: busy}, {Text: "ok"}},
			backoff: chat.Backoff{Attempts: 4, Wait: time.Second, Factor: 10, MaxWait: 2 * time.Second}, calls: 4,
			least: 2500 * time.Millisecond, most: 5 * time.Second},
		"the provider says how long": {turns: []scripted.Turn{{Err: limited}, {Text: "ok"}}, calls: 2, least: 20 * time.Second, most: 20 * time.Second},
		"the provider says too long": {turns: []scripted.Turn{{Err: limited}, {Text: "ok"}},
			backoff: chat.Backoff{Patience: 10 * time.Second}, calls: 1, err: "rate limited, try again in 20s"},
		"the context would end before": {turns: []scripted.Turn{{Err: limited}, {Text: "ok"}}, limit: 10 * time.Second,
			calls: 1, err: "rate limited, try again in 20s"},
		"the context ends during a call": {turns: []scripted.Turn{{Wait: time.Minute}, {Text: "ok"}}, limit: time.Second,
			calls: 1, least: time.Second, most: time.Second, err: "context deadline exceeded"},
		"not what will not change": {turns: []scripted.Turn{{Err: &chat.ModelError{Kind: chat.BadRequest, Status: 400}}, {Text: "ok"}},
			calls: 1, err: "the request was not accepted (400)"},
		"not what was shown in part": {turns: []scripted.Turn{{Stream: []chat.Delta{{Text: "o"}}, Err: busy}, {Text: "ok"}},
			stream: true, calls: 1, err: "the provider failed (503)"},
		"a stream of which nothing came": {turns: []scripted.Turn{{Err: busy}, {Text: "ok"}}, stream: true, calls: 2,
			least: 250 * time.Millisecond, most: 500 * time.Millisecond},
		"what streams, but not to the node": {turns: []scripted.Turn{{Stream: []chat.Delta{{Text: "o"}}, Err: busy}, {Text: "ok"}},
			calls: 2, least: 250 * time.Millisecond, most: 500 * time.Millisecond},
	} {
		t.Run(story, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if c.limit > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.limit)
					defer cancel()
				}
				script := scripted.New(c.turns...)
				var stream func(chat.Delta)
				if c.stream {
					stream = func(chat.Delta) {}
				}
				start := time.Now()
				resp, err := chat.Retry(script, c.backoff).Generate(ctx, &chat.Request{}, stream)
				if took := time.Since(start); took < c.least || took > c.most {
					t.Errorf("took %s, want %s to %s", took, c.least, c.most)
				}
				if calls := len(script.Asked()); calls != c.calls {
					t.Errorf("%d calls, want %d", calls, c.calls)
				}
				if text(err) != c.err || (resp == nil) != (err != nil) {
					t.Errorf("got %v, want %s", err, c.err)
				}
			})
		})
	}
}

func TestARetryEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		script := scripted.New(scripted.Turn{Err: &chat.ModelError{Kind: chat.RateLimited, Wait: time.Minute}}, scripted.Turn{})
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		_, err := chat.Retry(script, chat.Backoff{}).Generate(ctx, &chat.Request{}, nil)
		if took := time.Since(start); took != time.Second || len(script.Asked()) != 1 || err == nil {
			t.Errorf("%s, %d calls, error %v", took, len(script.Asked()), err)
		}
	})
}

func TestFallback(t *testing.T) {
	ok := scripted.Turn{Text: "ok"}
	for story, c := range map[string]struct {
		first, second scripted.Turn
		stream        bool
		calls         int // of the second
		err           string
	}{
		"not what the first answers":    {scripted.Turn{Text: "ok"}, scripted.Turn{}, false, 0, ""},
		"one that is down":              {scripted.Turn{Err: &chat.ModelError{Kind: chat.Unreachable}}, ok, false, 1, ""},
		"one that is busy":              {scripted.Turn{Err: &chat.ModelError{Kind: chat.RateLimited}}, ok, false, 1, ""},
		"one that takes too few tokens": {scripted.Turn{Err: &chat.ModelError{Kind: chat.ContextTooLong}}, ok, false, 1, ""},
		"one that is not there":         {scripted.Turn{Err: &chat.ModelError{Kind: chat.BadRequest, Status: 404}}, ok, false, 1, ""},
		"one that talks nonsense":       {scripted.Turn{Err: &chat.ModelError{Kind: chat.Malformed}}, ok, false, 1, ""},
		"not a refusal":                 {scripted.Turn{Err: &chat.ModelError{Kind: chat.Refused, Message: "no"}}, ok, false, 0, "the model refused: no"},
		"not an error of anybody else":  {scripted.Turn{Err: errors.New("odd")}, ok, false, 0, "odd"},
		"not what was shown in part": {scripted.Turn{Stream: []chat.Delta{{Text: "o"}}, Err: &chat.ModelError{Kind: chat.Unreachable}}, ok, true,
			0, "the model could not be reached"},
		"all of them fail": {
			scripted.Turn{Err: &chat.ModelError{Kind: chat.BadRequest, Status: 404}},
			scripted.Turn{Err: &chat.ModelError{Kind: chat.RateLimited, Wait: time.Second}}, false, 1,
			"no model answered, 1: the request was not accepted (404), 2: rate limited, try again in 1s",
		},
		"the second refuses": {
			scripted.Turn{Err: &chat.ModelError{Kind: chat.Unreachable}}, scripted.Turn{Err: &chat.ModelError{Kind: chat.Refused}}, false, 1,
			"no model answered, 1: the model could not be reached, 2: the model refused",
		},
	} {
		t.Run(story, func(t *testing.T) {
			first, second := scripted.New(c.first), scripted.New(c.second)
			var stream func(chat.Delta)
			if c.stream {
				stream = func(chat.Delta) {}
			}
			resp, err := chat.Fallback(first, second).Generate(t.Context(), &chat.Request{}, stream)
			if text(err) != c.err || err == nil && resp.Message.Text != "ok" || len(second.Asked()) != c.calls {
				t.Errorf("got %v (error %v), %d calls of the second", resp, err, len(second.Asked()))
			}
			var failed *chat.FallbackError
			if errors.As(err, &failed) != (c.err != "" && c.calls > 0) {
				t.Errorf("the error is a %T", err)
			}
			if failed != nil && (!errors.Is(err, c.first.Err) || !errors.Is(err, c.second.Err)) {
				t.Errorf("%v does not wrap both errors", err)
			}
		})
	}
}

// TestUsageBesideAnError holds that models around others pass on what a failed call has used.
func TestUsageBesideAnError(t *testing.T) {
	fails := chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
		return &chat.Response{Usage: chat.Usage{Input: 1}}, &chat.ModelError{Kind: chat.BadRequest}
	})
	for name, m := range map[string]chat.Model{
		"a retry": chat.Retry(fails, chat.Backoff{}), "a fallback": chat.Fallback(fails), "a fallback of two": chat.Fallback(fails, fails),
	} {
		resp, err := chat.Priced(m, chat.Price{Input: 1e6}).Generate(t.Context(), &chat.Request{}, nil)
		if want := (chat.Usage{Input: 1, Cost: 1}); err == nil || resp == nil || resp.Usage != want {
			t.Errorf("%s: %+v, %v", name, resp, err)
		}
	}
}

func TestEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	first := chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
		cancel()
		return nil, &chat.ModelError{Kind: chat.Unreachable, Err: context.Canceled}
	})
	second := scripted.New(scripted.Turn{})
	_, err := chat.Fallback(first, second).Generate(ctx, &chat.Request{}, nil)
	if !errors.Is(err, context.Canceled) || len(second.Asked()) != 0 {
		t.Errorf("error %v, %d calls", err, len(second.Asked()))
	}
	if _, err := chat.Fallback().Generate(t.Context(), &chat.Request{}, nil); text(err) != "there is no model to call" {
		t.Errorf("no models: %v", err)
	}
}

func TestForeignParts(t *testing.T) {
	message := chat.Message{
		Role:      chat.RoleAssistant,
		Reasoning: []chat.Reasoning{{Text: "hm", Opaque: "sig"}, {Opaque: "secret", Hidden: true}},
		Calls:     []chat.ToolCall{{ID: "a", Name: "f", Opaque: "sig"}},
	}
	req := &chat.Request{Model: "first's", Messages: []chat.Message{chat.UserText("?"), message, {Role: chat.RoleTool, Call: "a"}}}
	var got *chat.Request
	second := chat.ModelFunc(func(_ context.Context, r *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
		got = r
		return &chat.Response{Message: message}, nil
	})
	resp, err := chat.Fallback(scripted.New(scripted.Turn{Err: &chat.ModelError{Kind: chat.Unreachable}}), second).Generate(t.Context(), req, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Model != "" || len(got.Messages) != 3 || got.Messages[0].Text != "?" {
		t.Errorf("sent %+v", got)
	}
	for _, m := range []chat.Message{got.Messages[1], resp.Message} {
		if !slices.Equal(m.Reasoning, []chat.Reasoning{{Text: "hm"}}) || !slices.Equal(m.Calls, []chat.ToolCall{{ID: "a", Name: "f"}}) {
			t.Errorf("got %+v", m)
		}
	}
	if req.Model == "" || req.Messages[1].Calls[0].Opaque == "" || req.Messages[1].Reasoning[0].Opaque == "" {
		t.Error("the request was changed")
	}
}

func TestAnAnswerHasItsPrice(t *testing.T) {
	price := chat.Price{Input: 2, Output: 8, CacheRead: 0.5, CacheWrite: 2.5}
	for story, c := range map[string]struct {
		price chat.Price
		usage chat.Usage
		cost  float64
	}{
		"input and output":           {price, chat.Usage{Input: 1e6, Output: 1e6, Reasoning: 1e5}, 10},
		"input from the cache":       {price, chat.Usage{Input: 1e6, CacheRead: 4e5, CacheWrite: 2e5}, 0.8 + 0.2 + 0.5},
		"a cache without a price":    {chat.Price{Input: 2}, chat.Usage{Input: 1e6, CacheRead: 5e5}, 2},
		"more cached than there was": {price, chat.Usage{Input: 1, CacheRead: 1e6}, 0.5},
		"nothing":                    {price, chat.Usage{}, 0},
		"what the model says itself": {price, chat.Usage{Input: 1e6, Cost: 0.25}, 0.25},
	} {
		t.Run(story, func(t *testing.T) {
			script := scripted.New(scripted.Turn{Usage: c.usage})
			for range 2 { // a response that is shared is not changed
				resp, err := chat.Priced(script, c.price).Generate(t.Context(), &chat.Request{}, nil)
				if err != nil || resp.Usage.Cost < c.cost-1e-9 || resp.Usage.Cost > c.cost+1e-9 {
					t.Fatalf("got %+v (error %v), want %g", resp, err, c.cost)
				}
				script.Rewind()
				if resp, _ := script.Generate(t.Context(), &chat.Request{}, nil); resp.Usage != c.usage {
					t.Errorf("the model's own is %+v", resp.Usage)
				}
				script.Rewind()
			}
		})
	}
}

func TestTokensAreEstimated(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"", 0}, {"Hello, world!", 4}, {"The quick brown fox jumps over the lazy dog.", 10}, {`{"name": "Ann", "age": 7}`, 11},
		{"    return nil\n", 4}, {"1234567890", 4}, {"日本語", 3}, {"привет", 2}, {"naïve", 1}, {"\xff", 1}, {"😀", 1},
	} {
		if got := chat.Estimate(c.text); got != c.want {
			t.Errorf("%q: %d, want %d", c.text, got, c.want)
		}
	}
	const page = "Many words map to one token, but some don't: indivisible.\n\nUnicode characters like emojis may be split into many tokens containing " +
		"the underlying bytes.\n\nSequences of characters commonly found next to each other may be grouped together: 1234567890"
	if got := chat.Estimate(page); got < 45 || got > 60 {
		t.Errorf("a page of about 50 tokens: %d", got)
	}
}

func TestWrapperAllocations(t *testing.T) {
	script := scripted.New(scripted.Turn{})
	model := chat.Retry(chat.Fallback(script), chat.Backoff{})
	req := &chat.Request{}
	if n := testing.AllocsPerRun(100, func() {
		script.Rewind()
		if _, err := model.Generate(context.Background(), req, nil); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkEstimate(b *testing.B) {
	page := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 100)
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		chat.Estimate(page)
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
