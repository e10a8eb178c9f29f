package pipeline

import (
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

var errNoObject = errors.New("the answer is no JSON object")

// eachMember gives the members of an object, in order.
func eachMember(json string, each func(name, value string)) error {
	d := jsontext.NewDecoder(strings.NewReader(json))
	if d.PeekKind() != '{' {
		return errNoObject
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		token, err := d.ReadToken()
		if err != nil {
			return err
		}
		name := token.String()
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		each(name, string(value))
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return errNoObject
	}
	return nil
}

// member adds a member to the members of an object.
func (t *Text) member(name, value string) {
	if len(*t) > 0 {
		t.String(",")
	}
	quoted, _ := jsontext.AppendQuote(nil, name)
	t.String(string(quoted)).String(":").String(value)
}
