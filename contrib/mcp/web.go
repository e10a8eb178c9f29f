package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// complaint is how much of an answer is read that is not a success, in bytes.
const complaint = 64 << 10

// A web is what the requests of a session over HTTP go through. The SDK reads answers
// without a bound, or ends the session at one that is too long; and it does not look at
// whose call an answer is for. So that is done here.
type web struct {
	cfg  *config
	gate *gate
	base http.RoundTripper

	ctx   context.Context // of all requests; done when the session is
	end   context.CancelFunc
	ended func() // a stream that announces changes has ended

	watching atomic.Int64 // streams that announce changes
}

// newWeb returns the transport of a session, whose stream of changes may end.
func newWeb(cfg *config, g *gate, base http.RoundTripper, ended func()) *web {
	w := &web{cfg: cfg, gate: g, base: base, ended: ended}
	w.ctx, w.end = context.WithCancel(context.Background())
	return w
}

// RoundTrip makes a request, and returns the parts of its answer that pass the gate.
func (w *web) RoundTrip(req *http.Request) (*http.Response, error) {
	call, err := w.leaving(req)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(req.Context())
	stop := context.AfterFunc(w.ctx, cancel)
	over := sync.OnceFunc(func() { stop(); cancel() })

	out := req.Clone(ctx)
	if req.URL.Host == w.cfg.endpoint.Host && req.URL.Scheme == w.cfg.endpoint.Scheme {
		for name, values := range w.cfg.header {
			out.Header[name] = values
		}
	}
	resp, err := w.base.RoundTrip(out)
	if err != nil {
		over()
		return nil, err
	}
	if resp.StatusCode == http.StatusNotFound && req.Method == http.MethodPost && req.Header.Get("Mcp-Session-Id") != "" {
		if u := useOf(req.Context()); u != nil {
			u.refused.Store(true)
		}
	}
	body := &body{ReadCloser: resp.Body, over: over}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case (resp.StatusCode < 200 || resp.StatusCode >= 300) && req.Method != http.MethodPost:
		// The SDK would take an error of JSON-RPC here for the answer to a call.
		_ = body.Close()
		resp.Body = http.NoBody
	case resp.StatusCode < 200 || resp.StatusCode >= 300:
		resp.Body = &capped{&refused{from: body}, body}
	case kind == "text/event-stream":
		resp.Body = w.stream(req, call, body)
	case kind == "application/json" && call != nil:
		whole, err := w.whole(call, body)
		_ = body.Close()
		if err != nil {
			return nil, err
		}
		replace(resp, whole)
	case call != nil && call.Method == methodDiscover:
		_ = body.Close()
		none, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: call.ID, Error: &jsonrpc.Error{
			Code: jsonrpc.CodeMethodNotFound, Message: "the server answered " + w.cfg.redact(strconv.Quote(kind)),
		}})
		if err != nil {
			return nil, err
		}
		replace(resp, none)
	default:
		resp.Body = &capped{io.LimitReader(body, int64(w.gate.limit)), body}
	}
	return resp, nil
}

// methodDiscover is the call by which the SDK asks for the versions of a server. A server of an earlier version does not know it, and may
// answer with a text. That would end the session, where the SDK has to continue with the call of the earlier version.
const methodDiscover = "server/discover"

// replace gives an answer another body, which is JSON.
func replace(resp *http.Response, whole []byte) {
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(whole)), int64(len(whole))
	resp.Header.Del("Content-Length")
	resp.Header.Set("Content-Type", "application/json")
}

// A use, in the context of the calls that one use of the server makes one after the other, is what their requests have to know, and what they note.
type use struct {
	// refused is that the server does not know the session that a message was sent in, and so did not take it. When a stream is resumed, it has
	// taken the call before, so that is not noted.
	refused atomic.Bool
	call    atomic.Pointer[jsonrpc.Request] // the last one, whose stream a request may resume
}

type useKey struct{}

// useOf returns the use that a context is of; nil: it is of none.
func useOf(ctx context.Context) *use {
	u, _ := ctx.Value(useKey{}).(*use)
	return u
}

