package pipeline

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
)

// A run of a thread is saved between its steps. Of its transcripts, that is what later steps need: the conversation, and
// of a node within its tool loop, or whose calls a tool node is to make, its messages.

// Cells lists what is saved of the conversation. Those of the nodes follow it.
func (c *Conversation) Cells(s *codec.Cells) {
	codec.Tail(s, "~talk", &c.messages, chatjson.DecodeMessage, chatjson.EncodeMessage)
	codec.Tail(s, "~spoken", &c.passages, readPassage, writePassage)
	codec.Cell(s, "~closed", &c.closed, codec.ReadInt, codec.WriteInt)
	codec.Cell(s, "~turn", &c.addition, readTurn, writeTurn)
	codec.Cell(s, "~left", &c.pending, readPending, writePending)
	pure := c.pure
	codec.Cell(s, "~pure", &pure, readResults, writeResults)
	if len(pure) > 0 {
		c.pure = pure
	}
}

// Cells lists what is saved of the transcript of a node.
func (tr *Transcript) Cells(s *codec.Cells, conversation *Conversation, node *Node) {
	saved := tr.saved(conversation)
	codec.Cell(s, "~dialog."+node.Name, &saved, readTranscript, writeTranscript)
	codec.Tail(s, "~messages."+node.Name, &saved.messages, chatjson.DecodeMessage, chatjson.EncodeMessage)
	if tr.node != nil || !s.Loading() {
		return
	}
	if tr.node, tr.conversation = node, conversation; saved.goesOn {
		tr.request.restore = (*Transcript).reopen
	}
	tr.request.System = saved.system
	tr.request.meter.under(saved.version, saved.replaced)
	tr.messages = messages{
		list: saved.messages, shown: saved.shown, mark: saved.mark, user: saved.user, from: saved.from, refused: saved.void, answer: saved.at,
	}
	tr.turn.calls = saved.calls
	tr.past = past{
		visits: saved.visits, answer: saved.answer, answered: saved.answered, looping: saved.goesOn,
		called: saved.called, thread: saved.thread, repliedTo: saved.owes,
	}
	if p := conversation.pending; p != nil && p.transcript == nil && p.of == node.Name {
		p.transcript = tr
	}
}

// Cells lists what is saved of the transcripts of dynamic nodes that have a node of the spec in common.
func (s *Transcripts) Cells(c *codec.Cells, conversation *Conversation, node *Node) {
	names := slices.Sorted(maps.Keys(s.of))
	if len(names) == 0 && !c.Loading() {
		return
	}
	codec.Cell(c, "~dialogs."+node.Name, &names, func(v *[]string, d *codec.Decoder) { codec.ReadList(v, d, codec.ReadString) },
		func(v []string, e *codec.Encoder) { codec.WriteList(v, e, codec.WriteString) })
	for _, name := range names {
		d := s.named(name)
		own := *node
		own.Name = name
		d.Cells(c, conversation, &own)
	}
}

// A savedTranscript is what is saved of a Transcript.
type savedTranscript struct {
	system, version               string
	shown, mark, from, at, visits int
	owes, answer                  string
	goesOn, answered, replaced    bool
	void                          []span
	called                        []string
	calls                         []chat.ToolCall
	user, messages, thread        []chat.Message
}

// saved returns what is saved of the transcript.
func (tr *Transcript) saved(conversation *Conversation) savedTranscript {
	p, m := &tr.past, &tr.messages
	v := savedTranscript{owes: p.repliedTo, thread: p.thread, visits: p.visits, called: p.called, calls: tr.turn.calls, goesOn: p.looping}
	if tr.node != nil && tr.node.Revisit {
		v.answer, v.answered = p.answer, p.answered
	}
	if p.looping || conversation.pending != nil && conversation.pending.transcript == tr {
		v.system, v.messages, v.shown, v.mark, v.from, v.at, v.user, v.void = tr.request.System, m.list, m.shown, m.mark, m.from, m.answer, m.user, m.refused
		v.version, v.replaced = tr.request.meter.version, tr.request.meter.replaced
	}
	return v
}

// Types of the record of a run have no methods for JSON: a program would link them without saving anything. The types
// below are those with the methods.
type (
	savedSpan    span
	savedPassage passage
	savedTurn    addition
	savedPending pending
	savedVerdict Verdict
	savedPicker  Picker
	keptResult   result
)

