package picture

import (
	"strings"

	"github.com/graphgen/graphgen/gen/plan"
)

// against marks what another version of the graph lacks or has differently, and adds what only the other version has.
func (u *builder) against(m *plan.Machine) {
	old := &builder{path: u.path}
	a := &comparison{builder: u, boxes: map[string]*Box{}, edges: map[string][]*Edge{}}
	each(u.root, func(_, b *Box) { a.boxes[b.ID] = b }, func(e *Edge) { a.edges[ends(e)] = append(a.edges[ends(e)], e) })
	for _, b := range a.boxes {
		b.mark(Added, "")
	}
	changed := map[string][]*Edge{}
	var keys []string
	each(old.build(m), a.box, func(e *Edge) {
		if key := ends(e); !a.same(key, e) {
			if changed[key] == nil {
				keys = append(keys, key)
			}
			changed[key] = append(changed[key], e)
		}
	})
	for _, key := range keys {
		for _, e := range changed[key] {
			a.changed(key, e)
		}
	}
	for _, list := range a.edges {
		for _, e := range list {
			e.mark(Added)
		}
	}
}

// A comparison is a picture that gets the boxes and edges of another version.
type comparison struct {
	*builder
	boxes map[string]*Box    // by identifier
	edges map[string][]*Edge // by their ends: those that the other version does not have
}

// each calls functions for all boxes, those around others first, and for all edges.
func each(c *Box, box func(around, b *Box), edge func(e *Edge)) {
	for _, b := range c.Children {
		box(c, b)
		if b.Opens == "" {
			each(b, box, edge)
		}
	}
	for _, e := range c.Edges {
		edge(e)
	}
}

// ends identifies the edges between two boxes, in both versions.
func ends(e *Edge) string {
	kind := " leads to "
	if e.Failure {
		kind = " fails to "
	}
	return e.From.ID + kind + e.To.ID
}

// mark gives a node a mark.
func (b *Box) mark(s State, note string) {
	if b.Node != "" {
		b.Mark = Mark{State: s, Text: states[s].class, Note: note}
	}
}

// mark gives an edge a mark. It has a text unless an end of the edge has the same one.
func (e *Edge) mark(s State) {
	e.Mark = Mark{State: s}
	if e.From.Mark.State != s && e.To.Mark.State != s {
		e.Mark.Text = states[s].class
	}
}

// box compares a box of the other version, or adds it.
func (a *comparison) box(around, b *Box) {
	now := a.boxes[b.ID]
	switch {
	case now == nil:
		now = &Box{}
		*now = *b
		now.Children, now.Edges = nil, nil
		now.mark(Removed, "")
		to := a.boxes[around.ID]
		for to != nil && !to.Region {
			to = a.parents[to]
		}
		if to == nil {
			to = a.root
		}
		a.add(to, now)
		a.boxes[b.ID] = now
	case now.Kind != b.Kind || now.Sub.Whole != b.Sub.Whole:
		now.mark(Changed, strings.TrimSuffix("was "+b.Sub.Whole+"; "+a.Changed[b.Node], "; "))
	case a.Changed[b.Node] != "":
		now.mark(Changed, a.Changed[b.Node])
	default:
		now.Mark = Mark{}
	}
}

// same reports whether there is an edge like one of the other version, and takes it from the list.
func (a *comparison) same(key string, e *Edge) bool {
	for k, now := range a.edges[key] {
		if now.Label.Whole == e.Label.Whole {
			a.edges[key] = append(a.edges[key][:k:k], a.edges[key][k+1:]...)
			return true
		}
	}
	return false
}

// changed marks an edge that has another label than in the other version, or adds the edge of that version.
func (a *comparison) changed(key string, e *Edge) {
	if list := a.edges[key]; len(list) > 0 {
		list[0].Mark = Mark{State: Changed, Text: "changed", Note: "was " + e.Label.Whole}
		a.edges[key] = list[1:]
		return
	}
	gone := *e
	gone.ID = "removed-" + strings.TrimPrefix(e.ID, "edge-")
	gone.Number, gone.From, gone.To = 0, a.boxes[e.From.ID], a.boxes[e.To.ID]
	gone.mark(Removed)
	around := a.lift(&gone)
	around.Edges = append(around.Edges, &gone)
}
