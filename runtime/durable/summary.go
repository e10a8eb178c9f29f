package durable

import (
	"slices"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/thread"
)

// A summary is what the head of a thread has for lists, and for the process that takes up the thread.
type summary struct {
	chain    string // the hash of the last record
	run      string // the ID of the last run
	named    bool   // earlier runs were given IDs
	partial  bool   // the thread is a fork of which the copy alone is made
	reason   string // why it ended
	failure  string // with which it failed
	requests []graphgen.Request
	sealed   *sealed // nil: nothing is
}

func (v *summary) JSONMembers(o *codec.Object) {
	o.String("chain", &v.chain)
	o.String("run", &v.run)
	codec.SparseMember(o, "named", &v.named, codec.ReadBool, codec.WriteBool)
	codec.SparseMember(o, "partial", &v.partial, codec.ReadBool, codec.WriteBool)
	codec.SparseMember(o, "reason", &v.reason, codec.ReadString, codec.WriteString)
	codec.SparseMember(o, "failure", &v.failure, codec.ReadString, codec.WriteString)
	codec.SparseListMember(o, "requests", &v.requests, func(q *graphgen.Request, d *codec.Decoder) {
		codec.ReadStruct((*request)(q), d, "a request")
	}, func(q graphgen.Request, e *codec.Encoder) { codec.WriteStruct((*request)(&q), e) })
	codec.OptionalMember(o, "sealed", &v.sealed, readSealed, writeSealed)
}

// summaryOf reads the summary of a head, of which a part may be sealed.
func summaryOf(h *thread.Head, by thread.Sealer) (summary, error) {
	v, err := plainSummary(h)
	if err == nil {
		err = v.openBy(by)
	}
	return v, err
}

// plainSummary is summaryOf without what is sealed.
func plainSummary(h *thread.Head) (v summary, err error) {
	if len(h.Summary) > 0 {
		err = codec.Unmarshal(h.Summary, codec.Into(&v, structReader[summary]("the summary")))
	}
	return v, err
}

// InfoOf returns what the head of a thread has for lists, except for what is sealed.
func InfoOf(h *thread.Head) (thread.Info, error) {
	about, err := plainSummary(h)
	return about.of(h), err
}

// hiddenSummary is the sealed part of a summary.
type hiddenSummary struct {
	failure  string
	requests []hiddenRequest
}

// hiddenRequest is what a request may have of secret fields.
type hiddenRequest graphgen.Request

func (v *hiddenSummary) JSONMembers(o *codec.Object) {
	codec.SparseMember(o, "failure", &v.failure, codec.ReadString, codec.WriteString)
	codec.SparseListMember(o, "requests", &v.requests, structReader[hiddenRequest]("a request"), structWriter[hiddenRequest])
}

func (v *hiddenRequest) JSONMembers(o *codec.Object) { asked((*graphgen.Request)(v), o) }

// sealBy moves what is secret of a summary into its sealed part.
func (v *summary) sealBy(with thread.Sealer) (err error) {
	if v.failure == "" && len(v.requests) == 0 {
		return nil
	}
	h := hiddenSummary{failure: v.failure}
	v.failure, v.requests = "", slices.Clone(v.requests)
	for i, q := range v.requests {
		h.requests = append(h.requests, hiddenRequest(q))
		v.requests[i].Arguments, v.requests[i].Question, v.requests[i].Shown, v.requests[i].Choices = "", "", nil, nil
	}
	v.sealed, err = sealOf(with, &h, v.chain)
	return err
}

// openBy is the reverse of sealBy.
func (v *summary) openBy(with thread.Sealer) error {
	if v.sealed == nil {
		return nil
	}
	var h hiddenSummary
	if err := v.sealed.open(with, codec.Into(&h, structReader[hiddenSummary]("the sealed part")), v.chain); err != nil {
		return err
	}
	v.failure = h.failure
	for i := range min(len(h.requests), len(v.requests)) {
		q, of := &v.requests[i], &h.requests[i]
		q.Arguments, q.Question, q.Shown, q.Choices = of.Arguments, of.Question, of.Shown, of.Choices
	}
	return nil
}

func (v *summary) of(h *thread.Head) thread.Info {
	return thread.Info{Name: h.Thread, Status: h.Status, Requests: v.requests, Failure: v.failure, Updated: h.Updated}
}

// request is a Request, whose members a list names.
type request graphgen.Request

func (v *request) JSONMembers(o *codec.Object) {
	text := func(name string, s *string) { codec.SparseMember(o, name, s, codec.ReadString, codec.WriteString) }
	number := func(name string, n *int) { codec.SparseMember(o, name, n, codec.ReadInt, codec.WriteInt) }
	text("id", &v.ID)
	text("graph", &v.Where.Graph)
	text("node", &v.Where.Node)
	text("branch", &v.Where.Branch)
	number("step", &v.Where.Step)
	number("visit", &v.Where.Visit)
	text("file", &v.Where.Pos.File)
	number("line", &v.Where.Pos.Line)
	number("col", &v.Where.Pos.Col)
	text("within", &v.Within)
	text("kind", (*string)(&v.Kind))
	text("tool", &v.Tool)
	asked((*graphgen.Request)(v), o)
	text("schema", &v.Schema)
	codec.SparseMember(o, "deadline", &v.Deadline, codec.ReadTime, codec.WriteTime)
}

// asked lists the members of a request that a run has made.
func asked(v *graphgen.Request, o *codec.Object) {
	codec.SparseMember(o, "arguments", &v.Arguments, codec.ReadString, codec.WriteString)
	codec.SparseMember(o, "question", &v.Question, codec.ReadString, codec.WriteString)
	codec.SparseListMember(o, "shown", &v.Shown, func(s *graphgen.Shown, d *codec.Decoder) {
		codec.ReadStruct((*shown)(s), d, "what is shown")
	}, func(s graphgen.Shown, e *codec.Encoder) { codec.WriteStruct((*shown)(&s), e) })
	codec.SparseListMember(o, "choices", &v.Choices, codec.ReadString, codec.WriteString)
}

// shown is what a person is shown, whose members a list names.
type shown graphgen.Shown

func (v *shown) JSONMembers(o *codec.Object) {
	o.String("name", &v.Name)
	o.String("text", &v.Text)
	codec.SparseMember(o, "json", &v.JSON, codec.ReadBool, codec.WriteBool)
}
