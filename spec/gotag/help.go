package gotag

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// Help converts the help of a diagnostic from YAML to Go. It converts snippets such as `next: b` or
// `{from: a, to: b}` to tags, comments or fields, and keeps the prose.
func Help(yaml string) string {
	if instead, ok := helps[yaml]; ok {
		return instead
	}
	for _, p := range prose {
		yaml = p.yaml.ReplaceAllString(yaml, p.goes)
	}
	h := helper{text: yaml}
	for h.next < len(h.text) {
		if !h.snippet() {
			h.skip()
		}
	}
	return strings.ReplaceAll(h.out.String(), fieldMark, "")
}

// Message converts the message of a diagnostic from YAML to Go. Only a key with one of its words,
// as in on: error, is converted.
func Message(yaml string) string {
	return wordSnippet().ReplaceAllStringFunc(yaml, func(s string) string {
		key, word, _ := strings.Cut(s, ": ")
		if !slices.Contains(wordsOf()[key], word) {
			return s
		}
		return settingIn(key, yamlread.TextTree(word, spec.Pos{}))
	})
}

var wordSnippet = sync.OnceValue(func() *regexp.Regexp {
	keys := slices.Sorted(maps.Keys(wordsOf()))
	return regexp.MustCompile(`\b(` + strings.Join(keys, "|") + `): [a-z_]+\b`)
})

// wordsOf are the values of the keys that have words to choose from.
var wordsOf = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for _, m := range spec.Reference() {
		for _, k := range m.Keys {
			for _, w := range k.Words {
				all[k.Name] = append(all[k.Name], w.Name)
			}
			if k.Form == spec.FormBool {
				all[k.Name] = append(all[k.Name], "true", "false")
			}
		}
	}
	return all
})

// fieldMark precedes the name of a field while a help is converted.
const fieldMark = "\x00"

// helps are whole helps with a translation of their own.
var helps = map[string]string{
	"the name of a graph is its key graph: write graph: NAME":                  "the name of a graph is in its comment: //graphgen:graph NAME",
	"the name of a node is its key under nodes: NAME: {…}":                     "the name of a node is the name of its field, or name=other in the tag",
	"the name of a tool is its key under tools: NAME: {…}":                     "the name of a tool is its key, as in tools={NAME: {doc: TEXT}}",
	"an edge without if: is always taken":                                      "an edge without if is always taken",
	"a branch without if: is always started":                                   "a branch without if is always started",
	"write enum: or struct: instead of type:, or declare the type under types": "write enum=a,b, or declare the type in Types",
	"write a list type as a text in quotes: \"[]string\"":                      "write a list type as []string",
	"write the type of a list as a text: \"[]string\"":                         "write the type of a list as []string",
	"write nodes: {NAME: {…}}":                                                 "write a field of the struct for each node, as in Draft graph.Func",
	"write state: {FIELD: TYPE}":                                               "write a field State, as in State struct{ Topic string }",
	"write types: {NAME: TYPE}": "declare a type in Go, or write a field Types, " +
		"as in Types struct{ Verdict struct{ Score int } }",
}

// prose is text around snippets with its translation.
var prose = []struct {
	yaml *regexp.Regexp
	goes string
}{
	{regexp.MustCompile(`\badd (it|them) under state, as in (\w+): `), "add $1 to the struct of the state, as in " + fieldMark + "$2: "},
	{regexp.MustCompile(`\bunder state\b`), "to the struct of the state"},
	{regexp.MustCompile(`\bunder nodes\b`), "to the struct"},
	{regexp.MustCompile(`\bstruct with a field for it, as in (\w+): `), "struct with a field for it, as in " + fieldMark + "$1: "},
	{regexp.MustCompile(`\ban entry of edges: `), "edges: "},
	{regexp.MustCompile(`\bas "\?([^"]+)"`), "as *$1"},
	{regexp.MustCompile(`\bas \?(\w)`), "as *$1"},
}

// A helper writes a help for Go.
type helper struct {
	text string
	next int
	out  strings.Builder
}

var (
	keyed    = regexp.MustCompile(`^(\x00?)([A-Za-z_][A-Za-z0-9_]*):( |,|$)`)
	bare     = regexp.MustCompile(`^\{[A-Za-z_]\w*: |^\[\{`)
	said     = regexp.MustCompile(`^(a|an|and|in|is|it|keep|later|of|or|otherwise|the|then|to|what|with|without|write|Go)\b`)
	stops    = regexp.MustCompile(`, (or|and) |; |$`)
	shout    = regexp.MustCompile(`^[A-Z]+( [A-Z]+)*\b`)
	operand  = regexp.MustCompile(`^!?(out|state|res)\b`)
	typeWord = regexp.MustCompile(`^(string|int|float|bool|time|duration|bytes)\b`)
)

