package graphrt

import "iter"

// trailLength is how many decisions a run notes before it adds them to its path. It
// is a power of two.
const trailLength = 64

// pathLength is the number of entries of the path that a run keeps, so that an endless run
// uses bounded memory. The report has the number of steps that it dropped.
const pathLength = 1 << 14

// alone marks an entry of the path that represents its own step only. Any other entry is a
// decision, and also represents the chain of steps behind it: those up to the next node that
// decides, which follow from the graph.
const alone Way = 1 << 30

// A trail records the path of a run through the graph. On the fast path it records decisions
// only, and adds them to the path when the path is needed.
type trail struct {
	n       uint // where the next decision is noted
	first   uint // where the decisions begin that are noted and not yet worked into the path
	notes   [trailLength]Way
	chained bool // only decisions are noted; else every step is recorded

	run     *Run
	graph   *Graph
	path    []Way  // the last of the transitions followed
	tail    NodeID // the node at the end of the path
	summed  int    // how much of the path is in steps
	steps   int    // the steps of the summed part of the path
	owed    int    // how many of them the run has not made yet: the rest of the last chain
	spent   int    // at most that many steps are not summed
	dropped int    // steps that the path no longer has
	gone    []uint32
	added   []int // how often each dynamic transition was followed
}

// isAdded reports whether a transition is dynamic. Dynamic transitions are counted when they are
// followed.
func (t *trail) isAdded(way Way) bool { return int(way) >= len(t.graph.Ways) && way < firstCommon }

func (t *trail) countAdded(way Way, times int) {
	if !t.isAdded(way) {
		return
	}
	for len(t.added) < len(t.graph.addedWays) {
		t.added = append(t.added, 0)
	}
	t.added[int(way)-len(t.graph.Ways)] += times
}

// made returns how many steps the run has made. Unless every step is recorded, call catchUp
// first.
func (t *trail) made() int { return t.steps - t.owed }

// Go records the decision for a transition.
func (t *trail) Go(way Way) {
	if t.n >= trailLength {
		t.run.makeRoom()
	}
	t.notes[t.n%trailLength] = way
	t.n++
}

// reserve makes room for n decisions at the end of the notes. When the room is used up, the
// bounds have to be checked.
func (t *trail) reserve(decisions uint) {
	t.n = trailLength - decisions
	t.first = t.n
}

// arrived returns the transition that led the run to a node, and extends the path to the node
// before it.
func (t *trail) arrived(to NodeID) Way {
	start := t.path == nil && t.n == t.first
	switch {
	case start && t.graph.to(entry) == to:
		return entry
	case t.n > t.first && t.graph.to(t.notes[t.n-1]) == to:
		t.n--
		way := t.notes[t.n]
		if t.chained {
			t.fold()
			t.unfold(End) // no chain leads to end: it stops where a node decides
		}
		return way
	}
	if t.chained {
		t.fold()
		t.unfoldBefore(to)
	}
	return t.graph.node(t.tail).Only
}

// fold adds the noted decisions to the path. The chain of the last one stays owed until the
// run's position is known.
func (t *trail) fold() {
	if t.path == nil {
		t.path = append(make([]Way, 0, min(trailLength, t.graph.MaxSteps+1)), entry)
		t.setTail(entry)
	}
	if t.n == t.first {
		return
	}
	if len(t.path)+trailLength > pathLength {
		t.drop(pathLength / 2)
	}
	t.path = append(t.path, t.notes[t.first:t.n]...)
	t.setTail(t.notes[t.n-1])
	t.n = t.first
}

// setTail sets the tail and the owed steps for a decision that is the last entry of the path.
func (t *trail) setTail(way Way) {
	t.tail = t.graph.to(way)
	t.owed = int(t.graph.node(t.tail).Chain)
}

// sum brings steps up to the end of the path.
func (t *trail) sum() {
	for way, times := range runs(t.path[t.summed:]) {
		t.steps += times * t.stepsOf(way)
	}
	t.summed, t.spent = len(t.path), 0
}

// stepsOf returns the number of steps that an entry of the path represents.
func (t *trail) stepsOf(way Way) int {
	to := t.graph.to(way &^ alone)
	switch {
	case to == End:
		return 0
	case way&alone != 0:
		return 1
	}
	return 1 + int(t.graph.node(to).Chain)
}

