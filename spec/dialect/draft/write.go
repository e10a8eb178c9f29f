package draft

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/escape"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// widest is the length of a line up to which a value is written on one line, and texts and comments are wrapped.
const widest = 110

// A writer writes a draft as YAML.
type writer struct {
	strings.Builder
	d *Draft
}

// write returns the spec of a draft.
func (d *Draft) write(file, dialect string) []byte {
	w := &writer{d: d}
	w.comment(0, "Imported from "+file+" by `graphgen import "+dialect+"`.")
	for _, c := range d.Comments {
		w.comment(0, c)
	}
	before := false
	for _, e := range d.table() {
		section := e.Key.V == "types" || e.Key.V == "state" || e.Key.V == "tools" || e.Key.V == "mcp" || e.Key.V == "skills" ||
			e.Key.V == "nodes" || e.Key.V == "edges"
		if section && before {
			w.WriteByte('\n')
		}
		before = true
		w.comment(0, e.Comment)
		if !section {
			w.value(0, e.Key.V, &e.Value)
			continue
		}
		w.WriteString(e.Key.V + ":\n")
		w.section(e.Key.V, &e.Value)
	}
	return []byte(w.String())
}

// section writes the entries of a section, each with its comments.
func (w *writer) section(name string, t *Tree) {
	switch name {
	case "nodes":
		for _, n := range w.d.Nodes {
			w.node(n)
		}
	case "edges":
		for i, e := range w.d.Edges {
			w.comment(2, e.Comment)
			w.item(2, &t.Items[i])
		}
	default:
		for i := 0; i < len(t.Items); i += 2 {
			w.comment(2, w.d.remark(name, t.Items[i].Text))
			w.value(2, t.Items[i].Text, &t.Items[i+1])
		}
	}
}

// remark returns the comment of an entry of a section.
func (d *Draft) remark(section, name string) string {
	switch section {
	case "types":
		return d.Types.entry(name).Comment
	case "tools":
		return d.Tools.entry(name).Comment
	case "mcp":
		return d.MCP.entry(name).Comment
	case "skills":
		return d.Skills.entry(name).Comment
	}
	return d.Field(name).Comment
}

// node writes a node, with the comments of its keys.
func (w *writer) node(n *Node) {
	w.comment(2, n.Comment)
	keys := n.table()
	commented := false
	for _, k := range keys {
		commented = commented || k.Comment != ""
	}
	tree := keys.Tree(n.Name.Pos)
	if len(keys) == 0 || !commented && w.fits(2, n.Name.V, &tree) {
		w.value(2, n.Name.V, &tree)
		return
	}
	w.WriteString("  " + key(n.Name.V) + ":\n")
	for i := range keys {
		w.comment(4, keys[i].Comment)
		w.value(4, keys[i].Key.V, &keys[i].Value)
	}
}

// comment writes a comment on lines of its own.
func (w *writer) comment(indent int, text string) {
	for line := range strings.Lines(text) {
		for _, part := range wrap(plainText(strings.TrimSpace(line)), widest-indent-2) {
			fmt.Fprintf(w, "%s# %s\n", strings.Repeat(" ", indent), part)
		}
	}
}

// plainText replaces what a comment cannot hold.
func plainText(s string) string {
	return strings.Map(func(c rune) rune {
		if c == '\t' || c == utf8.RuneError || !escape.Harmless(c) {
			return ' '
		}
		return c
	}, s)
}

// fits reports whether a value may be written on the line of its key.
func (w *writer) fits(indent int, k string, t *Tree) bool {
	return !hasLines(t) && indent+utf8.RuneCountInString(key(k))+2+utf8.RuneCountInString(onLine(t)) <= widest
}

// hasLines reports whether a text in a value has several lines.
func hasLines(t *Tree) bool {
	if strings.Contains(t.Text, "\n") {
		return true
	}
	return slices.ContainsFunc(t.Items, func(item spec.Tree) bool { return hasLines(&item) })
}

// value writes a key and its value.
func (w *writer) value(indent int, k string, t *Tree) {
	margin := strings.Repeat(" ", indent)
	switch {
	case t.Kind == yamlread.Map && len(t.Items) > 0 && !w.fits(indent, k, t):
		w.WriteString(margin + key(k) + ":\n")
		for i := 0; i < len(t.Items); i += 2 {
			w.value(indent+2, t.Items[i].Text, &t.Items[i+1])
		}
	case t.Kind == yamlread.List && len(t.Items) > 0 && !w.fits(indent, k, t):
		w.WriteString(margin + key(k) + ":\n")
		for i := range t.Items {
			w.item(indent+2, &t.Items[i])
		}
	case t.Kind == yamlread.Text:
		w.WriteString(margin + key(k) + ": ")
		w.text(indent, t.Text, widest-indent-len(k)-2)
	default:
		w.WriteString(margin + key(k) + ": " + onLine(t) + "\n")
	}
}

