package openai_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/openai"
)

// openAIError is the body of an error, as OpenAI has it.
func openAIError(message, kind, code string) string {
	return fmt.Sprintf(`{"error":{"message":%q,"type":%q,"param":null,"code":%q}}`, message, kind, code)
}

func TestAnswersThatAreErrors(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   error
	}{
		"400": {
			status(400, openAIError("Unknown parameter: 'x'.", "invalid_request_error", "unknown_parameter")),
			&chat.ModelError{Kind: chat.BadRequest, Status: 400, Message: "Unknown parameter: 'x'."},
		},
		"401, with the key in it": {
			status(401, openAIError("Incorrect API key provided: "+key+".", "invalid_request_error", "invalid_api_key")),
			&chat.ModelError{Kind: chat.BadRequest, Status: 401, Message: "Incorrect API key provided: [redacted]."},
		},
		"403": {status(403, `{"error":"not for you"}`), &chat.ModelError{Kind: chat.BadRequest, Status: 403, Message: "not for you"}},
		"404": {status(404, `{"detail":"Not Found"}`), &chat.ModelError{Kind: chat.BadRequest, Status: 404, Message: "Not Found"}},
		"408": {status(408, ``), &chat.ModelError{Kind: chat.Unreachable, Status: 408, Err: errors.New("Request Timeout")}},
		"413": {status(413, `too large`), &chat.ModelError{Kind: chat.ContextTooLong, Message: "too large"}},
		"a context that is too long": {
			status(400, openAIError("This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
				"invalid_request_error", "context_length_exceeded")),
			&chat.ModelError{Kind: chat.ContextTooLong, Limit: 8192, Used: 9001,
				Message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens."},
		},
		"a context that is too long for vLLM": {
			status(400,
				`{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 `+
					`tokens","type":"BadRequestError","code":400}`),
			&chat.ModelError{Kind: chat.ContextTooLong, Limit: 4096, Used: 5000,
				Message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens"},
		},
		"a context that is too long for llama.cpp": {
			status(400,
				`{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error",`+
					`"n_prompt_tokens":5000,"n_ctx":4096}}`),
			&chat.ModelError{Kind: chat.ContextTooLong, Limit: 4096, Used: 5000, Message: "the request exceeds the available context size"},
		},
		"a filter of what was sent": {
			status(400, openAIError("The prompt was filtered.", "", "content_filter")),
			&chat.ModelError{Kind: chat.Refused, Message: "The prompt was filtered."},
		},
		"429 with seconds": {
			status(429, openAIError("Slow down.", "tokens", "rate_limit_exceeded"), "Retry-After", "7"),
			&chat.ModelError{Kind: chat.RateLimited, Wait: 7 * time.Second, Message: "Slow down."},
		},
		"429 with milliseconds, which are more exact": {
			status(429, openAIError("Slow down.", "tokens", "rate_limit_exceeded"), "Retry-After", "1", "Retry-After-Ms", "250"),
			&chat.ModelError{Kind: chat.RateLimited, Wait: 250 * time.Millisecond, Message: "Slow down."},
		},
		"429 with the time at which limits that are used up begin anew": {
			status(429, `{}`, "X-RateLimit-Remaining-Requests", "0", "X-RateLimit-Reset-Requests", "1s", "X-RateLimit-Remaining-Tokens",
				"0", "X-RateLimit-Reset-Tokens", "1m6s"),
			&chat.ModelError{Kind: chat.RateLimited, Wait: 66 * time.Second, Message: "Too Many Requests"},
		},
		"429 with the time in words": {
			status(429, openAIError("Rate limit reached. Please try again in 1.5s.", "requests", "rate_limit_exceeded")),
			&chat.ModelError{Kind: chat.RateLimited, Wait: 1500 * time.Millisecond, Message: "Rate limit reached. Please try again in 1.5s."},
		},
		"429 without a time": {status(429, ``), &chat.ModelError{Kind: chat.RateLimited, Message: "Too Many Requests"}},
		"429 because nobody has paid, where to wait does not help": {
			status(429, openAIError("You exceeded your current quota.", "insufficient_quota", "insufficient_quota")),
			&chat.ModelError{Kind: chat.BadRequest, Status: 429, Message: "You exceeded your current quota."},
		},
		"500": {
			status(500, openAIError("The server had an error.", "server_error", "")),
			&chat.ModelError{Kind: chat.Unreachable, Status: 500, Err: errors.New("The server had an error.")},
		},
		"503 with a page of HTML": {
			status(503, "<html><body>"+key+"</body></html>", "Content-Type", "text/html", "Retry-After", "2"),
			&chat.ModelError{Kind: chat.Unreachable, Status: 503, Wait: 2 * time.Second, Err: errors.New("Service Unavailable")},
		},
		"529": {status(529, `{"error":{"message":"Overloaded"}}`), &chat.ModelError{Kind: chat.Unreachable, Status: 529, Err: errors.New("Overloaded")}},
		"an error that comes with 200": {
			whole(`{"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"upstream is down"}}}`),
			&chat.ModelError{Kind: chat.Unreachable, Status: 502, Err: errors.New("Provider returned error: upstream is down")},
		},
		"a redirect to nowhere": {status(300, ``), &chat.ModelError{Kind: chat.BadRequest, Status: 300, Message: "Multiple Choices"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, stream := range []func(chat.Delta){nil, func(chat.Delta) {}} {
				s := serve(t, c.answer)
				_, err := s.model().Generate(t.Context(), ask(func(*chat.Request) {}), stream)
				if !reflect.DeepEqual(err, c.want) {
					t.Errorf("got  %#v\nwant %#v", err, c.want)
				}
				if strings.Contains(fmt.Sprintf("%v %+v", err, err), key) {
					t.Errorf("the key is in %v", err)
				}
				if len(s.requests) != 1 {
					t.Errorf("there were %d calls", len(s.requests))
				}
			}
		})
	}
}

func TestAnswersThatCannotBeRead(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		says   string
	}{
		"an empty body":            {whole(""), "malformed answer: it is empty"},
		"JSON that is cut":         {whole(`{"id":"c1","choices":[{"index":0,"mess`), "malformed answer: it is not JSON: unexpected end"},
		"another page":             {status(200, "<html>"+key+"</html>", "Content-Type", "text/html"), "malformed answer: it is not JSON"},
		"no choices":               {whole(`{"id":"c1","object":"chat.completion","choices":[]}`), "malformed answer: there is no choice in it"},
		"choices of another type":  {whole(`{"choices":"none"}`), "malformed answer: there is no choice in it"},
		"JSON that is no object":   {whole(`[1,2]`), "malformed answer"},
		"an answer of other media": {whole(`null`), "malformed answer"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, c.answer)
			_, err := s.model().Generate(t.Context(), ask(func(*chat.Request) {}), nil)
			var malformed *chat.ModelError
			if !errors.As(err, &malformed) || malformed.Kind != chat.Malformed || !strings.HasPrefix(err.Error(), c.says) {
				t.Fatalf("got %v, want %s", err, c.says)
			}
			if strings.Contains(malformed.Text, key) {
				t.Errorf("the key is in %s", malformed.Text)
			}
		})
	}
}

