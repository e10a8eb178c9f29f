package resolve

import (
	"slices"
	"strconv"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/goname"
)

// A Name is a package-level Go name that is generated for a graph.
type Name struct {
	Go   string
	Pos  spec.Pos
	What string // what it is, in the author's words
	Of   string // the Go name it is derived from; a clash of that name is a clash of this one
}

// Generated returns the package-level names that are generated for a graph, except the names of
// transitions and conditions, which are chosen to avoid clashes. A value or a target that the spec
// repeats by mistake is listed once.
func Generated(g *Graph) []Name {
	l := names{graph: g}
	if !g.Spec.TypesOnly() {
		l.ofGraph()
	}
	for _, t := range g.Types {
		l.ofType(t)
	}
	for _, n := range g.All() {
		l.ofNode(n)
	}
	l.ofReaders()
	return l.list
}

// ofReaders adds the inputs of tools and guards. Nodes share a guard.
func (l *names) ofReaders() {
	for _, t := range l.graph.Tools {
		if t.In != nil {
			l.add(Name{Go: t.In.GoName, Pos: t.Spec.Name.Pos, What: "the input of tool " + t.Spec.Name.V, Of: l.graph.GoName + t.GoName})
		}
	}
	for _, in := range l.graph.GuardInputs() {
		l.add(Name{Go: in.GoName, Pos: in.Pos, What: "the input of a guard"})
	}
}

// Fixed returns the unexported names that are generated for a graph, except the names of Generated and
// those that contain the name of the graph and are chosen to avoid clashes. Of those for codecs and limits that are
// the same, all but the first get a number.
func Fixed(g *Graph) []Name {
	l := names{graph: g}
	if !g.Spec.TypesOnly() {
		prefix, pos := goname.Unexported(g.Spec.Name.V), g.Spec.Name.Pos
		for _, suffix := range []string{"Caller", "Mutable", "Timeout"} {
			l.add(Name{Go: prefix + suffix, Pos: pos, What: "the graph's own " + prefix + suffix})
		}
	}
	codecs, added := g.Codecs(), map[*Type]bool{}
	add := func(t *Type, pos spec.Pos, what string) {
		made := t != nil && (t.Lacks("EncodeJSON") || t.Lacks("DecodeJSON"))
		if made && !added[t] && codecs[t]&(Encode|Decode|Members) != 0 {
			added[t] = true // what an edge's judge is shown may be the input
			l.ofCodec(t, codecs[t], pos, what)
		}
	}
	for _, t := range g.Types {
		add(t, t.Pos, t.what())
	}
	for _, t := range []*Type{g.State, g.Input, g.Output, g.Judged} {
		if t != nil {
			add(t, g.Spec.Name.Pos, "the graph's "+t.GoName)
		}
	}
	for _, t := range g.Tools {
		add(t.In, t.Spec.Name.Pos, "the input of tool "+t.Spec.Name.V)
	}
	for _, n := range g.All() {
		pos, name := n.Spec.Name.Pos, n.Spec.Name.V
		if n.Body == nil {
			add(n.In, pos, "the input of node "+name)
		}
		if n.FromWrites() {
			add(n.Out, pos, "the output of node "+name)
		}
	}
	return l.list
}

// ofCodec adds the names of the codec tables of a type and its fields.
func (l *names) ofCodec(t *Type, codec Codec, pos spec.Pos, what string) {
	of := goname.Unexported(t.GoName)
	if codec.Table(t) {
		l.add(Name{Go: of + "JSON", Pos: pos, What: "the codec of " + what, Of: t.GoName})
	}
	for _, f := range t.Fields {
		s := f.Spec
		if s != nil && (s.MinLength.IsSet() || s.MaxLength.IsSet() || s.Pattern.IsSet() || s.Format.IsSet()) {
			l.add(Name{Go: of + f.GoName + "Text", Pos: pos, What: "the set of limits of " + f.Name + " of " + what, Of: t.GoName})
		}
		if s != nil && LimitsMedia(s) {
			l.add(Name{Go: of + f.GoName + "Media", Pos: pos, What: "the set of limits of " + f.Name + " of " + what, Of: t.GoName})
		}
	}
}

