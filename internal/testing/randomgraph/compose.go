package randomgraph

import (
	"fmt"
	"slices"
	"strings"
)

// depth is how deep nodes that run others are nested.
const depth = 3

// A scope is what the nodes of a region may do.
type scope struct {
	host    *node    // nil at the graph's own level
	level   int      // nodes that run others around it
	items   []string // the fields with the elements of the maps around it
	private []string // fields of these maps that hold something where the region begins
	last    []string // fields without a merge rule that its nodes may write
	apart   bool     // it runs beside others
	retried bool     // it runs again where it fails
}

// composites are the kinds that run others.
var composites = []string{"loop", "retry", "parallel", "map"}

func (n *node) composite() bool { return n.kind == "autonomous" || slices.Contains(composites, n.kind) }

// someComposite is a kind that runs others.
func (m *maker) someComposite() string {
	if m.Calls && m.chance(20) {
		return "autonomous"
	}
	return pick(m, composites...)
}

// ownScope is the scope of the graph's own level.
func (m *maker) ownScope() scope { return scope{last: names(m.state)} }

// writable are the fields that the nodes of a region may write.
func (m *maker) writable(s scope) []stateField {
	return slices.DeleteFunc(slices.Clone(m.state), func(f stateField) bool { return f.merge == "" && !slices.Contains(s.last, f.name) })
}

// runInner makes a node run the graph within this one.
func (m *maker) runInner(n *node, s scope) {
	n.key("graph: inner")
	var in, out entries
	for _, name := range m.inner.input {
		in.add(true, "%s: %[1]s", name)
	}
	for _, name := range m.inner.given {
		out.add(slices.Contains(names(m.writable(s)), name) && m.chance(80), "%s: %[1]s", name)
	}
	n.when(len(in) > 0, "in: {%s}", strings.Join(in, ", "))
	n.when(len(out) > 0, "out: {%s}", strings.Join(out, ", "))
}

// makeRegions gives a node the nodes that it runs, in the node's own scope.
func (m *maker) makeRegions(n *node, s scope) {
	s.host = n
	s.level++
	n.when(m.People && m.chance(20), "timeout: 60h") // as long as answers may take, and less than two of them
	switch n.kind {
	case "loop":
		n.key("body: %s", m.makeBody(s))
		n.when(m.chance(70), "max_iterations: %d", max(2, 1+m.IntN(4)))
		n.key("until: '%s'", m.until(n))
	case "retry":
		s.retried, n.retries = true, true
		n.key("body: %s, attempts: %d, wait: 1ns, max_wait: 1ns", m.makeBody(s), 2+m.IntN(2))
		n.key("retry_on: %s", pick(m, "transient", "any"))
	case "parallel":
		m.makeBranches(n, s)
	case "map":
		m.makeMap(n, s)
	case "autonomous":
		var pool []string
		for range 2 {
			pool = append(pool, m.makeChild(s, nil).name)
		}
		n.last = nil
		n.key("instructions: '%s%s: go by {{%s}}.', pool: %s, max_steps: %d", n.name, m.elements(s), pick(m, m.someFields()...), list(pool), 1+m.IntN(3))
	}
}

// makeBranches gives a parallel its branches. No two of them write one field without a
// merge rule.
func (m *maker) makeBranches(n *node, s scope) {
	s.apart = true
	count := 1 + m.IntN(4)
	shares := make([][]string, count)
	for _, f := range s.last {
		i := m.IntN(count)
		shares[i] = append(shares[i], f)
	}
	var branches []string
	for i := range count {
		s.last = shares[i]
		branches = append(branches, fmt.Sprintf("b%d: %s", i+1, m.started(m.makeBody(s))))
	}
	n.last = nil
	n.key("branches: {%s}", strings.Join(branches, ", "))
	m.makeJoin(n, count)
}

// makeMap gives a map its list, in which nothing is twice, and its body. The body's nodes write fields with a merge
// rule, and a field of their own.
func (m *maker) makeMap(n *node, s scope) {
	over := pick(m, slices.DeleteFunc(slices.Clone(m.state), func(f stateField) bool { return f.name != "u" && f.name != "t" })...)
	item := fmt.Sprintf("i%d", len(m.extra)+1)
	m.extra = append(m.extra, stateField{name: item, typ: strings.TrimPrefix(over.typ, "[]")})
	s.apart, s.last = true, nil
	s.items = append(slices.Clone(s.items), item)
	n.key("over: %s, item: %s, body: %s", over.name, item, m.makeBody(s))
	n.last = nil
	m.makeJoin(n, 4)
}

// makeJoin writes how the branches of a node are joined.
func (m *maker) makeJoin(n *node, branches int) {
	if branches == 1 {
		return
	}
	most := branches - 1
	join := pick(m, "", "fail_fast", "all", "first", "settled")
	n.when(join != "", "join: %s", join)
	n.when((join == "first" || join == "settled") && m.chance(90), "count: %d", pick(m, most, 1+m.IntN(most)))
	n.when(m.chance(25), "max_parallel: %d", 1+m.IntN(min(2, most)))
}

