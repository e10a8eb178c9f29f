package randomgraph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A nest makes graphs for properties that hold for all graphs: most of their nodes run others, pools
// among them, even if the checks refuse what these do with the state.
type nest struct {
	maker
	alone bool // one node runs the others
	draws bool // it draws on a budget
}

// Routed is Inside with routers, most of which skip nodes.
func Routed(r *rand.Rand, name string) string {
	return (&nest{maker: maker{Rand: r, name: name, Options: Options{Routers: true}}}).graph()
}

// Inside returns the spec of a random graph of that name whose nodes run others, as deep as
// three times. It may have mistakes that have nothing to do with where its runs go.
func Inside(r *rand.Rand, name string) string {
	return (&nest{maker: maker{Rand: r, name: name}}).graph()
}

// Alone returns the spec of a graph of that name in which a node work runs others. It leads to done, and when it fails to lost. What these
// read is never written, but for a field of each func in work, whose success writes it: that of c1 is w_c1.
func Alone(r *rand.Rand, name string) string {
	return (&nest{maker: maker{Rand: r, name: name, Options: Options{Routers: r.IntN(3) == 0}}, alone: true}).work()
}

// AloneInGraphs is Alone with branches that conditions start, and regions that are graphs.
func AloneInGraphs(r *rand.Rand, name string) string {
	return (&nest{maker: maker{Rand: r, name: name, Options: Options{Routers: r.IntN(3) == 0, Starts: true, Regions: true}}, alone: true}).work()
}

// AloneInBudgets is AloneInGraphs with on: budget edges in some regions. It returns "" where nothing in work draws on a budget, else work leads to broke
// where a budget is spent.
func AloneInBudgets(r *rand.Rand, name string) string {
	m := &nest{maker: maker{Rand: r, name: name, Options: Options{Starts: r.IntN(2) == 0, Regions: true, Budgets: true}}, alone: true}
	if text := m.work(); m.draws {
		return text
	}
	return ""
}

func (m *nest) work() string {
	work := &node{name: "work"}
	m.composite(work, 1+m.IntN(depth))
	reads, fields := []string{"never"}, "never: int"
	for _, n := range m.children {
		if len(n.writes) > 0 {
			reads, fields = append(reads, n.writes[0]), fields+", "+n.writes[0]+": int"
		}
	}
	ends := []string{"done", "lost"}
	if m.draws = m.Budgets && slices.ContainsFunc(append(m.children, work), func(n *node) bool { return n.draws }); m.draws {
		ends = append(ends, "broke")
		m.edges = append(m.edges, edge{from: "work", to: "to: broke", cond: "on: budget"})
	}
	for _, end := range ends {
		m.nodes = append(m.nodes, &node{name: end, keys: entries{"reads: " + list(reads)}})
	}
	work.when(len(work.flags) > 0, "flags: %s", list(work.flags))
	work.key("next: done, transitions: {error: lost}")
	m.nodes = append(m.nodes, work)
	return "graph: " + m.name + "\nentry: work\nno_match: end\nlimits: {max_steps: 1000000}\n" +
		"state: {n: int, list: \"[]int\", short: {type: \"[]int\", max_length: 3}, item: int, merged: {type: int, merge: custom}, " +
		fields + "}\ninput: [n, list, short]\n" +
		"tools: {look: }\n" + m.section() + "\n" + m.edgesSection()
}

// edgesSection is the section of the edges, which only regions have.
func (m *nest) edgesSection() string {
	if len(m.edges) == 0 {
		return ""
	}
	text := "edges:\n"
	for _, e := range m.edges {
		text += fmt.Sprintf("  - {%s}\n", e)
	}
	return text
}

// Graphs is Inside with branches that conditions start, and regions that are graphs.
func Graphs(r *rand.Rand, name string) string {
	return (&nest{maker: maker{Rand: r, name: name, Options: Options{Starts: true, Regions: true}}}).graph()
}

func (m *nest) graph() string {
	for range 2 + m.IntN(3) {
		m.newNode(&m.nodes, "")
	}
	for i, n := range m.nodes {
		m.outer(n, append(m.nodes, &node{name: "end"})[i+1].name)
	}
	limits := ""
	if m.chance(75) {
		limits = fmt.Sprintf("limits: {max_steps: %d}\n", 3+m.IntN(40))
	}
	return "graph: " + m.name + "\nentry: n1\nno_match: end\n" +
		"state: {n: int, list: \"[]int\", short: {type: \"[]int\", max_length: 3}, item: int}\ninput: [n, list, short]\n" +
		"tools: {look: }\n" + limits + m.section() + "\n" + m.edgesSection()
}

// outer makes a node that transitions lead to.
func (m *nest) outer(n *node, next string) {
	n.key("max_visits: %d", 1+m.IntN(4))
	if m.chance(85) {
		m.composite(n, depth)
	} else {
		n.key("reads: n")
	}
	if m.chance(40) {
		next = m.someNode()
	}
	n.key("next: %s", next)
	n.when(m.chance(40), "transitions: {error: %s}", m.someNode())
	n.when(m.chance(15), "fail_soft: true")
}

