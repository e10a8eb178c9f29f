// Package langgraphgen imports the specifications of langgraph-gen, a generator of stubs: nodes and edges, whose code is
// elsewhere.
package langgraphgen

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec/dialect/draft"
	"github.com/graphgen/graphgen/spec/scc"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// Dialect is the format.
var Dialect = draft.Dialect{
	Name:     "langgraph-gen",
	Doc:      "Specifications of LangGraph's generator of stubs, langgraph-gen.",
	Mappings: mappings(),
	Read:     read,
}

func mappings() []yamlread.Mapping {
	return []yamlread.Mapping{fileTable.Mapping(), nodeTable.Mapping(), edgeTable.Mapping()}
}

// The names of the beginning and of the end.
const (
	start = "__start__"
	end   = "__end__"
)

// recursionLimit is how many steps a run of LangGraph makes by default.
const recursionLimit = 25

// An importer makes a draft of a specification.
type importer struct {
	*draft.File
	file  file
	d     *draft.Draft
	names *draft.Namer
}

// read makes a draft of a file.
func read(f *draft.File) []*draft.Draft {
	im := &importer{File: f, d: &draft.Draft{Skeleton: true}, names: draft.NewNamer(f, "node")}
	if !draft.Parse(f, "a specification", mappings, &fileTable, &im.file, own) || f.Failed() {
		return nil
	}
	im.head()
	im.nodes()
	for _, e := range im.file.edges {
		im.edge(e)
	}
	im.entry()
	im.fanOut()
	im.branches()
	im.limits()
	return []*draft.Draft{im.d}
}

// head names the graph.
func (im *importer) head() {
	name := im.file.name
	if !name.IsSet() {
		base := path.Base(strings.ReplaceAll(im.Name, "\\", "/"))
		base, _, _ = strings.Cut(base, ".")
		name = text{V: draft.Identifier(base, "graph"), Pos: draft.Pos{Line: 1, Col: 1}}
		im.Note("GG359", name.Pos, "the specification has no name: the graph is called "+name.V, "")
	}
	im.d.Name = text{V: draft.NewNamer(im.File, "graph").Name(name), Pos: name.Pos}
	im.d.Comments = append(im.d.Comments,
		"The specification has no state. Declare its fields under state, and name under reads and writes of each node what its handler uses.")
}

// nodes makes a handler of each node.
func (im *importer) nodes() {
	var all []text
	seen := map[string]bool{}
	for _, n := range im.file.nodes {
		if seen[n.name.V] {
			im.Error("GG355", n.name.Pos, "the node "+yamlread.Quote(n.name.V)+" is there twice", "remove one of them")
			continue
		}
		seen[n.name.V] = true
		all = append(all, n.name)
	}
	im.names.All(all)
	for _, n := range all {
		d := &draft.Node{Name: text{V: im.names.Known(n.V), Pos: n.Pos}}
		if d.Name.V != n.V {
			d.Keys.Set("doc", draft.Text(n.V, n.Pos))
		}
		im.d.Nodes = append(im.d.Nodes, d)
	}
	if len(im.d.Nodes) > 0 {
		im.Note("GG359", im.d.Nodes[0].Name.Pos, "the file has no state: each handler is given all of it",
			"declare the fields under state, and what each node uses under reads and writes")
	}
}

// target returns the node that a name is of, and reports a name without one.
func (im *importer) target(name text, ends bool) (text, bool) {
	switch {
	case name.V == end && ends:
		return text{V: draft.End, Pos: name.Pos}, true
	case im.names.Has(name.V):
		return text{V: im.names.Known(name.V), Pos: name.Pos}, true
	}
	im.names.Unknown(name, "")
	return name, false
}

// edge adds an edge, or a branch table.
func (im *importer) edge(e *edge) {
	from := text{V: start, Pos: e.from.Pos}
	if e.from.V != start {
		var ok bool
		if from, ok = im.target(e.from, false); !ok {
			return
		}
	}
	switch {
	case e.condition.IsSet() && e.to.IsSet():
		im.Error("GG355", e.to.Pos, "an edge has a condition, or the key to", "remove one of them")
	case e.condition.IsSet():
		im.table(e, from)
	case !e.to.IsSet():
		im.Error("GG354", e.from.Pos, `an edge needs the key "to", or a condition with paths`, "")
	default:
		if to, ok := im.target(e.to, true); ok {
			im.d.Edges = append(im.d.Edges, &draft.Edge{From: from, To: to})
		}
	}
}

// table adds a branch table, as an edge for each label until all edges are known.
func (im *importer) table(e *edge, from text) {
	branch := yamlread.MapTree(e.paths.Pos)
	add := func(label string, value *tree) {
		if value.Kind != yamlread.Text {
			im.Error("GG355", value.Pos, "a path is the name of a node, not "+value.Found(), "")
			return
		}
		to, ok := im.target(text{V: value.Text, Pos: value.Pos}, true)
		label = cmp.Or(label, to.V)
		if ok && branch.Get(label) == nil {
			branch.Items = append(branch.Items, draft.Text(label, value.Pos), draft.Text(to.V, value.Pos))
		}
	}
	switch e.paths.Kind {
	case yamlread.List:
		for i := range e.paths.Items {
			add("", &e.paths.Items[i])
		}
	case yamlread.Map:
		labels := draft.NewNamer(im.File, "label")
		for i := range len(e.paths.Items) / 2 {
			label, value := e.paths.Key(i)
			add(labels.Name(label), value)
		}
	case yamlread.Unreadable:
		im.Error("GG354", e.condition.Pos, "the edge needs the key paths: the nodes that "+yamlread.Quote(e.condition.V)+" can lead to are not known",
			"write paths: [NODE, NODE]")
		return
	default:
		im.Error("GG355", e.paths.Pos, "expected a list of nodes, or a mapping of labels to nodes, found "+e.paths.Found(), "")
		return
	}
	if len(branch.Items) == 0 {
		return
	}
	d := &draft.Edge{From: from, Comment: e.condition.V + " decides: the handler of " + from.V + " returns its label."}
	d.Keys.Set("branch", branch)
	im.d.Edges = append(im.d.Edges, d)
}

