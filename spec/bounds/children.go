package bounds

import (
	"slices"

	"github.com/graphgen/graphgen/spec/explore"
)

// maxVisitCounts is the number of visits of a composite node that are distinguished to bound those
// of its children.
const maxVisitCounts = 1000

// children bounds the visits of the children of composite nodes, given the visits of the composite
// nodes.
func (m *model) children(visits []int) {
	rooms := map[*explore.Node][]int{}
	m.singleVisits = m.graph.NewCostModel()
	for i, n := range m.graph.Nodes {
		if n.Parent == nil {
			continue
		}
		composite := n.Root()
		if rooms[composite] == nil {
			rooms[composite] = m.stepsLeft(composite)
		}
		visits[i] = m.childVisits(n, composite, visits[composite.Index], rooms[composite])
	}
}

// stepsLeft returns the steps that are left for the regions of a composite node, by the number of
// its visits. Only the component of the network that contains the node is searched.
func (m *model) stepsLeft(composite *explore.Node) []int {
	i, most := composite.Index, m.graph.MaxSteps
	s, t := m.structure(), m.visiting(i)
	first := most - s.distance[t.from] - t.steps
	switch {
	case s.distance[t.from] == unreachable || first < 0:
		return nil
	case s.component[t.from] != s.component[t.to]:
		return []int{first}
	}
	p := m.component(s, t.from)
	for _, arc := range []int{m.finish[i], m.failing[i]} {
		if within, ok := p.arcs[arc]; ok {
			steps := p.net.arcs[within].steps
			p.net.cost(within, 0)
			defer p.net.cost(within, steps)
		}
	}
	defer func(e *effort) { p.net.effort = e }(p.net.effort)
	p.net.effort = m.roomWork
	t.arc, t.from, t.to = p.arcs[t.arc], s.number[t.from], s.number[t.to]
	var left []int
	p.net.each(p.start, t, most, func(times, each, all int) {
		for range min(times, maxVisitCounts-len(left)) {
			before := most - all + each*(times-1)
			left = append(left, before)
			times--
		}
	})
	if m.roomWork.over() { // no later visit leaves more steps than the first
		return slices.Repeat([]int{first}, min(composite.MaxVisits, maxVisitCounts))
	}
	return left
}

// childVisits returns the most visits of a child.
func (m *model) childVisits(n, composite *explore.Node, visits int, rooms []int) int {
	if visits == 0 || len(rooms) == 0 {
		return 0
	}
	once := repeats(n)
	if m.costWork.spend(m.size(composite)) {
		m.singleVisits.Visit[n.Index] = 1
		costs := m.singleVisits.Regions(composite).Any()
		m.singleVisits.Visit[n.Index] = 0
		if !costs.Possible() {
			return 0
		}
		once = costs.Max.Amount
	}
	best := 0
	for i, room := range rooms[:min(len(rooms), visits)] {
		best = max(best, min(times(i+1, once), room))
	}
	if visits > len(rooms) {
		best = max(best, min(times(visits, once), rooms[0]))
	}
	if p := m.profile(n, min(best, rooms[0]), rooms[0]); p != nil {
		if most := p.most(composite, rooms[:min(len(rooms), visits)], best); !p.effort.over() {
			return most
		}
	}
	return best
}

// repeats returns the most visits of a node in one visit of the outermost composite node around it,
// from the settings of the nodes around it alone.
func repeats(n *explore.Node) int {
	all := 1
	if n.Composite == nil && n.Loops {
		all = n.MaxVisits
	}
	for composite := n.Parent; composite != nil; composite = composite.Parent {
		in := composite.Composite
		all = times(all, max(1, in.MaxRuns))
		all = times(all, max(1, in.Executions))
	}
	return all
}

// size returns the number of nodes within a composite node, itself included.
func (m *model) size(composite *explore.Node) int {
	if m.sizes == nil {
		m.sizes = map[*explore.Node]int{}
		for _, n := range m.graph.Nodes {
			m.sizes[n.Root()]++
		}
	}
	return m.sizes[composite]
}

// visitCostModel counts the visits of one node.
func visitCostModel(g *explore.Graph, n *explore.Node) *explore.CostModel {
	m := g.NewCostModel()
	m.Visit[n.Index] = 1
	return m
}

