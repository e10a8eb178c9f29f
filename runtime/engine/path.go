package engine

import (
	"slices"

	"github.com/graphgen/graphgen"
)

// A path is what a run has followed of its graph: how often each transition and each node, and the last transitions in their order.
//
// The transitions are a ring. It begins in the record of the run, grows fourfold, and keeps the last ones once it has its full length, so
// that an endless run uses bounded memory.
type Path struct {
	graph  *Graph
	n      int            // how many transitions were added
	limit  int            // SlowStep is due when so many were added
	tail   NodeID         // the last node that was reached
	joined bool           // it has the paths of child runs, without their ends
	ring   []TransitionID // the last of them: number n is at n % len(ring)
	edges  []uint32       // by transition: how often it was followed
	visits []uint32       // by node: how often it was entered, plus where it began to count; of a child run, since it began

	around *Path // of the run around this one; nil: there is none
	base   int   // how many steps that had made when this run began
	behind int   // how many steps the child runs of the current node have made

	corrected *corrections            // nil: there are none
	first     [firstPath]TransitionID // the first ring
}

// Corrections are what the counters and the ring of a path do not show.
type corrections struct {
	gap    int                     // the ring has none of the transitions before this number, whatever its length
	missed map[TransitionID]uint32 // by pair: how often a transition counts as followed for its bound alone
	ran    []uint32                // by node: how often it ran before the child run began again
}

const (
	firstPath = 16
	shortPath = 1 << 10 // the full length of a ring
	longPath  = 1 << 14 // of a run that is observed, or has to report
)

// pathLength returns how many transitions the path of a run keeps.
func (s *Settings) pathLength() int {
	if s.Report != nil || s.isWatched() || s.nesting != nil {
		return longPath
	}
	return shortPath
}

// begin makes the path an empty one in a graph. Its counters are zero.
func (p *Path) begin(g *Graph, counters []uint32) {
	p.graph = g
	transitions := len(g.Transitions)
	p.edges, p.visits = counters[:transitions:transitions], counters[transitions:]
	if g.bounds() {
		g.bound(p.visits)
	}
	p.ring = p.first[:]
}

// correct returns the corrections, to be written.
func (p *Path) correct() *corrections {
	if p.corrected == nil {
		p.corrected = new(corrections)
	}
	return p.corrected
}

// gap returns the number before which the ring has no transition, whatever its length.
func (p *Path) gap() int {
	if p.corrected == nil {
		return 0
	}
	return p.corrected.gap
}

// ranBefore returns how often nodes ran before the child run began again, nil if it has not.
func (p *Path) ranBefore() []uint32 {
	if p.corrected == nil {
		return nil
	}
	return p.corrected.ran
}

// copied returns a copy that grows apart.
func (p *Path) copied() Path {
	c := *p
	c.ring, c.edges, c.visits = slices.Clone(p.ring), slices.Clone(p.edges), slices.Clone(p.visits)
	if p.corrected != nil {
		of := *p.corrected
		of.ran = slices.Clone(of.ran)
		c.corrected = &of
	}
	return c
}

// count counts a transition, and the visit to its node.
func (p *Path) count(transition TransitionID, to NodeID) {
	if transition < firstCommon {
		if int(transition) >= len(p.edges) {
			p.edges = grown(p.edges, int(transition))
		}
		p.edges[transition]++
	}
	if int(to) >= len(p.visits) {
		p.visits = grown(p.visits, int(to))
	}
	p.visits[to]++
}

// follow counts a transition that a step takes, and adds it. s are the settings of the run.
func (p *Path) follow(transition TransitionID, to NodeID, s *Settings) {
	p.count(transition, to)
	p.tail = to
	p.add(transition, s)
}

// requireSlowStep makes SlowStep due at the end of this step: something has to be undone before the next one.
func (p *Path) requireSlowStep() { p.limit = 0 }

