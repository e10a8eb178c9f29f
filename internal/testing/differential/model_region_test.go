package differential

import (
	"cmp"
	"slices"

	"github.com/graphgen/graphgen/spec"
)

// graphOf finds the nodes of a region that is a graph: those that transitions lead to from its entry.
func (s *shapes) graphOf(host *nodeShape, name, entry string) *region {
	r := &region{name: name, graph: true}
	var finals []*nodeShape
	add := func(name string) bool {
		if name == "" || spec.IsEnd(name) {
			return false
		}
		if n := s.node(name); !slices.Contains(r.nodes, n) {
			n.host = host
			r.nodes = append(r.nodes, n)
		}
		return true
	}
	add(entry)
	for i := 0; i < len(r.nodes); i++ {
		leads := false
		for _, name := range s.leads(r.nodes[i]) {
			leads = add(name) || leads
		}
		if !leads {
			finals = append(finals, r.nodes[i])
		}
	}
	for _, n := range r.nodes {
		leads := slices.DeleteFunc(s.leads(n), func(name string) bool { return name == "" })
		ends := len(leads) == 0 || slices.ContainsFunc(leads, spec.IsEnd) || cmp.Or(n.NoMatch.V, s.NoMatch.V) == "end"
		inner := len(finals) > 1 || n != finals[0]
		r.early = r.early || ends && inner || !inner && n.failsOn(s)
	}
	if len(finals) == 1 {
		r.final = finals[0]
	}
	return r
}

// failsOn reports whether a failure, a refusal or a denial of a node leads on, which gives no output.
func (n *nodeShape) failsOn(s *shapes) bool {
	return n.OnFail.IsSet() || n.OnDeny.IsSet() || n.OnTimeout.IsSet() ||
		slices.ContainsFunc(n.Transitions, func(t spec.Transition) bool { return t.Key.V == "error" }) ||
		slices.ContainsFunc(s.Edges, func(e *spec.Edge) bool { return e.From.V == n.Name.V && (e.On.V == "error" || e.On.V == "guard_fail") })
}

// leads are the names that the transitions of a node have, of every rule.
func (s *shapes) leads(n *nodeShape) []string {
	names := []string{n.Next.V, n.OnPass.V, n.OnFail.V, n.OnDeny.V, n.OnTimeout.V}
	for _, list := range [][]spec.String{n.Goto, n.Routes} {
		for _, name := range list {
			names = append(names, name.V)
		}
	}
	for _, t := range n.Transitions {
		names = append(names, t.To.V)
	}
	for _, e := range s.Edges {
		if i := slices.IndexFunc(e.Sequential, func(name spec.String) bool { return name.V == n.Name.V }); i >= 0 && i < len(e.Sequential)-1 {
			names = append(names, e.Sequential[i+1].V)
		}
		if e.From.V != n.Name.V {
			continue
		}
		names = append(names, e.To.V)
		for _, l := range e.Branch {
			names = append(names, l.To.V)
		}
	}
	for _, f := range n.routeFields() {
		for _, value := range f.values {
			if !slices.ContainsFunc(n.Transitions, func(t spec.Transition) bool { return t.Key.V == value }) {
				names = append(names, value)
			}
		}
	}
	return names
}

// A record is what a run knows of its failures.
type record struct {
	stuck   *failure
	pending []*failure
	detours int
	final   *problem
}

