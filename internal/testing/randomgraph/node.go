package randomgraph

import (
	"fmt"
	"slices"
	"strings"
)

// A node is a node in the making.
type node struct {
	name    string
	targets []string // where it should be able to go
	kind    string
	keys    entries  // its YAML keys, complete
	out     []string // fields of its output, as YAML
	trans   []string // its transitions, as YAML
	flags   entries
	writes  []string
	state   bool // takes the state
	reads   bool
	free    bool   // may have choices and an output
	asks    bool   // asks a model
	draws   bool   // it, or one that it runs, draws on a budget; of a nest
	asked   bool   // a tool that the caller runs
	loops   bool   // a prompt that is asked again after its tool calls
	defers  bool   // a prompt that leaves tool calls to others
	talk    string // the conversation that it continues
	unkept  bool   // nothing of it is kept
	timed   bool   // it has a timeout, which may pass before a transaction begins
	judged  bool   // the model judges some of its edges
	doubt   bool   // its transitions may all be closed
	open    bool   // it has a branch table that does not cover every value
	sure    bool   // one of them is always open
	refused bool   // a transition of failed guards is always open

	last    *node  // of a node that runs others: the one whose output is its own
	private string // the field that only nodes within the same map read
	retries bool   // something is tried again in it

	soft, critical, retry, cache bool // its flags
}

// newNode adds a node at the graph's own level or that another runs. Nodes of a graph that another one
// runs have other names, so that a player of both can distinguish them.
func (m *maker) newNode(level *[]*node, kind string) *node {
	letters := map[bool]string{false: "nc", true: "zd"}[m.within]
	letter := letters[:1]
	if level == &m.children {
		letter = letters[1:]
	}
	n := &node{name: fmt.Sprint(letter, len(*level)+1), kind: kind}
	*level = append(*level, n)
	return n
}

func (n *node) key(format string, args ...any) { n.keys.add(true, format, args...) }

// when gives a node a key if something is so.
func (n *node) when(is bool, format string, args ...any) { n.keys.add(is, format, args...) }

// has reports whether a mapping has a key.
func has(entries []string, key string) bool {
	return slices.ContainsFunc(entries, func(e string) bool { return strings.HasPrefix(e, key+": ") })
}

// field gives the output a field, unless it has one of that name.
func (n *node) field(name, typ string) {
	if !has(n.out, name) {
		n.out = append(n.out, name+": "+typ)
	}
}

// makeNode decides what a node is and gives it the transitions that it needs.
func (m *maker) makeNode(n *node) {
	distinct := slices.Compact(slices.Sorted(slices.Values(n.targets)))
	m.makeKind(n)
	n.soft = n.soft && n.kind != "human"
	m.makeData(n, m.ownScope())
	n.retry = n.kind != "transform" && n.kind != "tool" && n.kind != "human" && !n.unmanned() && !n.retries &&
		!(m.Durable && n.kind == "subgraph") && m.chance(22)
	n.cache = n.reads && n.kind != "guard" && n.kind != "human" && !n.defers && !n.loops && n.talk == "" && m.chance(18)
	switch {
	case n.kind == "router":
		n.key("routes: %s", list(distinct))
	case n.kind == "guard":
		m.guardWays(n)
	case (n.kind == "func" || n.kind == "prompt") && len(distinct) > 1 && m.chance(10):
		m.routeWays(n, distinct)
	case m.Models && len(n.targets) > 0 && m.chance(35):
		m.freeWays(n, 50, 55)
	case len(n.targets) == 1 && m.chance(8):
		m.loopWays(n)
	case len(n.targets) == 1 && m.chain && m.chance(70):
		m.always(n, n.targets[0])
	case len(n.targets) > 0 && m.chance(12):
		m.boundedWays(n)
	default:
		m.freeWays(n, 30, 0)
	}
	m.makeGuards(n, scope{})
	m.makeFlags(n, scope{}, m.refuge[n.name])
	m.makeLimits(n)
	m.finish(n)
}

