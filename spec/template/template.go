// Package template puts templates where they are used: a node whose kind is a template becomes the nodes,
// edges and state fields of the template, a graph with a pattern gets the sections of the pattern, and a node that names
// skill groups gets what they have. It works on what was written, before names are bound: no later stage sees a template.
package template

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// Expand replaces the uses of templates in a graph whose uses have been linked. What is wrong with them becomes
// Expanding of the graph. A node whose kind is not a template stays as it is. A graph without uses is not changed. The
// templates of the prelude need no use in the graph.
func Expand(g *spec.Graph, prelude *spec.Use) {
	e := &expansion{graph: g, prelude: prelude, homes: map[string]*spec.Graph{"": g}, exits: map[string]spec.String{}}
	e.judge()
	e.judgeGroups()
	if g.Pattern.V == "" && !slices.ContainsFunc(g.Nodes, func(n *spec.Node) bool { return n.Instance != nil }) {
		if g.With.Pos.IsSet() && !g.Unread && !g.Pattern.Lost {
			e.report("GG349", g.With.Pos, "there are parameters, but no pattern", "add "+diag.Set("pattern", "NAME")+", or remove with")
		}
		g.Expanding = append(g.Expanding, e.found...)
		g.Lost = g.Lost || g.Pattern.Lost
		return
	}
	e.all()
	e.groups()
	if e.size.over {
		e.loseAll()
	} else {
		e.read()
	}
	g.Expanded = true
	g.Lost = g.Lost || slices.ContainsFunc(e.items, func(at *item) bool { // it may be of a template
		return at.tree == nil && (at.node.Kind.Lost || at.node.Unread && at.node.Kind.V == "")
	})
	g.Expanding = append(g.Expanding, e.found...)
}

// An expansion is the work of Expand.
type expansion struct {
	graph   *spec.Graph
	prelude *spec.Use
	homes   map[string]*spec.Graph // the files of templates, by the file of their places
	found   []diag.Diagnostic

	items   []*item
	taken   map[string]spec.Pos // names of nodes
	regions map[string]bool     // names of nodes that other nodes run
	edges   []spec.Tree
	state   []spec.Tree // keys and values
	whole   spec.Tree   // the sections of the pattern
	exits   map[string]spec.String
	size    size

	tools, servers declared    // that skill groups bring
	wanted         []spec.Tree // servers that skill groups name
}

// An item is a node of the graph: one that was read, or the tree of one.
type item struct {
	name   spec.String
	node   *spec.Node
	tree   *spec.Tree
	unread bool // its template could not be used as it was written
}

func (e *expansion) report(code string, pos spec.Pos, message, help string, related ...diag.Related) {
	e.found = append(e.found, diag.Diagnostic{Code: code, File: cmp.Or(pos.File, e.graph.File), Pos: pos, Message: message, Help: diag.Help(help),
		Related: related})
}

// A scope is where the name of a template is written: a file, and the templates around the use.
type scope struct {
	file   *spec.Graph
	around []*spec.Template
}

// A source is a template with the file that has it.
type source struct {
	*spec.Template
	home *spec.Graph
}

// all expands the pattern and every node, in the order of the graph.
func (e *expansion) all() {
	written := e.graph.Nodes
	if e.graph.Pattern.V != "" {
		written = e.pattern()
	}
	for _, n := range written {
		at := &item{name: n.Name, node: n}
		if n.Instance != nil {
			at.tree = &n.Instance.Tree
		}
		e.items = append(e.items, at)
	}
	e.taken = make(map[string]spec.Pos, len(e.items))
	for _, at := range e.items {
		if _, twice := e.taken[at.name.V]; !twice {
			e.taken[at.name.V] = at.name.Pos
		}
	}
	e.findRegions()
	before := e.items
	e.items = nil
	for _, at := range before {
		if at.tree == nil || at.node == nil && kindOf(at.tree) == "" {
			e.items = append(e.items, at)
			continue
		}
		e.node(at, scope{file: e.homeOf(at.tree.Pos)})
	}
}

// homeOf returns the file of a value, which a template may have.
func (e *expansion) homeOf(pos spec.Pos) *spec.Graph {
	if pos.In == nil {
		return e.graph
	}
	return e.homes[pos.In.File]
}

// kindOf returns the kind of a node that may be a template, or "".
func kindOf(node *spec.Tree) string {
	if kind := node.Get("kind"); kind != nil && kind.Kind == yamlread.Text && !spec.KindOf(kind.Text).Known() {
		return kind.Text
	}
	return ""
}

