package gotag

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// graph reads the graph of a struct below a //graphgen:graph comment.
func (r *reader) graph(t *ast.TypeSpec, doc *ast.CommentGroup) *spec.Graph {
	begin := directivesOf(doc)
	first := begin[slices.IndexFunc(begin, isGraph)]
	body, ok := t.Type.(*ast.StructType)
	if !ok || t.TypeParams != nil || t.Assign.IsValid() {
		r.report("GG150", r.at(first), t.Name.Name+" is not a struct type", "a graph is a struct: write the comment right above `type _ struct {`")
		return nil
	}
	r.goNames, r.owns, r.here, r.goTypes = map[string]string{}, map[string]*own{}, map[string]bool{}, map[string]string{}
	r.hidden = map[string]string{}
	r.heading(doc, first, t.Name.Name)
	var nodes settings
	r.section(body, "Types", r.typesSection)
	r.section(body, "State", r.stateSection)
	for _, f := range body.Fields.List {
		r.field(f, &nodes)
	}
	return r.finish(r.at(first), &nodes)
}

// keysOf returns the keys of a mapping of the language.
func keysOf(mapping string) []string {
	var names []string
	for _, m := range spec.Reference() {
		if m.Name == mapping {
			for _, k := range m.Keys {
				names = append(names, k.Name)
			}
		}
	}
	return names
}

// ofLimits reports whether a key of the graph belongs to limits. The graph may have these keys
// itself.
func ofLimits(key string) bool {
	if slices.Contains(keysOf("graph"), key) {
		return false
	}
	_, near := diag.Suggest(key, keysOf("limits"))
	return near || slices.Contains(keysOf("limits"), key)
}

// heading reads the comments above the struct.
func (r *reader) heading(doc *ast.CommentGroup, first *ast.Comment, goName string) {
	for _, s := range r.statements(doc, nil) {
		switch s.word {
		case "graph":
			if _, again := r.graphSet.get("graph"); again {
				r.report("GG150", s.pos, "a struct is one graph", "write further settings of the graph after //graphgen:set")
				continue
			}
			if len(s.names) == 0 {
				r.report("GG150", s.pos, "the graph has no name", "write it after the word: //graphgen:graph review")
				r.graphSet.add(yamlread.TextTree("graph", s.pos), yamlread.LostTree(s.pos))
			} else {
				r.graphSet.add(yamlread.TextTree("graph", s.pos), s.names[0])
			}
			r.setGraph(s.set)
		case "set":
			r.setGraph(s.set)
		default:
			r.edge(s, spec.Tree{})
		}
	}
	name, _ := r.graphSet.get("graph")
	r.doc(&r.graphSet, doc, goName, goname.Exported(name.Text))
}

// setGraph adds settings of the graph and of limits.
func (r *reader) setGraph(set settings) {
	for i := 0; i < len(set.items); i += 2 {
		key, value := set.items[i], set.items[i+1]
		if ofLimits(key.Text) {
			r.put(&r.limits, key, value)
			continue
		}
		r.put(&r.graphSet, key, value)
	}
	r.graphSet.lost += set.lost
}

// doc adds a Go comment as doc, unless the settings have one. It drops one of the given names from
// the beginning.
func (r *reader) doc(to *settings, comment *ast.CommentGroup, names ...string) {
	if _, ok := to.get("doc"); ok || comment == nil {
		return
	}
	text := strings.TrimSpace(comment.Text())
	for _, name := range names {
		if rest, ok := strings.CutPrefix(text, name+" "); ok && name != "" {
			text = rest
			break
		}
	}
	if text == "" {
		return
	}
	pos := r.at(comment.List[0])
	to.add(yamlread.TextTree("doc", pos), yamlread.TextTree(text, pos))
}

// section reads the field State or Types.
func (r *reader) section(body *ast.StructType, name string, read func(*ast.Field)) {
	for _, f := range body.Fields.List {
		if len(f.Names) == 1 && f.Names[0].Name == name && r.marker(f.Type) == "" {
			read(f)
		}
	}
}

// marker returns the kind of node or type for the type of a field, or "".
func (r *reader) marker(t ast.Expr) string {
	sel, ok := t.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if x, ok := sel.X.(*ast.Ident); ok && r.file.imports[x.Name] == Marker {
		return sel.Sel.Name
	}
	return ""
}

// templateMarker marks a node of a template, which its tag names: kind=critique.
const templateMarker = "Template"

// kindOf returns the kind of node for a marker, "" for the marker of templates.
func kindOf(marker string) (kind string, ok bool) {
	if marker == templateMarker {
		return "", true
	}
	for _, k := range spec.Kinds {
		if goname.Exported(k.Name) == marker {
			return k.Name, true
		}
	}
	return "", false
}

// field reads a field of the graph's struct: a section or a node.
func (r *reader) field(f *ast.Field, nodes *settings) {
	marker := r.marker(f.Type)
	kind, isNode := kindOf(marker)
	switch {
	case isNode && len(f.Names) > 0:
		for _, name := range f.Names {
			r.node(f, name, kind, nodes)
		}
	case marker == "" && len(f.Names) == 1 && (f.Names[0].Name == "State" || f.Names[0].Name == "Types"):
	default:
		r.report("GG153", r.at(f.Type), "a field of a graph is a node, State or Types", "the type of a node is "+markers())
	}
}

