package golang

import (
	"slices"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// composites prints what nodes do that run others, and what they share.
func (e *emitter) composites() {
	if !e.m.Children.Composed {
		return
	}
	sequential, branching := false, false
	for n, w := range plan.Works[plan.Runner](e.m) {
		switch w := w.(type) {
		case *plan.Loop:
			e.print("loop node", n)
		case *plan.Retry:
			e.print("retry node", n)
		case *plan.Fork:
			e.print("parallel node", branchingOf(n, w))
		case *plan.Each:
			e.print("map node", mapping(n, w))
		case *plan.Pool:
			e.print("pool node", n)
		}
		_, fork := w.(plan.Forker)
		sequential, branching = sequential || !fork, branching || fork
	}
	e.print("frame method", nil)
	if branching {
		e.print("run nodes", nil)
	}
	if sequential {
		e.print("child", nil)
	}
	if branching {
		e.print("branches", nil)
		if e.m.Children.Merging.Needed {
			e.print("merge", nil)
		}
	}
}

// nodeNames lists the names of nodes in words.
func nodeNames(nodes []*plan.Node) string {
	var out []string
	for _, n := range nodes {
		out = append(out, n.Name)
	}
	return enumerate(out)
}

// joins are the kernel's constants for the words of join.
var joins = map[string]string{"fail_fast": "JoinFailFast", "all": "JoinAll", "first": "JoinFirst", "settled": "JoinSettled"}

// waits describes which branches the join waits for.
func waits(c *plan.Fork) string {
	switch c.Join {
	case "all":
		return "every branch runs to its end and has to succeed"
	case "first":
		return "it continues with the first " + count(c.Need, " that succeeds", " that succeed")
	case "settled":
		return "every branch runs to its end, and " + count(c.Need, " has to succeed", " have to succeed")
	}
	return "the first branch that fails cancels the others"
}

func atOnce(n int) string {
	if n == 1 {
		return "one after the other"
	}
	return strconv.Itoa(n) + " at a time"
}

// count is a number of branches and their verb.
func count(n int, one, several string) string {
	if n == 1 {
		return "one" + one
	}
	return strconv.Itoa(n) + several
}

// A branching is a node that runs branches.
type branching struct {
	*plan.Node
	Fork     *plan.Fork
	Each     *plan.Each     // of a map
	Item     *jen.Statement // of a map: what the branch of an element has
	Join     *jen.Statement
	Branches *jen.Statement // the variable or field that holds them
	Count    *jen.Statement
}

func branchingOf(n *plan.Node, fork *plan.Fork) branching {
	b := branching{Node: n, Fork: fork, Join: eng(joins[fork.Join]), Branches: jen.Id("branches"), Count: jen.Lit(len(fork.Regions))}
	if fork.Pauses {
		b.Branches = jen.Id("r").Dot("forked")
	}
	return b
}

func mapping(n *plan.Node, each *plan.Each) branching {
	b := branchingOf(n, &each.Fork)
	b.Each, b.Item, b.Count = each, jen.Id("item"), jen.Len(jen.Id("r").Dot("state").Dot(each.Over.GoName))
	if each.Item.Type.Kind == resolve.Optional && each.Over.Type.Elem.Kind != resolve.Optional {
		b.Item = jen.New(b.Item)
	}
	return b
}

// entryPick is the choice of the node of a pool that runs first.
func entryPick(p *plan.Pool) *jen.Statement {
	return jen.Id("picker").Dot("Run").Call(jen.Lit(slices.Index(p.Regions, p.Entry)))
}

// noteWrite prints that a branch notes what it writes.
func (e *emitter) noteWrite(g *jen.Group, n *plan.Node, w plan.Write, value *jen.Statement) {
	if !n.NotesOf(w.To) {
		return
	}
	delta := jen.Id("r").Dot("delta").Dot(w.To.GoName)
	switch w.Merge {
	case "sum":
		g.Add(delta).Op("+=").Add(value)
	case "custom":
		g.Add(delta).Op("=").Append(delta.Clone(), value)
	case "append":
		g.Add(delta).Op("=").Add(merged(w, delta.Clone(), value))
	default:
		g.Add(delta).Op("=").Add(eng("UnionMap")).Call(delta.Clone(), value)
	}
}

// passed is the input of a graph that a node runs.
func passed(s *plan.Sub) *jen.Statement {
	var fields []jen.Code
	for _, v := range s.Given {
		value := handed(jen.Id("r").Dot("state").Dot(v.From.GoName), v.From.Type)
		if v.Some {
			value = jen.New(value)
		}
		fields = append(fields, entry(v.To.GoName, value))
	}
	return fitting(goType(s.Input), fields)
}
