package serve

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/graphgen/graphgen/runtime/codec"
)

// readBody reads the body of a request, as far as the limits allow. It is JSON.
func (c *call) readBody() ([]byte, error) {
	if kind, _, err := mime.ParseMediaType(c.r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, &Problem{Status: http.StatusUnsupportedMediaType, Code: "media_type", Field: "Content-Type", Detail: "The body is application/json."}
	}
	control, limits := http.NewResponseController(c.w), &c.h.o.Limits
	timed := control.SetReadDeadline(time.Now().Add(limits.Read)) == nil // a test's writer has no connection
	body, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, limits.Body))
	if err != nil {
		if p := problemOf(err); p.Status != http.StatusInternalServerError {
			return nil, err
		}
		return nil, &Problem{Status: http.StatusBadRequest, Code: "body", Detail: "The body of the request ends early."}
	}
	c.w.Header().Del("Connection") // nothing is left to read
	if timed {
		_ = control.SetReadDeadline(time.Time{}) // it has worked before
	}
	return body, nil
}

// object reads the body of a request as an object, with the members that the route has.
func (c *call) object() (map[string][]byte, error) {
	body, err := c.readBody()
	if err != nil {
		return nil, err
	}
	members, err := objectOf(body)
	if e, ok := errors.AsType[*codec.Error](err); ok {
		detail := "The body is not a JSON object: " + withoutValues(e.Message)
		return nil, &Problem{Status: http.StatusBadRequest, Code: "json", Field: brief(e.Path), Detail: detail}
	}
	for name := range members {
		if !slices.Contains(c.rt.Body, name) {
			return nil, &Problem{Status: http.StatusBadRequest, Code: "unknown_field", Field: brief(name), Detail: "The request has no such field."}
		}
	}
	return members, err
}

// brief returns the beginning of a text of a client.
func brief(text string) string {
	const most = 60
	runes := []rune(text)
	if len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// text returns a member that is a string; empty if it is missing.
func text(members map[string][]byte, name string) (s string, err error) {
	if data, ok := members[name]; ok {
		if codec.Unmarshal(data, codec.Into(&s, codec.ReadString)) != nil {
			return "", &Problem{Status: http.StatusBadRequest, Code: "type", Field: name, Detail: "It is a string."}
		}
	}
	return s, nil
}

// number returns a number from 0; 0 if the text is empty.
func number(field, text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return 0, &Problem{Status: http.StatusBadRequest, Code: "number", Field: field, Detail: "It is the number of a step."}
	}
	return n, nil
}

// choice returns a text that is one of several, the first of them if it is empty.
func choice(field, text string, of ...string) (string, error) {
	if text == "" {
		return of[0], nil
	}
	if !slices.Contains(of, text) {
		return "", &Problem{Status: http.StatusBadRequest, Code: "choice", Field: field, Detail: "It is none of the values that it can have."}
	}
	return text, nil
}

// readQuery returns the parameters of the query. It refuses others than the route has.
func (c *call) readQuery() (url.Values, error) {
	query, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return nil, &Problem{Status: http.StatusBadRequest, Code: "query", Detail: "The query is not one of name=value, joined by &."}
	}
	for name := range query {
		if !slices.Contains(c.rt.Query, name) {
			return nil, &Problem{Status: http.StatusBadRequest, Code: "unknown_parameter", Field: brief(name), Detail: "The path has no such parameter."}
		}
	}
	return query, nil
}
