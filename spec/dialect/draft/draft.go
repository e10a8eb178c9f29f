// Package draft holds what the importers of foreign formats share: a graph spec in the making, whose values
// have their places in the foreign file. A dialect reads its file and fills drafts; Import completes, checks
// and writes them. As every value keeps its place, a check of the draft reports the line of the foreign file.
package draft

import (
	"slices"
	"strings"
	"time"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// The types of package yamlread, whose trees and places drafts are made of.
type (
	Pos    = yamlread.Pos
	Tree   = yamlread.Tree
	String = yamlread.String
)

// A Draft is a graph spec in the making.
type Draft struct {
	Name  String
	Head  Table // keys of the graph besides its name and its sections
	Types Table
	State []*Field

	Input, Output []string // state fields

	Tools  Table
	MCP    Table // servers
	Skills Table // skill groups
	Nodes  []*Node
	Edges  []*Edge

	Comments []string // of the file as a whole
	Given    Table    // values of the input in the scenario
	Inject   Table    // tools that the scenario injects
	Uses     []*Draft // the drafts of subgraphs
	Skeleton bool     // write a scenario
	Pool     *Node    // in mode autonomous, the graph as the scenario plays it

	declared map[string]string // the types by name, as YAML
	index    map[string]*Node  // by name; made again when there are more nodes
}

// A Field is a field of the state.
type Field struct {
	Name    string
	Pos     Pos
	Type    string // the text of its type
	Keys    Table  // besides the type
	Writer  string // the node that writes it; "": the caller
	Absent  bool   // it may be absent although its writer ran
	Comment string
}

// A Node is a node of a draft.
type Node struct {
	Name          String
	Kind          string // "": func
	Keys          Table  // besides kind, reads and writes
	Reads, Writes []string
	Explicit      bool // reads and writes are written even if they are empty
	Leads         []Lead
	Sure          bool      // one of the leads is always taken
	Regions       []*Region // of a composite node
	Owner         string    // the composite node that runs it
	Comment       string

	// What the scenario's script has for the node.
	Out   *Tree    // its answer; nil: none
	Calls []string // tools that its model calls first
	Entry Table    // other keys of the entry

	Sub *Draft // of a node of kind subgraph: its graph

	// Of a node whose model picks what it runs.
	Asked  []string // what the model picks
	Played []string // what runs then, in order
}

// A Region is a chain of nodes that a composite node runs.
type Region struct {
	Name  String
	Nodes []*Node
}

// A Lead is a transition that keys of a node make.
type Lead struct {
	To   string
	Take Patch
	Last bool // it counts where no edge is taken
}

// An Edge is an edge of a draft.
type Edge struct {
	From, To   String
	Keys       Table // besides from and to
	Comment    string
	Take, Pass Patch // what the script has for the edge to be taken, or to be passed by
}

// A Patch changes the entry of a node in the script.
type Patch struct {
	Out   Table // fields of the answer
	Entry Table // keys of the entry
}

// A Table is a mapping whose entries may have comments.
type Table []Entry

// An Entry is an entry of a Table.
type Entry struct {
	Key     String
	Value   Tree
	Comment string
}

// Set sets the value of a key. The place of the key is the place of the value.
func (t *Table) Set(key string, value Tree) { t.Put(String{V: key, Pos: value.Pos}, value) }

// Put sets the value of a key.
func (t *Table) Put(key String, value Tree) {
	if e := t.entry(key.V); e != nil {
		e.Value = value
		return
	}
	*t = append(*t, Entry{Key: key, Value: value})
}

// Remark sets the comment of a key that is there.
func (t *Table) Remark(key, comment string) {
	if e := t.entry(key); e != nil {
		e.Comment = comment
	}
}

// Get returns the value of a key, nil without one.
func (t *Table) Get(key string) *Tree {
	if e := t.entry(key); e != nil {
		return &e.Value
	}
	return nil
}

func (t *Table) entry(key string) *Entry {
	i := slices.IndexFunc(*t, func(e Entry) bool { return e.Key.V == key })
	if i < 0 {
		return nil
	}
	return &(*t)[i]
}

// Tree returns the mapping without its comments.
func (t *Table) Tree(pos Pos) Tree {
	m := yamlread.MapTree(pos)
	for _, e := range *t {
		m.Items = append(m.Items, yamlread.TextTree(e.Key.V, e.Key.Pos), e.Value)
	}
	return m
}

// Text returns the tree of a text.
func Text(text string, pos Pos) Tree { return yamlread.TextTree(text, pos) }

// Plain returns the tree of a number, a bool or a word.
func Plain(text string, pos Pos) Tree { return yamlread.PlainTree(text, pos) }

// Names returns the tree of a list of names.
func Names(pos Pos, names ...string) Tree {
	list := yamlread.ListTree(pos)
	for _, n := range names {
		list.Items = append(list.Items, Text(n, pos))
	}
	return list
}

// Map returns the tree of a mapping of one or more keys, each followed by its value.
func Map(pos Pos, pairs ...any) Tree {
	m := yamlread.MapTree(pos)
	for i := 0; i < len(pairs); i += 2 {
		value, ok := pairs[i+1].(Tree)
		if !ok {
			value = Text(pairs[i+1].(string), pos)
		}
		m.Items = append(m.Items, Text(pairs[i].(string), pos), value)
	}
	return m
}

// Node returns a node by its name, nil if it does not exist.
func (d *Draft) Node(name string) *Node {
	if len(d.index) != len(d.Nodes) {
		d.index = make(map[string]*Node, len(d.Nodes))
		for _, n := range d.Nodes {
			d.index[n.Name.V] = n
		}
	}
	return d.index[name]
}

// Field returns a field of the state, nil if it does not exist.
func (d *Draft) Field(name string) *Field {
	i := slices.IndexFunc(d.State, func(f *Field) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return d.State[i]
}

// Declare declares a type, and returns its name. A type of the same text has the same name; another one of
// that name gets a number after it.
func (d *Draft) Declare(name string, pos Pos, value Tree) string {
	if d.declared == nil {
		d.declared = map[string]string{}
	}
	text := value.Flow()
	if value.Get("enum") != nil && len(value.Items) == 2 {
		for _, had := range d.Types { // the same values are the same type
			if had.Value.Get("enum") != nil && d.declared[had.Key.V] == text {
				return had.Key.V
			}
		}
	}
	for i := 1; ; i++ {
		candidate := numbered(name, i)
		switch had, ok := d.declared[candidate]; {
		case !ok:
			d.declared[candidate] = text
			d.Types.Put(String{V: candidate, Pos: pos}, value)
			return candidate
		case had == text:
			return candidate
		}
	}
}

// Flag adds a flag to a node.
func (n *Node) Flag(name string, pos Pos) {
	flags := n.Keys.Get("flags")
	if flags == nil {
		n.Keys.Set("flags", yamlread.ListTree(pos))
		flags = n.Keys.Get("flags")
	}
	if !slices.ContainsFunc(flags.Items, func(t Tree) bool { return t.Text == name }) {
		flags.Items = append(flags.Items, Text(name, pos))
	}
}

// HasFlag reports whether a node has a flag.
func (n *Node) HasFlag(name string) bool {
	flags := n.Keys.Get("flags")
	return flags != nil && slices.ContainsFunc(flags.Items, func(t Tree) bool { return t.Text == name })
}

// Conditional reports whether an edge may not be taken.
func (e *Edge) Conditional() bool {
	return slices.ContainsFunc(e.Keys, func(k Entry) bool {
		return k.Key.V != "label" && k.Key.V != "priority" && k.Key.V != "max_iterations"
	})
}

// Bounded reports whether an edge has a bound of its own.
func (e *Edge) Bounded() bool { return e.Keys.Get("max_iterations") != nil }

// Leaving returns the edges that leave a node.
func (d *Draft) Leaving(name string) []*Edge {
	var edges []*Edge
	for _, e := range d.Edges {
		if e.From.V == name {
			edges = append(edges, e)
		}
	}
	return edges
}

// Escape returns a text in which no brace begins a placeholder.
func Escape(text string) string { return strings.ReplaceAll(text, "{{", "{{{{") }

// End is the name of the end of a run.
const End = "end"

// IsEnd reports whether a name is the name of the end.
func IsEnd(name string) bool { return spec.IsEnd(name) }

// Tidy returns a text without blanks at the ends of its lines, and without empty lines around it.
func Tidy(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\r")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// Duration returns the tree of a duration, without units of zero.
func Duration(d time.Duration, pos Pos) Tree {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return Text(text, pos)
}