// node expands a node, if its kind is a template, and the nodes that it becomes.
func (e *expansion) node(at *item, in scope) {
	kind := kindOf(at.tree)
	if kind == "" {
		e.items = append(e.items, &item{name: at.name, tree: at.tree, unread: at.unread})
		return
	}
	t := e.find(in.file, kind)
	pos := at.tree.Get("kind").Pos
	switch {
	case t == nil || t.IsPattern():
		e.unknown(at, kind, pos, in.file)
		return
	case slices.Contains(in.around, t.Template):
		e.recursive(pos, append(in.around, t.Template))
		e.lose(at, pos)
		return
	case len(in.around) == mostDepth:
		e.graph.Lost = true
		e.report("GG344", pos, fmt.Sprintf("templates use one another more than %d deep", mostDepth), "write the nodes that the last of them make")
		e.lose(at, pos)
		return
	case len(e.items) > mostNodes && !e.size.over:
		e.tooLarge(pos, fmt.Sprintf("more than %d nodes", mostNodes))
	}
	if e.size.over {
		e.lose(at, pos)
		return
	}
	b := e.bind(t, at.name, pos, at.tree, at.unread)
	made := b.nodes()
	for _, m := range made {
		e.runs(m.tree)
	}
	e.keep(b)
	inner := scope{file: t.home, around: append(slices.Clip(in.around), t.Template)}
	for _, made := range made {
		if made.name.V == at.name.V {
			made.name, made.tree = at.name, overridden(made.tree, b.overrides)
			made.node = at.node
			made.unread = at.unread || b.bad
		} else if !e.free(made.name, at.name) {
			continue
		}
		e.node(made, inner)
	}
}

// unknown keeps a node of a kind that is not a template. Package check reports it, unless the name shows that it is meant
// to be one.
func (e *expansion) unknown(at *item, kind string, pos spec.Pos, in *spec.Graph) {
	use, name, dotted := strings.Cut(kind, ".")
	nodes, patterns := Names(in, e.prelude)
	near, ok := diag.Suggest(kind, slices.Concat(spec.Names(spec.Words(spec.Kinds)), nodes))
	lost := true
	switch {
	case in.Unread && len(in.Templates) == 0: // it may be one of a section that could not be read
	case dotted:
		e.unknownOf(use, name, pos, in)
	case slices.Contains(patterns, kind):
		e.report("GG340", pos, "\""+kind+"\" is a pattern, of a whole graph", "write "+diag.Set("pattern", kind)+" at the graph")
	case ok && slices.Contains(nodes, near) && spec.ForeignKind(kind) == "":
		e.report("GG340", pos, "there is no kind and no template \""+kind+"\"", diag.DidYouMean(near))
	default:
		lost = false
	}
	e.graph.Lost = e.graph.Lost || lost
	if at.node != nil {
		e.items = append(e.items, &item{name: at.name, node: at.node})
		return
	}
	e.items = append(e.items, &item{name: at.name, tree: at.tree})
}

// unknownOf reports a template that a used file does not have. A use that has failed is reported by package check.
func (e *expansion) unknownOf(use, name string, pos spec.Pos, in *spec.Graph) {
	uses := e.uses(in, use)
	if slices.ContainsFunc(uses, func(u *spec.Use) bool { return u.Graph == nil }) {
		return
	}
	names := e.namesOf(in, use)
	help := "it has " + strings.Join(names, ", ")
	near, ok := diag.Suggest(use+"."+name, names)
	switch {
	case ok:
		help = diag.DidYouMean(near)
	case len(uses) == 0:
		help = "the section use names the files with templates, as in " + diag.Set("use", "{"+use+": ../"+use+"/"+use+spec.TypesSuffix+"}")
	case len(names) == 0:
		help = "it has none"
	}
	e.report("GG340", pos, "there is no template \""+name+"\" in \""+use+"\"", help)
}

// lose keeps a node of which no more is known than its name.
func (e *expansion) lose(at *item, pos spec.Pos) {
	e.items = append(e.items, &item{name: at.name, node: &spec.Node{Name: at.name, Kind: yamlread.Lost(pos), Unread: true}})
}

// loseAll keeps the nodes that would be expanded, of which no more is known than their names.
func (e *expansion) loseAll() {
	for i, n := range e.graph.Nodes {
		if n.Instance != nil {
			e.graph.Nodes[i] = &spec.Node{Name: n.Name, Kind: yamlread.Lost(n.Name.Pos), Unread: true}
		}
	}
}

