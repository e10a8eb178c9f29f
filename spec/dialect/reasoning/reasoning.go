// Package reasoning imports graphs of reasoning nodes, in the YAML that Promptise saves (version 2).
package reasoning

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/dialect/draft"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// Dialect is the format.
var Dialect = draft.Dialect{
	Name:     "reasoning",
	Doc:      "Reasoning graphs, in the YAML of Promptise, version 2.",
	Mappings: mappings(),
	Words:    listings(),
	Read:     read,
}

func mappings() []yamlread.Mapping {
	return []yamlread.Mapping{fileTable.Mapping(), nodeTable.Mapping(), edgeTable.Mapping(), conditionTable.Mapping(), branchTable.Mapping()}
}

// The bounds that the format's own program has.
const (
	maxSteps  = 50
	maxVisits = 10
	version   = 2
)

// end is the name of the end of a run; onError of the node that handles failures.
const (
	end     = "__end__"
	onError = "__error__"
)

// An importer makes a draft of a graph.
type importer struct {
	*draft.File
	file   *file
	d      *draft.Draft
	names  *draft.Namer // of nodes
	fields *draft.Namer // of what is not named in the file

	nodes map[string]*node // by their names in the graph
	order []*node

	plain map[*node]bool  // the nodes that become templates
	kept  map[string]bool // fields of the state that these keep
}

// read makes a draft of a file.
func read(f *draft.File) []*draft.Draft {
	root := new(file)
	if !draft.Parse(f, "a graph", mappings, &fileTable, root, own) || f.Failed() {
		return nil
	}
	if root.inner != nil {
		root = root.inner
	}
	return []*draft.Draft{importGraph(f, root, draft.NewNamer(f, "graph"))}
}

// importGraph makes a draft of a graph. graphs are the names of the graphs of the file.
func importGraph(f *draft.File, file *file, graphs *draft.Namer) *draft.Draft {
	im := &importer{File: f, file: file, d: &draft.Draft{Skeleton: true}, nodes: map[string]*node{}}
	im.names, im.fields = draft.NewNamer(f, "node"), draft.NewNamer(f, "field", "task")
	im.head(graphs)
	im.d.State = []*draft.Field{{Name: "task", Pos: file.pos, Type: "string", Comment: "What the user asks for."}}
	im.d.Input = []string{"task"}
	im.names.All(im.allNames())
	im.findTemplates()
	for _, n := range file.nodes {
		im.node(n, nil, graphs)
	}
	if len(im.d.Nodes) == 0 {
		f.Error("GG354", file.pos, "the graph has no nodes", "")
		return im.d
	}
	im.entry()
	im.edges()
	im.reads()
	im.outputs()
	im.prune()
	im.limits()
	return im.d
}

// head names the graph.
func (im *importer) head(graphs *draft.Namer) {
	f := im.file
	if f.version.IsSet() && (f.version.V > version || f.version.V < 1) {
		im.Error("GG365", f.version.Pos, "the version "+strconv.Itoa(f.version.V)+" of the format is not known: the last one is "+strconv.Itoa(version), "")
	}
	name := f.name
	if !name.IsSet() {
		base, _, _ := strings.Cut(path.Base(strings.ReplaceAll(im.Name, "\\", "/")), ".")
		name = text{V: draft.Identifier(base, "graph"), Pos: f.pos}
		im.Note("GG359", f.pos, "the graph has no name: it is called "+name.V, "")
	}
	im.d.Name = text{V: graphs.Name(name), Pos: name.Pos}
	im.d.Head.Set("doc", draft.Text("The reasoning graph "+name.V+".", name.Pos))
	if f.mode.IsSet() && f.mode.V != "static" && f.mode.V != "autonomous" {
		im.Error("GG355", f.mode.Pos, "the mode of a graph is static or autonomous, not "+yamlread.Quote(f.mode.V), "")
	}
	if !im.static() {
		im.d.Head.Set("mode", draft.Text("autonomous", f.mode.Pos))
		if len(f.edges) > 0 {
			im.Warn("GG357", f.edges[0].from.Pos, "the edges are left out: in mode autonomous the model picks the next node",
				"write mode: static to follow them")
		}
	}
}

