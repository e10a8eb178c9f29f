package providertest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/graphgen/graphgen/chat"
)

// Odd calls the provider's model at servers whose streams have an odd form that the standard of server-sent events or the API allows,
// at servers whose answers end after each of their bytes, that have null for any member, that answer with another type of content,
// or in one piece where a stream was asked for, and at servers that report an error within a stream. An answer comes whole, or
// the call returns an error of package chat: half an answer is not a success.
func Odd(t *testing.T, p *Provider) {
	for _, a := range []Answer{{Text: `Otters – \"swim\".`}, {Text: "ö", Calls: 2}, {Calls: 1}} {
		t.Run(fmt.Sprintf("%d_calls,_text_%q", a.Calls, a.Text), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newOddCaller(t, p)
				defer o.server.close()
				o.forms(t, p.Events(a))
				o.cuts(t, joined(p.Events(a)), p.Whole(a))
				o.nulls(t, p.Events(a), p.Whole(a))
				o.otherwise(t, p.Events(a), p.Whole(a))
				o.faults(t, p.Events(a), p.Fault)
				if a.Calls == 0 {
					o.empties(t, p.Events(a), a.Text)
				}
				t.Logf("%d wires", o.tried)
			})
		})
	}
}

// An oddCaller calls one server with many answers.
type oddCaller struct {
	model  chat.Model
	server *server
	answer handler // of the next call
	tried  int
}

func newOddCaller(t *testing.T, p *Provider) *oddCaller {
	o := new(oddCaller)
	o.server = start(p, func(s *server, w http.ResponseWriter, r *http.Request) { o.answer(s, w, r) })
	model, err := p.New("http://"+providerHost, o.server.client())
	if err != nil {
		t.Fatal(err)
	}
	o.model = model
	return o
}

// ask makes a call, which streams or does not.
func (o *oddCaller) ask(t *testing.T, answer handler, stream func(chat.Delta)) *outcome {
	o.answer = answer
	o.tried++
	req := &chat.Request{Messages: []chat.Message{chat.UserText("hello")}}
	response, err := o.model.Generate(t.Context(), req, stream)
	return &outcome{response: response, err: err}
}

func quiet(chat.Delta) {}

// forms answers with a stream in every odd form, in pieces of several sizes.
func (o *oddCaller) forms(t *testing.T, events []Event) {
	want := o.ask(t, body(200, streamType, joined(events)), quiet)
	if want.err != nil {
		t.Fatal(want.err)
	}
	for name, text := range oddForms(events) {
		for _, size := range []int{1, 7, len(text)} {
			got := o.ask(t, body(200, streamType, inPieces(text, size)), quiet)
			if got.err != nil || answerText(got.response) != answerText(want.response) {
				t.Errorf("%s, in pieces of %d bytes: %s, %s\n%s", name, size, answerText(got.response), brief(got.err), text)
			}
		}
	}
}

// cuts answers with every beginning of a stream, and of a whole answer. A stream may be cut in what comes after the answer.
func (o *oddCaller) cuts(t *testing.T, stream, answer string) {
	want := answerText(o.ask(t, body(200, streamType, stream), quiet).response)
	for n := range stream {
		got := o.ask(t, body(200, streamType, stream[:n]), quiet)
		if kind := got.kind(); kind&(transport|malformed) == 0 && (got.err != nil || answerText(got.response) != want) {
			t.Errorf("a stream that ends with %q: %s, %s", stream[max(0, n-60):n], kind, answerText(got.response))
		}
	}
	for n := range answer {
		got := o.ask(t, body(200, jsonType, answer[:n]), nil)
		if kind := got.kind(); kind&(transport|malformed) == 0 {
			t.Errorf("an answer that ends with %q: %s, %s", answer[max(0, n-60):n], kind, answerText(got.response))
		}
	}
}

// answerText is what the two have in common that are one answer.
func answerText(r *chat.Response) string {
	if r == nil {
		return "no answer"
	}
	text := fmt.Sprintf("%q, %v", r.Message.Text, r.Finish)
	for _, c := range r.Message.Calls {
		text += fmt.Sprintf(", %s(%s)", c.Name, c.Arguments)
	}
	return text
}

func joined(events []Event) string {
	var b strings.Builder
	for _, e := range events {
		b.WriteString(e.String())
	}
	return b.String()
}

// oddForms returns streams of the events in odd forms.
func oddForms(events []Event) map[string]string {
	plain := joined(events)
	each := func(change func(Event) string) string {
		var b strings.Builder
		for _, e := range events {
			b.WriteString(change(e))
		}
		return b.String()
	}
	return map[string]string{
		"plain":                           plain,
		"CRLF":                            strings.ReplaceAll(plain, "\n", "\r\n"),
		"a byte order mark":               "\ufeff" + plain,
		"no blank after the colon":        strings.ReplaceAll(plain, "data: ", "data:"),
		"comments between events":         ": hello\n\n" + each(func(e Event) string { return e.String() + ": keep-alive\n\n" }),
		"comments within events":          each(func(e Event) string { return ": keep-alive\n" + e.String() }),
		"blank lines between events":      "\n\n" + each(func(e Event) string { return e.String() + "\n\n\n" }),
		"IDs and times of retries":        each(func(e Event) string { return "id: 7\nretry: 10\n" + e.String() }),
		"unknown fields":                  each(func(e Event) string { return "weather: fair\n" + e.String() }),
		"events of a type that is new":    each(func(e Event) string { return "event: weather\ndata: {\"sky\":1}\n\n" + e.String() }),
		"events without data":             each(func(e Event) string { return e.String() + "data:\n\n" }),
		"unknown members":                 each(func(e Event) string { return withMember(e, `"weather":{"sky":[1,null]}`).String() }),
		"a member that is null":           each(func(e Event) string { return withMember(e, `"weather":null`).String() }),
		"blanks within the JSON":          each(func(e Event) string { return withMember(e, ` "weather" : 1 `).String() }),
		"more blanks at the end of lines": each(func(e Event) string { return Event{e.Type, e.Data + " "}.String() }),
	}
}

// withMember returns an event with one more member in its object.
func withMember(e Event, member string) Event {
	if strings.HasPrefix(e.Data, "{") && e.Data != "{}" {
		e.Data = "{" + member + "," + strings.TrimPrefix(e.Data, "{")
	}
	return e
}

// inPieces writes a text in pieces of a number of bytes, each of which is sent on its own.
func inPieces(text string, size int) handler {
	return func(_ *server, w http.ResponseWriter, _ *http.Request) {
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			_, _ = w.Write([]byte(rest[:n]))
			w.(http.Flusher).Flush()
			rest = rest[n:]
		}
	}
}
