package yamlread

import (
	"regexp"

	"github.com/graphgen/graphgen/spec/diag"
)

// Pos is a place in a file.
type Pos = diag.Pos

// A Value is something the author wrote, with its place. The zero Value was not written.
type Value[T any] struct {
	V    T
	Pos  Pos
	Lost bool // written, but it could not be read: V is zero, and the mistake has been reported
}

// IsSet reports whether the author wrote the value.
func (v Value[T]) IsSet() bool { return v.Pos.IsSet() }

// String is a written string: a name, a condition, a text.
type String = Value[string]

// Lost returns a name or text that could not be read.
func Lost(pos Pos) String { return String{Pos: pos, Lost: true} }

// A Tree is a YAML value with its place: what the parser makes of a file, and what a front end other
// than YAML makes of its source.
type Tree struct {
	Kind  Kind
	Style Style  // of a scalar
	Pos   Pos    // of a scalar, its width as written, quotes included
	Text  string // of a scalar, without quotes
	Items []Tree // of a list; of a mapping key, value, key, value …

	Dropped int // how many entries of a mapping are not among its items: their keys are no names, or repeat one
}

// Kind is what a tree is.
type Kind uint8

// The kinds of trees. An Unreadable has been reported already, so that no more is reported about it.
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

// Style is how a scalar is written.
type Style uint8

// The styles of scalars.
const (
	Plain Style = iota
	Quoted
	Block // | or >
)

// ListTree is a list of values.
func ListTree(pos Pos, items ...Tree) Tree { return Tree{Kind: List, Items: items, Pos: pos} }

// MapTree is a mapping of keys, each followed by its value. No key may be there twice.
func MapTree(pos Pos, items ...Tree) Tree { return Tree{Kind: Map, Items: items, Pos: pos} }

// TextTree is a text whatever it looks like.
func TextTree(text string, pos Pos) Tree { return Tree{Kind: Text, Text: text, Pos: pos} }

// PlainTree is a text written without quotes: a number or a bool if it looks like one.
func PlainTree(text string, pos Pos) Tree { return Tree{Kind: plainKind(text), Text: text, Pos: pos} }

// LostTree is a value that could not be read and has been reported.
func LostTree(pos Pos) Tree { return Tree{Pos: pos} }

// Without is a mapping of which some entries could not be read, and have been reported.
func (t Tree) Without(entries int) Tree {
	t.Dropped += entries
	return t
}

// IsScalar reports whether the tree is a text, a number, a bool or null.
func (t *Tree) IsScalar() bool { return Text <= t.Kind && t.Kind <= Null }

// Get returns the value of a mapping's key, nil if it has none.
func (t *Tree) Get(key string) *Tree {
	for i := 0; t.Kind == Map && i < len(t.Items); i += 2 {
		if t.Items[i].Text == key {
			return &t.Items[i+1]
		}
	}
	return nil
}

// Add adds an entry to a mapping.
func (t *Tree) Add(key string, value Tree) { t.Items = append(t.Items, TextTree(key, Pos{}), value) }

// Key returns the i-th key of a mapping as a name, and its value.
func (t *Tree) Key(i int) (String, *Tree) {
	key := &t.Items[2*i]
	return String{V: key.Text, Pos: key.Pos}, &t.Items[2*i+1]
}

// SetPos gives the tree and all in it one place.
func (t *Tree) SetPos(to Pos) {
	t.Pos = to
	for i := range t.Items {
		t.Items[i].SetPos(to)
	}
}

// AsList returns the items of a list, and anything else as the only item.
func (t *Tree) AsList() []Tree {
	if t.Kind == List {
		return t.Items
	}
	return []Tree{*t}
}

// Found names what the author wrote, for a diagnostic.
func (t *Tree) Found() string {
	switch t.Kind {
	case List:
		return "a list"
	case Map:
		return "a mapping"
	case Int, Float:
		return "the number " + Short(t.Text)
	case Bool:
		return "the bool " + t.Text
	case Null:
		return "nothing"
	}
	return "the text " + Quote(t.Text)
}

// plainKinds are what a text without quotes may be besides a text, as YAML 1.2 and the
// library agree.
var plainKinds = []struct {
	kind Kind
	text *regexp.Regexp
}{
	{Null, regexp.MustCompile(`^(~|null|Null|NULL)?$`)},
	{Bool, regexp.MustCompile(`^(true|True|TRUE|false|False|FALSE)$`)},
	{Int, regexp.MustCompile(`^[-+]?([0-9][0-9_]*|0x[0-9a-fA-F_]+|0o[0-7_]+|0b[01_]+)$`)},
	{Float, regexp.MustCompile(`^[-+]?((\.[0-9]+|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?|\.(inf|Inf|INF))$|^\.(nan|NaN|NAN)$`)},
}

// plainKind is what a text without quotes is.
func plainKind(text string) Kind {
	for _, k := range plainKinds {
		if k.text.MatchString(text) {
			return k.kind
		}
	}
	return Text
}
