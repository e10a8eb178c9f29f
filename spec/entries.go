package spec

import (
	"fmt"
	"slices"

	"github.com/graphgen/graphgen/spec/diag"
)

// nodes reads the nodes section. A name without a value is a node without keys.
func (r *reader) nodes(v *tree) []*Node {
	if v.shape != mapping {
		r.mismatch(v, FormNodes)
		r.torn = true
		return nil
	}
	r.torn = r.torn || v.dropped > 0
	nodes := make([]*Node, 0, len(v.items)/2)
	for i := 0; i < len(v.items); i += 2 {
		key, value := &v.items[i], &v.items[i+1]
		n := &Node{Name: String{V: key.text, Pos: key.pos}}
		if !value.isNull() {
			readKeys(r, value, &nodeTable, n)
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// edges reads the edges section.
func (r *reader) edges(v *tree) []*Edge {
	if v.shape != list {
		r.mismatch(v, FormEdges)
		r.torn = true
		return nil
	}
	edges := make([]*Edge, 0, len(v.items))
	for i := range v.items {
		item := &v.items[i]
		if item.shape != mapping {
			if item.shape != unreadable {
				r.mismatchHelp(item, "an edge", "write it as in {from: draft, to: end}")
			}
			edges = append(edges, &Edge{Pos: item.pos, From: lost(item.pos), To: lost(item.pos), Unread: true})
			continue
		}
		e := &Edge{Pos: item.pos}
		form := edgeForm(item)
		readKeys(r, r.unmixed(item, form), form, e)
		edges = append(edges, e)
	}
	return edges
}

// edgeForms are the forms of an entry of edges, each known by the key of its name; a
// plain edge has none of these keys.
var edgeForms = [...]struct {
	key  string
	form *table[Edge]
}{
	{"sequential", &sequentialTable},
	{"loop_until", &loopEdgeTable},
	{"branch", &branchTable},
	{"", &edgeTable},
}

// edgeForm returns the form of an entry: the one whose key it has, else the one that it has
// another key of, or whose key it has misspelt.
func edgeForm(entry *tree) *table[Edge] {
	keys := make([]string, len(edgeForms)-1)
	for i, f := range edgeForms[:len(keys)] {
		if entry.get(f.key) != nil {
			return f.form
		}
		keys[i] = f.key
	}
	if entry.get("by") != nil && entry.get("to") == nil {
		return &branchTable
	}
	for i := 0; i < len(entry.items) && entry.get("to") == nil; i += 2 {
		if near, ok := diag.Suggest(entry.items[i].text, keys); ok && !isEdgeKey(entry.items[i].text) {
			return edgeForms[slices.Index(keys, near)].form
		}
	}
	return &edgeTable
}

// unmixed reports the keys of an entry that belong to another form than its own, and
// returns the entry without them.
func (r *reader) unmixed(entry *tree, own *table[Edge]) *tree {
	if own == &edgeTable {
		return entry
	}
	rest := *entry
	rest.items = nil
	for i := 0; i < len(entry.items); i += 2 {
		key := &entry.items[i]
		if own.index(key.text) < 0 && isEdgeKey(key.text) {
			r.report("GG019", key.pos, fmt.Sprintf("%s cannot have the key %q", own.says, key.text), "make it an entry of its own")
			rest.dropped++
			continue
		}
		rest.items = append(rest.items, *key, entry.items[i+1])
	}
	return &rest
}

func isEdgeKey(key string) bool {
	for _, f := range edgeForms {
		if f.form.index(key) >= 0 {
			return true
		}
	}
	return false
}

// match reads the condition on_output.
func (r *reader) match(v *tree) *OutputMatch {
	m := &OutputMatch{Pos: v.pos}
	switch {
	case v.shape != mapping:
		r.mismatch(v, FormMatch)
		return m
	case len(v.items) != 2:
		r.report("GG019", v.pos, fmt.Sprintf("on_output needs exactly one entry, found %d", len(v.items)/2), "write it as in {status: done}; an if can compare more")
		return m
	}
	key, value := &v.items[0], &v.items[1]
	m.Key = String{V: key.text, Pos: key.pos}
	switch {
	case value.isNull() && value.text == "":
		r.report("GG015", key.pos, fmt.Sprintf("the key %q has no value", key.text), "write the value the output must have, or null")
	case value.shape == scalar:
		m.Value = Scalar{Kind: value.scalar, Text: value.text, Pos: value.pos}
	case value.shape != unreadable:
		r.mismatchHelp(value, "a text, number, bool or null", "an if can compare lists and structs")
	}
	return m
}

// flags reads a node's flags: names, and names with settings.
func (r *reader) flags(v *tree) []Flag {
	switch v.shape {
	case scalar:
		v = &tree{shape: list, items: []tree{*v}}
	case mapping:
		r.mismatch(v, FormFlags)
		return []Flag{{Name: lost(v.pos)}}
	}
	var flags []Flag
	for i := range v.items {
		item := &v.items[i]
		if item.shape == mapping {
			flags = append(flags, r.settings(item)...)
		} else {
			flags = append(flags, Flag{Name: r.text(item, anyName)})
		}
	}
	return flags
}

// settings reads a flag that has some. Of several in one mapping the names are kept.
func (r *reader) settings(v *tree) (flags []Flag) {
	if len(v.items) != 2 {
		r.report("GG019", v.pos, fmt.Sprintf("a flag with settings is one name, found %d", len(v.items)/2), "begin every flag with \"- \", or separate them by commas")
		for i := 0; i < len(v.items); i += 2 {
			flags = append(flags, Flag{Name: String{V: v.items[i].text, Pos: v.items[i].pos}})
		}
		return flags
	}
	key, value := &v.items[0], &v.items[1]
	flag := Flag{Name: String{V: key.text, Pos: key.pos}}
	for _, known := range Flags {
		switch {
		case known.Name != key.text:
		case known.Of == "":
			r.report("GG019", key.pos, fmt.Sprintf("the flag %q has no settings", key.text), "write its name alone")
		case value.isNull():
			r.report("GG015", key.pos, fmt.Sprintf("the flag %q has a colon but no settings", key.text), "write its name alone, or its settings as in {retryable: {attempts: 5}}")
		default:
			flag.Retry = &Retry{}
			readKeys(r, value, &retryTable, flag.Retry)
		}
	}
	return []Flag{flag}
}

// assertionKey is the key of an assertion that is written without its keys.
var assertionKey = &Key{Form: FormAssert}

// assertions reads what is asserted: statements, and statements with a reason.
func (r *reader) assertions(v *tree) []*Assertion {
	if v.shape != list {
		v = &tree{shape: list, items: []tree{*v}}
	}
	var out []*Assertion
	for i := range v.items {
		a, item := &Assertion{}, &v.items[i]
		if item.shape == mapping {
			readKeys(r, item, &assertionTable, a)
		} else {
			a.That = r.text(item, assertionKey)
		}
		out = append(out, a)
	}
	return out
}
