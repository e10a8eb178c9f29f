package providertest

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/bounded"
)

// A row is a hostile server. Where it does not say how it answers a call that streams, or one that
// does not, no such call is made.
type row struct {
	name            string
	whole, streamed handler
	want            kind
	unended         kind                  // what else may be, where only the end of the body ends a stream
	most            func(*Provider) int64 // bytes that the server can send
	also            func(*testing.T, *outcome)
}

const (
	jsonType   = "application/json"
	streamType = "text/event-stream"
)

var hostile = []row{
	{
		name:     "JSON without an end",
		whole:    body(200, jsonType, `{"x":"`, endless(ones)),
		streamed: body(200, jsonType, `{"x":"`, endless(ones)),
		want:     malformed, most: answerBytes,
	},
	{
		name:     "a list without an end",
		whole:    body(200, jsonType, `{"x":[0`, endless(strings.Repeat(",0", 1<<19))),
		streamed: body(200, streamType, `data: {"x":[0`, endless(strings.Repeat(",0", 1<<19))),
		want:     malformed, most: answerBytes,
	},
	{
		name:     "gzip that unpacks without an end",
		whole:    packed(200, jsonType, `{"x":"`),
		streamed: packed(200, streamType, `data: {"x":"`),
		want:     malformed, most: packedBytes,
	},
	{
		name:     "gzip that is none",
		whole:    header("Content-Encoding", "gzip", body(200, jsonType, `{"x":1}`)),
		streamed: header("Content-Encoding", "gzip", body(200, streamType, "data: {}\n\n")),
		want:     transport | malformed,
	},
	{
		name:     "an error in gzip that unpacks without an end",
		whole:    packed(500, jsonType, `{"error":"`),
		streamed: packed(500, jsonType, `{"error":"`),
		want:     transport, most: packedBytes,
	},
	{
		name:     "a line of a stream without an end",
		streamed: body(200, streamType, "data: ", endless(ones)),
		want:     malformed, most: answerBytes,
	},
	{
		name:     "an event of lines without an end",
		streamed: body(200, streamType, endless("data: "+ones[:1<<16]+"\n")),
		want:     malformed, most: answerBytes,
	},
	{
		name:     "comments of a stream without an end",
		streamed: body(200, streamType, endless(":"+ones[:1<<16]+"\n\n")),
		want:     malformed, most: answerBytes,
	},
	{
		name:     "events of another type without an end",
		streamed: body(200, streamType, endless("event: weather\ndata: \""+ones[:1<<16]+"\"\n\n")),
		want:     malformed, most: answerBytes,
	},
	{
		name:     "text without an end",
		streamed: endlessText,
		want:     malformed, most: answerBytes,
	},
	{
		name:     "a failure without an end",
		whole:    body(500, jsonType, `{"error":"`, endless(ones)),
		streamed: body(500, jsonType, `{"error":"`, endless(ones)),
		want:     transport, most: errorBytes,
	},
	{
		name:     "a limit of calls without an end",
		whole:    body(429, "text/plain", endless(ones)),
		streamed: body(429, "text/plain", endless(ones)),
		want:     limited, most: errorBytes,
	},
	{
		name:     "a wrong request without an end",
		whole:    body(404, "text/html", "<html>", endless(ones)),
		streamed: body(404, "text/html", "<html>", endless(ones)),
		want:     request, most: errorBytes,
	},
	{
		name:  "headers without an end",
		whole: rawHeaders("HTTP/1.1 200 OK\r\n", "X: "+ones[:1<<16]+"\r\n"), streamed: rawHeaders("HTTP/1.1 200 OK\r\n", "X: "+ones[:1<<16]+"\r\n"),
		want: transport, most: answerBytes,
	},
	{
		name:     "early hints without an end",
		whole:    rawHeaders("", "HTTP/1.1 103 Early Hints\r\nX: "+ones[:1<<16]+"\r\n\r\n"),
		streamed: rawHeaders("", "HTTP/1.1 103 Early Hints\r\nX: "+ones[:1<<16]+"\r\n\r\n"),
		want:     transport, most: answerBytes,
	},
	{
		name:  "no header",
		whole: block, streamed: block,
		want: ofContext,
	},
	{
		name:  "a header and no body",
		whole: body(200, jsonType, "", block), streamed: body(200, streamType, "", block),
		want: ofContext,
	},
	{
		name:  "a failure without its body",
		whole: body(500, jsonType, "", block), streamed: body(500, jsonType, "", block),
		want: ofContext,
	},
	{
		name:  "a byte a second",
		whole: body(200, jsonType, drip), streamed: body(200, streamType, drip),
		want: ofContext,
	},
	{
		name:  "a byte a second of a limit of calls",
		whole: body(429, jsonType, drip), streamed: body(429, jsonType, drip),
		want: ofContext,
	},
	{
		name:     "a comment a second",
		streamed: body(200, streamType, every(time.Second, ": wait\n\n")),
		want:     ofContext,
	},
	{
		name:  "the connection is cut",
		whole: halfWhole(cut), streamed: halfStream(cut),
		want: transport,
	},
	{
		name:     "the stream ends in the middle",
		streamed: halfStream(),
		want:     transport,
	},
	{
		name:  "the answer ends in the middle",
		whole: halfWhole(),
		want:  transport | malformed,
	},
	{
		name:     "nothing follows the last event",
		streamed: stream(Answer{Text: "hello"}, block),
		want:     answer, unended: ofContext,
	},
	{
		name:     "the last event comes without an end",
		streamed: stream(Answer{Text: "hello"}, endless(": "+ones[:1<<16]+"\n\n")),
		want:     answer, unended: malformed, most: answerBytes,
	},
	{
		name:  "nothing follows a whole answer",
		whole: whole(Answer{Text: "hello"}, block),
		want:  ofContext,
	},
	{
		name:  "blanks follow a whole answer without an end",
		whole: whole(Answer{Text: "hello"}, endless(strings.Repeat(" ", 1<<20))),
		want:  malformed, most: answerBytes,
	},
	{
		name:  "a redirect to another server",
		whole: redirect("http://elsewhere.test/v1"), streamed: redirect("http://elsewhere.test/v1"),
		want: request | transport,
	},
	{
		name:  "a redirect to another port",
		whole: redirect("http://" + providerHost + ":81/"), streamed: redirect("http://" + providerHost + ":81/"),
		want: request | transport,
	},
	{
		name:  "redirects without an end",
		whole: redirect("/again"), streamed: redirect("/again"),
		want: request | transport,
		also: isCalledAtMost(11),
	},
	{
		name:  "a redirect to nowhere",
		whole: redirect("::"), streamed: redirect("::"),
		want: request | transport,
	},
	{
		name:  "a redirect without an address",
		whole: body(307, jsonType, "{}"), streamed: body(307, jsonType, "{}"),
		want: request | transport,
	},
	retryAfter(429, "99999999999999999999"),
	retryAfter(429, "1e999"),
	retryAfter(503, "1e30"),
	retryAfter(503, "Fri, 31 Dec 9999 23:59:59 GMT"),
	retryNow(429, "-1"),
	retryNow(429, "NaN"),
	retryNow(503, "soon"),
	retryNow(503, "Sat, 01 Jan 0000 00:00:00 GMT"),
	{
		name:  "a page",
		whole: body(200, "text/html", "<html>{}</html>"), streamed: body(200, "text/html", "<html>data: {}</html>"),
		want: malformed,
	},
	{
		name:  "a picture",
		whole: body(200, "image/png", "\x89PNG\r\n\x1a\n\x00\xff"), streamed: body(200, "image/png", "\x89PNG\r\n\x1a\n\x00\xff"),
		want: malformed,
	},
	{
		name:     "a whole answer in place of a stream",
		streamed: whole(Answer{Text: "hello"}),
		want:     malformed | answer,
	},
	{
		name:  "a stream in place of a whole answer",
		whole: stream(Answer{Text: "hello"}),
		want:  malformed | answer,
	},
	{
		name:  "a content type that is none",
		whole: body(200, ";;\x7f/", "{"), streamed: body(200, ";;\x7f/", "{"),
		want: malformed | transport,
	},
	{
		name:  "lists in lists",
		whole: inWhole(`"x":`+deepLists+`,`, Answer{Text: "hello"}), streamed: inStream(`"x":`+deepLists+`,`, Answer{Text: "hello"}),
		want: malformed,
	},
	{
		name:  "objects in objects",
		whole: inWhole(`"x":`+deepObjects+`,`, Answer{Text: "hello"}), streamed: inStream(`"x":`+deepObjects+`,`, Answer{Text: "hello"}),
		want: malformed,
	},
	{
		name:  "lists in lists without their ends",
		whole: body(200, jsonType, openLists), streamed: body(200, streamType, "data: "+openLists+"\n\n"),
		want: malformed | transport,
	},
	{
		name:     "lists in lists in the place of an error",
		whole:    body(200, jsonType, `{"type":"error","error":`+openLists),
		streamed: body(200, streamType, "event: error\ndata: {\"type\":\"error\",\"error\":"+openLists+"\n\n"),
		want:     malformed | transport,
	},
	{
		name:  "lists in lists in a failure",
		whole: body(500, jsonType, `{"error":`+openLists), streamed: body(500, jsonType, `{"error":`+openLists),
		want: transport,
	},
	tokens("1e400"), tokens("99999999999999999999"), tokens("9223372036854775807"), tokens("1e18"), tokens("-5"), tokens("0.5"),
	tokens(strings.Repeat("9", 1<<20)), tokens(`"7"`), tokens("null"),
	{
		name:  "more tool calls than there may be",
		whole: whole(Answer{Calls: bounded.Calls + 1}), streamed: stream(Answer{Calls: bounded.Calls + 1}),
		want: malformed,
	},
	{
		name:  "as many tool calls as there may be",
		whole: whole(Answer{Calls: bounded.Calls}), streamed: stream(Answer{Calls: bounded.Calls}),
		want: answer,
		also: hasCalls(bounded.Calls),
	},
	{
		name:  "a million tool calls",
		whole: whole(Answer{Calls: 1_000_000}), streamed: stream(Answer{Calls: 1_000_000}),
		want: malformed,
	},
	{
		name:  "bytes that are no UTF-8",
		whole: whole(Answer{Text: noUTF8, Calls: 1}), streamed: stream(Answer{Text: noUTF8, Calls: 1}),
		want: answer | malformed,
		also: isValidUTF8,
	},
	{
		name:  "no choice",
		whole: whole(Answer{None: true}), streamed: stream(Answer{None: true}),
		want: malformed | transport,
	},
	{
		name:  "an empty body",
		whole: body(200, jsonType, ""), streamed: body(200, streamType, ""),
		want: malformed | transport,
	},
	{
		name:  "no content",
		whole: body(204, "", ""), streamed: body(204, "", ""),
		want: malformed | transport,
	},
	{
		name:  "null",
		whole: body(200, jsonType, "null"), streamed: body(200, streamType, "data: null\n\n"),
		want: malformed | transport,
	},
	{
		name:  "an empty object",
		whole: body(200, jsonType, "{}"), streamed: body(200, streamType, "data: {}\n\n"),
		want: malformed | transport,
	},
	{
		name:  "a list",
		whole: body(200, jsonType, "[]"), streamed: body(200, streamType, "data: []\n\n"),
		want: malformed | transport,
	},
	{
		name:     "a stream that is done before it begins",
		streamed: body(200, streamType, "data: [DONE]\n\n"),
		want:     malformed | transport,
	},
	{
		name:     "an error as long as it may be",
		whole:    body(400, jsonType, `{"error":{"message":"`+ones[:bounded.Error-30]+`"}}`),
		streamed: body(400, jsonType, `{"error":{"message":"`+ones[:bounded.Error-30]+`"}}`),
		want:     request,
	},
	{
		name:  "the key in a failure",
		whole: repeatKey(500), streamed: repeatKey(500),
		want: transport,
	},
	{
		name:  "the key in what cannot be read",
		whole: repeatKey(200), streamed: repeatKey(200),
		want: malformed,
	},
	{
		name:  "a status that is none",
		whole: body(999, jsonType, "{}"), streamed: body(999, jsonType, "{}"),
		want: transport | request,
	},
}

