package scenario

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
)

// Kind says what a Value is.
type Kind uint8

// Kinds of values. Unreadable is a value that has been reported already.
const (
	Unreadable Kind = iota
	Text
	Int
	Float
	Bool
	Null
	List
	Map
)

// A Value is a value of a scenario file with its place. Its type is the graph's to know.
type Value struct {
	Kind  Kind
	Pos   spec.Pos
	Text  string  // of a scalar, without quotes
	Items []Value // of a list; of a map key, value, key, value …
}

// keys are the places of a mapping's keys.
func (v *Value) keys() map[string]spec.Pos {
	keys := make(map[string]spec.Pos)
	for i := 0; v.Kind == Map && i < len(v.Items); i += 2 {
		keys[v.Items[i].Text] = v.Items[i].Pos
	}
	return keys
}

// parse reads a file to its values. The spec language and this one allow the same YAML, so
// the reader of specs says what is wrong with the file as such: syntax, encoding, size,
// depth, aliases, tags, keys written twice or that are no names.
func parse(file string, text []byte) (*Value, []diag.Diagnostic) {
	if found := malformed(file, text); len(found) > 0 {
		return nil, found
	}
	var doc yaml.Node
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if err := yaml.Unmarshal(text, &doc); err != nil || len(doc.Content) == 0 {
		return nil, []diag.Diagnostic{unreadable(file, err)}
	}
	c := converter{lines: strings.Split(string(text), "\n")}
	root := c.value(doc.Content[0], spec.Pos{Line: 1, Col: 1})
	return &root, nil
}

// formCodes are the codes of the spec reader that are about YAML and not about graphs.
var formCodes = map[string]string{
	"GG001": "", "GG002": "", "GG003": "", "GG004": "", "GG006": "write less in one place",
	"GG005": "split the file", "GG007": "a scenario file begins with `graph: NAME.graph.yaml` and `scenarios:`",
	"GG008": "write all scenarios of a graph as one list", "GG009": "", "GG010": "", "GG011": "", "GG016": "",
}

func malformed(file string, text []byte) []diag.Diagnostic {
	_, all := spec.Load(file, text)
	var found []diag.Diagnostic
	for _, d := range all {
		help, form := formCodes[d.Code]
		if !form {
			continue
		}
		if help != "" {
			d.Help = help
		}
		d.Message = strings.Replace(d.Message, "a spec may have", "a scenario file may have", 1)
		found = append(found, d)
	}
	return found
}

// unreadable is for what the spec's reader accepts and the library does not.
func unreadable(file string, err error) diag.Diagnostic {
	if err == nil {
		err = errors.New("the file is empty")
	}
	return diag.Diagnostic{Code: "GG001", File: file, Pos: spec.Pos{Line: 1, Col: 1}, Message: err.Error()}
}

// A converter turns nodes into values.
type converter struct{ lines []string }

var scalarKinds = map[string]Kind{"!!int": Int, "!!float": Float, "!!bool": Bool, "!!null": Null}

// value converts a node. key is the place of the key it belongs to, for a value that is
// not there.
func (c *converter) value(n *yaml.Node, key spec.Pos) Value {
	v := Value{Pos: spec.Pos{Line: n.Line, Col: n.Column}}
	switch n.Kind {
	case yaml.SequenceNode:
		v.Kind = List
		for _, item := range n.Content {
			v.Items = append(v.Items, c.value(item, v.Pos))
		}
	case yaml.MappingNode:
		v.Kind = Map
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := c.value(n.Content[i], v.Pos)
			v.Items = append(v.Items, key, c.value(n.Content[i+1], key.Pos))
		}
	case yaml.ScalarNode:
		v.Kind, v.Text = Text, n.Value
		if kind, ok := scalarKinds[n.Tag]; ok && n.Style&^yaml.FlowStyle == 0 {
			v.Kind = kind
		}
		if v.Kind == Null && n.Value == "" {
			v.Pos = key
			return v
		}
		v.Pos.Width = c.width(n)
	}
	return v
}

// width returns how many runes of its first line a scalar takes.
func (c *converter) width(n *yaml.Node) int {
	if n.Line > len(c.lines) {
		return 1
	}
	line := []rune(strings.TrimRight(c.lines[n.Line-1], "\r"))
	rest := string(line[min(max(n.Column-1, 0), len(line)):])
	switch {
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return 1
	case n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		return quotedWidth(rest)
	case strings.HasPrefix(rest, n.Value):
		return utf8.RuneCountInString(n.Value)
	}
	return utf8.RuneCountInString(strings.TrimRight(rest, " \t"))
}

// quotedWidth returns how many runes the quoted text takes that begins a line's rest.
func quotedWidth(rest string) int {
	for i := 1; i < len(rest); i++ {
		switch {
		case rest[0] == '"' && rest[i] == '\\':
			i++
		case rest[i] != rest[0]:
		case rest[0] == '\'' && i+1 < len(rest) && rest[i+1] == '\'':
			i++
		default:
			return utf8.RuneCountInString(rest[:i+1])
		}
	}
	return utf8.RuneCountInString(strings.TrimRight(rest, " \t"))
}

// found names what the author wrote, for a diagnostic.
func (v *Value) found() string {
	switch v.Kind {
	case List:
		return "a list"
	case Map:
		return "a mapping"
	case Int, Float:
		return "the number " + short(v.Text)
	case Bool:
		return "the bool " + v.Text
	case Null:
		return "nothing"
	}
	return "the text " + quote(v.Text)
}
