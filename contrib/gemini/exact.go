package gemini

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// raw is the one member of the arguments of a function call after exactArguments: their
// JSON, as text.
const raw = "json"

// exactArguments wraps the arguments of the function calls of an answer, so that the SDK,
// which turns objects into maps, keeps their numbers, their order and what is wrong with
// them. It also returns why the answer ended, where that is told, which the SDK leaves out.
// It returns an error for what is no JSON object.
func exactArguments(answer []byte) (exact []byte, why string, err error) {
	lenient := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
	d := jsontext.NewDecoder(bytes.NewReader(answer), lenient...)
	if d.PeekKind() != '{' {
		if _, err := d.ReadToken(); err != nil {
			return nil, "", err
		}
		return nil, "", errors.New("it is no JSON object")
	}
	var out bytes.Buffer
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
		if t.Kind() != '"' {
			continue
		}
		switch name := t.String(); {
		case name == "args" && isArguments(d):
			err = wrap(d, e)
		case name == "finishMessage" && d.StackPointer() == "/candidates/0/finishMessage" && d.PeekKind() == '"':
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

// isArguments reports whether the name that was just read is that of arguments of a call.
func isArguments(d *jsontext.Decoder) bool {
	if kind, n := d.StackIndex(d.StackDepth()); kind != '{' || n%2 == 0 {
		return false
	}
	at := strings.Split(string(d.StackPointer()), "/")
	return len(at) == 8 && at[1] == "candidates" && at[3] == "content" && at[4] == "parts" && at[6] == "functionCall"
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
