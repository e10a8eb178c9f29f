package diagram

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"github.com/graphgen/graphgen/gen/plan"
)

var dotShapes = map[string]string{
	"func":      "box",
	"transform": "parallelogram",
	"router":    "hexagon",
	"guard":     "diamond",
	"prompt":    "ellipse",
	"tool":      "component",
	"loop":      "box3d",
	"human":     "house",
	"subgraph":  "folder",
}

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
	for _, n := range m.Nodes {
		fmt.Fprintf(&b, "\t%s [label=%s, shape=%s]\n", id(n), dotText(title(n)), dotShapes[n.Kind])
	}
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