// makeChain makes the nodes of a region and returns their names, as YAML.
func (m *maker) makeChain(s scope) string {
	var chain []string
	var before *node
	for range 1 + min(m.IntN(3), m.IntN(3)) {
		before = m.makeChild(s, before)
		chain = append(chain, before.name)
		if before.private != "" {
			s.private = append(slices.Clone(s.private), before.private)
		}
	}
	s.host.last = before.result()
	if m.Routers && m.chance(60) {
		chain = m.childRouter(s, chain)
	}
	if len(chain) == 1 && m.chance(70) {
		return chain[0]
	}
	return list(chain)
}

// result is the node whose output conditions see, nil where there is none.
func (n *node) result() *node {
	switch {
	case n.composite():
		return n.last
	case n.kind == "subgraph", n.kind == "pass", n.kind == "say", n.kind == "guard":
		return nil
	}
	return n
}

// childRouter makes a router, and puts it before a node of a chain. Most of them lead to that node, too.
func (m *maker) childRouter(s scope, chain []string) []string {
	n := m.newNode(&m.children, "router")
	n.soft = m.chance(20)
	n.key("kind: router")
	m.makeReads(n, s)
	at := m.IntN(len(chain))
	n.key("routes: %s", list(m.routes(chain[at:], 85, 60)))
	m.tryAgain(n, s)
	m.makeFlags(n, s, false)
	return slices.Insert(chain, at, n.name)
}

// routes are where a router before the rest of a chain leads: to its first node, each of the others, and the end in so many of 100 cases.
func (m *maker) routes(rest []string, first, others int) []string {
	var out entries
	for i, to := range append(slices.Clone(rest), "end") {
		out.add(i == 0 && m.chance(first) || i > 0 && m.chance(others), "%s", to)
	}
	if len(out) == 0 {
		return rest
	}
	return out
}

// tryAgain makes some nodes of regions retryable, unless the region runs again.
func (m *maker) tryAgain(n *node, s scope) {
	n.retry = !s.retried && (n.kind == "func" || n.kind == "router") && m.chance(15)
	s.host.retries = s.host.retries || n.retries || n.retry
}

// makeChild makes a node of a region, which runs after another or as the first.
func (m *maker) makeChild(s scope, before *node) *node {
	n := m.newNode(&m.children, "func")
	m.childKind(n, s)
	n.soft = !n.unmanned() && n.kind != "human" && m.chance(15)
	m.makeData(n, s)
	m.guardRetries(n, n.kind == "guard" && m.chance(50))
	m.tryAgain(n, s)
	n.cache = n.reads && n.free && !n.loops && m.chance(12)
	m.makeGuards(n, s)
	m.makeFlags(n, s, before != nil && before.soft)
	return n
}

// childKind gives a node of a region its kind.
func (m *maker) childKind(n *node, s scope) {
	switch {
	case s.level < depth && len(m.children) < 16 && m.chance(35):
		n.kind = m.someComposite()
		if n.kind == "retry" && s.retried {
			n.kind = "map"
		}
	case m.inner != nil && !m.lent && len(s.items) == 0 && m.chance(45):
		n.kind, m.lent = "subgraph", true
	case m.Calls && m.chance(35):
		n.kind, n.asks, n.unkept = "prompt", true, true
	case m.People && m.chance(35):
		n.kind = "human"
	case m.Calls && m.chance(15):
		n.kind, n.asked = "tool", true
	case m.chance(12):
		n.kind = "transform"
	case m.chance(16):
		n.kind = pick(m, unmanned...)
		if n.kind == "set" && len(m.writable(s)) == 0 {
			n.kind = "pass"
		}
	case m.chance(10):
		n.kind = "guard"
	}
}

// makeReads decides what a node reads. Within maps it reads the
// elements, so that its player can identify them.
func (m *maker) makeReads(n *node, s scope) {
	reads := slices.Clone(s.items)
	if len(reads) == 0 || m.chance(60) {
		reads = append(reads, m.someFields()...)
	}
	for _, f := range s.private {
		if m.chance(60) {
			reads = append(reads, f)
		}
	}
	m.Shuffle(len(reads), func(i, j int) { reads[i], reads[j] = reads[j], reads[i] })
	n.reads = true
	n.key("reads: %s", list(m.heard(reads, s)))
}

// toWrite are the fields that a node writes.
func (m *maker) toWrite(n *node, s scope) (writes []string) {
	if s.host == nil {
		return m.someFields()
	}
	writable := m.writable(s)
	for _, i := range m.Perm(len(writable)) {
		if len(writes) < 3 && m.chance(70) {
			writes = append(writes, writable[i].name)
		}
	}
	if len(s.items) > 0 && !n.soft && m.chance(20) {
		n.private = fmt.Sprintf("w%d", len(m.extra)+1)
		m.extra = append(m.extra, stateField{name: n.private, typ: pick(m, "int", "string")})
		writes = append(writes, n.private)
	}
	return writes
}

// until is the condition of a loop.
func (m *maker) until(n *node) string {
	switch {
	case n.last != nil && m.chance(55):
		return m.aboutOutput(n.last)
	case m.chance(30):
		return fmt.Sprintf("res.Iterations > %d", m.IntN(3))
	}
	return m.aboutState()
}
