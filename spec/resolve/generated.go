package resolve

import (
	"strconv"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/goname"
)

// A Name is a name that generated code declares in its package.
type Name struct {
	Go   string
	Pos  spec.Pos // of what it is made from
	What string   // in the author's words: node "draft"
}

// Generated returns every exported name that the generated code of the graph declares in
// its package, in the order of the spec; a name may be there twice, which is a mistake of
// the spec. Unexported names all begin with the graph's name, and are told apart by package plan.
func (g *Graph) Generated() []Name {
	l := names{list: make([]Name, 0, 16+3*len(g.Nodes)), graph: g.GoName}
	l.ofGraph(g)
	for _, t := range g.Types {
		l.ofType(t)
	}
	for _, n := range g.Nodes {
		l.ofNode(n)
	}
	return l.list
}

type names struct {
	list  []Name
	graph string
}

func (l *names) add(name string, pos spec.Pos, what string) {
	l.list = append(l.list, Name{Go: name, Pos: pos, What: what})
}

func (l *names) ofGraph(g *Graph) {
	pos := g.Spec.Name.Pos
	l.add(g.GoName, pos, "the machine")
	l.add("New"+g.GoName, pos, "the machine's constructor")
	l.add(g.GoName+"Handlers", pos, "the interface of the handlers")
	l.add(g.GoName+"Node", pos, "the type of the nodes")
	l.add(g.GoName+"State", pos, "the state")
	l.add(g.GoName+"Input", pos, "the input")
	l.add(g.GoName+"Output", pos, "the output")
	l.add(g.GoName+"End", pos, "the end of the graph")
}

func (l *names) ofType(t *Type) {
	if t.Kind != Enum && t.Kind != Struct {
		return
	}
	what := "the type written here"
	if t.Name != "" {
		what = "type " + strconv.Quote(t.Name)
	}
	l.add(t.GoName, t.Pos, what)
	for _, v := range t.Values {
		l.add(v.Const, v.Pos, "value "+strconv.Quote(v.Name)+" of "+t.String())
	}
}

func (l *names) ofNode(n *Node) {
	name := n.Spec.Name
	own, quoted := l.graph+n.GoName, strconv.Quote(name.V)
	l.add(own, name.Pos, "node "+quoted)
	if n.In != nil {
		l.add(own+"In", n.Spec.ReadsPos, "the input of node "+quoted)
	}
	if n.FromWrites() {
		l.add(own+"Out", n.Spec.WritesPos, "the output of node "+quoted)
	}
	chosen := n.Spec.Goto
	if n.Kind == "router" {
		chosen = n.Spec.Routes
	}
	if len(chosen) > 0 {
		l.add(own+"Goto", chosen[0].Pos, "the choice of node "+quoted)
	}
	for _, to := range chosen {
		target := goname.Exported(to.V)
		if spec.IsEnd(to.V) {
			target = "End"
		}
		l.add(own+"Goto"+target, to.Pos, "choice "+strconv.Quote(to.V)+" of node "+quoted)
	}
	for _, e := range n.Leaving {
		if !e.Spec.BranchPos.IsSet() {
			continue
		}
		l.add(own+"Branch", e.Spec.BranchPos, "the branch table of node "+quoted)
		for _, label := range e.Spec.Branch {
			l.add(own+"Branch"+goname.Exported(label.Name.V), label.Name.Pos, "label "+strconv.Quote(label.Name.V)+" of node "+quoted)
		}
	}
}
