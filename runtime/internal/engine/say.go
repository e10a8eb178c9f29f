package engine

import (
	"strconv"
	"strings"

	graphrt "github.com/graphgen/graphgen/runtime"
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
func (t *Text) Float(f float64) *Text { t.text = strconv.AppendFloat(t.text, f, 'g', -1, 64); return t }

// Bool writes true or false.
func (t *Text) Bool(b bool) *Text { t.text = strconv.AppendBool(t.text, b); return t }

// JSON writes a value as JSON. If err is not nil, the text is flawed: it is that of no question.
func (t *Text) JSON(data []byte, err error) {
	t.text = append(t.text, data...)
	t.flawed(err)
}

func (t *Text) flawed(err error) {
	if t.err == nil {
		t.err = err
	}
}

// A Saying is what a node says to observers. Generated code writes it.
type Saying struct {
	Text
	Payload any
}

// Say sends what the current node says to the observers. That a part of it cannot be written does not fail
// the node, because a run does the same without observers: the event has the error.
func (r *Run) Say(write func(*Saying)) {
	var s Saying
	r.compose(&s, write)
	r.Tell(graphrt.Event{Kind: graphrt.Said, Text: strings.TrimSpace(string(s.text)), Payload: s.Payload, Err: s.err})
}

func (r *Run) compose(s *Saying, write func(*Saying)) {
	defer func() {
		if v := recover(); v != nil { // of a Go type that writes its own JSON
			s.err = newPanicError(v, r.graph)
		}
	}()
	write(s)
}
