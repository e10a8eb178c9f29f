package serve

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/members"
	"github.com/graphgen/graphgen/runtime/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
)

// shownStep returns what clients are shown of a step. Private fields are left out; results of calls and texts of failures are for developers.
func (c *call) shownStep(s thread.Step) thread.Step {
	s.Run, s.Failure = c.shownRun(s.Run), c.failure(s.Failure)
	if s.Forked.Thread != "" {
		s.Forked.Thread = c.shownName(s.Forked.Thread)
	}
	if !c.h.o.Details {
		s.Calls = nil
	}
	s.Changes = slices.Clone(s.Changes)
	for i := range s.Changes {
		v := &s.Changes[i]
		v.Failed, v.Written = c.failure(v.Failed), c.shown(v.At, v.Written)
	}
	return s
}

// shown returns what clients are shown of the values of the run at a place. The reasoning of models in conversations is for developers.
func (c *call) shown(at string, values []thread.Value) []thread.Value {
	values = c.graph.durable.shown(at, slices.Clone(values))
	if c.h.o.Details {
		return values
	}
	for i := range values {
		values[i].JSON = withoutReasoning(values[i].JSON)
	}
	return values
}

// shownOutput returns what clients are shown of the output of a run, as shown does of its fields.
func (c *call) shownOutput(out []byte) []byte {
	if c.h.o.Details || len(out) == 0 || !reasons(out) {
		return out
	}
	members, err := objectOf(out)
	if err != nil { // it is a value alone
		return withoutReasoning(out)
	}
	for name, value := range members {
		members[name] = withoutReasoning(value)
	}
	data, err := codec.Marshal(codec.Of(members, func(m map[string][]byte, e *codec.Encoder) { codec.WriteMap(m, e, codec.WriteAny) }))
	if err != nil { // it was read from JSON
		return out
	}
	return data
}

// reasons reports whether a value may have reasoning of models.
func reasons(value []byte) bool {
	return bytes.Contains(value, []byte(`"reasoning":`)) || bytes.Contains(value, []byte(`"opaque":`))
}

// withoutReasoning returns a value without the reasoning of models, and what is for their providers alone, if it is a list of messages.
func withoutReasoning(value []byte) []byte {
	if !reasons(value) {
		return value
	}
	var list []chat.Message
	decode := func(to *[]chat.Message, d *codec.Decoder) { codec.ReadList(to, d, chatjson.DecodeMessage) }
	if codec.Unmarshal(value, codec.Into(&list, decode)) != nil {
		return value
	}
	for i := range list {
		list[i].Reasoning = nil
		for k := range list[i].Calls {
			list[i].Calls[k].Opaque = ""
		}
	}
	data, err := codec.Marshal(codec.Of(list, func(list []chat.Message, e *codec.Encoder) { codec.WriteList(list, e, chatjson.EncodeMessage) }))
	if err != nil { // it was read from JSON
		return value
	}
	return data
}

// A place is where a run of a thread begins. It is zero for a run that the thread does not have.
type place struct {
	id    string
	begin uint64 // its first step
	last  bool   // the thread has no later run
}

// placeOf returns where the run of an ID begins; without one, the last run of the thread.
func (c *call) placeOf(id string) (at place, _ error) {
	for s, err := range durable.History(c.r.Context(), c.graph.durable.store(), c.name, 0) {
		switch {
		case err != nil:
			return place{}, err
		case s.Run != "" && (id == "" || s.Run == id):
			at = place{s.Run, s.Seq, true}
		case s.Run != "":
			at.last = false
		}
	}
	return at, nil
}

// failure returns what a client is sent of a failure.
func (c *call) failure(text string) string {
	if text == "" || c.h.o.Details {
		return text
	}
	return errHidden.Error()
}

// another is the name of the thread of another tenant, which a program has forked.
const another = "another"

// shownName returns the name of another thread, as clients see it.
func (c *call) shownName(stored string) string {
	name, ok := strings.CutPrefix(stored, c.h.space(c.access.Caller))
	if !ok {
		return another
	}
	return name
}

// ofThread matches the ID of a run, or of a run within it, that may be named for its thread.
var ofThread = regexp.MustCompile(`\.\d+(/|$)`)

// shownRun returns the ID of a run of the thread, as clients see it. A fork has runs of the thread that it was made of.
func (c *call) shownRun(id string) string {
	if rest, ok := strings.CutPrefix(id, c.name); ok {
		return c.access.Thread + rest
	}
	if !ofThread.MatchString(id) { // by a key, or of the program
		return id
	}
	of, err := c.forkedOf()
	if err != nil {
		return another
	}
	for _, name := range of {
		if rest, ok := strings.CutPrefix(id, name+"."); ok {
			return c.shownName(name) + "." + rest
		}
	}
	return id
}

// forkedOf returns the names of the threads that the thread is a fork of.
func (c *call) forkedOf() ([]string, error) {
	if c.origins == nil {
		of := []string{}
		for s, err := range durable.History(c.r.Context(), c.graph.durable.store(), c.name, 0) {
			if err != nil {
				return nil, err
			}
			if s.Forked.Thread != "" {
				of = append(of, s.Forked.Thread)
			}
			// A fork of a complete thread has records of that one alone, of which those that begin runs have their number in the ID.
			if name, ok := strings.CutSuffix(s.Run, "."+strconv.FormatUint(s.Seq, 10)); ok {
				of = append(of, name)
			}
		}
		c.origins = of
	}
	return c.origins, nil
}

// writeValues writes fields of a state as an object, without private ones.
func (c *call) writeValues(name, at string, values []thread.Value, e *codec.Encoder) {
	if values = c.shown(at, values); len(values) == 0 {
		return
	}
	if e.Name(name); !e.Begin() {
		return
	}
	for _, v := range values {
		e.Name(v.Name)
		codec.WriteAny(v.JSON, e)
	}
	e.End()
}

// writeState writes the state after a record, with the states of child runs.
func (c *call) writeState(s *thread.State, e *codec.Encoder) {
	members.Text("thread", c.access.Thread, e)
	chatjson.WriteInt("seq", int(s.Seq), e)
	e.Name("time")
	codec.WriteTime(s.Time, e)
	members.Text("run", c.shownRun(s.Run), e)
	members.Text("ended", s.Ended, e)
	chatjson.WriteList("open", s.Open, e, codec.WriteString)
	chatjson.WriteList("runs", s.Runs, e, func(v thread.RunState, e *codec.Encoder) {
		if !e.Begin() {
			return
		}
		members.Text("at", v.At, e)
		members.Text("node", v.Node, e)
		chatjson.WriteBool("ended", v.Ended, e)
		members.Text("transition", v.Transition, e)
		members.Text("next", v.Next, e)
		members.Text("failed", c.failure(v.Failed), e)
		c.writeValues("fields", v.At, v.Fields, e)
		e.End()
	})
}
