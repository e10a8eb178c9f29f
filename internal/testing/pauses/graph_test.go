package pauses

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/internal/testing/pausedriver"
)

// A random is a random graph with nodes that ask people, and its twin, which has functions in their place.
type random struct {
	*rand.Rand
	name     string
	people   strings.Builder // the nodes of the spec
	twin     strings.Builder
	nodes    map[string]pausedriver.Node
	leaves   []leaf
	tools    []string // that the caller of the graph with people runs
	calls    []string // tools that models call
	edges    []string // with conditions
	names    []string // of all nodes
	count    int
	lists    int     // fields for the elements of maps
	anywhere bool    // other graphs may run it in branches that a failure ends
	inner    *random // a graph that nodes run; nil: there is none
	runs     []string
}

// A leaf is a node that runs no others.
type leaf struct {
	name       string
	log, total bool // what it writes
	model      bool // a model does its work
	pausedriver.Node
}

// A place is the position of a node in the graph.
type place struct {
	deep     int  // how many regions may still be nested
	repeated bool // in a loop or a retry
	failFast bool // in branches that a failure ends
	retried  bool // in a retry
	timed    bool // in a node with a timeout
}

// newRandom makes the graph of a name. deep is how many graphs may still be nested.
func newRandom(r *rand.Rand, name string, deep int, within place) *random {
	g := &random{Rand: r, name: name, nodes: map[string]pausedriver.Node{}}
	if deep > 0 && g.chance(50) {
		g.inner = newRandom(r, name+"i", deep-1, place{repeated: true, failFast: g.chance(30)})
	}
	g.anywhere = within.failFast
	g.top(within)
	if len(g.runs) == 0 {
		g.inner = nil
	}
	return g
}

func (g *random) chance(percent int) bool { return g.IntN(100) < percent }

func (g *random) fresh(prefix string) string {
	name := fmt.Sprintf("%s%d", prefix, g.count)
	g.count++
	g.names = append(g.names, name)
	return name
}

// write writes a node: keys that both graphs have, and those of one of them.
func (g *random) write(name string, both, people, twin []string) {
	line := func(own []string) string {
		return "  " + name + ": {" + strings.Join(append(append([]string(nil), both...), own...), ", ") + "}\n"
	}
	g.people.WriteString(line(people))
	g.twin.WriteString(line(twin))
}

// top writes the nodes that run one after the other.
func (g *random) top(at place) {
	n := 1 + g.IntN(2)
	at.deep = 3
	names := make([]string, n+1)
	for i := range names {
		names[i] = g.fresh("n")
	}
	for i, name := range names {
		next, later := "end", "end"
		if i < n {
			next, later = names[i+1], names[i+1+g.IntN(n-i)]
		}
		both := []string{"next: " + next}
		switch {
		case i < n && g.chance(80):
			if g.chance(40) {
				both = append(both, "transitions: {error: "+later+"}")
			}
			g.composite(name, at, both)
		case i < n && g.chance(40):
			g.router(name, at, next, []string{later, "end"})
			continue
		case g.chance(50):
			g.decision(name, at, both, later)
		default:
			g.leaf(name, at, both)
		}
		if g.chance(15) {
			g.edges = append(g.edges, fmt.Sprintf("  - {from: %s, to: %s, if: state.Total > %d}\n", name, later, 5+g.IntN(40)))
		}
	}
}

// child writes a node of a region, and returns its name.
func (g *random) child(at place) string {
	name := g.fresh("c")
	if at.deep > 1 && g.chance(45) {
		at.deep--
		g.composite(name, at, nil)
	} else {
		g.leaf(name, at, nil)
	}
	return name
}