// recursive reports a template that uses itself.
func (e *expansion) recursive(pos spec.Pos, chain []*spec.Template) {
	names := make([]string, len(chain))
	for i, t := range chain {
		names[i] = t.Name.V
	}
	message := "the template \"" + names[0] + "\" uses itself"
	if len(names) > 2 {
		message = "templates use one another in a ring: " + strings.Join(names, " → ")
	}
	e.graph.Lost = true
	e.report("GG344", pos, message, "a loop of nodes is made by edges, or by a node of kind loop")
}

// free reports whether a name that a template makes is free, and takes it.
func (e *expansion) free(name, use spec.String) bool {
	if was, taken := e.taken[name.V]; taken {
		e.report("GG345", name.Pos, "the template makes a node \""+name.V+"\", and there is one already", "rename the node, or the use \""+use.V+"\"",
			diag.Related{Pos: was, Message: "the other is here"})
		return false
	}
	e.taken[name.V] = name.Pos
	return true
}

// keep takes over the edges, the fields and the exit of a use.
func (e *expansion) keep(b *binding) {
	switch edges := &b.template.Edges; {
	case edges.Pos.IsSet() && e.regions[b.name.V]:
		b.withoutEdges()
	case edges.Pos.IsSet():
		e.edges = append(e.edges, b.edges().Items...)
	}
	if b.template.State.Pos.IsSet() {
		fields, _ := b.tree(&b.template.State)
		e.state = append(e.state, fields.Items...)
	}
	switch exit := b.template.Exit; {
	case !exit.IsSet() || e.regions[b.name.V]:
	case b.lost(exit.V):
		e.graph.Lost = true
	default:
		to, _ := b.text(exit.V)
		e.exits[b.name.V] = spec.String{V: to, Pos: b.place(exit.Pos)}
	}
}

// overridden is the node of a template with the keys that a use gives it.
func overridden(node *spec.Tree, by []spec.Tree) *spec.Tree {
	if len(by) == 0 {
		return node
	}
	merged := *node
	merged.Items = slices.Clone(node.Items)
	for i := 0; i < len(by); i += 2 {
		if value := merged.Get(by[i].Text); value != nil {
			*value = by[i+1]
			continue
		}
		merged.Items = append(merged.Items, by[i], by[i+1])
	}
	return &merged
}

// find returns the template of a name in a file: of a file that it uses, its own, or one of the prelude.
func (e *expansion) find(in *spec.Graph, name string) *source {
	if use, rest, dotted := strings.Cut(name, "."); dotted {
		for _, u := range e.uses(in, use) {
			for _, file := range u.Graphs() {
				if t := templateOf(file, rest); t != nil {
					u.Used = true
					return e.source(t, file)
				}
			}
		}
		return nil
	}
	if t := templateOf(in, name); t != nil {
		return e.source(t, in)
	}
	for _, file := range e.prelude.Graphs() {
		if t := templateOf(file, name); t != nil {
			return e.source(t, file)
		}
	}
	return nil
}

func (e *expansion) source(t *spec.Template, home *spec.Graph) *source {
	if home != e.graph {
		e.homes[home.File] = home
	}
	return &source{Template: t, home: home}
}

// uses returns the uses of a name in a file. The prelude has its name without one.
func (e *expansion) uses(in *spec.Graph, name string) (list []*spec.Use) {
	for _, u := range in.Use {
		if u.Name.V == name {
			list = append(list, u)
		}
	}
	if len(list) == 0 && e.prelude.Name.V == name {
		return []*spec.Use{e.prelude}
	}
	return list
}

func templateOf(g *spec.Graph, name string) *spec.Template {
	for _, t := range g.Templates {
		if t.Name.V == name {
			return t
		}
	}
	return nil
}

// namesOf lists the templates of a use.
func (e *expansion) namesOf(in *spec.Graph, use string) (names []string) {
	for _, u := range e.uses(in, use) {
		for _, file := range u.Graphs() {
			for _, t := range file.Templates {
				names = append(names, use+"."+t.Name.V)
			}
		}
	}
	return names
}

// Names lists the templates that nodes of a graph can name, and those that graphs can, as patterns.
func Names(g *spec.Graph, prelude *spec.Use) (nodes, patterns []string) {
	add := func(from *spec.Graph, prefix string) {
		for _, t := range from.Templates {
			if t.IsPattern() {
				patterns = append(patterns, prefix+t.Name.V)
			} else {
				nodes = append(nodes, prefix+t.Name.V)
			}
		}
	}
	add(g, "")
	for _, u := range g.Use {
		for _, file := range u.Graphs() {
			add(file, u.Name.V+".")
		}
	}
	for _, file := range prelude.Graphs() {
		add(file, "")
	}
	return nodes, patterns
}
