package diagram

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/flowchart"
)

var dotStyles = [...]string{
	flowchart.Conditional:   "",
	flowchart.Unconditional: "style=dashed",
	flowchart.Failure:       `color="#c0392b", fontcolor="#c0392b"`,
}

// DOT draws a machine as a Graphviz graph.
func DOT(m *plan.Machine) []byte {
	var b bytes.Buffer
	g := Chart(m)
	list := g.Links()
	fmt.Fprintf(&b, "digraph %s {\n", dotText(m.Name))
	b.WriteString("\trankdir=TB\n\tnode [shape=box, fontname=\"sans-serif\"]\n\tedge [fontname=\"sans-serif\", fontsize=11]\n\n")
	fmt.Fprintf(&b, "\t%s [label=\"start\", shape=circle]\n", flowchart.StartID)
	dotBox(&b, g, g.Boxes(), "\t")
	if flowchart.ReachesEnd(list) {
		fmt.Fprintf(&b, "\t%s [label=\"end\", shape=doublecircle]\n", flowchart.EndID)
	}
	if g.OnError > 0 {
		fmt.Fprintf(&b, "\t%s [label=\"any other failure\", shape=cds, %s]\n", flowchart.FailureID, dotStyles[flowchart.Failure])
	}
	b.WriteString("\n")
	for _, l := range list {
		var attributes []string
		if len(l.Label) > 0 {
			attributes = append(attributes, "label="+dotText(l.Label...))
		}
		if style := dotStyles[l.Style]; style != "" {
			attributes = append(attributes, style)
		}
		fmt.Fprintf(&b, "\t%s -> %s", l.From, l.To)
		if len(attributes) > 0 {
			fmt.Fprintf(&b, " [%s]", strings.Join(attributes, ", "))
		}
		b.WriteString("\n")
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// dotBox writes the nodes of a box, and the boxes in it.
func dotBox(b *bytes.Buffer, g *flowchart.Graph, box *flowchart.Box, indent string) {
	for _, i := range box.Items {
		if i.Box == nil {
			fmt.Fprintf(b, "%s%s [label=%s, shape=%s]\n", indent, flowchart.ID(i.Node), dotText(g.Shows(i.Node)), g.Shape(i.Node))
			continue
		}
		// Graphviz draws a subgraph as a box if its name begins with cluster.
		fmt.Fprintf(b, "%ssubgraph cluster_%s {\n%s\tlabel=%s\n", indent, i.Box.ID, indent, dotText(i.Box.Title))
		dotBox(b, g, i.Box, indent+"\t")
		fmt.Fprintf(b, "%s}\n", indent)
	}
}

// dotText quotes lines of text. Inside quotes Graphviz interprets backslash escapes and HTML
// entities.
func dotText(lines ...string) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		line = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `&`, `&amp;`).Replace(flowchart.OneLine(line))
		escaped[i] = strings.Map(func(c rune) rune {
			if unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) {
				return unicode.ReplacementChar
			}
			return c
		}, line)
	}
	return `"` + strings.Join(escaped, `\n`) + `"`
}
