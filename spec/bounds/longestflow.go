package bounds

import "slices"

// A longestFlow searches for the walk of most steps. The network falls into strongly connected
// components, and a walk that has left one does not return. So the most steps from a port on are
// those within its component, to some port that leads out, plus the most steps from there. Within a
// component, the flow of one unit between two ports with the most steps makes at least as many
// steps as any walk.
type longestFlow struct {
	net    *network
	limit  int // the search stops at this number of steps
	effort *effort

	part    []int // the component of every port
	members [][]int
	best    []int // most steps from a port on, for ports at which walks enter their component; -1: not computed
	choice  []choice
}

// A choice records how the most steps from a port on are reached.
type choice struct {
	exit int // the port at which the component is left; -1: the walk ends in it
	arc  int // the arc by which the component is left
}

// newLongestFlow returns the most steps of a flow from a port, at most limit.
func newLongestFlow(n *network, start, limit int) (*longestFlow, int) {
	n.drain()
	part, count := n.components()
	l := &longestFlow{net: n, limit: limit, effort: &effort{maxFlowWork}, part: part, members: make([][]int, count)}
	l.best, l.choice = make([]int, len(part)), make([]choice, len(part))
	entered := make([]bool, len(part))
	entered[start] = true
	for p := range part {
		l.members[part[p]] = append(l.members[part[p]], p)
		l.best[p] = -1
	}
	for i := range n.arcs {
		if a := &n.arcs[i]; a.capacity > 0 && part[a.from] != part[a.to] {
			entered[a.to] = true
		}
	}
	n.search(start)
	reached := slices.Clone(n.distance)
	for _, members := range l.members { // each component after those that it leads to
		for _, p := range members {
			if entered[p] && reached[p] < unreachable {
				l.best[p], l.choice[p] = l.from(p)
			}
		}
	}
	return l, l.best[start]
}

// from returns the most steps from a port at which walks enter its component.
func (l *longestFlow) from(p int) (int, choice) {
	inner := l.componentFlow(p)
	best, by := min(inner.steps, l.limit), choice{-1, -1}
	if inner.limitReached {
		return best, by
	}
	inner.net.search(inner.end)
	for i, q := range l.members[l.part[p]] {
		for _, a := range l.net.arcsFrom[q] {
			arc := &l.net.arcs[a]
			if arc.capacity == 0 || l.part[arc.to] == l.part[q] || inner.net.distance[i] == unreachable || l.best[arc.to] < 0 {
				continue
			}
			if s := min(inner.steps-inner.net.distance[i]+arc.steps+l.best[arc.to], l.limit); s > best {
				best, by = s, choice{q, a}
			}
		}
	}
	return best, by
}

// A componentFlow is the flow of most steps within a component.
type componentFlow struct {
	net          network
	arcs         []int // arcs of the whole network, by the pair of an arc
	start        int
	end          int // a port that every other leads to
	steps        int
	limitReached bool // the steps reach the limit; the flow need not be the one of most steps
}

// maxFlowWork bounds the search for flows of most steps, in arcs. Beyond it, the limit is the
// bound.
const maxFlowWork = 15_000_000

// componentFlow returns the flow of most steps from a port to any port of its component. It adds
// flow around every cycle that makes steps, until none is left.
func (l *longestFlow) componentFlow(p int) *componentFlow {
	members := l.members[l.part[p]]
	number := make(map[int]int, len(members))
	in := &componentFlow{}
	in.net.effort = l.effort
	for i, q := range members {
		number[q] = i
		in.net.port()
	}
	in.start, in.end = number[p], in.net.port()
	for _, q := range members {
		for _, i := range l.net.arcsFrom[q] {
			a := &l.net.arcs[i]
			if to, ok := number[a.to]; ok && a.capacity > 0 {
				in.net.connect(number[q], to, a.capacity, -a.steps)
				in.arcs = append(in.arcs, i)
			}
		}
	}
	for i := range members {
		stop := in.net.connect(i, in.end, 1, 0)
		if i == in.start {
			in.net.push(stop, 1)
		}
	}
	for !in.limitReached {
		cycle := in.net.negativeCycle()
		if l.effort.over() {
			in.steps, in.limitReached = l.limit, true // never too low
			break
		}
		if cycle == nil {
			break
		}
		each, room := 0, unbounded
		for _, i := range cycle {
			each -= in.net.arcs[i].steps
			room = min(room, in.net.arcs[i].room)
		}
		in.net.send(cycle, room)
		in.steps += product(each, room)
		in.limitReached = in.steps >= l.limit
	}
	return in
}

// flow returns the flow of most steps by arc, and the port at which it ends.
func (l *longestFlow) flow(start int) (carried map[int]int, end int) {
	carried, l.effort = map[int]int{}, &effort{maxFlowWork}
	for p := start; ; {
		inner, by := l.componentFlow(p), l.choice[p]
		if by.exit >= 0 {
			inner.net.search(inner.end)
			path, _ := inner.net.pathTo(slices.Index(l.members[l.part[p]], by.exit))
			inner.net.send(path, 1)
			end = by.exit
		} else {
			end = l.members[l.part[p]][inner.endMember()]
		}
		for k, i := range inner.arcs {
			if f := inner.net.flow(2 * k); f > 0 {
				carried[i] += f
			}
		}
		if by.exit < 0 {
			return carried, end
		}
		carried[by.arc]++
		p = l.net.arcs[by.arc].to
	}
}

// endMember returns the port of the component at which the flow ends.
func (in *componentFlow) endMember() int {
	for i := range in.net.arcs {
		if a := &in.net.arcs[i]; a.to == in.end && in.net.flow(i) > 0 && a.capacity > 0 {
			return a.from
		}
	}
	return in.start
}
