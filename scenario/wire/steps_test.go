package wire

import (
	"slices"
	"testing"
)

// list is a list of entries.
func list(entries ...string) Steps[string] { return Steps[string]{Entries: entries} }

func TestEntries(t *testing.T) {
	each := Steps[string]{Each: []Steps[string]{list("a", "b"), list("c")}}
	deep := Steps[string]{Each: []Steps[string]{each, list("d"), each}}
	byNode := Steps[string]{Nodes: []NodeSteps[string]{{"draft", deep}, {"check", list("e", "f")}}}
	for name, c := range map[string]struct {
		steps    Steps[string]
		node     string
		elements []int
		want     []string
		number   int
		first    int
	}{
		"a list is for all":                               {list("a"), "draft", []int{3, 1}, []string{"a"}, 0, 0},
		"one is that of its element":                      {each, "draft", []int{0}, []string{"a", "b"}, 0, 0},
		"the last is for the elements that follow":        {each, "draft", []int{4}, []string{"c"}, 1, 2},
		"a map within a map has elements of its own":      {deep, "draft", []int{2, 0}, []string{"a", "b"}, 3, 4},
		"a list is for all elements of an inner map":      {deep, "draft", []int{1, 6}, []string{"d"}, 2, 3},
		"the calls of a node":                             {byNode, "check", nil, []string{"e", "f"}, 5, 7},
		"the calls of a node for an element":              {byNode, "draft", []int{0, 1}, []string{"c"}, 1, 2},
		"a node that is not named has none":               {byNode, "publish", nil, nil, 0, 0},
		"out of the map there is none that is by element": {each, "draft", nil, nil, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			leaf, ok := c.steps.Find(c.node, c.elements)
			if ok != (c.want != nil) || !slices.Equal(leaf.Entries, c.want) || leaf.Number != c.number || leaf.First != c.first {
				t.Errorf("got %+v, %t", leaf, ok)
			}
		})
	}
}
