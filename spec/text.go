package spec

import (
	"iter"

	"github.com/graphgen/graphgen/spec/yamlread"
)

// A Text is a text of a prompt: written in the spec, or in a file of its own.
//
// The place of one in a file is the place of the file's path. Its value is lost until package link has
// read the file.
type Text struct {
	String
	File    String    // the path, relative to the folder of the spec, with slashes; not set: the text is in the spec
	In      *TextFile // the file; nil until it is linked, and where it cannot be read
	Problem *Problem  // why it cannot be read
}

// A TextFile is a file that holds a text of a prompt.
type TextFile struct {
	Path   string // as diagnostics name it
	Source []byte // as it is
	Text   string // without byte order mark, with line feeds alone
}

// MaxText is the size of the largest file with a text of a prompt, in bytes.
const MaxText = 1 << 20

// MaxTexts is how many bytes the texts in files of all prompts of a graph may have together: a file that several prompts name counts
// for each. Generated code has each of them.
const MaxTexts = 16 << 20

// MaxName is the length of the longest name, label and value of an enum, in bytes. Generated code, schemas and tables repeat them.
const MaxName = 1 << 10

// TextSuffixes are the suffixes of the names of files with texts of prompts.
var TextSuffixes = []string{".md", ".txt"}

var textFileTable = table[Text]{
	Name: "text file", Noun: "a text in a file",
	Doc: "A text of a prompt that a file holds. The file is read when the spec is, and its text becomes part of the generated " +
		"code. A byte order mark, carriage returns before line feeds, and line breaks at the end are not part of the text.",
	Rows: yamlread.Rows([]row[Text]{
		{Key{Name: "file", Form: FormName, Required: true, Example: "prompts/triage.md",
			Doc: "The path of the file from the folder of the spec, with slashes. It leads to a file of the same module, or, " +
				"without a go.mod, below the folder of the spec. Its name ends in `.md` or `.txt`, and no part of the path begins " +
				"with `.` or `_`, except `..`. The file is UTF-8 and has at most 1 MiB."}, func(t *Text) any { return &t.File }},
	}),
}

// readText reads a text, or the path of the file that holds it.
func readText(r *reader, v *Tree, k *Key) Text {
	if v.Kind != yamlread.Map {
		return Text{String: r.Text(v, k)}
	}
	var t Text
	yamlread.Read(r, v, &textFileTable, &t)
	t.String = yamlread.Lost(v.Pos)
	if t.File.IsSet() {
		t.Pos = t.File.Pos
	}
	return t
}

// tree is the text as it was written.
func (t *Text) tree() (Tree, bool) {
	if !t.File.IsSet() {
		return plain(&t.String)
	}
	m := keysTree(&textFileTable, t)
	m.SetPos(t.Pos)
	return m, true
}

// Texts iterates over the texts of prompts that the graph has.
func (g *Graph) Texts() iter.Seq[*Text] {
	return func(yield func(*Text) bool) {
		for _, s := range g.Skills {
			if g.TypesOnly() && s.Instructions.IsSet() && !yield(&s.Instructions) {
				return // texts of a graph are texts of its nodes
			}
		}
		for _, n := range g.Nodes {
			for t := range n.Texts() {
				if !yield(t) {
					return
				}
			}
		}
	}
}

// Texts iterates over the texts of the node's prompt.
func (n *Node) Texts() iter.Seq[*Text] {
	return func(yield func(*Text) bool) {
		p := &n.Prompt
		texts := []*Text{&p.Instructions, &p.Message, &p.Perspective}
		for _, b := range p.Blocks {
			texts = append(texts, &b.Text)
		}
		for _, t := range texts {
			if t.IsSet() && !yield(t) {
				return
			}
		}
	}
}
