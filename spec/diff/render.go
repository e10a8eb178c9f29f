package diff

import (
	"fmt"
	"strings"

	"github.com/graphgen/graphgen/spec/escape"
)

// marks are the prefixes of changes in text, and their words in Markdown.
var marks = [...]struct{ mark, word string }{Changed: {"~", "changed"}, Added: {"+", "added"}, Removed: {"-", "removed"}}

// Text formats changes for a terminal, one line each under the heading of their section.
func Text(changes []Change) string {
	var b strings.Builder
	section := Section(255)
	for _, c := range changes {
		if c.Section != section {
			section = c.Section
			fmt.Fprintf(&b, "%s\n", section)
		}
		fmt.Fprintf(&b, "  %s %s\n", marks[c.Kind].mark, escape.Line(parts(c.Of, c.What)))
	}
	return b.String()
}

// Markdown formats changes as a list for each section.
func Markdown(changes []Change) string {
	var b strings.Builder
	section := Section(255)
	for _, c := range changes {
		if c.Section != section {
			if b.Len() > 0 {
				b.WriteString("\n")
			}
			section = c.Section
			name := section.String()
			fmt.Fprintf(&b, "### %s\n\n", strings.ToUpper(name[:1])+name[1:])
		}
		fmt.Fprintf(&b, "- **%s** %s\n", marks[c.Kind].word, parts(escape.Code(c.Of), escape.Code(c.What)))
	}
	return b.String()
}

func parts(of, what string) string {
	if of == "" || what == "" {
		return of + what
	}
	return of + ": " + what
}
