package scenario

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// convert converts a value to the form of package wire. It reports and omits what does not fit the
// type.
func (b *binder) convert(v *Value, t *resolve.Type) any {
	switch t.Kind {
	case resolve.Optional:
		if v.Kind == yamlread.Null {
			return nil
		}
		return b.convert(v, t.Elem)
	case resolve.List:
		if v.Kind != yamlread.List {
			return b.unfit(v, t, "write it as in [a, b]")
		}
		items := make([]any, 0, len(v.Items))
		for i := range v.Items {
			items = append(items, b.convert(&v.Items[i], t.Elem))
		}
		return items
	case resolve.Map, resolve.Struct, resolve.Message:
		if v.Kind != yamlread.Map {
			return b.unfit(v, t, "write it as in {key: value}")
		}
		return b.convertFields(v, t)
	case resolve.Enum:
		return b.convertEnum(v, t)
	case resolve.Union:
		return b.convertUnion(v, t)
	case resolve.Media:
		return b.convertMedia(v, t)
	case resolve.Any, resolve.External:
		return string(rawJSON(v))
	case resolve.Time, resolve.Duration, resolve.Bytes:
		return b.convertText(v, t)
	}
	return b.convertScalar(v, t)
}

func (b *binder) unfit(v *Value, t *resolve.Type, help string) any {
	b.report("GG208", v.Pos, "expected "+b.typeWords(t)+", found "+v.Found(), help)
	return nil
}

// typeName describes a struct or an enum.
func (b *binder) typeName(t *resolve.Type) string {
	switch t {
	case b.m.Types.State:
		return "the state"
	case b.m.Types.Input:
		return "the input"
	case b.m.Types.Output:
		return "the output"
	}
	for _, tool := range b.m.Models.Tools {
		if t == tool.Args {
			return "the arguments of " + quote(tool.Name)
		}
	}
	for _, n := range b.m.Flow.Nodes {
		switch {
		case t == n.In:
			return "what node " + quote(n.Name) + " reads"
		case t == n.Out && n.State.FromWrites:
			return "what node " + quote(n.Name) + " writes"
		}
	}
	return t.String()
}

// typeWords describes the values of a type.
func (b *binder) typeWords(t *resolve.Type) string {
	switch t.Kind {
	case resolve.String:
		return "a text"
	case resolve.Int:
		return "a whole number"
	case resolve.Float:
		return "a number"
	case resolve.Bool:
		return "true or false"
	case resolve.Struct:
		return "a mapping with the fields of " + b.typeName(t)
	case resolve.Message:
		return "a mapping with the fields of a " + t.String()
	case resolve.Enum:
		return "a value of " + t.String()
	case resolve.Union:
		return "a variant of " + t.String() + ", with its label in " + quote(t.Discriminator)
	case resolve.Time:
		return "a time"
	case resolve.Duration:
		return "a duration"
	case resolve.Bytes:
		return "bytes"
	case resolve.Media:
		return diag.Article(t.String())
	}
	return "a value of type " + t.String()
}

func (b *binder) convertFields(v *Value, t *resolve.Type) any {
	out := make(map[string]any, len(v.Items)/2)
	for i := 0; i < len(v.Items); i += 2 {
		key, value := &v.Items[i], &v.Items[i+1]
		if t.Kind == resolve.Map {
			out[key.Text] = b.convert(value, t.Elem)
			continue
		}
		f := t.Field(key.Text)
		if f == nil {
			b.unknown("GG207", key.Text, key.Pos, "field", "of "+b.typeName(t), fieldNames(t))
			continue
		}
		out[f.GoName] = b.convert(value, f.Type)
	}
	return out
}

func fieldNames(t *resolve.Type) []string {
	names := []string{}
	for _, f := range t.Fields {
		names = append(names, f.Name)
	}
	return names
}

func (b *binder) convertEnum(v *Value, t *resolve.Type) any {
	if v.Kind != yamlread.Text {
		return b.unfit(v, t, "its values are "+strings.Join(enumNames(t), ", "))
	}
	at := slices.IndexFunc(t.Values, func(e resolve.EnumValue) bool { return e.Name == v.Text })
	if at < 0 {
		b.unknown("GG208", v.Text, v.Pos, "value", "of "+t.String(), enumNames(t))
		return nil
	}
	switch {
	case t.Text():
		return v.Text
	case t.Own != nil:
		return json.Number(t.Own.Numbers[at])
	}
	return json.Number(strconv.Itoa(at + 1))
}

func enumNames(t *resolve.Type) []string {
	names := []string{}
	for _, v := range t.Values {
		names = append(names, v.Name)
	}
	return names
}

