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
	if !n.refused && m.chance(40) {
		n.key("guard_retries: %d", 1+m.IntN(2))
	}
}

// routeWays gives the node a required route field, which decides alone.
func (m *maker) routeWays(n *node, distinct []string) {
	var values, transitions []string
	for i, to := range distinct {
		if m.chance(30) {
			key := fmt.Sprintf("k%d", i)
			values, transitions = append(values, key), append(transitions, key+": "+to)
		} else {
			values = append(values, to)
		}
	}
	name := pick(m, "route", "_next", "next_step", "goto")
	switch {
	case name == "goto" && m.chance(40):
		m.optionalRoute(n, "route", distinct[0])
	case name == "goto" && m.chance(50):
		n.field("next_step", pick(m, "string", "'?string'"))
		n.doubt = true // a text that names nothing known is no choice
	}
	n.field(name, "{enum: ["+strings.Join(values, ", ")+"]}")
	n.trans = append(n.trans, transitions...)
}

// loopWays makes the node a loop_until.
func (m *maker) loopWays(n *node) {
	bound := ""
	if m.chance(70) {
		bound = fmt.Sprintf(", max_iterations: %d", 2+m.IntN(4))
	}
	m.edges = append(m.edges, edge{raw: fmt.Sprintf("  - {loop_until: {node: %s, exit: %s, if: '%s'%s}}\n", n.name, n.targets[0], m.condition(n), bound)})
}

// boundedWays gives the node bounded edges and nothing else, so that it can be exhausted.
func (m *maker) boundedWays(n *node) {
	for _, to := range n.targets {
		cond := strings.TrimPrefix(m.bound(100), ", ")
		if m.chance(40) {
			cond = "if: '" + m.condition(n) + "', " + cond
		}
		m.edge(n, to, cond)
	}
	n.doubt = true
}

// freeWays gives every target a transition of a random kind.
func (m *maker) freeWays(n *node) {
	targets := slices.Clone(n.targets)
	m.Shuffle(len(targets), func(i, j int) { targets[i], targets[j] = targets[j], targets[i] })
	n.doubt = len(targets) > 0
	var gotos []string
	next := false
	for len(targets) > 0 {
		to, rest := targets[0], targets[1:]
		if m.models && m.chance(30) {
			m.judged(n, to, m.bound(30))
			targets = rest
			continue
		}
		switch k := m.IntN(100); {
		case k < 25:
			m.edge(n, to, "if: '"+m.condition(n)+"'"+m.bound(30))
		case k < 33:
			m.edge(n, to, m.matchOutput(n)+m.bound(30))
		case k < 37 && n.free:
			n.field("confidence", pick(m, "float", "int"))
			m.edge(n, to, "on_confidence: 0.5"+m.bound(20))
		case k < 52:
			m.edge(n, to, strings.TrimPrefix(m.bound(100), ", "))
		case k < 58 && n.kind == "func" && !slices.Contains(gotos, to):
			gotos = append(gotos, to)
		case k < 66 && n.free:
			m.transition(n, to)
		case k < 66 && n.kind == "set" && m.truth(n) != "":
			n.trans = append(n.trans, m.truth(n)+": "+to)
		case k < 71 && n.free:
			m.stringRoute(n)
			continue
		case k < 76 && (n.kind == "func" || n.kind == "prompt") && n.outOf["goto"] == "":
			m.optionalRoute(n, pick(m, n.freeRoutes()...), to)
		case k < 82 && n.free && n.kind != "prompt" && n.kind != "human" && !n.judged && !n.routed() && !next:
			m.branch(n, targets)
			rest = nil
			next = true
		case n.defers && m.chance(20):
			m.edge(n, to, "on: no_tool_call"+m.bound(100))
		case len(rest) == 0 && n.defers && !next && !n.judged && !n.routed() && m.chance(80):
			m.certain = append(m.certain, edge{from: n.name, to: "to: " + to, cond: "on: no_tool_call", priority: -1})
			n.doubt, n.sure = false, true
		case len(rest) == 0 && !next && !n.routed() && m.chance(60):
			m.always(n, to)
		case len(rest) == 0 && !next:
			n.surely(to)
		default:
			continue
		}
		targets = rest
	}
	if n.doubt && n.free && m.chance(40) {
		n.surely(pick(m, m.nodes...).name)
	}
	if len(gotos) > 0 {
		n.key("goto: [%s]", strings.Join(gotos, ", "))
	}
}

// surely gives the node a default.
func (n *node) surely(next string) {
	n.key("next: %s", next)
	n.doubt, n.sure = false, true
}

// bound is a max_iterations in p of 100 cases.
func (m *maker) bound(p int) string {
	if !m.chance(p) {
		return ""
	}
	return fmt.Sprintf(", max_iterations: %d", 1+m.IntN(3))
}

func (m *maker) edge(n *node, to, cond string) {
	m.edges = append(m.edges, edge{from: n.name, to: "to: " + to, cond: cond, priority: pick(m, 0, 0, 0, 1, 2, 10)})
	if strings.Contains(cond, "max_iterations") && !strings.Contains(cond, "on: ") && m.chance(25) {
		m.edges = append(m.edges, edge{from: n.name, to: "to: " + to, cond: "if: '" + m.condition(n) + "', max_iterations: 4", priority: 3})
	}
}

// always adds an edge without a condition or bound, behind all others of the node.
func (m *maker) always(n *node, to string) {
	m.certain = append(m.certain, edge{from: n.name, to: "to: " + to, priority: pick(m, 0, 0, -1)})
	n.doubt, n.sure = false, true
}