// times returns a*b, at most explore.Unbounded.
func times(a, b int) int { return product(a, b) }

func product(a, b int) int {
	if a > 0 && b > explore.Unbounded/a {
		return explore.Unbounded
	}
	return a * b
}

// A profile computes the fewest steps for each number of visits of a child.
type profile struct {
	graph *explore.Graph
	node  *explore.Node
	size  int // the greatest number of visits
	room  int // the greatest number of steps

	effort *effort // shared by all profiles of a graph
}

// A row holds the fewest steps by the number of visits; none: impossible.
type row []int

const none = 1 << 60

// stepCosts are the rows of a success, of a failure, and of a visit at which the steps are used up.
type stepCosts struct{ success, failure, cut row }

// maxProfileWork bounds the work for one profile: visits squared times steps. maxProfileComparisons
// bounds the work for all profiles of a graph.
const (
	maxProfileWork        = 20_000_000
	maxProfileComparisons = 400_000_000
)

// eachRow is the cost of making a row, in comparisons.
const eachRow = 1000

// maxCostModelWork bounds the work for the visits of children, in nodes.
const maxCostModelWork = 200_000

// profile returns nil if the profile would be too much work.
func (m *model) profile(n *explore.Node, size, room int) *profile {
	if size <= 0 || size > 1000 || size*size*room > maxProfileWork || m.profileWork.over() {
		return nil
	}
	return &profile{m.graph, n, size, room, m.profileWork}
}

// most returns the most visits for which there are enough steps, at most the given number. rooms
// has the steps that are left, by the visits of the composite node.
func (p *profile) most(composite *explore.Node, rooms []int, most int) int {
	y := p.regions(composite)
	done, before := either(y.success, y.failure), p.zero()
	if composite.Skip {
		done = either(done, p.zero())
	}
	best := 0
	for _, room := range rooms {
		last := p.then(before, either(y.cut, done))
		for j := range last {
			if last[j] <= room && j > best {
				best = j
			}
		}
		if before = p.then(before, done); before.empty() {
			break
		}
	}
	return min(best, most)
}

func (p *profile) blank() row { return slices.Repeat(row{none}, p.size+1) }

// zero returns the row of no visits and no steps.
func (p *profile) zero() row {
	r := p.blank()
	r[0] = 0
	return r
}

func (r row) empty() bool {
	return !slices.ContainsFunc(r, func(steps int) bool { return steps < none })
}

func either(a, b row) row {
	out := slices.Clone(a)
	for j := range out {
		out[j] = min(out[j], b[j])
	}
	return out
}

// then returns a followed by b, within the steps.
func (p *profile) then(a, b row) row {
	out := p.blank()
	p.thenInto(out, a, b)
	return out
}

// thenInto lowers the steps of a row to the steps of a followed by b.
func (p *profile) thenInto(out, a, b row) {
	if !p.effort.spend(len(a) + eachRow) {
		return
	}
	for i, x := range a {
		if x > p.room {
			continue
		}
		p.effort.spend(len(b) - i)
		for j, y := range b[:len(b)-i] {
			if x+y <= p.room {
				out[i+j] = min(out[i+j], x+y)
			}
		}
	}
}

// after returns y after the successes of a.
func (p *profile) after(a row, y stepCosts) stepCosts {
	return stepCosts{p.then(a, y.success), p.then(a, y.failure), p.then(a, y.cut)}
}

// union returns the costs of either.
func (y stepCosts) union(z stepCosts) stepCosts {
	return stepCosts{either(y.success, z.success), either(y.failure, z.failure), either(y.cut, z.cut)}
}

// impossible returns the costs of something that does not occur.
func (p *profile) impossible() stepCosts { return stepCosts{p.blank(), p.blank(), p.blank()} }

// prefix returns the costs of something that others may cancel at any point.
func (p *profile) prefix(y stepCosts) row {
	return either(either(y.success, y.failure), either(y.cut, p.zero()))
}

func (p *profile) chain(nodes []*explore.Node) stepCosts {
	out := p.impossible()
	at := make([]row, len(nodes)+1) // the successes before each node, and at the end
	at[0] = p.zero()
	for i, n := range nodes {
		if at[i] == nil {
			continue // nothing leads to it
		}
		next := p.after(at[i], p.child(n))
		for _, to := range n.Next() {
			if at[to] == nil {
				at[to] = next.success
			} else {
				at[to] = either(at[to], next.success)
			}
		}
		next.success = p.blank()
		out = out.union(next)
	}
	if end := at[len(nodes)]; end != nil {
		out.success = end
	}
	return out
}

