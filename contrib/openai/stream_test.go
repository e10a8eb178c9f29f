package openai_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/graphgen/graphgen/chat"
)

func TestBrokenStream(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   chat.ErrorKind
		says   string
	}{
		"it ends before the answer does": {
			events(chunk(`{"content":"Ot"}`, "")), chat.Unreachable, "the model could not be reached: the answer was cut off",
		},
		"nothing comes": {events(), chat.Unreachable, "the model could not be reached: the answer was cut off"},
		"the connection is cut": {
			func(w http.ResponseWriter, r *http.Request) {
				events(chunk(`{"content":"Ot"}`, ""))(w, r)
				w.(http.Flusher).Flush()
				panic(http.ErrAbortHandler)
			}, chat.Unreachable, "the model could not be reached: the answer was cut off",
		},
		"the connection is cut in the middle of an event": {
			func(w http.ResponseWriter, r *http.Request) {
				events(chunk(`{"content":"Ot"}`, ""))(w, r)
				_, _ = io.WriteString(w, `data: {"choi`)
				w.(http.Flusher).Flush()
				panic(http.ErrAbortHandler)
			}, chat.Unreachable, "the model could not be reached: the answer was cut off",
		},
		"an event is not JSON": {
			events(chunk(`{"content":"Ot"}`, ""), `{"choices":`), chat.Malformed, "malformed answer: an event of the stream is not JSON",
		},
		"it is done in the middle of a call": {
			events(chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"find","arguments":"{\"of\":"}}]}`, ""), "[DONE]"),
			chat.Unreachable, "the model could not be reached: the answer was cut off",
		},
		"it has no content, for an unknown reason": {
			events(chunk(`{"content":""}`, "boredom"), "[DONE]"), chat.Unreachable,
			`the model could not be reached: the provider ended the answer without content, for the reason "boredom"`,
		},
		"the server has no room for the rest of it": {
			events(chunk(`{"content":"Ot"}`, ""), chunk(`{}`, "insufficient_system_resource"), "[DONE]"), chat.Unreachable,
			`the model could not be reached: the provider broke the answer off, for the reason "insufficient_system_resource"`,
		},
		"the server aborts it": {
			events(chunk(`{"content":"Ot"}`, ""), chunk(`{}`, "abort"), "[DONE]"), chat.Unreachable,
			`the model could not be reached: the provider broke the answer off, for the reason "abort"`,
		},
		"the server has aborted it in a call": {
			events(chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"find","arguments":""}}]}`, "aborted"), "[DONE]"), chat.Unreachable,
			`the model could not be reached: the provider broke the answer off, for the reason "aborted"`,
		},
		"it is done before it began": {events("[DONE]"), chat.Malformed, "malformed answer: there is no choice in it"},
		"a page comes in its place": {
			status(200, "<html></html>", "Content-Type", "text/html"), chat.Malformed, "malformed answer: it is not a stream of events but text/html",
		},
		"an error comes in it": {
			events(chunk(`{"content":"Ot"}`, ""), openAIError("The server had an error.", "server_error", "")),
			chat.Unreachable, "the model could not be reached: The server had an error.",
		},
		"an error comes as an event of its own": {
			events(chunk(`{"content":"Ot"}`, ""), `event: error`+"\n"+`data: {"message":"Overloaded `+key+`","code":529}`),
			chat.Unreachable, "the provider failed (529): Overloaded [redacted]",
		},
		"a limit is reached in it": {
			events(chunk(`{"content":"Ot"}`, ""), openAIError("Slow down, try again in 20ms", "tokens", "rate_limit_exceeded")),
			chat.RateLimited, "rate limited, try again in 20ms: Slow down",
		},
		"the request turns out to be wrong in it": {
			events(openAIError("No such tool.", "invalid_request_error", "x")), chat.BadRequest, "the request was not accepted (400): No such tool.",
		},
		"the provider gives up": {
			events(chunk(`{"content":""}`, "error"), "[DONE]"), chat.Unreachable,
			`the model could not be reached: the provider broke the answer off, for the reason "error"`,
		},
		"it has more calls than anybody makes": {
			events(manyCalls(1001), "[DONE]"), chat.Malformed, "malformed answer: it has more than 1000 tool calls",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := serve(t, c.answer).model().Generate(t.Context(), ask(func(*chat.Request) {}), func(chat.Delta) {})
			if e, ok := err.(*chat.ModelError); !ok || e.Kind != c.want || !strings.HasPrefix(err.Error(), c.says) {
				t.Errorf("got %T: %v\nwant %s", err, err, c.says)
			}
		})
	}
}

