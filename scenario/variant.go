package scenario

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// textForms are the types with a text form.
var textForms = map[resolve.Kind]struct {
	read func(string) (any, error)
	help string
}{
	resolve.Time: {func(s string) (any, error) {
		at, err := time.Parse(time.RFC3339, s)
		return at.UTC().Format(time.RFC3339Nano), err
	}, "write it as in 2026-01-31T12:00:00Z"},
	resolve.Duration: {func(s string) (any, error) {
		d, err := time.ParseDuration(s)
		return json.Number(strconv.FormatInt(int64(d), 10)), err
	}, "write numbers with units, as in 500ms, 30s or 1m30s"},
	resolve.Bytes: {func(s string) (any, error) {
		data, err := base64.StdEncoding.DecodeString(s)
		return base64.StdEncoding.EncodeToString(data), err
	}, "write base64, as in aGVsbG8="},
}

func (b *binder) convertText(v *Value, t *resolve.Type) any {
	form := textForms[t.Kind]
	if v.Kind == yamlread.Text {
		if value, err := form.read(v.Text); err == nil {
			return value
		}
	}
	return b.unfit(v, t, form.help)
}

// convertUnion converts a variant as JSON has it: its fields, and the discriminator with its label.
// Null is an unset union.
func (b *binder) convertUnion(v *Value, t *resolve.Type) any {
	if v.Kind == yamlread.Null {
		return nil
	}
	var labels []string
	for i := range t.Variants {
		labels = append(labels, t.Variants[i].Label)
	}
	example := "write its fields, and which it is: {" + t.Discriminator + ": " + strings.Join(labels[:min(1, len(labels))], "") + "}"
	label := v.Get(t.Discriminator)
	if label == nil {
		return b.unfit(v, t, example)
	}
	for i := range t.Variants {
		one := &t.Variants[i]
		if label.Kind != yamlread.Text || label.Text != one.Label {
			continue
		}
		fields := Value{Kind: yamlread.Map, Pos: v.Pos}
		for k := 0; k < len(v.Items); k += 2 {
			if v.Items[k].Text != t.Discriminator {
				fields.Items = append(fields.Items, v.Items[k], v.Items[k+1])
			}
		}
		return map[string]any{one.Type.GoName: b.convert(&fields, one.Type)}
	}
	if label.Kind != yamlread.Text {
		return b.unfit(v, t, example)
	}
	b.unknown("GG208", label.Text, label.Pos, "variant", "of "+t.String(), labels)
	return nil
}

// rawJSON returns a value as JSON, with keys in order and without white space.
func rawJSON(v *Value) json.RawMessage {
	out, err := json.Marshal(plainJSON(v))
	if err != nil {
		panic(err) // plainJSON returns encodable values
	}
	return out
}

func plainJSON(v *Value) any {
	switch v.Kind {
	case yamlread.Int, yamlread.Float:
		if f, err := strconv.ParseFloat(v.Text, 64); err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) && json.Valid([]byte(v.Text)) {
			return json.Number(v.Text)
		}
	case yamlread.Bool:
		return strings.EqualFold(v.Text, "true")
	case yamlread.Null:
		return nil
	case yamlread.List:
		items := make([]any, 0, len(v.Items))
		for i := range v.Items {
			items = append(items, plainJSON(&v.Items[i]))
		}
		return items
	case yamlread.Map:
		object := make(map[string]any, len(v.Items)/2)
		for i := 0; i < len(v.Items); i += 2 {
			object[v.Items[i].Text] = plainJSON(&v.Items[i+1])
		}
		return object
	}
	return v.Text
}

// variantOf returns the variant of a union with the given Go name.
func variantOf(t *resolve.Type, goName string) *resolve.Variant {
	for i := range t.Variants {
		if t.Variants[i].Type.GoName == goName {
			return &t.Variants[i]
		}
	}
	return nil
}

// showVariant formats a variant as in a scenario file.
func showVariant(v map[string]any, t *resolve.Type) string {
	for name, fields := range v {
		if one := variantOf(t, name); one != nil {
			text := t.Discriminator + ": " + one.Label
			if inner := strings.Trim(show(fields, one.Type), "{}"); inner != "" {
				text += ", " + inner
			}
			return "{" + text + "}"
		}
	}
	return "a " + t.String()
}

// compareVariants compares variants. Of equal variants it compares the given fields.
func (j *judgement) compareVariants(what string, line int, want, got map[string]any, t *resolve.Type) {
	for name, fields := range want {
		one, has := variantOf(t, name), got[name]
		if one == nil || has == nil {
			j.fail(what, line, show(want, t), show(got, t))
			return
		}
		j.compare(what, line, fields, has, one.Type)
	}
}
