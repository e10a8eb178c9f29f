package flowchart

import (
	"cmp"
	"strconv"
	"strings"
)

// Shapes are what encloses the label of a node, by the name that Graphviz has for the shape. They
// are flowchart shapes: a Mermaid state diagram has no dashed lines.
var Shapes = map[string][2]string{
	Plain:           {"[", "]"},
	"parallelogram": {"[/", "/]"},
	"hexagon":       {"{{", "}}"},
	"diamond":       {"{", "}"},
	"ellipse":       {"(", ")"},
	"component":     {"[/", "\\]"},
	"box3d":         {"[[", "]]"},
	"house":         {"([", "])"},
	"folder":        {"[\\", "/]"},
	"tab":           {"[\\", "\\]"},
}

// Plain is the shape of a node whose table names none.
const Plain = "box"

var arrows = [...]string{Conditional: "-->", Unconditional: "-.->", Failure: "-->"}

// Mermaid draws a graph as a Mermaid flowchart.
func (g *Graph) Mermaid() string {
	var b strings.Builder
	list := g.Links()
	b.WriteString("---\ntitle: \"" + Text(g.Name) + "\"\n---\nflowchart TD\n")
	b.WriteString("    " + StartID + "((\"start\"))\n")
	g.draw(&b, g.Boxes(), "    ")
	if ReachesEnd(list) {
		b.WriteString("    " + EndID + "(((\"end\")))\n")
	}
	if g.OnError > 0 {
		b.WriteString("    " + FailureID + ">\"any other failure\"]\n")
	}
	var red []string
	for i, l := range list {
		if l.Style == Failure {
			red = append(red, strconv.Itoa(i))
		}
		b.WriteString("    " + l.From + " " + arrows[l.Style] + label(l.Label) + " " + l.To + "\n")
	}
	if len(red) > 0 {
		b.WriteString("    linkStyle " + strings.Join(red, ",") + " stroke:#c0392b,color:#c0392b\n")
	}
	return b.String()
}

// draw writes the nodes of a box, and the boxes within it.
func (g *Graph) draw(b *strings.Builder, box *Box, indent string) {
	for _, i := range box.Items {
		if i.Box == nil {
			shape := Shapes[g.Shape(i.Node)]
			b.WriteString(indent + ID(i.Node) + shape[0] + "\"" + Text(g.Shows(i.Node)) + "\"" + shape[1] + "\n")
			continue
		}
		b.WriteString(indent + "subgraph " + i.Box.ID + "[\"" + Text(i.Box.Title) + "\"]\n")
		g.draw(b, i.Box, indent+"    ")
		b.WriteString(indent + "end\n")
	}
}

// Shape returns the shape of a node.
func (g *Graph) Shape(node int) string { return cmp.Or(g.Nodes[node].Shape, Plain) }

func label(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = Text(line)
	}
	return `|"` + strings.Join(escaped, "<br/>") + `"|`
}

// Text writes a text for between quotes, where most characters are themselves. What could mean
// something to Mermaid, its directives, Markdown or HTML becomes an entity code, and what a
// terminal would obey �.
func Text(text string) string {
	var b strings.Builder
	text = OneLine(text)
	for i, c := range text {
		switch {
		case isObeyed(c):
			b.WriteRune('\uFFFD')
		case strings.ContainsRune("\"#<%`\\;", c), c == '&' && beginsEntity(text[i+1:]):
			b.WriteString("#" + strconv.Itoa(int(c)) + ";")
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// beginsEntity reports whether an & before the text could begin an entity of HTML.
func beginsEntity(text string) bool {
	return text != "" && (text[0] == '#' || 'a' <= text[0]|0x20 && text[0]|0x20 <= 'z')
}

// isObeyed reports whether a terminal obeys c: it is a control, breaks a line, or turns text around.
func isObeyed(c rune) bool {
	return c < ' ' || c >= 0x7f && c <= 0x9f || c == 0x061c || c == 0x200e || c == 0x200f ||
		c >= 0x2028 && c <= 0x202e || c >= 0x2066 && c <= 0x2069
}
