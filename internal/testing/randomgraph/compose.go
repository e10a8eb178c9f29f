package randomgraph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Composed returns the spec of a random graph of that name, with nodes that run others:
// loops, retries, parallels and maps, up to three deep. The checks refuse some.
func Composed(r *rand.Rand, name string) string {
	return (&maker{Rand: r, name: name, composes: true}).make()
}

// ComposedRouters is Composed with routers in some of the regions.
func ComposedRouters(r *rand.Rand, name string) string {
	return (&maker{Rand: r, name: name, composes: true, routers: true}).make()
}

// Nested returns the specs of two random graphs, of which the first runs the second.
func Nested(r *rand.Rand, name, inner string) (outerText, innerText string) {
	within := &maker{Rand: r, name: inner, within: true, composes: r.IntN(2) == 0}
	innerText = within.make()
	return (&maker{Rand: r, name: name, composes: true, inner: within}).make(), innerText
}

// runInner makes a node run the graph within this one.
func (m *maker) runInner(n *node, s scope) {
	n.key("graph: inner")
	var in, out []string
	for _, name := range m.inner.input {
		in = append(in, name+": "+name)
	}
	for _, name := range m.inner.given {
		if f := m.stateField(name); m.chance(80) && (f.merge != "" || slices.Contains(s.last, name)) {
			out = append(out, name+": "+name)
		}
	}
	if len(in) > 0 {
		n.key("in: {%s}", strings.Join(in, ", "))
	}
	if len(out) > 0 {
		n.key("out: {%s}", strings.Join(out, ", "))
	}
}

// moreState gives the graph a list to run over, and fields that branches may all write.
func (m *maker) moreState() {
	names := []string{pick(m, "u", "t"), pick(m, "x", "l"), pick(m, "b", "m")}
	if m.inner != nil {
		names = append(append(names, m.inner.input...), m.inner.given...)
	}
	for _, name := range names {
		if !slices.ContainsFunc(m.state, func(f stateField) bool { return f.name == name }) {
			m.state = append(m.state, fieldPool[slices.IndexFunc(fieldPool, func(f stateField) bool { return f.name == name })])
		}
	}
}

// depth is how deep nodes that run others are nested.
const depth = 3

// A scope is what the nodes of a region may do.
type scope struct {
	host    *node
	level   int      // nodes that run others around it
	items   []string // the fields with the elements of the maps around it
	private []string // fields of these maps that hold something where the region begins
	last    []string // fields without a merge rule that its nodes may write
	apart   bool     // it runs beside others
	retried bool     // it runs again where it fails
}

// composites are the kinds that run others.
var composites = []string{"loop", "retry", "parallel", "map"}

func (n *node) composite() bool { return slices.Contains(composites, n.kind) }

// ownScope is the scope of the graph's own level.
func (m *maker) ownScope() scope {
	s := scope{}
	for _, f := range m.state {
		if f.merge == "" {
			s.last = append(s.last, f.name)
		}
	}
	return s
}

// makeRegions gives a node the nodes that it runs, in the node's own scope.
func (m *maker) makeRegions(n *node, s scope) {
	s.host = n
	s.level++
	switch n.kind {
	case "loop":
		n.key("body: %s", m.makeChain(s))
		if m.chance(70) {
			n.key("max_iterations: %d", max(2, 1+m.IntN(4)))
		}
		n.key("until: '%s'", m.until(n))
	case "retry":
		s.retried = true
		n.retries = true
		n.key("body: %s", m.makeChain(s))
		n.key("attempts: %d", 2+m.IntN(2))
		n.key("wait: 1ns")
		n.key("max_wait: 1ns")
		n.key("retry_on: %s", pick(m, "transient", "any"))
	case "parallel":
		m.makeBranches(n, s)
	case "map":
		m.makeMap(n, s)
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
		branches = append(branches, fmt.Sprintf("b%d: %s", i+1, m.makeChain(s)))
	}
	n.last = nil
	n.key("branches: {%s}", strings.Join(branches, ", "))
	m.makeJoin(n, count)
}

