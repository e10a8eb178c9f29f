package check

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
)

// An inside is what a node of a model runs.
type inside struct {
	regions [][]modelNode // children; of a pool one each

	asks  int    // the field that until looks at
	once  bool   // a loop of one iteration, a pool of which nothing is picked again
	join  string // of branches
	count int    // how many have to succeed
	first int    // of a pool: where it begins; -1: the model picks
	final []bool // of a pool, by node
	reads uint   // of a pool: what the model is shown

	retryable, timed bool

	of string // the node that runs them
}

// compositeKinds are those that a model makes some of.
var compositeKinds = []string{"loop", "retry", "parallel", "map", "autonomous"}

// someComposed is some model of which nodes run others.
func someComposed(r *rand.Rand) *model { return someComposedOf(r, false) }

func someComposedOf(r *rand.Rand, routed bool) *model {
	m := someModel(r)
	m.routed = routed
	for i := range m.nodes {
		n := &m.nodes[i]
		if n.kind != "func" || r.IntN(4) == 0 {
			continue
		}
		n.compose(r, m, 2)
		n.goTo, n.refused = nil, nil
		for j := range n.edges {
			e := &n.edges[j]
			e.also = -1
			if strings.Contains(e.when, "out.") {
				e.when = ""
			}
		}
	}
	return m
}

// compose makes a node one that runs others.
func (n *modelNode) compose(r *rand.Rand, m *model, depth int) {
	n.kind = compositeKinds[r.IntN(len(compositeKinds))]
	n.state, n.reads, n.writes, n.guarded, n.loops, n.defers = false, 0, 0, false, false, false
	c := &inside{of: n.name, asks: r.IntN(modelFields), once: r.IntN(3) == 0, first: -1, timed: r.IntN(8) == 0}
	c.retryable = n.kind != "retry" && r.IntN(6) == 0
	n.inner = c
	regions := 1
	if n.kind == "parallel" || n.kind == "autonomous" {
		regions += r.IntN(3)
	}
	c.join, c.count = []string{"fail_fast", "all", "first", "settled"}[r.IntN(4)], 1+r.IntN(regions)
	if n.kind == "map" {
		c.count = 1 + r.IntN(2)
	}
	number := 0
	for range regions {
		size := 1
		if n.kind != "autonomous" {
			size += r.IntN(3)
		}
		var nodes []modelNode
		for range size {
			nodes = append(nodes, someChild(r, m, fmt.Sprintf("%sc%d", n.name, number), depth))
			number++
		}
		if m.routed && n.kind != "autonomous" && r.IntN(2) == 0 {
			nodes = someRouter(r, m, fmt.Sprintf("%sc%d", n.name, number), nodes)
			number++
		}
		c.regions = append(c.regions, nodes)
		c.final = append(c.final, r.IntN(2) == 0)
	}
	if n.kind != "autonomous" {
		return
	}
	if r.IntN(2) == 0 {
		c.first = r.IntN(regions)
	}
	if r.IntN(2) == 0 {
		c.final = make([]bool, regions)
	}
	if !c.once || !c.ends() { // else it depends on what has run whether the model is asked
		c.reads = uint(r.IntN(1 << modelFields))
	}
}

// someRouted is someComposed with routers in some of the regions.
func someRouted(r *rand.Rand) *model { return someComposedOf(r, true) }

// someRouter puts a router before a node of a region.
func someRouter(r *rand.Rand, m *model, name string, nodes []modelNode) []modelNode {
	n := modelNode{kind: "router", soft: r.IntN(4) == 0, reads: uint(r.IntN(1 << modelFields))}
	m.called(&n, name)
	at := r.IntN(len(nodes))
	n.routes = []int{1 + r.IntN(len(nodes)-at)}
	for ahead := 1; ahead <= len(nodes)-at+1; ahead++ {
		if ahead != n.routes[0] && r.IntN(2) == 0 {
			n.routes = append(n.routes, ahead)
		}
	}
	return slices.Insert(nodes, at, n)
}

func someChild(r *rand.Rand, m *model, name string, depth int) modelNode {
	n := modelNode{kind: []string{"func", "prompt", "transform"}[r.IntN(3)], soft: r.IntN(4) == 0, skip: r.IntN(4) == 0}
	m.called(&n, name)
	if depth > 1 && r.IntN(4) == 0 {
		n.compose(r, m, depth-1)
		return n
	}
	for i := range modelFields {
		if r.IntN(5) == 0 {
			n.reads |= 1 << i
		}
		if r.IntN(3) == 0 {
			n.writes |= 1 << i
		}
	}
	return n
}

