// Package openai serves graphs to clients of OpenAI: chat completions and responses, streamed and not. A graph is a model.
//
//	h, err := serve.New(options, serve.Durable("support", m))
//	h.Handle("/openai/v1", openai.New(h))
//
// and in a client:
//
//	const client = new OpenAI({ baseURL: "https://shop.example/openai/v1", apiKey: token });
//	await client.responses.create({ model: "support", input: "Where is my parcel?" });
//
// Options.Identify finds the caller by the header Authorization. What a run waits for are function calls: of the tool, or named by the node that asks. The
// output of such a call is the answer, and continues the run. docs/guides/serve-clients.md has what this wire does not carry.
package openai

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
)

// Options are the options of New.
type Options struct {
	StopOnDisconnect bool // a run is stopped when its client goes; without it the run continues
}

// New returns a handler for the graphs of h that take messages, below the path that clients have as their base URL.
func New(h *serve.Handler, options ...Options) http.Handler {
	w := &wire{}
	if len(options) > 0 {
		w.Options = options[0]
	}
	return h.Mount(serve.Wire{
		Routes: []serve.WireRoute{
			{Method: "POST", Path: "/chat/completions", Do: w.chat},
			{Method: "POST", Path: "/responses", Do: w.respond},
			{Method: "GET", Path: "/responses/{response}", Do: w.retrieve},
			{Method: "POST", Path: "/responses/{response}/cancel", Do: w.cancel},
			{Method: "GET", Path: "/models", Do: w.models},
			{Method: "GET", Path: "/models/{model}", Do: w.model},
		},
		Headers: []string{
			"OpenAI-Organization", "OpenAI-Project", "X-Stainless-Arch", "X-Stainless-Helper-Method", "X-Stainless-Lang", "X-Stainless-OS",
			"X-Stainless-Package-Version", "X-Stainless-Retry-Count", "X-Stainless-Runtime", "X-Stainless-Runtime-Version", "X-Stainless-Timeout",
		},
		Refuse: refuse,
	})
}

type wire struct{ Options }

// A fault is an error as clients of OpenAI read it.
type fault struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    string  `json:"code"`
}

func faultOf(p *serve.Problem) fault {
	f := fault{Message: p.Error(), Type: "invalid_request_error", Code: p.Code}
	switch {
	case p.Status == http.StatusUnauthorized:
		f.Type = "authentication_error"
	case p.Status == http.StatusForbidden:
		f.Type = "permission_error"
	case p.Status == http.StatusTooManyRequests:
		f.Type = "rate_limit_error"
	case p.Status >= http.StatusInternalServerError:
		f.Type = "server_error"
	}
	if p.Field != "" {
		f.Param = &p.Field
	}
	return f
}

// refuse answers with an error. Its headers keep clients from repeating a request that would be refused again, or would repeat a run that has failed.
func refuse(w http.ResponseWriter, p *serve.Problem) {
	p.WriteRetry(w.Header())
	if p.Retry == 0 || p.Retry > time.Minute {
		w.Header().Set("X-Should-Retry", "false")
	}
	data, _ := json.Marshal(struct { // of texts
		Error fault `json:"error"`
	}{faultOf(p)})
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(p.Status)
	_, _ = w.Write(append(data, '\n')) // a client that is gone
}

// reply answers with JSON.
func reply(c *serve.Call, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.Reply(http.StatusOK, "application/json", data)
}

// A modelInfo is a graph as a list of models has it.
type modelInfo struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

// models lists the graphs that take messages.
func (w *wire) models(c *serve.Call) error {
	graphs, err := c.Graphs()
	if err != nil {
		return err
	}
	list := []modelInfo{}
	for _, g := range graphs {
		if g.Messages {
			list = append(list, modelInfo{g.Name, "model", 0, "graphgen"})
		}
	}
	return reply(c, struct {
		Object string      `json:"object"`
		Data   []modelInfo `json:"data"`
	}{"list", list})
}

// model sends one of them.
func (w *wire) model(c *serve.Call) error {
	if _, err := c.Graphs(); err != nil {
		return err
	}
	if err := c.OpenGraph(c.Request().PathValue("model")); err != nil {
		return err
	}
	return reply(c, modelInfo{c.Graph().Name, "model", 0, "graphgen"})
}

// A place is where a response was made. Its ID has it.
type place struct{ thread, run string }

func (p place) id() string { return speech.Pack("resp_", p.thread, p.run) }

// placeOf returns the place that an ID has, which a client may have made.
func placeOf(id string) (p place, ok bool) {
	parts, ok := speech.Unpack("resp_", id, 2)
	if !ok {
		return p, false
	}
	return place{parts[0], parts[1]}, true
}

// An output is the answer to a function call.
type output struct{ call, text string }

// answers continues the run that the calls are of.
func (w *wire) answers(c *serve.Call, outputs []output, stream bool) (*serve.Exchange, error) {
	first, ok := speech.ParseCall(outputs[0].call)
	if !ok {
		return nil, speech.Closed()
	}
	waits, err := speech.Open(c, first.Thread)
	if serve.IsNotFound(err) {
		return nil, speech.Closed()
	}
	if err != nil {
		return nil, err
	}
	var replies []serve.Reply
	for _, o := range outputs {
		q := waits.Find(o.call)
		if q == nil {
			return nil, speech.Closed()
		}
		data, err := speech.Written(q, o.text)
		if err != nil {
			return nil, err
		}
		replies = append(replies, serve.Reply{Request: q.ID, JSON: data})
	}
	return c.Answer(replies, stream, w.StopOnDisconnect)
}

// unseen is the problem of a run that waits for what its caller may not see.
func unseen() *serve.Problem {
	return &serve.Problem{Status: http.StatusForbidden, Code: "forbidden", Detail: "The run waits for answers, and the caller may not see what is asked."}
}

// problem returns why a run gives no answer, nil if it does.
func problem(e *serve.End) *serve.Problem {
	switch {
	case e.Problem != nil:
		return e.Problem
	case e.Status == "stopped":
		return &serve.Problem{Status: http.StatusConflict, Code: "stopped", Detail: "The run was stopped."}
	case e.Status == "paused" && len(e.Requests) == 0:
		return unseen()
	}
	return nil
}