var (
	ones = strings.Repeat("1", 1<<20)
	// A decoder that calls itself for each of these needs more stack than there is.
	openLists   = strings.Repeat("[", 24<<20)
	deepLists   = strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20)
	deepObjects = strings.Repeat(`{"a":`, 1<<20) + "1" + strings.Repeat("}", 1<<20)
)

const noUTF8 = "a\xff\xfe\xc0\xafz\xed\xa0\x80"

// What the server can send more than the provider reads: headers, chunks, buffers.
const slack = 1 << 20

func answerBytes(p *Provider) int64 {
	if p.Limit > 0 {
		return p.Limit + slack
	}
	return bounded.Answer + slack
}

func errorBytes(*Provider) int64 { return bounded.Error + slack }

// packedBytes is far more than the packed form of all that is read.
func packedBytes(p *Provider) int64 { return answerBytes(p)/500 + slack }

// retryAfter is a server that wants no call for ages. A model with retries returns immediately, and does
// not call again.
func retryAfter(status int, value string) row {
	r := retries(status, value)
	r.also = func(t *testing.T, o *outcome) {
		if wait := waitOf(o.err); wait < 24*time.Hour {
			t.Errorf("the server wants no call for %v", wait)
		}
		if calls, took := o.retry(t); calls != 1 || took != 0 {
			t.Errorf("%d calls with retries, in %v", calls, took)
		}
	}
	return r
}

