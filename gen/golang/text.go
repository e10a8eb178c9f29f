package golang

import (
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"
)

// comment makes a comment of text from a spec, one line per line of it. Nothing in the
// text can end the comment or be read as a directive: every line starts with "// ", and
// characters that are neither printable nor spaces are dropped. A text with nothing to print
// gives no comment.
func comment(text string) *jen.Statement {
	s := jen.Null()
	for i, line := range commentLines(text) {
		if i > 0 {
			s.Line()
		}
		s.Comment(line)
	}
	return s
}

// lined breaks a text into lines of a comment.
func lined(text string) *jen.Statement {
	const width = 92
	s, line := "", ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			s += line + "\n"
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return comment(s + line)
}

// commentLines returns the lines of a comment. It has none that gofmt would remove: no empty one
// at its beginning or end.
func commentLines(text string) []string {
	var out []string
	for _, line := range strings.FieldsFunc(text, breaksLine) {
		line = strings.TrimRightFunc(strings.Map(printable, line), unicode.IsSpace)
		if line == "" {
			if len(out) > 0 {
				out = append(out, "//")
			}
			continue
		}
		if text := strings.TrimLeft(line, " "); strings.HasPrefix(text, "+build") {
			line = `\` + text // a build constraint even behind a space
		}
		out = append(out, "// "+line)
	}
	for len(out) > 0 && out[len(out)-1] == "//" {
		out = out[:len(out)-1]
	}
	return out
}

func breaksLine(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}

func printable(r rune) rune {
	if r == '\t' || unicode.IsSpace(r) {
		return ' '
	}
	if !unicode.IsPrint(r) {
		return -1
	}
	return r
}