// static reports whether the graph follows its edges.
func (im *importer) static() bool {
	f := im.file
	if !f.mode.IsSet() && len(f.edges) > 0 {
		if im.Once("static " + f.name.V) {
			im.Warn("GG358", f.edges[0].from.Pos, "the file has edges and no mode, which is autonomous by default: the graph follows the edges",
				"write mode: autonomous to have the model pick the next node")
		}
		return true
	}
	return f.mode.V == "static"
}

// allNames returns the names of all nodes, those within others too.
func (im *importer) allNames() []text {
	var list []text
	var add func(n *node)
	add = func(n *node) {
		if n == nil {
			return
		}
		if n.name.IsSet() && n.name.V != onError {
			list = append(list, n.name)
		}
		for _, c := range n.within() {
			add(c)
		}
	}
	for _, n := range im.file.nodes {
		add(n)
	}
	return list
}

// within returns the nodes that a node runs.
func (n *node) within() []*node {
	list := slices.Concat(n.children, n.pool)
	for _, c := range []*node{n.body, n.wrapped} {
		if c != nil {
			list = append(list, c)
		}
	}
	for _, b := range n.branches {
		if b.node != nil {
			list = append(list, b.node)
		}
	}
	return list
}

// entry finds the first node: the entry, the node with the flag, or the first of the file.
func (im *importer) entry() {
	entry := im.file.entry
	if entry.V == "" {
		for _, n := range im.file.nodes {
			if entry.V == "" && (n.entry.V || n.has("entry")) {
				entry = n.name
			}
		}
	}
	if entry.V == "" {
		entry = im.file.nodes[0].name
		im.Note("GG359", entry.Pos, "the graph has no entry: it begins with its first node, "+yamlread.Quote(entry.V), "")
	}
	first := im.target(entry).V
	im.d.Head.Set("entry", draft.Text(first, entry.Pos))
	if im.static() || im.d.Node(first) == nil {
		return
	}
	im.d.Pool = &draft.Node{Name: im.d.Name}
	var ends []string
	for _, n := range im.d.Nodes {
		if n.HasFlag("terminal") {
			ends = append(ends, n.Name.V)
		}
	}
	im.picks(im.d.Pool, first, ends, first)
}

// has reports whether a node has a flag.
func (n *node) has(flag string) bool {
	return slices.ContainsFunc(n.flags, func(f text) bool { return f.V == flag })
}

// target returns the name of the node that is meant.
func (im *importer) target(name text) text {
	switch {
	case name.V == end:
		return text{V: draft.End, Pos: name.Pos}
	case name.V == onError:
		return text{V: im.errorNode(), Pos: name.Pos}
	case !im.names.Has(name.V) && name.V != "":
		im.names.Unknown(name, "the end of a run is "+end)
	}
	return text{V: im.names.Known(name.V), Pos: name.Pos}
}

// errorNode returns the name of the node that handles failures.
func (im *importer) errorNode() string {
	im.names.Call(onError, "on_failure")
	return im.names.Known(onError)
}

// edges adds the edges of the file, and those that settings of nodes are.
func (im *importer) edges() {
	if !im.static() {
		return
	}
	most := 0
	for _, e := range im.file.edges {
		most = max(most, e.priority.V)
	}
	for _, n := range im.order {
		if d := im.d.Node(im.names.Known(n.name.V)); d != nil && d.Owner == "" {
			im.ownEdges(n, d, most+10)
		}
	}
	im.fileEdges()
	im.noMatch()
}

// noMatch ends the run where no transition of a node is taken, as the format's program does.
func (im *importer) noMatch() {
	for _, n := range im.d.Nodes {
		if n.Owner == "" && len(im.d.Leaving(n.Name.V))+len(n.Leads) > 0 && im.d.Open(n) {
			im.d.Head.Set("no_match", draft.Text("end", n.Name.Pos))
			im.d.Head.Remark("no_match", "As in the file: a run ends at a node of which no transition is taken. With `error` it would fail there.")
			im.Note("GG359", n.Name.Pos, "where no transition of "+yamlread.Quote(n.Name.V)+" is taken, the run ends: no_match: end",
				"write no_match: error to make it a failure")
			return
		}
	}
}

