package diff

import (
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/resolve"
)

func (d *difference) nodes(from, to *cfg.Graph) {
	old, new := from.Spec, to.Spec
	pairs(written(old, old.All()), written(new, new.All()), nodeName, func(name string, was, is **resolve.Node) {
		switch {
		case was == nil:
			d.add(Change{Kind: Added, Section: Nodes, Of: name, What: summary((*is).Spec), Pos: (*is).Spec.Name.Pos})
		case is == nil:
			d.add(Change{Kind: Removed, Section: Nodes, Of: name, Pos: (*was).Spec.Name.Pos})
		default:
			d.node(name, *was, *is)
			d.visits(name, from.Node(*was), to.Node(*is))
		}
	})
}

// written returns the nodes without those that the mode autonomous adds.
func written(g *resolve.Graph, nodes []*resolve.Node) []*resolve.Node {
	return slices.DeleteFunc(slices.Clone(nodes), func(n *resolve.Node) bool { return n == g.Pool })
}

func nodeName(n *resolve.Node) string { return n.Spec.Name.V }

// summary describes a node on one line.
func summary(n *spec.Node) string {
	parts := []string{}
	if !n.Kind.IsSet() {
		parts = append(parts, spec.DefaultKind)
	}
	for _, s := range n.Settings() {
		switch {
		case s.Key.Name == "kind":
			parts = append(parts, s.Text)
		case s.Text != "" && (s.Key.Name == "max_visits" || !slices.Contains(nodeExcluded, s.Key.Name)):
			parts = append(parts, s.Key.Name+" "+shorten(s.Text))
		}
	}
	if n.Output != nil {
		parts = append(parts, "output "+typeText(n.Output))
	}
	for _, a := range assigned(n, n) {
		if a.is != "" {
			parts = append(parts, a.key+" "+a.is)
		}
	}
	for _, b := range n.Branches {
		parts = append(parts, "branch "+b.Name.V+" "+chain(b))
	}
	for _, b := range n.Prompt.Blocks {
		parts = append(parts, "block "+b.Name.V)
	}
	for _, e := range n.Evals {
		parts = append(parts, "eval "+e.Name.V+" "+rule(e, expr.TextString))
	}
	if list := flagNames(n); len(list) > 0 {
		parts = append(parts, "flags "+strings.Join(list, ", "))
	}
	return strings.Join(parts, "; ")
}

// visits compares max_visits, where one of the nodes sets it, or people bound its visits. Other changes of the default belong to the
// limits.
func (d *difference) visits(name string, before, after *cfg.Node) {
	own := before.Spec.Spec.MaxVisits.IsSet() || after.Spec.Spec.MaxVisits.IsSet()
	same := before.MaxVisits == after.MaxVisits && before.AnswersBound == after.AnswersBound
	if same || !own && !before.AnswersBound && !after.AnswersBound {
		return
	}
	pos := after.Spec.Spec.MaxVisits.Pos
	if !pos.IsSet() {
		pos = after.Pos()
	}
	d.add(Change{Section: Nodes, Of: name, What: "max_visits: " + arrow(visits(before), visits(after)), Pos: pos})
}

func visits(n *cfg.Node) string {
	if n.AnswersBound {
		return "as often as people answer"
	}
	return strconv.Itoa(n.MaxVisits)
}

func (d *difference) node(name string, before, after *resolve.Node) {
	old, new := before.Spec, after.Spec
	if was, is := handlerInput(before), handlerInput(after); was != is && was != "" && is != "" {
		d.add(Change{Section: Nodes, Of: name, What: "its handler takes: " + arrow(was, is), Pos: new.Name.Pos})
	}
	d.settings(Nodes, name, old.Settings(), new.Settings(), nodeExcluded)
	if old.Output != nil && new.Output != nil {
		d.typ(Nodes, name+" output", old.Output, new.Output)
	} else if was, is := typeText(old.Output), typeText(new.Output); was != is {
		d.add(Change{Section: Nodes, Of: name, What: "output: " + arrow(was, is), Pos: new.Name.Pos})
	}
	for _, a := range assigned(old, new) {
		if a.was != a.is {
			d.add(Change{Section: Nodes, Of: name, What: a.key + ": " + arrow(orNone(a.was), orNone(a.is)), Pos: new.Name.Pos})
		}
	}
	d.branches(name, old.Branches, new.Branches)
	d.blocks(name, old.Prompt.Blocks, new.Prompt.Blocks)
	d.evals(name, old.Evals, new.Evals)
	if text := compareSets(flagNames(old), flagNames(new)); text != "" {
		d.add(Change{Section: Nodes, Of: name, What: "flags: " + text, Pos: new.Name.Pos})
	}
	for _, f := range new.Flags {
		if flag, ok := spec.FlagOf(f.Name.V); ok {
			was, _ := old.Flag(flag)
			d.settings(Nodes, name+" "+f.Name.V, retrySettings(was), retrySettings(f), nil)
		}
	}
}

// handlerInput returns the input of a handler that reads no list of fields. reads: [] differs from
// no reads. It returns "" for a node without a handler.
func handlerInput(n *resolve.Node) string {
	switch {
	case !n.Handled():
		return ""
	case n.Spec.ReadsPos.IsSet():
		return "what it reads"
	case n.Spec.WritesPos.IsSet():
		return "nothing"
	}
	return "the state"
}

func retrySettings(f spec.Flag) []spec.Setting {
	switch {
	case f.Retry != nil:
		return f.Retry.Settings()
	case f.Approval != nil:
		return f.Approval.Settings()
	}
	return nil
}

// flagNames returns the flags of a node without entry, which belongs to the graph.
func flagNames(n *spec.Node) (names []string) {
	for _, f := range n.Flags {
		if f.Name.V != spec.Entry.String() {
			names = append(names, f.Name.V)
		}
	}
	return names
}
