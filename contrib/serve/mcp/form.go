package mcp

import (
	"encoding/json"
	"slices"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
)

// keys returns the names of requests: of their nodes, or their IDs where several are of one node.
func keys(requests []graphgen.Request) []string {
	list := make([]string, len(requests))
	for i := range requests {
		list[i] = requests[i].Node
	}
	for i := range requests {
		if n := list[i]; slices.ContainsFunc(requests, func(q graphgen.Request) bool { return q.Node == n && q.ID != requests[i].ID }) {
			list[i] = requests[i].ID
		}
	}
	return list
}

// schemaOf returns the schema of a form: an object. A reply that is a struct is one; other answers are its only field.
func schemaOf(q *graphgen.Request) json.RawMessage {
	var of struct{ Type string }
	schema := speech.Schema(q)
	if q.Kind == graphgen.RequestReply && json.Unmarshal(schema, &of) == nil && of.Type == "object" {
		return schema
	}
	field := json.RawMessage(`{"type":"string"}`)
	switch {
	case speech.IsApproval(q):
		field = json.RawMessage(`{"type":"boolean"}`)
	case len(q.Choices) > 0:
		if data, err := json.Marshal(map[string]any{"type": "string", "enum": q.Choices}); err == nil {
			field = data
		}
	}
	name := fieldOf(q)
	data, _ := json.Marshal(map[string]any{ // of JSON
		"type": "object", "properties": map[string]json.RawMessage{name: field}, "required": []string{name},
	})
	return data
}

// fieldOf returns the name of the only field of a form.
func fieldOf(q *graphgen.Request) string {
	if speech.IsApproval(q) {
		return "approve"
	}
	return "answer"
}

// answer returns the answer to a request. A user who declines or cancels has not agreed.
func (a *response) answer(q *graphgen.Request) ([]byte, error) {
	switch a.Action {
	case "decline", "cancel":
		if q.Kind == graphgen.RequestClientTool {
			return speech.Failed(q, "the user has declined")
		}
		return speech.Decided(q, false, "")
	case "accept":
	default:
		return nil, speech.Invalid("inputResponses.action", "It is accept, decline or cancel.")
	}
	var of struct{ Type string }
	if q.Kind == graphgen.RequestReply && json.Unmarshal(speech.Schema(q), &of) == nil && of.Type == "object" {
		return speech.Given(q, a.Content)
	}
	var fields map[string]json.RawMessage
	name := fieldOf(q)
	if json.Unmarshal(a.Content, &fields) != nil || fields[name] == nil {
		return nil, speech.Invalid("inputResponses.content."+name, "The answer lacks this field.")
	}
	if speech.IsApproval(q) {
		yes, ok := speech.YesNo(fields[name])
		if !ok {
			return nil, speech.Invalid("inputResponses.content."+name, "It is true or false.")
		}
		return speech.Decided(q, yes, "")
	}
	text := ""
	if q.Kind == graphgen.RequestClientTool && json.Unmarshal(fields[name], &text) == nil { // a form has texts: JSON is one, too
		return speech.Written(q, text)
	}
	return speech.Given(q, fields[name])
}
