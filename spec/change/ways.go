package change

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A way is one way on from a node, in the order it is tried among those of its group.
type way struct {
	when  string // "if out.Score >= 4"; empty: always
	to    string
	bound int // 0: none
	pos   spec.Pos

	same  string // equal for conditions that say the same; empty: when is
	group group
	rank  int
	apart string // ways that have the same word here, and not the same condition, exclude one another
}

// group says what must have happened for the way to be tried at all.
type group uint8

const (
	success group = iota
	calling
	failure
	rejection
	denial
	delay
)

// String says a way as an author would.
func (w *way) String() string {
	text := "to " + w.to
	if w.when != "" {
		text += " " + w.when
	}
	if w.bound > 0 {
		text += fmt.Sprintf(", at most %d times", w.bound)
	}
	return text
}

// key is what makes two ways of two specs the same way.
func (w *way) key() string { return fmt.Sprint(w.group, " ", w.to, " ", w.condition()) }

// condition is equal for ways that are taken under the same condition.
func (w *way) condition() string { return cmp.Or(w.same, w.when) }

func (d *difference) ways(old, new *resolve.Graph) {
	pairs(written(old, old.Nodes), written(new, new.Nodes), nodeName, func(name string, was, is **resolve.Node) {
		var before, after []*way
		var routings [2]*resolve.Routing
		if was != nil {
			routings[0] = old.Routing(*was)
			before = waysOf(*was, routings[0])
		}
		if is != nil {
			routings[1] = new.Routing(*is)
			after = waysOf(*is, routings[1])
		}
		d.waysOf(name, before, after)
		if was != nil && is != nil {
			d.noMatch(name, *is, routings)
		}
	})
}

// waysOf lists the ways on from a node.
func waysOf(n *resolve.Node, r *resolve.Routing) []*way {
	l := &lister{}
	if r.ToolLoop {
		l.add(calling, way{when: "when it calls tools", to: n.Spec.Name.V, pos: n.Spec.Name.Pos})
	}
	for _, e := range r.Called {
		l.edge(calling, e)
	}
	for _, g := range r.Goto {
		l.add(success, way{when: "when the handler says so", to: named(g.Name.V), pos: g.Name.Pos, apart: "goto"})
	}
	for _, e := range r.Edges {
		l.edge(success, e)
	}
	for _, t := range r.Transitions {
		w := way{when: "by transition " + t.Key.V, to: named(t.To.Name.V), pos: t.Key.Pos}
		if t.Field == nil {
			w.apart = "transition"
		}
		l.add(success, w)
	}
	l.named(success, r.Next, "")
	if r.Terminal() { // a way to the end means the same
		l.add(success, way{to: spec.End})
	}
	for _, e := range r.Failed {
		l.edge(failure, e)
	}
	l.named(failure, r.ErrorTo, "by transition error")
	for _, e := range r.GuardFail {
		l.edge(rejection, e)
	}
	l.named(rejection, r.OnFail, "on guard_fail")
	l.named(denial, r.Denied, "when the person says no")
	l.named(delay, r.Late, "when the answer is late")
	return l.list
}

type lister struct{ list []*way }

func (l *lister) add(g group, w way) {
	w.group, w.rank = g, len(l.list)
	l.list = append(l.list, &w)
}

func (l *lister) named(g group, n *resolve.Named, when string) {
	if n != nil {
		l.add(g, way{when: when, to: named(n.Name.V), pos: n.Name.Pos})
	}
}

// named gives the three names of the end one.
func named(target string) string {
	if spec.IsEnd(target) {
		return spec.End
	}
	return target
}

// edge adds an edge, or one way for each label of a branch table.
func (l *lister) edge(g group, e *resolve.Edge) {
	s := e.Spec
	w := way{to: named(s.To.V), bound: s.MaxIterations.V, pos: s.Pos}
	switch {
	case e.Table():
		for _, label := range s.Branch {
			w.when, w.to, w.pos, w.apart = "by label "+label.Name.V, named(label.To.V), label.Name.Pos, "label"
			if by := s.By.V; by != "" {
				w.when, w.apart = "if "+by+" is "+strconv.Quote(label.Name.V), "output "+by
			}
			l.add(g, w)
		}
		return
	case s.If.IsSet():
		w.when, w.same = "if "+condition(s.If.V), "if "+e.Cond().Text
	case s.On.IsSet():
		w.when = "on " + s.On.V
	case e.Judged():
		w.when, w.apart = "when "+strings.Join(strings.Fields(s.When.V), " "), "when"
	case s.OnOutput != nil:
		key, value := s.OnOutput.Key.V, s.OnOutput.Value
		w.when, w.apart = "if "+key+" is "+scalar(value), "output "+key
	case s.OnConfidence.IsSet():
		w.when = "if confidence is at least " + strconv.FormatFloat(s.OnConfidence.V, 'g', -1, 64)
	}
	l.add(g, w)
}

