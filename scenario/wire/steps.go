package wire

// A Place is the position of a node that runs in branches.
type Place struct {
	Branch string  `json:"branch,omitempty"` // as the kernel names it; empty where that differs
	Levels []Level `json:"levels"`           // outermost first
}

// A Level is one of the branches that a node runs in.
type Level struct {
	Parent int `json:"parent"` // number of the composite node of the branch
	Index  int `json:"index"`  // of the branch, as the spec has them, or Element
}

// Element is the index of an element of a map.
const Element = -1

// Steps are the entries of a node or of a tool: a list, lists by element of the outermost map
// around the node, the last for all that follow, or lists by the node that calls a tool.
type Steps[E any] struct {
	Entries []E            `json:"entries,omitempty"`
	Each    []Steps[E]     `json:"each,omitempty"`
	Nodes   []NodeSteps[E] `json:"nodes,omitempty"`
}

// NodeSteps are the entries of a tool's calls by one node.
type NodeSteps[E any] struct {
	Node string `json:"node"`
	Steps[E]
}

// A Leaf is one of the lists of entries of Steps.
type Leaf[E any] struct {
	Entries []E
	Number  int // of the list, in all Steps
	First   int // of its first entry, in all Steps
}

// Leaves returns the lists of entries: the lists of the first element before the lists of the second.
func (s *Steps[E]) Leaves() []Leaf[E] {
	var all []Leaf[E]
	s.visit(&all)
	return all
}

// visit appends the lists of entries.
func (s *Steps[E]) visit(all *[]Leaf[E]) {
	for i := range s.Each {
		s.Each[i].visit(all)
	}
	for i := range s.Nodes {
		s.Nodes[i].visit(all)
	}
	if s.Each != nil || s.Nodes != nil {
		return
	}
	leaf := Leaf[E]{Entries: s.Entries, Number: len(*all)}
	if leaf.Number > 0 {
		before := (*all)[leaf.Number-1]
		leaf.First = before.First + len(before.Entries)
	}
	*all = append(*all, leaf)
}

// Find returns the list for an execution in a branch, whose elements count from 0, outermost first.
// It returns false if the node has no list.
func (s *Steps[E]) Find(node string, elements []int) (leaf Leaf[E], ok bool) {
	at, before := s, 0
	for {
		switch {
		case at.Each != nil && len(elements) > 0:
			i := min(elements[0], len(at.Each)-1)
			for k := range i {
				before += len(at.Each[k].Leaves())
			}
			at, elements = &at.Each[i], elements[1:]
		case at.Nodes != nil:
			i := 0
			for i < len(at.Nodes) && at.Nodes[i].Node != node {
				before += len(at.Nodes[i].Leaves())
				i++
			}
			if i == len(at.Nodes) {
				return leaf, false
			}
			at = &at.Nodes[i].Steps
		case at.Each != nil:
			return leaf, false
		default:
			return s.Leaves()[before], true
		}
	}
}