// add adds a transition to the ring. It makes the ring longer where that is full, and the settings allow it.
func (p *Path) add(transition TransitionID, s *Settings) {
	if size := len(p.ring); p.n-p.gap() >= size && size < s.pathLength() {
		p.grow(min(4*size, s.pathLength()))
	}
	p.ring[p.n&(len(p.ring)-1)] = transition
	p.n++
}

func (p *Path) grow(size int) {
	ring := make([]TransitionID, size)
	for i := p.oldest(); i < p.n; i++ {
		ring[i&(size-1)] = p.at(i)
	}
	p.ring = ring
}

// at returns the transition of a number.
func (p *Path) at(number int) TransitionID { return p.ring[number&(len(p.ring)-1)] }

// oldest returns the number of the first transition that the ring has.
func (p *Path) oldest() int { return max(p.gap(), p.n-len(p.ring)) }

// last returns the transition that was added last; the entry if none was.
func (p *Path) last() TransitionID {
	if p.n == 0 {
		return entry
	}
	return p.at(p.n - 1)
}

// InToolLoop reports whether the current node has led to itself, to see what the tools gave that its model has called.
func (p *Path) InToolLoop() bool {
	last := p.last()
	if last >= firstCommon {
		return false
	}
	w := p.graph.transition(last)
	return w.Rule == graphgen.RuleToolLoop && w.From == w.To
}

// steps returns how many steps the path has. The transition to the end is not a step.
func (p *Path) steps() int {
	if p.n > 0 && p.graph.to(p.last()) == End {
		return p.n - 1
	}
	return p.n
}

// Step returns the number of the current step in the whole run, from 1. Concurrent branches each count on
// from the step at which the fork began.
func (p *Path) Step() int { return p.base + p.steps() - p.behind }

// visit counts the visits to a node so far, in this run and in the runs around it.
func (p *Path) visit(n NodeID) int {
	count := int(p.entered(n))
	if ran := p.ranBefore(); ran != nil {
		count += int(ran[n])
	}
	if p.around != nil {
		count += p.around.visit(n)
	}
	return count
}

// isExhausted reports whether a node has used up its visits. The run may have changed its graph.
func (p *Path) isExhausted(n NodeID, changed bool) bool {
	if changed {
		return p.entered(n) >= p.graph.mostVisits(n)
	}
	return p.visits[n] == usedUpVisits
}

// failureRoute returns the first open transition for a failure of a node: its own, then on_error of the graph, which is not for nodes in
// regions. It returns Aborted if there is none. A node that has not run has no visits left: its error edges and its flag critical do not
// apply. What is cut short leads nowhere in its region.
func (p *Path) failureRoute(at NodeID, ran, cutShort bool) TransitionID {
	g := p.graph
	var n NodeInfo // an added prompt has no row
	if int(at) < len(g.Nodes) {
		n = g.Nodes[at]
	}
	if n.Critical && ran || n.Parent != End && cutShort {
		return Aborted
	}
	if ran {
		for _, transition := range n.OnError {
			if !p.isUsedUp(g.transition(transition)) {
				return transition
			}
		}
	}
	switch {
	case n.ErrorTo != 0:
		return n.ErrorTo
	case n.Parent != End || g.OnError == 0 || g.to(g.OnError) == at:
		return Aborted
	}
	return g.OnError
}

// budgetRoute returns the first open on: budget edge of a node that finds a budget spent. It returns Aborted if there is none. What is cut short leads
// nowhere in its region. The budget stays spent: calls that draw on it are refused from then on.
func (p *Path) budgetRoute(at NodeID, cutShort bool) TransitionID {
	if int(at) >= len(p.graph.Nodes) { // an added prompt has no row
		return Aborted
	}
	n := &p.graph.Nodes[at]
	if n.Parent != End && cutShort {
		return Aborted
	}
	for _, transition := range n.OnBudget {
		if !p.isUsedUp(p.graph.transition(transition)) {
			return transition
		}
	}
	return Aborted
}

