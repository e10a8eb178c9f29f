package durable

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/thread"
)

// A record is one entry of the log of a thread: what changed since the one before. Its JSON is documented in
// docs/reference/threads.md.
type record struct {
	before   string // the hash of the record before it; empty: none
	run      string // of a snapshot: the ID of the run
	input    string // of a snapshot: a hash of the input of the run
	earlier  []pastRun
	pausesAt pausesAt
	runs     []entry
	effects  []effect
	verdicts []verdict
	open     []openRequest // the requests of a run that waits; a record without them leaves those before
	closed   bool          // no request is open
	calls    int           // the number of the last call of a model; 0: as in the record before
	ended    string        // the reason why the run ended
	failure  string        // with which it failed
	forked   thread.Origin // of the first record of a thread that was forked
	back     uint64        // of the first record of a run that takes back the one before: the first record that does not count any more; 0: none
	sealed   *sealed       // nil: nothing is
}

// An entry is what has changed of one of the runs of the tree.
type entry struct {
	place string
	step  bool   // a step has ended: the child runs of its node are gone
	fresh bool   // the run has begun: what was saved at its place is of another one
	again bool   // its node is executed again: the child runs of the attempt before are gone
	cells []byte // the members of an object

	hidden []byte // those that are sealed
}

// An effect is what a call of a model or of a tool gave within the current step of a run.
type effect struct {
	place, key string
	json       []byte
}

// isBehind reports whether no step that is to come needs the effect once the run at a place has ended a step.
func (e *effect) isBehind(place string) bool {
	return e.place == place || strings.HasPrefix(e.place, place+"/") || strings.HasPrefix(place, e.place+"/")
}

// A verdict is what a person decided about a request, or that no answer came in time.
type verdict struct {
	id string
	engine.Decided
}

// what returns how the request was answered.
func (v *verdict) what() string {
	switch {
	case !v.Late.IsZero(): // nothing was taken of the answer
		return "late"
	case v.Decision != 0:
		return v.Decision.String()
	}
	return string(graphgen.RequestReply)
}

// An openRequest is a question that a run waits for.
type openRequest struct {
	id       string
	deadline time.Time
}

// pausesAt are the nodes at which the options of a run have it pause.
type pausesAt struct{ before, after []string }

func (v *record) JSONMembers(o *codec.Object) {
	codec.SparseMember(o, "before", &v.before, codec.ReadString, codec.WriteString)
	codec.SparseMember(o, "run", &v.run, codec.ReadString, codec.WriteString)
	codec.SparseMember(o, "input", &v.input, codec.ReadString, codec.WriteString)
	codec.SparseListMember(o, "earlier", &v.earlier, structReader[pastRun]("an earlier run"), structWriter[pastRun])
	codec.SparseListMember(o, "interrupt_before", &v.pausesAt.before, codec.ReadString, codec.WriteString)
	codec.SparseListMember(o, "interrupt_after", &v.pausesAt.after, codec.ReadString, codec.WriteString)
	codec.SparseListMember(o, "runs", &v.runs, structReader[entry]("a run"), structWriter[entry])
	codec.SparseListMember(o, "effects", &v.effects, structReader[effect]("an effect"), structWriter[effect])
	codec.SparseListMember(o, "verdicts", &v.verdicts, structReader[verdict]("a verdict"), structWriter[verdict])
	codec.SparseListMember(o, "open", &v.open, structReader[openRequest]("a request"), structWriter[openRequest])
	codec.SparseMember(o, "closed", &v.closed, codec.ReadBool, codec.WriteBool)
	codec.SparseMember(o, "calls", &v.calls, codec.ReadInt, codec.WriteInt)
	codec.SparseMember(o, "ended", &v.ended, codec.ReadString, codec.WriteString)
	codec.SparseMember(o, "failure", &v.failure, codec.ReadString, codec.WriteString)
	forkedAt := int(v.forked.Seq)
	codec.SparseMember(o, "forked_from", &v.forked.Thread, codec.ReadString, codec.WriteString)
	codec.SparseMember(o, "forked_behind", &forkedAt, codec.ReadInt, codec.WriteInt)
	v.forked.Seq = uint64(forkedAt)
	back := int(v.back)
	codec.SparseMember(o, "takes_back", &back, codec.ReadInt, codec.WriteInt)
	v.back = uint64(back)
	codec.OptionalMember(o, "sealed", &v.sealed, readSealed, writeSealed)
}

