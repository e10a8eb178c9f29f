package speech

import (
	"encoding/json"

	"github.com/graphgen/graphgen"
)

// Tool returns the name of the tool by which a client that knows tools alone is asked: of the call, or of the node that asks.
func Tool(q *graphgen.Request) string {
	if q.Tool != "" {
		return q.Tool
	}
	return q.Node
}

// IsApproval reports whether a request is answered by a yes or a no. Others need a value.
func IsApproval(q *graphgen.Request) bool {
	return q.Kind == graphgen.RequestDecision || q.Kind == graphgen.RequestToolApproval || q.Kind == graphgen.RequestInterrupt
}

// Arguments returns what a client shows of a request: the arguments of a call, or the question, with what a reply must be.
func Arguments(q *graphgen.Request) json.RawMessage {
	if q.Tool != "" && q.Arguments != "" {
		return json.RawMessage(q.Arguments)
	}
	shown := struct {
		Question string         `json:"question,omitempty"`
		Shown    map[string]any `json:"shown,omitempty"`
		Choices  []string       `json:"choices,omitempty"`
	}{Question: q.Question, Choices: q.Choices}
	for _, s := range q.Shown {
		if shown.Shown == nil {
			shown.Shown = map[string]any{}
		}
		if shown.Shown[s.Name] = s.Text; s.JSON {
			shown.Shown[s.Name] = json.RawMessage(s.Text)
		}
	}
	data, err := json.Marshal(shown)
	if err != nil { // a value that is no JSON
		data, _ = json.Marshal(map[string]string{"question": q.Question})
	}
	return data
}

// Schema returns the JSON Schema of the answer to a request.
func Schema(q *graphgen.Request) json.RawMessage {
	data, err := graphgen.AppendRequests(nil, []graphgen.Request{*q})
	var list struct {
		Requests []struct{ Answer json.RawMessage }
	}
	if err != nil || json.Unmarshal(data, &list) != nil || len(list.Requests) != 1 {
		return nil
	}
	return list.Requests[0].Answer
}
