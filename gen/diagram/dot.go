package diagram

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"github.com/graphgen/graphgen/gen/plan"
)

var dotStyles = [...]string{
	conditional:   "",
	unconditional: "style=dashed",
	failure:       `color="#c0392b", fontcolor="#c0392b"`,
}

// DOT draws a machine in the language of Graphviz.
func DOT(m *plan.Machine) []byte {
	var b bytes.Buffer
	list := links(m)
	fmt.Fprintf(&b, "digraph %s {\n", dotText(m.Name))
	b.WriteString("\trankdir=TB\n\tnode [shape=box, fontname=\"sans-serif\"]\n\tedge [fontname=\"sans-serif\", fontsize=11]\n\n")
	fmt.Fprintf(&b, "\t%s [label=\"start\", shape=circle]\n", startID)
	clusters(m).dot(&b, "\t")
	if reachesEnd(list) {
		fmt.Fprintf(&b, "\t%s [label=\"end\", shape=doublecircle]\n", endID)
	}
	if m.OnError != nil {
		fmt.Fprintf(&b, "\t%s [label=\"any other failure\", shape=cds, %s]\n", failureID, dotStyles[failure])
	}
	b.WriteString("\n")
	for _, l := range list {
		var attributes []string
		if len(l.label) > 0 {
			attributes = append(attributes, "label="+dotText(l.label...))
		}
		if style := dotStyles[l.style]; style != "" {
			attributes = append(attributes, style)
		}
		fmt.Fprintf(&b, "\t%s -> %s", l.from, l.to)
		if len(attributes) > 0 {
			fmt.Fprintf(&b, " [%s]", strings.Join(attributes, ", "))
		}
		b.WriteString("\n")
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// dot writes the nodes of a cluster, and the clusters within it.
func (c *cluster) dot(b *bytes.Buffer, indent string) {
	for _, i := range c.items {
		if n := i.node; n != nil {
			fmt.Fprintf(b, "%s%s [label=%s, shape=%s]\n", indent, id(n), dotText(title(n)), shapeOf(n.Kind).dot)
			continue
		}
		// Graphviz draws a subgraph as a box if its name begins with cluster.
		fmt.Fprintf(b, "%ssubgraph cluster_%s {\n%s\tlabel=%s\n", indent, i.in.id, indent, dotText(i.in.title))
		i.in.dot(b, indent+"\t")
		fmt.Fprintf(b, "%s}\n", indent)
	}
}

// dotText quotes lines of text. Inside quotes Graphviz knows escapes by backslash and
// the entities of HTML.
func dotText(lines ...string) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		line = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `&`, `&amp;`).Replace(oneLine(line))
		escaped[i] = strings.Map(func(c rune) rune {
			if unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) {
				return unicode.ReplacementChar
			}
			return c
		}, line)
	}
	return `"` + strings.Join(escaped, `\n`) + `"`
}
