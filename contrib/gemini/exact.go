package gemini

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// raw is the one member of the arguments of a function call after exactArguments: their
// JSON, as text.
const raw = "json"

// exactArguments wraps the arguments of the function calls of an answer. The SDK turns objects
// into maps; wrapped, the arguments keep their numbers, their order and their mistakes. It also
// returns why the answer ended, if it has a message for that, which the SDK leaves out.
// It returns an error for what is not a JSON object.
func exactArguments(answer []byte) (exact []byte, why string, err error) {
	lenient := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
	d := jsontext.NewDecoder(bytes.NewReader(answer), lenient...)
	if d.PeekKind() != '{' {
		if _, err := d.ReadToken(); err != nil {
			return nil, "", err
		}
		return nil, "", errors.New("it is not a JSON object")
	}
	var out bytes.Buffer
	var at place
	e := jsontext.NewEncoder(&out, lenient...)
	for {
		t, err := d.ReadToken()
		if err == io.EOF {
			return bytes.TrimSpace(out.Bytes()), why, nil
		}
		if err == nil {
			err = e.WriteToken(t)
		}
		if err != nil {
			return nil, "", err
		}
		if !at.follow(d, t) {
			continue
		}
		switch name := t.String(); {
		case name == "args" && at.is(argumentsAt):
			err = wrap(d, e)
		case name == "finishMessage" && at.is(finishAt) && d.PeekKind() == '"':
			if t, err = d.ReadToken(); err == nil {
				why = t.String()
				err = e.WriteToken(t)
			}
		}
		if err != nil {
			return nil, "", err
		}
	}
}

// The names of the members that lead to a member; a star is any element of a list, 0 the first one.
var (
	argumentsAt = []string{"candidates", "*", "content", "parts", "*", "functionCall", "args"}
	finishAt    = []string{"candidates", "0", "finishMessage"}
)

// A place is where a decoder is in a text: the member or element at each depth. It goes no deeper
// than is asked for, so that a step costs the same wherever it is. (Decoder.StackPointer would copy
// every name, which may be megabytes long, at each step.)
type place struct {
	depth int
	names [8]string
}

// follow takes in the token that the decoder has read last, and reports whether it is the name of a member.
func (p *place) follow(d *jsontext.Decoder, t jsontext.Token) bool {
	p.depth = d.StackDepth()
	kind, n := d.StackIndex(p.depth)
	if p.depth == 0 || p.depth > len(p.names) {
		return false
	}
	name := &p.names[p.depth-1]
	switch {
	case kind == '[' && n == 0:
		*name = "0" // the list begins
	case kind == '[':
		*name = "*"
	case t.Kind() == '"' && n%2 == 1:
		*name = t.String()
		return true
	}
	return false
}

// is reports whether the place is the one that the names lead to.
func (p *place) is(names []string) bool {
	if p.depth != len(names) {
		return false
	}
	for i, name := range names {
		if p.names[i] != name && (name != "*" || p.names[i] != "0") {
			return false
		}
	}
	return true
}

func wrap(d *jsontext.Decoder, e *jsontext.Encoder) error {
	v, err := d.ReadValue()
	if err != nil {
		return err
	}
	for _, t := range []jsontext.Token{
		jsontext.BeginObject, jsontext.String(raw), jsontext.String(string(v)), jsontext.EndObject,
	} {
		if err := e.WriteToken(t); err != nil {
			return err
		}
	}
	return nil
}
