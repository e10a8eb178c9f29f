package serve

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/thread"
)

// A route is what a method does at a path.
type route struct {
	method, path string
	verb         Verb // empty: whoever asks is answered
	doc          string
	query        []string          // the parameters of the query
	body         []string          // the members of the body, an object; nil: it has another body, or none
	open         func(*call) error // finds what the request is about; nil: nothing
	do           func(*call) error
}

// routes are all routes. The doc of the package and the OpenAPI document have them too.
func routes() []route {
	return []route{
		{"GET", "/graphs", Graphs, "the graphs", nil, nil, nil, (*call).listGraphs},
		{
			"POST", "/graphs/{graph}/threads", Start, "begin a run in a thread",
			nil, []string{"input", "thread", "multitask", "on_disconnect"}, (*call).openStart, (*call).start,
		},
		{"POST", "/graphs/{graph}/runs", Run, "make a run that is in no thread", nil, []string{"input"}, (*call).openGraph, (*call).runPlain},
		{"GET", "/threads", List, "a page of threads", []string{"graph", "status", "prefix", "after", "limit"}, nil, nil, (*call).listThreads},
		{"GET", "/threads/{thread}", Read, "the status of a thread, and its open requests", nil, nil, (*call).openThread, (*call).readThread},
		{"DELETE", "/threads/{thread}", Delete, "delete a thread", nil, nil, (*call).openThread, (*call).deleteThread},
		{
			"GET", "/threads/{thread}/events", Watch, "its steps and events, as server-sent events",
			[]string{"after", "stay"}, nil, (*call).openThread, (*call).watch,
		},
		{"GET", "/threads/{thread}/history", History, "a page of its steps", []string{"after", "limit"}, nil, (*call).openThread, (*call).history},
		{"GET", "/threads/{thread}/state", State, "its state after a step", []string{"at"}, nil, (*call).openThread, (*call).state},
		{"GET", "/threads/{thread}/requests", Requests, "its open requests", nil, nil, (*call).openThread, (*call).requests},
		{"POST", "/threads/{thread}/requests/{request}", Answer, "answer a request", nil, nil, (*call).openAnswer, (*call).answer},
		{"POST", "/threads/{thread}/recover", Recover, "continue its run, or get the result again", nil, nil, (*call).openThread, (*call).recoverThread},
		{"POST", "/threads/{thread}/stop", Stop, "stop its run before the next node", nil, nil, (*call).openThread, (*call).stopThread},
		{
			"POST", "/threads/{thread}/fork", Fork, "make a thread that continues after a step",
			nil, []string{"to", "at", "set"}, (*call).openThread, (*call).forkThread,
		},
		{"GET", "/healthz", "", "whether the process lives", nil, nil, nil, (*call).healthz},
		{"GET", "/readyz", "", "whether it takes requests", nil, nil, nil, (*call).readyz},
		{"GET", "/openapi.json", "", "this table, as OpenAPI 3.1", nil, nil, nil, (*call).openAPI},
	}
}

// newMux returns the routes. Any other path gets a problem.
func (h *Handler) newMux() *http.ServeMux {
	mux := http.NewServeMux()
	methods := map[string][]string{}
	for _, rt := range routes() {
		mux.HandleFunc(rt.method+" "+rt.path, func(w http.ResponseWriter, r *http.Request) { h.handle(w, r, &rt) })
		methods[rt.path] = append(methods[rt.path], rt.method)
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
	body    []byte      // of an answer
	order   *order      // of a run in a thread
	wrote   bool        // the answer has begun
	streams bool        // it has the slot of a stream, or of a request that waits
}

// handle answers a request at a route.
func (h *Handler) handle(w http.ResponseWriter, r *http.Request, rt *route) {
	c := &call{h: h, w: w, r: r, rt: rt, access: Access{Verb: rt.verb}}
	if err := c.answered(); err != nil {
		p := problemOf(err)
		if p.Code == codeInternal && isGone(r) { // its cause is that, and nobody reads the answer
			return
		}
		if p.cause != nil {
			h.o.Report(c.access, p.cause)
		}
		if !c.wrote {
			writeProblem(w, p)
		}
	}
}

// answered does what the request asks for, if its caller may.
func (c *call) answered() (err error) {
	if c.query, err = c.readQuery(); err != nil {
		return err
	}
	if c.rt.verb == "" {
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
func (c *call) authorized() error {
	if c.h.o.Authorize == nil {
		return nil
	}
	if err := c.h.o.Authorize(c.r.Context(), c.access); err != nil {
		return &Problem{Status: http.StatusForbidden, Code: "forbidden", Detail: "The caller may not do this.", cause: err}
	}
	return nil
}

// mayAsk reports whether the caller may see the open requests of a thread, besides what the route is for.
func (c *call) mayAsk(graph, name string) bool {
	a := Access{Caller: c.access.Caller, Verb: Requests, Graph: graph, Thread: name}
	return c.h.o.Authorize == nil || c.access.Verb == Requests || c.h.o.Authorize(c.r.Context(), a) == nil
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
func (c *call) openThread() (err error) {
	c.access.Thread = c.r.PathValue("thread")
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