// makeMap gives a map its list and its body. The body's nodes write fields with a merge
// rule, and a field of their own.
func (m *maker) makeMap(n *node, s scope) {
	over := pick(m, m.listed()...)
	item := fmt.Sprintf("i%d", len(m.extra)+1)
	m.extra = append(m.extra, stateField{name: item, typ: strings.TrimPrefix(over.typ, "[]")})
	s.apart, s.last = true, nil
	s.items = append(slices.Clone(s.items), item)
	n.key("over: %s", over.name)
	n.key("item: %s", item)
	n.key("body: %s", m.makeChain(s))
	n.last = nil
	m.makeJoin(n, 0)
}

// listed are the fields that a map may run over: nothing is in them twice.
func (m *maker) listed() []stateField {
	return slices.DeleteFunc(slices.Clone(m.state), func(f stateField) bool {
		return f.name != "u" && f.name != "t"
	})
}

// makeJoin writes how the branches of a node are joined. If branches is 0, there is one for
// every element of a list.
func (m *maker) makeJoin(n *node, branches int) {
	if branches == 1 {
		return
	}
	most := branches - 1
	if branches == 0 {
		most = 3
	}
	if join := pick(m, "", "fail_fast", "all", "first", "settled"); join != "" {
		n.key("join: %s", join)
		if (join == "first" || join == "settled") && m.chance(90) {
			n.key("count: %d", pick(m, most, 1+m.IntN(most)))
		}
	}
	if m.chance(25) {
		n.key("max_parallel: %d", 1+m.IntN(min(2, most)))
	}
}

