package draft

import (
	"path"
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/link"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// An Imported is a graph spec that was made of a foreign file.
type Imported struct {
	Name      string // of the files, before .graph.yaml and .scenarios.yaml
	Spec      []byte
	Scenarios []byte      // nil: none
	Texts     []diag.File // of prompts, that the spec names
}

// Import makes graph specs of a foreign file. The diagnostics are about the foreign file and the graphs, at
// the places of the foreign file that they were made of. With an error it makes no graph.
func Import(l *Dialect, f *File) ([]Imported, []diag.Diagnostic) {
	drafts := l.Read(f)
	if f.Failed() {
		return nil, diag.WithoutNotes(diag.Sort(f.found))
	}
	all := flat(drafts)
	var made []Imported
	var files []diag.File
	for _, d := range all {
		d.settle()
		var texts []diag.File
		if !f.Whole {
			texts = d.share()
			files = append(files, texts...)
		}
		text := d.write(path.Base(f.Name), l.Name)
		files = append(files, diag.File{Name: d.Name.V + ".graph.yaml", Text: string(text)})
		made = append(made, Imported{Name: d.Name.V, Spec: text, Texts: texts})
	}
	judged := func(g *spec.Graph) []diag.Diagnostic { return check.Run(cfg.Of(g)) }
	linker := link.Among(files, judged)
	for _, d := range all {
		f.found = append(f.found, d.check(f, linker)...)
	}
	if f.Failed() {
		return nil, diag.WithoutNotes(diag.Sort(f.found))
	}
	for i, d := range all {
		made[i].Scenarios = d.scenarios()
	}
	return made, diag.Sort(f.found)
}

// flat returns drafts, and the drafts of their subgraphs after them.
func flat(drafts []*Draft) []*Draft {
	var all []*Draft
	for _, d := range drafts {
		all = append(append(all, d), flat(d.Uses)...)
	}
	return all
}

// check reports what is wrong with a draft, at places of the foreign file.
func (d *Draft) check(f *File, linker *link.Linker) []diag.Diagnostic {
	root := d.tree()
	fill(&root, d.place())
	g, found := spec.Read(d.Name.V+".graph.yaml", []byte(f.source), root)
	linker.Link(g)
	found = append(found, check.Run(cfg.Of(g))...)
	for i := range found {
		found[i].File = f.Name
		if !found[i].Pos.IsSet() || found[i].Pos.File != "" { // in a text of its own
			found[i].Pos = d.place()
		}
	}
	return diag.WithoutNotes(found)
}

func (d *Draft) place() Pos {
	if d.Name.Pos.IsSet() {
		return d.Name.Pos
	}
	return Pos{Line: 1, Col: 1}
}

// fill gives values without a place the place of what they are in.
func fill(t *Tree, pos Pos) {
	if !t.Pos.IsSet() {
		t.Pos = pos
	}
	for i := range t.Items {
		fill(&t.Items[i], t.Pos)
	}
}

// headKeys are the keys of a graph that are not sections, in the order they are written in.
var headKeys = []string{"graph", "doc", "mode", "entry", "on_error", "no_match", "limits", "revisit_feedback", "model", "temperature", "use"}

// table returns the whole spec.
func (d *Draft) table() Table {
	var t Table
	t.Put(String{V: "graph", Pos: d.Name.Pos}, Text(d.Name.V, d.Name.Pos))
	t = append(t, d.Head...)
	slices.SortStableFunc(t, func(a, b Entry) int { return slices.Index(headKeys, a.Key.V) - slices.Index(headKeys, b.Key.V) })
	section := func(key string, m Tree) {
		if len(m.Items) > 0 {
			t.Set(key, m)
		}
	}
	section("types", d.Types.Tree(d.place()))
	state := yamlread.MapTree(d.place())
	for _, f := range d.State {
		state.Items = append(state.Items, Text(f.Name, f.Pos), f.tree())
	}
	section("state", state)
	section("input", Names(d.place(), d.Input...))
	section("output", Names(d.place(), d.Output...))
	section("tools", d.Tools.Tree(d.place()))
	section("mcp", d.MCP.Tree(d.place()))
	section("skills", d.Skills.Tree(d.place()))
	nodes := yamlread.MapTree(d.place())
	for _, n := range d.Nodes {
		keys := n.table()
		nodes.Items = append(nodes.Items, Text(n.Name.V, n.Name.Pos), keys.Tree(n.Name.Pos))
	}
	section("nodes", nodes)
	edges := yamlread.ListTree(d.place())
	for _, e := range d.Edges {
		edges.Items = append(edges.Items, e.tree())
	}
	section("edges", edges)
	return t
}

func (d *Draft) tree() Tree {
	t := d.table()
	return t.Tree(d.place())
}

// tree returns the type of a field, or its keys.
func (f *Field) tree() Tree {
	if len(f.Keys) == 0 {
		return Text(f.Type, f.Pos)
	}
	keys := f.Keys
	if f.Type != "" {
		keys = append(Table{{Key: String{V: "type", Pos: f.Pos}, Value: Text(f.Type, f.Pos)}}, keys...)
	}
	return keys.Tree(f.Pos)
}

// nodeKeys are the keys of a node, in the order they are written in. Others are after them.
var nodeKeys = []string{
	"doc", "kind", "branches", "body", "pool", "graph", "in", "out", "entry", "terminal", "over", "item", "until", "max_iterations", "set",
	"perspective", "strategy", "instructions", "blocks", "message", "reads", "inherits", "context", "model",
	"skills", "tools", "allow_tools", "deny_tools", "output", "writes", "evals", "guards", "routes", "transitions",
	"threshold", "guidance", "revise", "continue", "replan", "answer", "on_pass", "on_fail", "give_up", "next",
}

// table returns the keys of a node.
func (n *Node) table() Table {
	keys := slices.Clone(n.Keys)
	if n.Kind != "" {
		keys.Set("kind", Text(n.Kind, n.Name.Pos))
	}
	if len(n.Reads) > 0 || n.Explicit {
		keys.Set("reads", Names(n.Name.Pos, n.Reads...))
	}
	if len(n.Writes) == 1 {
		keys.Set("writes", Text(n.Writes[0], n.Name.Pos))
	} else if len(n.Writes) > 0 {
		keys.Set("writes", Names(n.Name.Pos, n.Writes...))
	}
	order := func(e Entry) int {
		if at := slices.Index(nodeKeys, e.Key.V); at >= 0 {
			return at
		}
		return len(nodeKeys)
	}
	slices.SortStableFunc(keys, func(a, b Entry) int { return order(a) - order(b) })
	return keys
}

// tree returns the entry of an edge.
func (e *Edge) tree() Tree {
	var t Table
	t.Put(String{V: "from", Pos: e.From.Pos}, Text(e.From.V, e.From.Pos))
	if e.To.V != "" {
		t.Put(String{V: "to", Pos: e.To.Pos}, Text(e.To.V, e.To.Pos))
	}
	t = append(t, e.Keys...)
	return t.Tree(e.From.Pos)
}
