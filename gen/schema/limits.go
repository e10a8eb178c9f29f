package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// one is a length that counts the same in JSON.
func one(n int) int { return n }

// inBase64 is how long some bytes are as a text in base64.
func inBase64(n int) int { return (n + 2) / 3 * 4 }

// lengths writes the bounds of a length, as counted in JSON: of Items, Properties or the
// characters of a text.
func (w *writer) lengths(f *resolve.Field, of string, counted func(int) int) {
	if f == nil || f.Spec == nil {
		return
	}
	if f.Spec.MinLength.IsSet() {
		w.key("min" + of).raw(strconv.Itoa(counted(f.Spec.MinLength.V)))
	}
	if f.Spec.MaxLength.IsSet() {
		w.key("max" + of).raw(strconv.Itoa(counted(f.Spec.MaxLength.V)))
	}
}

// texts writes the pattern and the format of a string.
func (w *writer) texts(f *resolve.Field) {
	if f == nil || f.Spec == nil {
		return
	}
	if p := f.Spec.Pattern.V; p != "" && isShared(p) {
		w.key("pattern").string(p)
	}
	if format := f.Spec.Format.V; format != "" {
		w.key("format").string(format)
	}
}

// goOnly begins what regular expressions of Go have and regular expressions of JSON Schema lack, or
// mean differently. A pattern with any of it is left out: decoders check it all the same.
var goOnly = []string{`(?`, `\A`, `\z`, `\Q`, `\E`, `\C`, `\a`, `\p`, `\P`, `\x{`, `[[:`, `[:`}

// isShared reports whether a pattern means the same to JSON Schema.
func isShared(pattern string) bool {
	plain := strings.ReplaceAll(pattern, "(?:", "(")
	return !slices.ContainsFunc(goOnly, func(begin string) bool { return strings.Contains(plain, begin) })
}

// initial writes the default of a field.
func (w *writer) initial(f *resolve.Field) {
	if text := Default(f); text != "" {
		w.key("default").raw(text)
	}
}

// Default returns the default of a field as JSON, empty if it has none.
func Default(f *resolve.Field) string {
	if f.Spec == nil || f.Spec.Default == nil {
		return ""
	}
	return jsonOf(f.Type.Base(), f.Spec.Default)
}

// jsonOf returns a value of a type that an author wrote as JSON, empty for a number that cannot be one.
func jsonOf(t *resolve.Type, d *spec.Scalar) string {
	switch t.Kind {
	case resolve.Int, resolve.Float:
		n, err := strconv.ParseFloat(d.Text, 64)
		if err != nil {
			return ""
		}
		return defaultNumber(n, d)
	case resolve.Bool:
		return strings.ToLower(d.Text)
	case resolve.List:
		parts := make([]string, len(d.Items))
		for i := range d.Items {
			parts[i] = jsonOf(t.Elem, &d.Items[i])
		}
		return "[" + strings.Join(parts, ",") + "]"
	case resolve.Map:
		parts := make([]string, 0, len(d.Items)/2)
		for i := 0; i < len(d.Items); i += 2 {
			parts = append(parts, jsonText(d.Items[i].Text)+":"+jsonOf(t.Elem, &d.Items[i+1]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	return jsonText(d.Text)
}

func jsonText(text string) string {
	var w writer
	w.string(text)
	return w.b.String()
}

// defaultNumber writes a number as JSON has it, an integer with all its digits.
func defaultNumber(n float64, d *spec.Scalar) string {
	if i, err := strconv.ParseInt(d.Text, 10, 64); err == nil {
		return strconv.FormatInt(i, 10)
	}
	return number(n)
}
