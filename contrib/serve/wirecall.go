package serve

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
)

// A Call is one request at a route of a wire. Its methods may be called by one goroutine at a time, until Do returns. Those that read or change something
// ask whether the caller may: the errors that they return are for the client, who gets them where Do returns them.
type Call struct {
	call    *call
	ends    []func()
	passing bool // its thread is deleted when it ends
}

// may returns the problem of a caller who may not do this.
func (c *Call) may(v Verb) error {
	c.call.access.Verb = v
	return c.call.authorized()
}

// Request returns the request. Body reads its body.
func (c *Call) Request() *http.Request { return c.call.r }

// Header returns the header of the answer.
func (c *Call) Header() http.Header { return c.call.w.Header() }

// Caller returns who makes the request.
func (c *Call) Caller() Caller { return c.call.access.Caller }

// Body reads the body of the request, which is JSON, as far as the limits allow.
func (c *Call) Body() ([]byte, error) { return c.call.readBody() }

// Reply answers the request with JSON, or what else the kind has, unless an answer has begun. Without a kind the answer has no body.
func (c *Call) Reply(status int, kind string, data []byte) error {
	if c.call.wrote {
		return nil
	}
	c.Forget()
	return c.call.bytes(status, kind, data)
}

// NoContent answers that there is nothing.
func (c *Call) NoContent() error { return c.call.noContent() }

// Report gives an error that clients are not sent to the handler's Report.
func (c *Call) Report(err error) { c.call.h.o.Report(c.call.access, err) }

// Details reports whether clients are sent what helps developers.
func (c *Call) Details() bool { return c.call.h.o.Details }

// Now returns the time by the handler's clock.
func (c *Call) Now() time.Time { return c.call.h.o.Clock.Now() }

// A Served is a graph that is served.
type Served struct {
	Name     string
	Durable  bool
	Messages bool // it takes messages
	Description
}

// A Description is the description of a graph with serve: true.
type Description struct {
	Doc    string
	Input  json.RawMessage // the JSON Schema of its input
	Output json.RawMessage // of its output
	State  json.RawMessage // and of its state

	Prompts []Prompt // which show clients what the author of the graph has written for models
}

// Graphs returns what is served, with the descriptions that the caller may read.
func (c *Call) Graphs() (list []Served, _ error) {
	if err := c.may(Graphs); err != nil {
		return nil, err
	}
	for _, g := range c.call.h.graphs {
		s := g.served()
		s.Description = c.describe(g)
		list = append(list, s)
	}
	return list, nil
}

// OpenGraph finds the graph that the call is about.
func (c *Call) OpenGraph(name string) error { return c.call.openNamed(name) }

// Graph returns what the call is about, without its description. A graph must be open.
func (c *Call) Graph() Served { return c.call.graph.served() }

func (g *Graph) served() Served {
	return Served{Name: g.name, Durable: g.durable != nil, Messages: g.messaging.Input != nil}
}

// Describe returns the description of the graph that is open; empty if the caller may not read it.
func (c *Call) Describe() Description { return c.describe(c.call.graph) }

func (c *Call) describe(g *Graph) Description {
	if g.description == nil || !c.call.mayAlso(Describe, g.name, "") {
		return Description{}
	}
	return Description{g.description.Doc, g.description.Input, g.description.Output, g.description.State, g.prompts}
}

// Speaks reports whether the answers of a node of the outermost run are sent piece by piece.
func (c *Call) Speaks(e *graphgen.Event) bool {
	return e.Run != nil && e.Run.Within == "" && e.Run.Branch == "" && c.call.graph.speaks(e.Node)
}

// OpenThread finds the thread that the call is about, among the threads of the tenant. Where a graph is open, the thread is of this one. A thread of which
// there is none is an error with the status 404.
func (c *Call) OpenThread(name string) error {
	g := c.call.graph
	if err := c.call.openNamedThread(name); err != nil {
		return err
	}
	if g != nil && g != c.call.graph {
		p := noThread
		return &p
	}
	return nil
}

// Thread returns the name of the thread that the call is about.
func (c *Call) Thread() string { return c.call.access.Thread }

// Status returns the status of the thread that is open.
func (c *Call) Status() (thread.Status, error) {
	if err := c.may(Read); err != nil {
		return 0, err
	}
	return c.call.head.Status, nil
}

// Requests returns the open requests of the thread, for a caller who may answer them.
func (c *Call) Requests() ([]graphgen.Request, error) {
	if err := c.may(Answer); err != nil {
		return nil, err
	}
	info, err := c.call.graph.durable.info(c.call.r.Context(), c.call.name)
	return info.Requests, err
}

// Shown returns those requests of the thread that the caller may see, without what is for developers.
func (c *Call) Shown(requests []graphgen.Request) []graphgen.Request {
	if !c.call.mayAsk(c.call.graph.name, c.call.access.Thread) {
		return nil
	}
	return c.call.shownRequests(requests)
}

// CurrentRun returns the ID of the run of the thread, as clients see it, for a caller who may answer its requests. A request has the same ID in each run.
func (c *Call) CurrentRun() (string, error) {
	if err := c.may(Answer); err != nil {
		return "", err
	}
	s, err := durable.StateAt(c.call.r.Context(), c.call.graph.durable.store(), c.call.name, 0)
	if err != nil {
		return "", err
	}
	return c.call.shownRun(s.Run), nil
}

// Stop stops the run of the thread: within its step in this process, elsewhere before its next node.
func (c *Call) Stop() error {
	if err := c.may(Stop); err != nil {
		return err
	}
	here := c.call.h.here(c.call.name)
	if here != nil && here.graph != c.call.graph {
		here = nil
	}
	return c.call.interrupt(here)
}
