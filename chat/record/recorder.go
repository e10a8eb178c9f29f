package record

import (
	"context"
	"io"
	"slices"
	"sync"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/failure"
	"github.com/graphgen/graphgen/runtime/codec"
)

// A Recorder writes a recording. It never changes a run: Close returns the error if something
// cannot be written. It is safe for concurrent use.
type Recorder struct {
	// By returns the caller, such as the node and branch, to distinguish calls that are otherwise
	// equal. If it is nil, calls have no caller. The player needs the same. It is set before the
	// first call.
	By func(context.Context) string

	// Redact takes out of a text what must not be in the recording. It is given every text before
	// anything is written: prompts, messages, arguments, results, what is streamed, and errors.
	// Nil is Secrets. What it has gone through it leaves as it is, and the player needs the same
	// one: a replay compares what is sent with what was recorded. It is set before the first call.
	Redact func(text string) string

	clean redaction

	mu    sync.Mutex
	w     io.Writer
	err   error
	lines int
	calls int
	book  book
	asked []asked    // the tool calls of the last model call
	held  []heldCall // calls that are not written yet
	began int        // how many calls of tools have begun
}

// asked is a tool call that a model has asked for; it is taken when the call begins.
type asked struct {
	name, arguments string
	taken           bool
}

// A heldCall waits for its place in the file.
type heldCall struct {
	place int
	line  numbered
}

// numbered is the line of a call.
type numbered interface{ number(n int) }

func (c *modelCall) number(n int) { c.n = n }
func (c *toolCall) number(n int)  { c.n = n }
func (c *toolList) number(n int)  { c.n = n }

// New returns a recorder that writes to w, a line or more at a time.
func New(w io.Writer) *Recorder {
	r := &Recorder{w: w}
	r.write(header{Version})
	return r
}

// Close ends the recording, without which it cannot be played, and returns the first error
// of writing it, with the line. It does not close the writer.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.release()
	r.write(end{r.calls})
	return r.err
}

// write writes a line, unless an earlier one could not be written.
func (r *Recorder) write(l line) {
	if r.err != nil {
		return
	}
	data, err := codec.Marshal(codec.Of(l, encodeLine))
	if err == nil {
		_, err = r.w.Write(append(data, '\n'))
	}
	if r.lines++; err != nil {
		r.err = &lineError{r.lines, err}
	}
}

// call writes the line of a call.
func (r *Recorder) call(l numbered) {
	r.calls++
	l.number(r.calls)
	r.write(l)
}

// release writes the calls that are held back, in their places.
func (r *Recorder) release() {
	slices.SortStableFunc(r.held, func(a, b heldCall) int { return a.place - b.place })
	for _, h := range r.held {
		r.call(h.line)
	}
	r.held = nil
}

func (r *Recorder) cleaner() cleaner { return cleaner{&r.clean, r.Redact} }

func (r *Recorder) by(ctx context.Context) string {
	if r.By == nil {
		return ""
	}
	return r.By(ctx)
}

// enter returns the context of a recorded call, and whether it is made within another one. A
// replay makes only the enclosing call, so the nested one is not recorded.
func (r *Recorder) enter(ctx context.Context) (context.Context, bool) {
	type recording struct{ *Recorder }
	if ctx.Value(recording{r}) != nil {
		return ctx, true
	}
	return context.WithValue(ctx, recording{r}, true), false
}

// late reports whether a call failed when the time of its context was up.
func late(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() == context.DeadlineExceeded
}

// Model returns a model that calls m and records it.
func (r *Recorder) Model(m chat.Model) chat.Model {
	return &recorded{r, m}
}

type recorded struct {
	r *Recorder
	m chat.Model
}

// Unpriced returns what it does of the model.
func (m *recorded) Unpriced(name string) string { return chat.Unpriced(m.m, name) }

// Generate calls the model, and records the call.
func (m *recorded) Generate(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	r := m.r
	ctx, within := r.enter(ctx)
	if within {
		return m.m.Generate(ctx, req, stream)
	}
	c := &modelCall{by: r.by(ctx), purpose: req.Purpose}
	heard := stream
	if stream != nil {
		c.deltas = []chat.Delta{}
		heard = func(d chat.Delta) {
			c.deltas = append(c.deltas, d)
			stream(d)
		}
	}
	resp, err := m.m.Generate(ctx, req, heard)
	clean := r.cleaner()
	if c.failure = clean.failure(failure.Of(err)); resp != nil {
		c.response = &response{Response: *resp}
		c.response.Message = clean.message(resp.Message)
	}
	c.deltas = clean.deltas(c.deltas)
	c.late = late(ctx, err)
	r.model(c, clean.request(req))
	return resp, err
}