// skip copies text that is not a snippet: a word, a quoted text, a text in braces, or one character.
func (h *helper) skip() {
	rest := h.text[h.next:]
	n := 1
	if end := strings.IndexByte(rest[1:], '"'); rest[0] == '"' && end >= 0 {
		n = end + 2
	} else if rest[0] == '{' {
		n = bracketed(rest)
	} else if w := wordLen(rest); w > 0 {
		n = w
	}
	h.out.WriteString(rest[:n])
	h.next += n
}

// snippet converts the next YAML snippet, if there is one here.
func (h *helper) snippet() bool {
	rest := h.text[h.next:]
	if bare.MatchString(rest) && (h.next == 0 || strings.IndexByte(" `", h.text[h.next-1]) >= 0) {
		n := bracketed(rest)
		value, ok := parseSnippet(rest[:n])
		if ok {
			h.out.WriteString(settingsIn(value))
			h.next += n
		}
		return ok
	}
	m := keyed.FindStringSubmatch(rest)
	if m == nil {
		return false
	}
	key, known := m[2], slices.Contains(allKeys(), m[2]) && !slices.Contains(words, m[2])
	after := rest[len(m[0]):]
	shown := strings.HasSuffix(h.text[:h.next], "as in ")
	field := m[1] != "" || !known && (shown || typeWord.MatchString(after))
	n, value, ok := valueOf(key, after, shown)
	switch {
	case field && ok:
		h.out.WriteString(fieldIn(key, value))
	case known && ok:
		h.out.WriteString(settingIn(key, value))
	case known && (m[3] != " " || key == "if"): // the key alone
		n = 0
		h.out.WriteString(key + m[3])
	default:
		return false
	}
	h.next += len(m[0]) + n
	return true
}

// words are keys that helps use as words of their prose.
var words = []string{"before", "discriminator", "node", "out"}

// texts are the forms whose values may be several words.
var texts = []*spec.Form{spec.FormText, spec.FormPrompt, spec.FormCondition, spec.FormAssert}

// valueOf reads the value of a key at the beginning of a text. If it is shown as an example,
// it may begin with any word.
func valueOf(key, text string, shown bool) (n int, value spec.Tree, ok bool) {
	several := slices.Contains(texts, formOf(key))
	switch {
	case text == "", said.MatchString(text) && !(shown && several):
		return 0, value, false
	case strings.IndexByte("{[", text[0]) >= 0 && !typeText(text):
		n = bracketed(text)
	case strings.IndexByte(`"'`, text[0]) >= 0:
		n = strings.IndexByte(text[1:], text[0]) + 2
	case shout.MatchString(text):
		n = len(shout.FindString(text))
	case key == "if":
		expression, _, _ := strings.Cut(text, ", ")
		return len(expression), yamlread.TextTree(expression, spec.Pos{}), operand.MatchString(text)
	case several:
		n = stops.FindStringIndex(text)[0]
		return n, yamlread.TextTree(text[:n], spec.Pos{}), true
	default:
		n = len(strings.TrimRight(text[:strings.IndexAny(text+" ", " ,;)`")], ":"))
	}
	value, ok = parseSnippet(text[:n])
	return n, value, ok
}