func (v *savedTranscript) JSONMembers(o *codec.Object) {
	number := func(name string, n *int) { codec.SparseMember(o, name, n, codec.ReadInt, codec.WriteInt) }
	text := func(name string, s *string) { codec.SparseMember(o, name, s, codec.ReadString, codec.WriteString) }
	flag := func(name string, b *bool) { codec.SparseMember(o, name, b, codec.ReadBool, codec.WriteBool) }
	text("system", &v.system)
	text("version", &v.version)
	flag("replaced", &v.replaced)
	number("shown", &v.shown)
	number("mark", &v.mark)
	number("from", &v.from)
	number("at", &v.at)
	number("visits", &v.visits)
	codec.SparseListMember(o, "user", &v.user, chatjson.DecodeMessage, chatjson.EncodeMessage)
	text("owes", &v.owes)
	text("answer", &v.answer)
	flag("goes_on", &v.goesOn)
	flag("answered", &v.answered)
	codec.SparseListMember(o, "void", &v.void, readSpan, writeSpan)
	codec.SparseListMember(o, "called", &v.called, codec.ReadString, codec.WriteString)
	codec.SparseListMember(o, "calls", &v.calls, chatjson.DecodeToolCall, chatjson.EncodeToolCall)
	codec.SparseListMember(o, "thread", &v.thread, chatjson.DecodeMessage, chatjson.EncodeMessage)
}

func readTranscript(v *savedTranscript, d *codec.Decoder) { codec.ReadStruct(v, d, "a transcript") }
func writeTranscript(v savedTranscript, e *codec.Encoder) { codec.WriteStruct(&v, e) }

func (v *savedSpan) JSONMembers(o *codec.Object) {
	o.Int("from", &v.from)
	o.Int("to", &v.to)
}
func readSpan(v *span, d *codec.Decoder) { codec.ReadStruct((*savedSpan)(v), d, "a span") }
func writeSpan(v span, e *codec.Encoder) { codec.WriteStruct((*savedSpan)(&v), e) }

func (v *savedPassage) JSONMembers(o *codec.Object) {
	o.Int("end", &v.end)
	o.String("node", &v.node)
	codec.SparseMember(o, "model", &v.voice.model, codec.ReadString, codec.WriteString)
	codec.SparseMember(o, "light", &v.voice.light, codec.ReadBool, codec.WriteBool)
}
func readPassage(v *passage, d *codec.Decoder) { codec.ReadStruct((*savedPassage)(v), d, "a passage") }
func writePassage(v passage, e *codec.Encoder) { codec.WriteStruct((*savedPassage)(&v), e) }

func (v *savedTurn) JSONMembers(o *codec.Object) {
	codec.SparseMember(o, "of", &v.of, codec.ReadString, codec.WriteString)
	codec.SparseListMember(o, "messages", &v.messages, chatjson.DecodeMessage, chatjson.EncodeMessage)
}
func readTurn(v *addition, d *codec.Decoder) { codec.ReadStruct((*savedTurn)(v), d, "a turn") }
func writeTurn(v addition, e *codec.Encoder) { codec.WriteStruct((*savedTurn)(&v), e) }

func (v *savedPending) JSONMembers(o *codec.Object) {
	if v.transcript != nil {
		v.of = v.transcript.node.Name
	}
	o.String("of", &v.of)
	codec.SparseListMember(o, "calls", &v.calls, chatjson.DecodeToolCall, chatjson.EncodeToolCall)
	codec.SparseListMember(o, "said", &v.said, chatjson.DecodeMessage, chatjson.EncodeMessage)
	o.Int("after", &v.after)
	codec.SparseMember(o, "by", &v.by, codec.ReadInt, codec.WriteInt)
}

func readPending(v **pending, d *codec.Decoder) {
	codec.ReadOptional(v, d, func(v *pending, d *codec.Decoder) { codec.ReadStruct((*savedPending)(v), d, "calls that are left") })
}

func writePending(v *pending, e *codec.Encoder) {
	codec.WriteOptional(v, e, func(v pending, e *codec.Encoder) { codec.WriteStruct((*savedPending)(&v), e) })
}

// savedResult is the result of a call of a tool, whose members a list names.
type savedResult chat.ToolResult

func (v *savedResult) JSONMembers(o *codec.Object) {
	chatjson.TextMember(o, "text", &v.Text)
	codec.SparseListMember(o, "media", &v.Media, chatjson.DecodeMedia, chatjson.EncodeMedia)
}

func readResults(v *map[string]chat.ToolResult, d *codec.Decoder) {
	codec.ReadMap(v, d, func(r *chat.ToolResult, d *codec.Decoder) {
		codec.ReadStruct((*savedResult)(r), d, "the result of a tool")
	})
}

func writeResults(v map[string]chat.ToolResult, e *codec.Encoder) {
	codec.WriteMap(v, e, func(r chat.ToolResult, e *codec.Encoder) { codec.WriteStruct((*savedResult)(&r), e) })
}

// Cells lists what is saved of the results.
func (r *Results) Cells(s *codec.Cells) {
	input := written{value: r.input}
	codec.Cell(s, "~input", &input, readWritten, writeBrief) // judges alone are shown it
	codec.Tail(s, "~results", &r.list, readResult, writeResult)
	if s.Loading() && input.json != nil {
		r.input = written{json: input.json} // the run began with none in this process
	}
}

// A written is a value that is JSON already, or that is to be written.
type written struct {
	value codec.Marshaler
	json  []byte
	brief []byte // with the types and sizes of media; nil: it has none
}