// entry finds the first node: a node of its own where the start is a decision or a fan-out.
func (im *importer) entry() {
	first := im.d.Leaving(start)
	entry := im.file.entrypoint
	switch {
	case entry.IsSet():
		to, ok := im.target(entry, false)
		if !ok {
			return
		}
		if len(first) > 0 && (len(first) > 1 || first[0].To.V != to.V) {
			im.Error("GG355", entry.Pos, "the graph has an entrypoint, and edges from "+start, "remove one of them")
		}
		entry = to
		im.remove(first)
	case len(first) == 1 && !first[0].Conditional() && first[0].To.V != draft.End:
		entry = first[0].To
		im.remove(first)
	case len(first) > 0:
		entry = text{V: im.names.Free("start"), Pos: first[0].From.Pos}
		n := &draft.Node{Name: entry, Kind: "pass", Comment: "Where the graph begins."}
		if first[0].Conditional() {
			n.Kind = ""
			first[0].Comment = strings.Replace(first[0].Comment, start, entry.V, 1)
		}
		im.d.Nodes = slices.Insert(im.d.Nodes, 0, n)
		for _, e := range first {
			e.From.V = entry.V
		}
		im.Note("GG359", entry.Pos, "the graph begins with the node "+entry.V+", which leads where the edges from "+start+" do", "")
	default:
		im.Error("GG354", draft.Pos{Line: 1, Col: 1}, "the graph has no beginning", "write entrypoint: NODE, or an edge from "+start)
		return
	}
	im.d.Head.Set("entry", draft.Text(entry.V, entry.Pos))
}

func (im *importer) remove(edges []*draft.Edge) {
	im.d.Edges = slices.DeleteFunc(im.d.Edges, func(e *draft.Edge) bool { return slices.Contains(edges, e) })
}

// fanOut makes parallel what several edges from one node begin.
func (im *importer) fanOut() {
	for _, n := range im.d.Nodes {
		edges := im.d.Leaving(n.Name.V)
		if len(edges) > 1 && slices.ContainsFunc(edges, (*draft.Edge).Conditional) {
			im.Error("GG362", edges[1].From.Pos,
				"a decision and other edges leave "+yamlread.Quote(n.Name.V)+": LangGraph follows all of them concurrently",
				"let the other edges leave a node of their own")
		}
	}
	im.d.FanOut(im.names.Free, func(edges []*draft.Edge, made *draft.Node, problem string) {
		from := yamlread.Quote(edges[0].From.V)
		if made == nil {
			im.Error("GG362", edges[1].To.Pos,
				"several edges leave "+from+": LangGraph runs their nodes concurrently, but they cannot become branches: "+problem,
				"let each lead along a chain of nodes, to one node where all join")
			return
		}
		made.Comment = "The nodes after " + edges[0].From.V + " run concurrently."
		im.Note("GG359", edges[1].To.Pos, "several edges leave "+from+": their nodes run concurrently, in "+made.Name.V,
			"a branch works on a copy of the state; a field that several of them write needs a merge rule")
		for _, r := range made.Regions {
			for _, n := range r.Nodes {
				if n.Kind == "" {
					n.Explicit = true // a branch is not given the whole state
					n.Comment = "A branch states what it reads and writes."
				}
			}
		}
	})
}

// branches gives the scenario what handlers return.
func (im *importer) branches() {
	for _, e := range im.d.Edges {
		branch := e.Keys.Get("branch")
		if branch == nil {
			continue
		}
		from := im.d.Node(e.From.V)
		for i := range len(branch.Items) / 2 {
			label, to := branch.Key(i)
			take := draft.Patch{}
			take.Entry.Set("branch", draft.Text(label.V, draft.Pos{}))
			from.Leads = append(from.Leads, draft.Lead{To: to.Text, Take: take})
			from.Sure = true
		}
	}
}

// limits bounds the graph as LangGraph does, if it has a cycle.
func (im *importer) limits() {
	index := map[string]int{}
	for i, n := range im.d.Nodes {
		index[n.Name.V] = i
	}
	next := make([][]int, len(im.d.Nodes))
	lead := func(from, to string) {
		if at, ok := index[to]; ok {
			next[index[from]] = append(next[index[from]], at)
		}
	}
	for _, n := range im.d.Nodes {
		for _, l := range n.Leads {
			lead(n.Name.V, l.To)
		}
		for _, e := range im.d.Leaving(n.Name.V) {
			lead(n.Name.V, e.To.V)
		}
	}
	if rings := scc.Cycles(next); len(rings) > 0 {
		n := im.d.Nodes[rings[0][0]]
		im.d.Head.Set("limits", draft.Map(n.Name.Pos, "max_steps", draft.Plain(strconv.Itoa(recursionLimit), n.Name.Pos)))
		im.d.Head.Remark("limits", "The recursion limit that LangGraph has by default.")
		im.Note("GG359", n.Name.Pos,
			"the graph has a cycle: it is bounded by the recursion limit of LangGraph, max_steps: "+strconv.Itoa(recursionLimit),
			"raise it, or give an edge max_iterations or a node max_visits")
	}
}
