package gemini

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// A node is a JSON value whose members keep their order. A nil one is the value of a member
// that is not there.
type node struct {
	raw     jsontext.Value // as it was; {} of an object, [] of a list
	names   []string       // of an object's members
	members []*node
}

func textNode(text string) *node {
	raw, _ := jsontext.AppendQuote(nil, text) // what it is made of was JSON: valid UTF-8
	return &node{raw: raw}
}

func listNode(members ...*node) *node {
	return &node{raw: jsontext.Value("[]"), members: members}
}

// parse reads a value that is valid.
func parse(v jsontext.Value) *node {
	d := jsontext.NewDecoder(bytes.NewReader(v), jsontext.AllowDuplicateNames(true))
	return read(d)
}

// read reads the next value. There are no errors to look at: it is valid.
func read(d *jsontext.Decoder) *node {
	k := d.PeekKind()
	if k != '{' && k != '[' {
		v, _ := d.ReadValue()
		return &node{raw: bytes.Clone(v)}
	}
	n := &node{raw: jsontext.Value("[]")}
	if k == '{' {
		n.raw = jsontext.Value("{}")
	}
	_, _ = d.ReadToken()
	for next := d.PeekKind(); next != '}' && next != ']' && next != 0; next = d.PeekKind() {
		if k == '{' {
			name, _ := d.ReadToken()
			n.names = append(n.names, name.String())
		}
		n.members = append(n.members, read(d))
	}
	_, _ = d.ReadToken()
	return n
}

func (n *node) kind() jsontext.Kind {
	if n == nil {
		return 0
	}
	return n.raw.Kind()
}

// text is the text that the value is, or empty.
func (n *node) text() string {
	if n.kind() != '"' {
		return ""
	}
	text, _ := jsontext.AppendUnquote(nil, n.raw)
	return string(text)
}

// get returns a member of an object, or nil.
func (n *node) get(name string) *node {
	if n != nil {
		for i := range n.names {
			if n.names[i] == name {
				return n.members[i]
			}
		}
	}
	return nil
}

func (n *node) set(name string, value *node) {
	for i := range n.names {
		if n.names[i] == name {
			n.members[i] = value
			return
		}
	}
	n.names, n.members = append(n.names, name), append(n.members, value)
}

// walk calls f with the value and all values within it.
func (n *node) walk(f func(*node)) {
	if n == nil {
		return
	}
	f(n)
	for _, m := range n.members {
		m.walk(f)
	}
}

// String returns the value as JSON.
func (n *node) String() string {
	var out bytes.Buffer
	n.write(&out)
	return out.String()
}

func (n *node) write(out *bytes.Buffer) {
	switch n.kind() {
	case '{':
		out.WriteByte('{')
		for i, m := range n.members {
			if i > 0 {
				out.WriteByte(',')
			}
			out.Write(textNode(n.names[i]).raw)
			out.WriteByte(':')
			m.write(out)
		}
		out.WriteByte('}')
	case '[':
		out.WriteByte('[')
		for i, m := range n.members {
			if i > 0 {
				out.WriteByte(',')
			}
			m.write(out)
		}
		out.WriteByte(']')
	default:
		out.Write(n.raw)
	}
}
