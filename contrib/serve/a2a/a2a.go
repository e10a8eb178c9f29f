// Package a2a serves graphs as agents of A2A, version 1.0, over JSON-RPC.
//
//	h, err := serve.New(options, serve.Durable("support", m))
//	h.Handle("/a2a", a2a.New(h, a2a.Options{}))
//
// and in a client:
//
//	const client = await new ClientFactory().createFromUrl("https://shop.example/a2a/support/");
//
// Each graph is an agent with a card of its own. A context is a thread, and a task a run. A message starts a run by its text, or by a part with data, which is
// its input. A run that waits is a task that requires input: the next message of the task has the answer. docs/guides/serve-clients.md has what this wire
// does not carry.
package a2a

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/internal/jsonrpc"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
)

// Options are the options of New.
type Options struct {
	URL string // by which clients reach the wire, such as https://shop.example/a2a; empty: by which they ask for a card
}

// New returns a handler for the durable graphs of h: POST /{graph}, and its card.
func New(h *serve.Handler, o Options) http.Handler {
	w := &wire{o}
	return h.Mount(serve.Wire{
		Routes: []serve.WireRoute{
			{Method: "GET", Path: "/{graph}/.well-known/agent-card.json", Do: w.card},
			{Method: "POST", Path: "/{graph}", Do: w.receive},
		},
		Headers: []string{"A2A-Extensions", "A2A-Version"},
		Refuse:  jsonrpc.Refuse(faultOf),
	})
}

type wire struct{ Options }

// version is the version of the protocol.
const version = "1.0"

// card sends the card of a graph.
func (w *wire) card(c *serve.Call) error {
	if _, err := c.Graphs(); err != nil {
		return err
	}
	if err := open(c); err != nil {
		return err
	}
	g, r := c.Graph(), c.Request()
	url := strings.TrimSuffix(w.URL, "/") + "/" + g.Name
	if w.URL == "" {
		scheme := "http://"
		if r.TLS != nil {
			scheme = "https://"
		}
		path, _, _ := strings.Cut(r.RequestURI, "/.well-known/")
		url = scheme + r.Host + path
	}
	doc := c.Describe().Doc
	if doc == "" {
		doc = "The graph " + g.Name + "."
	}
	modes := []string{"text/plain", "application/json"}
	data, err := json.Marshal(map[string]any{
		"name": g.Name, "description": doc, "version": "1", "defaultInputModes": modes, "defaultOutputModes": modes,
		"supportedInterfaces": []map[string]string{{"url": url, "protocolBinding": "JSONRPC", "protocolVersion": version}},
		"capabilities":        map[string]bool{"streaming": true},
		"skills":              []map[string]any{{"id": g.Name, "name": g.Name, "description": doc, "tags": []string{"graph"}}},
	})
	if err != nil {
		return err
	}
	return c.Reply(http.StatusOK, "application/json", data)
}

// open finds the graph of the path. Tasks need threads.
func open(c *serve.Call) error {
	if err := c.OpenGraph(c.Request().PathValue("graph")); err != nil {
		return err
	}
	if !c.Graph().Durable {
		return &serve.Problem{Status: http.StatusNotFound, Code: "not_durable", Field: "graph", Detail: "The graph is not durable: it has no tasks."}
	}
	return nil
}

// The codes of errors, besides the ones of JSON-RPC.
const (
	codeNotFound    = -32001
	codeCancel      = -32002
	codeUnsupported = -32004
	codeVersion     = -32009
)

// faultOf returns what a client is sent of a problem.
func faultOf(p *serve.Problem) *jsonrpc.Fault {
	f := &jsonrpc.Fault{Code: jsonrpc.Params, Message: p.Error(), Data: []any{map[string]any{
		"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": p.Code, "domain": "graphgen", "metadata": map[string]string{"field": p.Field},
	}}}
	switch {
	case p.Code == "json":
		f.Code = jsonrpc.Parse
	case p.Code == "not_found":
		f.Code = codeNotFound
	case p.Status == http.StatusConflict:
		f.Code = codeUnsupported
	case p.Status >= http.StatusInternalServerError:
		f.Code = jsonrpc.Internal
	}
	return f
}

// receive answers a request.
func (w *wire) receive(c *serve.Call) error {
	if err := open(c); err != nil {
		return err
	}
	body, err := c.Body()
	if err != nil {
		return err
	}
	var r jsonrpc.Request
	switch {
	case json.Unmarshal(body, &r) != nil:
		err = &jsonrpc.Fault{Code: jsonrpc.Parse, Message: "the body is no request of JSON-RPC"}
	case !r.Valid() || len(r.ID) == 0:
		r.ID, err = nil, &jsonrpc.Fault{Code: jsonrpc.Invalid, Message: "the body is no request of JSON-RPC 2.0"}
	case c.Request().Header.Get("A2A-Version") != version:
		err = &jsonrpc.Fault{Code: codeVersion, Message: "the server speaks version 1.0"}
	}
	var result any
	if err == nil {
		result, err = do(c, &r)
	}
	if err == nil && result == nil { // it was streamed
		return nil
	}
	var f *jsonrpc.Fault
	if err != nil {
		if p := serve.ProblemOf(err); p.Status == http.StatusForbidden || p.Retry > 0 {
			return err
		}
		f = jsonrpc.FaultOf(c, err, faultOf)
	}
	return c.Reply(http.StatusOK, "application/json", jsonrpc.Answer(r.ID, result, f))
}

// do does what a request wants. A result that is nil was streamed.
func do(c *serve.Call, r *jsonrpc.Request) (any, error) {
	switch r.Method {
	case "SendMessage", "SendStreamingMessage":
		return send(c, r)
	case "GetTask", "CancelTask", "SubscribeToTask":
	default:
		return nil, &jsonrpc.Fault{Code: jsonrpc.Method, Message: "the server does not have this method"}
	}
	var p struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(r.Params, &p) != nil {
		return nil, &jsonrpc.Fault{Code: jsonrpc.Params, Message: "the parameters are not of a task"}
	}
	at, end, err := find(c, p.ID)
	if err != nil {
		return nil, err
	}
	switch {
	case r.Method == "GetTask":
		return taskOf(c, at.Run, end), nil
	case end.Status != "running":
		code := codeUnsupported
		if r.Method == "CancelTask" {
			code = codeCancel
		}
		return nil, &jsonrpc.Fault{Code: code, Message: "no run works on the task"}
	case r.Method == "CancelTask":
		if err := c.Stop(); err != nil {
			return nil, err
		}
		if _, end, err = c.Ended(); err != nil { // a run of another process works until its next node
			return nil, err
		}
		return taskOf(c, at.Run, end), nil
	}
	x, err := c.Join()
	if err != nil {
		return nil, err
	}
	return nil, stream(c, r, x)
}

// find opens the thread of a task, which must be of its last run.
func find(c *serve.Call, id string) (speech.Call, *serve.End, error) {
	none := &serve.Problem{Status: http.StatusNotFound, Code: "not_found", Field: "task", Detail: "There is no such task."}
	at, ok := speech.ParseCall(id)
	if !ok {
		return at, nil, none
	}
	if err := c.OpenThread(at.Thread); err != nil {
		if serve.IsNotFound(err) {
			return at, nil, none
		}
		return at, nil, err
	}
	run, end, err := c.Ended()
	if err == nil && run != at.Run {
		return at, nil, none
	}
	return at, end, err
}