func scalar(s spec.Scalar) string {
	if s.Kind == spec.ScalarString {
		return strconv.Quote(s.Text)
	}
	return s.Text
}

// condition writes a Go expression in one way, however it was spaced.
func condition(text string) string {
	expr, err := parser.ParseExpr(text)
	if err != nil {
		return text
	}
	return resolve.ExprText(ast.Unparen(expr))
}

// waysOf compares the ways of a node of that name.
func (d *difference) waysOf(name string, old, new []*way) {
	left := map[string][]*way{}
	for _, w := range old {
		left[w.key()] = append(left[w.key()], w)
	}
	var kept [][2]*way
	for _, w := range new {
		same := left[w.key()]
		if len(same) == 0 {
			d.add(Change{Kind: Added, Section: Ways, Of: name, What: w.String() + place(w, new), Pos: w.pos})
			continue
		}
		was := same[0]
		left[w.key()] = same[1:]
		kept = append(kept, [2]*way{was, w})
		if was.bound != w.bound {
			bare := *w
			bare.bound = 0
			d.add(Change{Section: Ways, Of: name, What: bare.String() + ": max_iterations: " + arrow(bound(was), bound(w)), Pos: w.pos})
		}
	}
	for _, w := range old {
		if slices.Contains(left[w.key()], w) {
			d.add(Change{Kind: Removed, Section: Ways, Of: name, What: w.String(), Pos: w.pos})
		}
	}
	d.order(name, kept)
}

func bound(w *way) string {
	if w.bound == 0 {
		return nothing
	}
	return strconv.Itoa(w.bound)
}

// place says when a way is tried, where that can decide anything.
func place(w *way, all []*way) string {
	before, after := "", ""
	for _, other := range all {
		switch {
		case other == w || !ordered(w, other):
		case other.rank < w.rank:
			before = other.String()
		case after == "":
			after = other.String()
		}
	}
	switch {
	case before != "":
		return "; tried after: " + before
	case after != "":
		return "; tried before: " + after
	}
	return ""
}

// ordered reports whether it can decide where a run goes which of two ways is tried first.
func ordered(a, b *way) bool {
	switch {
	case a.group != b.group:
		return false
	case a.apart != "" && a.apart == b.apart && a.condition() != b.condition():
		return false
	}
	return a.to != b.to || a.bound > 0 || b.bound > 0
}

// order tells of ways that are tried in another order than before, where that can decide
// where a run goes.
func (d *difference) order(name string, kept [][2]*way) {
	moved := map[*way]bool{}
	var pos spec.Pos
	for i, a := range kept {
		for _, b := range kept[i+1:] {
			if a[0].rank > b[0].rank && ordered(a[1], b[1]) {
				moved[a[1]], moved[b[1]] = true, true
				if !pos.IsSet() {
					pos = a[1].pos
				}
			}
		}
	}
	if len(moved) == 0 {
		return
	}
	var is, was []string
	for _, k := range kept {
		if moved[k[1]] {
			is = append(is, k[1].String())
		}
	}
	slices.SortFunc(kept, func(a, b [2]*way) int { return a[0].rank - b[0].rank })
	for _, k := range kept {
		if moved[k[1]] {
			was = append(was, k[1].String())
		}
	}
	d.add(Change{Section: Ways, Of: name, What: "order: " + arrow(strings.Join(was, " | "), strings.Join(is, " | ")), Pos: pos})
}

// noMatch compares what happens when none of a node's ways can be taken, where that can be.
func (d *difference) noMatch(name string, n *resolve.Node, r [2]*resolve.Routing) {
	var says [2]string
	for i, routing := range r {
		if !canFail(n, routing) {
			return
		}
		switch says[i] = routing.NoMatch; {
		case routing.Exhaustible() && !slices.ContainsFunc(routing.Edges, (*resolve.Edge).Conditional):
			says[i] = "end" // when the edges are used up, whatever the graph says
		case says[i] == "":
			says[i] = nothing
		}
	}
	if says[0] != says[1] {
		d.add(Change{Section: Ways, Of: name, What: "no_match: " + arrow(says[0], says[1]), Pos: n.Spec.Name.Pos})
	}
}

// canFail reports whether a node may find none of its ways open.
func canFail(n *resolve.Node, r *resolve.Routing) bool {
	always := func(e *resolve.Edge) bool {
		return e.Always() || e.CallsNone() || e.Decides()
	}
	return !r.Terminal() && !r.RouteDecides() && r.Next == nil && n.Kind != "router" &&
		!slices.ContainsFunc(r.Edges, always)
}