func (g *random) chain(at place) string {
	var names []string
	for range 1 + g.IntN(2)*g.IntN(3) {
		names = append(names, g.child(at))
	}
	if g.chance(35) {
		i, name := g.IntN(len(names)), g.fresh("c")
		g.router(name, at, names[i], append(slices.Clone(names[i+1:]), "end"))
		names = slices.Insert(names, i, name)
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// router writes a node that chooses between the node behind it and some of those further on.
func (g *random) router(name string, at place, next string, later []string) {
	routes := []string{next}
	for _, to := range later {
		if to != next && g.chance(60) {
			routes = append(routes, to)
		}
	}
	l := leaf{name: name, Node: pausedriver.Node{Routes: len(routes), Fails: g.fails(at)}}
	both := []string{"kind: router", "routes: [" + strings.Join(routes, ", ") + "]"}
	var people []string
	switch g.IntN(3) {
	case 0:
		l.model = true
		both = append(both, "instructions: go, message: go")
	case 1:
		l.Works, l.Decides = true, true
		people = []string{"flags: [requires_human]"}
		fallthrough
	default:
		both = append(both, "reads: total")
	}
	if g.chance(20) {
		both = append(both, "fail_soft: true")
	}
	g.write(name, both, people, nil)
	g.add(l, at)
}

// leaf writes a node that runs no others.
func (g *random) leaf(name string, at place, both []string) {
	switch g.IntN(10) {
	case 8, 9:
		g.call(name, at, both)
	case 0, 1:
		g.decision(name, at, both, "")
	case 2, 3, 4:
		g.reply(name, at, both)
	case 5:
		g.work(name, at, both, true)
	default:
		g.work(name, at, both, false)
	}
}

// fails returns for how many per cent of the visits a node fails. Which branches that a failure ends had been
// begun depends on the schedule, and with it the visits of later iterations: there no node fails.
func (g *random) fails(at place) int {
	if at.repeated && at.failFast || g.chance(70) {
		return 0
	}
	return 10 + g.IntN(40)
}

// deadline returns the key of the time that an answer has, and whether all answers are late.
func (g *random) deadline(at place) (keys []string, late bool) {
	switch {
	case at.timed:
		return nil, false
	case g.chance(10):
		return []string{"timeout: 10000h"}, false
	case g.chance(5) && !(at.repeated && at.failFast):
		return []string{"timeout: 1h"}, true
	}
	return nil, false
}

func (g *random) add(l leaf, at place) {
	l.FailFast = at.failFast
	g.nodes[l.name] = l.Node
	if !l.Decides && !l.Replies && !l.model {
		l.Works = true
		g.nodes[l.name] = l.Node
	}
	g.leaves = append(g.leaves, l)
}

// decision writes a human node without an output. denied is the node to go to after a no; empty: it fails.
func (g *random) decision(name string, at place, both []string, denied string) {
	deadline, late := g.deadline(at)
	people := append([]string{"kind: human", fmt.Sprintf("instructions: %q", name+", {{total}}?")}, deadline...)
	twin := []string{"reads: total"}
	if denied != "" && g.chance(50) {
		twin = append(twin, "transitions: {error: "+denied+"}")
		people = append(people, "on_deny: "+denied)
		if late {
			people = append(people, "on_timeout: "+denied)
		}
	}
	g.write(name, both, people, twin)
	g.add(leaf{name: name, Node: pausedriver.Node{Decides: true, Late: late, Fails: g.fails(at)}}, at)
}

// reply writes a human node with an output.
func (g *random) reply(name string, at place, both []string) {
	deadline, late := g.deadline(at)
	l := leaf{name: name, log: true, total: g.chance(60), Node: pausedriver.Node{Replies: true, Late: late}}
	output := `output: {log: "[]string"}, writes: log`
	if l.total {
		output = `output: {log: "[]string", total: int}, writes: [log, total]`
		if g.chance(40) {
			l.log, output = false, "output: {total: int}, writes: total"
		}
	}
	people := append([]string{"kind: human", fmt.Sprintf("instructions: %q", name+"?")}, deadline...)
	if g.chance(30) {
		l.Tool, l.Fails = true, g.fails(at)
		returns, writes, _ := strings.Cut(strings.TrimPrefix(output, "output: "), ", writes: ")
		g.tools = append(g.tools, fmt.Sprintf("  %s: {%s}\n", name, strings.Join(append(deadline, "doc: Works., client: true, returns: "+returns), ", ")))
		g.write(name, append(both, "writes: "+writes), []string{"kind: tool, tool: " + name}, []string{"output: " + returns})
		g.add(l, at)
		return
	}
	if g.chance(50) {
		people = append(people, "reads: [log, total]")
	}
	g.write(name, append(both, output), people, nil)
	g.add(l, at)
}

// call writes a prompt whose model calls a tool. A person approves the call, or does not. In the twin the tool fails for
// a no.
func (g *random) call(name string, at place, both []string) {
	deadline, late := g.deadline(at)
	l := leaf{name: name, log: true, total: true, Node: pausedriver.Node{Decides: true, Calls: true, Late: late, Fails: 40}}
	people := []string{"approve: [" + name + "]"}
	for _, key := range deadline {
		people = append(people, "approve_"+key)
	}
	g.calls = append(g.calls, fmt.Sprintf("  %s: {doc: Works., args: {n: {type: int, min: 1}}}\n", name))
	both = append(both, "kind: prompt, message: go, tools: ["+name+"], max_visits: 1000, output: {log: \"[]string\", total: int}, writes: [log, total]")
	g.write(name, both, people, nil)
	g.add(l, at)
}

// loser writes a node that fails always: a function, or a person who says no.
func (g *random) loser(at place) string {
	name := g.fresh("c")
	l := leaf{name: name, Node: pausedriver.Node{Loses: true, Fails: 100}}
	if g.chance(60) {
		l.Decides = true
		g.write(name, nil, []string{"kind: human", fmt.Sprintf("instructions: %q", name+"?")}, []string{"reads: total"})
	} else {
		l.Works = true
		g.write(name, []string{"reads: total"}, nil, nil)
	}
	g.add(l, at)
	return "[" + name + "]"
}

// work writes a function, which may need an approval.
func (g *random) work(name string, at place, both []string, asks bool) {
	l := leaf{name: name, log: true, total: true, Node: pausedriver.Node{Works: true, Decides: asks, Fails: g.fails(at)}}
	var people []string
	if asks {
		people = []string{"flags: [requires_human]"}
	}
	if !asks && at.repeated && !at.failFast && g.chance(50) {
		l.Fails, l.Transient = 30, true
	}
	if !asks && g.chance(10) {
		both = append(both, "fail_soft: true")
	}
	g.write(name, append(both, "writes: [log, total]"), people, nil)
	g.add(l, at)
}

// composite writes a node that runs others.
func (g *random) composite(name string, at place, both []string) {
	key := func(format string, args ...any) { both = append(both, fmt.Sprintf(format, args...)) }
	timed := !at.timed && g.chance(15)
	at.timed = at.timed || timed
	again := at
	again.repeated = true
	switch kind := g.IntN(7); {
	case kind == 0:
		key("kind: loop, body: %s, max_iterations: %d, until: state.Total > %d", g.chain(again), 2+g.IntN(2), 5+g.IntN(90))
	case kind == 1 && !at.retried:
		again.retried = true
		key("kind: retry, body: %s, attempts: %d", g.chain(again), 2+g.IntN(2))
		if g.chance(50) {
			key("wait: 1s")
		}
	case kind == 2 && g.inner != nil && (g.inner.anywhere || !at.failFast):
		key("kind: subgraph, graph: inner, in: {texts: texts}, out: {log: log, total: total}")
		g.runs = append(g.runs, name)
	case kind == 3:
		key("kind: autonomous, pool: [%s, %s], allow_repeat: false, instructions: go", g.child(again), g.child(again))
		g.nodes[name] = pausedriver.Node{FailFast: at.failFast}
	case kind <= 5:
		of := 2 + g.IntN(2)
		wins := -1 // with join: first, all others fail
		if g.chance(25) {
			wins = g.IntN(of)
		}
		at, keys := g.join(at, of, wins >= 0)
		var branches []string
		for i := range of {
			chain := ""
			if wins < 0 || wins == i {
				chain = g.chain(at)
			} else {
				chain = g.loser(at)
			}
			branches = append(branches, fmt.Sprintf("b%d: %s", i, chain))
		}
		key("kind: parallel, branches: {%s}%s", strings.Join(branches, ", "), keys)
	default:
		at, keys := g.join(at, 3, false)
		item := g.lists
		g.lists++
		key("kind: map, over: texts, item: item%d, body: %s%s", item, g.chain(at), keys)
	}
	if g.chance(15) {
		key("fail_soft: true")
	}
	if timed {
		key("timeout: 30m")
	}
	g.write(name, both, nil, nil)
}

// join returns the keys of a join, and the place of the nodes in its branches.
func (g *random) join(at place, of int, first bool) (place, string) {
	keys := ""
	switch n := g.IntN(3); {
	case first:
		keys = ", join: first"
	case n == 0:
		keys = ", join: all"
	case n == 1:
		keys = ", join: settled"
	default:
		at.failFast = true
	}
	if g.chance(25) {
		keys += fmt.Sprintf(", max_parallel: %d", 1+g.IntN(of-1))
	}
	return at, keys
}

// specs returns the specs of the graph and of its twin.
func (g *random) specs() (people, twin string) {
	head := func(suffix, more string) string {
		text := "graph: " + g.name + suffix + "\nentry: n0\n"
		if g.inner != nil {
			text += "use: {inner: " + g.inner.name + suffix + ".graph.yaml}\n"
		}
		text += "limits: {max_steps: 100000}\n" + more + "state:\n  texts: {type: \"[]string\", max_length: 3}\n" +
			"  log: {type: \"[]string\", merge: append}\n  total: {type: int, merge: sum}\n"
		for i := range g.lists {
			text += fmt.Sprintf("  item%d: string\n", i)
		}
		return text + "input: [texts]\noutput: [log, total]\nnodes:\n"
	}
	more := ""
	if g.chance(30) {
		more = fmt.Sprintf("interrupt_before: [%s]\ninterrupt_after: [%s]\n", g.names[g.IntN(len(g.names))], g.names[g.IntN(len(g.names))])
	}
	tools := strings.Join(g.calls, "")
	edges := ""
	if len(g.edges) > 0 {
		edges = "edges:\n" + strings.Join(g.edges, "")
	}
	return head("", more+table("tools", strings.Join(g.tools, "")+tools)) + g.people.String() + edges,
		head("t", table("tools", tools)) + g.twin.String() + edges
}

// table returns a mapping of a spec, nothing if it has no rows.
func table(key, rows string) string {
	if rows == "" {
		return ""
	}
	return key + ":\n" + rows
}
