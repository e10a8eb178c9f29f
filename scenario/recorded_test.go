package scenario_test

import (
	"strings"
	"testing"
)

func TestWhichNodesARecordedModelAddsIsKnownWhenItIsPlayed(t *testing.T) {
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
