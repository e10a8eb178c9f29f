package template

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// read reads the trees of all nodes, edges and fields as a part of the graph, and puts them into it.
func (e *expansion) read() {
	root := e.whole
	if root.Kind != yamlread.Map {
		root = spec.Tree{Kind: yamlread.Map, Pos: e.graph.Pos}
	}
	root.Items = slices.Clone(root.Items)
	add := func(key string, value spec.Tree) {
		if len(value.Items) > 0 {
			value.Pos = e.graph.Pos
			root.Items = append(root.Items, yamlread.TextTree(key, e.graph.Pos), value)
		}
	}
	root.Items = append(root.Items, yamlread.TextTree("graph", e.graph.Pos), yamlread.TextTree("part", e.graph.Pos))
	nodes := spec.Tree{Kind: yamlread.Map}
	for _, at := range e.items {
		if at.tree != nil {
			nodes.Items = append(nodes.Items, yamlread.TextTree(at.name.V, at.name.Pos), *at.tree)
		}
	}
	add("nodes", nodes)
	add("edges", spec.Tree{Kind: yamlread.List, Items: e.edges})
	add("state", spec.Tree{Kind: yamlread.Map, Items: e.fieldsOnce()})
	add("tools", spec.Tree{Kind: yamlread.Map, Items: e.tools.items})
	add("mcp", spec.Tree{Kind: yamlread.Map, Items: e.servers.items})
	part, found := spec.Read(e.graph.File, e.graph.Source, root)
	e.found = append(e.found, found...)
	for _, n := range part.Nodes {
		if n.Instance != nil && kindOf(&n.Instance.Tree) == "" { // its skill groups could not be put in place
			e.found = append(e.found, n.Instance.Found...)
			n.Unread = n.Unread || len(n.Instance.Found) > 0 || spec.TakesSkills(cmp.Or(n.Kind.V, spec.DefaultKind)) // else check has what is wrong
			n.Instance = nil
		}
	}
	e.qualify(part)
	e.texts(part)

	made := part.Nodes
	e.graph.Nodes = make([]*spec.Node, 0, len(e.items))
	for _, at := range e.items {
		if at.tree == nil {
			e.graph.Nodes = append(e.graph.Nodes, at.node)
			continue
		}
		made[0].Unread = made[0].Unread || at.unread
		e.graph.Nodes = append(e.graph.Nodes, made[0])
		made = made[1:]
	}
	e.sections(part)
	e.leave()
	e.graph.Edges = append(part.Edges, e.graph.Edges...)
	e.addState(part.State)
}

// fieldsOnce returns the fields that templates keep, each once. Of several, the first counts; another type is
// reported by addState, as it is of a field of the graph.
func (e *expansion) fieldsOnce() []spec.Tree {
	first := map[string]*spec.Tree{}
	var items []spec.Tree
	for i := 0; i < len(e.state); i += 2 {
		key, value := &e.state[i], &e.state[i+1]
		if was := first[key.Text]; was != nil {
			if was.Flow() != value.Flow() {
				e.differs(spec.String{V: key.Text, Pos: key.Pos}, was.Pos)
			}
			continue
		}
		first[key.Text] = value
		items = append(items, *key, *value)
	}
	return items
}

func (e *expansion) differs(field spec.String, other spec.Pos) {
	e.report("GG346", field.Pos, "the template keeps the state field \""+field.V+"\", which has another type or merge rule",
		"give the field the type and the merge rule of the template, or another name by a parameter",
		diag.Related{Pos: other, Message: "the field is here"})
}

// addState adds the fields that templates keep to the state of the graph.
func (e *expansion) addState(fields []*spec.Field) {
	own := map[string]*spec.Field{}
	for _, f := range e.graph.State {
		own[f.Name.V] = f
	}
	for _, f := range fields {
		switch was := own[f.Name.V]; {
		case was == nil:
			e.graph.State = append(e.graph.State, f)
		case was.Unread:
		case spec.TypeText(was) != spec.TypeText(f) || cmp.Or(was.Merge.V, "last") != cmp.Or(f.Merge.V, "last"):
			e.differs(f.Name, was.Name.Pos)
		}
	}
}

// leave makes the edges of the graph leave the exits of templates.
func (e *expansion) leave() {
	if len(e.exits) == 0 {
		return
	}
	var edges []*spec.Edge
	for _, edge := range e.graph.Edges {
		if exit, ok := e.exits[edge.From.V]; ok {
			edge.From = spec.String{V: exit.V, Pos: edge.From.Pos}
		}
		edges = append(edges, e.sequence(edge)...)
	}
	e.graph.Edges = edges
}

