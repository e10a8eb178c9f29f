// Package mcp serves graphs as tools of an MCP server (the Model Context Protocol, revisions 2026-07-28 and 2025-11-25, over HTTP).
//
//	h, err := serve.New(options, serve.Durable("refunds", m))
//	h.Handle("/mcp", mcp.New(h, mcp.Options{Key: key}))
//
// A graph is a tool. Its arguments are the input of a run, and with `serve: true` in the spec it has their JSON Schemas. What a run waits for is, in the
// revision 2026-07-28, an InputRequired result: the client asks its user, and calls the tool again with the answers. The run is meanwhile in its thread, and
// the server keeps nothing. docs/guides/serve-clients.md has what this wire does not carry.
package mcp

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/contrib/serve"
)

// Options are the options of New.
type Options struct {
	// Key authenticates the state that clients keep of a run that waits. Every process of a service has the same one. Without it the process makes one,
	// and answers reach that process alone.
	Key []byte

	Name, Version string // of the server; graphgen and 1 without them
}

// New returns a handler for the graphs of h.
func New(h *serve.Handler, o Options) http.Handler {
	w := &wire{Options: o}
	if w.Name == "" {
		w.Name = "graphgen"
	}
	if w.Version == "" {
		w.Version = "1"
	}
	if len(w.Key) == 0 {
		w.Key = make([]byte, 32)
		_, _ = rand.Read(w.Key) // it never fails
	}
	return h.Mount(serve.Wire{
		Routes:  []serve.WireRoute{{Method: "POST", Path: "/", Do: w.receive}},
		Headers: []string{"Mcp-Method", "Mcp-Name", "MCP-Protocol-Version", "Mcp-Session-Id"},
		Refuse:  func(to http.ResponseWriter, p *serve.Problem) { refuse(to, nil, p) },
	})
}

type wire struct{ Options }

// The revisions of the protocol.
const (
	current = "2026-07-28" // without sessions: each request has what the server has to know
	before  = "2025-11-25"
)

// versions are the revisions that the server speaks: of the earlier ones, what has not changed.
var versions = []string{current, before, "2025-06-18", "2025-03-26"}

// The members of _meta of a request.
const (
	metaVersion = "io.modelcontextprotocol/protocolVersion"
	metaClient  = "io.modelcontextprotocol/clientCapabilities"
	metaServer  = "io.modelcontextprotocol/serverInfo"
)