// item writes an item of a list.
func (w *writer) item(indent int, t *Tree) {
	margin := strings.Repeat(" ", indent)
	line := onLine(t)
	if t.Kind != yamlread.Map || len(t.Items) == 0 || !hasLines(t) && indent+2+utf8.RuneCountInString(line) <= widest+20 {
		if t.Kind == yamlread.Text && hasLines(t) {
			w.WriteString(margin + "- ")
			w.text(indent, t.Text, widest)
			return
		}
		w.WriteString(margin + "- " + line + "\n")
		return
	}
	var entry writer
	for i := 0; i < len(t.Items); i += 2 {
		entry.value(indent+2, t.Items[i].Text, &t.Items[i+1])
	}
	w.WriteString(margin + "- " + strings.TrimPrefix(entry.String(), margin+"  "))
}

// key returns a key as YAML takes it for one.
func key(k string) string {
	t := yamlread.TextTree(k, Pos{})
	return t.Flow()
}

// text writes a text after its key: on the same line, wrapped, or as it is.
func (w *writer) text(indent int, text string, room int) {
	margin := strings.Repeat(" ", indent+2)
	t := yamlread.TextTree(text, Pos{})
	line := onLine(&t)
	if unquoted(text) {
		line = text
	}
	switch {
	case strings.Contains(text, "\n") && literal(text):
		w.WriteString("|\n")
		for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
			if line != "" {
				line = margin + line
			}
			w.WriteString(line + "\n")
		}
	case utf8.RuneCountInString(line) > room && foldable(text):
		w.WriteString(">-\n")
		for _, line := range wrap(text, widest-indent-2) {
			w.WriteString(margin + line + "\n")
		}
	default:
		w.WriteString(line + "\n")
	}
}

// duration matches the texts of durations, which need no quotes.
var duration = regexp.MustCompile(`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`)

// onLine returns a value on one line.
func onLine(t *Tree) string {
	var parts []string
	switch {
	case t.Kind == yamlread.Text && duration.MatchString(t.Text):
		return t.Text
	case t.Kind == yamlread.List:
		for i := range t.Items {
			parts = append(parts, onLine(&t.Items[i]))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case t.Kind == yamlread.Map:
		for i := 0; i < len(t.Items); i += 2 {
			parts = append(parts, key(t.Items[i].Text)+": "+onLine(&t.Items[i+1]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return t.Flow()
}

// sentence matches the texts of a block that need no quotes.
var sentence = regexp.MustCompile(`^[\pL_][^\n]*$`)

// unquoted reports whether a text needs no quotes after a key of a block.
func unquoted(text string) bool {
	return sentence.MatchString(text) && harmless(text) && !strings.Contains(text, ": ") && !strings.Contains(text, " #") &&
		!strings.HasSuffix(text, ":") && strings.TrimSpace(text) == text && yamlread.PlainTree(text, Pos{}).Kind == yamlread.Text
}

// harmless reports whether YAML and a terminal take every character of a text as it is.
func harmless(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool {
		return c == utf8.RuneError || c == 0xfeff || c == 0x85 || c == 0x2028 || c == 0x2029 || c != '\n' && !escape.Harmless(c)
	})
}

// literal reports whether a text can be written as a literal block: each of its lines is shown as it is.
func literal(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	if !harmless(text) || strings.TrimSpace(first) != first || first == "" || strings.Contains(text, "\t") {
		return false
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); strings.TrimRight(line, " ") != line {
			return false
		}
	}
	return true
}

// foldable reports whether a text of one line can be wrapped: YAML makes a space of each line break again.
func foldable(text string) bool {
	return harmless(text) && !strings.ContainsAny(text, "\n\t") && !strings.Contains(text, "  ") && strings.TrimSpace(text) == text
}

// wrap breaks a text into lines.
func wrap(text string, room int) []string {
	var lines []string
	line := ""
	for word := range strings.SplitSeq(text, " ") {
		switch {
		case word == "":
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > room:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