// leaving notes what a request sends, and returns it when it is a call, or the call whose stream the request resumes.
func (w *web) leaving(req *http.Request) (*jsonrpc.Request, error) {
	u := useOf(req.Context())
	if u != nil && req.Method == http.MethodGet && req.Header.Get("Last-Event-ID") != "" {
		return u.call.Load(), nil
	}
	if req.GetBody == nil {
		return nil, nil
	}
	sent, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	defer sent.Close()
	data, err := io.ReadAll(sent)
	if err != nil {
		return nil, err
	}
	msg, err := jsonrpc.DecodeMessage(data)
	if err != nil {
		return nil, nil // whatever it is, it is not a call
	}
	w.gate.leaving(msg)
	call, ok := msg.(*jsonrpc.Request)
	if !ok || !call.IsCall() {
		return nil, nil
	}
	if u != nil {
		u.call.Store(call)
	}
	return call, nil
}

// whole reads an answer of one piece, which is the answer of the call, or an error instead.
func (w *web) whole(call *jsonrpc.Request, body io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(body, int64(w.gate.limit)+1))
	if err != nil {
		return nil, err
	}
	if len(data) > w.gate.limit {
		return jsonrpc.EncodeMessage(&jsonrpc.Response{ID: call.ID, Error: w.gate.tooLarge()})
	}
	msg, err := jsonrpc.DecodeMessage(data)
	if err != nil {
		return jsonrpc.EncodeMessage(&jsonrpc.Response{ID: call.ID, Error: malformed(err)})
	}
	if what := w.wrong(call, msg); what != nil {
		return jsonrpc.EncodeMessage(&jsonrpc.Response{ID: call.ID, Error: what})
	}
	if move(msg) {
		return jsonrpc.EncodeMessage(msg)
	}
	return data, nil
}

// wrong returns why an unstreamed answer is not valid for the call, nil if it is.
func (w *web) wrong(call *jsonrpc.Request, msg jsonrpc.Message) *jsonrpc.Error {
	if _, err := w.gate.admit(msg); err != nil {
		var stray *jsonrpc.Error
		errors.As(err, &stray)
		return stray
	}
	if resp, ok := msg.(*jsonrpc.Response); !ok || resp.ID != call.ID {
		return &jsonrpc.Error{Code: codeStray, Message: "the server answered something else than the call"}
	}
	return nil
}

func malformed(err error) *jsonrpc.Error {
	return &jsonrpc.Error{Code: codeMalformed, Message: "the answer is not a message of JSON-RPC: " + err.Error()}
}

// stream returns the events of an answer. A stream that answers a call carries no notifications
// of changes, except for the call that subscribes to them.
func (w *web) stream(req *http.Request, call *jsonrpc.Request, from *body) io.ReadCloser {
	if call != nil && call.Method == "subscriptions/listen" {
		call = nil
	} else if call != nil || req.Method != http.MethodGet {
		return newEvents(w.gate, call, from)
	}
	w.watching.Add(1)
	over := from.over
	from.over = sync.OnceFunc(func() {
		w.watching.Add(-1)
		w.ended()
		over()
	})
	return newEvents(w.gate, nil, from)
}

// hide makes secrets of what in an address may be one: the password, and the query.
func (c *config) hide() {
	if password, ok := c.endpoint.User.Password(); ok {
		c.secrets = append(c.secrets, password)
	}
	for _, values := range c.endpoint.Query() {
		c.secrets = append(c.secrets, values...)
	}
	c.secrets = append(c.secrets, c.endpoint.RawQuery)
}

// A body ends its request when it is closed, or was read to its end.
type body struct {
	io.ReadCloser
	over func()
}

// Read reads, and notices the end.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.over()
	}
	return n, err
}

// Close ends the request.
func (b *body) Close() error {
	err := b.ReadCloser.Close()
	b.over()
	return err
}

// A refused body is the body of an answer whose status is not a success, up to a length. It is read when the SDK reads it, which looks at the status
// first.
type refused struct {
	from io.Reader
	data io.Reader // nil: nothing is read yet
}

// Read reads, in which an error of JSON-RPC may have another code.
func (r *refused) Read(p []byte) (int, error) {
	if r.data == nil {
		data, err := io.ReadAll(io.LimitReader(r.from, complaint))
		if err != nil {
			return 0, err
		}
		if msg, err := jsonrpc.DecodeMessage(data); err == nil && move(msg) {
			if data, err = jsonrpc.EncodeMessage(msg); err != nil {
				return 0, err
			}
		}
		r.data = bytes.NewReader(data)
	}
	return r.data.Read(p)
}

// A capped body is read no further than its reader goes.
type capped struct {
	io.Reader
	io.Closer
}
