// Package lsp is a server of the Language Server Protocol for specs. It speaks with one editor, reads what the editor has
// open, and asks a compiler for everything that the command reports of a file, so that both report the same.
//
// One goroutine reads messages, another does what they ask, one after the other, and checks files when no message waits. A
// request that panics is answered with an error, and the session continues.
package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
)

// A Compiler reads and checks files as the command does, by paths that the command prints.
type Compiler interface {
	// Enter makes a folder the one that paths are relative to.
	Enter(dir string) error

	// Check returns what the command reports of a file. The texts of open files, by absolute path, are taken for theirs.
	Check(ctx context.Context, path string, open map[string][]byte) (*Checked, error)

	// Generate returns the generated files that a spec gives, by absolute path. It returns an error if the spec does not compile.
	Generate(ctx context.Context, path string, open map[string][]byte) (map[string][]byte, error)

	// Run runs a verb, and returns what it has written. The error is that it has found something, or failed.
	Run(ctx context.Context, args []string) (string, error)

	// Forget drops what is known of Go packages: a go.mod has changed.
	Forget()

	// Version returns the version of the compiler.
	Version() string
}

// Checked is what a compiler reports of a file.
type Checked struct {
	Found []diag.Diagnostic
	Flows []*cfg.Graph    // the graphs of the file that can be read
	Asked map[string]bool // the absolute paths of the files that were read, or were not there, and of the folders of Go packages
}

// A Server serves one editor.
type Server struct {
	compiler Compiler
	methods  map[string]method
	conn     *conn
	inbox    *inbox
	verbs    sync.WaitGroup // the verbs that run

	state  lifecycle
	client clientCapabilities
	docs   map[string]*document // by URI
	shown  map[string]bool      // the URIs with diagnostics

	overtakes int // requests that were answered while a document was to be checked
}

// lifecycle is how far a session is.
type lifecycle int

const (
	started lifecycle = iota
	initialized
	stopped // shutdown has been asked for
)

// New returns a server for an editor.
func New(in io.Reader, out io.Writer, c Compiler) *Server {
	return &Server{
		compiler: c, methods: methods(), conn: &conn{in: newReader(in), out: out}, inbox: newInbox(),
		docs: map[string]*document{}, shown: map[string]bool{},
	}
}

// ErrExit is the error of a session that ends without a shutdown.
var ErrExit = errors.New("the editor has ended the session without a shutdown")

// Run serves until the editor ends the session, or the context ends.
func (s *Server) Run(ctx context.Context) error {
	defer s.verbs.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go s.receive()
	defer context.AfterFunc(ctx, func() { s.inbox.close(context.Cause(ctx)) })()
	for {
		m, err := s.inbox.next(s.isDirty())
		switch {
		case err != nil:
			if errors.Is(err, io.EOF) && s.state == stopped {
				return nil
			}
			return err
		case m == nil:
			s.checkOne(ctx)
		case m.fault != nil:
			err = s.conn.answer(nil, nil, m.fault)
		case m.Method == "exit":
			if s.state != stopped {
				return ErrExit
			}
			return nil
		default:
			if s.overtaken(&m.message) {
				s.checkOne(ctx)
			}
			err = s.handle(ctx, &m.message)
		}
		if err != nil {
			return err
		}
	}
}

// mostOvertakes is how many requests are answered before a changed document is checked.
const mostOvertakes = 16

// overtaken reports whether so many requests have come before the check of a document that it is due.
func (s *Server) overtaken(m *message) bool {
	if !s.isDirty() {
		s.overtakes = 0
		return false
	}
	if m.isRequest() {
		s.overtakes++
	}
	if s.overtakes < mostOvertakes {
		return false
	}
	s.overtakes = 0
	return true
}

// receive reads messages until there are no more.
func (s *Server) receive() {
	for {
		m, err := s.conn.read()
		if f, ok := errors.AsType[*fault](err); ok {
			s.inbox.add(&received{fault: f})
			continue
		}
		if err != nil {
			s.inbox.close(err)
			return
		}
		if m.Method == "$/cancelRequest" {
			var p struct{ ID json.RawMessage }
			if json.Unmarshal(m.Params, &p) == nil {
				s.inbox.cancel(string(p.ID))
			}
			continue
		}
		s.inbox.add(&received{message: *m})
	}
}

// handle does what a message asks. The error is of the connection.
func (s *Server) handle(ctx context.Context, m *message) error {
	if m.Method == "" {
		return nil // an answer: nothing is asked of editors that needs one
	}
	if m.Method == "workspace/executeCommand" && m.isRequest() && s.state == initialized {
		return s.execute(ctx, m)
	}
	ctx, done := s.inbox.begin(ctx, string(m.ID))
	result, err := s.call(ctx, m)
	if cancelled := done(); cancelled && m.isRequest() {
		result, err = nil, &fault{codeCancelled, "the request is cancelled"}
	}
	if m.isRequest() {
		return s.conn.answer(m.ID, result, err)
	}
	if err != nil {
		return s.log(fmt.Sprintf("%s: %v", m.Method, err))
	}
	return nil
}