// limits bounds the graph as the format's own program does.
func (im *importer) limits() {
	pos := im.d.Name.Pos
	limits := draft.Map(pos, "max_steps", draft.Plain(strconv.Itoa(maxSteps), pos))
	if im.static() {
		limits.Add("max_visits", draft.Plain(strconv.Itoa(maxVisits), pos))
	}
	im.d.Head.Set("limits", limits)
	im.d.Head.Remark("limits", "The bounds that the program of the format has.")
	if im.Once("limits") {
		im.Note("GG359", pos,
			"the graph has the bounds of the format's program: "+strconv.Itoa(maxSteps)+" steps, and "+strconv.Itoa(maxVisits)+
				" visits of a node; a run that uses them up fails, and does not just end", "write on_max_steps: flag to return what there is")
	}
}

// outputs makes the answers of the last nodes the output.
func (im *importer) outputs() {
	ends := im.d.Ends()
	if handler := im.d.Head.Get("on_error"); handler != nil && im.d.Node(handler.Text) != nil {
		ends = append(ends, im.d.Node(handler.Text))
	}
	if !im.static() {
		ends = im.d.Nodes
	}
	for _, n := range ends {
		for _, w := range im.gives(n) {
			if slices.Contains(im.d.Output, w) || w == "answer" && im.kept[w] && !im.answers(ends) {
				continue
			}
			im.d.Output = append(im.d.Output, w)
			if im.d.Head.Get("on_error") != nil && im.d.Field(w) != nil { // a failure leads to another end
				im.d.Field(w).Absent = true
			}
		}
	}
}

// answers reports whether a run ends with an answer, whichever of these nodes is its last one. In mode autonomous that is
// a terminal one.
func (im *importer) answers(ends []*draft.Node) bool {
	return !slices.ContainsFunc(ends, func(d *draft.Node) bool {
		return d.Owner == "" && (im.static() || d.HasFlag("terminal")) && !slices.Contains(im.gives(d), "answer")
	})
}

// prune removes the results that nothing reads: later nodes see them in the messages.
func (im *importer) prune() {
	for _, f := range im.d.Prune() {
		if n := im.nodes[f.Writer]; n != nil && n.output.V != "" {
			im.Note("GG357", n.output.Pos, "output_key is left out: no node reads "+yamlread.Quote(n.output.V)+" but in the messages",
				"write it under output to return it")
		}
	}
}

// reads gives prompts what they are shown of other nodes, and handlers what may have been written.
func (im *importer) reads() {
	before := im.d.Before()
	for _, d := range im.d.Nodes {
		n := im.nodes[d.Name.V]
		if n == nil {
			continue
		}
		list := before[d.Name.V]
		if !im.static() {
			list = slices.DeleteFunc(slices.Clone(im.d.Nodes), func(o *draft.Node) bool { return o == d })
		}
		add := func(field string) {
			if !slices.Contains(d.Reads, field) && !slices.Contains(d.Writes, field) {
				d.Reads = append(d.Reads, field)
			}
		}
		for _, b := range list {
			o := im.nodes[b.Name.V]
			switch {
			case o == nil:
			case n.typ.V == "transform" || n.typ.V == "guard" && n.target.V == "":
				for _, w := range im.gives(b) {
					add(w)
				}
			case o.typ.V == "plan" && n.shown(n.plan, func(u uses) bool { return u.plan }),
				o.typ.V == "reflect" && n.shown(n.reflections, func(u uses) bool { return u.reflections }):
				for _, w := range im.gives(b) {
					add(w)
				}
			}
		}
	}
}

// shown reports whether a node is shown results: as it sets it, else as its type does.
func (n *node) shown(set truth, by func(uses) bool) bool {
	if set.IsSet() {
		return set.V
	}
	if b := brickOf(n.typ.V); b != nil {
		return by(b.reads)
	}
	return n.typ.V == "prompt"
}

// typo returns the help for a type of node that is not known, if it resembles one.
func typo(typ string) string {
	if near, ok := diag.Suggest(typ, all); ok {
		return "did you mean " + near + "?"
	}
	return ""
}