// child makes a node that another runs, and returns its name.
func (m *nest) child(deep int) string {
	first := len(m.children)
	n := m.newNode(&m.children, "")
	soft := 15
	switch {
	case deep > 1 && m.chance(35):
		m.composite(n, deep-1)
	case m.chance(30):
		n.key("kind: prompt, instructions: x")
		n.draws = true
		n.when(m.chance(50), "repair: 0")
		n.when(m.chance(50), "tools: look, max_visits: %d", 1+m.IntN(5))
	case m.chance(25):
		n.key("%s", pick(&m.maker, "kind: pass", "kind: set, set: {n: state.N + 1}", "kind: say, say: 'n is {{n}}'"))
		soft = 0
	case m.alone:
		n.writes = []string{"w_" + n.name}
		n.key("reads: n, writes: [w_%s%s]", n.name, pick(&m.maker, "", "", "", "", ", merged"))
	default:
		n.key("reads: n")
	}
	n.draws = slices.ContainsFunc(m.children[first:], func(n *node) bool { return n.draws })
	n.when(m.chance(soft), "fail_soft: true")
	n.flags.add(m.chance(10), "skip_on_error")
	n.when(len(n.flags) > 0, "flags: %s", list(n.flags))
	return n.name
}

// some makes 1 to 3 nodes that another runs, and returns their names.
func (m *nest) some(deep int) []string {
	var out []string
	for range 1 + m.IntN(3) {
		out = append(out, m.child(deep))
	}
	return out
}

// region makes a region, which may be a graph.
func (m *nest) region(deep int) string {
	if m.Regions && m.chance(65) {
		return "{entry: " + m.inGraph(deep) + "}"
	}
	return m.chain(deep)
}

// inGraph makes the nodes of a region with edges among them, and returns the first.
func (m *nest) inGraph(deep int) string {
	nodes := m.some(deep)
	if m.chance(60) {
		nodes = append(nodes, m.child(1))
	}
	for i, from := range nodes {
		later := append(slices.Clone(nodes[i+1:]), "end")
		add := func(to, cond string) {
			m.edges = append(m.edges, edge{from: from, to: "to: " + to, cond: cond})
		}
		for k, to := range later[:len(later)-1] {
			if k > 0 && m.chance(60) || k == 0 && m.chance(15) {
				continue
			}
			add(to, pick(&m.maker, "if: state.N > 1", "if: 'state.List[0] > 1'", "if: state.N < 0"))
		}
		if m.chance(40) {
			add(pick(&m.maker, later...), "on: error")
		}
		if m.Budgets && m.drawing(from) && m.chance(50) {
			add(pick(&m.maker, later...), "on: budget")
		}
		if next := later[0]; next != "end" || m.chance(30) {
			add(pick(&m.maker, next, next, pick(&m.maker, later...)), "")
		}
	}
	return nodes[0]
}

// drawing reports whether a node draws on a budget.
func (m *nest) drawing(name string) bool {
	return slices.ContainsFunc(m.children, func(n *node) bool { return n.name == name && n.draws })
}

// chain makes a region.
func (m *nest) chain(deep int) string {
	chain := m.some(deep)
	if m.Routers && m.chance(60) {
		for range 1 + m.IntN(2) {
			at := m.IntN(len(chain))
			chain = slices.Insert(chain, at, m.router(chain[at:]))
		}
	}
	return list(chain)
}

// router makes a router before the rest of a chain. The checks refuse some, of which nothing leads to a node.
func (m *nest) router(rest []string) string {
	n := m.newNode(&m.children, "")
	n.key("kind: router, %s, routes: %s", pick(&m.maker, "reads: n", "reads: n", "instructions: x"), list(m.routes(rest, 65, 65)))
	n.when(m.chance(20), "fail_soft: true")
	return n.name
}

// composite makes a node run others.
func (m *nest) composite(n *node, deep int) {
	switch m.IntN(5) {
	case 0:
		n.key("kind: loop, body: %s, max_iterations: %d", m.region(deep), max(2, 1+m.IntN(4)))
		n.when(m.chance(80), "until: state.N > 1")
	case 1:
		n.key("kind: retry, body: %s, attempts: %d", m.region(deep), 1+m.IntN(3))
	case 2:
		var branches []string
		for i := range 1 + m.IntN(3) {
			nodes := m.region(deep)
			if m.Starts && m.chance(50) {
				run, graph := strings.CutPrefix(nodes, "{")
				if run, _ = strings.CutSuffix(run, "}"); !graph {
					run = "run: " + nodes
				}
				nodes = fmt.Sprintf("{%s, if: %s}", run, pick(&m.maker, "state.N > 1", "'state.List[0] > 2'"))
			}
			branches = append(branches, fmt.Sprintf("b%d: %s", i, nodes))
		}
		n.key("kind: parallel, branches: {%s}", strings.Join(branches, ", "))
		m.join(n)
	case 3:
		n.key("kind: map, over: %s, item: item, body: %s", pick(&m.maker, "list", "short", "short"), m.region(deep))
		m.join(n)
	default:
		n.draws = true
		pool := m.some(deep)
		n.key("kind: autonomous, instructions: x, pool: %s, max_steps: %d", list(pool), 1+m.IntN(5))
		n.when(m.chance(50), "terminal: %s", pick(&m.maker, pool...))
		n.when(m.chance(50), "entry: %s", pick(&m.maker, pool...))
		n.when(m.chance(40), "allow_repeat: false")
	}
	n.when(m.chance(10), "timeout: 1s")
	n.flags.add(m.alone && m.chance(10), "{retryable: {attempts: 2}}")
}

// join writes how branches are joined.
func (m *nest) join(n *node) {
	join := pick(&m.maker, "", "all", "first", "settled")
	n.when(join != "", "join: %s", join)
	n.when((join == "first" || join == "settled") && m.chance(40), "count: 2")
	n.when(m.chance(25), "max_parallel: %d", 1+m.IntN(2))
}