// ends reports whether nodes of the pool end it.
func (c *inside) ends() bool {
	for _, is := range c.final {
		if is {
			return true
		}
	}
	return false
}

// keys are what the node says of what it runs.
func (c *inside) keys(n *modelNode, set func(uint) string) []string {
	names := make([]string, 0, len(c.regions))
	for _, nodes := range c.regions {
		var list []string
		for i := range nodes {
			list = append(list, nodes[i].name)
		}
		names = append(names, "["+strings.Join(list, ", ")+"]")
	}
	var keys []string
	switch n.kind {
	case "loop":
		keys = append(keys, "body: "+names[0], fmt.Sprintf("until: state.F%d > 1", c.asks))
		if c.once {
			keys = append(keys, "max_iterations: 1")
		}
	case "retry":
		keys = append(keys, "body: "+names[0])
	case "map":
		keys = append(keys, "body: "+names[0], "over: list, item: item", "join: "+c.join)
	case "parallel":
		for i := range names {
			names[i] = fmt.Sprintf("b%d: %s", i, names[i])
		}
		keys = append(keys, "branches: {"+strings.Join(names, ", ")+"}", "join: "+c.join)
	case "autonomous":
		var pool, final []string
		for i := range c.regions {
			pool = append(pool, c.regions[i][0].name)
			if c.final[i] {
				final = append(final, c.regions[i][0].name)
			}
		}
		keys = append(keys, "instructions: go on", "reads: "+set(c.reads), "pool: ["+strings.Join(pool, ", ")+"]", fmt.Sprintf("allow_repeat: %v", !c.once))
		if c.first >= 0 {
			keys = append(keys, "entry: "+pool[c.first])
		}
		if len(final) > 0 {
			keys = append(keys, "terminal: ["+strings.Join(final, ", ")+"]")
		}
	}
	if (n.kind == "map" || n.kind == "parallel") && (c.join == "first" || c.join == "settled") {
		keys = append(keys, fmt.Sprintf("count: %d", c.count))
	}
	if c.timed {
		keys = append(keys, "timeout: 1m")
	}
	return keys
}

// text writes the children.
func (c *inside) text(b *strings.Builder, set func(uint) string) {
	for _, nodes := range c.regions {
		for i := range nodes {
			n := &nodes[i]
			keys := []string{"kind: " + n.kind}
			var flags []string
			switch {
			case n.inner != nil:
				keys = append(keys, n.inner.keys(n, set)...)
			case n.kind == "prompt":
				keys = append(keys, "instructions: go on", "tools: look")
			case n.kind == "router":
				var routes []string
				for _, ahead := range n.routes {
					to := "end"
					if i+ahead < len(nodes) {
						to = nodes[i+ahead].name
					}
					routes = append(routes, to)
				}
				keys = append(keys, "reads: "+set(n.reads), "routes: ["+strings.Join(routes, ", ")+"]")
			}
			if n.inner == nil && n.kind != "router" {
				keys = append(keys, "reads: "+set(n.reads), "writes: "+set(n.writes), "output: {ok: bool, f0: int, f1: int, f2: int}")
			}
			if n.soft {
				keys = append(keys, "fail_soft: true")
			}
			if n.skip {
				flags = append(flags, "skip_on_error")
			}
			if n.inner != nil && n.inner.retryable {
				flags = append(flags, "retryable")
			}
			fmt.Fprintf(b, "  %s: {%s, flags: [%s]}\n", n.name, strings.Join(keys, ", "), strings.Join(flags, ", "))
			if n.inner != nil {
				n.inner.text(b, set)
			}
		}
	}
}

// A work is where a walker stands within a node that runs others.
type work struct {
	assigned uint
	told     uint // of these, fields that something within has looked at in vain
	by       [modelFields]int8
}

// An outcome of work: where it ends, and how.
type worked struct {
	work
	failed bool
}

type results map[worked]bool

// undo takes back what was written since.
func (s work) undo(o work) work {
	return work{s.assigned | o.told, s.told | o.told, s.by}
}

