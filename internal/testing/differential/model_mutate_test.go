package differential

import (
	"maps"
	"slices"

	"github.com/graphgen/graphgen/internal/testing/scriptdriver"
	"github.com/graphgen/graphgen/mutation"
	"github.com/graphgen/graphgen/spec"
)

// An overlay is what a run has made of its graph.
type overlay struct {
	nodes   map[string]*nodeShape // added
	edges   []*spec.Edge          // added
	closed  map[[2]string]bool
	removed map[string]string // where what leads to them goes on
	changed int
	jump    *way               // where a node has led the run
	taken   map[*spec.Edge]int // how often an added edge was followed
}

func newOverlay() overlay {
	return overlay{nodes: map[string]*nodeShape{}, closed: map[[2]string]bool{}, removed: map[string]string{}, taken: map[*spec.Edge]int{}}
}

// mutate makes what a node has asked for, one by one, and returns where it has led the run.
func (m *model) mutate(v *visit) (way, bool) {
	m.jump, v.told = nil, len(v.outcome.asked)
	for _, c := range v.outcome.asked {
		most := spec.DefaultMutations
		if m.s.Mutations.Max.IsSet() {
			most = m.s.Mutations.Max.V
		}
		made := slices.ContainsFunc(m.s.Mutations.Allow, func(a spec.String) bool { return a.V == string(c.Action) }) && m.changed < most && m.change(v, c)
		if made {
			m.changed++
		}
		m.got.Mutations = append(m.got.Mutations, scriptdriver.Verdict(v.Name.V, c.Action, made))
	}
	if m.jump == nil {
		return way{}, false
	}
	return *m.jump, true
}

// tellMutations tells of what a node has asked for.
func (m *model) tellMutations(v *visit) {
	for range v.told {
		m.event("mutation %s step %d visit %d", v.Name.V, v.step, v.number)
	}
}

// change makes a mutation, or says that it is refused.
func (m *model) change(v *visit, c mutation.Change) bool {
	switch c.Action {
	case mutation.ActionSkipTo:
		if m.jump != nil || !m.target(c.To) {
			return false
		}
		w := m.way(v.Name.V, c.To, "mutation")
		m.jump = &w
		return true
	case mutation.ActionRetryWith:
		if m.jump != nil {
			return false
		}
		for _, f := range m.s.state.fields {
			if add, ok := c.Update.(map[string]any)[f.name]; ok {
				m.write(written{to: f}, add)
			}
		}
		m.jump = &way{from: v.Name.V, to: v.Name.V, rule: "mutation"}
		return true
	case mutation.ActionAddEdge:
		return m.addEdge(v, c)
	case mutation.ActionAddNode:
		return m.addNode(v, c.Node)
	case mutation.ActionRemoveEdge:
		return m.removeEdge(v, c)
	}
	return m.removeNode(v, c.To)
}

// alive reports whether there is a node of that name, which ways may lead to.
func (m *model) alive(name string) bool {
	_, gone := m.removed[name]
	if m.nodes[name] != nil {
		return !gone
	}
	return !gone && m.isStatic(name) && !m.isTemplate(name)
}

func (m *model) isStatic(name string) bool {
	return slices.ContainsFunc(m.s.nodes, func(n *nodeShape) bool { return n.Name.V == name })
}

func (m *model) isTemplate(name string) bool {
	return slices.ContainsFunc(m.s.Mutations.Templates, func(t spec.String) bool { return t.V == name })
}

func (m *model) target(name string) bool { return spec.IsEnd(name) || m.alive(name) }

// source reports whether the run can still come to a node, by ways after a success or failure.
func (m *model) source(v *visit, name string) bool {
	return m.alive(name) && m.reaches(m.position(v), name, true)
}

// position is the node at which the run stands, or to which it has been led.
func (m *model) position(v *visit) string {
	if m.jump != nil {
		return m.jump.to
	}
	return v.Name.V
}

func (m *model) addEdge(v *visit, c mutation.Change) bool {
	if !m.source(v, c.From) || !m.target(c.To) || m.node(c.From).kind == "router" {
		return false
	}
	e := m.newEdge(c.From, c.To, c.Most)
	if c.Most == 0 && m.endless(c.From, c.To) {
		return false
	}
	m.edges = append(m.edges, e)
	return true
}

