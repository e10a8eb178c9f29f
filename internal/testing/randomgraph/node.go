package randomgraph

import (
	"fmt"
	"slices"
	"strings"
)

// makeNode decides what a node is and gives it the transitions that it needs.
func (m *maker) makeNode(n *node) {
	distinct := slices.Compact(slices.Sorted(slices.Values(n.targets)))
	m.makeKind(n, distinct)
	n.free = n.kind == "func" || n.kind == "transform" || n.kind == "prompt"
	if n.kind == "human" {
		n.soft = false
	}
	m.makeData(n)
	n.retry = n.kind != "transform" && n.kind != "tool" && n.kind != "human" && !n.unmanned() && !n.retries && m.chance(22)
	n.cache = n.reads && n.kind != "guard" && n.kind != "human" && !n.defers && !n.loops && n.talk == "" && m.chance(18)
	switch {
	case n.kind == "router":
		n.key("routes: [%s]", strings.Join(distinct, ", "))
	case n.kind == "guard":
		m.guardWays(n)
	case (n.kind == "func" || n.kind == "prompt") && len(distinct) > 1 && m.chance(10):
		m.routeWays(n, distinct)
	case m.tables && len(n.targets) > 0 && n.worker().free && n.worker().outOf["class"] == "" && m.chance(70):
		m.tableWays(n)
	case m.models && len(n.targets) > 0 && m.chance(35):
		m.judgedWays(n)
	case len(n.targets) == 1 && m.chance(8):
		m.loopWays(n)
	case len(n.targets) == 1 && m.chain && m.chance(70):
		m.always(n, n.targets[0])
	case len(n.targets) > 0 && m.chance(12):
		m.boundedWays(n)
	default:
		m.freeWays(n)
	}
	m.makeGuards(n)
	m.makeFlags(n)
	m.finish(n)
}

// makeKind decides what a node is, unless that is known.
func (m *maker) makeKind(n *node, distinct []string) {
	switch {
	case n.kind != "":
		return
	case m.models && m.chance(40):
		n.kind = "prompt"
	case m.inner != nil && m.chance(30):
		n.kind = "subgraph"
	case m.composes && m.chance(50):
		n.kind = pick(m, composites...)
	case m.people && m.chance(25):
		n.kind = "human"
	case len(distinct) > 0 && m.chance(7):
		n.kind = "router"
	case len(n.targets) <= 2 && m.chance(12):
		n.kind = "guard"
	case m.chance(12):
		n.kind = "transform"
	case !n.soft && m.chance(16):
		n.kind = pick(m, unmanned...)
	default:
		n.kind = "func"
	}
	n.asks = n.kind == "prompt" || (n.kind == "router" || n.kind == "guard") && m.models && m.chance(60)
}

func (n *node) key(format string, args ...any) { n.keys = append(n.keys, fmt.Sprintf(format, args...)) }

// field gives the output a field, unless it has one of that name.
func (n *node) field(name, typ string) {
	if _, ok := n.outOf[name]; !ok {
		n.outOf[name] = typ
		n.out = append(n.out, name+": "+typ)
	}
}

// makeData decides what a node reads and writes.
func (m *maker) makeData(n *node) {
	if n.kind != "func" {
		n.key("kind: %s", n.kind)
	}
	switch {
	case n.asks:
		m.makeAgent(n)
		return
	case n.kind == "human":
		m.makeHuman(n, m.someFields())
		if n.free && m.chance(70) {
			n.writes = m.someFields()
			n.key("writes: [%s]", strings.Join(n.writes, ", "))
		}
		return
	case n.kind == "set":
		m.makeSet(n, m.state, m.state)
		return
	case n.kind == "say":
		m.makeSay(n, m.state)
		return
	case n.kind == "tool", n.kind == "pass":
		return
	case n.composite():
		m.makeRegions(n, m.ownScope())
		return
	case n.kind == "subgraph":
		m.runInner(n, m.ownScope())
		return
	}
	switch k := m.IntN(10); {
	case k < 3:
		n.state = true
		return
	case k < 9 || !n.free:
		n.reads = true
		n.key("reads: [%s]", strings.Join(m.heard(m.someFields()), ", "))
	}
	if n.free && (!n.reads || m.chance(70)) {
		n.writes = m.heard(m.someFields())
		n.key("writes: [%s]", strings.Join(n.writes, ", "))
	}
}

