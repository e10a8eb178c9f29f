package diagram

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"github.com/graphgen/graphgen/gen/plan"
)

var mermaidArrows = [...]string{conditional: "-->", unconditional: "-.->", failure: "-->"}

// Mermaid draws a machine as a Mermaid flowchart. Its lines are what Report.Diagram of the kernel reads
// in order to draw a graph that a run has changed.
func Mermaid(m *plan.Machine) []byte {
	var b bytes.Buffer
	list := links(m)
	fmt.Fprintf(&b, "---\ntitle: \"%s\"\n---\nflowchart TD\n", mermaidText(m.Name))
	fmt.Fprintf(&b, "    %s((\"start\"))\n", startID)
	clusters(m).mermaid(&b, "    ")
	if reachesEnd(list) {
		fmt.Fprintf(&b, "    %s(((\"end\")))\n", endID)
	}
	if m.OnError != nil {
		fmt.Fprintf(&b, "    %s>\"any other failure\"]\n", failureID)
	}
	var red []string
	for i, l := range list {
		if l.style == failure {
			red = append(red, fmt.Sprint(i))
		}
		fmt.Fprintf(&b, "    %s %s%s %s\n", l.from, mermaidArrows[l.style], mermaidLabel(l.label), l.to)
	}
	if len(red) > 0 {
		fmt.Fprintf(&b, "    linkStyle %s stroke:#c0392b,color:#c0392b\n", strings.Join(red, ","))
	}
	return b.Bytes()
}

// mermaid writes the nodes of a cluster, and the clusters within it.
func (c *cluster) mermaid(b *bytes.Buffer, indent string) {
	for _, i := range c.items {
		if n := i.node; n != nil {
			shape := shapeOf(n.Kind)
			fmt.Fprintf(b, "%s%s%s\"%s\"%s\n", indent, id(n), shape.open, mermaidText(title(n)), shape.close)
			continue
		}
		fmt.Fprintf(b, "%ssubgraph %s[\"%s\"]\n", indent, i.in.id, mermaidText(i.in.title))
		i.in.mermaid(b, indent+"    ")
		fmt.Fprintf(b, "%send\n", indent)
	}
}

func mermaidLabel(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = mermaidText(line)
	}
	return `|"` + strings.Join(escaped, "<br/>") + `"|`
}

// mermaidText writes text for between quotes, where most characters are themselves. What
// could mean something to Mermaid, its directives, Markdown or HTML becomes an entity code.
func mermaidText(text string) string {
	var b strings.Builder
	text = oneLine(text)
	for i, c := range text {
		switch {
		case unicode.IsControl(c), unicode.Is(unicode.Bidi_Control, c):
			b.WriteRune(unicode.ReplacementChar)
		case strings.ContainsRune("\"#<%`\\;", c), c == '&' && beginsEntity(text[i+1:]):
			fmt.Fprintf(&b, "#%d;", c)
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
