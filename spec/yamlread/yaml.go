package yamlread

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/graphgen/graphgen/spec/diag"
)

// MaxDepth is how deep values may be nested in one another. No spec needs a tenth of it.
const MaxDepth = 100

// parse turns the source into a tree. It reports everything that is wrong with the file
// as YAML, and everything YAML offers that the language leaves out.
func (r *Reader) parse() (root Tree, ok bool) {
	if top := r.Pieces.decode(r.file, r.src); top != nil {
		return r.convert(top, 1, Pos{}), true
	}
	doc, err := decode(strings.NewReader(r.src.text))
	var more *moreDocuments
	switch {
	case errors.As(err, &more):
		r.Report("GG008", r.documentStart(more.line), "a second document starts here", r.Next)
	case errors.Is(err, io.EOF):
		r.Report("GG007", Pos{Line: 1, Col: 1}, "the file is empty", r.Begin)
		return Tree{}, false
	case err != nil:
		r.reportSyntax()
		return Tree{}, false
	}
	top := doc.Content[0]
	if top.Kind == yaml.ScalarNode && top.Value == "" && top.Tag == "!!null" && top.Anchor == "" {
		if more == nil {
			r.Report("GG007", Pos{Line: 1, Col: 1}, "the file is empty", r.Begin)
		}
		return Tree{}, false
	}
	return r.convert(top, 1, Pos{}), true
}

// A node is what the library makes of a text, or of a part of one.
type node = yaml.Node

// joinMaps returns the mapping with the entries of mappings of one entry each, nil if one of them is no such mapping or there is none.
func joinMaps(parts []*node) *node {
	return join(parts, yaml.MappingNode, 2, &node{Kind: yaml.MappingNode, Tag: "!!map"})
}

// joinLists returns the list with the items of lists of one item each, nil if one of them is no such list or there is none.
func joinLists(parts []*node) *node {
	return join(parts, yaml.SequenceNode, 1, &node{Kind: yaml.SequenceNode, Tag: "!!seq"})
}

func join(parts []*node, kind yaml.Kind, content int, all *node) *node {
	for _, part := range parts {
		if part.Kind != kind || len(part.Content) != content {
			return nil
		}
		if all.Line == 0 {
			all.Line, all.Column = part.Line, part.Column
		}
		all.Content = append(all.Content, part.Content...)
	}
	if len(parts) == 0 {
		return nil
	}
	return all
}

// withValue returns a mapping of one entry with another value, nil if it is no such mapping.
func withValue(entry, value *node) *node {
	if entry == nil || entry.Kind != yaml.MappingNode || len(entry.Content) != 2 {
		return nil
	}
	return &node{Kind: yaml.MappingNode, Tag: "!!map", Line: entry.Line, Column: entry.Column, Content: []*node{entry.Content[0], value}}
}

// moreDocuments is the error of a file that continues after its first document.
type moreDocuments struct{ line int }

func (m *moreDocuments) Error() string { return "several documents" }

// decode parses the first document of a stream to nodes. Nodes hold an alias as an alias,
// so a bomb of them stays as small as it is written. A panic of the library is an error.
func decode(in io.Reader) (doc *yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("yaml: %v", p)
		}
	}()
	doc = new(yaml.Node)
	dec := yaml.NewDecoder(in)
	if err := dec.Decode(doc); err != nil {
		return nil, err
	}
	var next yaml.Node
	switch err := dec.Decode(&next); {
	case errors.Is(err, io.EOF):
		return doc, nil
	case err != nil && strings.Contains(err.Error(), "<document start>"):
		return nil, err
	}
	return doc, &moreDocuments{line: next.Line}
}

// documentStart returns the place of the marker that ends the first document: the one at
// or before the line the library names, or the first where it names none.
func (r *Reader) documentStart(line int) Pos {
	first := Pos{}
	for n := 2; n <= len(r.src.lines) && (line == 0 || n <= line || !first.IsSet()); n++ {
		if strings.HasPrefix(r.src.line(n), "---") {
			first = Pos{Line: n, Col: 1, Width: 3}
			if line == 0 {
				break
			}
		}
	}
	return r.src.contain(first)
}

