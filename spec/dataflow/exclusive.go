package dataflow

import (
	"slices"

	"github.com/graphgen/graphgen/spec/resolve"
)

// An Exclusive is a node that reads several fields of which no run writes two before it.
type Exclusive struct {
	Reads   []int           // indices of Unassigned: the reads of these fields at the node
	Fields  []int           // the fields
	Writers []*resolve.Node // of each field, a node that writes it
	Node    *resolve.Node   // to which transitions lead, and which reads the fields or runs what does
	Fork    *resolve.Node   // the last node that the shortest paths to the writers have in common
}

// Exclusive finds the nodes that read fields of which no run has two, among the reads for which
// consider is true.
func (f *Flow) Exclusive(consider func(*Read) bool) []Exclusive {
	byPoint := map[int][]int{}
	reads := f.Unassigned()
	for i := range reads {
		if r := &reads[i]; r.Place == InNode && r.Path != nil && !r.Never && consider(r) {
			byPoint[r.point] = append(byPoint[r.point], i)
		}
	}
	var found []Exclusive
	for at := range f.points {
		if list := byPoint[at]; len(list) > 1 {
			if x := f.exclusive(at, list); len(x.Fields) > 1 {
				found = append(found, x)
			}
		}
	}
	return found
}

// exclusive finds fields of which no run has two at a point, among some reads.
func (f *Flow) exclusive(at int, list []int) Exclusive {
	x, reads := Exclusive{Node: f.node(at)}, f.Unassigned()
	reached := map[int][]bool{} // by field, the points that a run can reach from a write
	var fields []int
	for _, i := range list {
		field := reads[i].Field
		if reached[field] == nil {
			reached[field] = f.reachedFrom(f.writersOf(field))
			fields = append(fields, field)
		}
	}
	apart := func(a, b int) bool {
		return !slices.ContainsFunc(f.writersOf(b), func(w int) bool { return reached[a][w] }) &&
			!slices.ContainsFunc(f.writersOf(a), func(w int) bool { return reached[b][w] })
	}
	for i, first := range fields {
		x.Fields = []int{first}
		for _, other := range fields[i+1:] {
			if reached[first][at] && reached[other][at] && !slices.ContainsFunc(x.Fields, func(one int) bool { return !apart(one, other) }) {
				x.Fields = append(x.Fields, other)
			}
		}
		if len(x.Fields) > 1 {
			break
		}
	}
	for _, i := range list {
		if slices.Contains(x.Fields, reads[i].Field) {
			x.Reads = append(x.Reads, i)
		}
	}
	if len(x.Fields) > 1 {
		var points []int
		for _, field := range x.Fields {
			writer := f.writersOf(field)[0]
			points = append(points, writer)
			x.Writers = append(x.Writers, f.node(writer))
		}
		x.Fork = f.fork(points)
	}
	return x
}

// reachedFrom returns the points that a run can reach from others, which are among them.
func (f *Flow) reachedFrom(starts []int) []bool {
	seen := make([]bool, len(f.points))
	todo := slices.Clone(starts)
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !seen[at] {
			seen[at] = true
			f.eachSuccessor(at, func(to int) { todo = append(todo, to) })
		}
	}
	return seen
}

// fork returns the last node that the shortest paths to some points have in common.
func (f *Flow) fork(points []int) *resolve.Node {
	from := map[int]int{f.entry: exit}
	todo := []int{f.entry}
	for i := 0; i < len(todo); i++ {
		f.eachSuccessor(todo[i], func(to int) {
			if _, seen := from[to]; !seen {
				from[to] = todo[i]
				todo = append(todo, to)
			}
		})
	}
	var common []int
	for i, p := range points {
		var path []int
		for at := p; at != exit; at = from[at] {
			path = append(path, at)
		}
		slices.Reverse(path)
		if i == 0 {
			common = path
			continue
		}
		n := 0
		for n < len(common) && n < len(path) && common[n] == path[n] {
			n++
		}
		common = common[:n]
	}
	return f.node(common[len(common)-1])
}
