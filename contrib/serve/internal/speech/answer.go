// Package speech has what the wires share that speak in messages: the pieces of answers of a run, the answers to its requests, and files in messages.
package speech

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/serve"
)

// Decided returns the answer of a person: yes or no.
func Decided(q *graphgen.Request, yes bool, reason string) ([]byte, error) {
	switch {
	case !IsApproval(q):
		return nil, refused(q, "The request needs a value, not a yes or a no.")
	case q.Kind == graphgen.RequestInterrupt && !yes:
		return nil, refused(q, "The run can only be continued here. Stop it instead.")
	case q.Kind == graphgen.RequestInterrupt:
		return []byte(`"continue"`), nil
	case yes:
		return []byte(`"approve"`), nil
	case q.Kind == graphgen.RequestToolApproval && reason != "":
		return json.Marshal(map[string]string{"decision": "deny", "reason": reason})
	}
	return []byte(`"deny"`), nil
}

// YesNo reads the JSON of a yes or a no. Nothing else is one: a null, which decodes to false, has not been decided.
func YesNo(value json.RawMessage) (yes, ok bool) {
	yes = string(value) == "true"
	return yes, yes || string(value) == "false"
}

// Given returns the answer that is a value: the result of a tool that the client runs, a reply, or what a yes or no is in JSON.
func Given(q *graphgen.Request, value json.RawMessage) ([]byte, error) {
	switch {
	case len(value) == 0:
		return nil, refused(q, "The answer has no value.")
	case q.Kind == graphgen.RequestClientTool:
		return json.Marshal(map[string]json.RawMessage{"result": value})
	}
	return value, nil
}

// Failed returns the answer that a tool which the client runs has failed.
func Failed(q *graphgen.Request, text string) ([]byte, error) {
	if q.Kind != graphgen.RequestClientTool {
		return nil, refused(q, "The request is not a call of a tool that the client runs.")
	}
	if text == "" {
		text = "it has failed"
	}
	return json.Marshal(map[string]string{"error": text})
}

// Written returns the answer that a person has written: JSON, or a text where the request wants one.
func Written(q *graphgen.Request, text string) ([]byte, error) {
	word := strings.TrimSpace(text)
	quoted, err := json.Marshal(text)
	if err != nil {
		return nil, err
	}
	switch {
	case IsApproval(q):
		if strings.HasPrefix(word, "{") || strings.HasPrefix(word, `"`) {
			return []byte(word), nil
		}
		return json.Marshal(strings.ToLower(word))
	case q.Kind == graphgen.RequestReply && q.Schema == "":
		if unquoted := ""; json.Unmarshal([]byte(word), &unquoted) == nil {
			return []byte(word), nil
		}
		return quoted, nil
	case json.Valid([]byte(word)):
		return Given(q, json.RawMessage(word))
	}
	return Given(q, quoted)
}

func refused(q *graphgen.Request, detail string) error {
	return &serve.Problem{Status: http.StatusUnprocessableEntity, Code: "invalid", Field: "answer", Detail: detail}
}