func (m *model) newEdge(from, to string, most int) *spec.Edge {
	e := &spec.Edge{From: spec.String{V: from}, To: spec.String{V: to}}
	if most > 0 {
		e.MaxIterations = spec.Value[int]{V: most, Pos: spec.Pos{Line: 1}}
	}
	return e
}

// endless reports whether an edge without a bound closes a cycle that nothing bounds.
func (m *model) endless(from, to string) bool {
	return !m.node(from).MaxVisits.IsSet() && m.cycles(to, from)
}

// cycles reports whether a run can come from one node to another by nothing that is bounded. The bound of
// the other node does not count.
func (m *model) cycles(from, to string) bool {
	if m.s.Limits.MaxSteps.IsSet() || m.s.Limits.MaxVisits.IsSet() {
		return false
	}
	seen := map[string]bool{}
	var comes func(at string) bool
	comes = func(at string) bool {
		if at == to {
			return true
		}
		if spec.IsEnd(at) || seen[at] || m.node(at).MaxVisits.IsSet() {
			return false
		}
		seen[at] = true
		return slices.ContainsFunc(m.waysOf(at, true), func(w liveWay) bool { return !w.bounded && comes(w.to) })
	}
	return comes(from)
}

func (m *model) addNode(v *visit, c mutation.Node) bool {
	switch {
	case c.Name == "" || spec.IsEnd(c.Name) || m.isStatic(c.Name) || m.nodes[c.Name] != nil:
		return false
	case !m.isTemplate(c.Template):
		return false
	case c.After != "" && (!m.source(v, c.After) || m.node(c.After).kind == "router"):
		return false
	case c.Next != "" && !m.target(c.Next):
		return false
	}
	to := c.Next
	if to == "" {
		to = spec.End
		if c.After != "" {
			sure, any := m.surely(c.After)
			if any && sure == "" {
				return false
			}
			if sure != "" {
				to = sure
			}
		}
	}
	n := *m.node(c.Template)
	template := *n.Node
	n.Node = &template
	n.Node.Name = spec.String{V: c.Name, Pos: n.Node.Name.Pos}
	n.plays = c.Template
	if c.MaxVisits > 0 {
		n.Node.MaxVisits = spec.Value[int]{V: c.MaxVisits, Pos: spec.Pos{Line: 1}}
	}
	m.nodes[c.Name] = &n
	if c.After != "" {
		m.edges = append(m.edges, m.newEdge(c.After, c.Name, max(c.Times, 1)))
	}
	m.edges = append(m.edges, m.newEdge(c.Name, to, 0))
	return true
}

// surely is where a node leads when no condition holds; any reports whether it leads anywhere.
func (m *model) surely(name string) (to string, any bool) {
	for i, w := range m.waysOf(name, false) {
		if w.sure {
			return w.to, true
		}
		any = any || i >= len(m.added(name)) // where an added edge is used up, all is as it was
	}
	return "", any
}

func (m *model) removeEdge(v *visit, c mutation.Change) bool {
	if !m.source(v, c.From) || m.node(c.From).kind == "router" || !m.target(c.To) {
		return false
	}
	to := m.way("", c.To, "").to
	n := m.node(c.From)
	var of []liveWay
	for _, w := range m.waysOf(c.From, true) {
		if w.written == to {
			of = append(of, w)
		}
	}
	if len(of) == 0 || slices.ContainsFunc(of, func(w liveWay) bool { return w.failure }) {
		return false
	}
	isSure := func(w liveWay) bool { return w.sure }
	had := slices.ContainsFunc(m.waysOf(n.Name.V, false), isSure)
	edges := m.edges
	pair := [2]string{c.From, to}
	m.closed[pair] = true
	m.edges = slices.DeleteFunc(slices.Clone(edges), func(e *spec.Edge) bool { return e.From.V == c.From && m.way("", e.To.V, "").to == to })
	left := m.waysOf(n.Name.V, false)
	if len(left) == 0 || had && !slices.ContainsFunc(left, isSure) || !m.allEnd(v) {
		delete(m.closed, pair)
		m.edges = edges
		return false
	}
	return true
}

func (m *model) removeNode(v *visit, name string) bool {
	if !m.alive(name) || name == v.Name.V || name == m.position(v) {
		return false
	}
	to, _ := m.surely(name)
	if to == "" || to == name || m.node(name).MaxVisits.IsSet() && m.cycles(to, name) {
		return false // it bounds the cycle that it is in
	}
	m.removed[name] = to
	if !m.allEnd(v) || !m.canEnd(m.instead(name)) {
		delete(m.removed, name)
		return false
	}
	return true
}