// child returns the costs of one execution of a node.
func (p *profile) child(n *explore.Node) stepCosts {
	if p.effort.over() {
		return p.impossible()
	}
	var y stepCosts
	if n.Composite == nil {
		y = p.leaf(n)
	} else {
		y = p.regions(n)
		own := p.visits(n, 1, 1)
		cut := either(p.blank(), p.blank())
		if n == p.node {
			cut = own
		}
		y = p.after(own, y)
		y.cut = either(y.cut, cut)
		if n.Skip {
			y.success = either(y.success, own)
		}
	}
	if n.Soft {
		used := p.blank()
		if n.Loops && n.Composite == nil {
			used = p.visits(n, n.MaxVisits, n.MaxVisits)
		}
		if !n.Evals {
			y.success, y.failure = either(y.success, y.failure), used
		}
	}
	return y
}

// visits returns the row of from to n visits of a node.
func (p *profile) visits(n *explore.Node, from, to int) row {
	out := p.blank()
	for k := from; k <= min(to, p.room); k++ {
		switch {
		case n != p.node:
			out[0] = min(out[0], k)
		case k <= p.size:
			out[k] = k
		}
	}
	return out
}

func (p *profile) leaf(n *explore.Node) stepCosts {
	most := 1
	if n.Loops {
		most = n.MaxVisits
	}
	done := p.visits(n, 1, most)
	if most == 0 {
		done = p.zero()
	}
	cut := p.blank()
	if n == p.node {
		cut = done
	}
	return stepCosts{done, done, cut}
}

// regions returns the costs of the regions of a composite node in one visit.
func (p *profile) regions(n *explore.Node) stepCosts {
	in := n.Composite
	each := make([]stepCosts, len(in.Regions))
	for i, r := range in.Regions {
		each[i] = p.chain(r.Nodes)
	}
	var out stepCosts
	switch {
	case len(each) == 0:
		out = p.impossible()
		out.success = p.zero()
	case in.Kind.Loops():
		out = p.loop(in, each[0])
	case in.Kind.OnFailure:
		out = p.again(p.cutOff(in, each[0]), in.MaxRuns)
	case in.Kind.Each:
		out = p.each(in, each[0])
	case in.Kind.Branches():
		out = p.join(in, each)
	default:
		out = p.pool(in, each)
	}
	return p.again(p.cutOff(in, out), in.Executions)
}

// cutOff adds the failures of an execution that its timeout ends.
func (p *profile) cutOff(in *explore.Composite, out stepCosts) stepCosts {
	if in.Timeout {
		out.failure = either(out.failure, p.prefix(out))
	}
	return out
}

func (p *profile) loop(in *explore.Composite, body stepCosts) stepCosts {
	out, before := p.impossible(), p.zero()
	for k := range in.MaxRuns {
		next := p.after(before, body)
		before = next.success
		if in.Panics {
			next.failure = either(next.failure, next.success)
		}
		if !in.Until && k < in.MaxRuns-1 {
			next.success = p.blank()
		}
		out = out.union(next)
		if before.empty() {
			break
		}
	}
	return out
}

func (p *profile) again(y stepCosts, executions int) stepCosts {
	out, before := p.impossible(), p.zero()
	for range max(1, executions) {
		out = out.union(p.after(before, y))
		if before = p.then(before, y.failure); before.empty() {
			break
		}
	}
	return out
}

// pool returns the costs of a pool. It ignores that nodes may not be picked again.
func (p *profile) pool(in *explore.Composite, each []stepCosts) stepCosts {
	any, out, before := p.impossible(), p.impossible(), p.zero()
	if in.Entry == nil {
		out.success, out.failure = p.zero(), p.zero()
	}
	for _, y := range each {
		any = any.union(y)
	}
	for range in.MaxRuns {
		next := p.after(before, any)
		before = next.success
		next.failure = either(next.failure, next.success)
		out = out.union(next)
		if before.empty() {
			break
		}
	}
	return out
}
