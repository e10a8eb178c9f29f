package randomgraph

import (
	"fmt"
	"slices"
	"strings"
)

// guardWays gives a guard node its transitions: on_pass and on_fail, or edges.
func (m *maker) guardWays(n *node) {
	for i, to := range n.targets {
		switch {
		case i == 0 && m.chance(60):
			n.key("on_pass: %s", to)
			n.sure = true
		case i == 0:
			m.always(n, to)
		case m.chance(60):
			n.key("on_fail: %s", to)
			n.refused = true
		default:
			m.guardFail(n, to)
		}
	}
	m.guardRetries(n, m.chance(40))
}

// routeFields are the fields of an output that choose the next node.
var routeFields = []string{"route", "_next", "next_step", "goto"}

// routeWays gives the node a required route field, which decides alone.
func (m *maker) routeWays(n *node, distinct []string) {
	var values, transitions []string
	for i, to := range distinct {
		value := to
		if m.chance(30) {
			value = fmt.Sprintf("k%d", i)
			transitions = append(transitions, value+": "+to)
		}
		values = append(values, value)
	}
	name := pick(m, routeFields...)
	switch {
	case name == "goto" && m.chance(40):
		m.optionalRoute(n, "route", distinct[0])
	case name == "goto" && m.chance(50):
		n.field("next_step", pick(m, "string", "'?string'"))
		n.doubt = true // a text that names nothing known is no choice
	}
	n.field(name, "{enum: "+list(values)+"}")
	n.trans = append(n.trans, transitions...)
}

// loopWays makes the node a loop_until.
func (m *maker) loopWays(n *node) {
	bound := ""
	if m.chance(70) {
		bound = fmt.Sprintf(", max_iterations: %d", 2+m.IntN(4))
	}
	m.edges = append(m.edges, edge{raw: fmt.Sprintf("loop_until: {node: %s, exit: %s, %s%s}", n.name, n.targets[0], m.test(n), bound)})
}

// boundedWays gives the node bounded edges and nothing else, so that it can be exhausted.
func (m *maker) boundedWays(n *node) {
	for _, to := range n.targets {
		cond := m.onlyBound(100)
		if m.chance(40) {
			cond = m.test(n) + ", " + cond
		}
		m.edge(n, to, cond)
	}
	n.doubt = true
}

// freeWays gives every target transitions of a random kind. A model judges so many of 100; so many of 100 are followed by one more.
func (m *maker) freeWays(n *node, judge, more int) {
	targets := slices.Clone(n.targets)
	m.Shuffle(len(targets), func(i, j int) { targets[i], targets[j] = targets[j], targets[i] })
	n.doubt = len(targets) > 0
	var gotos []string
	next := false
	for len(targets) > 0 {
		to, rest := targets[0], targets[1:]
		last := len(rest) == 0 && !next && !n.routed()
		switch k := m.IntN(100); {
		case m.Tables && n.worker().free && !has(n.worker().out, "class") && !n.routed() && !next && m.chance(60):
			next, rest = m.table(n, targets), nil
		case m.Models && m.chance(judge):
			m.judged(n, to, m.bound(50))
		case k < 25:
			m.edge(n, to, m.test(n)+m.bound(30))
		case k < 33:
			m.edge(n, to, m.matchOutput(n)+m.bound(30))
		case k < 37 && n.free:
			n.field("confidence", pick(m, "float", "int"))
			m.edge(n, to, "on_confidence: 0.5"+m.bound(20))
		case k < 52:
			m.edge(n, to, m.onlyBound(100))
		case k < 58 && n.kind == "func" && !slices.Contains(gotos, to):
			gotos = append(gotos, to)
		case k < 66 && n.free:
			m.transition(n, to)
		case k < 66 && n.kind == "set" && m.truth(n) != "":
			n.trans = append(n.trans, m.truth(n)+": "+to)
		case k < 71 && n.free:
			n.field(pick(m, routeFields...), pick(m, "string", "string", "'?string'"))
			continue
		case k < 76 && (n.kind == "func" || n.kind == "prompt") && !has(n.out, "goto"):
			m.optionalRoute(n, pick(m, slices.DeleteFunc(slices.Clone(routeFields), func(name string) bool { return has(n.out, name) })...), to)
		case k < 82 && n.free && n.kind != "prompt" && n.kind != "human" && !n.judged && !n.routed() && !next:
			m.branch(n, targets)
			rest = nil
			next = true
		case n.defers && m.chance(50):
			m.edge(n, to, "on: no_tool_call"+m.bound(100))
		case last && n.defers && !n.judged && m.chance(80):
			m.certain = append(m.certain, edge{from: n.name, to: "to: " + to, cond: "on: no_tool_call", priority: -1})
			n.doubt, n.sure, next = false, true, true
		case last && m.chance(60):
			m.always(n, to)
			next = true
		case len(rest) == 0 && !next:
			n.surely(to)
			next = true
		default:
			continue
		}
		if targets[0] = m.someNode(); len(rest) == 0 && next || !m.chance(more) {
			targets = rest
		}
	}
	if n.doubt && (n.free || n.open) && m.chance(40) {
		n.surely(m.someNode())
	}
	n.when(len(gotos) > 0, "goto: %s", list(gotos))
}

