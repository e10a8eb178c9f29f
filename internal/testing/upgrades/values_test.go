package upgrades

import (
	"encoding/base64"
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec/resolve"
)

// An absent value has no member in its object.
type absent struct{}

// value makes JSON of a type, with values at the limits of its field. f is nil within lists and maps.
func value(r *rand.Rand, t *resolve.Type, f *resolve.Field, deep int) any {
	switch t.Kind {
	case resolve.String:
		return strings.Repeat("é", length(r, f, 6))
	case resolve.Int:
		return json.Number(strconv.FormatInt(number(r, f, []int64{0, -1, 7, 1<<53 + 1, -1 << 63}), 10))
	case resolve.Float:
		if least, most, ok := limits(f); ok {
			return json.Number(strconv.FormatFloat([]float64{least, most, (least + most) / 2}[r.IntN(3)], 'g', -1, 64))
		}
		return json.Number([]string{"0.5", "-2", "1e+300", "3"}[r.IntN(4)])
	case resolve.Bool:
		return r.IntN(2) == 0
	case resolve.Time:
		return "2026-01-02T03:04:05Z"
	case resolve.Duration:
		return "1h2m3s"
	case resolve.Bytes:
		return base64.StdEncoding.EncodeToString([]byte(strings.Repeat("a", r.IntN(4))))
	case resolve.Any:
		return []any{map[string]any{"a": json.Number("1")}, []any{"x"}, "text", true, json.Number("12")}[r.IntN(5)]
	case resolve.Enum:
		return t.Values[r.IntN(len(t.Values))].Name
	case resolve.Optional:
		if deep == 0 || r.IntN(2) == 0 {
			return absent{}
		}
		return value(r, t.Elem, f, deep)
	case resolve.List:
		list := []any{}
		for range length(r, f, 3) {
			list = append(list, present(value(r, t.Elem, nil, deep-1)))
		}
		return list
	case resolve.Map:
		m := map[string]any{}
		for i := range length(r, f, 3) {
			m["k"+strconv.Itoa(i)] = present(value(r, t.Elem, nil, deep-1))
		}
		return m
	case resolve.Struct:
		return object(r, t, deep)
	case resolve.Union:
		v := t.Variants[r.IntN(len(t.Variants))]
		m := object(r, v.Type, deep)
		m[t.Discriminator] = v.Label
		return m
	}
	panic("no values of " + t.String())
}

func object(r *rand.Rand, t *resolve.Type, deep int) map[string]any {
	m := map[string]any{}
	for _, f := range t.Fields {
		if v := value(r, f.Type, f, deep-1); v != (any)(absent{}) {
			m[f.Name] = v
		}
	}
	return m
}

// present is a value as an element, where what is absent is null.
func present(v any) any {
	if _, is := v.(absent); is {
		return nil
	}
	return v
}

func limits(f *resolve.Field) (least, most float64, ok bool) {
	if f == nil || !f.Spec.Max.IsSet() {
		return 0, 0, false
	}
	return f.Spec.Min.V, f.Spec.Max.V, true
}

func number(r *rand.Rand, f *resolve.Field, free []int64) int64 {
	if least, most, ok := limits(f); ok {
		return []int64{int64(least), int64(most), int64(least) + 1}[r.IntN(3)]
	}
	return free[r.IntN(len(free))]
}

// length is that of a text, a list or a map: often the greatest.
func length(r *rand.Rand, f *resolve.Field, free int) int {
	if f != nil && f.Spec.MaxLength.IsSet() {
		return f.Spec.MaxLength.V - r.IntN(2)
	}
	return r.IntN(free)
}

// kept reports whether JSON that was read and written again has all that it had.
func kept(was, is any) bool {
	switch was := was.(type) {
	case map[string]any:
		object, ok := is.(map[string]any)
		for name, v := range was {
			ok = ok && kept(v, object[name])
		}
		return ok
	case []any:
		list, ok := is.([]any)
		ok = ok && len(list) == len(was)
		for i := 0; ok && i < len(was); i++ {
			ok = kept(was[i], list[i])
		}
		return ok
	case json.Number:
		number, ok := is.(json.Number)
		if !ok {
			return false
		}
		a, _ := new(big.Rat).SetString(was.String())
		b, _ := new(big.Rat).SetString(number.String())
		return a != nil && b != nil && a.Cmp(b) == 0
	}
	return was == is
}
