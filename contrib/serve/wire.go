package serve

import (
	"net/http"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/internal/api"
)

// A Wire is a protocol that clients speak, over the graphs and threads of a Handler. The packages below this one have wires; they know nothing that
// another package could not.
type Wire struct {
	Routes []WireRoute

	// Headers are names of headers of requests that pages of other origins may send, besides the headers of the handler.
	Headers []string

	// Refuse answers a request with a problem, in the wire's own form. It is not called when an answer has begun.
	Refuse func(http.ResponseWriter, *Problem)
}

// A WireRoute is what a method does at a path, which is a pattern of http.ServeMux. Do has answered the request when it returns nil.
type WireRoute struct {
	Method, Path string
	Do           func(*Call) error
}

// A below is what a handler serves at a path and below it.
type below struct {
	path string
	http.Handler
}

func (b *below) serves(path string) bool {
	rest, ok := strings.CutPrefix(path, b.path)
	return ok && (rest == "" || rest[0] == '/')
}

// Handle serves a wire at a path, such as /ai, and below it, besides the handler's own routes. It is called before the handler serves.
func (h *Handler) Handle(path string, wire http.Handler) {
	path = strings.TrimSuffix(path, "/")
	h.wires = append(h.wires, below{path, http.StripPrefix(path, wire)})
}

// Mount returns a handler that speaks a wire, for Handle or a server of the program, below any path. It shares everything with h: who may do what, the
// tenants, the limits, the runs and their end. What h recovers and drains are the runs of its wires, too.
func (h *Handler) Mount(w Wire) http.Handler {
	mux := http.NewServeMux()
	var methods []string
	for _, rt := range w.Routes {
		mux.HandleFunc(rt.Method+" "+rt.Path, func(to http.ResponseWriter, r *http.Request) { h.handleWire(to, r, &w, &rt) })
		if !slices.Contains(methods, rt.Method) {
			methods = append(methods, rt.Method)
		}
	}
	slices.Sort(methods)
	mux.HandleFunc("/", func(to http.ResponseWriter, r *http.Request) {
		if has := methodsOf(mux, r, methods); len(has) > 0 {
			to.Header().Set("Allow", strings.Join(has, ", "))
			w.Refuse(to, &Problem{Status: http.StatusMethodNotAllowed, Code: "method", Detail: "This path has other methods."})
			return
		}
		w.Refuse(to, &Problem{Status: http.StatusNotFound, Code: "no_route", Detail: "There is no such path."})
	})
	headers := ""
	for _, name := range w.Headers {
		headers += ", " + name
	}
	return http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		if !h.admits(to, r, headers, w.Refuse) {
			return
		}
		if r.URL.Path == "" { // the path of the wire itself, without a slash: the mux would redirect
			r = r.Clone(r.Context())
			r.URL.Path = "/"
		}
		mux.ServeHTTP(to, r)
	})
}

// methodsOf returns the methods that the path of a request has.
func methodsOf(mux *http.ServeMux, r *http.Request, methods []string) (has []string) {
	for _, method := range methods {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := mux.Handler(other); pattern != "/" {
			has = append(has, method)
		}
	}
	return has
}

// handleWire answers a request at a route of a wire.
func (h *Handler) handleWire(to http.ResponseWriter, r *http.Request, w *Wire, rt *WireRoute) {
	c := &Call{call: &call{h: h, w: to, r: r, wire: w, rt: &route{Route: api.Route{Method: rt.Method, Path: rt.Path}}, order: new(order)}}
	defer func() {
		for _, end := range slices.Backward(c.ends) {
			end()
		}
	}()
	var err error
	if c.call.access.Caller, err = h.identify(r); err == nil {
		err = rt.Do(c)
	}
	if err == http.ErrAbortHandler { // a listener cuts its stream
		panic(err)
	}
	if err != nil {
		c.call.refuse(err, w.Refuse)
	}
}
