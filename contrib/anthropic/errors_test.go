package anthropic_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/anthropic"
)

// fails answers with a status, headers and a body.
func fails(status int, header map[string]string, body string) handler {
	return func(w http.ResponseWriter, _ *call) {
		w.Header().Set("Content-Type", "application/json")
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// told is the body of an error.
func told(kind, message string) string {
	return fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%q},"request_id":"req_9"}`, kind, message)
}

// both makes a call whole and one streamed, and checks that they fail in the same way.
func both(t *testing.T, s *server) error {
	t.Helper()
	_, whole := ask(t.Context(), s.model(), nil)
	_, streamed := ask(t.Context(), s.model(), func(chat.Delta) {})
	if whole == nil || streamed == nil || whole.Error() != streamed.Error() || reflect.TypeOf(whole) != reflect.TypeOf(streamed) {
		t.Errorf("whole and streamed differ:\n%v\n%v", whole, streamed)
	}
	for _, err := range []error{whole, streamed} {
		if text := fmt.Sprintf("%v %+v", err, err); strings.Contains(text, key) {
			t.Errorf("the key is in the error: %s", text)
		}
	}
	return whole
}

func TestStatusesBecomeTypedErrors(t *testing.T) {
	long := "prompt is too long: 208310 tokens > 200000 maximum"
	longer := "input length and `max_tokens` exceed context limit: 190000 + 16384 > 200000, decrease input length or `max_tokens` and try again"
	for _, c := range []struct {
		name   string
		status int
		header map[string]string
		body   string
		want   error
	}{
		{"a wrong request", 400, nil, told("invalid_request_error", "no"), &chat.ModelError{Kind: chat.BadRequest, Status: 400, Message: "no (req_9)"}},
		{"a wrong key", 401, nil, told("authentication_error", "invalid x-api-key "+key),
			&chat.ModelError{Kind: chat.BadRequest, Status: 401, Message: "invalid x-api-key [redacted] (req_9)"}},
		{"what is not allowed", 403, nil, told("permission_error", "no"), &chat.ModelError{Kind: chat.BadRequest, Status: 403, Message: "no (req_9)"}},
		{"an unknown model", 404, nil, told("not_found_error", "model: x"), &chat.ModelError{Kind: chat.BadRequest, Status: 404, Message: "model: x (req_9)"}},
		{"a prompt too long", 400, nil, told("invalid_request_error", long),
			&chat.ModelError{Kind: chat.ContextTooLong, Limit: 200000, Used: 208310, Message: long + " (req_9)"}},
		{"a prompt too long for its answer", 400, nil, told("invalid_request_error", longer),
			&chat.ModelError{Kind: chat.ContextTooLong, Limit: 200000, Used: 206384, Message: longer + " (req_9)"}},
		{"a body too large", 413, nil, told("request_too_large", "no"), &chat.ModelError{Kind: chat.ContextTooLong, Message: "no (req_9)"}},
		{"a rate limit", 429, nil, told("rate_limit_error", "no"), &chat.ModelError{Kind: chat.RateLimited, Message: "no (req_9)"}},
		{"a rate limit for seconds", 429, map[string]string{"Retry-After": "30"}, told("rate_limit_error", "no"),
			&chat.ModelError{Kind: chat.RateLimited, Wait: 30 * time.Second, Message: "no (req_9)"}},
		{"a rate limit for milliseconds", 429, map[string]string{"Retry-After": "30", "Retry-After-Ms": "1500"},
			told("rate_limit_error", "no"), &chat.ModelError{Kind: chat.RateLimited, Wait: 1500 * time.Millisecond, Message: "no (req_9)"}},
		{"a request that took too long", 408, nil, told("timeout_error", "no"),
			&chat.ModelError{Kind: chat.Unreachable, Status: 408, Err: errors.New("no (req_9)")}},
		{"a fault of the vendor's", 500, nil, told("api_error", "no"), &chat.ModelError{Kind: chat.Unreachable, Status: 500, Err: errors.New("no (req_9)")}},
		{"a vendor that is down for a while", 503, map[string]string{"Retry-After": "2"}, "",
			&chat.ModelError{Kind: chat.Unreachable, Status: 503, Wait: 2 * time.Second, Err: errors.New("service unavailable")}},
		{"a vendor that is overloaded", 529, nil, told("overloaded_error", "Overloaded"),
			&chat.ModelError{Kind: chat.Unreachable, Status: 529, Err: errors.New("Overloaded (req_9)")}},
		{"a page of a proxy", 502, map[string]string{"Content-Type": "text/html"}, "<html>\n<h1>Bad   gateway</h1>",
			&chat.ModelError{Kind: chat.Unreachable, Status: 502, Err: errors.New("<html> <h1>Bad gateway</h1>")}},
		{"an error of another format", 400, nil, `{"detail":"no"}`, &chat.ModelError{Kind: chat.BadRequest, Status: 400, Message: "bad request"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, fails(c.status, c.header, c.body))
			if err := both(t, s); !reflect.DeepEqual(err, c.want) {
				t.Errorf("\n got %#v\nwant %#v", err, c.want)
			}
			if len(s.calls) != 2 {
				t.Errorf("two calls made %d requests", len(s.calls))
			}
		})
	}
}

func TestARefusalIsAnError(t *testing.T) {
	for _, c := range []struct {
		name  string
		reply reply
		want  string
	}{
		{"with an explanation", reply{stop: "refusal", details: map[string]any{"type": "refusal", "category": "bio", "explanation": "Not that."}},
			"the model refused: Not that."},
		{"with a category", reply{stop: "refusal", details: map[string]any{"type": "refusal", "category": "cyber", "explanation": nil}},
			"the model refused: cyber"},
		{"with what was said so far", reply{stop: "refusal", blocks: []block{said("I cannot.")}}, "the model refused: I cannot."},
		{"that repeats the key", reply{stop: "refusal", blocks: []block{said(key)}}, "the model refused: [redacted]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := both(t, serve(t, c.reply.either))
			var refused *chat.ModelError
			if !errors.As(err, &refused) || refused.Kind != chat.Refused || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// TestUsageBesideAnError holds that what a call has used is not lost where its answer is an error.
func TestUsageBesideAnError(t *testing.T) {
	paused := reply{blocks: []block{said("Let me see. ")}, stop: "pause_turn"}
	begun := yes.events()[:3]
	for _, c := range []struct {
		name    string
		answers []handler
		want    chat.Usage
		whole   bool // not only of a stream
	}{
		{"a refusal", []handler{reply{stop: "refusal"}.either}, counted, true},
		{"an unknown reason to end", []handler{reply{stop: "boredom"}.either}, counted, true},
		{"a refusal after a pause", []handler{paused.either, reply{stop: "refusal"}.either}, counted.Add(counted), true},
		{"a failure after a pause", []handler{paused.either, fails(500, nil, "")}, counted, true},
		{"a stream that is cut", []handler{inEvents(begun...)}, chat.Usage{Input: 10, Output: 1}, false},
		{"nothing that was counted", []handler{fails(500, nil, "")}, chat.Usage{}, true},
	} {
		for _, stream := range []func(chat.Delta){nil, func(chat.Delta) {}} {
			if stream == nil && !c.whole {
				continue
			}
			r, err := ask(t.Context(), serve(t, c.answers...).model(), stream)
			if err == nil || (r == nil) != (c.want == chat.Usage{}) {
				t.Fatalf("%s: got %+v, %v", c.name, r, err)
			}
			if r != nil && (r.Usage != c.want || r.Model != "claude-test-20260101" || r.ID != "msg_1" || r.Message.Text != "") {
				t.Errorf("%s: got %+v, want the usage %+v", c.name, r, c.want)
			}
		}
	}
}

// TestAKeyThatIsAWord holds that a key of a few letters is not redacted: errors can be read, and are of their kind.
func TestAKeyThatIsAWord(t *testing.T) {
	const says = "prompt is too long: 208310 tokens > 200000 maximum"
	s := serve(t, fails(400, nil, told("invalid_request_error", says)))
	for _, word := range []anthropic.Option{anthropic.Key("is"), anthropic.Token("tokens")} {
		_, err := ask(t.Context(), s.model(word), nil)
		want := &chat.ModelError{Kind: chat.ContextTooLong, Limit: 200000, Used: 208310, Message: says + " (req_9)"}
		if !reflect.DeepEqual(err, error(want)) {
			t.Errorf("\n got %#v\nwant %#v", err, want)
		}
	}
}

func TestMalformed(t *testing.T) {
	whole := string(inBytes(yes.message()))
	for _, c := range []struct {
		name, kind, body string
	}{
		{"an empty body", "application/json", ""},
		{"half of a message", "application/json", whole[:len(whole)/2]},
		{"a page of a proxy", "text/html", "<html>Sign in, " + key + "</html>"},
		{"JSON of another API", "application/json", `{"choices":[{"message":{"content":"hello"}}]}`},
		{"a list", "application/json", `[]`},
		{"content that is none", "application/json", `{"type":"message","content":5,"stop_reason":"end_turn"}`},
		{"a message without a reason to end", "application/json", `{"type":"message","content":[],"stop_reason":null}`},
		{"a reason to end that nobody knows", "application/json", strings.Replace(whole, "end_turn", "boredom", 1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, fails(200, map[string]string{"Content-Type": c.kind}, c.body))
			for _, stream := range []func(chat.Delta){nil, func(chat.Delta) {}} {
				_, err := ask(t.Context(), s.model(), stream)
				var malformed *chat.ModelError
				if !errors.As(err, &malformed) || malformed.Kind != chat.Malformed || strings.Contains(fmt.Sprintf("%+v", *malformed), key) {
					t.Errorf("got %#v", err)
				}
			}
		})
	}
}

// inEvents answers with a stream.
func inEvents(events ...string) handler {
	return fails(200, map[string]string{"Content-Type": "text/event-stream"}, strings.Join(events, ""))
}

func TestBrokenStream(t *testing.T) {
	events := reply{blocks: []block{said("Sea otters.")}, stop: "end_turn"}.events()
	first := events[:len(events)-4] // all of the text, but not its end
	within := func(data string) handler { return inEvents(strings.Join(first, ""), data) }
	for _, c := range []struct {
		name   string
		answer handler
		want   string
		kind   chat.ErrorKind
	}{
		{"it ends before it begins", inEvents(), "the model could not be reached: the stream broke off: unexpected EOF", chat.Unreachable},
		{"it ends within the text", inEvents(first...), "the model could not be reached: the stream broke off: unexpected EOF", chat.Unreachable},
		{"it ends within an event", within(events[len(events)-2][:30]), "the model could not be reached: the stream broke off: unexpected EOF",
			chat.Unreachable},
		{"the connection breaks", breaks(first), "the model could not be reached: the stream broke off: unexpected EOF", chat.Unreachable},
		{"the vendor is overloaded", within("event: error\ndata: " + told("overloaded_error", "Overloaded "+key) + "\n\n"),
			"the provider failed (529): Overloaded [redacted] (req_9)", chat.Unreachable},
		{"the rate is limited", within("event: error\ndata: " + told("rate_limit_error", "no") + "\n\n"), "rate limited: no (req_9)",
			chat.RateLimited},
		{"the request is wrong after all", within("event: error\ndata: " + told("invalid_request_error", "no") + "\n\n"),
			"the request was not accepted (400): no (req_9)", chat.BadRequest},
		{"an error that nobody knows", within("event: error\ndata: oh no\n\n"), "the provider failed (500): oh no", chat.Unreachable},
		{"an event cannot be read", within("event: content_block_delta\ndata: {\"type\":\n\n"),
			"malformed answer: an event cannot be read: unexpected end of JSON input", chat.Malformed},
		{"a block goes on that never began",
			within(event("content_block_delta",
				map[string]any{"type": "content_block_delta", "index": 7, "delta": map[string]any{"type": "text_delta", "text": "x"}})),
			"malformed answer: the stream makes no sense: block 7 continues before it begins", chat.Malformed},
		{"a block is left out", within(event("content_block_start", map[string]any{"type": "content_block_start", "index": 2, "content_block": said("x")})),
			"malformed answer: the stream makes no sense: block 2 begins where block 1 has to", chat.Malformed},
		{"it starts twice", within(events[0]),
			"malformed answer: the stream makes no sense: the start of the message has to come once, before anything else", chat.Malformed},
		{"it starts with a block", inEvents(events[5]),
			"malformed answer: the stream makes no sense: the start of the message has to come once, before anything else", chat.Malformed},
		{"it stops without a reason", within(events[len(events)-1]),
			"malformed answer: the stream makes no sense: the message stops without a reason", chat.Malformed},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := ask(t.Context(), serve(t, c.answer).model(), func(chat.Delta) {})
			if r != nil && r.Message.Text != "" || err == nil || err.Error() != c.want || !chat.IsKind(err, c.kind) {
				t.Errorf("\n got %v, %v\nwant %s", r, err, c.want)
			}
		})
	}
}

// breaks answers with some events, and drops the connection.
func breaks(events []string) handler {
	return func(w http.ResponseWriter, c *call) {
		inEvents(events...)(w, c)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

func TestErrorInsteadOfMessage(t *testing.T) {
	s := serve(t, fails(200, nil, told("overloaded_error", "Overloaded")))
	if err := both(t, s); err.Error() != "the provider failed (529): Overloaded (req_9)" {
		t.Errorf("got %v", err)
	}
}

func TestTransportError(t *testing.T) {
	s := serve(t, yes.either)
	s.Close()
	err := both(t, s)
	var lost *chat.ModelError
	var dial *net.OpError
	if !errors.As(err, &lost) || lost.Kind != chat.Unreachable || lost.Status != 0 || !errors.As(err, &dial) {
		t.Errorf("got %#v", err)
	}
	_, err = ask(t.Context(), s.model(anthropic.BaseURL(s.URL+"/tenant-secret")), nil)
	if err == nil || strings.Contains(err.Error(), "tenant-secret") {
		t.Errorf("the base URL, which may hold a key, is in the error: %v", err)
	}
}

func TestKeyOnRedirect(t *testing.T) {
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("a request came with the headers %v", r.Header)
	}))
	t.Cleanup(thief.Close)
	s := serve(t, fails(307, map[string]string{"Location": thief.URL + "/v1/messages"}, ""))
	err := both(t, s)
	var wrong *chat.ModelError
	if !errors.As(err, &wrong) || wrong.Kind != chat.BadRequest {
		t.Errorf("got %v", err)
	}
}

func TestCancelledContext(t *testing.T) {
	cause := errors.New("the user went away")
	for _, c := range []struct {
		name   string
		stream bool
		answer func(w http.ResponseWriter)
	}{
		{"before the first byte of a message", false, func(http.ResponseWriter) {}},
		{"within a message", false, func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"type":`)
		}},
		{"before the first byte of a stream", true, func(http.ResponseWriter) {}},
		{"before the first event of a stream", true, func(w http.ResponseWriter) { w.Header().Set("Content-Type", "text/event-stream") }},
		{"within a stream", true, func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, strings.Join(yes.events()[:6], ""))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			gone := make(chan struct{})
			s := serve(t, func(w http.ResponseWriter, r *call) {
				c.answer(w)
				if len(w.Header()) > 0 {
					_ = http.NewResponseController(w).Flush()
				}
				cancel(cause)
				<-r.request.Context().Done()
				close(gone)
			})
			var stream func(chat.Delta)
			if c.stream {
				stream = func(chat.Delta) {}
			}
			_, err := ask(ctx, s.model(), stream)
			if !errors.Is(err, cause) || !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			<-gone // or the test runs into its timeout
		})
	}
}

