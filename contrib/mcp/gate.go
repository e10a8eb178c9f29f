package mcp

import (
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Codes of the errors that replace answers which do not pass the gate. They are outside of the
// ranges that JSON-RPC and the protocol use.
const (
	codeTooLarge  = -28001 - iota // above the limit
	codeMalformed                 // no message of JSON-RPC
	codeStray                     // for a call that was not made
	codeCut                       // ended before it was whole
	codeMoved                     // codeClosing of the server; the next two are its -32004 and its codeRejected
)

// The SDK uses the codes from codeClosing down to codeRejected for errors of its own: the first two for a connection that is closed, the
// last for what the transport did not get through to the server. It looks at the code alone, and so takes an error of the server with one
// of them for its own. Errors of the server have other codes until they are past the SDK.
const (
	codeClosing  = -32003
	codeRejected = -32005
)

// move gives an error of the server another code where its code is one of the SDK's own, and reports whether that is so.
func move(msg jsonrpc.Message) bool {
	resp, ok := msg.(*jsonrpc.Response)
	if !ok {
		return false
	}
	rpc, ok := resp.Error.(*jsonrpc.Error)
	if !ok || rpc.Code > codeClosing || rpc.Code < codeRejected {
		return false
	}
	rpc.Code += codeMoved - codeClosing
	return true
}

// codeOf returns the code that the server gave an error, and false where the error is not the server's.
func codeOf(rpc *jsonrpc.Error) (code int64, sent bool) {
	switch code := rpc.Code; {
	case code <= codeClosing && code >= codeRejected, code <= codeTooLarge && code > codeMoved:
		return 0, false
	case code <= codeMoved && code >= codeMoved-codeClosing+codeRejected:
		return code - codeMoved + codeClosing, true
	default:
		return code, true
	}
}

// mostAsked is how many requests of the server may wait for their answer at the same time.
const mostAsked = 64

const (
	listChanged = "notifications/tools/list_changed"
	cancelled   = "notifications/cancelled"
)

// A gate filters the messages that a session receives. The SDK puts all that its transport
// reads into a queue without a bound, so useless messages are dropped before that.
type gate struct {
	limit int // bytes of a message

	sent    atomic.Int64 // the highest ID of a call; they are numbered from 1
	asked   atomic.Int64 // requests of the server that are not answered
	heard   atomic.Int64 // messages received, of any kind
	changed atomic.Bool  // a list_changed is queued, or being handled

	mu   sync.Mutex
	open map[jsonrpc.ID]bool // requests of the server that it may cancel
}

// leaving notes a message to the server.
func (g *gate) leaving(msg jsonrpc.Message) {
	switch msg := msg.(type) {
	case *jsonrpc.Request:
		id, _ := msg.ID.Raw().(int64)
		for {
			sent := g.sent.Load()
			if id <= sent || g.sent.CompareAndSwap(sent, id) {
				return
			}
		}
	case *jsonrpc.Response:
		g.asked.Add(-1)
		g.closes(msg.ID)
	}
}

// opens notes a request of the server.
func (g *gate) opens(id jsonrpc.ID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		g.open = map[jsonrpc.ID]bool{}
	}
	g.open[id] = true
}

// closes reports whether a request of the server is open, and notes that it is not any more.
func (g *gate) closes(id jsonrpc.ID) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	open := g.open[id]
	delete(g.open, id)
	return open
}

// notified reports whether a notification is of use: the first of a change until it is handled, and the first that cancels a request.
func (g *gate) notified(msg *jsonrpc.Request) bool {
	switch msg.Method {
	case listChanged:
		return g.changed.CompareAndSwap(false, true)
	case cancelled:
		var p struct {
			RequestID any `json:"requestId"`
		}
		if json.Unmarshal(msg.Params, &p) != nil {
			return false
		}
		id, err := jsonrpc.MakeID(p.RequestID)
		return err == nil && g.closes(id)
	}
	return false
}

// admit reports whether a message is passed to the SDK. A response to a call that was never made
// is an error: the call that it was meant for would wait in vain.
func (g *gate) admit(msg jsonrpc.Message) (bool, error) {
	g.heard.Add(1)
	switch msg := msg.(type) {
	case *jsonrpc.Request:
		if !msg.IsCall() {
			return g.notified(msg), nil
		}
		if g.asked.Add(1) > mostAsked {
			g.asked.Add(-1)
			return false, nil
		}
		g.opens(msg.ID)
		return true, nil
	case *jsonrpc.Response:
		if id, numbered := msg.ID.Raw().(int64); !numbered || id < 1 || id > g.sent.Load() {
			return false, &jsonrpc.Error{
				Code:    codeStray,
				Message: fmt.Sprintf("the server answered call %v, which was not made", msg.ID.Raw()),
			}
		}
	}
	return true, nil
}

// tooLarge returns the error that replaces a discarded answer.
func (g *gate) tooLarge() *jsonrpc.Error {
	return &jsonrpc.Error{Code: codeTooLarge, Message: "the answer is larger than " + strconv.Itoa(g.limit) + " bytes"}
}

// answer returns the response to call id with the error in the server's own response.
func answer(id int64, what *jsonrpc.Error) *jsonrpc.Response {
	made, _ := jsonrpc.MakeID(float64(id))
	return &jsonrpc.Response{ID: made, Error: what}
}
