package gotag

import (
	"slices"
	"strings"
	"sync"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// Help writes the suggestions of a help as tags, comments, and fields of Go.
func Help(h diag.Help) diag.Help { return h.Write(suggestionIn) }

func suggestionIn(s diag.Suggestion) string {
	value, ok := spec.ParseTree(strings.ReplaceAll(s.Value, left, "…"))
	if s.Form == diag.Setting && !ok { // a part of an expression
		value = yamlread.TextTree(s.Value, spec.Pos{})
	}
	switch {
	case s.Form == diag.Setting && s.Value == "":
		return s.Key
	case s.Form == diag.Setting:
		return settingIn(s.Key, value)
	case s.Form == diag.Variants:
		return s.Value
	case s.Form == diag.Field && ok:
		return fieldIn(s.Key, value)
	case s.Form == diag.Type && ok:
		return typeIn(value)
	case s.Form == diag.Entry && ok && !value.IsScalar():
		return settingsIn(value)
	}
	return s.String()
}

// left is the placeholder for an omitted value.
const left = "{…}"

// allKeys are the names of all keys of the language.
var allKeys = sync.OnceValue(func() (names []string) {
	for _, m := range spec.Reference() {
		for _, k := range m.Keys {
			names = append(names, k.Name)
		}
	}
	return names
})

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
	case "image", "audio", "message":
		return "chat." + goname.Exported(text)
	case "messages":
		return "[]chat.Message"
	case "pdf":
		return "chat.PDF"
	}
	return text
}
