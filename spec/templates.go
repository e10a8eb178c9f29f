package spec

import (
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// A Template is an entry of the templates section: a node, several nodes with the edges between them, or a
// whole graph, with parameters. What they are made of is kept as it was written. Package template puts it
// instead of each use.
type Template struct {
	Name    String
	Pos     Pos
	Doc     String
	Params  []*Param
	State   Tree // fields that it keeps in the state
	Node    Tree // the node, of a template of one node
	Nodes   Tree // the nodes by name
	Edges   Tree
	Exit    String // the node that edges of the graph leave, of several nodes
	Graph   Tree   // the sections of a graph, of a pattern
	Example String // of its use, for graphgen explain

	Unread  bool
	Written Tree // the entry as it was written
}

// IsPattern reports whether the template is for a whole graph.
func (t *Template) IsPattern() bool { return t.Graph.Pos.IsSet() }

// A Param is a parameter of a template.
type Param struct {
	Name     String
	Pos      Pos
	Type     String
	Enum     []String // the words that it may be
	Default  Tree
	Optional Value[bool]
	Min, Max Value[float64]
	Doc      String

	Unread bool
}

// Required reports whether every use gives the parameter a value.
func (p *Param) Required() bool {
	return !p.Optional.V && !p.Default.Pos.IsSet() && p.Type.V != "tools"
}

// ParamTypes are the types that parameters of templates may have.
var ParamTypes = []Word{
	{Name: "string", Doc: "A text."},
	{Name: "int", Doc: "A whole number."},
	{Name: "float", Doc: "A number."},
	{Name: "bool", Doc: "`true` or `false`."},
	{Name: "duration", Doc: "A span of time, as in `30s`."},
	{Name: "node", Doc: "The name of a node, or `end`."},
	{Name: "nodes", Doc: "Names of nodes, or a single one."},
	{Name: "field", Doc: "The name of a state field."},
	{Name: "fields", Doc: "Names of state fields, or a single one."},
	{Name: "tools", Doc: "Names of tools, or a single one. Without a value it has all tools of the graph."},
	{Name: "names", Doc: "Names of any kind, or a single one."},
	{Name: "texts",
		Doc: "Texts by name, a mapping. A key of the template that is the parameter alone becomes an entry for each of them, in " +
			"which `$key` is its name and `$value` its text; in a list the parameter gives the names."},
	{Name: "type", Doc: "A type, as the output of a node."},
	{Name: "any", Doc: "Whatever is written: a list or a mapping too."},
}

// An Instance is a node or a graph as it was written, whose kind or pattern may be a template, or which names skill groups.
type Instance struct {
	Tree  Tree
	Found []diag.Diagnostic // what is wrong with a node that is not expanded
}

var templateTable = table[Template]{
	Name: "template", Noun: "a template", Exactly: []string{"node", "nodes", "graph"},
	Doc: "An entry of `templates`: what a node with `kind: NAME` becomes, or a graph with `pattern: NAME`. In its values `$x` is " +
		"the value of the parameter x, in a text or as the whole value; `$node` is the name of the node that uses it, and `$$` a " +
		"dollar sign. Where a parameter has no value, the entry, the item, the edge or the line of a text that names it is left " +
		"out; a list that is an item of a list gives its items.",
	Rows: yamlread.Rows([]row[Template]{
		{Key{Name: "doc", Form: FormText, Doc: "What the template is for."}, func(t *Template) any { return &t.Doc }},
		{Key{Name: "params", Form: FormParams, Of: "parameter", Doc: "The parameters by name; each is a type, or a parameter."},
			func(t *Template) any { return &t.Params }},
		{Key{Name: "state", Form: FormAny, Example: "{$writes: string}",
			Doc: "Fields that the template keeps in the state. A graph that declares one of them gives it the same type."},
			func(t *Template) any { return &t.State }},
		{Key{Name: "node", Form: FormAny, Example: "{kind: prompt, instructions: Use at most $words words.}",
			Doc: "The node, with the keys of a node. Its kind may be another template."}, func(t *Template) any { return &t.Node }},
		{Key{Name: "nodes", Form: FormAny, Example: "{$node: {kind: prompt}, ${node}_check: {kind: prompt}}",
			Doc: "The nodes by name, instead of `node`: each name contains `$node`, and one is `$node` itself."}, func(t *Template) any { return &t.Nodes }},
		{Key{Name: "edges", Form: FormAny, Example: "[{from: $node, to: $revise}]",
			Doc: "The edges of the nodes. They are tried before the edges of the graph that have the same priority."},
			func(t *Template) any { return &t.Edges }},
		{Key{Name: "exit", Form: FormName, Default: "$node", Example: "${node}_check",
			Doc: "The node of `nodes` from which the graph's edges from `$node` lead."}, func(t *Template) any { return &t.Exit }},
		{Key{Name: "graph", Form: FormAny, Example: "{entry: act, nodes: {act: {kind: prompt, tools: $tools}}}",
			Doc: "For a pattern, the sections of the graph. The graph that uses it overrides keys of nodes, limits and fields, and, for each node from " +
				"which it has edges, all edges from it."}, func(t *Template) any { return &t.Graph }},
		{Key{Name: "example", Form: FormText, Doc: "A use of the template, which `graphgen explain template:NAME` prints."},
			func(t *Template) any { return &t.Example }},
	}),
	Unread: func(t *Template) *bool { return &t.Unread },
	Pos:    func(t *Template) *Pos { return &t.Pos },
}

var paramTable = table[Param]{
	Name: "parameter", Noun: "a parameter", Exactly: []string{"type", "enum"},
	Doc: "A parameter of a template, where its type alone does not say enough. Without `default` and `optional` every use gives it a value.",
	Rows: yamlread.Rows([]row[Param]{
		{Key{Name: "type", Form: FormWord, Words: ParamTypes, Doc: "The type of its values."}, func(p *Param) any { return &p.Type }},
		{Key{Name: "enum", Form: FormEnum, Doc: "The words that it may be."}, func(p *Param) any { return &p.Enum }},
		{Key{Name: "default", Form: FormAny, Doc: "The value if a use has none."}, func(p *Param) any { return &p.Default }},
		{Key{Name: "optional", Form: FormBool, Default: "false", Doc: "A use may leave it out; whatever names the parameter is then left out, too."},
			func(p *Param) any { return &p.Optional }},
		{Key{Name: "min", Form: FormNumber, Doc: "The least value of a number."}, func(p *Param) any { return &p.Min }},
		{Key{Name: "max", Form: FormNumber, Doc: "The greatest value of a number."}, func(p *Param) any { return &p.Max }},
		{Key{Name: "doc", Form: FormText, Doc: "What it is for."}, func(p *Param) any { return &p.Doc }},
	}),
	Unread: func(p *Param) *bool { return &p.Unread },
	Pos:    func(p *Param) *Pos { return &p.Pos },
}

func (t *Template) name() *String { return &t.Name }

// readTemplates reads the templates section.
func readTemplates(r *reader, v *Tree, k *Key) []*Template {
	list := yamlread.Entries(r, v, k, &templateTable, (*Template).name)
	for _, t := range list {
		t.Written = *v.Get(t.Name.V)
	}
	return list
}

// readParams reads the parameters of a template.
func readParams(r *reader, v *Tree, k *Key) []*Param {
	params := make([]*Param, 0, len(v.Items)/2)
	r.Each(v, k, func(name String, value *Tree) {
		p := &Param{Name: name, Pos: value.Pos}
		if value.Kind == yamlread.Map {
			yamlread.Read(r, value, &paramTable, p)
		} else {
			p.Type = r.Text(value, &paramTable.Rows[0].Key)
		}
		params = append(params, p)
	})
	return params
}

// readNodes reads the nodes section. A node of a kind that the language does not have may be of a template.
func readNodes(r *reader, v *Tree, k *Key) []*Node {
	if v.Kind != yamlread.Map || v.Dropped > 0 {
		r.Tear()
	}
	nodes := make([]*Node, 0, len(v.Items)/2)
	r.Each(v, k, func(name String, value *Tree) {
		n := &Node{Name: name}
		switch {
		case value.Kind == yamlread.Null:
		case ofTemplate(value) || value.Get("skills") != nil:
			n.Instance = &Instance{Tree: *value}
			n.Instance.Found = r.Aside(func() { yamlread.Read(r, value, &nodeTable, n) })
		default:
			yamlread.Read(r, value, &nodeTable, n)
			n.Unread = n.Unread || len(n.Prompt.Skills) > 0 // of a misspelt key
			if n.Kind.V != "" && value.Get("kind") == nil && !KindOf(n.Kind.V).Known() {
				n.Kind = yamlread.Lost(n.Kind.Pos) // of a misspelt key, which has been reported
			}
		}
		nodes = append(nodes, n)
	})
	return nodes
}

// ofTemplate reports whether a node may be one of a template.
func ofTemplate(node *Tree) bool {
	kind := node.Get("kind")
	return kind != nil && kind.Kind == yamlread.Text && kind.Text != "" && !KindOf(kind.Text).Known()
}

// keepTrees keeps the nodes of a graph with a pattern as they were written: a node of the pattern takes their keys.
func keepTrees(g *Graph, nodes *Tree) {
	for _, n := range g.Nodes {
		if value := nodes.Get(n.Name.V); value != nil && n.Instance == nil {
			n.Instance = &Instance{Tree: *value}
		}
	}
}

// NodeKeys are the keys that a node may have.
func NodeKeys() []string { return nodeTable.Mapping().Names() }

// Fits reports whether a value is one of a parameter, and what is wrong with it otherwise.
func (p *Param) Fits(file string, source []byte, value *Tree) []diag.Diagnostic {
	r := yamlread.New(file, string(source), &language)
	k := &Key{Name: p.Name.V, Form: paramForms[p.Type.V]}
	if len(p.Enum) > 0 {
		k.Form = FormName
	}
	switch k.Form {
	case nil, FormAny:
		return nil
	case FormType:
		typeExpr(r, value, FormType)
	case FormInt:
		r.Int(value)
	case FormNumber:
		r.Number(value)
	case FormBool:
		r.Bool(value)
	case FormDuration:
		r.Duration(value)
	case FormNames:
		r.Names(value, k)
	case formTexts:
		r.Pairs(value, k, func(String, String) {})
	default:
		p.word(r, r.Text(value, k))
	}
	p.inRange(r, value)
	return r.Found()
}

// paramForms are the forms of values by the types of parameters.
var paramForms = map[string]*Form{
	"string": FormText, "int": FormInt, "float": FormNumber, "bool": FormBool, "duration": FormDuration, "type": FormType, "any": FormAny,
	"node": FormName, "field": FormName, "nodes": FormNames, "fields": FormNames, "tools": FormNames, "names": FormNames, "texts": formTexts,
}

// word reports a value that is not one of the words of an enum.
func (p *Param) word(r *reader, value String) {
	var names []string
	for _, word := range p.Enum {
		names = append(names, word.V)
	}
	if len(names) > 0 && value.V != "" && !slices.Contains(names, value.V) {
		r.Report("GG343", value.Pos, "it cannot be "+yamlread.Quote(value.V), "use one of "+strings.Join(names, ", "))
	}
}

// inRange reports a number below min or above max.
func (p *Param) inRange(r *reader, value *Tree) {
	if value.Kind != yamlread.Int && value.Kind != yamlread.Float || !p.Min.IsSet() && !p.Max.IsSet() || p.Min.Lost || p.Max.Lost || r.Count() > 0 {
		return
	}
	switch n := r.Number(value).V; {
	case p.Min.IsSet() && n < p.Min.V:
		r.Report("GG343", value.Pos, "it is at least "+strconv.FormatFloat(p.Min.V, 'g', -1, 64), "write a greater number")
	case p.Max.IsSet() && n > p.Max.V:
		r.Report("GG343", value.Pos, "it is at most "+strconv.FormatFloat(p.Max.V, 'g', -1, 64), "write a smaller number")
	}
}