// makeKind decides what a node is, unless that is known.
func (m *maker) makeKind(n *node) {
	switch {
	case n.kind != "":
		return
	case m.Models && m.chance(40):
		n.kind = "prompt"
	case m.inner != nil && m.chance(30):
		n.kind = "subgraph"
	case m.Composes && m.chance(50):
		n.kind = m.someComposite()
	case m.People && m.chance(25):
		n.kind = "human"
	case len(n.targets) > 0 && m.chance(7):
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
	n.asks = n.kind == "prompt" || (n.kind == "router" || n.kind == "guard") && m.Models && m.chance(60)
}

// makeData decides what a node reads and writes, and what it runs.
func (m *maker) makeData(n *node, s scope) {
	if n.kind == "transform" && m.Durable && (m.within || s.host != nil) {
		n.kind = "func"
	}
	n.when(n.kind != "func", "kind: %s", n.kind)
	n.free = n.kind == "func" || n.kind == "transform" || n.kind == "prompt"
	switch {
	case n.asks:
		m.makeAgent(n, s)
	case n.kind == "human":
		m.makeHuman(n, s)
	case n.kind == "set":
		m.makeSet(n, s)
	case n.kind == "say":
		m.makeSay(n)
	case n.asked:
		m.makeAsked(n, s)
	case n.kind == "tool", n.kind == "pass":
	case n.composite():
		m.makeRegions(n, s)
	case n.kind == "subgraph":
		m.runInner(n, s)
	default:
		m.makeHandler(n, s)
	}
}

// makeHandler decides what a node with a handler reads and writes.
func (m *maker) makeHandler(n *node, s scope) {
	own := s.host == nil
	if own && m.chance(30) || !own && n.kind == "func" && !s.apart && m.chance(20) {
		n.state = true
		return
	}
	if !own || !n.free || m.chance(86) {
		m.makeReads(n, s)
	}
	if n.free && (!own || !n.reads || m.chance(70)) {
		n.write(m.heard(m.toWrite(n, s), s))
	}
}

// write gives a node the fields that it writes.
func (n *node) write(fields []string) {
	n.writes = fields
	n.when(len(fields) > 0, "writes: %s", list(fields))
}

// makeGuards gives a node with an output guards.
func (m *maker) makeGuards(n *node, s scope) {
	own := s.host == nil
	if n.kind != "func" && n.kind != "prompt" || len(n.out)+len(n.writes) == 0 || len(s.items) > 0 ||
		!m.chance(22) || !own && m.chance(30) {
		return
	}
	guards := []string{n.name + "_g1", n.name + "_g2"}
	if reads := m.context("{reads: %s}"); own && reads != "" && !n.cache { // the key of a cache has what the node reads alone
		guards[0] = "{" + guards[0] + ": " + reads + "}"
	}
	if own && m.Models && m.chance(35) {
		guards[m.IntN(2)] = m.judgedGuard(n)
	}
	n.key("guards: %s", list(guards[:1+m.IntN(2)]))
	if own && m.chance(60) {
		m.guardFail(n, m.someNode())
	}
	m.guardRetries(n, m.chance(60))
}

// judgedGuard is a guard whose verdict is a model's. Its criterion begins with its name, so that the player of the model can identify it.
func (m *maker) judgedGuard(n *node) string {
	m.asked++
	name := n.name + "_g3"
	reads := ""
	if len(m.talks)+len(m.media) == 0 && !n.cache { // a model that judges is shown text
		reads = m.context(", reads: %s")
	}
	return fmt.Sprintf("{%s: {judge: %[1]s is like %d%s}}", name, m.asked, reads)
}

// guardRetries has guards try again, unless a transition takes what they refuse.
func (m *maker) guardRetries(n *node, some bool) {
	n.when(some && !n.refused, "guard_retries: %d", 1+m.IntN(2))
}

// makeFlags gives a node its flags. A failure may lead to some.
func (m *maker) makeFlags(n *node, s scope, refuge bool) {
	own := s.host == nil
	skip := refuge && n.kind != "human" && n.private == "" && m.chance(42)
	flags := &n.flags
	m.gate(n, flags, skip || !own && refuge)
	n.when(n.soft, "fail_soft: true")
	n.doubt = n.doubt || n.defers && len(n.targets) == 0 || (n.soft || skip) && !n.sure && len(n.targets) > 0
	flags.add(own && m.flagged && n == m.nodes[0], "entry")
	flags.add(own && len(n.targets) == 0 && !n.defers && m.chance(50), "terminal")
	flags.add(n.critical, "critical")
	flags.add(skip, "skip_on_error")
	flags.add(n.retry, "{retryable: {attempts: %d, wait: 1ns, max_wait: 1ns, on: %s}}", 2+m.IntN(2), pick(m, "transient", "any"))
	flags.add(n.unkept, "no_history")
	flags.add(n.kind == "prompt" && !own, "isolated_context")
	flags.add(own && n.state && n.free && m.chance(12), "readonly")
	flags.add(n.reads && (n.kind == "func" || own && n.kind != "transform") && m.chance(10), "isolated_context")
	flags.add(s.apart && !n.composite() && n.kind != "human" && m.chance(10), "parallel_safe")
}

// makeLimits gives a node of the graph's own level its limits.
func (m *maker) makeLimits(n *node) {
	n.timed = n.kind != "transform" && !n.unmanned() && !m.Models && !m.Composes && !m.within && m.chance(2)
	n.when(n.timed, "timeout: 1us")
	many := 100 // not used up before the steps are, or hardly
	if m.steps == 0 {
		many = 35 // one above the steps by default is refused
	}
	visits := []int{1, 2, 3, 5, 30, many}
	switch {
	case m.long:
		n.key("max_visits: 100")
	case m.steps == 0 || m.chance(20):
		if n.loops { // a turn that calls tools needs another
			visits = visits[1:]
		}
		n.key("max_visits: %d", pick(m, visits...))
	}
}

// finish writes the keys that depend on the others: output, transitions, no_match, flags.
func (m *maker) finish(n *node) {
	n.when(len(n.trans) > 0, "transitions: {%s}", strings.Join(n.trans, ", "))
	n.when(n.doubt && (m.noMatch == "" || n.open || m.chance(15)), "no_match: %s", pick(m, "error", "end"))
	switch {
	case n.kind == "set", n.asked:
	case len(n.out) > 0:
		for _, w := range n.writes {
			n.field(w, "'"+m.written(w, 30)+"'")
		}
		n.key("output: {%s}", strings.Join(n.out, ", "))
	case len(n.writes) == 1 && n.kind != "prompt":
		n.when(m.chance(40), "output: %q", m.written(n.writes[0], 50))
	}
	out := strings.Join(n.out, ", ")
	unset := m.Durable && (strings.Contains(out, "enum: ") || strings.Contains(out, "'"+goName(m.name)) || strings.Contains(out, "'?"+goName(m.name)))
	n.when(m.Durable && n.kind == "func" && (n.reads || len(n.writes) > 0) && !n.cache && !n.timed && !unset && m.chance(40), "transaction: true")
	n.flags.add(n.cache && !unset, "cacheable")
	n.when(len(n.flags) > 0, "flags: %s", list(n.flags))
}

// written is the type of what a node writes to a field: of a field that collects, in p of 100 cases, one element.
func (m *maker) written(name string, p int) string {
	f := m.stateField(name)
	if element, ok := strings.CutPrefix(f.typ, "[]"); ok && (f.merge == "append" || f.merge == "union") && m.chance(p) {
		return element
	}
	return f.typ
}

func (m *maker) stateField(name string) stateField {
	all := slices.Concat(m.state, m.extra)
	return all[slices.IndexFunc(all, func(f stateField) bool { return f.name == name })]
}
