package upgrades

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// A schema is the data of a graph: a state of one field, and the types below it.
type schema struct {
	enums   []*enum
	structs []*record // the last is that of the state
	union   []string  // the structs that it is one of
	made    int       // names so far
}

type enum struct {
	name    string
	values  []string
	renamed map[string]string
}

type record struct {
	name   string
	fields []*field
}

type field struct {
	name, typ, was, def string
	limits              map[string]int
}

// stateName is the struct that has everything.
const stateName = "State"

// randomSchema makes a schema.
func randomSchema(r *rand.Rand) *schema {
	s := &schema{}
	for i := range 2 {
		s.enums = append(s.enums, &enum{name: fmt.Sprintf("E%d", i), values: []string{s.name("v"), s.name("v"), s.name("v")}, renamed: map[string]string{}})
	}
	for i := range 3 {
		s.structs = append(s.structs, s.record(r, fmt.Sprintf("S%d", i), 2+r.IntN(2)))
	}
	s.union = []string{"S0", "S1"}
	s.structs = append(s.structs, s.record(r, stateName, 4))
	// Everything is in the state, so that a change of anything is a change of it.
	state := s.structs[len(s.structs)-1]
	for _, typ := range []string{"E0", "?E1", "S2", "[]U"} {
		state.fields = append(state.fields, &field{name: s.name("f"), typ: typ, limits: map[string]int{}})
	}
	return s
}

func (s *schema) name(prefix string) string {
	s.made++
	return prefix + strconv.Itoa(s.made)
}

func (s *schema) record(r *rand.Rand, name string, fields int) *record {
	rec := &record{name: name}
	for range fields {
		rec.fields = append(rec.fields, s.field(r, r.IntN(3)))
	}
	return rec
}

// field makes a field, of a type nested so deep at most.
func (s *schema) field(r *rand.Rand, deep int) *field {
	f := &field{name: s.name("f"), typ: s.typ(r, deep), limits: map[string]int{}}
	switch kind := f.kind(); {
	case kind == "number" && r.IntN(2) == 0:
		f.limits["min"], f.limits["max"] = -r.IntN(5), 10+r.IntN(5)
	case kind == "length" && r.IntN(3) == 0:
		f.limits["max_length"] = 3 + r.IntN(3)
	}
	return f
}

var basic = []string{"string", "int", "float", "bool", "time", "duration", "bytes", "any", "E0", "E1"}

func (s *schema) typ(r *rand.Rand, deep int) string {
	switch wrapped := r.IntN(4); {
	case deep > 0 && wrapped == 0:
		return "[]" + s.typ(r, deep-1)
	case deep > 0 && wrapped == 1:
		return "map[string]" + s.typ(r, deep-1)
	case deep > 0 && wrapped == 2:
		return "?" + strings.TrimLeft(s.typ(r, deep-1), "?")
	}
	if len(s.structs) > 0 && r.IntN(6) == 0 {
		return s.structs[r.IntN(len(s.structs))].name
	}
	return basic[r.IntN(len(basic))]
}

// kind is what limits the field may have: "number", "length" or none.
func (f *field) kind() string {
	switch base := strings.TrimPrefix(f.typ, "?"); {
	case base == "int" || base == "float":
		return "number"
	case base == "string" || strings.HasPrefix(base, "[]") || strings.HasPrefix(base, "map["):
		return "length"
	}
	return ""
}

// clone returns a copy that can be changed.
func (s *schema) clone() *schema {
	out := &schema{union: slices.Clone(s.union), made: s.made}
	for _, e := range s.enums {
		out.enums = append(out.enums, &enum{e.name, slices.Clone(e.values), maps.Clone(e.renamed)})
	}
	for _, rec := range s.structs {
		copied := &record{name: rec.name}
		for _, f := range rec.fields {
			g := *f
			g.limits = maps.Clone(f.limits)
			copied.fields = append(copied.fields, &g)
		}
		out.structs = append(out.structs, copied)
	}
	return out
}