func TestTransportError(t *testing.T) {
	s := serve(t, whole(hello))
	m := s.model()
	s.Close()
	_, err := m.Generate(t.Context(), ask(func(*chat.Request) {}), nil)
	var transport *chat.ModelError
	if !errors.As(err, &transport) || transport.Kind != chat.Unreachable || transport.Status != 0 {
		t.Errorf("got %v", err)
	}
}

func TestNoSecretIsInAnError(t *testing.T) {
	const password = "header-0123456789"
	for name, answer := range map[string]http.HandlerFunc{
		"a message":              status(400, openAIError("no "+key+" "+password, "a", "b")),
		"a code":                 status(500, openAIError("no", key, password)),
		"text":                   status(403, "Bearer "+key+" "+password),
		"a refusal":              whole(completion(`{"refusal":"`+key+password+`"}`, `"stop"`, `null`)),
		"an answer of no format": whole("Authorization: Bearer " + key + password),
	} {
		s := serve(t, answer)
		_, err := s.model(openai.Header("X-Gate", password)).Generate(t.Context(), ask(func(*chat.Request) {}), nil)
		if err == nil {
			t.Fatalf("%s: no error", name)
		}
		if text := fmt.Sprintf("%v %#v", err, err); strings.Contains(text, key) || strings.Contains(text, password) {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestAKeyThatIsAWord holds that a key of a few letters is not redacted: errors can be read, and are of their kind.
func TestAKeyThatIsAWord(t *testing.T) {
	const says = "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens"
	answer := status(400, `{"object":"error","message":"`+says+`","type":"BadRequestError","code":400}`)
	web := httptest.NewServer(answer)
	t.Cleanup(web.Close)
	for _, word := range []string{"x", "context"} {
		m, err := openai.New("test-model", openai.BaseURL(web.URL), openai.Key(word))
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Generate(t.Context(), ask(func(*chat.Request) {}), nil)
		if want := (&chat.ModelError{Kind: chat.ContextTooLong, Limit: 4096, Used: 5000, Message: says}); !reflect.DeepEqual(err, error(want)) {
			t.Errorf("%s: got  %#v\nwant %#v", word, err, want)
		}
	}
}