func (m *maker) branch(n *node, targets []string) {
	var labels []string
	for i, to := range targets {
		labels = append(labels, fmt.Sprintf("l%d: %s", i+1, to))
	}
	bound := strings.TrimPrefix(m.bound(30), ", ")
	m.certain = append(m.certain, edge{from: n.name, to: "branch: {" + strings.Join(labels, ", ") + "}", cond: bound, priority: pick(m, 0, -1)})
	n.doubt = bound != ""
}

// worker is the node whose output is the node's own.
func (n *node) worker() *node {
	if n.last != nil {
		return n.last
	}
	return n
}

// tableWays gives the node a branch table by an enum of its output, with transitions beside it.
func (m *maker) tableWays(n *node) {
	targets := n.targets
	for len(targets) > 1 && m.chance(20) {
		m.edge(n, targets[0], pick(m, "if: '"+m.condition(n)+"'"+m.bound(30), strings.TrimPrefix(m.bound(100), ", ")))
		targets = targets[1:]
	}
	if m.table(n, targets) {
		return
	}
	for m.models && m.chance(30) {
		m.judged(n, pick(m, m.nodes...).name, m.bound(30))
	}
	switch to := pick(m, m.nodes...).name; {
	case m.chance(30):
		m.always(n, to)
	case m.chance(40):
		n.surely(to)
	}
}

// table gives the node a branch table by an enum of its output. It reports whether the table covers
// every value, so that no transition follows it.
func (m *maker) table(n *node, targets []string) (covers bool) {
	var values, labels []string
	for i, to := range targets {
		value := fmt.Sprintf("v%d", i+1)
		values, labels = append(values, value), append(labels, value+": "+to)
	}
	of := n.worker()
	optional := m.chance(25)
	if m.chance(35) {
		values = append(values, "rest")
	}
	covers = !optional && len(values) == len(labels) && !of.soft && !n.soft
	typ := fmt.Sprintf("%s%sClass%d", strings.ToUpper(m.name[:1])+m.name[1:], strings.ToUpper(n.name[:1])+n.name[1:], len(m.types))
	m.types = append(m.types, fmt.Sprintf("  %s: {enum: [%s]}\n", typ, strings.Join(values, ", ")))
	if optional {
		typ = "?" + typ
	}
	of.field("class", "'"+typ+"'")
	bound := strings.TrimPrefix(m.bound(25), ", ")
	e := edge{from: n.name, to: "by: class, branch: {" + strings.Join(labels, ", ") + "}", cond: bound, priority: pick(m, 0, 0, 1, -1)}
	n.doubt, n.open = true, !covers
	if covers && bound == "" {
		e.priority = pick(m, 0, -1)
		m.certain = append(m.certain, e)
		n.doubt = false
		return true
	}
	m.edges = append(m.edges, e)
	return false
}

// routed reports whether the node has transitions besides that of a failure.
func (n *node) routed() bool {
	return slices.ContainsFunc(n.trans, func(t string) bool { return !strings.HasPrefix(t, "error: ") })
}

func (m *maker) transition(n *node, to string) {
	key := fmt.Sprintf("t%d", len(n.trans))
	n.field(key, pick(m, "bool", "string", "'?bool'", "'?string'", "{enum: [x, y]}"))
	n.trans = append(n.trans, key+": "+to)
}

func (m *maker) stringRoute(n *node) {
	n.field(pick(m, "route", "_next", "next_step", "goto"), pick(m, "string", "string", "'?string'"))
}

// optionalRoute gives the output a route field that may be absent.
func (m *maker) optionalRoute(n *node, name, to string) {
	other := pick(m, m.nodes...).name
	values := []string{to}
	for _, v := range []string{other, "end"} {
		if !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	typ := fmt.Sprintf("%s%s", strings.ToUpper(m.name[:1])+m.name[1:], strings.ToUpper(n.name[:1])+n.name[1:]+fmt.Sprintf("Way%d", len(m.types)))
	m.types = append(m.types, fmt.Sprintf("  %s: {enum: [%s]}\n", typ, strings.Join(values, ", ")))
	n.field(name, "'?"+typ+"'")
}

// freeRoutes are the names of route fields the output does not have.
func (n *node) freeRoutes() []string {
	return slices.DeleteFunc([]string{"route", "_next", "next_step", "goto"}, func(name string) bool { return n.outOf[name] != "" })
}

// matchOutput is an on_output condition, or an if where the node has no output.
func (m *maker) matchOutput(n *node) string {
	if n.kind == "set" {
		if match := m.matchSet(n); match != "" {
			return match
		}
	}
	if !n.free {
		return "if: '" + m.condition(n) + "'"
	}
	switch m.IntN(5) {
	case 0:
		n.field("ok", "bool")
		return "on_output: {ok: " + pick(m, "true", "false") + "}"
	case 1:
		n.field("score", "int")
		return "on_output: {score: 3}"
	case 2:
		n.field("status", "{enum: [good, bad, odd]}")
		return "on_output: {status: " + pick(m, "good", "bad") + "}"
	case 3:
		n.field("maybe", "'?int'")
		return "on_output: {maybe: 2}"
	}
	n.field("msg", "string")
	return "on_output: {msg: ab}"
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
			return "end"
		}
		to := pick(m, m.nodes...).name
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
		second := m.chance(30)
		bound := 60
		if second {
			bound = 100
			m.edges = append(m.edges, edge{from: n.name, to: "to: " + target(), cond: "on: error", priority: -1})
		}
		m.edge(n, target(), "on: error"+m.bound(bound))
	}
	if m.chance(15) {
		n.trans = append(n.trans, "error: "+target())
	}
}