// convert turns a node into a tree. key is the place of the key the node belongs to:
// the library has no useful place for a value that is not there.
func (r *Reader) convert(n *yaml.Node, depth int, key Pos) Tree {
	if n.Kind == yaml.ScalarNode && n.Style == 0 && n.Value == "" && n.Anchor == "" && n.Tag == "!!null" {
		if !strings.HasPrefix(r.src.rest(n.Line, n.Column), "!") {
			return Tree{Kind: Null, Pos: key}
		}
	}
	pos := Pos{Line: n.Line, Col: n.Column}
	written := r.src.rest(n.Line, n.Column)
	switch {
	case n.Kind == yaml.AliasNode:
		pos.Width = wordWidth(written)
		r.Report("GG009", pos, "the alias *"+Short(n.Value)+" is not allowed", aliasHelp)
		return Tree{Pos: pos}
	case n.Style&yaml.TaggedStyle != 0 || strings.HasPrefix(written, "!"):
		pos.Width = wordWidth(written)
		r.Report("GG010", pos, "the tag "+Short(tagName(n, written))+" is not allowed", tagHelp)
		return Tree{Pos: pos}
	case depth > MaxDepth:
		if !r.tooDeep {
			r.TooDeep(pos, depth)
		}
		r.tooDeep = true
		return Tree{Pos: pos}
	}
	if n.Anchor != "" {
		at := pos
		at.Width = wordWidth(written)
		r.Report("GG009", at, "the anchor &"+Short(n.Anchor)+" is not allowed", aliasHelp)
	}
	switch n.Kind {
	case yaml.MappingNode:
		if strings.HasPrefix(written, "{{") { // a mapping as a key, to YAML
			pos.Width = utf8.RuneCountInString(strings.TrimRight(written, " \r\n"))
			r.Report("GG001", pos, "this text needs quotes", "put quotes around a text that begins with {{, as in \"{{topic}} is the topic\"")
			return Tree{Pos: pos}
		}
		items := r.convertPairs(n, depth)
		return Tree{Kind: Map, Pos: pos, Items: items, Dropped: len(n.Content)/2 - len(items)/2}
	case yaml.SequenceNode:
		items := make([]Tree, 0, len(n.Content))
		for _, item := range n.Content {
			items = append(items, r.convert(item, depth+1, Pos{Line: item.Line, Col: item.Column}))
		}
		return Tree{Kind: List, Pos: pos, Items: items}
	}
	return r.convertScalar(n, pos, written)
}

// TooDeep reports a value that is nested too deep, and whether it is.
func (r *Reader) TooDeep(pos Pos, depth int) bool {
	if depth > MaxDepth {
		r.Report("GG006", pos, tooDeep, r.Deep)
	}
	return depth > MaxDepth
}

var (
	tooDeep = "values are nested more than 100 deep"

	aliasHelp = "write the value out where it is used"
	tagHelp   = "leave the tag out; a text that begins with ! needs quotes, as in " + diag.Set("if", "\"!state.Done\"")
)

// scalarKinds are the tags the library gives to plain scalars, except text.
var scalarKinds = map[string]Kind{
	"!!int":   Int,
	"!!float": Float,
	"!!bool":  Bool,
	"!!null":  Null,
}

// libraryProblem parses the source again, a byte at a time and one line further down, and
// returns the message of the library, the line it names and how far it read. Its own positions
// are not exact: it names the start of a mapping where an entry is at fault, no line at all
// for the first of a file, and never a column.
func libraryProblem(text string) (problem string, line, reached int) {
	in := &byteReader{text: "\n" + text}
	_, err := decode(in)
	if err == nil {
		return "", 0, 0
	}
	problem = strings.TrimPrefix(err.Error(), "yaml: ")
	if at, rest, ok := strings.Cut(strings.TrimPrefix(problem, "line "), ": "); ok {
		if n, err := strconv.Atoi(at); err == nil {
			problem, line = rest, n
		}
	}
	return problem, line, max(in.next-1, 0)
}

// A byteReader reads its text a byte at a time, so that next is how far a parser is.
type byteReader struct {
	text string
	next int
}

func (b *byteReader) Read(p []byte) (int, error) {
	if b.next == len(b.text) {
		return 0, io.EOF
	}
	p[0] = b.text[b.next]
	b.next++
	return 1, nil
}