// makeChain makes the nodes of a region and returns their names, as YAML.
func (m *maker) makeChain(s scope) string {
	var names []string
	var before *node
	for range 1 + min(m.IntN(3), m.IntN(3)) {
		before = m.makeChild(s, before)
		names = append(names, before.name)
		if before.private != "" {
			s.private = append(slices.Clone(s.private), before.private)
		}
	}
	s.host.last = before.result()
	if m.routers && m.chance(60) {
		names = m.childRouter(s, names)
	}
	if len(names) == 1 && m.chance(70) {
		return names[0]
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// childRouter makes a router, and puts it before a node of a chain. Most of them lead to that node, too.
func (m *maker) childRouter(s scope, names []string) []string {
	at := m.IntN(len(names))
	m.made++
	n := &node{name: fmt.Sprintf("%s%d", m.childPrefix(), m.made), outOf: map[string]string{}, kind: "router", soft: m.chance(20)}
	m.children = append(m.children, n)
	n.key("kind: router")
	m.childReads(n, s)
	var routes []string
	for i, to := range append(names[at:len(names):len(names)], "end") {
		if i == 0 && m.chance(85) || i > 0 && m.chance(60) {
			routes = append(routes, to)
		}
	}
	if len(routes) == 0 {
		routes = names[at:]
	}
	n.key("routes: [%s]", strings.Join(routes, ", "))
	n.retry = !s.retried && m.chance(15)
	s.host.retries = s.host.retries || n.retry
	m.childFlags(n, s, nil)
	return slices.Insert(names, at, n.name)
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

func (m *maker) childPrefix() string {
	if m.within {
		return "d"
	}
	return "c"
}

// makeChild makes a node of a region, which runs behind another or as the first.
func (m *maker) makeChild(s scope, before *node) *node {
	m.made++
	n := &node{name: fmt.Sprintf("%s%d", m.childPrefix(), m.made), outOf: map[string]string{}, kind: "func"}
	m.children = append(m.children, n)
	m.childKind(n, s)
	if n.unmanned() {
		m.childUnmanned(n, s)
		m.childFlags(n, s, before)
		return n
	}
	if n.kind != "func" {
		n.key("kind: %s", n.kind)
	}
	if n.kind == "human" {
		m.childHuman(n, s)
		return n
	}
	n.soft = m.chance(15)
	switch {
	case n.composite():
		m.makeRegions(n, s)
		s.host.retries = s.host.retries || n.retries
	case n.kind == "subgraph":
		m.lent = true
		m.runInner(n, s)
	default:
		m.childWork(n, s)
	}
	m.childFlags(n, s, before)
	return n
}

// childKind gives a node of a region its kind.
func (m *maker) childKind(n *node, s scope) {
	switch {
	case s.level < depth && m.made < 16 && m.chance(35):
		n.kind = pick(m, composites...)
		if n.kind == "retry" && s.retried {
			n.kind = "map"
		}
	case m.inner != nil && !m.lent && len(s.items) == 0 && m.chance(45):
		n.kind = "subgraph"
	case m.people && m.chance(35):
		n.kind = "human"
	case m.chance(12):
		n.kind = "transform"
	case m.chance(16):
		n.kind = pick(m, unmanned...)
	case m.chance(10):
		n.kind = "guard"
	}
}

// childWork gives a node with a handler its data and its settings.
func (m *maker) childWork(n *node, s scope) {
	n.free = n.kind != "guard"
	m.childData(n, s)
	if n.kind == "guard" && m.chance(50) {
		n.key("guard_retries: %d", 1+m.IntN(2))
	}
	n.retry = !s.retried && n.kind == "func" && m.chance(15)
	s.host.retries = s.host.retries || n.retry
	n.cache = n.reads && n.free && m.chance(12)
	if n.kind == "func" && len(s.items) == 0 && len(n.writes) > 0 && m.chance(15) {
		n.key("guards: [%s]", strings.Join([]string{n.name + "_g1", n.name + "_g2"}[:1+m.IntN(2)], ", "))
		if m.chance(60) {
			n.key("guard_retries: %d", 1+m.IntN(2))
		}
	}
}

// childData decides what a node of a region reads and writes. Within maps it reads the
// elements, so that its player can identify them.
func (m *maker) childData(n *node, s scope) {
	if n.kind == "func" && !s.apart && m.chance(20) {
		n.state = true
		return
	}
	m.childReads(n, s)
	if n.free {
		m.childWrites(n, s)
	}
}

// childReads decides what a node of a region reads.
func (m *maker) childReads(n *node, s scope) {
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
	n.key("reads: [%s]", strings.Join(reads, ", "))
}

// childWrites decides what a node of a region writes.
func (m *maker) childWrites(n *node, s scope) {
	for _, f := range m.Perm(len(m.state)) {
		if f := m.state[f]; len(n.writes) < 3 && m.chance(70) && (f.merge != "" || slices.Contains(s.last, f.name)) {
			n.writes = append(n.writes, f.name)
		}
	}
	if len(s.items) > 0 && !n.soft && m.chance(20) {
		n.private = fmt.Sprintf("w%d", len(m.extra)+1)
		m.extra = append(m.extra, stateField{name: n.private, typ: pick(m, "int", "string")})
		n.writes = append(n.writes, n.private)
	}
	if len(n.writes) > 0 {
		n.key("writes: [%s]", strings.Join(n.writes, ", "))
	}
}

// childFlags gives a node of a region its flags.
func (m *maker) childFlags(n *node, s scope, before *node) {
	var flags []string
	m.gate(n, &flags, before == nil || !before.soft)
	if n.soft {
		n.key("fail_soft: true")
	}
	if before != nil && before.soft && n.private == "" && m.chance(50) {
		flags = append(flags, "skip_on_error")
	}
	if n.retry {
		flags = append(flags, fmt.Sprintf("{retryable: {attempts: %d, wait: 1ns, max_wait: 1ns, on: %s}}", 2+m.IntN(2), pick(m, "transient", "any")))
	}
	if n.cache {
		flags = append(flags, "cacheable")
	}
	if n.kind == "func" && n.reads && m.chance(8) {
		flags = append(flags, "isolated_context")
	}
	if s.apart && !n.composite() && m.chance(10) {
		flags = append(flags, "parallel_safe")
	}
	if len(flags) > 0 {
		n.key("flags: [%s]", strings.Join(flags, ", "))
	}
}

// until is the condition of a loop.
func (m *maker) until(n *node) string {
	f := pick(m, m.state...)
	about := aboutField(m, "state."+goName(f.name), f.typ, m.IntN(4))
	switch {
	case n.last != nil && m.chance(55):
		return m.aboutOutput(n.last, m.IntN(4))
	case about == "" || m.chance(30):
		return fmt.Sprintf("res.Iterations > %d", m.IntN(3))
	}
	return about
}