func TestDeadline(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	s := serve(t, func(_ http.ResponseWriter, c *call) { <-c.request.Context().Done() })
	if _, err := ask(ctx, s.model(), nil); !errors.Is(err, context.DeadlineExceeded) ||
		err.Error() != "anthropic: the call was given up: context deadline exceeded" {
		t.Errorf("got %v", err)
	}
}

func TestDeltasComeWhenTheyAreSaid(t *testing.T) {
	heard := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, _ *call) {
		w.Header().Set("Content-Type", "text/event-stream")
		events := yes.events()
		for _, e := range events[:len(events)-4] {
			_, _ = io.WriteString(w, e)
		}
		_ = http.NewResponseController(w).Flush()
		<-heard // the rest comes only after the text was told
		_, _ = io.WriteString(w, strings.Join(events[len(events)-4:], ""))
	})
	r, err := ask(t.Context(), s.model(), func(d chat.Delta) {
		if d.Text != "" {
			close(heard)
		}
	})
	if err != nil || r.Message.Text != "Yes." {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestAClientOfTheCallersIsUsed(t *testing.T) {
	s := serve(t, yes.either)
	used := false
	c := &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		used = true
		return http.DefaultTransport.RoundTrip(r)
	})}
	if _, err := ask(t.Context(), s.model(anthropic.HTTPClient(c)), nil); err != nil || !used {
		t.Errorf("used: %t, %v", used, err)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
