package scenario_test

import (
	"strings"
	"testing"
)

func TestRecordedAddedNodes(t *testing.T) {
	tests := []struct {
		name, changes, says string
		unknown             bool
	}{
		{"a recording may have nodes of any name", "{allow: [add_node], kinds: [prompt]}", "recording: x.jsonl", false},
		{"but not where none may be added", "{allow: [skip_to]}", "recording: x.jsonl", true},
		{"a script adds the nodes that it names", "{allow: [add_node], kinds: [prompt]}", "script: {plan: {text: a}}", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			graph := "graph: planning\nentry: plan\nmutations: " + tt.changes + "\n" +
				"nodes:\n  plan: {kind: prompt, instructions: Plan., mutates: true, next: end}\n"
			file := "graph: review.graph.yaml\nscenarios:\n  - {name: a, " + tt.says + ", expect: {path: [plan, look]}}\n"
			var unknown bool
			for _, d := range diagnose(t, graph, file) {
				unknown = unknown || strings.Contains(d.Message, `unknown node "look"`)
			}
			if unknown != tt.unknown {
				t.Errorf("that node look is unknown is said: %t, want %t", unknown, tt.unknown)
			}
		})
	}
}

func TestRecordingPath(t *testing.T) {
	graph := "graph: g\nentry: a\nnodes:\n  a: {kind: prompt, instructions: Say.}\n"
	for name, outside := range map[string]bool{
		"x.jsonl": false, "..x.jsonl": false, "../x.jsonl": true, "..": true, ".": true, "down/x.jsonl": true, "./x.jsonl": true,
		"/etc/passwd": true, "down/../x.jsonl": true, `..\x.jsonl`: true, `C:x.jsonl`: true,
	} {
		found := diagnose(t, graph, "graph: review.graph.yaml\nscenarios:\n  - {name: a, recording: '"+name+"', expect: {end: completed}}\n")
		if len(found) != 1 || found[0].Code != "GG216" || strings.Contains(found[0].Message, "not a file of the same directory") != outside {
			t.Errorf("%s: %v", name, found)
		}
	}
}