// surely gives the node a default.
func (n *node) surely(next string) {
	n.key("next: %s", next)
	n.doubt, n.sure = false, true
}

// labels are labels with the nodes to which they lead, as YAML.
func labels(letter string, targets []string) (values []string, branch string) {
	var entries []string
	for i, to := range targets {
		values = append(values, fmt.Sprint(letter, i+1))
		entries = append(entries, values[i]+": "+to)
	}
	return values, "branch: {" + strings.Join(entries, ", ") + "}"
}

func (m *maker) branch(n *node, targets []string) {
	_, branch := labels("l", targets)
	bound := m.onlyBound(30)
	m.certain = append(m.certain, edge{from: n.name, to: branch, cond: bound, priority: pick(m, 0, -1)})
	n.doubt = bound != ""
}

// worker is the node whose output is the node's own.
func (n *node) worker() *node {
	if n.last != nil {
		return n.last
	}
	return n
}

// table gives the node a branch table by an enum of its output. It reports whether the table covers
// every value, so that no transition follows it.
func (m *maker) table(n *node, targets []string) (covers bool) {
	values, branch := labels("v", targets)
	of := n.worker()
	optional, rest := m.chance(25), m.chance(35)
	if rest {
		values = append(values, "rest")
	}
	covers = !optional && !rest && !of.soft && !n.soft
	typ := m.enum(n, "Class", values)
	if optional {
		typ = "?" + typ
	}
	of.field("class", "'"+typ+"'")
	bound := m.onlyBound(25)
	e := edge{from: n.name, to: "by: class, " + branch, cond: bound, priority: pick(m, 0, 0, 1, -1)}
	n.doubt, n.open = true, !covers
	if covers && bound == "" {
		e.priority = pick(m, 0, -1)
		m.certain = append(m.certain, e)
		n.doubt = false
		return true
	}
	m.edges = append(m.edges, e)
	for m.Models && m.chance(35) {
		m.judged(n, m.someNode(), m.bound(30))
	}
	return false
}

// leaveOutBy leaves by out of about half of the tables that look at the only field of an output.
func (m *maker) leaveOutBy() {
	for _, edges := range [][]edge{m.edges, m.certain} {
		for i, e := range edges {
			from := slices.IndexFunc(m.nodes, func(n *node) bool { return n.name == e.from })
			table, ok := strings.CutPrefix(e.to, "by: class, ")
			if ok && from >= 0 && len(m.nodes[from].worker().out) == 1 && len(table)%2 == 0 {
				edges[i].to = table
			}
		}
	}
}

// enum declares a type, and returns its name.
func (m *maker) enum(n *node, what string, values []string) string {
	name := fmt.Sprintf("%s%s%s%d", goName(m.name), goName(n.name), what, len(m.types))
	m.types = append(m.types, fmt.Sprintf("  %s: {enum: %s}", name, list(values)))
	return name
}

// routed reports whether the node has transitions besides transitions of failures.
func (n *node) routed() bool {
	return slices.ContainsFunc(n.trans, func(t string) bool { return !strings.HasPrefix(t, "error: ") })
}

func (m *maker) transition(n *node, to string) {
	key := fmt.Sprintf("t%d", len(n.trans))
	n.field(key, pick(m, "bool", "string", "'?bool'", "'?string'", "{enum: [x, y]}"))
	n.trans = append(n.trans, key+": "+to)
}

// optionalRoute gives the output a route field that may be absent.
func (m *maker) optionalRoute(n *node, name, to string) {
	values := []string{to}
	for _, v := range []string{m.someNode(), m.end()} {
		if !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	n.field(name, "'?"+m.enum(n, "Way", values)+"'")
}

// guardFail adds a guard_fail edge.
func (m *maker) guardFail(n *node, to string) {
	bound := m.bound(50)
	m.edge(n, to, "on: guard_fail"+bound)
	n.refused = n.refused || bound == ""
}

// failureWays decides how a node takes failures, and gives it what happens then.
func (m *maker) failureWays(n *node) {
	target := func() string {
		if m.chance(15) {
			return m.end()
		}
		to := m.someNode()
		m.refuge[to] = true
		return to
	}
	n.soft = m.chance(12)
	n.critical = !n.soft && m.chance(6)
	if n.soft {
		for _, to := range n.targets {
			m.refuge[to] = true
		}
	}
	if !n.soft && !n.critical && m.chance(22) {
		bound := 60
		if m.chance(30) {
			bound = 100
			m.edges = append(m.edges, edge{from: n.name, to: "to: " + target(), cond: "on: error", priority: -1})
		}
		m.edge(n, target(), "on: error"+m.bound(bound))
	}
	if m.chance(15) {
		n.trans = append(n.trans, "error: "+target())
	}
	if m.Budgets {
		m.makeKind(n) // it says whether the node asks a model
		if n.asks && !n.critical && m.chance(60) {
			m.edge(n, target(), "on: budget"+m.bound(60))
		}
	}
}