// markers lists the markers of nodes.
func markers() string {
	var names []string
	for _, k := range spec.Kinds {
		names = append(names, "graph."+goname.Exported(k.Name))
	}
	return strings.Join(names, ", ") + " or graph." + templateMarker
}

// node reads a node with its edges.
func (r *reader) node(f *ast.Field, name *ast.Ident, kind string, nodes *settings) {
	written := yamlread.TextTree(Snake(name.Name), r.at(name))
	var set settings
	list := r.statements(f.Doc, f.Tag)
	for _, s := range list {
		if s.word == "set" {
			r.putAll(&set, s.set)
		}
	}
	if as, ok := set.take("name"); ok {
		written = as
	}
	r.doc(&set, f.Doc, name.Name)
	switch _, ok := set.get("kind"); {
	case ok || kind == spec.DefaultKind:
	case kind == "":
		r.report("GG153", r.at(f.Type), "the node names no template", "write its name in the tag, as in kind=critique")
	default:
		pos := r.at(f.Type)
		set.items = append([]spec.Tree{yamlread.TextTree("kind", pos), yamlread.TextTree(kind, pos)}, set.items...)
	}
	r.put(nodes, written, set.tree(r.at(name)))
	for _, s := range list {
		switch s.word {
		case "set":
		case "graph":
			r.report("GG152", s.pos, "a node is not a graph", "write //graphgen:graph above the struct")
		default:
			r.edge(s, written)
		}
	}
}

// edge adds an edge. node is the node that it is written at, or the zero Tree.
func (r *reader) edge(s statement, node spec.Tree) {
	inNode := node.Text != ""
	var e settings
	if s.word == "loop_until" {
		if _, ok := s.set.get("node"); !ok && inNode {
			e.add(yamlread.TextTree("node", node.Pos), node)
		}
		r.putAll(&e, s.set)
		loop := yamlread.TextTree("loop_until", s.pos)
		r.edges = append(r.edges, yamlread.MapTree(s.pos, loop, e.tree(s.pos)))
		return
	}
	names := s.names
	switch {
	case s.from:
	case inNode:
		names = append([]spec.Tree{node}, names...)
	case len(names) > 0:
		r.report("GG151", s.pos, "the edge leaves no node", "above the struct an edge begins with the node it leaves: edge draft -> critic")
		return
	}
	key := func(name string, value spec.Tree) { e.add(yamlread.TextTree(name, value.Pos), value) }
	switch {
	case len(names) > 2:
		key("sequential", yamlread.ListTree(s.pos, names...))
	case len(names) == 2:
		key("from", names[0])
		key("to", names[1])
	case len(names) == 1:
		key("from", names[0])
	}
	r.putAll(&e, s.set)
	r.edges = append(r.edges, e.tree(s.pos))
}

// finish builds the graph.
func (r *reader) finish(pos spec.Pos, nodes *settings) *spec.Graph {
	root := r.graphSet
	add := func(key string, value spec.Tree) { r.put(&root, yamlread.TextTree(key, value.Pos), value) }
	if len(r.limits.items) > 0 {
		add("limits", r.limits.tree(r.limits.items[0].Pos))
	}
	r.ownOutputs(nodes)
	if len(r.types.items) > 0 {
		add("types", r.types.tree(r.types.items[0].Pos))
	}
	if len(nodes.items) > 0 {
		add("nodes", nodes.tree(nodes.items[0].Pos))
	}
	if len(r.edges) > 0 {
		add("edges", yamlread.ListTree(r.edges[0].Pos, r.edges...))
	}
	g, found := spec.Read(r.file.src.path, []byte(r.file.src.text), root.tree(pos))
	for _, d := range found {
		d.Help = Help(d.Help)
		r.found = append(r.found, d)
	}
	g.Go.Stem, g.Go.Names, g.Go.Help = g.Name.V, r.pkg.declared, Help
	r.unseen(g)
	r.declare(g)
	r.functions(g)
	r.taken(g)
	return g
}

// Snake converts a Go name to a name of the language: CreatePR becomes create_pr.
func Snake(goName string) string {
	var b strings.Builder
	runes := []rune(goName)
	upper := func(i int) bool { return i >= 0 && i < len(runes) && runes[i] >= 'A' && runes[i] <= 'Z' }
	lower := func(i int) bool { return i < len(runes) && runes[i] >= 'a' && runes[i] <= 'z' }
	plural := func(i int) bool { // the s in IDs and URLs
		return i > 1 && i < len(runes) && runes[i] == 's' && upper(i-1) && upper(i-2) && !lower(i+1)
	}
	for i, c := range runes {
		begins := upper(i) && (!upper(i-1) || lower(i+1) && !plural(i+1))
		if begins && i > 0 && runes[i-1] != '_' {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToLower(string(c)))
	}
	return b.String()
}
