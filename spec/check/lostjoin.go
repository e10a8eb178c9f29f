package check

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec/dataflow"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// joinPasses look for nodes that wait for ways of which a run takes one.
var joinPasses = []Pass{
	{run: lostJoins, Rule: diag.Rule{
		Code: "GG244", Name: "lost-join",
		Doc:  "A node reads two fields of which no run has both: each is written on a way of its own, and a run takes one of the ways. Edges choose; what is to run at once are the branches of a parallel.",
		Bad:  "graph: g\nentry: plan\nno_match: error\nstate: {web: string, papers: string, text: string}\noutput: text\nnodes:\n  plan: {reads: [], output: {broad: bool}}\n  search: {writes: web, next: merge}\n  look_up: {writes: papers, next: merge}\n  merge: {reads: [web, papers], writes: text}\nedges:\n  - {from: plan, to: search, if: out.Broad}\n  - {from: plan, to: look_up, if: \"!out.Broad\"}\n",
		Good: "graph: g\nentry: plan\nstate: {web: string, papers: string, text: string}\noutput: text\nnodes:\n  plan: {reads: [], next: both}\n  both: {kind: parallel, branches: {web: search, papers: look_up}, next: merge}\n  search: {writes: web}\n  look_up: {writes: papers}\n  merge: {reads: [web, papers], writes: text}\n",
	}},
}

// exclusive returns the nodes that read fields of which no run has two.
func (c *context) exclusive() []dataflow.Exclusive {
	if f := c.dataFlow(); f != nil && !c.flowing.searched {
		c.flowing.exclusive = f.Exclusive(func(r *dataflow.Read) bool { return c.besideOnly(r) == nil })
		c.flowing.searched = true
	}
	return c.flowing.exclusive
}

func lostJoins(c *context) {
	f := c.dataFlow()
	if f == nil {
		return
	}
	reads := f.Unassigned()
	for _, x := range c.exclusive() {
		var fields, writers []string
		var notes []diag.Related
		for i, field := range x.Fields {
			name := quote(f.Fields[field].Name)
			w := writerWithin(x.Writers[i], f.Fields[field])
			fields = append(fields, name)
			writers = append(writers, quote(w.node.Spec.Name.V))
			notes = append(notes, diag.Related{Pos: w.pos, Message: "node " + quote(w.node.Spec.Name.V) + " writes " + name})
		}
		first := &reads[x.Reads[0]]
		reader := x.Node
		if !slices.ContainsFunc(x.Reads, func(i int) bool { return reads[i].Node != first.Node }) {
			reader = first.Node
		}
		c.report(c.readPlaceOf(first), "node "+quote(reader.Spec.Name.V)+" reads "+anded(fields, "and")+", but no run has both: from "+quote(x.Fork.Spec.Name.V)+" it comes to either "+anded(writers, "or"),
			"run "+anded(writers, "and")+" as branches of a parallel before "+quote(outermost(reader).Spec.Name.V)+", or one after the other; or make the fields optional", notes...)
	}
}

// anded lists names as a sentence does.
func anded(names []string, last string) string {
	n := len(names) - 1
	return strings.Join(names[:n], ", ") + " " + last + " " + names[n]
}

// writerWithin returns the place where a node, or one that it runs, writes a field.
func writerWithin(host *resolve.Node, field *resolve.Field) writtenAt {
	for _, n := range append([]*resolve.Node{host}, host.Inside()...) {
		for _, w := range n.Writes {
			if !n.Kind.Composite() && w.To == field {
				return writtenAt{n, w.Name.Pos}
			}
		}
	}
	return writtenAt{host, host.Spec.Name.Pos}
}
