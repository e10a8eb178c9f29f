package serve

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/internal/api"
	"github.com/graphgen/graphgen/thread"
)

// A route is what a method does at a path.
type route struct {
	api.Route
	act
}

// An act is what the handler does at a route.
type act struct {
	open func(*call) error // finds what the request is about; nil: nothing
	do   func(*call) error
}

// acts are what the handler does, by method and path.
var acts = map[string]act{
	"GET /graphs":                               {nil, (*call).listGraphs},
	"GET /graphs/{graph}":                       {(*call).openGraph, (*call).describe},
	"GET /graphs/{graph}/picture.svg":           {(*call).openGraph, (*call).picture},
	"POST /graphs/{graph}/threads":              {(*call).openStart, (*call).start},
	"POST /graphs/{graph}/runs":                 {(*call).openGraph, (*call).runPlain},
	"GET /threads":                              {nil, (*call).listThreads},
	"GET /threads/{thread}":                     {(*call).openThread, (*call).readThread},
	"DELETE /threads/{thread}":                  {(*call).openThread, (*call).deleteThread},
	"GET /threads/{thread}/events":              {(*call).openThread, (*call).watch},
	"GET /threads/{thread}/history":             {(*call).openThread, (*call).history},
	"GET /threads/{thread}/run":                 {(*call).openThread, (*call).runEvents},
	"GET /threads/{thread}/state":               {(*call).openThread, (*call).state},
	"GET /threads/{thread}/requests":            {(*call).openThread, (*call).requests},
	"POST /threads/{thread}/requests/{request}": {(*call).openAnswer, (*call).answer},
	"POST /threads/{thread}/recover":            {(*call).openThread, (*call).recoverThread},
	"POST /threads/{thread}/stop":               {(*call).openThread, (*call).stopThread},
	"POST /threads/{thread}/fork":               {(*call).openThread, (*call).forkThread},
	"GET /healthz":                              {nil, (*call).healthz},
	"GET /readyz":                               {nil, (*call).readyz},
	"GET /openapi.json":                         {nil, (*call).openAPI},
}

// routes are all routes: a row of the table of the API for each act.
func routes() []route {
	list := make([]route, len(api.Routes))
	for k, rt := range api.Routes {
		list[k] = route{rt, acts[rt.Method+" "+rt.Path]}
	}
	return list
}

// newMux returns the routes. Any other path gets a problem.
func (h *Handler) newMux() *http.ServeMux {
	mux := http.NewServeMux()
	methods := map[string][]string{}
	for _, rt := range routes() {
		mux.HandleFunc(rt.Method+" "+rt.Path, func(w http.ResponseWriter, r *http.Request) { h.handle(w, r, &rt) })
		methods[rt.Path] = append(methods[rt.Path], rt.Method)
	}
	for path, list := range methods {
		slices.Sort(list)
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Allow", strings.Join(list, ", "))
			writeProblem(w, &Problem{Status: http.StatusMethodNotAllowed, Code: "method", Detail: "This path has other methods."})
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		writeProblem(w, &Problem{Status: http.StatusNotFound, Code: "no_route", Detail: "There is no such path."})
	})
	return mux
}

// A call is one request at a route.
type call struct {
	h       *Handler
	w       http.ResponseWriter
	r       *http.Request
	rt      *route
	access  Access
	query   url.Values
	graph   *Graph
	name    string      // of the thread in the store
	head    thread.Head // of a thread that exists
	last    followed    // its last run, for a wire that has asked
	origins []string    // the threads that it is a fork of; nil: it has not asked
	body    []byte      // of an answer
	order   *order      // of a run in a thread
	wire    *Wire       // nil: the route is of the handler itself
	wrote   bool        // the answer has begun
	streams bool        // it has the slot of a stream, or of a request that waits
}

// handle answers a request at a route.
func (h *Handler) handle(w http.ResponseWriter, r *http.Request, rt *route) {
	c := &call{h: h, w: w, r: r, rt: rt, access: Access{Verb: Verb(rt.Verb)}}
	if err := c.answered(); err != nil {
		c.refuse(err, writeProblem)
	}
}