// types writes the types, their names behind a prefix.
func (s *schema) types(prefix string) string {
	var b strings.Builder
	b.WriteString("types:\n")
	for _, e := range s.enums {
		fmt.Fprintf(&b, "  %s%s: {enum: [%s]", prefix, e.name, strings.Join(e.values, ", "))
		if len(e.renamed) > 0 {
			var pairs []string
			for _, now := range slices.Sorted(maps.Keys(e.renamed)) {
				pairs = append(pairs, now+": "+e.renamed[now])
			}
			fmt.Fprintf(&b, ", renamed_from: {%s}", strings.Join(pairs, ", "))
		}
		b.WriteString("}\n")
	}
	fmt.Fprintf(&b, "  %sU: {union: {", prefix)
	for i, name := range s.union {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "l%s: %s%s", name, prefix, name)
	}
	b.WriteString("}}\n")
	for _, rec := range s.structs {
		fmt.Fprintf(&b, "  %s%s:\n    struct:\n", prefix, rec.name)
		for _, f := range rec.fields {
			fmt.Fprintf(&b, "      %s: {type: %q", f.name, prefixed(f.typ, prefix))
			for _, limit := range slices.Sorted(maps.Keys(f.limits)) {
				fmt.Fprintf(&b, ", %s: %d", limit, f.limits[limit])
			}
			if f.was != "" {
				fmt.Fprintf(&b, ", renamed_from: %s", f.was)
			}
			if f.def != "" {
				fmt.Fprintf(&b, ", default: %s", f.def)
			}
			b.WriteString("}\n")
		}
	}
	return b.String()
}

// prefixed returns a type with a prefix of the names that the schema declares.
func prefixed(typ, prefix string) string {
	at := strings.LastIndexAny(typ, "]?") + 1
	if name := typ[at:]; name == "U" || name == stateName || strings.HasPrefix(name, "E") || strings.HasPrefix(name, "S") {
		return typ[:at] + prefix + name
	}
	return typ
}

// graph writes a graph whose state has one field, of the struct State.
func (s *schema) graph() string {
	return "graph: g\nentry: a\n" + s.types("") + "state: {s: " + stateName + "}\ninput: s\nnodes:\n  a: {reads: s}\n"
}

