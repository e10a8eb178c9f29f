package mcp

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Watcher observes what is exchanged with a server, for spans and metrics. Its methods are called by any number
// of goroutines. The names of attributes, and the classes of errors, are from OpenTelemetry's conventions for MCP; none of
// them has content. The method MCP of contrib/otel's Observer returns one.
type Watcher interface {
	// Request is called before a request is sent, with the method of the protocol and, for tools/call, the tool. The request gets the
	// context that it returns. The function that it returns is called when the request ends: with the class of its error,
	// empty without one, and the code of an error that the server returned, else 0.
	Request(ctx context.Context, method, tool string, session map[string]string) (context.Context, func(class string, code int64))
	// Session is called when a session begins. The function that it returns is called when it ends.
	Session(session map[string]string) func(class string)
}

// Watch has a Watcher observe the sessions and requests of the server.
func Watch(w Watcher) Option { return func(c *config) { c.watcher = w } }

// watch is the middleware that has the watcher observe requests. Notifications are none: they have no answer.
func (s *session) watch(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if strings.HasPrefix(method, "notifications/") {
			return next(ctx, method, req)
		}
		tool := ""
		if p, ok := req.GetParams().(*sdk.CallToolParams); ok && p != nil {
			tool = p.Name
		}
		ctx, end := s.cfg.watcher.Request(ctx, method, tool, s.attributes())
		result, err := next(ctx, method, req)
		class, code := classOf(ctx, err)
		if called, ok := result.(*sdk.CallToolResult); ok && err == nil && called.IsError {
			class = "tool_error"
		}
		end(class, code)
		return result, err
	}
}

// attributes returns what is known of the session, under the names of the conventions.
func (s *session) attributes() map[string]string {
	a := map[string]string{"network.transport": "pipe"}
	if u := s.cfg.endpoint; u != nil {
		a["network.transport"], a["network.protocol.name"], a["server.address"] = "tcp", "http", u.Hostname()
		if port := u.Port(); port != "" {
			a["server.port"] = port
		}
	}
	if established := s.established.Load(); established != nil {
		a["mcp.protocol.version"] = established.protocol
		if established.id != "" {
			a["mcp.session.id"] = established.id
		}
	}
	return a
}

// An established session is what is known of a session once it is initialized.
type established struct {
	protocol, id string
	end          func(class string) // nil: nothing watches it
}

// begins records that the session is initialized.
func (s *session) begins() {
	e := &established{id: s.sdk.ID()}
	if r := s.sdk.InitializeResult(); r != nil {
		e.protocol = r.ProtocolVersion
	}
	s.established.Store(e)
	if s.cfg.watcher != nil {
		end := s.cfg.watcher.Session(s.attributes())
		s.established.Store(&established{e.protocol, e.id, end})
	}
}

// ended reports the end of the session once.
func (s *session) ended() {
	e := s.established.Swap(nil)
	if e == nil || e.end == nil {
		return
	}
	class := ""
	if s.lost.Load() != nil || s.proc != nil && s.proc.gone() {
		class = "_OTHER"
	}
	e.end(class)
}

// classOf returns the class of a request's error, and the code of an error that the server returned.
func classOf(ctx context.Context, err error) (class string, code int64) {
	var rpc *jsonrpc.Error
	sent := false
	if errors.As(err, &rpc) {
		code, sent = codeOf(rpc)
	}
	switch {
	case err == nil:
		return "", 0
	case sent:
		return strconv.FormatInt(code, 10), code
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "timeout", 0
	case ctx.Err() != nil:
		return "cancelled", 0
	}
	return "_OTHER", 0
}