type names struct {
	graph *Graph
	list  []Name
}

func (l *names) add(n Name) { l.list = append(l.list, n) }

func (l *names) ofGraph() {
	goName, written := l.graph.GoName, l.graph.Spec.Name
	for _, suffix := range []string{"", "Node", "State", "Input", "Output", "Handlers", "End"} {
		if suffix == "State" && l.graph.State.Declared {
			continue
		}
		l.add(Name{Go: goName + suffix, Pos: written.Pos, What: "the graph's own " + goName + suffix})
	}
	l.add(Name{Go: "New" + goName, Pos: written.Pos, What: "the graph's constructor"})
	if l.graph.Judged != nil && l.graph.Judged != l.graph.Input {
		l.add(Name{Go: l.graph.Judged.GoName, Pos: written.Pos, What: "what a model that judges is shown of the input"})
	}
	if len(l.graph.Clients()) < len(l.graph.Tools) {
		l.add(Name{Go: goName + "Tools", Pos: written.Pos, What: "the graph's tools"})
	}
	if len(l.graph.Spec.MCP) > 0 {
		l.add(Name{Go: goName + "Servers", Pos: written.Pos, What: "the graph's MCP servers"})
	}
	if l.graph.Spec.Mutations != nil {
		for _, suffix := range []string{"AddNode", "AddEdge", "SkipTo", "RetryWith", "RemoveEdge", "RemoveNode"} {
			l.add(Name{Go: goName + suffix, Pos: l.graph.Spec.Mutations.Pos, What: "a mutation of the graph"})
		}
		for _, t := range l.graph.Templates {
			l.add(Name{Go: goName + "Add" + t.GoName, Pos: t.Spec.Name.Pos, What: "the mutation that adds a " + t.Spec.Name.V})
		}
	}
	if l.graph.Spec.Durable.V {
		l.add(Name{Go: goName + "Thread", Pos: written.Pos, What: "the graph's thread"})
	}
	if l.graph.Spec.Serve.V {
		l.add(Name{Go: goname.Unexported(written.V) + "Description", Pos: written.Pos, What: "the graph's description"})
	}
	if l.graph.Spec.Drives(spec.Temporal) {
		what := "the graph as a workflow of Temporal"
		own := goname.Unexported(written.V)
		for _, name := range []string{goName + "Temporal", "New" + goName + "Temporal", own + "Proxy", own + "ToolProxy"} {
			l.add(Name{Go: name, Pos: written.Pos, What: what})
		}
	}
	for _, t := range l.graph.Held() {
		l.add(Name{Go: "Approve" + goName + t.GoName, Pos: t.Spec.Name.Pos, What: "the answer about tool " + t.Spec.Name.V})
	}
	for _, t := range l.graph.Clients() {
		l.add(Name{Go: "Return" + goName + t.GoName, Pos: t.Spec.Name.Pos, What: "the result of tool " + t.Spec.Name.V})
	}
	if ends := l.graph.Spec.Ends; len(ends) > 0 {
		of := goName + "Ending"
		l.add(Name{Go: of, Pos: ends[0].Pos, What: "the ends of the graph"})
		for i, e := range ends {
			second := slices.ContainsFunc(ends[:i], func(other spec.String) bool { return other.V == e.V })
			if !e.Lost && e.V != "" && !second {
				l.add(Name{Go: of + goname.Exported(e.V), Pos: e.Pos, What: "the end " + e.V, Of: of})
			}
		}
	}
	prefix := goname.Unexported(written.V)
	l.add(Name{Go: prefix + "Run", Pos: written.Pos, What: "the graph's run"})
	l.add(Name{Go: prefix + "Graph", Pos: written.Pos, What: "the graph's table"})
}