// A message is a request or a notification of JSON-RPC.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// A fault is an error of JSON-RPC.
type fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`

	status int
}

func (f *fault) Error() string { return f.Message }

// The codes of errors.
const (
	codeParse      = -32700
	codeRequest    = -32600
	codeMethod     = -32601
	codeParams     = -32602
	codeInternal   = -32603
	codeMismatch   = -32020
	codeCapability = -32021
	codeVersion    = -32022
)

// faultOf returns what a client is sent of a problem.
func faultOf(p *serve.Problem) *fault {
	f := &fault{Code: codeInternal, Message: p.Error(), Data: map[string]string{"code": p.Code, "field": p.Field}, status: p.Status}
	switch {
	case p.Code == "json":
		f.Code = codeParse
	case p.Status < http.StatusInternalServerError:
		f.Code = codeParams
	}
	return f
}

// refuse answers a request with an error.
func refuse(to http.ResponseWriter, id json.RawMessage, p *serve.Problem) {
	p.WriteRetry(to)
	f := faultOf(p)
	to.Header().Set("Content-Type", "application/json")
	to.WriteHeader(f.status)
	_, _ = to.Write(append(answer(id, nil, f), '\n')) // a client that is gone
}

// answer returns the answer to a request.
func answer(id json.RawMessage, result any, f *fault) []byte {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	data, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  any             `json:"result,omitempty"`
		Error   *fault          `json:"error,omitempty"`
	}{"2.0", id, result, f})
	if err != nil { // an output that is no JSON
		return answer(id, nil, &fault{Code: codeInternal, Message: "the result has no JSON"})
	}
	return data
}

// A request is a message whose head was read.
type request struct {
	message
	current bool // it is of the current revision
	meta    map[string]json.RawMessage
	client  map[string]json.RawMessage // the capabilities of the client
}

// receive answers a message.
func (w *wire) receive(c *serve.Call) error {
	body, err := c.Body()
	if err != nil {
		return err
	}
	var m message
	if json.Unmarshal(body, &m) != nil {
		var list []json.RawMessage
		if json.Unmarshal(body, &list) == nil {
			return w.fails(c, nil, &fault{Code: codeRequest, Message: "a message is one object, not a list", status: http.StatusBadRequest})
		}
		return w.fails(c, nil, &fault{Code: codeParse, Message: "the body is no message of JSON-RPC", status: http.StatusBadRequest})
	}
	if id := bytes.TrimSpace(m.ID); m.Version != "2.0" || m.Method == "" || len(id) > 0 && (id[0] == '{' || id[0] == '[') {
		return w.fails(c, nil, &fault{Code: codeRequest, Message: "the body is no request of JSON-RPC 2.0", status: http.StatusBadRequest})
	}
	if len(m.ID) == 0 { // a notification
		c.Header().Del("Content-Type")
		return c.Reply(http.StatusAccepted, "application/json", []byte("{}"))
	}
	r, f := head(c, &m)
	if f != nil {
		return w.fails(c, m.ID, f)
	}
	result, err := w.do(c, r)
	switch {
	case err != nil:
		if own, ok := errors.AsType[*fault](err); ok {
			return w.fails(c, m.ID, own)
		}
		p := serve.ProblemOf(err)
		if p.Unwrap() != nil {
			c.Report(p.Unwrap())
		}
		p.WriteRetry(headers{c.Header()})
		return w.fails(c, m.ID, faultOf(p))
	case result == nil: // it was streamed
		return nil
	}
	return c.Reply(http.StatusOK, "application/json", answer(m.ID, result, nil))
}

// Headers are a writer of headers alone.
type headers struct{ of http.Header }

func (h headers) Header() http.Header       { return h.of }
func (headers) Write(b []byte) (int, error) { return len(b), nil }
func (headers) WriteHeader(int)             {}

// fails answers with an error.
func (w *wire) fails(c *serve.Call, id json.RawMessage, f *fault) error {
	if f.status == 0 {
		f.status = http.StatusBadRequest
	}
	return c.Reply(f.status, "application/json", answer(id, nil, f))
}

// head reads what a request has besides its parameters. The first revisions have it in a session; the current one in each request.
func head(c *serve.Call, m *message) (*request, *fault) {
	r := &request{message: *m}
	given := strings.TrimSpace(c.Request().Header.Get("MCP-Protocol-Version"))
	var params struct {
		Meta map[string]json.RawMessage `json:"_meta"`
		Name string                     `json:"name"`
	}
	if len(m.Params) > 0 && json.Unmarshal(m.Params, &params) != nil {
		return nil, &fault{Code: codeParams, Message: "the parameters are no object"}
	}
	r.meta = params.Meta
	if given != current && slices.Contains(versions, given) || given == "" && r.meta[metaVersion] == nil {
		return r, nil
	}
	r.current = true
	version := ""
	if json.Unmarshal(r.meta[metaVersion], &version) != nil || json.Unmarshal(r.meta[metaClient], &r.client) != nil || r.client == nil {
		return nil, &fault{Code: codeParams, Message: "_meta lacks the version of the protocol, or the capabilities of the client"}
	}
	h := c.Request().Header
	switch {
	case given != version:
		return nil, &fault{Code: codeMismatch, Message: "the header MCP-Protocol-Version is not the version of the request"}
	case version != current:
		data := map[string]any{"supported": versions, "requested": version}
		return nil, &fault{Code: codeVersion, Message: "the server does not speak this version", Data: data}
	case h.Get("Mcp-Method") != "" && strings.TrimSpace(h.Get("Mcp-Method")) != m.Method, h.Get("Mcp-Method") == "":
		return nil, &fault{Code: codeMismatch, Message: "the header Mcp-Method is not the method of the request"}
	case m.Method == "tools/call" && strings.TrimSpace(h.Get("Mcp-Name")) != params.Name:
		return nil, &fault{Code: codeMismatch, Message: "the header Mcp-Name is not the name in the request"}
	}
	return r, nil
}

// do answers a request. A result that is nil was streamed.
func (w *wire) do(c *serve.Call, r *request) (any, error) {
	info := map[string]string{"name": w.Name, "version": w.Version}
	tools := map[string]any{"tools": map[string]any{}}
	switch r.Method {
	case "server/discover":
		if r.current {
			return map[string]any{
				"resultType": "complete", "supportedVersions": versions, "capabilities": tools, "_meta": map[string]any{metaServer: info},
				"ttlMs": 0, "cacheScope": "private",
			}, nil
		}
	case "initialize":
		if !r.current {
			var p struct {
				Version string `json:"protocolVersion"`
			}
			_ = json.Unmarshal(r.Params, &p) // of a client without a version
			if p.Version == current || !slices.Contains(versions, p.Version) {
				p.Version = before
			}
			return map[string]any{"protocolVersion": p.Version, "capabilities": tools, "serverInfo": info}, nil
		}
	case "ping":
		if !r.current {
			return map[string]any{}, nil
		}
	case "tools/list":
		return w.list(c, r)
	case "tools/call":
		return w.call(c, r)
	}
	f := &fault{Code: codeMethod, Message: "the server does not have this method", status: http.StatusNotFound}
	if !r.current {
		f.status = http.StatusOK
	}
	return nil, f
}

// A tool is a graph as clients see it.
type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"inputSchema"`
	Output      json.RawMessage `json:"outputSchema,omitempty"`
}

// list sends the graphs.
func (w *wire) list(c *serve.Call, r *request) (any, error) {
	graphs, err := c.Graphs()
	if err != nil {
		return nil, err
	}
	list := []tool{}
	for _, g := range graphs {
		t := tool{Name: g.Name, Description: g.Doc, Input: g.Input, Output: g.Output}
		if t.Description == "" {
			t.Description = "Runs the graph " + strconv.Quote(g.Name) + "."
		}
		if t.Input == nil {
			t.Input = json.RawMessage(`{"type":"object"}`)
		}
		list = append(list, t)
	}
	result := map[string]any{"tools": list}
	if r.current {
		result["resultType"], result["ttlMs"], result["cacheScope"] = "complete", 0, "private"
	}
	return result, nil
}
