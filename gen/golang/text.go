package golang

import (
	"fmt"
	comments "go/doc/comment"
	"go/token"
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
	const width = 150
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

// constraint begins a comment that is a build constraint.
const constraint = "+build"

// commentLines returns the lines of a comment. It has none that gofmt would remove: no empty one
// at its beginning or end.
func commentLines(text string) []string {
	var out []string
	for _, line := range strings.FieldsFunc(text, breaksLine) {
		line = strings.TrimRightFunc(strings.Map(printable, line), unicode.IsSpace)
		if text := strings.TrimLeft(line, " "); strings.HasPrefix(text, constraint) {
			line = `\` + text // even after a space
		}
		if line != "" || len(out) > 0 {
			out = append(out, line)
		}
	}
	text = settled(strings.Join(out, "\n"))
	if text == "" {
		return nil
	}
	out = out[:0]
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" && line[0] != '\t' {
			line = " " + line
		}
		out = append(out, "//"+line)
	}
	return out
}

// settled formats a text as gofmt formats the comment of a declaration, until that changes nothing more. A text that never
// settles loses its indentation, and so its code and lists.
func settled(text string) string {
	for range 4 {
		var parser comments.Parser
		formatted := strings.TrimRight(string(new(comments.Printer).Comment(parser.Parse(text))), "\n")
		if formatted == text {
			return text
		}
		text = formatted
	}
	return strings.Join(strings.Fields(text), " ")
}

// inert is text that can stand in a comment of a text template.
type inert string

// said is a text on one line, as a part of a comment.
func said(text string) inert {
	text = strings.Join(strings.Fields(strings.Map(printable, text)), " ")
	if strings.HasPrefix(text, constraint) {
		text = `\` + text
	}
	return inert(text)
}

// isName reports whether a text is a name of Go, and so can be printed as code.
func isName(text string) bool { return token.IsIdentifier(text) }

// place is a variable, or a field of one: of the path. It may have an operator before it.
func place(variable string, path ...string) (*jen.Statement, error) {
	name := strings.TrimLeft(variable, "*&")
	names := append(strings.Split(name, "."), path...)
	for _, name := range names {
		if !isName(name) {
			return nil, fmt.Errorf("%q is not a name", name)
		}
	}
	return jen.Op(strings.TrimSuffix(variable, name)).Op(strings.Join(names, ".")), nil
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
