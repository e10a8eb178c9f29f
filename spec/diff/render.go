package diff

import (
	"fmt"
	"strings"

	"github.com/graphgen/graphgen/spec/escape"
)

// marks stand before a change in text, words in Markdown.
var marks = [...]struct{ mark, word string }{Changed: {"~", "changed"}, Added: {"+", "added"}, Removed: {"-", "removed"}}

// Text writes changes for a terminal, a line each under the heading of its section.
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

// Markdown writes changes as a list for each section, for a review.
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