func (r *Reader) convertScalar(n *yaml.Node, pos Pos, written string) Tree {
	t := Tree{Kind: Text, Text: n.Value, Pos: pos}
	if kind, ok := scalarKinds[n.Tag]; ok {
		t.Kind = kind
	}
	switch {
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		t.Style = Block
		t.Pos.Width = wordWidth(written)
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		t.Style = Quoted
		t.Pos.Width, _ = quotedWidth(written)
	case n.Anchor != "":
		t.Pos.Width = wordWidth(written)
	case strings.HasPrefix(written, n.Value):
		t.Pos.Width = utf8.RuneCountInString(n.Value)
	default: // continues in the next line
		t.Pos.Width = utf8.RuneCountInString(strings.TrimRight(written, " \t"))
	}
	if r.repaired && strings.ContainsRune(n.Value, utf8.RuneError) {
		return Tree{Pos: t.Pos}
	}
	return t
}

// convertPairs converts the entries of a mapping whose keys are names, each the first of
// its name; it reports the others.
func (r *Reader) convertPairs(n *yaml.Node, depth int) []Tree {
	items := make([]Tree, 0, len(n.Content))
	seen := keySet{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if c, _ := utf8.DecodeRuneInString(n.Content[i].Value); c > unicode.MaxASCII && unicode.IsSpace(c) && r.reportBlank(n.Content[i].Line) {
			continue
		}
		key, ok := r.convertKey(n.Content[i], depth+1)
		if !ok {
			continue
		}
		if first, dup := seen.add(items, &key); dup {
			r.ReportRelated("GG011", key.Pos, "the key "+Quote(key.Text)+" is written twice",
				"remove one of them", first, "the first one is here")
			continue
		}
		items = append(items, key, r.convert(n.Content[i+1], depth+1, key.Pos))
	}
	return items
}

// convertKey converts a mapping's key. It reports a key that is not a name.
func (r *Reader) convertKey(n *yaml.Node, depth int) (key Tree, ok bool) {
	pos := Pos{Line: n.Line, Col: n.Column}
	switch {
	case n.Tag == "!!merge":
		pos.Width = 2
		r.Report("GG009", pos, "the merge key << is not allowed", aliasHelp)
		return key, false
	case n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode:
		r.Report("GG016", pos, "a key is a name, not a mapping or a list", keyHelp)
		return key, false
	}
	key = r.convert(n, depth, pos)
	multiLine := key.Style == Block || strings.Contains(key.Text, "\n") || r.goesOn(&key)
	switch {
	case key.Kind == Unreadable:
		return key, false
	case key.Text == "":
		r.Report("GG016", key.Pos, "a key is missing before the colon", keyHelp)
	case key.Kind == Null:
		r.Report("GG016", key.Pos, "a key is a name, not "+key.Text, keyHelp)
	case key.Kind != Text:
		r.Report("GG016", key.Pos, "a key is a name, not "+key.Found(), keyHelp)
	case multiLine:
		r.Report("GG016", key.Pos, "a key must be on one line", keyHelp)
	default:
		return key, true
	}
	return key, false
}

const keyHelp = "write a name before the colon; a name that looks like a number or a bool needs quotes"

// goesOn reports whether a quoted scalar does not end on its first line.
func (r *Reader) goesOn(t *Tree) bool {
	if t.Style != Quoted {
		return false
	}
	_, closed := quotedWidth(r.src.rest(t.Pos.Line, t.Pos.Col))
	return !closed
}

// keySet finds the first key of a name among a mapping's entries: by comparing while they
// are few, as they nearly always are, else in a map.
type keySet struct{ places map[string]Pos }

const fewKeys = 16

func (s *keySet) add(items []Tree, key *Tree) (first Pos, dup bool) {
	if len(items) <= 2*fewKeys {
		for i := 0; i < len(items); i += 2 {
			if items[i].Text == key.Text {
				return items[i].Pos, true
			}
		}
		return Pos{}, false
	}
	if s.places == nil {
		s.places = make(map[string]Pos, len(items))
		for i := 0; i < len(items); i += 2 {
			s.places[items[i].Text] = items[i].Pos
		}
	}
	if first, dup = s.places[key.Text]; !dup {
		s.places[key.Text] = key.Pos
	}
	return first, dup
}

// tagName returns a tag as the author wrote it.
func tagName(n *yaml.Node, written string) string {
	if strings.HasPrefix(written, "!") {
		return written[:wordEnd(written)]
	}
	return n.Tag
}
