package spec

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec/escape"
)

// Write returns a graph as YAML: Load returns the same graph for it, except for positions
// and comments. Keys are in the order of the reference, and every value has one form.
//
// The graph must have been read without errors. What only tagged Go can express is left
// out: that a type exists in Go.
func Write(g *Graph) []byte {
	var b strings.Builder
	root := g.tree()
	for i := 0; i < len(root.items); i += 2 {
		key, value := root.items[i].text, &root.items[i+1]
		section := slices.Contains(sections, key)
		if section && i > 0 {
			b.WriteByte('\n')
		}
		if !section || len(value.items) == 0 {
			fmt.Fprintf(&b, "%s: %s\n", key, flow(value))
			continue
		}
		fmt.Fprintf(&b, "%s:\n", key)
		entries(&b, value)
	}
	return []byte(b.String())
}

// sections are the keys of a graph whose entries have lines of their own.
var sections = []string{"types", "state", "tools", "nodes", "edges"}

// lineMost is how long an entry on one line may be; a longer one gets a line for each key.
const lineMost = 100

// entries writes the entries of a section: a list's items, or a mapping's keys.
func entries(b *strings.Builder, section *tree) {
	if section.shape == list {
		for i := range section.items {
			fmt.Fprintf(b, "  - %s\n", flow(&section.items[i]))
		}
		return
	}
	for i := 0; i < len(section.items); i += 2 {
		key, value := flow(&section.items[i]), &section.items[i+1]
		text := flow(value)
		if value.shape != mapping || utf8.RuneCountInString(key)+len(": ")+utf8.RuneCountInString(text) <= lineMost {
			fmt.Fprintf(b, "  %s: %s\n", key, text)
			continue
		}
		fmt.Fprintf(b, "  %s:\n", key)
		for j := 0; j < len(value.items); j += 2 {
			fmt.Fprintf(b, "    %s: %s\n", flow(&value.items[j]), flow(&value.items[j+1]))
		}
	}
}

// flow writes a value on one line.
func flow(t *tree) string {
	switch t.shape {
	case list:
		items := make([]string, len(t.items))
		for i := range t.items {
			items[i] = flow(&t.items[i])
		}
		return "[" + strings.Join(items, ", ") + "]"
	case mapping:
		pairs := make([]string, 0, len(t.items)/2)
		for i := 0; i < len(t.items); i += 2 {
			pairs = append(pairs, flow(&t.items[i])+": "+flow(&t.items[i+1]))
		}
		return "{" + strings.Join(pairs, ", ") + "}"
	}
	if t.scalar != ScalarString {
		return t.text
	}
	return quoteYAML(t.text)
}

// bare matches the texts that need no quotes in any position.
var bare = regexp.MustCompile(`^[\pL_][\pL\pN_./-]*( [\pL\pN_./()-]+)*$`)

// quoteYAML writes a text so that YAML takes it for one.
func quoteYAML(text string) string {
	switch {
	case bare.MatchString(text) && plainKind(text) == ScalarString:
		return text
	case strings.ContainsFunc(text, func(c rune) bool { return c == utf8.RuneError || forbidden(c) || !escape.Harmless(c) }):
		return strconv.QuoteToASCII(text)
	case !strings.Contains(text, `"`) && !strings.Contains(text, `\`):
		return `"` + text + `"`
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}
