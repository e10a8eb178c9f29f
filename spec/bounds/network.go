package bounds

import (
	"slices"

	"github.com/graphgen/graphgen/spec/scc"
)

// unbounded is the capacity of an arc without a bound.
const unbounded = 1 << 40

// An arc carries flow between two ports, up to a capacity. steps is the cost of one unit. Arcs come
// in pairs: the second takes flow back.
type arc struct {
	from, to int
	room     int // free capacity
	capacity int
	steps    int
}

// A network is a directed graph with flow.
type network struct {
	arcs     []arc
	arcsFrom [][]int // by the port they leave

	effort *effort // nil: unlimited

	distance, by []int // of the last search
	queue        []int
	queued       []bool
}

// An effort bounds work, in arcs. Several searches share it.
type effort struct{ left int }

// spend uses some of the effort. It reports whether there was enough.
func (e *effort) spend(arcs int) bool {
	if e == nil {
		return true
	}
	e.left -= arcs
	return e.left >= 0
}

// over reports whether the effort is used up. The result of the search is then unknown.
func (e *effort) over() bool { return e != nil && e.left < 0 }

// port adds a port.
func (n *network) port() int {
	n.arcsFrom = append(n.arcsFrom, nil)
	return len(n.arcsFrom) - 1
}

// connect adds an arc and returns its number.
func (n *network) connect(from, to, capacity, steps int) int {
	i := len(n.arcs)
	n.arcs = append(n.arcs, arc{from, to, capacity, capacity, steps}, arc{to, from, 0, 0, -steps})
	n.arcsFrom[from] = append(n.arcsFrom[from], i)
	n.arcsFrom[to] = append(n.arcsFrom[to], i+1)
	return i
}

// flow returns the flow of an arc.
func (n *network) flow(i int) int { return max(0, n.arcs[i].capacity-n.arcs[i].room) }

// push adds flow to an arc.
func (n *network) push(i, amount int) {
	n.arcs[i].room -= amount
	n.arcs[i^1].room += amount
}

// limit sets the capacity of an arc without flow.
func (n *network) limit(i, capacity int) { n.arcs[i].capacity, n.arcs[i].room = capacity, capacity }

// drain removes all flow.
func (n *network) drain() {
	for i := range n.arcs {
		n.arcs[i].room = n.arcs[i].capacity
	}
}

const unreachable = 1 << 60

// search computes the fewest steps from a port to all others, over arcs with free capacity. There
// must be no cycle of negative steps among them. The search stops when the effort is over.
func (n *network) search(from int) {
	if len(n.distance) != len(n.arcsFrom) {
		n.distance, n.by, n.queued = make([]int, len(n.arcsFrom)), make([]int, len(n.arcsFrom)), make([]bool, len(n.arcsFrom))
	}
	for i := range n.distance {
		n.distance[i], n.by[i] = unreachable, -1
	}
	n.distance[from] = 0
	n.queue = append(n.queue[:0], from)
	for head := 0; head < len(n.queue); head++ {
		p := n.queue[head]
		n.queued[p] = false
		if !n.effort.spend(len(n.arcsFrom[p])) {
			break
		}
		for _, i := range n.arcsFrom[p] {
			a := &n.arcs[i]
			if d := n.distance[p] + a.steps; a.room > 0 && d < n.distance[a.to] {
				n.distance[a.to], n.by[a.to] = d, i
				if !n.queued[a.to] {
					n.queued[a.to] = true
					n.queue = append(n.queue, a.to)
				}
			}
		}
	}
}

// pathTo returns the arcs by which the last search reached a port, and their free capacity.
func (n *network) pathTo(to int) (path []int, room int) {
	room = unbounded
	for i := n.by[to]; i >= 0; i = n.by[n.arcs[i].from] {
		path = append(path, i)
		room = min(room, n.arcs[i].room)
	}
	return path, room
}

// negativeCycle returns a cycle of negative steps over arcs with free capacity. It returns nil if
// it finds none or the effort is over. (Bellman-Ford; the parents are examined after every round.)
func (n *network) negativeCycle() []int {
	ports := len(n.arcsFrom)
	distance, by := make([]int, ports), make([]int, ports)
	for i := range by {
		by[i] = -1
	}
	seen := make([]int, ports)
	for round := 1; ; round++ {
		changed := false
		if !n.effort.spend(len(n.arcs)) {
			return nil
		}
		for i := range n.arcs {
			a := &n.arcs[i]
			if d := distance[a.from] + a.steps; a.room > 0 && d < distance[a.to] {
				distance[a.to], by[a.to], changed = d, i, true
			}
		}
		if !changed {
			return nil
		}
		clear(seen)
		for p := range by {
			at := p
			for ; by[at] >= 0 && seen[at] == 0; at = n.arcs[by[at]].from {
				seen[at] = p + 1
			}
			if by[at] >= 0 && seen[at] == p+1 {
				return n.cycle(by, at)
			}
		}
	}
}

// cycle returns the arcs of a cycle through a port.
func (n *network) cycle(by []int, at int) []int {
	var out []int
	for p := at; ; {
		out = append(out, by[p])
		p = n.arcs[by[p]].from
		if p == at {
			return out
		}
	}
}

// send pushes flow along arcs.
func (n *network) send(path []int, amount int) {
	for _, i := range path {
		n.push(i, amount)
	}
}

// components numbers the strongly connected components, each after those that it leads to.
func (n *network) components() (of []int, count int) {
	next := make([][]int, len(n.arcsFrom))
	for i := range n.arcs {
		if a := &n.arcs[i]; a.capacity > 0 {
			next[a.from] = append(next[a.from], a.to)
		}
	}
	of = scc.Components(next, nil)
	return of, slices.Max(of) + 1
}