// edits are changes of a schema. An edit reports whether it has changed anything.
var edits = []struct {
	name  string
	apply func(s *schema, r *rand.Rand) bool
}{
	{"a field that is optional", func(s *schema, r *rand.Rand) bool { return s.add(r, &field{typ: "?" + basic[r.IntN(6)]}) }},
	{"a field with a default", func(s *schema, r *rand.Rand) bool { return s.add(r, &field{typ: "int", def: "3"}) }},
	{"a field without a value", func(s *schema, r *rand.Rand) bool { return s.add(r, &field{typ: "string"}) }},
	{"a field less", func(s *schema, r *rand.Rand) bool {
		rec := s.anyRecord(r)
		i := r.IntN(len(rec.fields))
		rec.fields = slices.Delete(rec.fields, i, i+1)
		return len(rec.fields) > 0
	}},
	{"a renamed field", func(s *schema, r *rand.Rand) bool {
		f := s.anyField(r)
		f.was, f.name = f.name, s.name("f")
		return true
	}},
	{"a field by another name", func(s *schema, r *rand.Rand) bool {
		s.anyField(r).name = s.name("f")
		return true
	}},
	{"another type", func(s *schema, r *rand.Rand) bool {
		f := s.anyField(r)
		was := f.typ
		f.typ, f.limits = s.typ(r, 2), map[string]int{}
		return f.typ != was && !strings.Contains(f.typ, "S")
	}},
	{"an optional type", func(s *schema, r *rand.Rand) bool {
		f := s.anyField(r)
		was := f.typ
		f.typ = "?" + strings.TrimPrefix(was, "?")
		return f.typ != was && was != "any"
	}},
	{"a type that is optional no more", func(s *schema, r *rand.Rand) bool {
		f := s.anyField(r)
		was := f.typ
		f.typ = strings.TrimPrefix(was, "?")
		return f.typ != was
	}},
	{"any", func(s *schema, r *rand.Rand) bool {
		f := s.anyField(r)
		was := f.typ
		f.typ, f.limits = "any", map[string]int{}
		return was != "any"
	}},
	{"a text for an enum", func(s *schema, r *rand.Rand) bool { return s.retype(r, "E0", "string") || s.retype(r, "E1", "string") }},
	{"a float for an int", func(s *schema, r *rand.Rand) bool { return s.retype(r, "int", "float") }},
	{"a value more", func(s *schema, r *rand.Rand) bool {
		e := s.enums[r.IntN(len(s.enums))]
		e.values = slices.Insert(e.values, r.IntN(len(e.values)), s.name("v"))
		return true
	}},
	{"a value less", func(s *schema, r *rand.Rand) bool {
		e := s.enums[r.IntN(len(s.enums))]
		e.values = e.values[1:]
		return len(e.values) > 0
	}},
	{"a renamed value", func(s *schema, r *rand.Rand) bool {
		e := s.enums[r.IntN(len(s.enums))]
		i := r.IntN(len(e.values))
		was := e.values[i]
		e.values[i] = s.name("v")
		e.renamed[e.values[i]] = was
		return true
	}},
	{"another order", func(s *schema, r *rand.Rand) bool {
		slices.Reverse(s.anyRecord(r).fields)
		slices.Reverse(s.enums[0].values)
		return true
	}},
	{"a variant more", func(s *schema, r *rand.Rand) bool { s.union = []string{"S0", "S1", "S2"}; return true }},
	{"a variant less", func(s *schema, r *rand.Rand) bool { s.union = []string{"S1"}; return true }},
	{"a higher limit", func(s *schema, r *rand.Rand) bool { return s.limit(r, 5) }},
	{"a lower limit", func(s *schema, r *rand.Rand) bool { return s.limit(r, -2) }},
	{"no limits", func(s *schema, r *rand.Rand) bool {
		for _, f := range s.all() {
			if len(f.limits) > 0 {
				f.limits = map[string]int{}
				return true
			}
		}
		return false
	}},
}

func (s *schema) anyRecord(r *rand.Rand) *record { return s.structs[r.IntN(len(s.structs))] }

func (s *schema) anyField(r *rand.Rand) *field {
	rec := s.anyRecord(r)
	return rec.fields[r.IntN(len(rec.fields))]
}

func (s *schema) all() (fields []*field) {
	for _, rec := range s.structs {
		fields = append(fields, rec.fields...)
	}
	return fields
}

func (s *schema) add(r *rand.Rand, f *field) bool {
	f.name, f.limits = s.name("f"), map[string]int{}
	rec := s.anyRecord(r)
	rec.fields = append(rec.fields, f)
	return true
}

// retype gives fields of a type another.
func (s *schema) retype(_ *rand.Rand, from, to string) bool {
	for _, f := range s.all() {
		if at := strings.LastIndexAny(f.typ, "]?") + 1; f.typ[at:] == from {
			f.typ = f.typ[:at] + to
			return true
		}
	}
	return false
}

// limit moves the greatest value or length of a field.
func (s *schema) limit(r *rand.Rand, by int) bool {
	var limited []*field
	for _, f := range s.all() {
		if len(f.limits) > 0 {
			limited = append(limited, f)
		}
	}
	if len(limited) == 0 {
		return false
	}
	f := limited[r.IntN(len(limited))]
	for _, name := range []string{"max", "max_length"} {
		if most, ok := f.limits[name]; ok {
			f.limits[name] = most + by
		}
	}
	return true
}
