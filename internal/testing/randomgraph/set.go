package randomgraph

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// unmanned are the kinds whose work the machine does by itself.
var unmanned = []string{"pass", "set", "say"}

func (n *node) unmanned() bool { return slices.Contains(unmanned, n.kind) }

// goName is the Go name of a field.
func goName(field string) string { return strings.ToUpper(field[:1]) + field[1:] }

// makeSay gives a node of kind say a text, a payload, or both.
func (m *maker) makeSay(n *node) {
	says := m.chance(80)
	n.when(says, "say: 'now {{%s}}'", strings.Join(m.someFields(), "}} and {{"))
	if says && m.chance(50) {
		return
	}
	var entries []string
	for i, name := range m.someFields() {
		entries = append(entries, fmt.Sprintf("p%d: %s", i, name))
	}
	n.key("payload: {%s}", strings.Join(entries, ", "))
}

// makeSet gives a node of kind set some of the fields that it may write, with values made of all that it may read.
func (m *maker) makeSet(n *node, s scope) {
	from := slices.Clone(m.state)
	for _, name := range slices.Concat(s.items, s.private) {
		from = append(from, m.stateField(name))
	}
	var entries []string
	for _, f := range some(m, 3, m.writable(s)) {
		n.writes = append(n.writes, f.name)
		entries = append(entries, fmt.Sprintf("%s: '%s'", f.name, m.setValue(f, from)))
	}
	n.key("set: {%s}", strings.Join(entries, ", "))
}

// setValues are what a set gives a field of a type, of fields of the types in braces; self is the field. Some panic. None makes lists or texts
// grow in proportion to their length, since a loop would use up all memory. No list has anything twice if maps may run over it.
var setValues = map[string][]string{
	"int": {"${int}", "${int}", "${int} + 1", "-${int}", "10 / ${int}", "min(${int}, 3)", "len(${string})", "${[]int}[1]",
		`${map[string]int}["a"]`, "*${?int} * 2"},
	"float":          {"float64(${int}) / 2", "${float} / 2", "0.25"},
	"bool":           {"!${bool}", "${int} > 1", `strings.HasPrefix(${string}, "a")`},
	"string":         {"${string}", "${string}", "${string}[1:]", "${string}[:1]", `"a" + ${string}[:1]`, `"bab"`},
	"?int":           {"${int}", "${?int}", "*${?int} + 1"},
	"map[string]int": {"${map[string]int}", `map[string]int{"b": ${int}}`, `map[string]int{"a": ${int}, "c": 2}`},
	"[]string":       {"[]string{${string}}", "${[]string}[1:]", `[]string{"c", "a"}`, "[]string{${[]string}[0]}"},
	"[]int":          {"[]int{4, 1}", "[]int{${int}}", "${self}[1:]", "[]int{${[]int}[0]}"},
}

// literals are what the values have where no field is of the type.
var literals = map[string]string{
	"int": "3", "float": "0.5", "bool": "(1 > 2)", "string": `"b"`, "map[string]int": `map[string]int{"a": 4}`,
	"[]string": `[]string{"a"}`, "[]int": "[]int{2, 0}",
}

func (m *maker) setValue(f stateField, from []stateField) string {
	values := setValues[f.typ]
	if f.typ == "[]int" && f.merge == "" && !m.Composes && !m.within {
		values = append(slices.Clone(values), "${[]int}", "${[]int}", "[]int{${int}, 2}")
	}
	absent := false
	value := os.Expand(pick(m, values...), func(typ string) string {
		if typ == "self" {
			return "state." + goName(f.name)
		}
		fit := slices.DeleteFunc(slices.Clone(from), func(f stateField) bool { return f.typ != typ })
		if len(fit) > 0 {
			return "state." + goName(pick(m, fit...).name)
		}
		absent = absent || literals[typ] == ""
		return literals[typ]
	})
	if absent {
		return "7"
	}
	return value
}

// truth is a field that a set writes and that transitions can look at; empty if there is none.
func (m *maker) truth(n *node) string {
	for _, name := range n.writes {
		if typ := m.stateField(name).typ; (typ == "bool" || typ == "string") && !has(n.trans, name) {
			return name
		}
	}
	return ""
}