// structReader returns what reads a struct by the list of its members.
func structReader[T any, P interface {
	*T
	codec.Struct
}](name string) codec.Reader[T] {
	return func(v *T, d *codec.Decoder) { codec.ReadStruct(P(v), d, name) }
}

// structWriter writes a struct by the list of its members.
func structWriter[T any, P interface {
	*T
	codec.Struct
}](v T, e *codec.Encoder) {
	codec.WriteStruct(P(&v), e)
}

func (v *entry) JSONMembers(o *codec.Object) {
	o.String("at", &v.place)
	codec.SparseMember(o, "step", &v.step, codec.ReadBool, codec.WriteBool)
	codec.SparseMember(o, "fresh", &v.fresh, codec.ReadBool, codec.WriteBool)
	codec.SparseMember(o, "again", &v.again, codec.ReadBool, codec.WriteBool)
	codec.Member(o, "cells", &v.cells, codec.ReadAny, writeCells)
}

func writeCells(members []byte, e *codec.Encoder) {
	codec.WriteAny(append(append([]byte{'{'}, members...), '}'), e)
}

func (v *effect) JSONMembers(o *codec.Object) {
	o.String("at", &v.place)
	o.String("key", &v.key)
	codec.Member(o, "gave", &v.json, codec.ReadAny, codec.WriteAny)
}

func (v *verdict) JSONMembers(o *codec.Object) {
	decision := v.Decision.String()
	o.String("id", &v.id)
	codec.SparseMember(o, "decision", &decision, codec.ReadString, codec.WriteString)
	codec.SparseMember(o, "reason", &v.Reason, codec.ReadString, codec.WriteString)
	codec.SparseMember(o, "arguments", &v.Arguments, codec.ReadString, codec.WriteString)
	codec.SparseMember(o, "late", &v.Late, codec.ReadTime, codec.WriteTime)
	codec.SparseMember(o, "failed", &v.Failed, codec.ReadString, codec.WriteString)
	codec.OptionalMember(o, "result", &v.Result, func(r *chat.ToolResult, d *codec.Decoder) {
		var t toolResult
		codec.ReadStruct(&t, d, "the result of a tool")
		*r = t.ToolResult
	}, func(r chat.ToolResult, e *codec.Encoder) { codec.WriteStruct(&toolResult{ToolResult: r}, e) })
	switch decision {
	case graphgen.Approve.String():
		v.Decision = graphgen.Approve
	case graphgen.Deny.String():
		v.Decision = graphgen.Deny
	}
}

func (v *openRequest) JSONMembers(o *codec.Object) {
	o.String("id", &v.id)
	codec.SparseMember(o, "deadline", &v.deadline, codec.ReadTime, codec.WriteTime)
}

// isEmpty reports whether nothing has changed.
func (v *record) isEmpty() bool {
	return len(v.runs)+len(v.effects)+len(v.verdicts)+len(v.open) == 0 && !v.closed && v.ended == ""
}

// encode returns the JSON of the record.
func (v *record) encode() ([]byte, error) { return codec.MarshalStruct(v) }

// decode reads a record.
func decode(data []byte) (*record, error) {
	v := new(record)
	err := codec.Unmarshal(data, codec.Into(v, structReader[record]("the record")))
	return v, err
}

// digest returns a hash, such as the one by which the next record names it.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}
