package differential

import (
	"maps"
	"slices"

	"github.com/graphgen/graphgen/internal/testing/scriptdriver"
)

// cutOff unwinds a run within another that others have cancelled.
type cutOff struct{}

// runsInner reports whether a node runs the other graph.
func (s *shapes) runsInner() bool {
	return slices.ContainsFunc(s.nodes, func(n *nodeShape) bool { return n.kind == "subgraph" })
}

// runInner executes a node that runs another graph. It is one step of this one: the other's
// steps, visits and failures are its own.
func (m *model) runInner(v *visit) *problem {
	c := newModel(m.s.inner, &scriptdriver.Script{Nodes: m.script.Nodes, Schedule: m.script.Schedule}, m.mode)
	for _, in := range v.In {
		c.state[in.Name.V] = m.state[in.Field.V]
	}
	c.asking = m.asking
	c.requests, c.path = nil, append(slices.Clone(m.path), m.requestOf(v.nodeShape, "", m.ran[v.Name.V], v.attempt, "").own)
	c.seen = m.seen
	c.now, c.deadline, c.played = m.now, m.deadline, maps.Clone(m.played)
	reason, text, cut, paused := c.runWithin()
	m.now, m.played = c.now, c.played
	if paused {
		m.requests = append(m.requests, c.requests...)
		return waits
	}
	m.saw("a run within a run fails", text != "" && !cut)
	m.saw("a run within a run ends", text == "" && !cut)
	m.saw("a run within a run is cut short", cut)
	m.saw("a run within a branch", m.forked)
	m.got.Calls = append(m.got.Calls, c.got.Calls...)
	m.got.Nested = append(m.got.Nested, c.nested(v.Name.V, reason, text, cut))
	m.countCalls(c)
	if m.mode.Dry && reason == "stopped" && !cut {
		panic(unpredictable("a dry run ends in another"))
	}
	if c.vague {
		panic(unpredictable("the branches of the graph within used its steps up"))
	}
	switch {
	case cut, m.deadline > 0 && m.now >= m.deadline: // though its last node may have failed softly
		return cancelled
	case text != "":
		p := &problem{text: text}
		if c.final != nil {
			p.transient, p.permanent = c.final.transient, c.final.permanent || c.final.messages != nil || c.final.line > 0
		}
		return p
	}
	written := map[string]any{}
	for _, o := range v.Out {
		written[o.Name.V] = c.state[o.Field.V]
	}
	v.outcome.out = written
	return nil
}

// nested tells of a run as the player does of its report.
func (m *model) nested(node, reason, text string, cut bool) string {
	if cut {
		reason = "stopped"
	}
	r := m.result(reason, text)
	return scriptdriver.NestedRun(node, r.Reason, r.Steps, r.Path)
}

// runWithin runs a graph within another; it is cut where others cancel it.
func (m *model) runWithin() (reason, text string, cut, paused bool) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case cutOff:
			cut = true
		case hasPaused:
			paused = true
		default:
			panic(r)
		}
	}()
	reason, text = m.run()
	return reason, text, false, false
}