// A liveWay is a way on of a node, as the run has made the graph.
type liveWay struct {
	to      string // nodes that were removed passed by
	written string
	sure    bool // it is always taken when it is tried, and as often as one likes
	bounded bool
	failure bool
	used    bool // as often as it may be
}

// waysOf lists the ways on of a node in the order in which they are tried, those of failures
// last, if they are asked for.
func (m *model) waysOf(name string, failures bool) []liveWay {
	n := m.node(name)
	var out []liveWay
	add := func(to string, sure, bounded, failure, used bool) {
		w := m.way(name, to, "")
		out = append(out, liveWay{to: m.instead(w.to), written: w.to, sure: sure, bounded: bounded, failure: failure, used: used})
	}
	for _, e := range m.added(name) {
		add(e.To.V, !e.MaxIterations.IsSet(), e.MaxIterations.IsSet(), false, e.MaxIterations.IsSet() && m.taken[e] >= e.MaxIterations.V)
	}
	if m.nodes[name] != nil {
		return out
	}
	for _, r := range n.Routes {
		add(r.V, false, false, false, false)
	}
	for _, e := range m.leaving(name, "") {
		add(e.To.V, !e.conditional() && !e.MaxIterations.IsSet(), e.MaxIterations.IsSet(), false, !m.open(e.edge, name, e.To.V))
	}
	if next := n.next(); next != "" && !m.closed[[2]string{name, m.way("", next, "").to}] {
		add(next, true, false, false, false)
	}
	for _, t := range n.Transitions {
		if failures && t.Key.V == "error" {
			add(t.To.V, false, false, true, false)
		}
	}
	return out
}

// instead passes nodes by that were removed.
func (m *model) instead(to string) string {
	for range len(m.removed) {
		next, gone := m.removed[to]
		if !gone {
			break
		}
		to = next
	}
	return to
}

// added lists the added edges of a node.
func (m *model) added(from string) []*spec.Edge {
	var out []*spec.Edge
	for _, e := range m.edges {
		if e.From.V == from {
			out = append(out, e)
		}
	}
	return out
}

// reaches reports whether the run can come from one node to another.
func (m *model) reaches(from, to string, failures bool) bool {
	seen := map[string]bool{}
	var comes func(at string) bool
	comes = func(at string) bool {
		if at == to {
			return true
		}
		if seen[at] || spec.IsEnd(at) {
			return false
		}
		seen[at] = true
		return slices.ContainsFunc(m.waysOf(at, failures), func(w liveWay) bool { return !w.used && comes(w.to) })
	}
	return comes(from)
}

// allEnd reports whether every node that the run can come to has a way to an end.
func (m *model) allEnd(v *visit) bool {
	names := slices.Collect(maps.Keys(m.nodes))
	for _, n := range m.s.nodes {
		names = append(names, n.Name.V)
	}
	return !slices.ContainsFunc(names, func(name string) bool { return m.source(v, name) && !m.canEnd(name) })
}

// canEnd reports whether a node has a way to an end: the one of that name, or a node at which runs
// of the graph end.
func (m *model) canEnd(name string) bool {
	return m.reaches(name, spec.End, true) || slices.ContainsFunc(m.s.nodes, func(n *nodeShape) bool {
		return m.alive(n.Name.V) && n.isLast(m.s) && m.reaches(name, n.Name.V, true)
	})
}

// isLast reports whether runs of the graph may end at a node of the spec: no way leaves it for
// good, but for failures.
func (n *nodeShape) isLast(s *shapes) bool {
	plain := model{s: s, overlay: newOverlay()}
	return !slices.ContainsFunc(plain.waysOf(n.Name.V, false), func(w liveWay) bool { return !w.bounded })
}

// byAdded tries the edges that the run has added.
func (m *model) byAdded(v *visit) (way, bool, *problem) {
	for _, e := range m.added(v.Name.V) {
		if !e.MaxIterations.IsSet() || m.taken[e] < e.MaxIterations.V {
			m.taken[e]++ // it counts from when it was added, whatever edges of the pair there are besides
			return m.way(v.Name.V, e.To.V, "edge"), true, nil
		}
	}
	return way{}, false, nil
}
