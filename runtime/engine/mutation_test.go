package engine

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/nodename"
	"github.com/graphgen/graphgen/mutation"
)

// changeable is a graph of which runs go a, b, c, d and end; b may go back to a twice, or past c,
// by conditions.
func changeable(asserts ...Assertion) *Graph {
	g := &Graph{
		Name: "g", File: "g.graph.yaml", MaxSteps: 50,
		Nodes: []NodeInfo{{Name: "end"}, {Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d", Ends: true}, {Name: "t"}, {Name: "i", Parent: 1}},
		Transitions: []TransitionInfo{
			{To: 1, Rule: graphgen.RuleEntry},
			{From: 1, To: 2, Rule: graphgen.RuleNext, Text: "next"},
			{From: 2, To: 1, Rule: graphgen.RuleEdge, Text: "if again", Pair: 2, Max: 2},
			{From: 2, To: 4, Rule: graphgen.RuleEdge, Text: "if done"},
			{From: 2, To: 3, Rule: graphgen.RuleEdge},
			{From: 3, To: 4, Rule: graphgen.RuleNext, Text: "next"},
		},
		Mutable: &Mutable{
			Allow: []mutation.Action{mutation.ActionAddNode, mutation.ActionAddEdge, mutation.ActionSkipTo, mutation.ActionRetryWith,
				mutation.ActionRemoveEdge, mutation.ActionRemoveNode}, Max: 3,
			Templates: []NodeID{5}, Asserts: asserts,
		},
	}
	return g
}

// asking makes a run of the graph come along a path to its last node, and there ask for changes.
// It returns what was refused, and where the run goes.
func asking(t *testing.T, g *Graph, path []TransitionID, changes ...mutation.Change) (refused []string, next NodeID) {
	t.Helper()
	var r Run
	r.Start(context.Background(), g, &Frame{
		Counters: make([]uint32, len(g.Transitions)+len(g.Nodes)),
	}, nil, nil)
	for _, transition := range path {
		r.SlowStep(transition, g.to(transition))
	}
	r.Changes().Apply(changes, func(update any) bool { return update == nil })
	for _, m := range r.Changes().log {
		refused = append(refused, m.Refused)
	}
	return refused, r.here()
}

func TestAssertionRefusesChange(t *testing.T) {
	const a, b, c, d = 1, 2, 3, 4
	toB := []TransitionID{1}
	toC := []TransitionID{1, 4}
	for _, test := range []struct {
		name    string
		assert  Assertion
		path    []TransitionID
		change  mutation.Change
		refused bool
	}{
		{"a way past the node that paths pass", Assertion{Form: EveryPathPasses, A: d, B: b}, nil, mutation.SkipTo("c"), true},
		{"a way to that node", Assertion{Form: EveryPathPasses, A: d, B: b}, nil, mutation.SkipTo("b"), false},
		{"a way past it once it was passed", Assertion{Form: EveryPathPasses, A: d, B: b}, toB, mutation.SkipTo("d"), false},
		{"an end that comes too early", Assertion{Form: EveryPathPasses, A: End, B: b}, nil, mutation.SkipTo("end"), true},
		{"an end that a node may be, too early", Assertion{Form: EveryPathPasses, A: End, B: b}, nil, mutation.AddEdge("a", "d"), true},
		{"an edge that leads past", Assertion{Form: EveryPathPasses, A: d, B: b}, nil, mutation.AddEdge("a", "c"), true},
		{"an edge behind the node", Assertion{Form: EveryPathPasses, A: d, B: b}, nil, mutation.AddEdge("c", "end"), false},
		{"the node is removed", Assertion{Form: EveryPathPasses, A: d, B: c}, nil, mutation.RemoveNode("c"), true},
		{"a new node that leads past", Assertion{Form: EveryPathPasses, A: d, B: b}, nil,
			mutation.AddNode(mutation.Node{Name: "n", Template: "t", After: "a", Next: "c"}), true},

		{"a way without the node between", Assertion{Form: NoPathWithout, A: a, B: d, C: b}, nil, mutation.SkipTo("d"), true},
		{"a way that begins behind it", Assertion{Form: NoPathWithout, A: a, B: d, C: b}, toB, mutation.SkipTo("d"), false},
		{"a way back to the beginning", Assertion{Form: NoPathWithout, A: a, B: d, C: b}, toC, mutation.SkipTo("a"), false},
		{"an edge without the node between", Assertion{Form: NoPathWithout, A: a, B: d, C: b}, toB, mutation.AddEdge("a", "c"), true},

		{"the node that must be reachable is out of reach", Assertion{Form: IsReachable, A: c}, nil, mutation.RemoveNode("c"), true},
		{"another one is out of reach", Assertion{Form: IsReachable, A: d}, nil, mutation.RemoveNode("c"), false},
		{"it has been reached", Assertion{Form: IsReachable, A: a}, toB, mutation.SkipTo("d"), false},

		{"a node runs oftener", Assertion{Form: RunsAtMost, A: b, Most: 3}, toB, mutation.AddEdge("c", "b").AtMost(1), true},
		{"another node runs oftener", Assertion{Form: RunsAtMost, A: a, Most: 3}, toC, mutation.AddEdge("d", "c").AtMost(1), false},
		{"a node that has its runs behind it", Assertion{Form: RunsAtMost, A: c, Most: 1}, toC, mutation.RetryWith(nil), true},
		{"a node that has runs left", Assertion{Form: RunsAtMost, A: d, Most: 1}, toC, mutation.SkipTo("d"), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.assert.Text = "what is asserted"
			refused, _ := asking(t, changeable(test.assert), test.path, test.change)
			if got := strings.Contains(refused[0], "what is asserted"); got != test.refused || refused[0] != "" && !got {
				t.Errorf("refused: %q", refused[0])
			}
		})
	}
}

// TestEdgeToPathStart adds an edge by which a run comes back to the begin
// of a path that it has behind it: from v to a, perhaps past c to u, and on by the edge to v and b.
func TestEdgeToPathStart(t *testing.T) {
	const v, a, c, u, b = 1, 2, 3, 4, 5
	graph := func() *Graph {
		return &Graph{
			Name: "g", File: "g.graph.yaml", MaxSteps: 50,
			Nodes: []NodeInfo{{Name: "end"}, {Name: "v"}, {Name: "a"}, {Name: "c"}, {Name: "u", Ends: true}, {Name: "b", Ends: true}},
			Transitions: []TransitionInfo{
				{To: v, Rule: graphgen.RuleEntry},
				{From: v, To: a, Rule: graphgen.RuleEdge, Text: "if good"},
				{From: v, To: b, Rule: graphgen.RuleEdge},
				{From: a, To: c, Rule: graphgen.RuleEdge, Text: "if good"},
				{From: a, To: u, Rule: graphgen.RuleEdge},
				{From: c, To: u, Rule: graphgen.RuleNext, Text: "next"},
			},
			Mutable: &Mutable{
				Allow: []mutation.Action{mutation.ActionAddEdge, mutation.ActionSkipTo}, Max: 3,
				Asserts: []Assertion{{Form: NoPathWithout, A: a, B: b, C: c, Text: "what is asserted"}},
			},
		}
	}
	pastC := []TransitionID{1, 3, 5}
	if refused, _ := asking(t, graph(), pastC, mutation.AddEdge("u", "v").AtMost(3)); !strings.Contains(refused[0], "what is asserted") {
		t.Errorf("the edge: refused %q", refused[0])
	}
	if refused, _ := asking(t, graph(), pastC, mutation.SkipTo("v")); refused[0] != "" {
		t.Errorf("one step back, which does not happen again: refused %q", refused[0])
	}
}

func TestUnsoundChanges(t *testing.T) {
	for _, test := range []struct {
		name, want string
		changes    []mutation.Change
	}{
		{"a cycle that nothing bounds", "no bound", []mutation.Change{mutation.AddEdge("c", "b")}},
		{"a node that leads to itself", "no bound", []mutation.Change{mutation.AddEdge("c", "c")}},
		{"a cycle through a node that was added", "no bound",
			[]mutation.Change{mutation.AddNode(mutation.Node{Name: "n", Template: "t", Next: "b"}), mutation.AddEdge("c", "n")}},
		{"a template", "is a template", []mutation.Change{mutation.SkipTo("t")}},
		{"what another node runs", "run by another", []mutation.Change{mutation.AddEdge("a", "i")}},
		{"a negative bound", "positive", []mutation.Change{mutation.AddEdge("a", "c").AtMost(-1)}},
		{"more than max", "its max", []mutation.Change{mutation.AddEdge("a", "c"), mutation.AddEdge("a", "d"),
			mutation.AddEdge("a", "b"), mutation.AddEdge("b", "d")}},
		{"the only way on", "would have no transition", []mutation.Change{mutation.RemoveEdge("a", "b")}},
		{"the sure way on", "conditions alone", []mutation.Change{mutation.RemoveEdge("b", "c")}},
		{"the last but one way back", "", []mutation.Change{mutation.RemoveEdge("b", "a")}},
		{"a way that there is not", "no transition leads", []mutation.Change{mutation.RemoveEdge("a", "d")}},
		{"the way of an added node", "would have no transition",
			[]mutation.Change{mutation.AddNode(mutation.Node{Name: "n", Template: "t", After: "a"}), mutation.RemoveEdge("n", "b")}},
		{"a node that was removed", "was removed", []mutation.Change{mutation.RemoveNode("c"), mutation.SkipTo("c")}},
		{"the node to which the run is led", "to run next", []mutation.Change{mutation.SkipTo("c"), mutation.RemoveNode("c")}},
		{"an update of another graph", "none of the graph", []mutation.Change{mutation.RetryWith(1)}},
		{"words that mean nothing", "no sense", []mutation.Change{Misread("fly", "it makes no sense")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			refused, _ := asking(t, changeable(), nil, test.changes...)
			last := refused[len(refused)-1]
			if (test.want == "") != (last == "") || !strings.Contains(last, test.want) {
				t.Errorf("refused: %q", refused)
			}
			for _, before := range refused[:len(refused)-1] {
				if before != "" {
					t.Errorf("refused: %q", refused)
				}
			}
		})
	}
}

func TestAddedNodesHaveNames(t *testing.T) {
	for name, good := range map[string]bool{
		"a1": true, "b_c": true, "Z": true, strings.Repeat("n", nodename.Max): true,
		"": false, "1a": false, "_a": false, "a b": false, "a-b": false, "a.b": false, "\x1b[31m": false, "n\n": false, "n\x00": false, "é": false,
		"n\xff": false, "a|b": false, "end": false, "END": false, "__end__": false, "c": false,
		strings.Repeat("n", nodename.Max+1): false, strings.Repeat("n", 1<<20): false,
	} {
		if refused, _ := asking(t, changeable(), nil, mutation.AddNode(mutation.Node{Name: name, Template: "t", After: "a"})); (refused[0] == "") != good {
			t.Errorf("%.80q: refused %q", name, refused[0])
		}
	}
}

func TestModelTextIsQuoted(t *testing.T) {
	for _, text := range []string{"\x1b]0;title\a", "two\nlines", "nul\x00", "half \xe2\x82", "\u202eright to left",
		strings.Repeat("x", 1<<20), strings.Repeat("\x1b", 1<<20)} {
		for name, change := range map[string]mutation.Change{
			"action": Misread(text, "it makes no sense"), "reason": Misread("skip_to", text), "target": mutation.SkipTo(text),
			"removed": mutation.RemoveNode(text),
			"from":    mutation.AddEdge(text, "a"), "to": mutation.AddEdge("a", text), "name": mutation.AddNode(mutation.Node{Name: text}),
			"template": mutation.AddNode(mutation.Node{Name: "n", Template: text}),
			"kind":     mutation.AddNode(mutation.Node{Name: "n", Kind: text}), "after": mutation.AddNode(mutation.Node{Name: "n", Template: "t", After: text}),
			"next":        mutation.AddNode(mutation.Node{Name: "n", Template: "t", Next: text}),
			"reads":       mutation.AddNode(mutation.Node{Name: "n", Kind: "prompt", Instructions: "x", Reads: []string{text}}),
			"placeholder": mutation.AddNode(mutation.Node{Name: "n", Kind: "prompt", Instructions: "{{" + text + "}}"}),
			"writes":      mutation.AddNode(mutation.Node{Name: "n", Kind: "prompt", Instructions: "x", Writes: text}),
			"tools":       mutation.AddNode(mutation.Node{Name: "n", Kind: "prompt", Instructions: "x", Tools: []string{text}}),
		} {
			g := changeable()
			g.Mutable.Kinds = []string{"prompt"}
			refused, _ := asking(t, g, nil, change)
			for _, reported := range []string{refused[0], change.String(), string(change.Action)} {
				if reported == "" || len(reported) > 1000 || strings.IndexFunc(reported, func(c rune) bool { return !strconv.IsPrint(c) }) >= 0 {
					t.Errorf("%s of %.20q: %.200q of %d bytes", name, text, reported, len(reported))
				}
			}
		}
	}
}

func TestAddedPrompt(t *testing.T) {
	for _, test := range []struct {
		name, want string
		node       mutation.Node
	}{
		{"nothing", "", mutation.Node{}},
		{"what it may have", "", mutation.Node{Instructions: "{{open}}", Reads: []string{"open", "other"}, Writes: "note", Tools: []string{"search"}}},
		{"a field of the state that it may not read", `may not read the field "secret"`, mutation.Node{Reads: []string{"open", "secret"}}},
		{"the same in its instructions", `may not be shown the field "secret"`, mutation.Node{Instructions: "{{ secret }}"}},
		{"a field that it may write alone", `may not read the field "note"`, mutation.Node{Reads: []string{"note"}}},
		{"a field that it may read alone", `may not write "open"`, mutation.Node{Writes: "open"}},
		{"a tool that it may not call", `may not call the tool "pay"`, mutation.Node{Tools: []string{"search", "pay"}}},
		{"a tool twice", `call the tool "search" twice`, mutation.Node{Tools: []string{"search", "search"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := changeable()
			g.Mutable.Kinds, g.Mutable.Reads, g.Mutable.Writes, g.Mutable.Tools = []string{"prompt"}, []string{"open", "other"},
				[]string{"note"}, []string{"search"}
			n := test.node
			n.Name, n.Kind, n.After = "n", "prompt", "a"
			if n.Instructions == "" {
				n.Instructions = "Look."
			}
			refused, _ := asking(t, g, nil, mutation.AddNode(n))
			if (test.want == "") != (refused[0] == "") || !strings.Contains(refused[0], test.want) {
				t.Errorf("refused: %q", refused[0])
			}
			g.Mutable.Reads, g.Mutable.Writes, g.Mutable.Tools = nil, nil, nil
			if refused, _ := asking(t, g, nil, mutation.AddNode(n)); (refused[0] == "") != (test.name == "nothing") {
				t.Errorf("where the spec names nothing, refused: %q", refused[0])
			}
		})
	}
}

func TestSharedTable(t *testing.T) {
	g := changeable()
	nodes, transitions := len(g.Nodes), len(g.Transitions)
	if refused, next := asking(t, g, nil, mutation.AddNode(mutation.Node{Name: "n", Template: "t"}), mutation.AddEdge("a", "n"),
		mutation.SkipTo("n")); strings.Join(refused, "") != "" || next != 7 {
		t.Fatal(refused, next)
	}
	if len(g.Nodes) != nodes || len(g.Transitions) != transitions || g.dynamicNodes != nil || g.NodeName(7) != "unknown" {
		t.Error("a run has changed what all runs share")
	}
}
