package scenario

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// A stepsForm is the form of the steps of a node or of a tool.
type stepsForm[E any] struct {
	list  Key // of entries
	entry *table[E]
	keys  func(*E) *map[string]spec.Pos // where to note the places of an entry's keys
	table table[Steps[*E]]              // instead of entries
}

// nodeSteps and toolSteps are functions, because Steps are made of Steps.
func nodeSteps() *stepsForm[Entry] {
	return &stepsForm[Entry]{
		list:  Key{Form: form("a list of entries"), Example: "[{out: v1}, {error: offline}], where an entry is one execution"},
		entry: &entryKeys,
		keys:  func(e *Entry) *map[string]spec.Pos { return &e.Keys },
		table: table[Steps[*Entry]]{Noun: "entries by element", Rows: []yamlread.Row[Steps[*Entry]]{eachKey(nodeSteps)}},
	}
}

func toolSteps() *stepsForm[ToolEntry] {
	return &stepsForm[ToolEntry]{
		list:  Key{Form: form("a list of calls"), Example: "[{result: otters}, {error: offline}]"},
		entry: &toolKeys,
		keys:  func(e *ToolEntry) *map[string]spec.Pos { return &e.Keys },
		table: table[Steps[*ToolEntry]]{Noun: "calls by element or by node", Rows: []yamlread.Row[Steps[*ToolEntry]]{eachKey(toolSteps), nodesKey()}},
	}
}

// eachKey returns the key of entries by element.
func eachKey[E any](steps func() *stepsForm[E]) yamlread.Row[Steps[*E]] {
	key := Key{Name: "each", Form: form("a list with the entries of every element"), Example: "[[{out: v1}], [{error: offline}]]",
		Doc: "The entries by element of the map around the node: a list of lists. The last is for all elements that follow, too."}
	return yamlread.Row[Steps[*E]]{Key: key, To: func(s *Steps[*E]) any {
		return reads(func(r *reader, v *Value, k *Key) {
			if v.Kind == yamlread.List && len(v.Items) == 0 {
				r.Report(r.Wrong, v.Pos, "expected "+k.Form.Expects+", found an empty list", "write it as in "+k.Example)
			}
			for _, item := range r.List(v, k) {
				s.Each = append(s.Each, readSteps(r, &item, steps))
			}
		})
	}}
}

// nodesKey is the key of calls by node.
func nodesKey() yamlread.Row[Steps[*ToolEntry]] {
	key := Key{Name: "nodes", Form: form("a mapping of nodes to lists of calls"), Example: "{draft: [{result: otters}]}",
		Doc: "The calls by the node that makes them."}
	return yamlread.Row[Steps[*ToolEntry]]{Key: key, To: func(s *Steps[*ToolEntry]) any {
		return each(func(r *reader, name spec.String, v *Value) {
			s.Nodes = append(s.Nodes, NodeSteps[*ToolEntry]{name, readSteps(r, v, toolSteps)})
		})
	}}
}

// readSteps reads a list of entries, a single entry, or a mapping of entries by element or by node.
func readSteps[E any](r *reader, v *Value, steps func() *stepsForm[E]) *Steps[*E] {
	s, f := &Steps[*E]{Pos: v.Pos}, steps()
	if v.Kind == yamlread.Map && hasKey(v, f.table.Mapping().Names()) {
		yamlread.Read(r, v, &f.table, s)
		if len(s.Each) > 0 && len(s.Nodes) > 0 {
			r.Report(r.Wrong, v.Pos, "the calls are written by element and by node", "write one of `each` and `nodes` here, and the other within it")
		}
		return s
	}
	if v.Kind != yamlread.Map && v.Kind != yamlread.List {
		r.Mismatch(v, &f.list)
		return s
	}
	for _, item := range v.AsList() {
		e := new(E)
		keys := make(map[string]spec.Pos)
		for i := 0; item.Kind == yamlread.Map && i < len(item.Items); i += 2 {
			keys[item.Items[i].Text] = item.Items[i].Pos
		}
		*f.keys(e) = keys
		yamlread.Read(r, &item, f.entry, e)
		s.Entries = append(s.Entries, e)
	}
	return s
}

// hasKey reports whether a mapping has one of the given keys.
func hasKey(v *Value, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return v.Get(name) != nil })
}