// takeBack takes the last step back: its node was reached but must not run. For its bound, the transition to it was followed
// nonetheless.
func (p *Path) takeBack() {
	transition := p.last()
	w := p.graph.transition(transition)
	p.miss(w)
	p.edges[transition]--
	p.visits[p.graph.to(transition)]--
	p.n--
	p.tail = w.From
}

// takeBackLeft takes back the step before which the loop was left at a node, and returns the transition to it.
func (p *Path) takeBackLeft(to NodeID) TransitionID {
	last := p.last()
	if p.n > len(p.ring) { // it is in the place of another
		p.correct().gap = p.oldest()
	}
	if last < firstCommon {
		p.edges[last]--
	}
	p.visits[to]--
	p.n, p.tail = p.n-1, p.graph.transition(last).From
	return last
}

// miss counts a transition for the bound of its pair, where the run follows another one instead or does not run its node.
func (p *Path) miss(w *TransitionInfo) {
	if w.Max == 0 && !w.Shared {
		return
	}
	c := p.correct()
	if c.missed == nil {
		c.missed = map[TransitionID]uint32{}
	}
	c.missed[w.Pair]++
}

// isUsedUp reports whether a transition was followed as often as it may be.
func (p *Path) isUsedUp(w *TransitionInfo) bool { return w.Max > 0 && p.followed(w) >= w.Max }

// followed returns how often the transitions between the nodes of a bounded one were followed.
func (p *Path) followed(w *TransitionInfo) (count uint32) {
	if p.corrected != nil {
		count = p.corrected.missed[w.Pair]
	}
	if !w.Shared {
		return count + p.edges[w.Pair]
	}
	for i := range p.graph.Transitions {
		if p.graph.Transitions[i].Pair == w.Pair {
			count += p.edges[i]
		}
	}
	return count
}

// entered returns how often a node was entered, which may be a dynamic one.
func (p *Path) entered(n NodeID) uint32 {
	if int(n) >= len(p.visits) {
		return 0
	}
	return p.visits[n] - p.graph.node(n).unvisited()
}

// renew counts visits from zero again: the bound of a node holds for each execution of its region.
func (p *Path) renew() {
	if p.n == 0 {
		return
	}
	if p.graph.to(p.last()) == End {
		p.n-- // the path continues
	}
	p.graph.unbound(p.visits)
	c := p.correct()
	c.ran = sum(c.ran, p.visits)
	clear(p.visits)
	p.graph.bound(p.visits)
}

// join adds the path of a child run and its counters after the step that it belongs to, of a run with the settings. whole means that
// the path of the child has all that its counters have: then a run of few steps is counted in a time that does not depend on the size
// of the graph. spliced is called for each step that the ring has got, with its number in the other path; nil: nothing is.
func (p *Path) join(b *Path, s *Settings, whole bool, spliced func(number int)) {
	if !whole {
		p.edges = sum(p.edges, b.edges)
		p.visits = sum(sum(p.visits, b.visits), b.ranBefore())
		p.graph.unbound(p.visits) // those of both were the counters of runs
	}
	if missing := b.oldest(); missing > 0 {
		p.n += missing
		p.correct().gap = p.n // what is missing is missing at the start
	}
	for i := b.oldest(); i < b.n; i++ {
		transition := b.at(i)
		to := p.graph.to(transition)
		if whole {
			p.count(transition, to)
		}
		if to == End {
			continue
		}
		if p.add(transition, s); spliced != nil {
			spliced(i)
		}
	}
}

// isWhole reports whether the ring has all transitions that the counters have.
func (p *Path) isWhole() bool { return p.oldest() == 0 && p.ranBefore() == nil && !p.joined }

// sum adds the counts of another list to counts, and returns them.
func sum(counts, add []uint32) []uint32 {
	if len(add) > len(counts) {
		counts = grown(counts, len(add)-1)
	}
	sums := counts[:len(add)]
	for i, n := range add {
		sums[i] += n
	}
	return counts
}

