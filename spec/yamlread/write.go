package yamlread

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec/escape"
)

// Flow writes a value on one line.
func (t *Tree) Flow() string {
	switch t.Kind {
	case List:
		items := make([]string, len(t.Items))
		for i := range t.Items {
			items[i] = t.Items[i].Flow()
		}
		return "[" + strings.Join(items, ", ") + "]"
	case Map:
		pairs := make([]string, 0, len(t.Items)/2)
		for i := 0; i < len(t.Items); i += 2 {
			pairs = append(pairs, t.Items[i].Flow()+": "+t.Items[i+1].Flow())
		}
		return "{" + strings.Join(pairs, ", ") + "}"
	}
	if t.Kind != Text {
		return t.Text
	}
	return quoteYAML(t.Text)
}

// bare matches the texts that need no quotes anywhere.
var bare = regexp.MustCompile(`^[\pL_][\pL\pN_./-]*( [\pL\pN_./()-]+)*$`)

// quoteYAML writes a text so that YAML takes it for one.
func quoteYAML(text string) string {
	switch {
	case bare.MatchString(text) && plainKind(text) == Text:
		return text
	case strings.ContainsFunc(text, func(c rune) bool { return c == utf8.RuneError || forbidden(c) || !escape.Harmless(c) }):
		return strconv.QuoteToASCII(text)
	case !strings.Contains(text, `"`) && !strings.Contains(text, `\`):
		return `"` + text + `"`
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}