// retryNow is a server whose wait makes no sense. It is as if there were none.
func retryNow(status int, value string) row {
	r := retries(status, value)
	r.also = func(t *testing.T, o *outcome) {
		if wait := waitOf(o.err); wait != 0 {
			t.Errorf("the server wants no call for %v", wait)
		}
		if calls, _ := o.retry(t); calls != 3 {
			t.Errorf("%d calls with retries", calls)
		}
	}
	return r
}

func retries(status int, value string) row {
	h := header("Retry-After", value, body(status, jsonType, "{}"))
	want := limited
	if status >= 500 {
		want = transport
	}
	return row{name: fmt.Sprintf("retry after %s, status %d", value, status), whole: h, streamed: h, want: want}
}

func waitOf(err error) time.Duration {
	if asks, ok := err.(interface{ RetryAfter() time.Duration }); ok {
		return asks.RetryAfter()
	}
	return 0
}

// retry calls the model again, with retries.
func (o *outcome) retry(t *testing.T) (calls int64, took time.Duration) {
	before, begun := o.server.calls.Load(), time.Now()
	if _, err := chat.Retry(o.model, chat.Backoff{}).Generate(t.Context(), o.request, nil); err == nil {
		t.Error("a call with retries succeeds")
	}
	return o.server.calls.Load() - before, time.Since(begun)
}