// grown returns a list that is long enough for the index n.
func grown[E any](list []E, n int) []E {
	if n < len(list) {
		return list
	}
	return append(list, make([]E, n+1-len(list))...)
}

// nodes returns the nodes of the ring, one for each step.
func (p *Path) nodes() []NodeID {
	nodes := make([]NodeID, 0, p.n-p.oldest())
	for i := p.oldest(); i < p.n; i++ {
		if n := p.graph.to(p.at(i)); n != End {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// Since returns the transitions of the ring from a number on, and the number of the first one.
func (p *Path) Since(n int) (transitions []TransitionID, first int) {
	first = min(max(n, p.oldest()), p.n)
	for i := first; i < p.n; i++ {
		transitions = append(transitions, p.at(i))
	}
	return transitions, first
}

// LastNode returns the last node that was reached; End: none.
func (p *Path) LastNode() NodeID {
	for i := p.n - 1; i >= p.oldest(); i-- {
		if to := p.graph.to(p.at(i)); to != End {
			return to
		}
	}
	return End
}

// load makes the path one that was saved. last has its last transitions.
func (p *Path) load(i *Image, last []TransitionID) {
	p.graph.unbound(p.visits)
	p.edges, p.visits = loaded(p.edges, i.Edges), loaded(p.visits, i.Visits)
	p.graph.bound(p.visits)
	for len(last) > len(p.ring) && len(p.ring) < shortPath {
		p.ring = make([]TransitionID, 4*len(p.ring))
	}
	if len(last) > len(p.ring) {
		last = last[len(last)-len(p.ring):]
	}
	p.n = i.Made
	for at, transition := range last {
		p.ring[(p.n-len(last)+at)&(len(p.ring)-1)] = transition
	}
	if len(last) < p.n {
		p.correct().gap = p.n - len(last)
	}
	if len(i.Missed) > 0 {
		p.correct().missed = i.Missed
	}
	if len(i.Ran) > 0 {
		p.correct().ran = grown(i.Ran, len(p.visits)-1)
	}
}

// loaded returns counts with the values that were saved, in the array of the generated run where they fit.
func loaded(counts, saved []uint32) []uint32 {
	if len(saved) > 0 {
		counts = grown(counts, len(saved)-1)
	}
	copy(counts, saved)
	return counts
}

// transitionCounts returns the counts of all transitions, for a report.
func (p *Path) transitionCounts() []graphgen.TransitionCount {
	g := p.graph
	counts := make([]graphgen.TransitionCount, len(g.Transitions)+len(g.dynamicTransitions))
	copy(counts, g.described().counts)
	for i := range g.dynamicTransitions {
		counts[len(g.Transitions)+i] = g.uncounted(&g.dynamicTransitions[i])
	}
	for i, n := range p.edges {
		counts[i].Count = int(n)
	}
	return counts
}

// nodeCounts returns the counts of all nodes but end, with their visits.
func (p *Path) nodeCounts() []graphgen.NodeCount {
	counts := make([]graphgen.NodeCount, len(p.graph.Nodes)+len(p.graph.dynamicNodes)-1)
	for i := range counts {
		n := NodeID(i + 1)
		counts[i].Node, counts[i].Visits = p.graph.NodeName(n), p.visit(n)
	}
	return counts
}

// numbered returns the steps of the ring, each with the number of its visit. total has the visits to each node but end.
func (p *Path) numbered(total []graphgen.NodeCount) []graphgen.Visit {
	oldest := p.oldest()
	steps := make([]graphgen.Visit, p.n-oldest)
	first := len(steps)
	for i := p.n - 1; i >= oldest; i-- {
		if n := p.graph.to(p.at(i)); n != End {
			count := &total[n-1]
			first--
			steps[first] = graphgen.Visit{Node: count.Node, Visit: count.Visits}
			count.Visits--
		}
	}
	for i := oldest; i < p.n; i++ {
		if n := p.graph.to(p.at(i)); n != End {
			total[n-1].Visits++
		}
	}
	return steps[first:]
}
