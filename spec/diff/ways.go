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

func (d *difference) ways(old, new *cfg.Graph) {
	pairs(written(old.Spec, old.Spec.Nodes), written(new.Spec, new.Spec.Nodes), nodeName, func(name string, was, is **resolve.Node) {
		var before, after []*way
		if was != nil {
			before = waysOf(old.Node(*was))
		}
		if is != nil {
			after = waysOf(new.Node(*is))
		}
		d.waysOf(name, before, after)
		if was != nil && is != nil {
			d.noMatch(name, old.Node(*was), new.Node(*is))
		}
	})
}

// groups says what must have happened for the transitions of a rule to be tried.
var groups = map[cfg.Rule]group{cfg.ByToolLoop: calling, cfg.ByToolCall: calling, cfg.ByGuardFail: rejection, cfg.ByError: failure, cfg.ByHuman: denial}

// keys are the words for transitions that stand under a key of their own.
var keys = map[string]string{
	"tool calls": "when it calls tools", "next": "", "on_pass": "", "transition error": "by transition error", "on_fail": "on guard_fail",
	"on_deny": "when the person says no", "on_timeout": "when the answer is late",
}

// waysOf lists the ways on from a node, by group. What the output names is among its types.
func waysOf(n *cfg.Node) []*way {
	var lists [delay + 1][]*way
	for _, t := range n.Leaving {
		if t.Rule != cfg.ByRoute {
			w := wayOf(t)
			lists[w.group] = append(lists[w.group], w)
		}
	}
	if n.Terminal() { // a way to the end means the same
		lists[success] = append(lists[success], &way{to: spec.End})
	}
	list := slices.Concat(lists[calling], lists[success], lists[failure], lists[rejection], lists[denial], lists[delay])
	for i, w := range list {
		w.rank = i
	}
	return list
}

// wayOf says a transition as an author would.
func wayOf(t *cfg.Transition) *way {
	c := t.Cond
	w := &way{to: named(t.Name.V), bound: t.Max, pos: t.Name.Pos, group: groups[t.Rule]}
	if t.Key == "on_timeout" {
		w.group = delay
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
	case cfg.Judged:
		w.when, w.apart = "when "+strings.Join(strings.Fields(c.Text), " "), "when"
	case cfg.Equals:
		w.when, w.apart = "if "+c.Name+" is "+scalar(c.Value), "output "+c.Name
	case cfg.AtLeast:
		w.when = "if confidence is at least " + strconv.FormatFloat(c.Least, 'g', -1, 64)
	case cfg.Label:
		w.when, w.apart, w.pos = "by label "+c.Text, "label", c.Pos
		if c.Name != "" {
			w.when, w.apart = "if "+c.Name+" is "+strconv.Quote(c.Text), "output "+c.Name
		}
	case cfg.Named:
		w.when, w.apart = "when the handler says so", "goto"
	case cfg.Holds:
		w.when, w.pos = "by transition "+c.Text, c.Pos
		if c.Field == nil {
			w.apart = "transition"
		}
	}
	return w
}

// named gives the three names of the end one.
func named(target string) string {
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

// noMatch compares what happens when none of a node's ways can be taken, where that can be in
// both specs.
func (d *difference) noMatch(name string, was, is *cfg.Node) {
	before, after := unmatched(was), unmatched(is)
	if before != "" && after != "" && before != after {
		d.add(Change{Section: Ways, Of: name, What: "no_match: " + arrow(before, after), Pos: is.Spec.Spec.Name.Pos})
	}
}

// unmatched says what happens when none of a node's ways can be taken; empty: one always can.
func unmatched(n *cfg.Node) string {
	for _, o := range [...]cfg.Outcome{cfg.Succeeded, cfg.SoftFailed, cfg.Skipped} {
		switch n.Else[o] {
		case cfg.Exhausts:
			return "end" // when the edges are used up, whatever the graph says
		case cfg.Errors, cfg.Ends:
			return n.NoMatch
		case cfg.Unstated:
			return nothing
		}
	}
	return ""
}
