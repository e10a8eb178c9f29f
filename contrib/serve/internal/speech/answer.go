// Package speech has what the wires share that speak in messages: the pieces of answers of a run, the answers to its requests, and files in messages.
package speech

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/serve"
)

// A Call names a request of a run, for clients that tell calls apart by one text: the same node asks under the same ID in each run of a thread.
type Call struct{ Thread, Run, Request string }

// String returns the text.
func (c Call) String() string {
	data, _ := json.Marshal([]string{c.Thread, c.Run, c.Request}) // of strings
	return "call_" + base64.RawURLEncoding.EncodeToString(data)
}

// ParseCall returns the request that a text names. A client may have made it: it is looked up among what the caller may see.
func ParseCall(text string) (c Call, ok bool) {
	text, ok = strings.CutPrefix(text, "call_")
	data, err := base64.RawURLEncoding.DecodeString(text)
	var parts []string
	if !ok || err != nil || json.Unmarshal(data, &parts) != nil || len(parts) != 3 {
		return c, false
	}
	return Call{parts[0], parts[1], parts[2]}, true
}

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

// Decided returns the answer of a person who says yes or no.
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

// Closed is the problem of an answer to what is not open.
func Closed() error {
	return &serve.Problem{Status: http.StatusConflict, Code: "closed", Detail: "No open request has that ID."}
}

// Invalid is the problem of a part of a request.
func Invalid(field, detail string) error {
	return &serve.Problem{Status: http.StatusUnprocessableEntity, Code: "invalid", Field: field, Detail: detail}
}

// Read reads the body of a request into a struct. Members that it does not have are left out: clients have more than a graph needs.
func Read(c *serve.Call, to any) error {
	body, err := c.Body()
	if err != nil {
		return err
	}
	err = json.Unmarshal(body, to)
	if err == nil {
		return nil
	}
	p := &serve.Problem{Status: http.StatusBadRequest, Code: "json", Detail: "The body is not the JSON of a request."}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		p.Code, p.Field, p.Detail = "type", e.Field, "It is of another type."
	}
	return p
}

// File returns the file of a message by its URL, which has its bytes or leads to it. Nothing is fetched.
func File(link, kind, name string) (chat.Media, error) {
	m := chat.Media{Type: kind, Name: name}
	rest, ok := strings.CutPrefix(link, "data:")
	if !ok {
		if u, err := url.Parse(link); err != nil || u.Scheme != "https" {
			return m, errors.New("a file has a URL of the scheme data or https")
		}
		m.URL = link
		return m, nil
	}
	head, body, ok := strings.Cut(rest, ",")
	of, encoded := strings.CutSuffix(head, ";base64")
	if m.Type == "" || !strings.Contains(m.Type, "/") {
		m.Type = of
	}
	var err error
	if m.Data, err = base64.StdEncoding.DecodeString(body); err != nil || !ok || !encoded {
		return m, errors.New("the data of a file are in base64")
	}
	return m, nil
}

// Index returns the name of an element of a list.
func Index(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }

// Conversation returns a conversation of messages, which ends with one of a user.
func Conversation(messages []chat.Message) (*serve.Conversation, error) {
	if len(messages) == 0 || messages[len(messages)-1].Role != chat.RoleUser {
		return nil, Invalid("messages", "The last message is one of the user.")
	}
	return &serve.Conversation{Messages: messages, Text: messages[len(messages)-1].Text}, nil
}