func (b *binder) convertScalar(v *Value, t *resolve.Type) any {
	switch {
	case t.Kind == resolve.String && v.Kind == yamlread.Text:
		return v.Text
	case t.Kind == resolve.Bool && v.Kind == yamlread.Bool:
		return strings.EqualFold(v.Text, "true")
	case t.Kind == resolve.Int && v.Kind == yamlread.Int:
		if n, err := strconv.ParseInt(v.Text, 10, 64); err == nil {
			return json.Number(strconv.FormatInt(n, 10))
		}
		return b.unfit(v, t, scalarHelp[resolve.Int])
	case t.Kind == resolve.Float && (v.Kind == yamlread.Int || v.Kind == yamlread.Float):
		return b.convertFloat(v, t)
	case t.Kind == resolve.String && v.Kind != yamlread.List && v.Kind != yamlread.Map:
		return b.unfit(v, t, "put quotes around it")
	}
	return b.unfit(v, t, scalarHelp[t.Kind])
}

// scalarHelp describes how values of a kind are written.
var scalarHelp = map[resolve.Kind]string{
	resolve.String: "write a text, as in otters",
	resolve.Int:    "write it with digits alone, as an int holds it",
	resolve.Float:  "write it as in 0.7",
	resolve.Bool:   "write true or false, without quotes",
}

// specialFloats maps numbers of YAML that JSON does not have.
var specialFloats = map[string]string{".nan": "NaN", ".inf": "+Inf", "+.inf": "+Inf", "-.inf": "-Inf"}

func (b *binder) convertFloat(v *Value, t *resolve.Type) any {
	if special, ok := specialFloats[strings.ToLower(v.Text)]; ok {
		return special
	}
	f, err := strconv.ParseFloat(v.Text, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return b.unfit(v, t, scalarHelp[resolve.Float])
	}
	return json.Number(strconv.FormatFloat(f, 'g', -1, 64))
}

// unknown reports an unknown name.
func (b *binder) unknown(code, name string, pos diag.Pos, what, of string, names []string) {
	help := ""
	if near, ok := diag.Suggest(name, names); ok {
		help = fmt.Sprintf("did you mean %q?", near)
	} else if len(names) == 1 {
		help = "there is only " + names[0]
	} else if len(names) > 0 && len(names) <= 20 {
		help = "there are " + strings.Join(names, ", ")
	}
	b.report(code, pos, strings.TrimSuffix(fmt.Sprintf("unknown %s %s %s", what, quote(name), of), " "), help)
}

// show formats a value of package wire as in a scenario file.
func show(v any, t *resolve.Type) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case string:
		if t.Kind == resolve.String {
			return showText(v)
		}
		return v
	case []any:
		items := make([]string, len(v))
		for i := range v {
			items[i] = show(v[i], t.Base().Elem)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case map[string]any:
		switch t.Base().Kind {
		case resolve.Union:
			return showVariant(v, t.Base())
		case resolve.Media:
			return showMedia(v)
		}
		return showFields(v, t.Base())
	case json.Number:
		return showNumber(v, t.Base())
	}
	return fmt.Sprint(v)
}

func showFields(v map[string]any, t *resolve.Type) string {
	var parts []string
	if t.Kind == resolve.Map {
		for key, value := range v {
			parts = append(parts, showText(key)+": "+show(value, t.Elem))
		}
		slices.Sort(parts)
	}
	for _, f := range t.Fields {
		if value, ok := v[f.GoName]; ok {
			parts = append(parts, f.Name+": "+show(value, f.Type))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func showNumber(n json.Number, t *resolve.Type) string {
	if d, err := n.Int64(); err == nil && t.Kind == resolve.Duration {
		return time.Duration(d).String()
	}
	if t.Kind != resolve.Enum {
		return n.String()
	}
	i, err := strconv.Atoi(n.String())
	if t.Own != nil {
		i = 1 + slices.Index(t.Own.Numbers, n.String())
	}
	switch {
	case err == nil && i == 0:
		return "no " + t.String()
	case err == nil && i <= len(t.Values):
		return t.Values[i-1].Name
	}
	return t.String() + "(" + n.String() + ")"
}

// showText writes a text without quotes if that is not ambiguous.
func showText(s string) string {
	for _, c := range s {
		plain := c == '_' || c == '-' || c == '.' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !plain {
			return strconv.Quote(s)
		}
	}
	if s == "" || !('a' <= s[0]|0x20 && s[0]|0x20 <= 'z') {
		return strconv.Quote(s)
	}
	return s
}