// bracketed returns the length of the list or mapping at the beginning of a text.
func bracketed(text string) int {
	depth, quote := 0, byte(0)
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' && text[i-1] == ' ':
			quote = c
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// left is the placeholder for an omitted value.
const left = "{…}"

// parseSnippet parses a snippet. It rejects an empty mapping.
func parseSnippet(text string) (spec.Tree, bool) {
	value, ok := spec.ParseTree(strings.ReplaceAll(text, left, "…"))
	return value, ok && !(value.Kind == yamlread.Map && len(value.Items) == 0)
}

// allKeys are the names of all keys of the language, and formOf the form of one.
var allKeys = sync.OnceValue(func() (names []string) {
	for _, m := range spec.Reference() {
		for _, k := range m.Keys {
			names = append(names, k.Name)
		}
	}
	return names
})

func formOf(key string) *spec.Form {
	for _, m := range spec.Reference() {
		for _, k := range m.Keys {
			if k.Name == key {
				return k.Form
			}
		}
	}
	return spec.FormName
}

// settingIn formats a key and its value for a tag or a comment.
func settingIn(key string, value spec.Tree) string {
	items := value.Items
	switch {
	case key == "kind":
		return "the type graph." + goname.Exported(value.Text)
	case key == "if":
		return "if " + value.Text
	case key == "to":
		return "-> " + valueIn(value)
	case key == "from":
		return directive + "edge " + valueIn(value)
	case key == "go":
		return "pkg.Type of an imported package"
	case key == "sequential":
		var names []string
		for _, item := range items {
			names = append(names, valueIn(item))
		}
		return directive + "edge " + strings.Join(names, " -> ")
	case key == "loop_until" && value.Kind == yamlread.Map:
		return directive + "loop_until " + settingsIn(value)
	case key == "limits" && value.Kind == yamlread.Map, key == "edges" && value.Kind == yamlread.Map:
		return settingsIn(value)
	case key == "edges" && value.Kind == yamlread.List && len(items) == 1:
		return settingsIn(items[0])
	case key == "nodes" && value.Kind == yamlread.Map:
		return goname.Exported(items[0].Text) + " graph.Func"
	case key == "state" && value.Kind == yamlread.Map:
		return "State struct{ " + fieldIn(items[0].Text, items[1]) + " }"
	case key == "types" && value.Kind == yamlread.Map:
		return "Types struct{ " + fieldIn(items[0].Text, items[1]) + " }"
	}
	var parts []string
	for _, item := range items {
		if item.Kind == yamlread.Map || value.Kind != yamlread.List {
			if inner := item.Items; key == "flags" && len(inner) == 2 {
				parts = append(parts, inner[0].Text+"("+settingsIn(inner[1])+")")
				continue
			}
			return key + "=" + valueIn(value)
		}
		parts = append(parts, valueIn(item))
	}
	if len(parts) == 0 {
		return key + "=" + valueIn(value)
	}
	return key + "=" + strings.Join(parts, ",")
}

// hasSettings reports whether a name is the name of a flag with settings.
func hasSettings(name string) bool {
	f, ok := spec.FlagOf(name)
	return ok && spec.Flags[f].Of != ""
}

// settingsIn formats a mapping on its own: an edge, a flag with settings, or settings. A mapping of
// names is a value in tags too.
func settingsIn(value spec.Tree) string {
	items := value.Items
	if value.Kind == yamlread.List && len(items) == 1 && len(items[0].Items) > 0 && items[0].Items[0].Text == "from" {
		return settingsIn(items[0])
	}
	if len(items) == 0 || value.Kind != yamlread.Map || !slices.Contains(allKeys(), items[0].Text) {
		if value.Kind == yamlread.Map && len(items) == 2 && items[1].Kind == yamlread.Map && hasSettings(items[0].Text) {
			return items[0].Text + "(" + settingsIn(items[1]) + ")"
		}
		return valueIn(value)
	}
	edge, rest, condition := "", []string(nil), ""
	for i := 0; i < len(items); i += 2 {
		switch key := items[i].Text; key {
		case "from":
			edge = directive + "edge " + valueIn(items[i+1])
		case "to":
			edge += " -> " + valueIn(items[i+1])
		case "if":
			condition = "if " + items[i+1].Text
		default:
			rest = append(rest, settingIn(key, items[i+1]))
		}
	}
	if condition != "" {
		rest = append(rest, condition)
	}
	return strings.TrimSpace(edge + " " + strings.Join(rest, " "))
}

// valueIn formats a value for a tag.
func valueIn(value spec.Tree) string {
	var parts []string
	items := value.Items
	switch {
	case value.Kind == yamlread.List:
		for _, item := range items {
			parts = append(parts, valueIn(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case value.Kind == yamlread.Map:
		for i := 0; i < len(items); i += 2 {
			parts = append(parts, valueIn(items[i])+": "+valueIn(items[i+1]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	text := value.Text
	switch {
	case text == "…":
		return left
	case itemLen(text) == len(text) && text != "" || strings.HasSuffix(text, "…"):
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `\'`) + "'"
}

// fieldIn formats a field of a Go struct.
func fieldIn(name string, typ spec.Tree) string {
	goTyp := typeIn(typ)
	if goTyp == "" {
		return goname.Exported(name) + " any `graphgen:\"" + settingsIn(typ) + "\"`"
	}
	return goname.Exported(name) + " " + goTyp
}

// typeIn returns the Go type for a type of the language; empty: it needs a tag.
func typeIn(typ spec.Tree) string {
	if items := typ.Items; typ.Kind == yamlread.Map && len(items) > 0 {
		if slices.Contains([]string{"enum", "union", "type", "go"}, items[0].Text) {
			return ""
		}
		var fields []string
		for i := 0; i < len(items); i += 2 {
			fields = append(fields, fieldIn(items[i].Text, items[i+1]))
		}
		return "struct{ " + strings.Join(fields, "; ") + " }"
	}
	text := typ.Text
	for _, p := range []struct{ yaml, goes string }{{"[]", "[]"}, {"?", "*"}, {"map[string]", "map[string]"}} {
		if elem, ok := strings.CutPrefix(text, p.yaml); ok {
			return p.goes + typeIn(yamlread.TextTree(elem, spec.Pos{}))
		}
	}
	switch text {
	case "float":
		return "float64"
	case "time", "duration":
		return "time." + goname.Exported(text)
	case "bytes":
		return "[]byte"
	case "image", "audio":
		return "chat." + goname.Exported(text)
	case "pdf":
		return "chat.PDF"
	}
	return text
}
