package plan_test

import (
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
)

// TestAssertionsOfTools holds to which nodes the assertions of a graph that runs may change are lowered: every path to A passes B.
func TestAssertionsOfTools(t *testing.T) {
	for _, row := range []struct{ name, node, assert, want string }{
		{"a tool of the spec", "tools: pay", "pay passes approve", "agent approve"},
		{"one that a person approves", "tools: pay, approve: pay", "pay passes approve", ""},
		{"a tool known at run time", "flags: [inject_tools]", "gh_delete passes approve", "agent approve"},
		{"several", "flags: [inject_tools], allow_tools: ['gh_*']", "gh_delete_* passes approve", "agent approve"},
		{"several that a person approves", "flags: [inject_tools], allow_tools: ['gh_*'], approve: ['gh_*']", "gh_delete_* passes approve", ""},
		{"a node", "flags: [inject_tools]", "agent passes approve", "agent approve"},
		{"the end", "flags: [inject_tools]", "end passes last", "end last"},
	} {
		g, found := spec.Load("g.graph.yaml", []byte(`graph: g
entry: start
limits: {max_steps: 20}
mutations: {allow: [add_edge], max: 3}
state: {y: {type: string, default: none}}
output: y
tools: {pay: {doc: Pays.}}
nodes:
  start: {reads: y, writes: y, mutates: true, next: approve}
  approve: {reads: y, writes: y, next: agent}
  agent: {kind: prompt, instructions: Help., reads: y, writes: y, next: last, `+row.node+`}
  last: {reads: y, writes: y, next: end}
assert: every path to `+row.assert+"\n"))
		graph := cfg.Of(g)
		for _, d := range append(found, check.Run(graph)...) {
			if d.Severity == diag.Error {
				t.Errorf("%s: %s", row.name, d.Message)
			}
		}
		var got []string
		for _, a := range plan.Lower(graph, "g").Mutations.Asserts {
			for _, n := range a.Nodes {
				name := "end"
				if n != nil {
					name = n.Name
				}
				got = append(got, name)
			}
		}
		if got := strings.Join(got, " "); got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
}