// refuse answers with the problem of an error, unless the answer has begun.
func (c *call) refuse(err error, write func(http.ResponseWriter, *Problem)) {
	p := problemOf(err)
	if p.Code == codeInternal && isGone(c.r) { // its cause is that, and nobody reads the answer
		return
	}
	if p.cause != nil {
		c.h.o.Report(c.access, p.cause)
	}
	if !c.wrote {
		write(c.w, p)
	}
}

// answered does what the request asks for, if its caller may.
func (c *call) answered() (err error) {
	if c.query, err = c.readQuery(); err != nil {
		return err
	}
	if c.rt.Verb == "" {
		return c.rt.do(c)
	}
	if c.access.Caller, err = c.h.identify(c.r); err != nil {
		return err
	}
	if c.rt.open != nil {
		if err := c.rt.open(c); err != nil {
			return err
		}
	}
	if err := c.authorized(); err != nil {
		return err
	}
	return c.rt.do(c)
}

// authorized returns the problem of a caller who may not do this.
func (c *call) authorized() error { return c.authorizedTo(c.access.Verb) }

// authorizedTo returns the problem of a caller who may not do something with what the call is about.
func (c *call) authorizedTo(v Verb) error {
	a := c.access
	a.Verb = v
	return c.allowed(a)
}

// allowed returns the problem of a caller who may not have an access.
func (c *call) allowed(a Access) error {
	if c.h.o.Authorize == nil {
		return nil
	}
	if err := c.h.o.Authorize(c.r.Context(), a); err != nil {
		return &Problem{Status: http.StatusForbidden, Code: "forbidden", Detail: "The caller may not do this.", cause: err}
	}
	return nil
}

// mayAsk reports whether the caller may see the open requests of a thread, besides what the route is for.
func (c *call) mayAsk(graph, name string) bool {
	return c.access.Verb == Requests || c.mayAlso(Requests, graph, name)
}

// mayAlso reports whether the caller may do something besides what the route is for.
func (c *call) mayAlso(v Verb, graph, name string) bool {
	a := Access{Caller: c.access.Caller, Verb: v, Graph: graph, Thread: name}
	return c.h.o.Authorize == nil || c.h.o.Authorize(c.r.Context(), a) == nil
}

// openGraph finds the graph of the path.
func (c *call) openGraph() error { return c.openNamed(c.r.PathValue("graph")) }

func (c *call) openNamed(name string) error {
	i := slices.IndexFunc(c.h.graphs, func(g *Graph) bool { return g.name == name })
	if i < 0 {
		return &Problem{Status: http.StatusNotFound, Code: "no_graph", Field: "graph", Detail: "No graph is served under that name."}
	}
	c.graph = c.h.graphs[i]
	c.access.Graph = c.graph.name
	return nil
}

// noThread is the problem of a thread that the caller's tenant does not have.
var noThread = Problem{Status: http.StatusNotFound, Code: "not_found", Field: "thread", Detail: "There is no such thread."}

// openThread finds the thread of the path among the threads of the tenant.
func (c *call) openThread() error { return c.openNamedThread(c.r.PathValue("thread")) }

func (c *call) openNamedThread(name string) (err error) {
	c.access.Thread, c.last, c.origins = name, followed{}, nil
	if c.name, err = c.h.stored(c.access.Caller, c.access.Thread); err != nil {
		return err
	}
	for _, g := range c.h.graphs {
		if g.durable == nil {
			continue
		}
		switch head, err := headOf(c.r.Context(), g, c.name); {
		case err == nil:
			c.graph, c.head, c.access.Graph = g, head, g.name
			return nil
		case !is[*thread.NotFoundError](err):
			return err
		}
	}
	p := noThread
	return &p
}

// headOf returns the head of a thread of a graph.
func headOf(ctx context.Context, g *Graph, name string) (thread.Head, error) {
	page, err := g.durable.store().List(ctx, thread.Filter{Graph: g.durable.graph(), Prefix: name, Limit: 1})
	switch {
	case err != nil:
		return thread.Head{}, err
	case len(page) == 0 || page[0].Thread != name:
		return thread.Head{}, &thread.NotFoundError{Thread: name}
	}
	return page[0], nil
}
