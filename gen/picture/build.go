package picture

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/gen/diagram"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/flowchart"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
)

// Options are what a picture shows beside the graph.
type Options struct {
	Open int      // levels of graphs that nodes run, which are drawn within these nodes
	Path []string // the nodes that run the graph, outermost first: identifiers have their names, as where it is drawn within them

	Marks   *Marks            // nil: none
	Against *plan.Machine     // an earlier version of the graph, to compare with; nil: none
	Changed map[string]string // nodes of which more changed since than the picture shows, each with what
}

// Of lays a machine out.
func Of(m *plan.Machine, o Options) *Picture {
	p := &Picture{Name: shown(m.Name), Doc: shown(m.Doc), Root: (&builder{Options: o, path: o.Path}).build(m), fade: o.Marks != nil && o.Marks.Fade}
	layout(p.Root)
	return p
}

// A builder makes the boxes and edges of one graph.
type builder struct {
	Options
	path []string      // the names of the nodes that run the graph, outermost first
	runs []*spec.Graph // the graphs around it

	root      *Box
	templates *Box
	boxes     map[string]*Box // by the identifier that package flowchart has for the node or sign
	parents   map[*Box]*Box
	enter     map[*Box]*Box // of a region
	leave     map[*Box]*Box // of a region
}

// build returns the boxes and edges of a machine, without coordinates.
func (u *builder) build(m *plan.Machine) *Box {
	u.root, u.boxes, u.parents, u.enter, u.leave = &Box{ID: "root"}, map[string]*Box{}, map[*Box]*Box{}, map[*Box]*Box{}, map[*Box]*Box{}
	g := diagram.Chart(m)
	links := g.Links()
	u.sign(u.root, flowchart.StartID, StartSign, "")
	u.addNodes(m)
	if flowchart.ReachesEnd(links) {
		u.sign(u.root, flowchart.EndID, EndSign, "")
	}
	if g.OnError > 0 {
		u.sign(u.root, flowchart.FailureID, FailureSign, "").Name = labelFont.one("any other failure", labelWidth)
	}
	left := map[*Box]bool{}
	for _, l := range links {
		u.link(l, left)
	}
	for _, n := range m.Flow.Nodes { // the last of a chain leads out of its region
		b := u.boxes[flowchart.ID(n.ID)]
		if region := u.parents[b]; u.leave[region] != nil && !left[b] {
			u.edge(region, &Edge{ID: u.id("edge", n.Name+"-out"), From: b, To: u.leave[region]})
		}
	}
	if u.Against != nil {
		u.against(u.Against)
	}
	u.mark(u.root)
	for b := range u.parents {
		size(b)
	}
	return u.root
}

// id returns the identifier of an element. In graphs within the graph it begins with the path of the nodes.
func (u *builder) id(what, name string) string {
	var parts []string
	for _, p := range append(slices.Clone(u.path), name) {
		if p != "" {
			parts = append(parts, idText(p))
		}
	}
	if len(parts) == 0 {
		return what
	}
	return what + "-" + strings.Join(parts, "/")
}

// idText writes a name for an identifier: different names stay different.
func idText(name string) string {
	var b strings.Builder
	for _, c := range name {
		if c == '_' || c == '-' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' {
			b.WriteRune(c)
			continue
		}
		b.WriteString("." + strconv.FormatInt(int64(c), 16) + ".")
	}
	return b.String()
}

// sign adds a sign to a box.
func (u *builder) sign(to *Box, key string, sign Sign, name string) *Box {
	b := &Box{ID: u.id(sign.String(), name), Sign: sign}
	u.add(to, b)
	if key != "" {
		u.boxes[key] = b
	}
	return b
}

func (u *builder) add(to, b *Box) {
	to.Children = append(to.Children, b)
	u.parents[b] = to
}

// addNodes adds the nodes of a machine, each to the region of its parent.
func (u *builder) addNodes(m *plan.Machine) {
	for _, n := range m.Flow.Nodes {
		b := &Box{ID: u.id("node", n.Name), Node: n.Name, Kind: n.Kind, Line: n.Place.Line, Doc: shown(n.Doc)}
		u.boxes[flowchart.ID(n.ID)] = b
		b.Name, b.Sub = nameFont.one(n.Name, nameWidth), subFont.one(detailOf(n), subWidth)
		switch w := n.Work.(type) {
		case plan.Runner:
			b.Region = true
			_, b.Pool = w.(*plan.Pool)
			b.Sub = subFont.one(ruleOf(n), headerWidth)
		case *plan.Sub:
			b.Opens = w.Graph
			u.open(b, w.Spec)
		}
	}
	for _, n := range m.Flow.Nodes {
		b := u.boxes[flowchart.ID(n.ID)]
		switch {
		case n.Parent != nil:
			region := u.boxes[flowchart.ID(n.Parent.ID)]
			if u.enter[region] == nil && !region.Pool {
				u.enter[region] = u.sign(region, "", pick(branches(n.Parent), ForkSign, EnterSign), n.Parent.Name)
			}
			u.add(region, b)
		case n.Template:
			if u.templates == nil {
				u.templates = &Box{ID: u.id(flowchart.TemplatesID, ""), Region: true, Pool: true, Name: nameFont.one("what a run may add", nameWidth),
					Sub: subFont.one("mutations", subWidth)}
				u.boxes[flowchart.TemplatesID] = u.templates
			}
			u.add(u.templates, b)
		default:
			u.add(u.root, b)
		}
	}
	for _, n := range m.Flow.Nodes {
		if region := u.boxes[flowchart.ID(n.ID)]; u.enter[region] != nil {
			u.leave[region] = u.sign(region, "", pick(branches(n), JoinSign, LeaveSign), n.Name)
		}
	}
	if u.templates != nil {
		u.add(u.root, u.templates)
	}
}

