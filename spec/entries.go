package spec

import "fmt"

// nodes reads the nodes section. A name without a value is a node without keys.
func (r *reader) nodes(v *tree) []*Node {
	if v.shape != mapping {
		r.mismatch(v, FormNodes)
		return nil
	}
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
		return nil
	}
	edges := make([]*Edge, 0, len(v.items))
	for i := range v.items {
		item := &v.items[i]
		if item.shape != mapping {
			if item.shape != unreadable {
				r.mismatchHelp(item, "an edge", "write it as in {from: draft, to: end}")
			}
			continue
		}
		e := &Edge{Pos: item.pos}
		readKeys(r, r.unmixed(item), edgeForm(item), e)
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

func edgeForm(entry *tree) *table[Edge] {
	for _, f := range edgeForms[:len(edgeForms)-1] {
		if entry.get(f.key) != nil {
			return f.form
		}
	}
	return &edgeTable
}

// unmixed reports the keys of an entry that belong to another form than its own, and
// returns the entry without them.
func (r *reader) unmixed(entry *tree) *tree {
	own := edgeForm(entry)
	if own == &edgeTable {
		return entry
	}
	rest := *entry
	rest.items = nil
	for i := 0; i < len(entry.items); i += 2 {
		key := &entry.items[i]
		if !own.has(key.text) && isEdgeKey(key.text) {
			r.report("GG019", key.pos, fmt.Sprintf("%s cannot have the key %q", own.says, key.text), "make it an entry of its own")
			continue
		}
		rest.items = append(rest.items, *key, entry.items[i+1])
	}
	return &rest
}

func isEdgeKey(key string) bool {
	for _, f := range edgeForms {
		if f.form.has(key) {
			return true
		}
	}
	return false
}

func (t *table[T]) has(key string) bool {
	for i := range t.rows {
		if t.rows[i].Name == key {
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
		return nil
	}
	var flags []Flag
	for i := range v.items {
		item := &v.items[i]
		if item.shape == mapping {
			flags = append(flags, r.settings(item)...)
		} else if name := r.text(item, anyName); name.V != "" {
			flags = append(flags, Flag{Name: name})
		}
	}
	return flags
}

// settings reads a flag that has some.
func (r *reader) settings(v *tree) []Flag {
	if len(v.items) != 2 {
		r.report("GG019", v.pos, fmt.Sprintf("a flag with settings is one name, found %d", len(v.items)/2), "begin every flag with \"- \", or separate them by commas")
		return nil
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
