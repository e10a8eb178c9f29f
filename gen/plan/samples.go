package plan

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/shape"
)

// A Sample is a state of a released version at a node at which a thread may wait.
type Sample struct {
	Release int
	Hash    string
	Hosts   []string // the places around the node: composite nodes, with the branch behind a dot
	Node    string
	State   string // as JSON
}

// mostSamples is how many states of a release there are at a node.
const mostSamples = 8

// samples returns states of a release at each node at which a thread may wait: together they have each value of an enum and
// each variant of a union, up to mostSamples.
func samples(s *shape.Shape, number int) (list []Sample) {
	w := sampler{}
	states := []string{w.state(s.State)}
	for w.number++; w.number < min(w.most, mostSamples); w.number++ {
		states = append(states, w.state(s.State))
	}
	for _, n := range s.Nodes {
		if len(n.Waits) == 0 {
			continue
		}
		var hosts []string
		for at := n; at != nil && at.Parent != ""; at = s.Node(at.Parent) {
			host := at.Parent
			if at.Branch != "" {
				host += "." + at.Branch
			}
			hosts = append(hosts, host)
		}
		slices.Reverse(hosts)
		for _, state := range states {
			list = append(list, Sample{number, s.Hash(), hosts, n.Name, state})
		}
	}
	return list
}

// A sampler makes values of types.
type sampler struct {
	number int // of the value, from 0 on
	most   int // values of an enum, or variants of a union
	within []*resolve.Type
}

// state returns a state without the fields of which no value is known to be valid.
func (w *sampler) state(t *resolve.Type) string {
	var members []string
	for _, f := range t.Fields {
		if v := w.value(f.Type, f); v != "" {
			members = append(members, strconv.Quote(f.Name)+":"+v)
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// value returns a value as JSON, empty if none is known to be valid.
func (w *sampler) value(t *resolve.Type, f *resolve.Field) string {
	switch t.Kind {
	case resolve.String:
		return w.text(f)
	case resolve.Int, resolve.Float:
		switch s := f.Spec; {
		case s != nil && s.Min.IsSet():
			return strconv.FormatFloat(s.Min.V, 'f', -1, 64)
		case s != nil && s.Max.IsSet():
			return strconv.FormatFloat(s.Max.V, 'f', -1, 64)
		}
		return strconv.Itoa(w.number)
	case resolve.Bool:
		return strconv.FormatBool(w.number%2 == 1)
	case resolve.Time:
		return `"2026-01-02T03:04:05Z"`
	case resolve.Duration:
		return `"1h2m3s"`
	case resolve.Bytes:
		return strconv.Quote(base64.StdEncoding.EncodeToString([]byte("sample")))
	case resolve.Any:
		return `{"any":1}`
	case resolve.Enum:
		w.most = max(w.most, len(t.Values))
		return strconv.Quote(t.Values[w.number%len(t.Values)].Name)
	case resolve.Optional:
		w.most = max(w.most, 2)
		if v := w.value(t.Elem, f); v != "" && w.number%2 == 0 {
			return v
		}
		return "null"
	case resolve.List:
		return w.elements(t, f, "[", "", "]")
	case resolve.Map:
		return w.elements(t, f, "{", "k", "}")
	case resolve.Struct, resolve.Union:
		return w.members(t)
	}
	return ""
}

func (w *sampler) text(f *resolve.Field) string {
	s := f.Spec
	if s == nil {
		return `"text"`
	}
	if s.Pattern.IsSet() || s.Format.IsSet() {
		return ""
	}
	length := max(4, s.MinLength.V)
	if s.MaxLength.IsSet() {
		length = min(length, s.MaxLength.V)
	}
	return strconv.Quote(strings.Repeat("t", length))
}

// elements returns a list or a map with as few elements as it may have, but one if it may have one.
func (w *sampler) elements(t *resolve.Type, f *resolve.Field, open, key, end string) string {
	count := 1
	if s := f.Spec; s != nil {
		if count = max(count, s.MinLength.V); s.MaxLength.IsSet() {
			count = min(count, s.MaxLength.V)
		}
	}
	v := w.value(t.Elem, &resolve.Field{Type: t.Elem})
	if v == "" && count > 0 {
		return ""
	}
	var list []string
	for i := range count {
		if key != "" {
			list = append(list, fmt.Sprintf("%q:%s", key+strconv.Itoa(i), v))
		} else {
			list = append(list, v)
		}
	}
	return open + strings.Join(list, ",") + end
}

// members returns a struct, or a variant of a union.
func (w *sampler) members(t *resolve.Type) string {
	if slices.Contains(w.within, t) {
		return ""
	}
	w.within = append(w.within, t)
	defer func() { w.within = w.within[:len(w.within)-1] }()
	fields, members := t.Fields, []string{}
	if t.Kind == resolve.Union {
		w.most = max(w.most, len(t.Variants))
		v := t.Variants[w.number%len(t.Variants)]
		fields, members = v.Type.Fields, append(members, fmt.Sprintf("%q:%q", t.Discriminator, v.Label))
	}
	for _, f := range fields {
		v := w.value(f.Type, f)
		if v == "" {
			return ""
		}
		members = append(members, strconv.Quote(f.Name)+":"+v)
	}
	return "{" + strings.Join(members, ",") + "}"
}
