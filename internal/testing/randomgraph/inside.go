package randomgraph

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A nest makes graphs for properties that hold for all graphs: most of their nodes run others, pools
// among them, even if the checks refuse what these do with the state.
type nest struct {
	*rand.Rand
	nodes strings.Builder
	count int

	routers bool // some chains have routers, which skip nodes
}

// Routed is Inside with routers, most of which skip nodes.
func Routed(r *rand.Rand, name string) string { return (&nest{Rand: r, routers: true}).graph(name) }

// Inside returns the spec of a random graph of that name whose nodes run others, as deep as
// three times. It may have mistakes that have nothing to do with where its runs go.
func Inside(r *rand.Rand, name string) string {
	return (&nest{Rand: r}).graph(name)
}

func (n *nest) graph(name string) string {
	r := n.Rand
	outer := 2 + r.IntN(3)
	for i := range outer {
		n.outer(i, outer)
	}
	limits := ""
	if r.IntN(4) > 0 {
		limits = fmt.Sprintf("limits: {max_steps: %d}\n", 3+r.IntN(40))
	}
	return "graph: " + name + "\nentry: n0\nno_match: end\nstate: {n: int, list: \"[]int\", short: {type: \"[]int\", max_length: " +
		"3}, item: int}\ninput: [n, list, short]\n" +
		"tools: {look: }\n" + limits + "nodes:\n" + n.nodes.String()
}

func (n *nest) chance(percent int) bool { return n.IntN(100) < percent }

// outer writes a node that transitions lead to.
func (n *nest) outer(i, of int) {
	keys := []string{fmt.Sprintf("max_visits: %d", 1+n.IntN(4))}
	if n.chance(85) {
		keys = append(keys, n.composite(3)...)
	} else {
		keys = append(keys, "reads: n")
	}
	next := "end"
	if i+1 < of {
		next = fmt.Sprintf("n%d", i+1)
	}
	if n.chance(40) {
		next = fmt.Sprintf("n%d", n.IntN(of))
	}
	keys = append(keys, "next: "+next)
	if n.chance(40) {
		keys = append(keys, fmt.Sprintf("transitions: {error: n%d}", n.IntN(of)))
	}
	if n.chance(15) {
		keys = append(keys, "fail_soft: true")
	}
	fmt.Fprintf(&n.nodes, "  n%d: {%s}\n", i, strings.Join(keys, ", "))
}

// child writes a node that another runs, and returns its name.
func (n *nest) child(deep int) string {
	name := fmt.Sprintf("c%d", n.count)
	n.count++
	var keys []string
	unmanned := false // no handler and no model does its work
	switch {
	case deep > 1 && n.chance(35):
		keys = n.composite(deep - 1)
	case n.chance(30):
		keys = append(keys, "kind: prompt", "instructions: x")
		if n.chance(50) {
			keys = append(keys, "repair: 0")
		}
		if n.chance(50) {
			keys = append(keys, "tools: look", fmt.Sprintf("max_visits: %d", 1+n.IntN(3)))
		}
	case n.chance(25):
		keys, unmanned = append(keys, []string{"kind: pass", "kind: set, set: {n: state.N + 1}", "kind: say, say: 'n is {{n}}'"}[n.IntN(3)]), true
	default:
		keys = append(keys, "reads: n")
	}
	if !unmanned && n.chance(15) {
		keys = append(keys, "fail_soft: true")
	}
	if n.chance(10) {
		keys = append(keys, "flags: [skip_on_error]")
	}
	fmt.Fprintf(&n.nodes, "  %s: {%s}\n", name, strings.Join(keys, ", "))
	return name
}

func (n *nest) chain(deep int) string {
	var names []string
	for range 1 + n.IntN(3) {
		names = append(names, n.child(deep))
	}
	if n.routers && n.chance(60) {
		names = n.routed(names)
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// routed puts routers into a chain, before its last node. The checks refuse some, of which nothing leads to a node.
func (n *nest) routed(names []string) []string {
	for range 1 + n.IntN(2) {
		at := n.IntN(len(names))
		name := fmt.Sprintf("c%d", n.count)
		n.count++
		routes := []string{names[at+n.IntN(len(names)-at)]}
		for _, more := range append(names[at:len(names):len(names)], "end") {
			if more != routes[0] && n.chance(50) {
				routes = append(routes, more)
			}
		}
		keys := []string{"kind: router", "reads: n", "routes: [" + strings.Join(routes, ", ") + "]"}
		if n.chance(30) {
			keys[1] = "instructions: x"
		}
		if n.chance(20) {
			keys = append(keys, "fail_soft: true")
		}
		fmt.Fprintf(&n.nodes, "  %s: {%s}\n", name, strings.Join(keys, ", "))
		names = append(names[:at:at], append([]string{name}, names[at:]...)...)
	}
	return names
}

// composite returns the keys of a node that runs others.
func (n *nest) composite(deep int) []string {
	var keys []string
	key := func(format string, args ...any) { keys = append(keys, fmt.Sprintf(format, args...)) }
	switch n.IntN(5) {
	case 0:
		key("kind: loop, body: %s, max_iterations: %d", n.chain(deep), max(2, 1+n.IntN(4)))
		if n.chance(80) {
			key("until: state.N > 1")
		}
	case 1:
		key("kind: retry, body: %s, attempts: %d", n.chain(deep), 1+n.IntN(3))
	case 2:
		var branches []string
		for i := range 1 + n.IntN(3) {
			branches = append(branches, fmt.Sprintf("b%d: %s", i, n.chain(deep)))
		}
		key("kind: parallel, branches: {%s}", strings.Join(branches, ", "))
		keys = append(keys, n.join()...)
	case 3:
		over := []string{"list", "short", "short"}[n.IntN(3)]
		key("kind: map, over: %s, item: item, body: %s", over, n.chain(deep))
		keys = append(keys, n.join()...)
	default:
		keys = append(keys, n.pool(deep)...)
	}
	if n.chance(10) {
		key("timeout: 1s")
	}
	return keys
}

func (n *nest) join() []string {
	var keys []string
	if join := []string{"", "all", "first", "settled"}[n.IntN(4)]; join != "" {
		keys = append(keys, "join: "+join)
		if join != "all" && n.chance(40) {
			keys = append(keys, "count: 2")
		}
	}
	if n.chance(25) {
		keys = append(keys, fmt.Sprintf("max_parallel: %d", 1+n.IntN(2)))
	}
	return keys
}

func (n *nest) pool(deep int) []string {
	var names []string
	for range 1 + n.IntN(3) {
		names = append(names, n.child(deep))
	}
	keys := []string{"kind: autonomous", "instructions: x", "pool: [" + strings.Join(names, ", ") + "]", fmt.Sprintf("max_steps: %d", 1+n.IntN(5))}
	if n.chance(50) {
		keys = append(keys, "terminal: "+names[n.IntN(len(names))])
	}
	if n.chance(50) {
		keys = append(keys, "entry: "+names[n.IntN(len(names))])
	}
	if n.chance(40) {
		keys = append(keys, "allow_repeat: false")
	}
	return keys
}
