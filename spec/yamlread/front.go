package spec

import (
	"regexp"
	"slices"

	"github.com/graphgen/graphgen/spec/diag"
)

// A Tree is a value of the language with its place: what a front end other than YAML makes
// of its source. The keys of its mappings, and what their values may be, are those of the
// tables, so that every form of the language has the same.
type Tree = tree

// Read makes a graph of a tree that a front end read from a file, as Load does of YAML: it
// judges form alone, and reports all that is wrong with it.
func Read(file string, source []byte, root Tree) (*Graph, []diag.Diagnostic) {
	r := &reader{file: file, src: newSource(string(source))}
	g := &Graph{File: file, Source: source, Pos: root.pos}
	readKeys(r, &root, &graphTable, g)
	g.Unread = g.Unread || r.torn
	return g, diag.Sort(r.found)
}

// PlainTree is a text written without quotes: a number or a bool if it looks like one.
func PlainTree(text string, pos Pos) Tree {
	return Tree{shape: scalar, scalar: plainKind(text), text: text, pos: pos}
}

// ParseTree is the value that a text has in YAML, and whether it could be read.
func ParseTree(text string) (value Tree, ok bool) {
	r := &reader{}
	if !r.admit([]byte(text)) {
		return Tree{}, false
	}
	value, ok = r.parse()
	return value, ok && len(r.found) == 0
}

// TextTree is a text whatever it looks like.
func TextTree(text string, pos Pos) Tree { return Tree{shape: scalar, text: text, pos: pos} }

// ListTree is a list of values.
func ListTree(pos Pos, items ...Tree) Tree { return Tree{shape: list, items: items, pos: pos} }

// MapTree is a mapping of keys, each followed by its value. No key may be there twice.
func MapTree(pos Pos, items ...Tree) Tree { return Tree{shape: mapping, items: items, pos: pos} }

// Without is a mapping of which some entries could not be read, and have been reported.
func (t Tree) Without(entries int) Tree {
	t.dropped += entries
	return t
}

// LostTree is a value that could not be read and has been reported: nothing more is said of it.
func LostTree(pos Pos) Tree { return Tree{pos: pos} }

// Pos is the place of the value.
func (t Tree) Pos() Pos { return t.pos }

// IsMapping reports whether the value is a mapping.
func (t Tree) IsMapping() bool { return t.shape == mapping }

// IsList reports whether the value is a list.
func (t Tree) IsList() bool { return t.shape == list }

// IsText reports whether the value is a text: no number, bool or null.
func (t Tree) IsText() bool { return t.shape == scalar && t.scalar == ScalarString }

// String is the text of a scalar, "" of anything else.
func (t Tree) String() string {
	if t.shape != scalar {
		return ""
	}
	return t.text
}

// Items are the items of a list, or the keys and values of a mapping by turns.
func (t Tree) Items() []Tree { return slices.Clone(t.items) }

// TreeOf is the tree of a graph that was read without errors, all of it at the place of the
// graph: Read makes the graph of it again.
func TreeOf(g *Graph) Tree {
	root := g.tree()
	root.move(g.Pos)
	return root
}

func (t *tree) move(to Pos) {
	t.pos = to
	for i := range t.items {
		t.items[i].move(to)
	}
}

// plainKinds are what a text without quotes may be besides a text, as YAML 1.2 and the
// library agree.
var plainKinds = []struct {
	kind ScalarKind
	text *regexp.Regexp
}{
	{ScalarNull, regexp.MustCompile(`^(~|null|Null|NULL)?$`)},
	{ScalarBool, regexp.MustCompile(`^(true|True|TRUE|false|False|FALSE)$`)},
	{ScalarInt, regexp.MustCompile(`^[-+]?([0-9][0-9_]*|0x[0-9a-fA-F_]+|0o[0-7_]+|0b[01_]+)$`)},
	{ScalarFloat, regexp.MustCompile(`^[-+]?((\.[0-9]+|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?|\.(inf|Inf|INF))$|^\.(nan|NaN|NAN)$`)},
}

// plainKind is what a text without quotes is.
func plainKind(text string) ScalarKind {
	for _, k := range plainKinds {
		if k.text.MatchString(text) {
			return k.kind
		}
	}
	return ScalarString
}