// call calls the method of a message. A panic is an error.
func (s *Server) call(ctx context.Context, m *message) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			_ = s.log(fmt.Sprintf("%s: panic: %v\n%s", m.Method, p, debug.Stack()))
			result, err = nil, &fault{codeInternal, fmt.Sprintf("%s: panic: %v", m.Method, p)}
		}
	}()
	if ctx.Err() != nil {
		return nil, &fault{codeCancelled, "the request is cancelled"}
	}
	call := s.methods[m.Method]
	switch {
	case call == nil && m.isRequest():
		return nil, &fault{codeNoMethod, fmt.Sprintf("there is no method %.80q", m.Method)}
	case call == nil:
		return nil, nil
	case s.state == started && m.Method != "initialize":
		if !m.isRequest() {
			return nil, nil
		}
		return nil, &fault{codeNotInitialized, "the session begins with initialize"}
	case s.state == stopped && m.isRequest():
		return nil, &fault{codeInvalidRequest, "the session is shut down"}
	}
	return call(ctx, s, m.Params)
}

// log shows a text in the editor's log.
func (s *Server) log(text string) error {
	return s.conn.notify("window/logMessage", map[string]any{"type": logError, "message": text})
}

const logError = 1 // the type of messages about errors

// A method does what a request or a notification asks.
type method func(context.Context, *Server, json.RawMessage) (any, error)

// of returns the method with parameters of a type.
func of[P any](do func(context.Context, *Server, *P) (any, error)) method {
	return func(ctx context.Context, s *Server, raw json.RawMessage) (any, error) {
		p := new(P)
		if err := json.Unmarshal(cmpRaw(raw), p); err != nil {
			return nil, &fault{codeInvalidParams, "the parameters do not fit: " + err.Error()}
		}
		return do(ctx, s, p)
	}
}

// cmpRaw returns parameters, an empty object where there are none.
func cmpRaw(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	return raw
}

// methods returns all that editors may call.
func methods() map[string]method {
	return map[string]method{
		"initialize":  of(initialize),
		"initialized": of(func(context.Context, *Server, *struct{}) (any, error) { return nil, nil }),
		"shutdown": of(func(_ context.Context, s *Server, _ *struct{}) (any, error) {
			s.state = stopped
			return nil, nil
		}),
		"textDocument/completion":          of(completion),
		"textDocument/hover":               of(hover),
		"textDocument/documentSymbol":      of(documentSymbols),
		"textDocument/foldingRange":        of(foldingRanges),
		"textDocument/semanticTokens/full": of(semanticTokens),

		"textDocument/definition":        of(definition),
		"textDocument/references":        of(referencesOf),
		"textDocument/documentHighlight": of(highlights),
		"textDocument/codeAction":        of(codeActions),
		"textDocument/codeLens":          of(codeLenses),
		"textDocument/formatting":        of(formatting),
		"textDocument/prepareRename":     of(prepareRename),
		"textDocument/rename":            of(rename),

		"textDocument/didOpen":            of(didOpen),
		"textDocument/didChange":          of(didChange),
		"textDocument/didClose":           of(didClose),
		"textDocument/didSave":            of(didSave),
		"workspace/didChangeWatchedFiles": of(didChangeWatchedFiles),
	}
}

// A received is a message, or the fault of one that cannot be read.
type received struct {
	message
	fault *fault
}

// An inbox holds the messages that have not been handled.
type inbox struct {
	mu        sync.Mutex
	wake      *sync.Cond
	waiting   []*received
	cancelled map[string]bool   // IDs of waiting requests
	current   string            // the ID of the request that is handled
	stop      func()            // cancels it
	running   map[string]func() // cancel requests that run while others are handled
	err       error             // there are no more messages
}

func newInbox() *inbox {
	b := &inbox{cancelled: map[string]bool{}, running: map[string]func(){}}
	b.wake = sync.NewCond(&b.mu)
	return b
}

func (b *inbox) add(m *received) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = append(b.waiting, m)
	b.wake.Signal()
}

// close lets next return an error after the messages that wait. The cause of a context ends it immediately.
func (b *inbox) close(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		b.waiting = nil
	}
	b.err = cmp.Or(b.err, err)
	b.wake.Signal()
}

// next returns the next message. It waits for one, unless there is something else to do: then it returns nil.
func (b *inbox) next(busy bool) (*received, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		switch {
		case len(b.waiting) > 0:
			m := b.waiting[0]
			b.waiting = slices.Delete(b.waiting, 0, 1)
			return m, nil
		case b.err != nil && !(busy && errors.Is(b.err, io.EOF)):
			return nil, b.err
		case busy:
			return nil, nil
		}
		b.wake.Wait()
	}
}

// cancel cancels a request that waits, or is handled. An ID of another request has no effect.
func (b *inbox) cancel(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if id != "" && id == b.current {
		b.stop()
		return
	}
	if stop := b.running[id]; stop != nil {
		stop()
		return
	}
	if slices.ContainsFunc(b.waiting, func(m *received) bool { return string(m.ID) == id && m.isRequest() }) {
		b.cancelled[id] = true
	}
}

// run notes that a request runs while others are handled.
func (b *inbox) run(id string, stop func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running[id] = stop; b.cancelled[id] {
		delete(b.cancelled, id)
		stop()
	}
}

// ran notes that it has ended.
func (b *inbox) ran(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running[id]()
	delete(b.running, id)
}

// begin returns the context of a request. done ends it, and reports whether it was cancelled.
func (b *inbox) begin(ctx context.Context, id string) (_ context.Context, done func() bool) {
	ctx, stop := context.WithCancel(ctx)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.current, b.stop = id, stop
	if b.cancelled[id] {
		delete(b.cancelled, id)
		stop()
	}
	return ctx, func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		cancelled := ctx.Err() != nil
		b.current, b.stop = "", nil
		stop()
		return cancelled
	}
}
