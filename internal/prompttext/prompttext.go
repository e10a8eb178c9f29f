// Package prompttext has what the compiler and the kernel share about the texts of prompts: their
// placeholders and their versions.
package prompttext

import (
	"cmp"
	"strconv"
	"strings"
)

// Clean returns a text as the compiler reads it from a file: without a byte order mark, with line feeds
// alone, and without line breaks at its end.
func Clean(text string) string {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	return strings.TrimRight(text, "\n")
}

// The delimiters of a placeholder. A doubled opening is the text of one.
const (
	opening = "{{"
	closing = "}}"
)

// Cut cuts a text at its placeholders: texts and names of fields alternate, a text first and last. It
// reports whether every placeholder is closed.
func Cut(text string) (pieces []string, ok bool) {
	plain := ""
	for {
		before, rest, found := strings.Cut(text, opening)
		plain += before
		if !found {
			return append(pieces, plain), true
		}
		if after, doubled := strings.CutPrefix(rest, opening); doubled {
			plain, text = plain+opening, after
			continue
		}
		name, after, closed := strings.Cut(rest, closing)
		if !closed || strings.Contains(name, opening) {
			return nil, false
		}
		pieces, plain, text = append(pieces, plain, strings.TrimSpace(name)), "", after
	}
}

// Placeholder returns the placeholder of a field.
func Placeholder(field string) string { return opening + field + closing }

// Escape returns a text in which nothing is a placeholder.
func Escape(text string) string { return strings.ReplaceAll(text, opening, opening+opening) }

// Next returns what is before the first placeholder of a text, whose placeholders are closed, the name in it, and what
// is after it. A doubled opening ends what is before it, as the text of one, and has no name.
func Next(text string) (before, name, behind string) {
	before, behind, found := strings.Cut(text, opening)
	if !found {
		return before, "", ""
	}
	if after, doubled := strings.CutPrefix(behind, opening); doubled {
		return text[:len(before)+len(opening)], "", after
	}
	name, behind, _ = strings.Cut(behind, closing)
	return before, name, behind
}

// Hash returns the hash of a text in hexadecimal digits: FNV-1a of 64 bits. Equal texts have equal
// hashes, on every system and in every release.
func Hash(text string) string {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	digits := strconv.FormatUint(h, 16)
	return strings.Repeat("0", 16-len(digits)) + digits
}

// The hashes of parts without a text. The rest always has the perspective, a NUL and the strategy.
const (
	noText = "cbf29ce484222325"
	noRest = "af63bd4c8601b7df"
)

// Version returns the version of a prompt, from the hashes of its parts: the instructions, the message,
// and the rest that its author wrote. An empty hash is a part without a text.
func Version(instructions, message, rest string) string {
	return Hash(cmp.Or(instructions, noText) + " " + cmp.Or(message, noText) + " " + cmp.Or(rest, noRest))[:12]
}
