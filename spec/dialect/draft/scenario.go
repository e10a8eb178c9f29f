package draft

import (
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec/yamlread"
)

// scenarios returns a scenario file with one scenario: the shortest path to the end, with an answer for each node. It
// returns nil where the draft wants none, or without such a path.
func (d *Draft) scenarios() []byte {
	if !d.Skeleton {
		return nil
	}
	steps, ok := d.path()
	if !ok {
		return nil
	}
	w := &writer{d: d}
	w.comment(0, "A test of the imported graph: graphgen test runs it. The answers are made up; write down what matters.")
	name, end := "to the end", "completed"
	if last := steps[len(steps)-1]; last.again > 0 {
		name, end = "until the edge of "+last.node.Name.V+" is used up", "exhausted"
	}
	w.WriteString("graph: " + d.Name.V + ".graph.yaml\nscenarios:\n  - name: runs from " + d.entry() + " " + name + "\n")
	script, path := yamlread.MapTree(Pos{}), yamlread.ListTree(Pos{})
	for _, s := range steps {
		d.play(s, "", &script, &path)
	}
	if given := d.given(); len(given.Items) > 0 {
		w.value(4, "input", &given)
	}
	if len(script.Items) > 0 {
		w.value(4, "script", &script)
	}
	if len(d.Inject) > 0 {
		inject := d.Inject.Tree(Pos{})
		w.value(4, "inject", &inject)
	}
	expect := Map(Pos{}, "path", path, "end", end)
	w.value(4, "expect", &expect)
	return []byte(w.String())
}

// given returns values for the input.
func (d *Draft) given() Tree {
	m := yamlread.MapTree(Pos{})
	for _, name := range d.Input {
		f := d.Field(name)
		switch v := d.Given.Get(name); {
		case v != nil:
			m.Add(name, *v)
		case f == nil || strings.HasPrefix(f.Type, "?") || f.Keys.Get("default") != nil:
		default:
			m.Add(name, d.sample(f.Type))
		}
	}
	return m
}

// sample returns a value of a type that has no names.
func (d *Draft) sample(text string) Tree {
	switch {
	case strings.HasPrefix(text, "?"):
		return Tree{Kind: yamlread.Null, Text: "null"}
	case strings.HasPrefix(text, "[]"):
		return yamlread.ListTree(Pos{})
	case strings.HasPrefix(text, "map["):
		return yamlread.MapTree(Pos{})
	case text == "int", text == "float":
		return Plain("1", Pos{})
	case text == "bool":
		return Plain("true", Pos{})
	}
	if t := d.Types.Get(text); t != nil && t.Get("enum") != nil && len(t.Get("enum").Items) > 0 {
		return t.Get("enum").Items[0]
	}
	return Text("a text", Pos{})
}

// A step is a node of a path, and how the path leaves it.
type step struct {
	node    *Node
	patches []Patch
	choose  string // where a model judges the edges that leave it
	again   int    // how often the node is visited again, by an edge to itself that is used up then
}

// A reached node has the step that led to it, and the node of that step.
type reached struct {
	by   string
	step step
}

// farthest bounds the nodes through which a path to the end is searched.
const farthest = 50

// path returns a path from the entry to the end, no node of which is visited twice. It leads through the node farthest
// from the entry from which there is one.
func (d *Draft) path() ([]step, bool) {
	if d.Pool != nil {
		return []step{{node: d.Pool}}, true
	}
	entry := d.entry()
	from, order := d.search(entry, nil)
	for i := len(order) - 1; i >= 0 && i >= len(order)-farthest; i-- {
		steps := trace(from, entry, order[i])
		passed := map[string]bool{}
		for _, s := range steps {
			passed[s.node.Name.V] = true
		}
		rest, _ := d.search(order[i], passed)
		if _, ok := rest[""]; ok {
			return append(steps, trace(rest, order[i], "")...), true
		}
	}
	for _, name := range order {
		if last, ok := d.usedUp(name); ok {
			return append(trace(from, entry, name), last), true
		}
	}
	return nil, false
}

// usedUp returns the step of a node that nothing but a bounded edge to itself leaves: the run ends when the edge is used up.
func (d *Draft) usedUp(name string) (step, bool) {
	n := d.Node(name)
	if n == nil || len(n.Leads) > 0 {
		return step{}, false
	}
	edges := d.Leaving(name)
	if len(edges) != 1 || edges[0].To.V != name || !edges[0].Bounded() {
		return step{}, false
	}
	most, err := strconv.Atoi(edges[0].Keys.Get("max_iterations").Text)
	if err != nil || most > farthest {
		return step{}, false
	}
	s := step{node: n, patches: []Patch{edges[0].Take}, again: most}
	if edges[0].Keys.Get("when") != nil {
		s.choose = name
	}
	return s, true
}

// search returns how each node is reached from a node, without some nodes, and the nodes in the order of their
// distance. "" is the end.
func (d *Draft) search(start string, without map[string]bool) (from map[string]reached, order []string) {
	from = map[string]reached{}
	seen := map[string]bool{start: true}
	order = []string{start}
	for i := 0; i < len(order); i++ {
		n := d.Node(order[i])
		if n == nil {
			continue
		}
		for _, e := range d.exits(n) {
			if seen[e.to] || without[e.to] {
				continue
			}
			seen[e.to] = true
			from[e.to] = reached{n.Name.V, e.step}
			if e.to != "" {
				order = append(order, e.to)
			}
		}
	}
	return from, order
}

