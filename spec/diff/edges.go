package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/resolve"
)

// An edge is a transition that leaves a node, in the format of the diff.
type edge struct {
	when  string // "if out.Score >= 4"; empty: always
	to    string
	bound int // 0: none
	pos   spec.Pos

	same      string // equal for conditions that are the same; empty: see when
	outcome   outcome
	rank      int
	exclusive string // edges with the same text here and different conditions exclude one another
}

// outcome is the outcome after which an edge is tried.
type outcome uint8

const (
	succeeded outcome = iota
	calledTools
	failed
	rejected
	spent
	denied
	late
)

// String returns the edge as an author would describe it.
func (w *edge) String() string {
	text := "to " + w.to
	if w.when != "" {
		text += " " + w.when
	}
	if w.bound > 0 {
		text += fmt.Sprintf(", at most %d times", w.bound)
	}
	return text
}

// key identifies an edge in both specs.
func (w *edge) key() string { return fmt.Sprint(w.outcome, " ", w.to, " ", w.condition()) }

// condition returns the same text for edges with the same condition.
func (w *edge) condition() string { return cmp.Or(w.same, w.when) }

func (d *difference) edges(old, new *cfg.Graph) {
	pairs(choosing(old.Spec), choosing(new.Spec), nodeName, func(name string, was, is **resolve.Node) {
		var before, after []*edge
		if was != nil {
			before = edgesOf(old.Node(*was))
		}
		if is != nil {
			after = edgesOf(new.Node(*is))
		}
		d.compareEdges(name, before, after)
		if was != nil && is != nil {
			d.noMatch(name, old.Node(*was), new.Node(*is))
		}
	})
}

// choosing returns the nodes with edges of their own: those that no other node runs, and routers in regions.
func choosing(g *resolve.Graph) []*resolve.Node {
	return slices.DeleteFunc(written(g, g.All()), func(n *resolve.Node) bool { return n.Template || n.Chained() && !n.Kind.Chooses })
}

// outcomes maps rules to the outcomes after which their transitions are tried.
var outcomes = map[cfg.Rule]outcome{cfg.ByToolLoop: calledTools, cfg.ByToolCall: calledTools, cfg.ByGuardFail: rejected,
	cfg.ByError: failed, cfg.ByBudget: spent, cfg.ByHuman: denied}

// keys maps keys to the texts of their transitions.
var keys = map[string]string{
	"tool calls": "when it calls tools", "next": "", "on_pass": "", "transition error": "by transition error", "on_fail": "on guard_fail",
	"on_deny": "when the person denies", "on_timeout": "when the answer is late",
}

// edgesOf returns the edges that leave a node, by outcome. Routes are left out: they change with
// the output type.
func edgesOf(n *cfg.Node) []*edge {
	var lists [late + 1][]*edge
	for _, t := range n.Leaving {
		if t.Rule != cfg.ByRoute {
			w := edgeOf(t)
			lists[w.outcome] = append(lists[w.outcome], w)
		}
	}
	if n.Terminal() { // the same as an edge to the end
		lists[succeeded] = append(lists[succeeded], &edge{to: spec.End})
	}
	list := slices.Concat(lists[calledTools], lists[succeeded], lists[failed], lists[rejected], lists[spent], lists[denied], lists[late])
	for i, w := range list {
		w.rank = i
	}
	return list
}

// edgeOf converts a transition.
func edgeOf(t *cfg.Transition) *edge {
	c := t.Cond
	w := &edge{to: endName(t.Name.V), bound: t.Max, pos: t.Name.Pos, outcome: outcomes[t.Rule]}
	if t.Key == "on_timeout" {
		w.outcome = late
	}
	if t.Rule == cfg.ByToolLoop {
		w.pos = t.From.Spec.Spec.Name.Pos
	}
	if t.Edge != nil {
		w.pos = t.Edge.Spec.Pos
	}
	if word, ok := keys[t.Key]; ok {
		w.when = word
	} else {
		w.when = t.Key
	}
	switch c.Kind {
	case cfg.If:
		w.when, w.same = "if "+c.Expr.String(), "if "+c.Key().Text
	case cfg.Uncalled, cfg.Event:
		w.when = "on " + c.Text
	case cfg.Calls:
		w.when, w.same = "on "+t.Edge.Spec.On.V+" of "+c.Text, "on tool_call "+strings.Join(c.Tools, ", ")
	case cfg.Judged:
		w.when, w.exclusive = "when "+strings.Join(strings.Fields(c.Text), " ")+shownWith(t.Edge), "when"
	case cfg.Equals:
		w.when, w.exclusive = "if "+c.Name+" is "+scalar(c.Value), "output "+c.Name
	case cfg.AtLeast:
		w.when = "if confidence is at least " + strconv.FormatFloat(c.Least, 'g', -1, 64)
	case cfg.Label:
		w.when, w.exclusive, w.pos = "by label "+c.Text, "label", c.Pos
		if c.Name != "" {
			w.when, w.exclusive = "if "+c.Name+" is "+strconv.Quote(c.Text), "output "+c.Name
		}
	case cfg.Named:
		w.when, w.exclusive = "when the handler selects it", "goto"
	case cfg.Holds:
		w.when, w.pos = "by transition "+c.Text, c.Pos
		if c.Field == nil {
			w.exclusive = "transition"
		}
	}
	return w
}

