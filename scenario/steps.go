package scenario

import "github.com/graphgen/graphgen/spec"

// A stepsForm is the form of the steps of a node or of a tool.
type stepsForm[E any] struct {
	entries string // "a list of entries"
	help    string
	entry   func(*reader, *Value) E
	keys    table[Steps[E]] // in place of entries
}

// nodeSteps and toolSteps are functions, because Steps are made of Steps.
func nodeSteps() *stepsForm[*Entry] {
	return &stepsForm[*Entry]{
		entries: "a list of entries",
		help:    "an entry is one execution, as in [{out: v1}, {error: offline}]",
		entry: func(r *reader, v *Value) *Entry {
			e := &Entry{Pos: v.Pos, Keys: v.keys()}
			readKeys(r, v, &entryKeys, e)
			return e
		},
		keys: table[Steps[*Entry]]{"entries by element", []key[Steps[*Entry]]{eachKey(nodeSteps)}},
	}
}

func toolSteps() *stepsForm[*ToolEntry] {
	return &stepsForm[*ToolEntry]{
		entries: "a list of calls",
		help:    "write it as in [{result: otters}, {error: offline}]",
		entry: func(r *reader, v *Value) *ToolEntry {
			e := &ToolEntry{Pos: v.Pos, Keys: v.keys()}
			readKeys(r, v, &toolKeys, e)
			return e
		},
		keys: table[Steps[*ToolEntry]]{"calls by element or by node", []key[Steps[*ToolEntry]]{
			eachKey(toolSteps),
			{name: "nodes", example: "{draft: [{result: otters}]}", doc: "The calls by the node that makes them.", read: readNodes},
		}},
	}
}

// eachKey returns the key of entries by element.
func eachKey[E any](form func() *stepsForm[E]) key[Steps[E]] {
	return key[Steps[E]]{name: "each", example: "[[{out: v1}], [{error: offline}]]", doc: "The entries by element of the map around the node: a list of lists. The last is for all elements that follow, too.",
		read: func(r *reader, v *Value, s *Steps[E]) {
			const want, help = "a list with the entries of every element", "write it as in [[{out: v1}], [{error: offline}]]"
			switch {
			case v.Kind != List:
				r.mismatch(v, want, help)
			case len(v.Items) == 0:
				r.report("GG203", v.Pos, "expected "+want+", found an empty list", help)
			}
			for i := 0; v.Kind == List && i < len(v.Items); i++ {
				s.Each = append(s.Each, readSteps(r, &v.Items[i], form))
			}
		}}
}

func readNodes(r *reader, v *Value, s *Steps[*ToolEntry]) {
	r.pairs(v, "a mapping of nodes to lists of calls", "write it as in {draft: [{result: otters}]}", func(name spec.String, v *Value) {
		s.Nodes = append(s.Nodes, NodeSteps[*ToolEntry]{name, readSteps(r, v, toolSteps)})
	})
}

// readSteps reads a list of entries, a single entry, or a mapping of entries by element or by node.
func readSteps[E any](r *reader, v *Value, form func() *stepsForm[E]) *Steps[E] {
	s, f := &Steps[E]{Pos: v.Pos}, form()
	switch {
	case v.Kind == Map && v.hasKey(f.keys.names()):
		readKeys(r, v, &f.keys, s)
		if len(s.Each) > 0 && len(s.Nodes) > 0 {
			r.report("GG203", v.Pos, "the calls are written by element and by node", "write one of `each` and `nodes` here, and the other within it")
		}
	case v.Kind == Map:
		s.Entries = []E{f.entry(r, v)}
	case v.Kind != List:
		r.mismatch(v, f.entries, f.help)
	}
	for i := 0; v.Kind == List && i < len(v.Items); i++ {
		s.Entries = append(s.Entries, f.entry(r, &v.Items[i]))
	}
	return s
}

// hasKey reports whether a mapping has one of the given keys.
func (v *Value) hasKey(names []string) bool {
	for _, name := range names {
		if v.member(name) != nil {
			return true
		}
	}
	return false
}
