package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// An Elicitation is what a server asks a person during a call of one of its tools.
type Elicitation struct {
	Server  string // its name
	Message string // the question
	Schema  []byte // the JSON Schema of the answer, an object without objects in it; nil: the server gives none
}

// Elicit lets a server ask a person, by a form: ask returns the answer, a JSON object that fits the schema, or nil if the person declines. An error cancels
// the question, and its text does not leave the process. The call of the tool waits meanwhile, until its context ends, which is the context of ask. Several
// questions may be asked at the same time. Without this option, a tool that asks is an error to the model.
//
// In versions of the protocol before 2026-07-28, a server asks while calls are under way, and does not name the call. Where several calls of its tools are
// under way, the context of ask has the values that the contexts of all of them have, such as one user, and ends with the last. A server that asks while
// no call of a tool is under way gets no answer of a person. It can end its question, and the context of ask with it.
//
// A run that has to survive the wait does not ask here: give the graph a node of kind human, or a tool with approve.
func Elicit(ask func(ctx context.Context, e Elicitation) (answer []byte, err error)) Option {
	return func(c *config) { c.ask = ask }
}

// offer is what the client offers to a server.
func (s *session) offer(o *sdk.ClientOptions) {
	c := s.cfg
	o.Capabilities, o.MultiRoundTrip = &sdk.ClientCapabilities{}, &sdk.MultiRoundTripOptions{Disabled: c.ask == nil}
	if c.ask == nil {
		return
	}
	o.Capabilities.Elicitation = &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}}
	o.ElicitationHandler = func(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		ctx, end := s.calls.asking(ctx)
		defer end()
		var content map[string]any
		err := errNoCall
		if ctx != nil {
			content, err = c.elicit(ctx, r.Params)
		}
		switch {
		case err != nil:
			return &sdk.ElicitResult{Action: "cancel"}, nil
		case content == nil:
			return &sdk.ElicitResult{Action: "decline"}, nil
		}
		return &sdk.ElicitResult{Action: "accept", Content: content}, nil
	}
}

var (
	errNoForm = errors.New("the server asks by other means than a form")
	errNoCall = errors.New("the server asks while no call is under way")
)

// elicit asks a person. Nil is a person who declines.
func (c *config) elicit(ctx context.Context, p *sdk.ElicitParams) (content map[string]any, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("the function panicked")
		}
	}()
	if p.URL != "" {
		return nil, errNoForm
	}
	e := Elicitation{Server: c.name, Message: p.Message}
	if p.RequestedSchema != nil {
		if e.Schema, err = json.Marshal(p.RequestedSchema); err != nil {
			return nil, err
		}
	}
	answer, err := c.ask(ctx, e)
	if err != nil || answer == nil {
		return nil, err
	}
	if err := json.Unmarshal(answer, &content); err != nil {
		return nil, err
	}
	if content == nil {
		return nil, errors.New("the answer is no object")
	}
	return content, nil
}

// An underway is the uses of a session that are under way.
type underway struct {
	mu    sync.Mutex
	uses  int
	tools map[*use]context.Context // those that call a tool
}

// begin notes a use, of a tool where it has a name. What it returns notes its end.
func (u *underway) begin(ctx context.Context, tool string) (end func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.uses++
	key := useOf(ctx)
	if tool != "" {
		if u.tools == nil {
			u.tools = map[*use]context.Context{}
		}
		u.tools[key] = ctx
	}
	return func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.uses--
		delete(u.tools, key)
	}
}

// any reports whether a use is under way.
func (u *underway) any() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.uses > 0
}

// contexts returns the contexts of the calls of tools.
func (u *underway) contexts() []context.Context {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Collect(maps.Values(u.tools))
}

// asking returns the context of a question, and what ends it. The context that the SDK has for the question is the call's where the call's result asks it;
// otherwise it is the connection's, which has the values of the use that made the connection, and ends when the server cancels the question. The
// context of the calls that the question may be for is used then. It is nil if no call is under way.
func (u *underway) asking(ctx context.Context) (context.Context, func()) {
	if useOf(ctx) != nil {
		return ctx, func() {}
	}
	calls := u.contexts()
	if len(calls) == 0 {
		return nil, func() {}
	}
	of := calls[0]
	if len(calls) > 1 {
		of = common(calls)
	}
	question, cancel := context.WithCancelCause(of)
	left := new(atomic.Int64)
	left.Store(int64(len(calls)))
	stops := []func() bool{context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })}
	for _, call := range calls {
		stops = append(stops, context.AfterFunc(call, func() {
			if left.Add(-1) == 0 {
				cancel(context.Cause(call))
			}
		}))
	}
	return question, func() {
		for _, stop := range stops {
			stop()
		}
		cancel(nil)
	}
}

// A common is a context with the values that several have in common. It does not end.
type common []context.Context

func (common) Deadline() (time.Time, bool) { return time.Time{}, false }
func (common) Done() <-chan struct{}       { return nil }
func (common) Err() error                  { return nil }

// Value returns the value that all of them have. Values that cannot be compared are not the same.
func (c common) Value(key any) any {
	v := c[0].Value(key)
	for _, other := range c[1:] {
		if !reflect.ValueOf(v).Comparable() || other.Value(key) != v {
			return nil
		}
	}
	return v
}
