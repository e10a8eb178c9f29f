package differential

import (
	"regexp"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/goname"
)

// A shape is a type of a spec, as far as the test uses types.
type shape struct {
	base     string // int, float, string, bool, []int, []string, map[string]int, enum, struct, messages, image, pdf, []audio
	optional bool
	goName   string   // of an enum or struct
	values   []string // of an enum
	fields   []field  // of a struct
}

// A field is a field of a struct or of the state.
type field struct {
	name, goName string
	shape
	merge string
}

func (s shape) field(name string) *field {
	for i := range s.fields {
		if s.fields[i].name == name {
			return &s.fields[i]
		}
	}
	return nil
}

// golang is the Go type.
func (s shape) golang() string {
	name := s.base
	switch s.base {
	case "enum", "struct":
		name = s.goName
	case "float":
		name = "float64"
	case "messages":
		name = "[]chat.Message"
	case "image":
		name = "chat.Image"
	case "pdf":
		name = "chat.PDF"
	case "[]audio":
		name = "[]chat.Audio"
	}
	if s.optional {
		return "*" + name
	}
	return name
}

// A nodeShape is what the handler or the model of a node takes and gives.
type nodeShape struct {
	*spec.Node
	goName, kind string
	asks         bool     // a model
	tools        []string // that it may call
	loops        bool     // the node runs them, and is entered again
	shown        string   // the instructions behind the node's name, with placeholders
	talk         string   // the conversation that it continues
	fenced       []field  // what it reads and no placeholder names
	reads        bool
	in           []field
	takesState   bool
	byValue      bool
	out          *shape
	writes       []written
	choices      []string // of goto, or the routes of a router
	labels       []string // that the handler returns
	by           *field   // that another branch table looks at; without a name it is the whole output

	plays   string     // of a node that a run has added: the template
	host    *nodeShape // the node that runs it
	regions []*region  // what it runs
	items   []field    // with the elements of the maps around it, the innermost first
}

// A written is one write: a field of the output, or the whole of it, into a state field.
type written struct {
	to    field
	from  string // empty: the whole output
	whole bool
	elem  bool // the value is one element of the list
}

// A shapes is a graph with its types.
type shapes struct {
	*spec.Graph
	goName string
	named  map[string]shape
	enums  map[string]int // number of every enum constant, by its Go name
	state  shape
	nodes  []*nodeShape
	inner  *shapes // the graph that nodes run

	attended map[string]bool // nodes that runs visit as often as people answer
}

func shapesOf(g *spec.Graph) *shapes {
	s := &shapes{Graph: g, goName: goname.Exported(g.Name.V), named: map[string]shape{}, enums: map[string]int{}, attended: map[string]bool{}}
	for _, n := range cfg.Of(g).Nodes {
		s.attended[n.Name()] = n.AnswersBound
	}
	for _, d := range g.Types {
		s.named[d.Name.V] = s.shape(d.Type, goname.Exported(d.Name.V))
	}
	s.state = shape{base: "struct", goName: s.goName + "State", fields: s.fields(g.State, s.goName)}
	for _, n := range g.Nodes {
		s.nodes = append(s.nodes, s.nodeShape(n))
	}
	s.compose()
	for _, n := range s.nodes {
		n.bindTable()
	}
	return s
}

func (s *shapes) shape(e *spec.TypeExpr, goName string) shape {
	switch e.Kind {
	case spec.TypeOptional:
		inner := s.shape(e.Elem, goName)
		inner.optional = true
		return inner
	case spec.TypeList:
		return shape{base: "[]" + e.Elem.Name}
	case spec.TypeMap:
		return shape{base: "map[string]" + e.Elem.Name}
	case spec.TypeEnum:
		out := shape{base: "enum", goName: goName}
		for i, v := range e.Values {
			out.values = append(out.values, v.V)
			s.enums[goName+goname.Exported(v.V)] = i + 1
		}
		return out
	case spec.TypeStruct:
		return shape{base: "struct", goName: goName, fields: s.fields(e.Fields, goName)}
	}
	if named, ok := s.named[e.Name]; ok {
		return named
	}
	return shape{base: e.Name}
}

func (s *shapes) fields(list []*spec.Field, parent string) []field {
	var out []field
	for _, f := range list {
		name := goname.Exported(f.Name.V)
		out = append(out, field{name: f.Name.V, goName: name, shape: s.shape(f.Type, parent+name), merge: f.Merge.V})
	}
	return out
}

func (s *shapes) pick(names []spec.String) []field {
	var out []field
	for _, n := range names {
		out = append(out, *s.state.field(n.V))
	}
	return out
}

