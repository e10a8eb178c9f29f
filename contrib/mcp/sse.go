package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// mostField is how long a line of an event may be that is not its data; a longer one is
// cut, and so of no use.
const mostField = 1 << 10

var errEndless = errors.New("an event has no end")

// events is a stream of server-sent events without those that the gate rejects. A rejected
// event keeps its ID, since a stream is resumed by it.
type events struct {
	gate *gate
	call *jsonrpc.Request // which the stream answers; nil: none
	from io.ReadCloser
	in   *bufio.Reader

	out     bytes.Buffer // to be read
	resumes bool         // the last event had an ID: the SDK requests what follows it
	err     error        // of the stream, for when out is empty
}

func newEvents(g *gate, call *jsonrpc.Request, from io.ReadCloser) *events {
	return &events{gate: g, call: call, from: from, in: bufio.NewReaderSize(from, 16<<10)}
}

// Read reads from the events that pass.
func (e *events) Read(p []byte) (int, error) {
	for e.out.Len() == 0 {
		if e.err != nil {
			return 0, e.err
		}
		e.next()
	}
	return e.out.Read(p)
}

// Close ends the stream.
func (e *events) Close() error { return e.from.Close() }

// An event is one of a stream, in as much as it matters.
type event struct {
	name, id, retry []byte
	data            []byte
	long            *scanner // of data that is too long; data is not kept then
}

// next reads an event and writes the parts that pass to out.
func (e *events) next() {
	var evt event
	for {
		field, err := e.line(&evt)
		if err != nil {
			e.finish(err)
			return
		}
		if !field {
			break
		}
	}
	if len(evt.id) > 0 {
		e.resumes = true
		e.write("id: ", evt.id)
	}
	if len(evt.retry) > 0 {
		e.write("retry: ", evt.retry)
	}
	if data := e.admit(&evt); data != nil {
		e.write("data: ", data)
	}
	if e.out.Len() > 0 {
		e.out.WriteByte('\n')
	}
}

func (e *events) write(field string, value []byte) {
	e.out.WriteString(field)
	e.out.Write(value)
	e.out.WriteByte('\n')
}

// line reads a line of an event; the empty one that ends it is not a field.
func (e *events) line(evt *event) (field bool, err error) {
	var name []byte
	value := &fieldValue{most: mostField}
	for first := true; ; first = false {
		part, err := e.in.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return false, err // an event that is cut off does not count
		}
		ended := err == nil
		if ended {
			part = bytes.TrimRight(part, "\r\n")
		}
		if first {
			if ended && len(part) == 0 {
				return false, nil
			}
			before, after, _ := bytes.Cut(part, []byte(":"))
			name = bytes.Clone(before[:min(len(before), mostField)])
			part = bytes.TrimPrefix(after, []byte(" "))
			if string(name) == "data" {
				value.most = e.gate.limit
				value.join(evt)
			}
		}
		value.add(part)
		if ended {
			break
		}
		if value.long != nil && value.long.seen > endless*e.gate.limit {
			return false, errEndless
		}
	}
	switch string(name) {
	case "data":
		evt.data, evt.long = value.kept, value.long
	case "id":
		evt.id = value.kept
	case "event":
		evt.name = value.kept
	case "retry":
		evt.retry = value.kept
	}
	return true, nil
}

// A fieldValue is kept up to a length; from there on it is only looked through.
type fieldValue struct {
	most int
	kept []byte
	long *scanner
}

// join continues with the data that the event has: its lines are one text.
func (v *fieldValue) join(evt *event) {
	v.kept, v.long = evt.data, evt.long
	if v.kept != nil {
		v.kept = append(v.kept, '\n')
	}
}

func (v *fieldValue) add(part []byte) {
	if v.long == nil && len(v.kept)+len(part) > v.most {
		v.long = &scanner{}
		v.long.feed(v.kept)
		v.kept = nil
	}
	if v.long != nil {
		v.long.feed(part)
		return
	}
	if v.kept == nil {
		v.kept = []byte{}
	}
	v.kept = append(v.kept, part...)
}

// admit returns the data of an event that passes, or the response that replaces it.
func (e *events) admit(evt *event) []byte {
	if len(evt.name) > 0 && string(evt.name) != "message" {
		return nil
	}
	if evt.long != nil {
		id, answers := evt.long.call()
		if !answers || e.call == nil || e.call.ID.Raw() != id {
			return nil
		}
		return e.instead(e.gate.tooLarge())
	}
	if len(evt.data) == 0 {
		return nil
	}
	msg, err := jsonrpc.DecodeMessage(evt.data)
	if err != nil {
		return e.instead(malformed(err))
	}
	pass, err := e.gate.admit(msg)
	var stray *jsonrpc.Error
	switch {
	case errors.As(err, &stray):
		return e.instead(stray)
	case !pass:
		return nil
	}
	if resp, ok := msg.(*jsonrpc.Response); ok && e.call != nil && resp.ID == e.call.ID {
		e.answered()
	}
	if move(msg) {
		if data, err := jsonrpc.EncodeMessage(msg); err == nil {
			return data
		}
	}
	return bytes.ReplaceAll(evt.data, []byte("\n"), nil) // between tokens: a JSON string has none
}

// instead answers the call itself, and ends the stream.
func (e *events) instead(what *jsonrpc.Error) []byte {
	if e.call == nil {
		return nil
	}
	data, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: e.call.ID, Error: what})
	if err != nil {
		e.err = err
		return nil
	}
	e.answered()
	return data
}

// answered ends the stream: nothing after the answer is of use.
func (e *events) answered() {
	e.call, e.err = nil, io.EOF
	_ = e.from.Close()
}

// finish handles the end of the stream. A call without an answer gets one, unless the SDK
// can ask for the rest.
func (e *events) finish(err error) {
	what := &jsonrpc.Error{Code: codeCut, Message: "the answer was cut off"}
	if errors.Is(err, errEndless) {
		what, e.resumes = e.gate.tooLarge(), false
		_ = e.from.Close()
	}
	if e.call != nil && !e.resumes {
		if data := e.instead(what); data != nil {
			e.write("data: ", data)
			e.out.WriteByte('\n')
		}
	}
	e.call, e.err = nil, err
}
