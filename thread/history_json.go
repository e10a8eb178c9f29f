package thread

import (
	"github.com/graphgen/graphgen/internal/members"
	"github.com/graphgen/graphgen/runtime/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
)

// AppendJSON appends the step to b as one JSON object without white space, for clients that follow a thread. Empty values are left out, and so are
// Bytes and Snapshot.
func (s *Step) AppendJSON(b []byte) ([]byte, error) { return codec.Append(b, (*stepView)(s)) }

// MarshalJSON returns the JSON of AppendJSON.
func (s Step) MarshalJSON() ([]byte, error) { return codec.Marshal((*stepView)(&s)) }

// A stepView is a step that encodes itself, and is not copied.
type stepView Step

// EncodeJSON writes the step as a JSON object.
func (s *stepView) EncodeJSON(e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	chatjson.WriteInt("seq", int(s.Seq), e)
	e.Name("time")
	codec.WriteTime(s.Time, e)
	members.Text("run", s.Run, e)
	members.Text("forked_from", s.Forked.Thread, e)
	chatjson.WriteInt("forked_after", int(s.Forked.Seq), e)
	chatjson.WriteInt("takes_back", int(s.TakesBack), e)
	chatjson.WriteList("changes", s.Changes, e, writeChange)
	chatjson.WriteList("calls", s.Calls, e, writeCall)
	chatjson.WriteList("answers", s.Answers, e, writeAnswered)
	chatjson.WriteList("open", s.Open, e, codec.WriteString)
	chatjson.WriteBool("paused", s.Paused, e)
	members.Text("ended", s.Ended, e)
	members.Text("failure", s.Failure, e)
	e.End()
}

func writeChange(c Change, e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	members.Text("at", c.At, e)
	members.Text("node", c.Node, e)
	chatjson.WriteBool("ended", c.Ended, e)
	members.Text("transition", c.Transition, e)
	members.Text("next", c.Next, e)
	members.Text("failed", c.Failed, e)
	writeValues("written", c.Written, false, e)
	writeValues("added", c.Written, true, e)
	e.End()
}

// writeValues writes the fields that were written as a whole, or the elements that were added to fields, as an object.
func writeValues(name string, list []Value, added bool, e *codec.Encoder) {
	open := false
	for _, v := range list {
		if v.Added != added {
			continue
		}
		if !open {
			if e.Name(name); !e.Begin() {
				return
			}
			open = true
		}
		e.Name(v.Name)
		codec.WriteAny(v.JSON, e)
	}
	if open {
		e.End()
	}
}

func writeCall(c Call, e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	members.Text("at", c.At, e)
	members.Text("key", c.Key, e)
	if len(c.JSON) > 0 {
		e.Name("result")
		codec.WriteAny(c.JSON, e)
	}
	e.End()
}

func writeAnswered(a Answered, e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	members.Text("id", a.ID, e)
	members.Text("decision", a.Decision, e)
	if !a.Late.IsZero() {
		e.Name("late")
		codec.WriteTime(a.Late, e)
	}
	e.End()
}
