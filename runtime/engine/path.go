package engine

// The path of a run is a ring. It begins in the record, grows fourfold, and keeps the last transitions
// once it has its full length, so that an endless run uses bounded memory.
const (
	shortPath = 1 << 10 // the full length
	longPath  = 1 << 14 // of a run that is observed, or has to report
)

// pathLength returns how many transitions the path keeps.
func (r *Run) pathLength() int {
	if r.settings.Report != nil || r.settings.isWatched() || r.settings.nesting != nil {
		return longPath
	}
	return shortPath
}

// record counts a transition, and adds it to the path.
func (r *Run) record(transition TransitionID, to NodeID) {
	r.count(transition, to)
	r.tail = to
	r.note(transition)
}

// count counts a transition, and the visit to its node.
func (r *Run) count(transition TransitionID, to NodeID) {
	if transition < firstCommon {
		if int(transition) >= len(r.edges) {
			r.edges = grown(r.edges, int(transition))
		}
		r.edges[transition]++
	}
	if int(to) >= len(r.visits) {
		r.visits = grown(r.visits, int(to))
	}
	r.visits[to]++
}

// note adds a transition to the path.
func (r *Run) note(transition TransitionID) {
	if size := len(r.path); r.n-r.extra().gap >= size && size < r.pathLength() {
		r.path = r.grownPath(min(4*size, r.pathLength()))
	}
	r.path[r.n&(len(r.path)-1)] = transition
	r.n++
}

// grownPath returns the path in a longer ring.
func (r *Run) grownPath(size int) []TransitionID {
	path := make([]TransitionID, size)
	for i := r.oldest(); i < r.n; i++ {
		path[i&(size-1)] = r.path[i&(len(r.path)-1)]
	}
	return path
}

// oldest returns the number of the first transition that the path has.
func (r *Run) oldest() int { return max(r.extra().gap, r.n-len(r.path)) }

// last returns the transition that was recorded last; the entry if none was.
func (r *Run) last() TransitionID {
	if r.n == 0 {
		return entry
	}
	return r.path[(r.n-1)&(len(r.path)-1)]
}

// made returns how many steps the run has made.
func (r *Run) made() int {
	if r.n > 0 && r.graph.to(r.last()) == End {
		return r.n - 1
	}
	return r.n
}

// takeBack takes the last step back: its node was reached but must not run. For its bound, the
// transition to it was followed nonetheless.
func (r *Run) takeBack() {
	transition := r.last()
	w := r.graph.transition(transition)
	r.miss(w)
	r.tail = w.From
	r.edges[transition]--
	r.visits[r.graph.to(transition)]--
	r.n--
}

// miss counts a transition for the bound of its pair, where the run follows another one in its place or
// does not run its node.
func (r *Run) miss(w *TransitionInfo) {
	if w.Max == 0 && !w.Shared {
		return
	}
	rare := r.withIncidents()
	if rare.missed == nil {
		rare.missed = map[TransitionID]uint32{}
	}
	rare.missed[w.Pair]++
}

// nodes returns the nodes of the path, one for each step.
func (r *Run) nodes() []NodeID {
	nodes := make([]NodeID, 0, r.n-r.oldest())
	for i := r.oldest(); i < r.n; i++ {
		if n := r.graph.to(r.path[i&(len(r.path)-1)]); n != End {
			nodes = append(nodes, n)
		}
	}
	return nodes
}