func (s *shapes) nodeShape(n *spec.Node) *nodeShape {
	out := &nodeShape{Node: n, goName: goname.Exported(n.Name.V), kind: n.Kind.V, reads: n.ReadsPos.IsSet()}
	if out.kind == "" {
		out.kind = "func"
	}
	out.agent()
	out.takesState = out.handled() && !out.reads && !n.WritesPos.IsSet()
	_, readonly := n.Flag(spec.Readonly)
	out.byValue = readonly || out.kind == "guard" || out.kind == "router"
	out.in, out.fenced = s.pick(n.Reads), s.fencedFields(n)
	for _, name := range placeholder.FindAllStringSubmatch(out.shown+n.Prompt.Message.V, -1) {
		if f := *s.state.field(name[1]); !slices.ContainsFunc(out.in, func(have field) bool { return have.name == f.name }) {
			out.in = append(out.in, f)
		}
	}
	prefix, writes := s.goName+out.goName, slices.Clone(n.Writes)
	for _, a := range n.Set {
		writes = append(writes, a.Name)
	}
	switch {
	case n.Tool.IsSet(), out.kind == "prompt" && n.Output == nil && s.writesText(n):
		out.out = &shape{base: "string"}
	case n.Output != nil:
		t := s.shape(n.Output, prefix+"Out")
		out.out = &t
	case len(writes) > 0:
		out.out = &shape{base: "struct", goName: prefix + "Out", fields: s.pick(writes)}
	}
	for _, name := range writes {
		out.writes = append(out.writes, s.write(n, *s.state.field(name.V), out.out))
	}
	for _, name := range append(slices.Clone(n.Goto), n.Routes...) {
		out.choices = append(out.choices, name.V)
	}
	for _, e := range s.Edges {
		switch {
		case e.From.V != n.Name.V:
		case e.By.IsSet():
			out.by = &field{name: e.By.V} // its type is known when what the node runs is
		case unnamed(e):
			out.by = &field{name: "class"}
		default:
			for _, l := range e.Branch {
				out.labels = append(out.labels, l.Name.V)
			}
		}
	}
	return out
}

// unnamed reports whether a branch table looks at an enum that it does not name. In random graphs labels of handlers begin with l, values of enums with v.
func unnamed(e *spec.Edge) bool {
	return !e.By.IsSet() && len(e.Branch) > 0 && strings.HasPrefix(e.Branch[0].Name.V, "v")
}

// bindTable finds the field that a branch table looks at.
func (n *nodeShape) bindTable() {
	if n.by == nil {
		return
	}
	if n.by.name == spec.OutputName && n.out.base == "enum" {
		n.by = &field{shape: *n.out}
		return
	}
	n.by = n.out.field(n.by.name)
}

// classOf is the number of the value of an output that a branch table looks at; 0 is none.
func (n *nodeShape) classOf(out any) int {
	value := out
	if n.by.name != "" {
		value = out.(map[string]any)[n.by.name]
	}
	if value == nil {
		return 0
	}
	return value.(int)
}

// mayGiveNothing reports whether a node that runs others may succeed without an output.
func (n *nodeShape) mayGiveNothing() bool {
	if n.kind != "loop" && n.kind != "retry" {
		return false
	}
	body, last := n.regions[0].nodes, n.regions[0].final
	if n.regions[0].early {
		return true
	}
	for _, n := range body {
		if n.kind == "router" && !last.host.regions[0].graph && slices.ContainsFunc(n.choices, spec.IsEnd) {
			return true
		}
	}
	return last.FailSoft.V || last.has("skip_on_error") || last.mayGiveNothing()
}

// write decides how an output reaches a state field: whole where it is the only write
// and of the field's type or an element of its list, else by the field's name.
func (s *shapes) write(n *spec.Node, to field, out *shape) written {
	if out.base == "struct" {
		from := out.field(to.name)
		return written{to: to, from: to.name, elem: "[]"+from.base == to.base}
	}
	return written{to: to, whole: true, elem: "[]"+out.base == to.base}
}

// agent finds out what a node says of models and tools.
func (n *nodeShape) agent() {
	n.asks = n.kind == "prompt" || n.Prompt.Instructions.IsSet() && n.kind != "human" && n.kind != "autonomous"
	_, n.shown, _ = strings.Cut(n.Prompt.Instructions.V, ": ")
	for _, t := range n.Prompt.Tools {
		n.tools = append(n.tools, t.V)
	}
	n.loops = len(n.tools) > 0 && !n.Prompt.ToolLoop.IsSet()
	n.talk = n.Prompt.History.V
}

// placeholder stands for a field of the state.
var placeholder = regexp.MustCompile(`\{\{(\w+)\}\}`)

// writesText reports whether a prompt without an output gives a text: it writes nothing, or
// one field that takes one.
func (s *shapes) writesText(n *spec.Node) bool {
	switch len(n.Writes) {
	case 0:
		return true
	case 1:
		f := s.state.field(n.Writes[0].V)
		return f.base == "string" || f.base == "[]string" && f.merge != ""
	}
	return false
}

// handled reports whether a handler does the node's work.
func (n *nodeShape) handled() bool {
	switch n.kind {
	case "func", "transform":
		return true
	case "guard", "router":
		return !n.asks
	}
	return false
}

func (n *nodeShape) has(flag string) bool {
	return slices.ContainsFunc(n.Flags, func(f spec.Flag) bool { return f.Name.V == flag })
}