// runGraph runs a region that is a graph, whose failures are its own until it ends, and returns the last visit.
func (m *model) runGraph(host *visit, r *region) (last *visit, p *problem) {
	outer := record{m.stuck, m.pending, m.detours, m.final}
	m.stuck, m.pending, m.detours = nil, nil, 0
	defer func() {
		m.stuck, m.pending, m.detours, m.final = outer.stuck, outer.pending, outer.detours, outer.final
	}()
	at := way{from: host.Name.V, to: r.nodes[0].Name.V, rule: "branch"}
	for {
		n := m.s.node(at.to)
		var next way
		visit := func(n *nodeShape) (v *visit, p *problem) {
			v, next, p = m.graphVisit(n)
			return v, p
		}
		if last, p = m.runChild(n, at, visit); p != nil {
			return nil, p
		}
		if m.stopsDry(n) {
			panic(unpredictable("a dry run ends in a region"))
		}
		if next.rule == "tool loop" && m.steps > m.maxSteps() {
			panic(unpredictable("a branch uses the steps up"))
		}
		m.saw("a tool loop in a region", next.rule == "tool loop")
		m.saw("an edge in a region", next.rule == "edge")
		m.saw("a failure leads on in a region", next.rule == "error")
		m.saw("a refusal leads on in a region", next.rule == "guard fail")
		m.saw("a no leads on in a region", next.rule == "human")
		m.saw("a region ends without a transition before its last node", next.ends != "" && n != r.final)
		if next.ends == "" && next.to != spec.End {
			at = next
			continue
		}
		if next.ends == "" {
			m.follow(next)
			m.saw("a transition ends a region", true)
		}
		if m.stuck != nil {
			m.saw("a region fails of a failure that nothing has cleared", true)
			if i := len(m.failures) - 1; m.failures[i] == m.stuck { // it is what the node fails with
				m.failures = m.failures[:i]
			}
			return nil, m.stuck.problem
		}
		if n != r.final || next.rule == "error" || next.rule == "guard fail" || next.rule == "human" {
			last = r.nothing()
		}
		return last, nil
	}
}

// graphVisit makes a visit of a node of a region that is a graph, and finds the way on.
func (m *model) graphVisit(n *nodeShape) (v *visit, next way, p *problem) {
	v = m.begin(n)
	if v.out != nil {
		v.outcome.out = zero(*v.out)
	}
	if v.has("skip_on_error") && m.afterFailed {
		m.skips++
		v.skipped = true
		if next, p = m.skippedRoute(v); p != nil { // a node that is not executed may fail, too: no way leads on
			next, p = m.failsIn(v, p)
			return v, next, p
		}
		m.leftBy(v, next)
		return v, next, nil
	}
	if p = m.gate(v); p == nil {
		p = m.execute(v)
	}
	switch {
	case p == nil && m.waits(v):
		next = way{from: n.Name.V, to: n.Name.V, rule: "tool loop"}
		m.settle(true, next)
		return v, next, nil
	case p == nil:
		m.commit(v)
	case p.cancelled || p.waits:
		return nil, way{}, p
	default:
		if to, ok := m.withheldRoute(v, p); ok {
			m.feedback, m.afterFailed = nil, false
			return v, to, nil
		}
		if to, ok := m.refusedRoute(v); ok && p.messages != nil {
			m.feedback, m.afterFailed = p.messages, false
			return v, to, nil
		}
		if !v.FailSoft.V {
			next, p = m.failsIn(v, p)
			return v, next, p
		}
		m.record(n, m.told(v, p).text, true)
		v.soft, v.outcome = p, outcome{}
		if v.out != nil {
			v.outcome.out = zero(*v.out)
		}
	}
	m.feedback = nil
	if next, p = m.route(v); p != nil {
		next, p = m.failsIn(v, p)
		return v, next, p
	}
	m.leftBy(v, next)
	return v, next, nil
}

// leftBy notes how a node was left that has not failed.
func (m *model) leftBy(v *visit, next way) {
	switch {
	case v.skipped:
		if len(m.pending) > 0 && m.stuck == nil {
			m.stuck = m.pending[len(m.pending)-1]
		}
		m.pending = nil
	case v.soft != nil:
		m.afterFailed = true
	default:
		m.settle(true, next)
	}
}

// failsIn finds the way on of a failure in a region; without one it is the failure of the region.
func (m *model) failsIn(v *visit, p *problem) (way, *problem) {
	m.feedback = nil
	told := m.told(v, p)
	var to way
	if edges := m.leaving(v.Name.V, "error"); len(edges) > 0 {
		to = m.take(v.Name.V, edges[0].To.V, "error")
	} else if i := slices.IndexFunc(v.Transitions, func(t spec.Transition) bool { return t.Key.V == "error" }); i >= 0 {
		to = m.way(v.Name.V, v.Transitions[i].To.V, "error")
	} else {
		return way{}, told
	}
	m.record(v.nodeShape, told.text, false).problem = told
	m.settle(false, to)
	return to, nil
}

// told is the failure of a node of a region, as its parent has it.
func (m *model) told(v *visit, p *problem) *problem {
	told := *p
	told.text = m.where(v) + " " + p.text
	told.permanent = p.permanent || p.messages != nil || p.line > 0
	told.messages, told.line, told.denied, told.late = nil, 0, false, false
	return &told
}