// shownWith returns the fields that the model is shown that judges an edge. They have no order.
func shownWith(e *resolve.Edge) string {
	names := make([]string, len(e.Shown))
	for i, f := range e.Shown {
		names[i] = f.Name
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return " by " + strings.Join(names, " and ")
}

// endName returns end for each of its three names.
func endName(target string) string {
	if spec.IsEnd(target) {
		return spec.End
	}
	return target
}

func scalar(s spec.Scalar) string {
	if s.Kind == spec.ScalarString {
		return strconv.Quote(s.Text)
	}
	return s.Text
}

// compareEdges compares the edges of the node with the given name.
func (d *difference) compareEdges(name string, old, new []*edge) {
	left := map[string][]*edge{}
	for _, w := range old {
		left[w.key()] = append(left[w.key()], w)
	}
	var kept [][2]*edge
	for _, w := range new {
		same := left[w.key()]
		if len(same) == 0 {
			d.add(Change{Kind: Added, Section: Edges, Of: name, What: w.String() + place(w, new), Pos: w.pos})
			continue
		}
		was := same[0]
		left[w.key()] = same[1:]
		kept = append(kept, [2]*edge{was, w})
		if was.bound != w.bound {
			bare := *w
			bare.bound = 0
			d.add(Change{Section: Edges, Of: name, What: bare.String() + ": max_iterations: " + arrow(bound(was), bound(w)), Pos: w.pos})
		}
	}
	for _, w := range old {
		if slices.Contains(left[w.key()], w) {
			d.add(Change{Kind: Removed, Section: Edges, Of: name, What: w.String(), Pos: w.pos})
		}
	}
	d.compareOrder(name, kept)
}

func bound(w *edge) string {
	if w.bound == 0 {
		return none
	}
	return strconv.Itoa(w.bound)
}

// place returns when an edge is tried, if that matters.
func place(w *edge, all []*edge) string {
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

// ordered reports whether the order of two edges can decide where a run goes.
func ordered(a, b *edge) bool {
	switch {
	case a.outcome != b.outcome:
		return false
	case a.exclusive != "" && a.exclusive == b.exclusive && a.condition() != b.condition():
		return false
	}
	return a.to != b.to || a.bound > 0 || b.bound > 0
}

// compareOrder adds a change if edges are tried in another order than before, and that can decide
// where a run goes.
func (d *difference) compareOrder(name string, kept [][2]*edge) {
	moved := map[*edge]bool{}
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
	slices.SortFunc(kept, func(a, b [2]*edge) int { return a[0].rank - b[0].rank })
	for _, k := range kept {
		if moved[k[1]] {
			was = append(was, k[1].String())
		}
	}
	d.add(Change{Section: Edges, Of: name, What: "order: " + arrow(strings.Join(was, " | "), strings.Join(is, " | ")), Pos: pos})
}

// noMatch compares what happens if no edge of a node is taken, where that is possible in both
// specs.
func (d *difference) noMatch(name string, was, is *cfg.Node) {
	before, after := unmatched(was), unmatched(is)
	if before != "" && after != "" && before != after {
		d.add(Change{Section: Edges, Of: name, What: "no_match: " + arrow(before, after), Pos: is.Spec.Spec.Name.Pos})
	}
}

// unmatched returns what happens if no edge of a node is taken; empty: one always is.
func unmatched(n *cfg.Node) string {
	for _, o := range [...]cfg.Outcome{cfg.Succeeded, cfg.SoftFailed, cfg.Skipped} {
		switch n.Else[o] {
		case cfg.Exhausts:
			return "end" // when the edges are used up, whatever the no_match of the graph is
		case cfg.Errors, cfg.Ends:
			return n.NoMatch
		case cfg.Unstated:
			return none
		}
	}
	return ""
}
