package graphrt

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A drawing is what a report needs to draw the graph of its run.
type drawing struct {
	graph     *Graph
	templates []Node
	closed    []pair
	moved     map[Node]Node
}

// drawing describes the graph as the run has changed it.
func (r *Run) drawing() drawing {
	d := drawing{graph: r.graph}
	if r.graph.Mutable != nil {
		d.templates = r.graph.Mutable.Templates
	}
	if o := r.overlay; o != nil {
		o.draw(o, &d)
	}
	return d
}

// drawing draws what the run has changed so far: later changes are not this report's.
func (o *overlay) drawing(d *drawing) {
	own := o.own
	d.graph = &own
	for p, is := range o.closed {
		if is {
			d.closed = append(d.closed, p)
		}
	}
	d.moved = maps.Clone(o.moved)
}

// Diagram returns the graph of the run as Mermaid text: with what the run has added, which is
// drawn thick, and without what it has taken away.
func (r *Report) Diagram() string {
	d := r.drawing
	if d.graph == nil {
		return ""
	}
	g := d.graph
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	for n := 1; n < len(g.Nodes)+len(g.addedNodes); n++ {
		if d.lacks(Node(n)) {
			continue
		}
		b.WriteString("  n" + strconv.Itoa(n) + `["` + drawn(g.NodeName(Node(n))) + `"]`)
		if n >= len(g.Nodes) {
			b.WriteString(":::added")
		}
		b.WriteByte('\n')
	}
	b.WriteString("  start((\"start\"))\n  n0((\"end\"))\n")
	for i := range len(g.Ways) + len(g.addedWays) {
		w := g.way(Way(i))
		isAdded := i >= len(g.Ways)
		if d.lacks(w.From) || isAdded && w.Text != addedText || slices.Contains(d.closed, pair{w.From, w.To}) {
			continue // or it was gone once, and is no edge
		}
		b.WriteString("  " + from(i, w) + " " + arrow(w, isAdded) + " n" + strconv.Itoa(int(d.instead(w.To))) + "\n")
	}
	if len(g.addedNodes) > 0 {
		b.WriteString("  classDef added stroke-width:3px\n")
	}
	return b.String()
}

// lacks reports whether a node is none of the graph's: it was removed, or is a template, or is
// run by such a node alone.
func (d *drawing) lacks(n Node) bool {
	if _, removed := d.moved[n]; removed || slices.Contains(d.templates, n) {
		return true
	}
	if int(n) >= len(d.graph.Nodes) || !d.graph.Nodes[n].Inner {
		return false
	}
	return !slices.ContainsFunc(d.graph.Ways, func(w WayInfo) bool {
		return w.To == n && w.From != n && !d.lacks(w.From) // ways within a node make no cycle but of tool calls
	})
}

func (d *drawing) instead(n Node) Node {
	for {
		to, removed := d.moved[n]
		if !removed {
			return n
		}
		n = to
	}
}

// from is where a way begins in a diagram.
func from(way int, w *WayInfo) string {
	switch {
	case way == 0:
		return "start"
	case w.From == End:
		return `failed(["failure"])`
	}
	return "n" + strconv.Itoa(int(w.From))
}

// arrow is how a way is drawn: thick where the run has added it, dotted for failures.
func arrow(w *WayInfo, isAdded bool) string {
	line := "-->"
	switch {
	case isAdded:
		line = "==>"
	case w.Rule == RuleError || w.Rule == RuleGuardFail:
		line = "-.->"
	}
	text := w.Text
	if w.Max > 0 {
		text = strings.TrimSpace(text + " " + strconv.Itoa(int(w.Max)) + "×")
	}
	if text == "" || text == "next" {
		return line
	}
	return line + `|"` + drawn(text) + `"|`
}

// drawn is a text as Mermaid takes it between quotes. What could mean something to Mermaid, its directives,
// Markdown or HTML becomes an entity, and what a terminal would obey �.
func drawn(text string) string {
	var b strings.Builder
	for _, c := range text {
		switch {
		case c == '\n', c == '\t':
			b.WriteByte(' ')
		case isObeyed(c):
			b.WriteRune('\uFFFD')
		case c == '&':
			b.WriteString("&amp;")
		case c == '"':
			b.WriteString("&quot;")
		case c == '<':
			b.WriteString("&lt;")
		case c == '>':
			b.WriteString("&gt;")
		case strings.ContainsRune("#%`\\;", c):
			b.WriteString("#" + strconv.Itoa(int(c)) + ";")
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// isObeyed reports whether a terminal obeys c: it is a control, breaks a line, or turns text around.
func isObeyed(c rune) bool {
	return c < ' ' || c >= 0x7f && c <= 0x9f || c == 0x061c || c == 0x200e || c == 0x200f ||
		c >= 0x2028 && c <= 0x202e || c >= 0x2066 && c <= 0x2069
}