// nameConstants names the constants of the nodes. A constant that would clash with a name of the
// graph, as for a node called end, gets the suffix Node.
func (g *Graph) nameConstants() {
	l := names{graph: g}
	l.ofGraph()
	own := make(map[string]bool, len(l.list))
	for _, n := range l.list {
		own[n.Go] = true
	}
	for _, n := range g.All() {
		if n.Const = g.GoName + n.GoName; own[n.Const] && n.GoName != "" {
			n.Const += "Node"
		}
	}
}

func (l *names) ofType(t *Type) {
	if t.Declared {
		return
	}
	what := t.what()
	l.add(Name{Go: t.GoName, Pos: t.Pos, What: what})
	if t.Kind == Union { // an interface has no methods to encode and decode
		for _, name := range []string{"Decode" + t.GoName, "Encode" + t.GoName, t.GoName + "JSONSchema"} {
			l.add(Name{Go: name, Pos: t.Pos, What: "the codec of " + what, Of: t.GoName})
		}
	}
	seen := make(map[string]bool, len(t.Values))
	for _, v := range t.Values {
		if !seen[v.Name] {
			seen[v.Name] = true
			l.add(Name{Go: v.Const, Pos: v.Pos, What: "value " + v.Name + " of " + what, Of: t.GoName})
		}
	}
}

// what describes a type to the author: by its name, or by its position.
func (t *Type) what() string {
	switch {
	case t.Name != "":
		return "type " + t.Name
	case t.Kind == Enum:
		return "the enum of line " + strconv.Itoa(t.Pos.Line)
	}
	if t.Kind == Union {
		return "the union of line " + strconv.Itoa(t.Pos.Line)
	}
	return "the struct of line " + strconv.Itoa(t.Pos.Line)
}

func (l *names) ofNode(n *Node) {
	pos, what := n.Spec.Name.Pos, "node "+n.Spec.Name.V
	own := l.graph.GoName + n.GoName
	l.add(Name{Go: n.Const, Pos: pos, What: what})
	if n.Kind.By == spec.ByPerson || n.Gated() {
		l.add(Name{Go: "Answer" + own, Pos: pos, What: "the answer to " + what, Of: own})
	}
	if n.In != nil && n.Body == nil {
		l.add(Name{Go: n.In.GoName, Pos: pos, What: "the input of " + what, Of: own})
	}
	if n.FromWrites() {
		l.add(Name{Go: n.Out.GoName, Pos: pos, What: "the output of " + what, Of: own})
	}
	if n.Verdicts != nil {
		l.add(Name{Go: n.Verdicts.GoName, Pos: pos, What: "the evals of " + what, Of: own})
	}
	chosen := n.Spec.Goto
	if n.Kind.Chooses {
		chosen = n.Spec.Routes
	}
	l.choices(n, own+"Goto", "choice", chosen)
	for _, e := range n.Leaving {
		if e.Labelled() {
			labels := make([]spec.String, len(e.Spec.Branch))
			for i, label := range e.Spec.Branch {
				labels[i] = label.Name
			}
			l.choices(n, own+"Branch", "label", labels)
			return // a second table is reported elsewhere
		}
	}
}

// choices adds the enum of the choices of a handler.
func (l *names) choices(n *Node, goName, what string, list []spec.String) {
	if len(list) == 0 {
		return
	}
	l.add(Name{Go: goName, Pos: n.Spec.Name.Pos, What: "the " + what + " of node " + n.Spec.Name.V, Of: l.graph.GoName + n.GoName})
	seen := make(map[string]bool, len(list))
	for _, c := range list {
		written, to := c.V, goname.Exported(c.V)
		if what == "choice" && spec.IsEnd(written) {
			written, to = spec.End, "End"
		}
		if !seen[written] && !c.Lost {
			seen[written] = true
			l.add(Name{Go: goName + to, Pos: c.Pos, What: what + " " + c.V + " of node " + n.Spec.Name.V, Of: goName})
		}
	}
}