func (m *maker) someFields() []string {
	var out []string
	for _, i := range m.Perm(len(m.state))[:1+m.IntN(min(3, len(m.state)))] {
		out = append(out, m.state[i].name)
	}
	return out
}

// makeGuards gives a node with an output guards.
func (m *maker) makeGuards(n *node) {
	if n.kind != "func" && n.kind != "prompt" || len(n.out)+len(n.writes) == 0 || !m.chance(22) {
		return
	}
	guards := []string{n.name + "_g1", n.name + "_g2"}
	if reads := m.context("{reads: [%s]}"); reads != "" && !n.cache { // the key of a cache has what the node reads alone
		guards[0] = "{" + guards[0] + ": " + reads + "}"
	}
	n.key("guards: [%s]", strings.Join(guards[:1+m.IntN(2)], ", "))
	if m.chance(60) {
		m.guardFail(n, pick(m, m.nodes...).name)
	}
	if !n.refused && m.chance(60) {
		n.key("guard_retries: %d", 1+m.IntN(2))
	}
}

// makeFlags gives a node its flags and limits.
func (m *maker) makeFlags(n *node) {
	var flags []string
	add := func(flag string, is bool) {
		if is {
			flags = append(flags, flag)
		}
	}
	skip := m.refuge[n.name] && n.kind != "human" && m.chance(40)
	m.gate(n, &flags, !skip)
	if n.soft {
		n.key("fail_soft: true")
	}
	n.doubt = n.doubt || n.defers && len(n.targets) == 0 || (n.soft || skip) && !n.sure && len(n.targets) > 0
	add("entry", m.flagged && n == m.nodes[0])
	add("terminal", len(n.targets) == 0 && !n.defers && m.chance(50))
	add("critical", n.critical)
	add("skip_on_error", skip)
	add(fmt.Sprintf("{retryable: {attempts: %d, wait: 1ns, max_wait: 1ns, on: %s}}", 2+m.IntN(2), pick(m, "transient", "any")), n.retry)
	add("cacheable", n.cache)
	add("no_history", n.unkept)
	add("readonly", n.state && n.free && m.chance(12))
	add("isolated_context", n.reads && n.kind != "transform" && m.chance(10))
	if len(flags) > 0 {
		n.key("flags: [%s]", strings.Join(flags, ", "))
	}
	if n.kind != "transform" && !n.unmanned() && !m.models && !m.composes && !m.within && m.chance(2) {
		n.key("timeout: 1us")
	}
	switch {
	case m.long:
		n.key("max_visits: 100")
	case n.loops && (m.steps == 0 || m.chance(20)): // a turn that calls tools needs another
		n.key("max_visits: %d", pick(m, 2, 3, 5, 30, m.manyVisits()))
	case m.steps == 0 || m.chance(20):
		n.key("max_visits: %d", pick(m, 1, 2, 3, 5, 30, m.manyVisits()))
	}
}

// manyVisits is a max_visits that is not used up before the steps are, or hardly.
func (m *maker) manyVisits() int {
	if m.steps == 0 {
		return 35 // one above the steps by default is refused
	}
	return 100
}

// finish writes the keys that depend on the others: output, transitions, no_match.
func (m *maker) finish(n *node) {
	if len(n.trans) > 0 {
		n.key("transitions: {%s}", strings.Join(n.trans, ", "))
	}
	if n.doubt && (m.noMatch == "" || n.open || m.chance(15)) {
		n.key("no_match: %s", pick(m, "error", "end"))
	}
	if n.kind == "set" {
		return
	}
	if len(n.out) == 0 {
		if len(n.writes) == 1 && n.kind != "prompt" && m.chance(40) {
			f := m.stateField(n.writes[0])
			typ := f.typ
			if (f.merge == "append" || f.merge == "union") && strings.HasPrefix(typ, "[]") && m.chance(50) {
				typ = typ[2:]
			}
			n.key("output: %q", typ)
		}
		return
	}
	for _, w := range n.writes {
		f := m.stateField(w)
		typ := f.typ
		if (f.merge == "append" || f.merge == "union") && strings.HasPrefix(typ, "[]") && m.chance(30) {
			typ = typ[2:]
		}
		n.field(w, "'"+typ+"'")
	}
	n.key("output: {%s}", strings.Join(n.out, ", "))
}

func (m *maker) stateField(name string) stateField {
	all := slices.Concat(m.state, m.extra)
	return all[slices.IndexFunc(all, func(f stateField) bool { return f.name == name })]
}
