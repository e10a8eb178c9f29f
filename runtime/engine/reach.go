package engine

// noNode is not a node of any graph.
const noNode NodeID = 1 << 15

// links are the transitions of the graph as a run has changed it, by the nodes that they leave.
// They are made if a change cannot be judged without a search, and not kept.
type links struct {
	graph   *Graph
	overlay *Changes // nil: nothing is changed
	run     *Run
	first   []int32 // by node: its last transition, +1
	before  []int32 // by transition: the one before it of the same node, +1
}

// reach returns the links of the graph as it is.
func (c *changing) reach() *links {
	if c.links != nil {
		return c.links
	}
	g := c.r.Graph()
	l := &links{
		graph: g, overlay: c.changes, run: c.r,
		first:  make([]int32, len(g.Nodes)+len(g.dynamicNodes)),
		before: make([]int32, len(g.Transitions)+len(g.dynamicTransitions)),
	}
	for i := len(l.before) - 1; i > 0; i-- { // the first enters the graph
		if w := g.transition(TransitionID(i)); l.isOpen(TransitionID(i), w) {
			l.before[i], l.first[w.From] = l.first[w.From], int32(i+1)
		}
	}
	c.links = l
	return l
}

// isOpen reports whether a run can still take a transition, by a condition or always.
func (l *links) isOpen(transition TransitionID, w *TransitionInfo) bool {
	o := l.overlay
	switch {
	case !o.exist():
		return true
	case int(transition) < len(l.graph.Transitions):
		return !o.closed[pair{w.From, w.To}]
	case w.Text != addedText:
		return false // it was gone once
	}
	for _, open := range o.edges[w.From] {
		if open == transition {
			return o.mayFollow(transition)
		}
	}
	return false
}

// leaving lists the transitions of a node, without the transitions after failures of the whole graph.
func (l *links) leaving(n NodeID) []*TransitionInfo {
	var transitions []*TransitionInfo
	for i := l.first[n]; i != 0; i = l.before[i-1] {
		transitions = append(transitions, l.graph.transition(TransitionID(i-1)))
	}
	return transitions
}

func (l *links) instead(n NodeID) NodeID {
	if !l.overlay.exist() {
		return n
	}
	return l.overlay.instead(n)
}

// path reports whether a run can get from one node to another, or to the end, without visiting
// a third one.
func (l *links) path(from, to, avoid NodeID) bool {
	return l.search(from, to, avoid, func(w *TransitionInfo) bool { return !l.usedUp(w) })
}

// usedUp reports whether a transition of the spec was followed as often as it may be. A used up
// dynamic transition is not among the links.
func (l *links) usedUp(w *TransitionInfo) bool {
	return w.Text != addedText && l.run.path.isUsedUp(w)
}

// freePath reports whether a run can get from one node to another by transitions and nodes
// without bounds.
func (l *links) freePath(from, to NodeID) bool {
	if l.graph.node(from).Bound > 0 {
		return false
	}
	return l.search(from, to, noNode, func(w *TransitionInfo) bool {
		return w.Max == 0 && (w.To == to || l.graph.node(w.To).Bound == 0)
	})
}

// search looks for a path by transitions that pass a test.
func (l *links) search(from, to, avoid NodeID, pass func(*TransitionInfo) bool) bool {
	if from == to {
		return true
	}
	if from == avoid || from == End {
		return false
	}
	seen := make([]bool, len(l.first))
	seen[from] = true
	stack := []NodeID{from}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if to == End && l.graph.node(n).Ends {
			return true
		}
		// The transitions of End are those that leave every node: where failures go.
		for _, i := range [2]int32{l.first[n], l.first[End]} {
			for ; i != 0; i = l.before[i-1] {
				w := l.graph.transition(TransitionID(i - 1))
				next := l.instead(w.To)
				if next == avoid || seen[next] || !pass(w) {
					continue
				}
				if next == to {
					return true
				}
				if seen[next] = true; next != End {
					stack = append(stack, next)
				}
			}
		}
	}
	return false
}