// run executes a node in every way.
func (w *walker) run(n *modelNode, s work) results {
	if n.inner == nil {
		return w.runAlone(n, s)
	}
	c := n.inner
	out := results{}
	switch n.kind {
	case "loop":
		w.iterate(c, s, out)
	case "retry":
		w.again(s, out, func(s work) results { return w.sequence(c.regions[0], s) })
	case "parallel":
		branches := make([]results, len(c.regions))
		for i := range c.regions {
			branches[i] = w.sequence(c.regions[i], s)
		}
		w.gather(s, branches, c, len(branches), out)
	case "map":
		out[worked{s, false}] = true
		one := w.sequence(c.regions[0], s)
		w.gather(s, []results{one}, c, 1, out)
		w.gather(s, []results{one, one}, c, 2, out)
	case "autonomous":
		w.pick(c, s, out)
	}
	if c.timed {
		out[worked{s, true}] = true
	}
	if c.retryable {
		all := results{}
		w.again(s, all, func(at work) results {
			if at == s {
				return out
			}
			return w.run(n, at)
		})
		return all
	}
	return out
}

func (w *walker) runAlone(n *modelNode, s work) results {
	s.told |= n.reads &^ s.assigned
	s.assigned |= w.look(standing{assigned: s.assigned, by: s.by}, n.reads, n.name+" reads")
	out := results{{s, true}: true}
	s.assigned |= n.writes
	for i := range modelFields {
		if w.follow && n.writes&(1<<i) != 0 {
			s.by[i] = int8(n.id)
		}
	}
	out[worked{s, false}] = true
	return out
}

// sequence runs nodes one after the other.
func (w *walker) sequence(nodes []modelNode, s work) results {
	out := results{}
	at := make([]results, len(nodes)+1) // before each node, and at the end: whether the node before has failed
	for i := range at {
		at[i] = results{}
	}
	at[0][worked{s, false}] = true
	for i := range nodes {
		next := results{}
		for before := range at[i] {
			w.one(&nodes[i], before, next, out)
		}
		for o := range next {
			if nodes[i].kind != "router" || o.failed {
				at[i+1][o] = true
				continue
			}
			for _, ahead := range nodes[i].routes {
				at[i+ahead][o] = true
			}
		}
	}
	for o := range at[len(nodes)] {
		out[worked{o.work, false}] = true
	}
	return out
}

// one runs a node behind another: where a run goes on, and where it fails.
func (w *walker) one(n *modelNode, before worked, next, fails results) {
	if n.skip && before.failed {
		next[before] = true
		return
	}
	for o := range w.run(n, before.work) {
		if o.failed && (!n.soft || n.inner == nil && n.kind == "prompt") { // its visits may be used up, which is no soft failure
			fails[o] = true
		}
		if !o.failed || n.soft {
			next[o] = true
		}
	}
}

func (w *walker) iterate(c *inside, s work, out results) {
	seen, todo := map[work]bool{s: true}, []work{s}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		for o := range w.sequence(c.regions[0], at) {
			if o.failed {
				out[o] = true
				continue
			}
			o.told |= 1 << c.asks &^ o.assigned
			o.assigned |= w.look(standing{assigned: o.assigned, by: o.by}, 1<<c.asks, c.host()+" reads")
			out[o] = true
			if !c.once && !seen[o.work] {
				seen[o.work] = true
				todo = append(todo, o.work)
			}
		}
	}
}

// again runs something until it succeeds: each time from the state before.
func (w *walker) again(s work, out results, run func(work) results) {
	seen, todo := map[work]bool{s: true}, []work{s}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		for o := range run(at) {
			if !o.failed {
				out[o] = true
				continue
			}
			back := at.undo(o.work)
			out[worked{back, true}] = true
			if !seen[back] {
				seen[back] = true
				todo = append(todo, back)
			}
		}
	}
}

// gather has branches come out in every combination.
func (w *walker) gather(s work, branches []results, c *inside, all int, out results) {
	need := all
	if c.join == "first" || c.join == "settled" {
		need = c.count
	}
	var combine func(i int, merged work, told uint, won, lost, cut int)
	combine = func(i int, merged work, told uint, won, lost, cut int) {
		if i == len(branches) {
			success, possible := c.joins(all, need, won, lost, cut)
			merged.assigned |= told
			merged.told |= told
			switch {
			case !possible:
			case success:
				out[worked{merged, false}] = true
			default:
				out[worked{s.undo(work{told: told}), true}] = true
			}
			return
		}
		combine(i+1, merged, told, won, lost, cut+1) // before it has begun
		for o := range branches[i] {
			combine(i+1, merged, told|o.told, won, lost, cut+1)
			if o.failed {
				combine(i+1, merged, told|o.told, won, lost+1, cut)
				continue
			}
			with := merged
			with.assigned |= o.assigned
			for f := range modelFields {
				if o.by[f] != s.by[f] {
					with.by[f] = o.by[f]
				}
			}
			combine(i+1, with, told|o.told, won+1, lost, cut)
		}
	}
	combine(0, s, 0, 0, 0, 0)
}