// trace returns the steps from a node to another one.
func trace(from map[string]reached, start, to string) []step {
	var steps []step
	for at := to; at != start; at = from[at].by {
		steps = append(steps, from[at].step)
	}
	slices.Reverse(steps)
	return steps
}

// An exit is a target of a node and the step that leads there.
type exit struct {
	to   string
	step step
}

// exits returns the targets of a node. "" is the end.
func (d *Draft) exits(n *Node) []exit {
	var list []exit
	target := func(to string) string {
		if IsEnd(to) {
			return ""
		}
		return to
	}
	for _, l := range n.Leads {
		if !l.Last {
			list = append(list, exit{target(l.To), step{node: n, patches: []Patch{l.Take}}})
		}
	}
	edges := d.inOrder(n)
	judged := slices.ContainsFunc(edges, func(e *Edge) bool { return e.Keys.Get("when") != nil })
	var passed []Patch
	for _, e := range edges {
		s := step{node: n, patches: append(slices.Clone(passed), e.Take)}
		if judged && e.Keys.Get("when") != nil {
			s.choose = e.To.V
		} else if judged && !e.Conditional() {
			s.choose = "none"
		}
		passed = append(passed, e.Pass)
		if on := e.Keys.Get("on"); e.To.V == "" || on != nil && on.Text == "error" {
			continue
		}
		list = append(list, exit{target(e.To.V), s})
		if !e.Conditional() {
			return list
		}
	}
	for _, l := range n.Leads {
		if l.Last {
			list = append(list, exit{target(l.To), step{node: n, patches: append(passed, l.Take)}})
		}
	}
	if len(list) == 0 {
		list = append(list, exit{"", step{node: n}})
	}
	return list
}

// inOrder returns the edges of a node in the order they are tried: by priority, those that a model judges last, and
// then the one without a condition.
func (d *Draft) inOrder(n *Node) []*Edge {
	edges := d.Leaving(n.Name.V)
	rank := func(e *Edge) int {
		if e.Keys.Get("when") != nil || !e.Conditional() {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(edges, func(a, b *Edge) int { return rank(a) - rank(b) })
	return edges
}

// play writes what the script has for a step and for what its node runs, and adds them to the path. prefix is before the
// names of nodes of subgraphs.
func (d *Draft) play(s step, prefix string, script, path *Tree) {
	n := s.node
	for range 1 + s.again {
		path.Items = append(path.Items, Text(n.Name.V, Pos{}))
		if len(n.Calls) > 0 { // a turn of its own
			path.Items = append(path.Items, Text(n.Name.V, Pos{}))
		}
	}
	switch entries := s.entries(); len(entries.Items) {
	case 0:
	case 1:
		script.Add(prefix+n.Name.V, entries.Items[0])
	default:
		script.Add(prefix+n.Name.V, entries)
	}
	if n.Sub != nil {
		steps, _ := n.Sub.path()
		for _, s := range steps {
			n.Sub.play(s, prefix+n.Name.V+"/", script, new(Tree))
		}
	}
	for _, name := range n.Played {
		d.play(step{node: d.Node(name)}, prefix, script, path)
	}
	for _, r := range n.Regions {
		for _, c := range r.Nodes {
			if n.Played == nil {
				d.play(step{node: c}, prefix, script, path)
			}
		}
	}
}

// entries returns the entries of the node of a step, for each of its visits.
func (s *step) entries() Tree {
	one := s.visit()
	if s.again == 0 || len(one.Items) == 1 && s.choose == "" { // a single entry is for every visit
		return one
	}
	entries := yamlread.ListTree(Pos{})
	for range s.again {
		entries.Items = append(entries.Items, one.Items...)
	}
	last := *s
	last.choose = ""
	entries.Items = append(entries.Items, last.visit().Items...)
	return entries
}

// visit returns the entries of a visit: the calls of its tools, what it picks, and its answer.
func (s *step) visit() Tree {
	entries := yamlread.ListTree(Pos{})
	if len(s.node.Calls) > 0 {
		calls := yamlread.ListTree(Pos{})
		for _, c := range s.node.Calls {
			calls.Items = append(calls.Items, Map(Pos{}, c, yamlread.MapTree(Pos{})))
		}
		entries.Items = append(entries.Items, Map(Pos{}, "tool_calls", calls))
	}
	for _, pick := range s.node.Asked {
		entries.Items = append(entries.Items, Map(Pos{}, "choose", pick))
	}
	if entry := s.entry(); len(entry) > 0 {
		entries.Items = append(entries.Items, entry.Tree(Pos{}))
	}
	return entries
}

// entry returns the entry with the answer of the node of a step, as the step needs it.
func (s *step) entry() Table {
	var entry Table
	if s.node.Out != nil {
		out := copyOf(s.node.Out)
		for _, p := range s.patches {
			for _, e := range p.Out {
				patch(&out, e.Key.V, e.Value)
			}
		}
		if out.Kind == yamlread.Map || out.Kind == yamlread.List {
			entry.Set("out", out)
		} else {
			entry.Set("text", out)
		}
	}
	entry = append(entry, s.node.Entry...)
	for _, p := range s.patches {
		for _, e := range p.Entry {
			entry.Put(e.Key, e.Value)
		}
	}
	if s.choose != "" {
		entry.Set("choose", Text(s.choose, Pos{}))
	}
	return entry
}

// patch sets a key of a mapping.
func patch(m *Tree, key string, value Tree) {
	if had := m.Get(key); had != nil {
		*had = value
		return
	}
	if m.Kind == yamlread.Map {
		m.Add(key, value)
	}
}