func manyCalls(n int) string {
	var list []string
	for i := range n {
		list = append(list, `{"index":`+strconv.Itoa(i)+`,"id":"`+strconv.Itoa(i)+`","function":{"name":"f","arguments":"{}"}}`)
	}
	return chunk(`{"tool_calls":[`+strings.Join(list, ",")+`]}`, "tool_calls")
}

func TestDeltasBeforeAnswer(t *testing.T) {
	heard := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		events(chunk(`{"content":"first"}`, ""))(w, r)
		w.(http.Flusher).Flush()
		<-heard // nothing more is sent until the first piece has been told
		_, _ = io.WriteString(w, stream(chunk(`{"content":" second"}`, "stop"), "[DONE]"))
	})
	var once sync.Once
	got, err := s.model().Generate(t.Context(), ask(func(*chat.Request) {}), func(chat.Delta) { once.Do(func() { close(heard) }) })
	if err != nil || got.Message.Text != "first second" {
		t.Errorf("got %+v, %v", got, err)
	}
}

// The server sees that the client has gone, wherever the call was.
func TestCancelledCallOnTheWire(t *testing.T) {
	why := errors.New("the user left")
	begin := func(w http.ResponseWriter, r *http.Request) {
		events(chunk(`{"content":"Ot"}`, ""))(w, r)
		w.(http.Flusher).Flush()
	}
	for name, c := range map[string]struct {
		before func(http.ResponseWriter, *http.Request) // what comes before the wait
		stream bool
	}{
		"before the first byte":                 {func(http.ResponseWriter, *http.Request) {}, false},
		"before the first byte of a stream":     {func(http.ResponseWriter, *http.Request) {}, true},
		"in the middle of a stream":             {begin, true},
		"in the middle of a body, not streamed": {begin, false},
	} {
		t.Run(name, func(t *testing.T) {
			waiting, gone := make(chan struct{}), make(chan struct{})
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				c.before(w, r)
				close(waiting)
				<-r.Context().Done() // ends when the connection does
				close(gone)
			})
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			go func() {
				<-waiting
				cancel(why)
			}()
			var stream func(chat.Delta)
			if c.stream {
				stream = func(chat.Delta) {}
			}
			_, err := s.model().Generate(ctx, ask(func(*chat.Request) {}), stream)
			<-gone
			if !errors.Is(err, why) || !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// Nobody reads on behind an event that ends the call, so the server need not go on.
func TestStreamFailureOnTheWire(t *testing.T) {
	gone := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		events("{no JSON")(w, r)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(gone)
	})
	_, err := s.model().Generate(t.Context(), ask(func(*chat.Request) {}), func(chat.Delta) {})
	var malformed *chat.ModelError
	if !errors.As(err, &malformed) || malformed.Kind != chat.Malformed {
		t.Errorf("got %v", err)
	}
	<-gone
}

func TestEndedContext(t *testing.T) {
	s := serve(t, whole(hello))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.model().Generate(ctx, ask(func(*chat.Request) {}), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestAModelIsUsedByManyAtOnce(t *testing.T) {
	s := serve(t, whole(hello))
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		_, after, _ := strings.Cut(string(body), `"content":"`)
		question, _, _ := strings.Cut(after, `"`)
		if strings.Contains(string(body), `"stream":true`) {
			events(chunk(`{"content":"`+question+`"}`, "stop"), "[DONE]")(w, r)
			return
		}
		whole(completion(`{"content":"`+question+`"}`, `"stop"`, `null`))(w, r)
	})
	m := s.model()
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			question := "question " + strconv.Itoa(i)
			req := &chat.Request{Messages: []chat.Message{chat.UserText(question)}, Output: verdict, Tools: []chat.ToolSpec{search}}
			var stream func(chat.Delta)
			if i%2 == 0 {
				stream = func(chat.Delta) {}
			}
			if got, err := m.Generate(t.Context(), req, stream); err != nil || got.Message.Text != question {
				t.Errorf("%s: %+v, %v", question, got, err)
			}
		})
	}
	all.Wait()
}
