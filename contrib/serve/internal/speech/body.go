package speech

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/serve"
)

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