// joins reports whether the node succeeds when its branches come out so, and whether they can.
func (c *inside) joins(all, need, won, lost, cut int) (success, possible bool) {
	switch c.join {
	case "fail_fast":
		return won == all, won == all || lost > 0
	case "all":
		return won == all, cut == 0
	case "settled":
		return won >= need, cut == 0
	}
	return won == need, won == need || cut == 0 && won < need
}

// pick goes through a pool.
func (w *walker) pick(c *inside, s work, out results) {
	type place struct {
		worked
		ran uint
	}
	seen, todo := map[place]bool{}, []place(nil)
	enter := func(from worked, node int, ran uint) {
		n := &c.regions[node][0]
		next, fails := results{}, results{}
		w.one(n, from, next, fails)
		for o := range fails {
			out[o] = true
		}
		for o := range next {
			if c.final[node] || !c.ends() {
				out[worked{o.work, false}] = true
			}
			p := place{o, ran | 1<<node}
			if !c.once {
				p.ran = 0
			}
			if !c.final[node] && !seen[p] {
				seen[p] = true
				todo = append(todo, p)
			}
		}
	}
	ask := func(from worked) worked {
		from.told |= c.reads &^ from.assigned
		from.assigned |= w.look(standing{assigned: from.assigned, by: from.by}, c.reads, c.host()+" reads")
		out[worked{from.work, true}] = true
		return from
	}
	start := worked{s, false}
	if c.first >= 0 {
		enter(start, c.first, 0)
	} else {
		if len(c.regions) > 1 || !c.ends() {
			start = ask(start)
		}
		if !c.ends() {
			out[worked{start.work, false}] = true
		}
		for i := range c.regions {
			enter(start, i, 0)
		}
	}
	for len(todo) > 0 {
		p := todo[0]
		todo = todo[1:]
		var choices, finals []int
		for i := range c.regions {
			if p.ran&(1<<i) == 0 {
				choices = append(choices, i)
				if c.final[i] {
					finals = append(finals, i)
				}
			}
		}
		if len(finals) == 1 { // the last step
			enter(worked{p.work, false}, finals[0], p.ran)
		}
		from := worked{p.work, false} // each begins anew
		if len(choices) > 1 || len(choices) == 1 && !c.ends() {
			from = ask(from)
		}
		for _, i := range choices {
			enter(from, i, p.ran)
		}
		if !c.ends() {
			out[worked{from.work, false}] = true
		}
	}
}

// host returns the name of the node that runs it.
func (c *inside) host() string { return c.of }

// Sets of fields are of more than one word where there are more than 64.
func TestFieldsThroughComposites(t *testing.T) {
	for kind, keys := range map[string]string{
		"loop":       "{kind: loop, body: [first, second], until: state.F0 > 1}",
		"retry":      "{kind: retry, body: [first, second]}",
		"parallel":   "{kind: parallel, join: all, branches: {a: [first, second], b: third}}",
		"map":        "{kind: map, over: list, item: item, body: [first, second]}",
		"autonomous": "{kind: autonomous, instructions: go on, pool: [first, second, third], entry: first}",
	} {
		t.Run(kind, func(t *testing.T) {
			var b strings.Builder
			b.WriteString("graph: g\nentry: host\nstate:\n  list: \"[]int\"\n  item: int\n")
			for i := range 140 {
				fmt.Fprintf(&b, "  f%d: {type: int, merge: sum}\n", i)
			}
			b.WriteString("  open: int\n  kept: int\ninput: list\nnodes:\n  host: " + keys + "\n" +
				"  first: {reads: f139, fail_soft: true, writes: open}\n  second: {reads: open, flags: [skip_on_error], writes: " +
				"[kept, f138]}\n  third: {reads: [f137, kept]}\n")
			g, read := spec.Load("g.graph.yaml", []byte(b.String()))
			if len(read) > 0 {
				t.Fatal(read)
			}
			told := map[string]bool{}
			for _, d := range Run(cfg.Of(g)) {
				told[d.Code+" "+d.Message] = true
			}
			if second := `GG100 node "second" reads "open", which nothing has written on the path host → second`; told[second] != (kind == "autonomous") {
				t.Errorf("%v: %v", second, keys)
			}
			if third := `GG241 node "third" reads "kept", which only branch "a" of "host" writes at the same time`; told[third] != (kind == "parallel") {
				t.Errorf("%v: %v", third, keys)
			}
		})
	}
}