func pick[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}

// open draws the graph that a node runs within the node. A graph that runs itself is not drawn in itself.
func (u *builder) open(b *Box, g *spec.Graph) {
	if u.Open == 0 || g == nil || slices.Contains(u.runs, g) {
		return
	}
	m := plan.Lower(cfg.Of(g), "main")
	in := &builder{Options: Options{Open: u.Open - 1, Marks: u.Marks}, path: append(slices.Clone(u.path), b.Node), runs: append(slices.Clone(u.runs), g)}
	root := in.build(m)
	b.Region, b.Children, b.Edges = true, root.Children, root.Edges
}

// link adds the edge of a line of the diagram, to the innermost box that encloses both of its ends.
func (u *builder) link(l flowchart.Link, left map[*Box]bool) {
	from, to := u.boxes[l.From], u.boxes[l.To]
	e := &Edge{Number: l.Transition + 1, Failure: l.Style == flowchart.Failure, From: from, To: to}
	parts := l.Label
	if e.Failure && len(parts) == 1 && parts[0] == "on_error" {
		parts = nil
	}
	if from.Kind != nil && from.Kind.Chooses && len(parts) == 1 && parts[0] == spec.RuleGoto.String() {
		parts = nil // a router does nothing else
	}
	switch within := u.parents[to]; {
	case within == from: // into a region
		if from.Pool {
			return
		}
		if e.From = u.enter[from]; e.From.Sign == EnterSign {
			parts = nil
		}
		u.finish(from, e, parts)
	case u.parents[from] == to: // out of a region
		if l.Transition == flowchart.NoTransition || to.Pool { // the line back of a loop, which its icon shows
			return
		}
		left[from] = true
		e.To = u.leave[to]
		u.finish(to, e, parts)
	default:
		if from != to && !e.Failure {
			left[from] = true
		}
		around := u.lift(e)
		u.finish(around, e, parts)
	}
}

// finish names an edge, and adds it to a box.
func (u *builder) finish(to *Box, e *Edge, parts []string) {
	e.ID = u.id("edge", strconv.Itoa(e.Number))
	if e.Number == 0 {
		e.ID = u.id("edge", e.From.Node+"-"+cmp.Or(e.To.Node, e.To.Sign.String()))
	}
	e.Label = labelFont.wrap(parts, labelWidth, labelLines)
	u.edge(to, e)
}

func (u *builder) edge(to *Box, e *Edge) { to.Edges = append(to.Edges, e) }

// lift replaces the ends of an edge by the boxes around them that are in the same box, and returns that.
func (u *builder) lift(e *Edge) *Box {
	var above []*Box
	for b := e.From; b != nil; b = u.parents[b] {
		above = append(above, b)
	}
	for below, b := e.To, u.parents[e.To]; b != nil; below, b = b, u.parents[b] {
		if at := slices.Index(above, b); at > 0 {
			e.From, e.To = above[at-1], below
			return b
		}
	}
	return u.root
}

// branches reports whether a node runs branches.
func branches(n *plan.Node) bool {
	_, is := n.Work.(*plan.Fork)
	return is
}

// detailOf returns what a node shows below its name.
func detailOf(n *plan.Node) string {
	words := []string{n.Kind.Name}
	switch w := n.Work.(type) {
	case *plan.Sub:
		words = append(words, "runs "+w.Graph)
	case *plan.Human:
		words = append(words, "waits for a person")
	case *plan.Call:
		if w.Tool != nil && w.Tool.Name != n.Name {
			words = append(words, "calls "+w.Tool.Name)
		}
	case *plan.Prompt:
		if n.Kind.Asks != spec.AsksAlways {
			words = append(words, "asks a model")
		}
		if len(w.Tools) > 0 {
			words = append(words, count(len(w.Tools), "tool"))
		}
	}
	if n.Pauses.Gate != nil {
		words = append(words, "after approval")
	}
	if n.Policy.Attempts > 1 {
		words = append(words, strconv.Itoa(n.Policy.Attempts)+" attempts")
	}
	return strings.Join(words, " · ")
}

func count(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return strconv.Itoa(n) + " " + word
}

// ruleOf returns how a node runs its region, for the header.
func ruleOf(n *plan.Node) string {
	words := []string{n.Kind.Name}
	switch w := n.Work.(type) {
	case *plan.Loop:
		words = append(words, "≤"+strconv.Itoa(w.Most), "until "+w.Until.Expr)
	case *plan.Retry:
		words = append(words, strconv.Itoa(n.Policy.Attempts)+" attempts")
	case *plan.Fork:
		words = append(words, joinOf(w))
	case *plan.Each:
		words = append(words, "each "+w.Item.Name+" of "+w.Over.Name, joinOf(&w.Fork))
	case *plan.Pool:
		words = append(words, "a model picks", "≤"+strconv.Itoa(w.Most)+" steps")
	}
	return strings.Join(words, " · ")
}

// joinOf returns which branches are waited for.
func joinOf(f *plan.Fork) string {
	join := "join " + strings.ReplaceAll(f.Join, "_", " ")
	if f.Need > 1 {
		join += " " + strconv.Itoa(f.Need)
	}
	return join
}
