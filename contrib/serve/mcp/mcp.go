// Package mcp serves graphs as tools of an MCP server (the Model Context Protocol, revisions 2026-07-28 and 2025-11-25, over HTTP).
//
//	h, err := serve.New(options, serve.Durable("refunds", m))
//	h.Handle("/mcp", mcp.New(h, mcp.Options{Key: key}))
//
// A graph is a tool, and with Options.Prompts its nodes that ask models are prompts. The arguments of a tool are the input of a run, and with
// `serve: true` in the spec it has their JSON Schemas. What a run waits for is, in the revision 2026-07-28, an InputRequired result: the client asks its
// user, and calls the tool again with the answers. The run is meanwhile in its thread, or with Options.Sealed in what the client keeps.
// docs/guides/serve-clients.md has what this wire does not carry.
package mcp

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/internal/jsonrpc"
)

// Options are the options of New.
type Options struct {
	// Key authenticates the state that clients keep of a run that waits. Every process of a service has the same one. Without it the process makes one,
	// and answers reach that process alone.
	Key []byte

	// Sealed has clients keep a run that waits itself, encrypted by Key: nothing of it remains in the store of its machine, which may be a thread.Memory.
	// It is for graphs whose nodes may be executed again: an answer that is repeated is refused by the process that has taken it, and not by others.
	Sealed bool

	// Life is how long a client may keep a run; 0: 24 hours.
	Life time.Duration

	// With Prompts, nodes that ask models are prompts, of graphs with serve: true: clients read what the authors of the graphs have written for models.
	Prompts bool

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
	if w.Life <= 0 {
		w.Life = defaultLife
	}
	if len(w.Key) == 0 {
		w.Key = make([]byte, 32)
		_, _ = rand.Read(w.Key) // it never fails
	}
	return h.Mount(serve.Wire{
		Routes:  []serve.WireRoute{{Method: "POST", Path: "/{$}", Do: w.receive}},
		Headers: []string{"Mcp-Method", "Mcp-Name", "MCP-Protocol-Version", "Mcp-Session-Id"},
		Refuse:  jsonrpc.Refuse(faultOf),
	})
}

type wire struct {
	Options
	spent spent
}

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

// The codes of errors, besides the ones of JSON-RPC.
const (
	codeMismatch   = -32020
	codeCapability = -32021
	codeVersion    = -32022
)

// faultOf returns what a client is sent of a problem.
func faultOf(p *serve.Problem) *jsonrpc.Fault {
	f := &jsonrpc.Fault{Code: jsonrpc.Internal, Message: p.Error(), Data: map[string]string{"code": p.Code, "field": p.Field}, Status: p.Status}
	switch {
	case p.Code == "json":
		f.Code = jsonrpc.Parse
	case p.Status < http.StatusInternalServerError:
		f.Code = jsonrpc.Params
	}
	return f
}

// A request is a message whose head was read.
type request struct {
	jsonrpc.Request
	current bool   // it is of the current revision
	spends  string // the hash of the thread with which it continues a run that its client has kept; empty: it does not
	meta    map[string]json.RawMessage
	client  map[string]json.RawMessage // the capabilities of the client
}

// receive answers a message.
func (w *wire) receive(c *serve.Call) error {
	body, err := c.Body()
	if err != nil {
		return err
	}
	var m jsonrpc.Request
	if json.Unmarshal(body, &m) != nil {
		var list []json.RawMessage
		if json.Unmarshal(body, &list) == nil {
			return w.fails(c, nil, &jsonrpc.Fault{Code: jsonrpc.Invalid, Message: "a message is one object, not a list", Status: http.StatusBadRequest})
		}
		return w.fails(c, nil, &jsonrpc.Fault{Code: jsonrpc.Parse, Message: "the body is no message of JSON-RPC", Status: http.StatusBadRequest})
	}
	if !m.Valid() {
		return w.fails(c, nil, &jsonrpc.Fault{Code: jsonrpc.Invalid, Message: "the body is no request of JSON-RPC 2.0", Status: http.StatusBadRequest})
	}
	if len(m.ID) == 0 { // a notification
		return c.Reply(http.StatusAccepted, "", nil)
	}
	r, f := head(c, &m)
	if f != nil {
		return w.fails(c, m.ID, f)
	}
	result, err := w.do(c, r)
	switch {
	case err != nil:
		return w.fails(c, m.ID, jsonrpc.FaultOf(c, err, faultOf))
	case result == nil: // it was streamed
		return nil
	}
	return c.Reply(http.StatusOK, "application/json", jsonrpc.Answer(m.ID, result, nil))
}

