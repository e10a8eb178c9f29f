package mcp

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/internal/jsonrpc"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
)

// A callParams is what a tool is called with.
type callParams struct {
	Name      string              `json:"name"`
	Arguments json.RawMessage     `json:"arguments"`
	Responses map[string]response `json:"inputResponses"`
	State     string              `json:"requestState"`
	Meta      struct {
		Progress json.RawMessage `json:"progressToken"`
	} `json:"_meta"`
}

// A response is what a user has answered.
type response struct {
	Action  string          `json:"action"`
	Content json.RawMessage `json:"content"`
}

// call makes a run, or continues one with the answers of a user.
func (w *wire) call(c *serve.Call, r *request) (any, error) {
	var p callParams
	if err := json.Unmarshal(r.Params, &p); err != nil {
		return nil, &jsonrpc.Fault{Code: jsonrpc.Params, Message: "the parameters are not of a call of a tool"}
	}
	if err := c.OpenGraph(p.Name); err != nil {
		if serve.IsNotFound(err) {
			return nil, &jsonrpc.Fault{Code: jsonrpc.Params, Message: "there is no such tool", Status: http.StatusOK}
		}
		return nil, err
	}
	streams := len(p.Meta.Progress) > 0 && strings.Contains(c.Request().Header.Get("Accept"), "text/event-stream")
	if p.State != "" {
		return w.again(c, r, &p, streams)
	}
	if len(p.Arguments) == 0 {
		p.Arguments = json.RawMessage("{}")
	}
	x, err := c.Start(serve.Beginning{Input: p.Arguments, Stream: streams, Passing: w.Sealed})
	if err != nil {
		return nil, err
	}
	return w.follow(c, r, &p, x, streams)
}

// follow answers with how a run has ended, or what it waits for.
func (w *wire) follow(c *serve.Call, r *request, p *callParams, x *serve.Exchange, streams bool) (any, error) {
	if !streams {
		end, err := x.Wait()
		if err != nil {
			return nil, err
		}
		return w.result(c, r, x.Run(), end)
	}
	n := 0
	return nil, x.Events(func(to *serve.Stream) serve.Listener {
		return serve.Listener{
			Live: func(e *graphgen.Event) error {
				text := e.Message()
				if e.Kind == graphgen.NodeStart {
					text = e.Node
				}
				if text == "" {
					return nil
				}
				n++
				data, err := json.Marshal(map[string]any{
					"jsonrpc": "2.0", "method": "notifications/progress",
					"params": map[string]any{"progressToken": p.Meta.Progress, "progress": n, "message": text},
				})
				if err != nil {
					return err
				}
				return to.Send("", "message", data)
			},
			End: func(end *serve.End) error {
				result, err := w.result(c, r, x.Run(), end)
				var f *jsonrpc.Fault
				if err != nil {
					f = jsonrpc.FaultOf(c, err, faultOf)
				}
				return to.Send("", "message", jsonrpc.Answer(r.ID, result, f))
			},
		}
	})
}

// result returns how a run has ended, as the result of a call. That it has failed is for the model.
func (w *wire) result(c *serve.Call, r *request, run string, end *serve.End) (any, error) {
	if r.spends != "" && end.Status != "running" {
		w.spent.add(r.spends)
	}
	text, failed := end.Text, false
	switch {
	case end.Problem != nil:
		text, failed = end.Problem.Error(), true
	case end.Status == "stopped":
		text, failed = "the run was stopped", true
	case end.Status == "paused" && len(end.Requests) == 0:
		text, failed = "the run waits for answers, and the caller may not see what is asked", true
	case end.Status == "paused" && !r.current:
		text, failed = "the run waits for a person: a client of the revision "+current+" can ask", true
	case end.Status == "paused":
		return w.ask(c, r, run, end.Requests)
	}
	c.Forget()
	result := map[string]any{"content": []map[string]string{{"type": "text", "text": text}}, "isError": failed}
	if !failed && len(end.Output) > 0 {
		result["structuredContent"] = json.RawMessage(end.Output)
	}
	if r.current {
		result["resultType"] = "complete"
	}
	return result, nil
}

// ask returns what a run waits for, as what the client has to ask.
func (w *wire) ask(c *serve.Call, r *request, run string, requests []graphgen.Request) (any, error) {
	if r.client["elicitation"] == nil {
		return nil, &jsonrpc.Fault{
			Code: codeCapability, Message: "the run waits for a person, and the client cannot ask",
			Data: map[string]any{"requiredCapabilities": map[string]any{"elicitation": map[string]any{}}},
		}
	}
	asked := map[string]any{}
	for i, key := range keys(requests) {
		q := &requests[i]
		question := q.Question
		if q.Tool != "" {
			question = strings.TrimSpace(question + "\n" + q.Tool + " " + string(speech.Arguments(q)))
		}
		asked[key] = map[string]any{
			"method": "elicitation/create",
			"params": map[string]any{"mode": "form", "message": question, "requestedSchema": schemaOf(q)},
		}
	}
	s := stateOf(c, run, requests)
	text := ""
	if w.Sealed {
		var err error
		if text, err = w.takeOut(c, s); err != nil {
			return nil, err
		}
		c.Forget()
	} else {
		text = w.seal(s)
	}
	return map[string]any{"resultType": "input_required", "inputRequests": asked, "requestState": text}, nil
}

// again continues a run with what the user has answered. What is missing is asked again.
func (w *wire) again(c *serve.Call, r *request, p *callParams, streams bool) (any, error) {
	s, ok := state{}, false
	if w.Sealed {
		var err error
		if s, ok, err = w.bringBack(c, p.State); err != nil {
			return nil, err
		}
		if ok && w.spent.knows(s.hash) {
			return nil, speech.Closed()
		}
	} else {
		s, ok = w.open(p.State)
	}
	if !ok || s.graph != p.Name {
		return nil, &jsonrpc.Fault{
			Code: jsonrpc.Params, Message: "requestState was not made by this server, or was changed", Data: map[string]string{"code": "state"},
			Status: http.StatusConflict,
		}
	}
	waits, err := speech.Open(c, s.thread)
	if err != nil {
		return nil, err
	}
	requests := waits.Requests
	asked := slices.ContainsFunc(requests, func(q graphgen.Request) bool { return slices.Contains(s.asked, q.ID) })
	if waits.Run != s.run || !asked {
		return nil, speech.Closed()
	}
	var replies []serve.Reply
	for i, key := range keys(requests) {
		given, ok := p.Responses[key]
		if !ok || !slices.Contains(s.asked, requests[i].ID) {
			continue
		}
		data, err := given.answer(&requests[i])
		if err != nil {
			return nil, err
		}
		replies = append(replies, serve.Reply{Request: requests[i].ID, JSON: data})
	}
	if len(replies) == 0 {
		return w.result(c, r, waits.Run, &serve.End{Status: "paused", Requests: c.Shown(requests)})
	}
	x, err := c.Answer(replies, streams, false)
	if err != nil {
		return nil, err
	}
	r.spends = s.hash
	return w.follow(c, r, p, x, streams)
}
