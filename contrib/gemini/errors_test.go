package gemini_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/gemini"
)

// bothWays calls a model unstreamed and streamed, and checks that no error has the key.
func bothWays(t *testing.T, answer http.HandlerFunc, check func(t *testing.T, err error)) {
	t.Helper()
	for name, stream := range map[string]func(chat.Delta){"whole": nil, "streamed": func(chat.Delta) {}} {
		t.Run(name, func(t *testing.T) {
			_, model := serve(t, "gemini-3.1-pro-preview", answer)
			res, err := model.Generate(context.Background(), hello, stream)
			if err == nil {
				t.Fatalf("got %+v, want an error", res)
			}
			noKey(t, err)
			check(t, err)
		})
	}
}

func noKey(t *testing.T, err error) {
	t.Helper()
	text := fmt.Sprintf("%v %+v %#v", err, err, err)
	for e := err; e != nil; e = errors.Unwrap(e) {
		text += fmt.Sprintf(" %+v", e)
	}
	for _, secret := range []string{key, url.QueryEscape(key)} {
		if strings.Contains(text, secret) {
			t.Errorf("the key is in %s", text)
		}
	}
}

func vendor(code int, status, message, details string) string {
	m, _ := json.Marshal(message)
	return fmt.Sprintf(`{"error":{"code":%d,"message":%s,"status":%q,"details":[%s]}}`, code, m, status, details)
}

const retryIn = `{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaMetric":"m"}]},` +
	`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}`

