// Package jsonrpc has what the wires over JSON-RPC 2.0 share: requests, answers and errors.
package jsonrpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/graphgen/graphgen/contrib/serve"
)

// A Request is a request, or without an ID a notification.
type Request struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// Valid reports whether a request has the version, a method, and an ID that is a text or a number, if it has one.
func (r *Request) Valid() bool {
	id := bytes.TrimSpace(r.ID)
	return r.Version == "2.0" && r.Method != "" && (len(id) == 0 || bytes.IndexByte([]byte(`"-0123456789`), id[0]) >= 0)
}

// The codes of errors that JSON-RPC defines.
const (
	Parse    = -32700
	Invalid  = -32600
	Method   = -32601
	Params   = -32602
	Internal = -32603
)

// A Fault is an error as clients are sent it.
type Fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`

	Status int `json:"-"` // of the HTTP response, where the wire has more than one
}

func (f *Fault) Error() string { return f.Message }

// FaultOf returns what a client is sent of an error of a call: the fault that it is, or what a wire makes of its problem. The call reports the cause.
func FaultOf(c *serve.Call, err error, of func(*serve.Problem) *Fault) *Fault {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f
	}
	p := serve.ProblemOf(err)
	if p.Unwrap() != nil {
		c.Report(p.Unwrap())
	}
	p.WriteRetry(c.Header())
	return of(p)
}

// Answer returns the answer to a request: a result, or a fault.
func Answer(id json.RawMessage, result any, f *Fault) []byte {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	data, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  any             `json:"result,omitempty"`
		Error   *Fault          `json:"error,omitempty"`
	}{"2.0", id, result, f})
	if err != nil { // an output that is no JSON
		return Answer(id, nil, &Fault{Code: Internal, Message: "the result has no JSON"})
	}
	return data
}

// Refuse returns what answers a request whose ID is not known with a problem, as a wire makes a fault of it.
func Refuse(of func(*serve.Problem) *Fault) func(http.ResponseWriter, *serve.Problem) {
	return func(to http.ResponseWriter, p *serve.Problem) {
		p.WriteRetry(to.Header())
		to.Header().Set("Content-Type", "application/json")
		to.WriteHeader(p.Status)
		_, _ = to.Write(append(Answer(nil, nil, of(p)), '\n')) // a client that is gone
	}
}