// model writes the call of a model, and what of its request and its response is not in the
// file yet.
func (r *Recorder) model(c *modelCall, req *chat.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.release()
	if c.settings = r.book.find(req); c.settings == 0 {
		c.settings = r.book.keep(req)
		r.write(settings{c.settings, r.book.settings[c.settings-1]})
	}
	at, known := r.book.follow(req.Messages)
	for _, m := range req.Messages[known:] {
		before := at.number
		at = r.book.add(at, m)
		r.write(message{at.number, before, m})
	}
	c.messages = at.number
	r.asked = r.asked[:0]
	if c.response != nil {
		next := at.after(&c.response.Message)
		if next == nil {
			next = r.book.add(at, c.response.Message)
		}
		c.response.as = next.number
		for _, call := range c.response.Message.Calls {
			r.asked = append(r.asked, asked{name: call.Name, arguments: call.Arguments})
		}
	}
	r.call(c)
}

// Toolbox returns a toolbox that asks t and records what it has, and the calls of its tools.
func (r *Recorder) Toolbox(t chat.Toolbox) chat.Toolbox { return recordedBox{r, t} }

type recordedBox struct {
	r   *Recorder
	box chat.Toolbox
}

// Serves reports whether the recorded toolbox has the tools of a server.
func (b recordedBox) Serves(server string) bool {
	servers, ok := b.box.(chat.Servers)
	return ok && servers.Serves(server)
}

func (b recordedBox) Tools(ctx context.Context) ([]chat.Tool, error) {
	ctx, within := b.r.enter(ctx)
	if within {
		return b.box.Tools(ctx)
	}
	tools, err := b.box.Tools(ctx)
	clean := b.r.cleaner()
	c := &toolList{by: b.r.by(ctx), failure: clean.failure(failure.Of(err))}
	recorded := make([]chat.Tool, len(tools))
	for i, t := range tools {
		spec := t.Spec()
		c.tools = append(c.tools, clean.specs([]chat.ToolSpec{spec})...)
		recorded[i] = tool{spec, func(ctx context.Context, arguments string) (chat.ToolResult, error) {
			return b.r.Call(ctx, spec.Name, arguments, func(ctx context.Context) (chat.ToolResult, error) { return t.Call(ctx, arguments) })
		}}
	}
	b.r.hold(b.r.place("", ""), c)
	return recorded, err
}

// A tool is one that a tape gives.
type tool struct {
	spec chat.ToolSpec
	call func(ctx context.Context, arguments string) (chat.ToolResult, error)
}

func (t tool) Spec() chat.ToolSpec { return t.spec }

func (t tool) Call(ctx context.Context, arguments string) (chat.ToolResult, error) {
	return t.call(ctx, arguments)
}

// Call calls a tool by that function and records it. A panic is recorded and continues.
func (r *Recorder) Call(ctx context.Context, name, arguments string, call func(context.Context) (chat.ToolResult, error)) (chat.ToolResult, error) {
	ctx, within := r.enter(ctx)
	if within {
		return call(ctx)
	}
	clean := r.cleaner()
	c := &toolCall{by: r.by(ctx), name: name, arguments: clean.of(arguments)}
	place := r.place(name, c.arguments)
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			c.failure = clean.failure(failure.Panicked(v))
			r.hold(place, c)
			panic(v)
		}
	}()
	result, err := call(ctx)
	returned = true
	c.result, c.failure, c.late = clean.result(result), clean.failure(failure.Of(err)), late(ctx, err)
	r.hold(place, c)
	return result, err
}

// place returns the place of a call that begins among those that are held back: in the order
// in which the model has asked for them, and then the others.
func (r *Recorder) place(name, arguments string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.asked {
		if a := &r.asked[i]; !a.taken && a.name == name && a.arguments == arguments {
			a.taken = true
			return i
		}
	}
	r.began++
	return len(r.asked) + r.began
}

// hold keeps a call until the next one of a model has ended.
func (r *Recorder) hold(place int, l numbered) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held = append(r.held, heldCall{place, l})
}