func TestAStatusIsItsError(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		header map[string]string
		body   string
		want   error
	}{
		{"400 is a wrong request", 400, nil, vendor(400, "INVALID_ARGUMENT", "no such field", ""),
			&chat.ModelError{Kind: chat.BadRequest, Status: 400, Message: "no such field"}},
		{
			"a key that is not valid is told without the key", 400, nil,
			vendor(400, "INVALID_ARGUMENT", "API key "+key+" not valid, "+url.QueryEscape(key), ""),
			&chat.ModelError{Kind: chat.BadRequest, Status: 400, Message: "API key [redacted] not valid, [redacted]"},
		},
		{"401 is a wrong request", 401, nil, vendor(401, "UNAUTHENTICATED", "who are you", ""),
			&chat.ModelError{Kind: chat.BadRequest, Status: 401, Message: "who are you"}},
		{"403 is a wrong request", 403, nil, vendor(403, "PERMISSION_DENIED", "not you", ""),
			&chat.ModelError{Kind: chat.BadRequest, Status: 403, Message: "not you"}},
		{"404 is a wrong request", 404, nil, vendor(404, "NOT_FOUND", "no model", ""),
			&chat.ModelError{Kind: chat.BadRequest, Status: 404, Message: "no model"}},
		{
			"more tokens than the model takes", 400, nil,
			vendor(400, "INVALID_ARGUMENT", "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).", ""),
			&chat.ModelError{Kind: chat.ContextTooLong, Used: 1048577, Limit: 1048576,
				Message: "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576)."},
		},
		{
			"more tokens than the model takes, in other words", 400, nil,
			vendor(400, "INVALID_ARGUMENT", "The input token count exceeds the maximum number of tokens allowed 1048576.", ""),
			&chat.ModelError{Kind: chat.ContextTooLong, Limit: 1048576, Message: "The input token count exceeds the maximum number of tokens allowed 1048576."},
		},
		{
			"more bytes than the API takes", 400, nil, vendor(400, "INVALID_ARGUMENT", "Request payload size exceeds the limit: 20971520 bytes.", ""),
			&chat.ModelError{Kind: chat.ContextTooLong, Message: "Request payload size exceeds the limit: 20971520 bytes."},
		},
		{"413 is too long", 413, nil, "<html>413</html>", &chat.ModelError{Kind: chat.ContextTooLong, Message: "<html>413</html>"}},
		{"408 may be tried again", 408, nil, "", &chat.ModelError{Kind: chat.Unreachable, Status: 408, Err: errors.New("Request Timeout")}},
		{"429 without a time", 429, nil, vendor(429, "RESOURCE_EXHAUSTED", "quota", ""), &chat.ModelError{Kind: chat.RateLimited, Message: "quota"}},
		{"429 with RetryInfo", 429, nil, vendor(429, "RESOURCE_EXHAUSTED", "quota", retryIn),
			&chat.ModelError{Kind: chat.RateLimited, Wait: 34500 * time.Millisecond, Message: "quota"}},
		{"429 with Retry-After", 429, map[string]string{"Retry-After": "7"}, vendor(429, "RESOURCE_EXHAUSTED", "quota", ""),
			&chat.ModelError{Kind: chat.RateLimited, Wait: 7 * time.Second, Message: "quota"}},
		{
			"429 with a time in its message", 429, nil, vendor(429, "RESOURCE_EXHAUSTED", "Quota exceeded. Please retry in 593.25ms.", ""),
			&chat.ModelError{Kind: chat.RateLimited, Wait: 593250 * time.Microsecond, Message: "Quota exceeded. Please retry in 593.25ms."},
		},
		{"429 in a list", 429, nil, "[" + vendor(429, "RESOURCE_EXHAUSTED", "quota", retryIn) + "]",
			&chat.ModelError{Kind: chat.RateLimited, Wait: 34500 * time.Millisecond, Message: "quota"}},
		{"499 may be tried again", 499, nil, vendor(499, "CANCELLED", "cancelled", ""), &chat.ModelError{Kind: chat.Unreachable, Err: errors.New("cancelled")}},
		{"500 may be tried again", 500, nil, vendor(500, "INTERNAL", "oh", ""), &chat.ModelError{Kind: chat.Unreachable, Status: 500, Err: errors.New("oh")}},
		{"503 with RetryInfo", 503, nil, vendor(503, "UNAVAILABLE", "overloaded", retryIn),
			&chat.ModelError{Kind: chat.Unreachable, Status: 503, Wait: 34500 * time.Millisecond, Err: errors.New("overloaded")}},
		{"529 may be tried again", 529, nil, vendor(529, "", "overloaded", ""),
			&chat.ModelError{Kind: chat.Unreachable, Status: 529, Err: errors.New("overloaded")}},
		{"502 with a page of a proxy", 502, nil, "<html>Bad " + key + "</html>",
			&chat.ModelError{Kind: chat.Unreachable, Status: 502, Err: errors.New("<html>Bad [redacted]</html>")}},
		{"a redirect is not followed", 307, map[string]string{"Location": "http://127.0.0.1:1/"}, "",
			&chat.ModelError{Kind: chat.BadRequest, Status: 307, Message: "Temporary Redirect"}},
		{"the status counts, not what the body says", 500, nil, vendor(400, "INVALID_ARGUMENT", "oh", ""),
			&chat.ModelError{Kind: chat.Unreachable, Status: 500, Err: errors.New("oh")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bothWays(t, writes(c.status, c.header, c.body), func(t *testing.T, err error) {
				if got, want := fmt.Sprintf("%T %v", err, err), fmt.Sprintf("%T %v", c.want, c.want); got != want {
					t.Errorf("got  %s\nwant %s", got, want)
				}
			})
		})
	}
}

// TestAKeyThatIsAWord holds that a key of a few letters is not redacted: errors can be read, and are of their kind.
func TestAKeyThatIsAWord(t *testing.T) {
	const told = "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576)."
	s, model := serve(t, "gemini-3.1-pro-preview", writes(400, nil, vendor(400, "INVALID_ARGUMENT", told, "")), gemini.Key("x"))
	s.key = "x"
	_, err := model.Generate(context.Background(), hello, nil)
	var long *chat.ModelError
	if !errors.As(err, &long) || long.Kind != chat.ContextTooLong || long.Message != told || long.Used != 1048577 || long.Limit != 1048576 {
		t.Errorf("got %#v", err)
	}
}

