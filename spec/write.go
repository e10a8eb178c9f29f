package spec

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec/yamlread"
)

// Write returns a graph as YAML: Load returns the same graph for it, except for positions
// and comments. Keys are in the order of the reference, and every value has one form.
//
// The graph must have been read without errors. What only tagged Go can express is left
// out: that a type exists in Go.
func Write(g *Graph) []byte {
	var b strings.Builder
	root := keysTree(&graphTable, g)
	for i := 0; i < len(root.Items); i += 2 {
		key, value := root.Items[i].Text, &root.Items[i+1]
		section := slices.Contains(sections, key)
		if section && i > 0 {
			b.WriteByte('\n')
		}
		if !section || len(value.Items) == 0 {
			fmt.Fprintf(&b, "%s: %s\n", key, value.Flow())
			continue
		}
		fmt.Fprintf(&b, "%s:\n", key)
		entries(&b, value)
	}
	return []byte(b.String())
}

// sections are the keys of a graph whose entries have lines of their own.
var sections = []string{"types", "state", "tools", "mcp", "nodes", "edges"}

// lineMost is how long an entry on one line may be; a longer one gets a line for each key.
const lineMost = 100

// entries writes the entries of a section: a list's items, or a mapping's keys.
func entries(b *strings.Builder, section *Tree) {
	if section.Kind == yamlread.List {
		for i := range section.Items {
			fmt.Fprintf(b, "  - %s\n", section.Items[i].Flow())
		}
		return
	}
	for i := 0; i < len(section.Items); i += 2 {
		key, value := section.Items[i].Flow(), &section.Items[i+1]
		text := value.Flow()
		if value.Kind != yamlread.Map || utf8.RuneCountInString(key)+len(": ")+utf8.RuneCountInString(text) <= lineMost {
			fmt.Fprintf(b, "  %s: %s\n", key, text)
			continue
		}
		fmt.Fprintf(b, "  %s:\n", key)
		for j := 0; j < len(value.Items); j += 2 {
			fmt.Fprintf(b, "    %s: %s\n", value.Items[j].Flow(), value.Items[j+1].Flow())
		}
	}
}
