package wire

import "testing"

// around is a graph whose nodes run others: root runs inner by a and by b, which runs leaf
// by c in a map; self runs itself by d.
var around = Scenario{
	Root: "root", Subs: map[string]string{"a": "inner", "b": "inner", "s": "self"},
	Places: map[string]Place{"b": {Branch: "left", Levels: []Level{{1, 0}}}},
	Nested: map[string]Graph{
		"inner": {Subs: map[string]string{"c": "leaf"}, Places: map[string]Place{"c": {Levels: []Level{{2, Element}}}}},
		"leaf":  {Pure: []string{"read"}},
		"self":  {Subs: map[string]string{"d": "self"}},
	},
}

func TestGraphOfInnerNode(t *testing.T) {
	for path, want := range map[string]string{"": "root", "a": "inner", "b/c": "leaf", "s/d/d/d": "self", "a/b": "", "x": ""} {
		if name, _ := around.GraphAt(path); name != want {
			t.Errorf("%q is of %q, want %q", path, name, want)
		}
	}
}

func TestBranchOfInnerNode(t *testing.T) {
	for node, want := range map[string]struct {
		levels int
		branch string
	}{"a": {0, ""}, "a/x": {0, ""}, "b": {1, "left"}, "b/x": {1, "left"}, "b/c": {2, ""}, "b/c/y": {2, ""}, "a/c/y": {1, ""}} {
		if p := around.PlaceOf(node); len(p.Levels) != want.levels || p.Branch != want.branch {
			t.Errorf("%s is in %+v", node, p)
		}
	}
}

func TestPathToGraph(t *testing.T) {
	for graph, want := range map[string]bool{"root": true, "inner": false, "leaf": false, "self": false, "none": false} {
		if path, only := around.PathTo(graph); only != want {
			t.Errorf("the path to %s is %q, the only one: %t", graph, path, only)
		}
	}
	one := Scenario{Root: "root", Subs: map[string]string{"a": "inner"}, Nested: map[string]Graph{"inner": {Subs: map[string]string{"c": "leaf"}}}}
	if path, only := one.PathTo("leaf"); path != "a/c" || !only {
		t.Errorf("the path is %q", path)
	}
}