func TestMalformedAnswer(t *testing.T) {
	for name, body := range map[string]string{
		"it is empty":                     "",
		"it is a page":                    "<html>\n<body>Hello</body></html>",
		"it is cut JSON of a whole":       chunk("STOP", `{"text":"one"}`)[:60] + "}}",
		"it is a list":                    "[1]",
		"its candidates are none":         `{"candidates":"none"}`,
		"its candidate is null":           `{"candidates":[null]}`,
		"a part is a number":              chunk("STOP", `5`),
		"a signature is not base64":       chunk("STOP", `{"text":"a","thoughtSignature":"?"}`),
		"the counts are text":             chunk("STOP", `{"text":"a"}`, `,"usageMetadata":{"promptTokenCount":"many"}`),
		"the model wrote no call":         chunk("MALFORMED_FUNCTION_CALL", ``),
		"it ends for a reason of its own": chunk("BOREDOM", `{"text":"a"}`),
		"the call was not allowed":        chunk("UNEXPECTED_TOOL_CALL", ``),
	} {
		t.Run(name, func(t *testing.T) {
			for _, way := range []struct {
				body   string
				stream func(chat.Delta)
			}{{body, nil}, {"data: " + strings.ReplaceAll(body, "\n", " ") + "\n\ndata: {}\n\n", func(chat.Delta) {}}} {
				if body == "" && way.stream != nil {
					continue // a stream of nothing is one that is cut
				}
				_, model := serve(t, "gemini-3.1-pro-preview", writes(200, nil, way.body))
				res, err := model.Generate(context.Background(), hello, way.stream)
				if malformed := (*chat.ModelError)(nil); !errors.As(err, &malformed) || malformed.Kind != chat.Malformed {
					t.Errorf("got %+v and %T %v, want an error of kind malformed", res, err, err)
				}
			}
		})
	}
}

func TestAMalformedAnswerIsShown(t *testing.T) {
	bothWays(t, writes(200, map[string]string{"Content-Type": "text/html"}, "<html>the key is "+key+"</html>"), func(t *testing.T, err error) {
		var malformed *chat.ModelError
		if !errors.As(err, &malformed) || malformed.Kind != chat.Malformed || !strings.HasPrefix(malformed.Text, "<html>the key is [redacted]</html>") {
			t.Errorf("got %T %+v", err, err)
		}
	})
	_, model := serve(t, "gemini-3.1-pro-preview",
		says(`{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"Malformed function call: print(x)"}]}`))
	_, err := model.Generate(context.Background(), hello, nil)
	if want := "malformed answer: it ended with MALFORMED_FUNCTION_CALL: Malformed function call: print(x)"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestTruncatedStream(t *testing.T) {
	one := chunk("", `{"text":"one"}`)
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"it ends without a reason": {says(one), "the model could not be reached: the answer ends early: unexpected EOF"},
		"it has nothing":           {writes(200, nil, ""), "the model could not be reached: the answer ends early: unexpected EOF"},
		"it ends within an event": {writes(200, nil, "data: "+one+"\n\ndata: "+one[:40]),
			"the model could not be reached: the answer ends early: unexpected EOF"},
		"the connection is cut": {cut(one), "the model could not be reached: unexpected EOF"},
		"the connection is cut after the reason": {
			cut(chunk("STOP", `{"text":"one"}`)), "the model could not be reached: unexpected EOF",
		},
		"an error is an event": {says(one, vendor(503, "UNAVAILABLE", "overloaded "+key, retryIn)), "the provider failed (503): overloaded [redacted]"},
		"an error is none": {
			writes(200, nil, "data: "+one+"\n\n{\n  \"error\": {\n    \"code\": 429,\n    \"message\": \"slow down\"\n  }\n}\n"), "rate limited: slow down",
		},
		"an error has no code":    {says(one, `{"error":{"message":"oh"}}`), "the model could not be reached: oh"},
		"an event cannot be read": {says(one, `{"candidates":`, one), `malformed answer: jsontext: unexpected EOF within "/candidates" after offset 14`},
		"it turns into something else": {writes(200, nil, "data: "+one+"\n\n<html>Sorry.</html>\n\n"),
			"malformed answer: jsontext: invalid character '<' at start of value"},
	} {
		t.Run(name, func(t *testing.T) {
			var logged strings.Builder
			defer log.SetOutput(log.Writer())
			log.SetOutput(&logged)
			_, model := serve(t, "gemini-3.1-pro-preview", c.answer)
			res, err := model.Generate(context.Background(), hello, func(chat.Delta) {})
			if err == nil || err.Error() != c.want {
				t.Errorf("got %+v and %v, want %s", res, err, c.want)
			} else {
				noKey(t, err)
			}
			if logged.Len() > 0 {
				t.Errorf("the SDK logs %s", &logged)
			}
		})
	}
}

