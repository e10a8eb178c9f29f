// Package providertest tests a provider: a chat.Model that calls a server over HTTP.
//
//	func TestHostileServers(t *testing.T) {
//		providertest.Hostile(t, &providertest.Provider{New: …, Key: …, Whole: …, Events: …})
//	}
package providertest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/bounded"
)

// A Provider is what the tests have to know of a provider.
type Provider struct {
	// New returns a model that calls the server at url, without a final slash, with the client.
	New func(url string, client *http.Client) (chat.Model, error)
	// Key is the secret that New gives the model.
	Key string
	// Whole returns the body of an answer that is not streamed, a JSON object.
	Whole func(Answer) string
	// Events returns the events of the same answer when it is streamed.
	Events func(Answer) []Event
	// Fault is the event with which a stream reports that the server is overloaded.
	Fault Event
	// Unended is set for an API without an event that ends a stream: an answer is whole when its body ends.
	Unended bool
	// Limit is the number of bytes that the provider reads of an answer; 0 is bounded.Answer.
	Limit int64
}

// An Answer is the answer of a server.
type Answer struct {
	Text   string
	Calls  int    // of the tool "look", without arguments
	Tokens string // a JSON number, for every number of tokens; empty is 1
	None   bool   // it has no choice, in the form of the API
}

// An Event is one server-sent event.
type Event struct {
	Type string // empty: the event has no type
	Data string // a JSON object, or a word that ends the stream
}

func (e Event) String() string {
	s := "data: " + e.Data + "\n\n"
	if e.Type != "" {
		s = "event: " + e.Type + "\n" + s
	}
	return s
}

// Hostile calls the provider's model at servers that send too much, too slowly, or what makes no
// sense, once without and once with a stream. It holds that
//
//   - the error is of the type that package chat has for it, short, and without the key;
//   - a call returns with the error of its context when that ends, whatever the server does;
//   - the server cannot send more than the provider's limit;
//   - no other server is called.
//
// Models are made and called in a bubble of testing/synctest.
func Hostile(t *testing.T, p *Provider) {
	for i := range hostile {
		row := &hostile[i]
		t.Run(strings.ReplaceAll(row.name, " ", "_"), func(t *testing.T) {
			if row.whole != nil {
				t.Run("whole", func(t *testing.T) { p.call(t, row, row.whole, nil) })
			}
			if row.streamed != nil {
				t.Run("streamed", func(t *testing.T) { p.call(t, row, row.streamed, func(chat.Delta) {}) })
			}
		})
	}
}

// deadline is how long a call may take, in the time of its bubble.
const deadline = 10 * time.Second

// call makes one call, and judges how it ends.
func (p *Provider) call(t *testing.T, row *row, serve handler, stream func(chat.Delta)) {
	synctest.Test(t, func(t *testing.T) {
		s := start(p, serve)
		defer s.close()
		model, err := p.New("http://"+providerHost, s.client())
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), deadline)
		defer cancel()
		begun := time.Now()
		req := &chat.Request{Messages: []chat.Message{chat.UserText("hello")}}
		res, err := model.Generate(ctx, req, stream)
		o := &outcome{model: model, request: req, server: s, response: res, err: err, took: time.Since(begun)}

		want := row.want
		if p.Unended {
			want |= row.unended
		}
		if got := o.kind(); got&want == 0 {
			t.Errorf("got %s (%v), want %s", got, brief(err), want)
		}
		o.checkError(t, p.Key)
		if ended := o.kind() == ofContext; ended != (o.took == deadline) {
			t.Errorf("the call took %v of %v, and ended with %v", o.took, deadline, brief(err))
		}
		if row.most != nil {
			if n, most := s.sent.Load(), row.most(p); n > most {
				t.Errorf("the server could send %d bytes, at most %d are to be read", n, most)
			}
		}
		if n := s.elsewhere.Load(); n > 0 {
			t.Errorf("%d calls of another server", n)
		}
		if row.also != nil {
			row.also(t, o)
		}
	})
}

// An outcome is how a call has ended.
type outcome struct {
	model    chat.Model
	request  *chat.Request
	server   *server
	response *chat.Response
	err      error
	took     time.Duration
}

// A kind is one or more of the kinds of errors of package chat. A row may allow several.
type kind uint

const (
	answer kind = 1 << iota
	malformed
	transport
	limited
	request
	ofContext
	other
)

var kindNames = []string{
	"an answer", "an error of kind malformed", "an error of kind transport", "an error of kind rate_limited", "an error of kind request",
	"the error of the context", "an error of no type",
}

func (k kind) String() string {
	var names []string
	for i, name := range kindNames {
		if k&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

func (o *outcome) kind() kind {
	switch {
	case o.err == nil && o.response != nil:
		return answer
	case errors.Is(o.err, context.DeadlineExceeded):
		return ofContext
	case chat.IsKind(o.err, chat.Malformed):
		return malformed
	case chat.IsKind(o.err, chat.Unreachable):
		return transport
	case chat.IsKind(o.err, chat.RateLimited):
		return limited
	case chat.IsKind(o.err, chat.BadRequest):
		return request
	}
	return other
}

// longest is the length of an error's text. It has room for an excerpt of the answer, and for what
// else is wrong.
const longest = 4 * bounded.Excerpt

func (o *outcome) checkError(t *testing.T, key string) {
	if o.err == nil {
		return
	}
	text := o.err.Error()
	if m, ok := errors.AsType[*chat.ModelError](o.err); ok {
		text += m.Text
	}
	if len(text) > longest {
		t.Errorf("the error has %d bytes: %s", len(text), brief(o.err))
	}
	if strings.Contains(text, key) {
		t.Errorf("the key is in the error %s", text)
	}
	if !utf8.ValidString(text) {
		t.Errorf("the error is not valid UTF-8: %q", text)
	}
}

// brief returns the beginning of an error's text.
func brief(err error) string {
	return fmt.Sprintf("%.300v", err)
}
