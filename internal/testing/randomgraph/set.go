package randomgraph

import (
	"fmt"
	"slices"
	"strings"
)

// unmanned are the kinds whose work the machine does by itself.
var unmanned = []string{"pass", "set", "say"}

func (n *node) unmanned() bool { return slices.Contains(unmanned, n.kind) }

// goName is the Go name of a field.
func goName(field string) string { return strings.ToUpper(field[:1]) + field[1:] }

// childUnmanned gives a node of a region what it may write, or says. A set that may write nothing becomes
// a pass.
func (m *maker) childUnmanned(n *node, s scope) {
	switch n.kind {
	case "say":
		n.key("kind: say")
		m.makeSay(n, m.state)
		return
	case "set":
		to := slices.DeleteFunc(slices.Clone(m.state), func(f stateField) bool {
			return f.merge == "" && !slices.Contains(s.last, f.name)
		})
		if len(to) == 0 {
			n.kind = "pass"
		} else {
			from := slices.Clone(m.state)
			for _, name := range slices.Concat(s.items, s.private) {
				from = append(from, m.stateField(name))
			}
			n.key("kind: set")
			m.makeSet(n, to, from)
			return
		}
	}
	n.key("kind: pass")
}

// makeSay gives a node of kind say a text, a payload, or both.
func (m *maker) makeSay(n *node, from []stateField) {
	some := func() (names []string) {
		for _, i := range m.Perm(len(from))[:1+m.IntN(min(3, len(from)))] {
			names = append(names, from[i].name)
		}
		return names
	}
	says := m.chance(80)
	if says {
		n.key("say: 'now {{%s}}'", strings.Join(some(), "}} and {{"))
	}
	if says && m.chance(50) {
		return
	}
	var entries []string
	for i, name := range some() {
		entries = append(entries, fmt.Sprintf("p%d: %s", i, name))
	}
	n.key("payload: {%s}", strings.Join(entries, ", "))
}

// makeSet gives a node of kind set some of the fields to, with values made of the fields from.
func (m *maker) makeSet(n *node, to, from []stateField) {
	var entries []string
	for _, i := range m.Perm(len(to))[:1+m.IntN(min(3, len(to)))] {
		f := to[i]
		n.writes = append(n.writes, f.name)
		entries = append(entries, fmt.Sprintf("%s: '%s'", f.name, m.setValue(f, from)))
	}
	n.key("set: {%s}", strings.Join(entries, ", "))
}

// of is a field of a type, as an expression sees it. Without one it is a literal.
func (m *maker) of(typ, literal string, from []stateField) string {
	var fit []string
	for _, f := range from {
		if f.typ == typ {
			fit = append(fit, "state."+goName(f.name))
		}
	}
	if len(fit) == 0 {
		return literal
	}
	return pick(m, fit...)
}

// setValue is a value for a field. Some values panic. None makes lists or texts grow in proportion to
// their length, since a loop would use up all memory. No list has anything twice if maps may run over it.
func (m *maker) setValue(f stateField, from []stateField) string {
	number, text := m.of("int", "3", from), m.of("string", `"b"`, from)
	switch f.typ {
	case "int":
		return pick(m, number, number, number+" + 1", "-"+number, "10 / "+number, "min("+number+", 3)", "len("+text+")",
			m.of("[]int", "[]int{2, 0}", from)+"[1]", m.of("map[string]int", `map[string]int{"a": 4}`, from)+`["a"]`,
			m.orNumber("*", m.of("?int", "", from), " * 2"))
	case "float":
		return pick(m, "float64("+number+") / 2", m.of("float", "0.5", from)+" / 2", "0.25")
	case "bool":
		return pick(m, "!"+m.of("bool", `(1 > 2)`, from), number+" > 1", `strings.HasPrefix(`+text+`, "a")`)
	case "string":
		return pick(m, text, text, text+"[1:]", text+"[:1]", `"a" + `+text+`[:1]`, `"bab"`)
	case "?int":
		return pick(m, number, m.orNumber("", m.of("?int", "", from), ""), m.orNumber("*", m.of("?int", "", from), " + 1"))
	case "map[string]int":
		return pick(m, m.of(f.typ, `map[string]int{"a": 1}`, from), `map[string]int{"b": `+number+`}`, `map[string]int{"a": `+number+`, "c": 2}`)
	case "[]string":
		return pick(m, "[]string{"+text+"}", m.of(f.typ, `[]string{"a"}`, from)+"[1:]", `[]string{"c", "a"}`,
			"[]string{"+m.of(f.typ, `[]string{"b"}`, from)+"[0]}")
	}
	list := []string{"[]int{4, 1}", "[]int{" + number + "}", "state." + goName(f.name) + "[1:]", "[]int{" + m.of(f.typ, "", from) + "[0]}"}
	if f.merge == "" && !m.composes && !m.within {
		list = append(list, m.of(f.typ, "", from), m.of(f.typ, "", from), "[]int{"+number+", 2}")
	}
	return pick(m, list...)
}

// orNumber puts an operator before a field and something behind it. Without a field it is a number.
func (m *maker) orNumber(before, field, after string) string {
	if field == "" {
		return "7"
	}
	return before + field + after
}

// truth is a field that a set writes and that transitions can look at; empty if there is none.
func (m *maker) truth(n *node) string {
	for _, name := range n.writes {
		typ := m.stateField(name).typ
		used := slices.ContainsFunc(n.trans, func(t string) bool { return strings.HasPrefix(t, name+": ") })
		if (typ == "bool" || typ == "string") && !used {
			return name
		}
	}
	return ""
}

// matchSet is an on_output condition on what a set writes; empty if it writes nothing that fits.
func (m *maker) matchSet(n *node) string {
	for _, name := range n.writes {
		switch m.stateField(name).typ {
		case "int", "?int":
			return fmt.Sprintf("on_output: {%s: %d}", name, 1+m.IntN(3))
		case "bool":
			return "on_output: {" + name + ": true}"
		case "string":
			return "on_output: {" + name + ": ab}"
		}
	}
	return ""
}
