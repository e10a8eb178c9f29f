package randomgraph

import (
	"fmt"
	"slices"
	"strings"
)

// An edge is an entry of edges in the making.
type edge struct {
	from, to string // to has the key, too
	cond     string
	priority int
	raw      string // the whole entry, of another form
}

// String is the keys of the entry, as YAML.
func (e edge) String() string {
	if e.raw != "" {
		return e.raw
	}
	s := "from: " + e.from + ", " + e.to
	if e.cond != "" {
		s += ", " + e.cond
	}
	if e.priority != 0 {
		s += fmt.Sprintf(", priority: %d", e.priority)
	}
	return s
}

// plain returns the node to which an edge leads that may be part of a sequence; empty for others.
func (e edge) plain() string {
	if to, ok := strings.CutPrefix(e.to, "to: "); ok && e.priority == 0 && e.cond == "" {
		return to
	}
	return ""
}

// edge adds an edge that is not always taken.
func (m *maker) edge(n *node, to, cond string) {
	m.edges = append(m.edges, edge{from: n.name, to: "to: " + to, cond: cond, priority: pick(m, 0, 0, 0, 1, 2, 10)})
	if strings.Contains(cond, "max_iterations") && !strings.Contains(cond, "on: ") && m.chance(25) {
		m.edges = append(m.edges, edge{from: n.name, to: "to: " + to, cond: m.test(n) + ", max_iterations: 4", priority: 3})
	}
}

// always adds an edge without a condition or bound, after all others of the node.
func (m *maker) always(n *node, to string) {
	m.certain = append(m.certain, edge{from: n.name, to: "to: " + to, priority: pick(m, 0, 0, -1)})
	n.doubt, n.sure = false, true
}

// test is an if with a condition.
func (m *maker) test(n *node) string { return "if: '" + m.condition(n) + "'" }

// bound is a max_iterations in p of 100 cases.
func (m *maker) bound(p int) string {
	if !m.chance(p) || m.inRegion {
		return ""
	}
	return fmt.Sprintf(", max_iterations: %d", 1+m.IntN(3))
}

// onlyBound is a bound without a condition before it.
func (m *maker) onlyBound(p int) string { return strings.TrimPrefix(m.bound(p), ", ") }

// sequences are the edges that are always taken, some of them as sequential entries.
func (m *maker) sequences() []edge {
	var out []edge
	rest := slices.Clone(m.certain)
	for len(rest) > 0 {
		e := rest[0]
		rest = rest[1:]
		if e.plain() == "" || m.chance(50) {
			out = append(out, e)
			continue
		}
		path := []string{e.from, e.plain()}
		next := func(f edge) bool { return f.from == path[len(path)-1] && f.plain() != "" }
		for i := slices.IndexFunc(rest, next); i >= 0; i = slices.IndexFunc(rest, next) {
			path = append(path, rest[i].plain())
			rest = slices.Delete(rest, i, i+1)
		}
		out = append(out, edge{raw: "sequential: " + list(path)})
	}
	return out
}