// fails answers with an error.
func (w *wire) fails(c *serve.Call, id json.RawMessage, f *jsonrpc.Fault) error {
	if f.Status == 0 {
		f.Status = http.StatusBadRequest
	}
	return c.Reply(f.Status, "application/json", jsonrpc.Answer(id, nil, f))
}

// head reads what a request has besides its parameters. The first revisions have it in a session; the current one in each request.
func head(c *serve.Call, m *jsonrpc.Request) (*request, *jsonrpc.Fault) {
	r := &request{Request: *m}
	given := strings.TrimSpace(c.Request().Header.Get("MCP-Protocol-Version"))
	var params struct {
		Meta map[string]json.RawMessage `json:"_meta"`
		Name string                     `json:"name"`
	}
	if len(m.Params) > 0 && json.Unmarshal(m.Params, &params) != nil {
		return nil, &jsonrpc.Fault{Code: jsonrpc.Params, Message: "the parameters are no object"}
	}
	r.meta = params.Meta
	if given != current && slices.Contains(versions, given) || given == "" && r.meta[metaVersion] == nil {
		return r, nil
	}
	r.current = true
	version := ""
	if json.Unmarshal(r.meta[metaVersion], &version) != nil || json.Unmarshal(r.meta[metaClient], &r.client) != nil || r.client == nil {
		return nil, &jsonrpc.Fault{Code: jsonrpc.Params, Message: "_meta lacks the version of the protocol, or the capabilities of the client"}
	}
	h := c.Request().Header
	switch {
	case given != version:
		return nil, &jsonrpc.Fault{Code: codeMismatch, Message: "the header MCP-Protocol-Version is not the version of the request"}
	case version != current:
		data := map[string]any{"supported": versions, "requested": version}
		return nil, &jsonrpc.Fault{Code: codeVersion, Message: "the server does not speak this version", Data: data}
	case h.Get("Mcp-Method") != "" && strings.TrimSpace(h.Get("Mcp-Method")) != m.Method, h.Get("Mcp-Method") == "":
		return nil, &jsonrpc.Fault{Code: codeMismatch, Message: "the header Mcp-Method is not the method of the request"}
	case (m.Method == "tools/call" || m.Method == "prompts/get") && strings.TrimSpace(h.Get("Mcp-Name")) != params.Name:
		return nil, &jsonrpc.Fault{Code: codeMismatch, Message: "the header Mcp-Name is not the name in the request"}
	}
	return r, nil
}

// do answers a request. A result that is nil was streamed.
func (w *wire) do(c *serve.Call, r *request) (any, error) {
	info := map[string]string{"name": w.Name, "version": w.Version}
	capabilities := map[string]any{"tools": map[string]any{}}
	if w.Prompts {
		capabilities["prompts"] = map[string]any{}
	}
	switch r.Method {
	case "server/discover":
		if r.current {
			return map[string]any{
				"resultType": "complete", "supportedVersions": versions, "capabilities": capabilities, "_meta": map[string]any{metaServer: info},
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
			return map[string]any{"protocolVersion": p.Version, "capabilities": capabilities, "serverInfo": info}, nil
		}
	case "ping":
		if !r.current {
			return map[string]any{}, nil
		}
	case "tools/list":
		return w.list(c, r)
	case "tools/call":
		return w.call(c, r)
	case "prompts/list":
		if w.Prompts {
			return listPrompts(c, r)
		}
	case "prompts/get":
		if w.Prompts {
			return getPrompt(c, r)
		}
	}
	f := &jsonrpc.Fault{Code: jsonrpc.Method, Message: "the server does not have this method", Status: http.StatusNotFound}
	if !r.current {
		f.Status = http.StatusOK
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
	return r.listed("tools", list), nil
}

// listed returns the result of a list.
func (r *request) listed(name string, list any) map[string]any {
	result := map[string]any{name: list}
	if r.current {
		result["resultType"], result["ttlMs"], result["cacheScope"] = "complete", 0, "private"
	}
	return result
}
