package picture

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Marks are what a picture shows besides the graph: a run, the counts of runs, or differences from another version. Their keys are the
// identifiers of elements: names of nodes and numbers of transitions, with the path of the nodes that run their graph, as in look/judge
// and look/3.
type Marks struct {
	Nodes map[string]Mark
	Edges map[string]Mark
	Fade  bool // what has no mark is faint
}

// A Mark is what a picture shows of a node or a transition besides its name. Each state has a text, as not every reader distinguishes the colors.
type Mark struct {
	State State
	Text  string // short, such as ×2
	Note  string // shown on demand
}

// A State is the reason of a mark.
type State uint8

const (
	Unmarked State = iota
	Taken          // a run has been there
	Failed         // it failed
	Waiting        // a run waits there, or no run has been there
	Added
	Changed
	Removed
)

// states are the classes of states, and their roles.
var states = [...]struct {
	class string
	role  role
}{
	Unmarked: {"", muted}, Taken: {"taken", good}, Failed: {"failed", failing}, Waiting: {"waiting", attention},
	Added: {"added", good}, Changed: {"changed", attention}, Removed: {"removed", failing},
}

// key returns the key of a node or a transition of the graph.
func (u *builder) key(name string) string {
	return strings.Join(append(slices.Clone(u.path), name), "/")
}

// mark gives boxes and edges their marks.
func (u *builder) mark(c *Box) {
	marks := cmp.Or(u.Marks, &Marks{})
	for _, b := range c.Children {
		if m, ok := marks.Nodes[u.key(b.Node)]; ok && b.Node != "" {
			b.Mark = m
		}
		if b.Opens == "" {
			u.mark(b)
		}
	}
	for _, e := range c.Edges {
		switch m, ok := marks.Edges[u.key(strconv.Itoa(e.Number))]; {
		case ok:
			e.Mark = m
		case e.Mark.State != Unmarked:
		case (e.From.Sign == EnterSign || e.From.Sign == ForkSign) && e.To.Mark.seen(): // a run that begins there
			e.Mark = Mark{State: Taken}
		case e.Number > 0:
		case e.From.Mark.State == Taken && len(e.Label.Lines) == 0: // the only way on
			e.Mark = Mark{State: Taken}
		}
		if text := shown(e.Mark.Text); text != "" {
			e.Label = e.Label.and(labelFont.one(text, labelWidth))
		}
	}
}

// seen reports whether a run has been at what has the mark.
func (m Mark) seen() bool { return m.State == Taken || m.State == Failed || m.State == Waiting }

// and returns a text with the lines of another one after its own.
func (t Text) and(more Text) Text {
	whole := more.Whole
	if t.Whole != "" {
		whole = t.Whole + "; " + more.Whole
	}
	return Text{Lines: append(slices.Clone(t.Lines), more.Lines...), W: max(t.W, more.W), Whole: whole}
}

// badge returns the text of the mark of a box.
func (b *Box) badge() Text {
	if b.Mark.Text == "" {
		return Text{}
	}
	return badgeFont.one(b.Mark.Text, labelWidth)
}

// Of a badge, which follows the name of a node.
const (
	badgeGap    = 8.0
	badgePad    = 6.0
	badgeHeight = 14.0
)

// textWidth returns the width of all texts of a box.
func (b *Box) textWidth() float64 {
	name := b.Name.W
	if t := b.badge(); len(t.Lines) > 0 {
		name += badgeGap + t.W + 2*badgePad
	}
	return max(name, b.Sub.W)
}