// tokens is a server that counts no tokens as anyone would.
func tokens(number string) row {
	a := Answer{Text: "hello", Tokens: number}
	return row{
		name: fmt.Sprintf("%.25s tokens", number), whole: whole(a), streamed: stream(a),
		want: answer | malformed, also: hasUsage,
	}
}

func hasUsage(t *testing.T, o *outcome) {
	if o.response == nil {
		return
	}
	u := o.response.Usage
	if !(u.Cost >= 0 && u.Cost <= math.MaxFloat64) {
		t.Errorf("the answer costs %v", u.Cost)
	}
	for name, n := range map[string]int{
		"input": u.Input, "output": u.Output, "reasoning": u.Reasoning, "cache read": u.CacheRead, "cache write": u.CacheWrite,
	} {
		if n < 0 || n > 1<<30 {
			t.Errorf("%s: %d tokens", name, n)
		}
	}
}

func isCalledAtMost(n int64) func(*testing.T, *outcome) {
	return func(t *testing.T, o *outcome) {
		if calls := o.server.calls.Load(); calls > n {
			t.Errorf("the server was called %d times", calls)
		}
	}
}

func hasCalls(n int) func(*testing.T, *outcome) {
	return func(t *testing.T, o *outcome) {
		if got := len(o.response.Message.Calls); got != n {
			t.Errorf("the answer has %d calls, want %d", got, n)
		}
	}
}

func isValidUTF8(t *testing.T, o *outcome) {
	if o.response == nil {
		return
	}
	texts := []string{o.response.Message.Text, o.response.ID, o.response.Model}
	for _, c := range o.response.Message.Calls {
		texts = append(texts, c.ID, c.Name, c.Arguments, c.Opaque)
	}
	for _, r := range o.response.Message.Reasoning {
		texts = append(texts, r.Text, r.Opaque)
	}
	for _, text := range texts {
		if !utf8.ValidString(text) {
			t.Errorf("%q is in the response", text)
		}
	}
}
