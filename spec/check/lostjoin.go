package check

import (
	"slices"
	"strings"

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

// A lostJoin is a point that reads fields of which no run has two.
type lostJoin struct {
	point  int
	gaps   []int // by number, of one field each; of others of these fields too
	fields []int
}

// lostJoins finds the points that read fields in vain of which no run has two.
func (f *flow) lostJoins() []lostJoin {
	if f.c.flowing.joined {
		return f.c.flowing.lost
	}
	f.c.flowing.joined = true
	byPoint := map[int][]int{}
	gaps := f.gaps()
	for i := range gaps {
		if u := &gaps[i]; u.looks == inNode && u.path != nil && !u.never && f.besideOnly(u) == nil {
			byPoint[u.point] = append(byPoint[u.point], i)
		}
	}
	for at := range f.points {
		if list := byPoint[at]; len(list) > 1 {
			if lost := f.lostJoin(at, list); len(lost.fields) > 1 {
				f.c.flowing.lost = append(f.c.flowing.lost, lost)
			}
		}
	}
	return f.c.flowing.lost
}

// lostJoin finds fields among those that a point reads in vain of which no run has two there.
func (f *flow) lostJoin(at int, gaps []int) lostJoin {
	lost := lostJoin{point: at}
	found := f.gaps()
	from := map[int][]bool{} // by field, the points that a run can come to once it is written
	var fields []int
	for _, i := range gaps {
		field := found[i].field
		if from[field] == nil {
			from[field] = f.behind(f.writing(field))
			fields = append(fields, field)
		}
	}
	apart := func(a, b int) bool {
		return !slices.ContainsFunc(f.writing(b), func(w int) bool { return from[a][w] }) &&
			!slices.ContainsFunc(f.writing(a), func(w int) bool { return from[b][w] })
	}
	for i, first := range fields {
		lost.fields = []int{first}
		for _, other := range fields[i+1:] {
			if from[first][at] && from[other][at] && !slices.ContainsFunc(lost.fields, func(one int) bool { return !apart(one, other) }) {
				lost.fields = append(lost.fields, other)
			}
		}
		if len(lost.fields) > 1 {
			break
		}
	}
	for _, i := range gaps {
		if slices.Contains(lost.fields, found[i].field) {
			lost.gaps = append(lost.gaps, i)
		}
	}
	return lost
}

// behind returns the points that are some or that a run can come to from these.
func (f *flow) behind(starts []int) []bool {
	seen := make([]bool, len(f.points))
	todo := slices.Clone(starts)
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		for _, o := range f.points[at].outcomes {
			for _, m := range o.moves {
				if m.to != theEnd {
					todo = append(todo, m.to)
				}
			}
		}
	}
	return seen
}

func lostJoins(c *context) {
	f := c.dataFlow()
	if f == nil {
		return
	}
	gaps := f.gaps()
	for _, lost := range f.lostJoins() {
		var names, ways []string
		var notes []diag.Related
		var points []int
		for _, field := range lost.fields {
			name := quote(f.fields[field].Name)
			at := f.writing(field)[0]
			points = append(points, at)
			w := f.writerAt(f.points[at].node, field)
			names = append(names, name)
			ways = append(ways, quote(w.node.Spec.Name.V))
			notes = append(notes, diag.Related{Pos: w.pos, Message: "node " + quote(w.node.Spec.Name.V) + " writes " + name})
		}
		reader := f.points[lost.point].node
		if u := &gaps[lost.gaps[0]]; !slices.ContainsFunc(lost.gaps, func(i int) bool { return gaps[i].node != u.node }) {
			reader = u.node
		}
		c.report(f.place(&gaps[lost.gaps[0]]), "node "+quote(reader.Spec.Name.V)+" reads "+anded(names, "and")+", but no run has both: from "+quote(f.fork(points))+" it comes to either "+anded(ways, "or"),
			"run "+anded(ways, "and")+" as branches of a parallel before "+quote(outermost(reader).Spec.Name.V)+", or one after the other; or make the fields optional", notes...)
	}
}

// anded lists names as a sentence does.
func anded(names []string, last string) string {
	n := len(names) - 1
	return strings.Join(names[:n], ", ") + " " + last + " " + names[n]
}

// writerAt returns the place where a node, or one that it runs, writes a field.
func (f *flow) writerAt(host *resolve.Node, field int) writtenAt {
	for _, n := range append([]*resolve.Node{host}, host.Inside()...) {
		for _, w := range n.Writes {
			if !n.Kind.Composite() && f.number[w.To] == field {
				return writtenAt{n, w.Name.Pos}
			}
		}
	}
	return writtenAt{host, host.Spec.Name.Pos}
}

// fork returns the name of the last node that the shortest ways to some points have in common.
func (f *flow) fork(points []int) string {
	from := map[int]int{f.entry: theEnd}
	todo := []int{f.entry}
	for i := 0; i < len(todo); i++ {
		for _, o := range f.points[todo[i]].outcomes {
			for _, m := range o.moves {
				if _, seen := from[m.to]; m.to != theEnd && !seen {
					from[m.to] = todo[i]
					todo = append(todo, m.to)
				}
			}
		}
	}
	var common []int
	for i, p := range points {
		var chain []int
		for at := p; at != theEnd; at = from[at] {
			chain = append(chain, at)
		}
		slices.Reverse(chain)
		if i == 0 {
			common = chain
			continue
		}
		n := 0
		for n < len(common) && n < len(chain) && common[n] == chain[n] {
			n++
		}
		common = common[:n]
	}
	return f.points[common[len(common)-1]].node.Spec.Name.V
}