// EncodeJSON writes the value. What was JSON already has no media that could be attached.
func (v written) EncodeJSON(e *codec.Encoder) {
	if v.brief != nil && e.Attaches() {
		codec.WriteAny(v.brief, e)
		return
	}
	writeWritten(v, e)
}

func readWritten(v *written, d *codec.Decoder) { codec.ReadAny(&v.json, d) }

func writeWritten(v written, e *codec.Encoder) { v.write(e, codec.Marshal) }

// writeBrief writes the value as judges are shown it.
func writeBrief(v written, e *codec.Encoder) { v.write(e, briefly) }

func briefly(v codec.Marshaler) ([]byte, error) { return codec.AppendBrief(nil, v) }

func (v *written) write(e *codec.Encoder, marshal func(codec.Marshaler) ([]byte, error)) {
	data := v.json
	if v.value != nil {
		var err error
		if data, err = marshal(v.value); err != nil { // models are not shown it either
			data = nil
		}
	}
	if data == nil {
		data = []byte("null")
	}
	codec.WriteAny(data, e)
}

func (r *keptResult) JSONMembers(o *codec.Object) {
	o.String("node", &r.node)
	chatjson.TextMember(o, "text", &r.text)
	var value, brief, problem string
	if r.value != nil {
		value, brief, problem = texts(r.value)
	}
	codec.SparseMember(o, "value", &value, readText, writeText)
	codec.SparseMember(o, "brief", &brief, readText, writeText)
	codec.SparseMember(o, "problem", &problem, codec.ReadString, codec.WriteString)
	codec.SparseListMember(o, "fields", &r.fields, codec.ReadString, codec.WriteString)
	codec.SparseListMember(o, "evals", &r.evals, readVerdict, writeVerdict)
	switch {
	case problem != "":
		r.value = unwritable(problem)
	case brief != "":
		r.value = written{json: []byte(value), brief: []byte(brief)}
	case value != "":
		r.value = written{json: []byte(value)}
	}
}

// texts returns a result as JSON, and as judges are shown it where that differs, or why it has no JSON.
func texts(v codec.Marshaler) (value, brief, problem string) {
	whole, err := codec.Marshal(v)
	if err != nil {
		return "", "", err.Error()
	}
	if shown, err := briefly(v); err == nil && !bytes.Equal(whole, shown) {
		brief = string(shown)
	}
	return string(whole), brief, ""
}

// readText reads any JSON, also a null: a result that is one is not a result that has none.
func readText(v *string, d *codec.Decoder) {
	var text []byte
	codec.ReadAny(&text, d)
	*v = string(text)
}

func writeText(v string, e *codec.Encoder) { codec.WriteAny([]byte(v), e) }

// An unwritable is a result that has no JSON: why.
type unwritable string

func (v unwritable) EncodeJSON(e *codec.Encoder) { e.Fail(string(v)) }

func readResult(r *result, d *codec.Decoder) { codec.ReadStruct((*keptResult)(r), d, "a result") }
func writeResult(r result, e *codec.Encoder) { codec.WriteStruct((*keptResult)(&r), e) }

func (v *savedVerdict) JSONMembers(o *codec.Object) {
	o.String("name", &v.Name)
	o.Bool("pass", &v.Pass)
}
func readVerdict(v *Verdict, d *codec.Decoder) { codec.ReadStruct((*savedVerdict)(v), d, "a verdict") }
func writeVerdict(v Verdict, e *codec.Encoder) { codec.WriteStruct((*savedVerdict)(&v), e) }

// Cells lists what is saved of a pool.
func (p *Picker) Cells(s *codec.Cells, name string, pool *Pool) {
	codec.Cell(s, "~pool."+name, p, readPicker, writePicker)
	if p.Pool = pool; len(p.ran) == 0 {
		p.ran = nil
	}
}

func (p *savedPicker) JSONMembers(o *codec.Object) {
	codec.SparseListMember(o, "ran", &p.ran, codec.ReadBool, codec.WriteBool)
	codec.SparseMember(o, "steps", &p.steps, codec.ReadInt, codec.WriteInt)
	codec.SparseMember(o, "over", &p.over, codec.ReadBool, codec.WriteBool)
}
func readPicker(p *Picker, d *codec.Decoder) { codec.ReadStruct((*savedPicker)(p), d, "a pool") }
func writePicker(p Picker, e *codec.Encoder) { codec.WriteStruct((*savedPicker)(&p), e) }

// reopen makes the request of a transcript that another process began.
func (tr *Transcript) reopen(ctx context.Context) error {
	n := tr.node
	override, err := tr.findModel()
	if err != nil {
		return err
	}
	output := n.Output
	if n.Change != nil {
		output, _ = n.Change.open(tr.run)
	}
	specs, err := tr.tools(ctx)
	if err != nil {
		return err
	}
	tr.request.restore = nil
	version, replaced := tr.request.meter.version, tr.request.meter.replaced
	if tr.write(override, tr.request.System, specs, output); version != "" { // of what was sent; earlier releases did not save it
		tr.request.meter.under(version, replaced)
	}
	tr.hasCalled()
	return nil
}