// sequence cuts a sequential entry at the nodes whose exit is another node.
func (e *expansion) sequence(edge *spec.Edge) (list []*spec.Edge) {
	from := 0
	for i := range edge.Sequential {
		exit, ok := e.exits[edge.Sequential[i].V]
		if !ok || i == len(edge.Sequential)-1 {
			continue
		}
		if i > from {
			part := *edge
			part.Sequential = slices.Clone(edge.Sequential[from : i+1])
			list = append(list, &part)
		}
		edge.Sequential[i].V = exit.V
		from = i
	}
	if from == 0 {
		return append(list, edge)
	}
	edge.Sequential = edge.Sequential[from:]
	return append(list, edge)
}

// qualify gives the types of templates of other files the names that they have in the graph.
func (e *expansion) qualify(part *spec.Graph) {
	for _, n := range part.Nodes {
		e.types(n.Output)
	}
	for _, f := range part.State {
		e.types(f.Type)
	}
	for _, t := range part.Tools {
		e.types(t.Returns)
		for _, a := range t.Args {
			e.types(a.Type)
		}
	}
}

func (e *expansion) types(t *spec.TypeExpr) {
	if t == nil {
		return
	}
	if home := e.homeOf(t.Pos); t.Kind == spec.TypeNamed && home != nil && home != e.graph {
		e.qualified(t, home)
	}
	e.types(t.Elem)
	for _, f := range t.Fields {
		e.types(f.Type)
	}
	for _, v := range t.Variants {
		e.types(v.Type)
	}
}

// qualified gives a type of another file its name in the graph.
func (e *expansion) qualified(t *spec.TypeExpr, home *spec.Graph) {
	use, name, dotted := strings.Cut(t.Name, ".")
	if !dotted {
		if slices.ContainsFunc(home.Types, func(d *spec.TypeDecl) bool { return d.Name.V == t.Name }) {
			t.Name = e.useOf(home, nil).Name.V + "." + t.Name
		}
		return
	}
	for _, u := range e.uses(home, use) {
		for _, file := range u.Graphs() {
			if slices.ContainsFunc(file.Types, func(d *spec.TypeDecl) bool { return d.Name.V == name }) {
				t.Name = e.useOf(file, u).Name.V + "." + name
				return
			}
		}
	}
}

// useOf returns the use of a file in the graph, and adds one if it is missing.
func (e *expansion) useOf(file *spec.Graph, like *spec.Use) *spec.Use {
	for _, u := range e.graph.Use {
		if slices.Contains(u.Graphs(), file) {
			return u
		}
	}
	pos := e.graph.Pos
	add := &spec.Use{Graph: file, Name: spec.String{Pos: pos}, File: spec.String{V: e.pathTo(file), Pos: pos}}
	name := strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(strings.TrimSuffix(filepath.Base(file.File), spec.TypesSuffix)))
	if like != nil {
		name = like.Name.V
	}
	if p := e.prelude; slices.Contains(p.Graphs(), file) {
		name, add.File.V, add.Graph, add.More = p.Name.V, p.File.V, p.Graph, p.More
	}
	for slices.ContainsFunc(e.graph.Use, func(u *spec.Use) bool { return u.Name.V == name && u.File.V != add.File.V }) {
		name += "x"
	}
	add.Name.V = name
	e.graph.Use = append(e.graph.Use, add)
	return add
}

// pathTo returns the path of a file from the folder of the graph, with slashes.
func (e *expansion) pathTo(file *spec.Graph) string {
	to, err := filepath.Rel(filepath.Dir(e.graph.File), file.File)
	if err != nil {
		return filepath.ToSlash(file.File)
	}
	return filepath.ToSlash(to)
}

// texts gives the texts and graphs in files that templates of other files have their paths from the folder of the graph.
func (e *expansion) texts(part *spec.Graph) {
	for _, n := range part.Nodes {
		if home := e.homeOf(n.Graph.Pos); strings.HasSuffix(n.Graph.V, ".yaml") && home != nil && home != e.graph {
			n.Graph.V = path.Join(path.Dir(e.pathTo(home)), n.Graph.V)
		}
	}
	for t := range part.Texts() {
		if home := e.homeOf(t.Pos); t.File.V != "" && home != nil && home != e.graph {
			t.File.V = path.Join(path.Dir(e.pathTo(home)), t.File.V)
		}
	}
}

// Tidy removes from an expanded graph what only its templates and skill groups needed: these themselves, and uses of which no
// type and no graph is used.
func Tidy(g *spec.Graph) {
	g.Templates, g.Skills = nil, nil
	named := map[string]bool{}
	g.TypeExprs(func(t *spec.TypeExpr) {
		if use, _, dotted := strings.Cut(t.Name, "."); dotted {
			named[use] = true
		}
	})
	for _, n := range g.Nodes {
		named[n.Graph.V] = true
	}
	g.Use = slices.DeleteFunc(g.Use, func(u *spec.Use) bool { return u.Used && !named[u.Name.V] })
}
