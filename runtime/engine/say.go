package engine

import (
	"strconv"
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/decimal"
	"github.com/graphgen/graphgen/internal/origin"
)

// A Text is a text for people. Generated code writes it piece by piece.
type Text struct {
	text []byte
	err  error
}

// String writes a text.
func (t *Text) String(s string) *Text { t.text = append(t.text, s...); return t }

// Int writes a number.
func (t *Text) Int(n int) *Text { t.text = strconv.AppendInt(t.text, int64(n), 10); return t }

// Float writes a number.
func (t *Text) Float(f float64) *Text { t.text = decimal.Append(t.text, f); return t }

// Bool writes true or false.
func (t *Text) Bool(b bool) *Text { t.text = strconv.AppendBool(t.text, b); return t }

// JSON writes a value as JSON. If err is not nil, the text is flawed, and cannot be sent.
func (t *Text) JSON(data []byte, err error) {
	t.text = append(t.text, data...)
	t.flawed(err)
}

func (t *Text) flawed(err error) {
	if t.err == nil {
		t.err = err
	}
}

// A Saying is the message of a node of kind say. Generated code writes it.
type Saying struct {
	Text
	Payload any
}

// Say sends the message of the current node to the observers. That a part of it cannot be written does not fail
// the node, because a run does the same without observers: the event has the error.
func (r *Run) Say(write func(*Saying)) {
	var s Saying
	s.compose(r.Graph(), write)
	e := graphgen.Event{Kind: graphgen.Say, Node: r.Graph().NodeName(r.here()), Err: s.err, Details: origin.Details{Text: strings.TrimSpace(string(s.text))}}
	if s.Payload != nil {
		e.Details.Of = origin.To(message{source{r}, s.Payload})
	}
	r.notify(&e)
}

// A message is what an event of a message with a payload leads to.
type message struct {
	source
	payload any
}

// Payload returns the payload, for graphgen.Payload.
func (m message) Payload() any { return m.payload }

// compose writes the message. What a Go type panics with that writes its own JSON is its error.
func (s *Saying) compose(g *Graph, write func(*Saying)) {
	defer func() {
		if v := recover(); v != nil {
			s.err = newPanicError(v, g)
		}
	}()
	write(s)
}