// cut sends an event and breaks the connection.
func cut(event string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		says(event)(w, r)
		panic(http.ErrAbortHandler)
	}
}

func TestTransportError(t *testing.T) {
	model, err := gemini.New("gemini-3.1-pro-preview", gemini.Key(key),
		gemini.BaseURL("http://u:"+url.QueryEscape(key)+"@127.0.0.1:1/a?key="+url.QueryEscape(key)))
	if err != nil {
		t.Fatal(err)
	}
	for _, stream := range []func(chat.Delta){nil, func(chat.Delta) {}} {
		_, err = model.Generate(context.Background(), hello, stream)
		var lost *chat.ModelError
		if !errors.As(err, &lost) || lost.Kind != chat.Unreachable || lost.Status != 0 || strings.Contains(err.Error(), "generateContent") {
			t.Errorf("got %T %v", err, err)
		}
		noKey(t, err)
	}
}

// A broken is a transport whose errors tell all they know.
type broken struct{}

func (broken) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, fmt.Errorf("no route for %v", r.Header)
}

func TestATransportMayTellTheKey(t *testing.T) {
	_, model := serve(t, "gemini-3.1-pro-preview", nil, gemini.HTTPClient(&http.Client{Transport: broken{}}))
	_, err := model.Generate(context.Background(), hello, nil)
	if lost := (*chat.ModelError)(nil); !errors.As(err, &lost) || lost.Kind != chat.Unreachable || !strings.Contains(err.Error(), "[redacted]") {
		t.Errorf("got %T %v", err, err)
	}
	noKey(t, err)
}

func TestCancelledCall(t *testing.T) {
	for name, c := range map[string]struct {
		stream func(chat.Delta)
		first  string
	}{
		"whole, before an answer":       {nil, ""},
		"whole, within an answer":       {nil, `{"candidates":[`},
		"streamed, before an answer":    {func(chat.Delta) {}, ""},
		"streamed, after a first event": {func(chat.Delta) {}, "data: " + chunk("", `{"text":"one"}`) + "\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			here, gone := make(chan struct{}), make(chan struct{})
			_, model := serve(t, "gemini-3.1-pro-preview", func(w http.ResponseWriter, r *http.Request) {
				if c.first != "" {
					_, _ = io.WriteString(w, c.first)
					w.(http.Flusher).Flush()
				}
				close(here)
				<-r.Context().Done()
				close(gone)
			})
			enough := errors.New("enough")
			ctx, cancel := context.WithCancelCause(context.Background())
			go func() { <-here; cancel(enough) }()
			res, err := model.Generate(ctx, hello, c.stream)
			if !errors.Is(err, enough) || !errors.Is(err, context.Canceled) {
				t.Errorf("got %+v and %v, want the cause", res, err)
			}
			noKey(t, err)
			<-gone
		})
	}
}

func TestDoneContext(t *testing.T) {
	_, model := serve(t, "gemini-3.1-pro-preview", func(http.ResponseWriter, *http.Request) { t.Error("it is") })
	ctx, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	if _, err := model.Generate(ctx, hello, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestStreamPanic(t *testing.T) {
	gone := make(chan struct{})
	_, model := serve(t, "gemini-3.1-pro-preview", func(w http.ResponseWriter, r *http.Request) {
		says(chunk("", `{"text":"one"}`))(w, r)
		<-r.Context().Done()
		close(gone)
	})
	defer func() {
		if r := recover(); r != "mine" {
			t.Errorf("recovered %v", r)
		}
		<-gone
	}()
	_, err := model.Generate(context.Background(), hello, func(chat.Delta) { panic("mine") })
	t.Errorf("returned %v", err)
}