// runs yields the transitions of a path, each sequence of equal ones once with its length: a
// long run consists mostly of such sequences.
func runs(path []Way) iter.Seq2[Way, int] {
	return func(yield func(Way, int) bool) {
		for i := 0; i < len(path); {
			way, from := path[i], i
			for i < len(path) && path[i] == way {
				i++
			}
			if !yield(way, i-from) {
				return
			}
		}
	}
}

// complete marks the chain as complete: the run is at a node that decides.
func (t *trail) complete(at NodeID) { t.owed, t.tail = 0, at }

// unfold records the steps of the chain up to a node within it. The steps that follow are recorded one by one.
func (t *trail) unfold(to NodeID) {
	t.sum()
	if t.owed == 0 {
		return
	}
	t.steps -= t.owed
	t.owed = 0
	t.path[len(t.path)-1] |= alone
	for t.tail != to && t.graph.node(t.tail).Only != 0 {
		t.record(t.graph.node(t.tail).Only)
	}
}

// unfoldBefore records the steps of the chain up to the node before one within it.
func (t *trail) unfoldBefore(to NodeID) {
	n := t.tail
	for t.graph.to(t.graph.node(n).Only) != to {
		n = t.graph.to(t.graph.node(n).Only)
	}
	t.unfold(n)
}

// resume continues the run without recording: the chain of the last entry follows it.
func (t *trail) resume() {
	t.path[len(t.path)-1] &^= alone
	t.owed = int(t.graph.node(t.tail).Chain)
	t.steps += t.owed
}

// record adds a step to the path as an entry that represents only itself.
func (t *trail) record(way Way) {
	if t.path == nil {
		t.path = make([]Way, 0, min(trailLength, t.graph.MaxSteps+1))
	}
	if len(t.path) == pathLength {
		t.drop(pathLength / 2)
	}
	t.path = append(t.path, way|alone)
	t.summed = len(t.path)
	if t.tail = t.graph.to(way); t.tail != End {
		t.steps++
	}
	t.countAdded(way, 1)
}

// takeBack removes the last step from the path: its node was reached but must not run.
func (t *trail) takeBack() {
	last := len(t.path) - 1
	way := t.path[last] &^ alone
	t.path = t.path[:last]
	t.summed = last
	t.steps--
	t.countAdded(way, -1)
	t.tail = t.graph.way(way).From
}

// drop replaces the first entries of the path by their counts.
func (t *trail) drop(count int) {
	if t.gone == nil {
		t.gone = make([]uint32, 2*len(t.graph.Ways))
	}
	summed := min(count, t.summed)
	t.forget(t.path[:summed])
	t.steps += t.forget(t.path[summed:count])
	t.summed -= summed
	t.path = t.path[:copy(t.path, t.path[count:])]
}

// forget adds entries of the path to the counts of dropped ones, and returns the number of
// steps that they represent.
func (t *trail) forget(entries []Way) int {
	steps := 0
	for way, times := range runs(entries) {
		steps += times * t.stepsOf(way)
		if t.isAdded(way&^alone) || way&^alone > firstCommon {
			continue // counted elsewhere, or not needed: a child run has ended
		}
		if way&alone != 0 {
			way = way&^alone + Way(len(t.graph.Ways))
		}
		t.gone[way] += uint32(times)
	}
	t.dropped += steps
	return steps
}

// counted returns how often each transition was followed.
func (t *trail) counted() []int {
	taken := make([]int, len(t.graph.Ways))
	for i, times := range t.gone {
		t.count(taken, Way(i%len(taken)), int(times), i < len(taken))
	}
	for _, way := range t.path {
		t.count(taken, way&^alone, 1, way&alone == 0)
	}
	return taken
}

// count adds to the counts of a transition and, for a decision, of its chain.
func (t *trail) count(taken []int, way Way, times int, decision bool) {
	if way > firstCommon || times == 0 || t.isAdded(way) {
		return
	}
	taken[way] += times
	for n := t.graph.to(way); decision && t.graph.node(n).Only != 0; {
		only := t.graph.node(n).Only
		taken[only] += times
		n = t.graph.to(only)
	}
}

// nodes returns the nodes of the path, one per step.
func (t *trail) nodes() []NodeID {
	var nodes []NodeID
	for _, way := range t.path {
		n := t.graph.to(way &^ alone)
		if n == End {
			continue
		}
		nodes = append(nodes, n)
		for way&alone == 0 && t.graph.node(n).Only != 0 {
			n = t.graph.to(t.graph.node(n).Only)
			nodes = append(nodes, n)
		}
	}
	return nodes
}
