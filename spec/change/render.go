package change

import (
	"fmt"
	"strings"
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
		fmt.Fprintf(&b, "  %s %s\n", marks[c.Kind].mark, parts(c.Of, c.What))
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
		of := ""
		if c.Of != "" {
			of = code(c.Of)
		}
		what := ""
		if c.What != "" {
			what = code(c.What)
		}
		fmt.Fprintf(&b, "- **%s** %s\n", marks[c.Kind].word, parts(of, what))
	}
	return b.String()
}

func parts(of, what string) string {
	if of == "" || what == "" {
		return of + what
	}
	return of + ": " + what
}

// code sets text in a code span, which a backtick in it would end.
func code(text string) string {
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if fence != "`" {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}
