package check_test

import (
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec/diag"
)

// innerGraph is a graph with inputs and outputs of several kinds, beside the types it shares.
const innerGraph = `-- shared.types.yaml --
types: {Note: {text: string}}
-- inner.graph.yaml --
graph: inner
entry: work
use: {shared: shared.types.yaml}
types: {Own: {text: string}}
state:
  topic: string
  note: "?shared.Note"
  depth: {type: int, default: 2}
  found: {type: "[]shared.Note", merge: append}
  best: "?Own"
  level: {enum: [low, high], default: low}
input: [topic, note, depth]
output: [found, best, level]
nodes:
  work: {reads: [topic, note, depth], writes: [found, best, level]}
`

// outerGraph uses it; its node is to be written behind it.
const outerGraph = innerGraph + `-- g.graph.yaml --
graph: g
entry: a
use: {inner: inner.graph.yaml, shared: shared.types.yaml}
state:
  topic: string
  count: int
  note: {type: "?shared.Note"}
  notes: {type: "[]shared.Note", merge: append}
  last: {type: "[][]shared.Note", merge: append}
  best: "?inner.Own"
  level: {enum: [low, high], default: low}
input: [topic, count, note]
output: [notes, last, best, level]
nodes:
  b: {reads: [topic, count, note], writes: [notes, last, best, level]}
  a: {kind: subgraph, next: b, `

func TestInputAndOutput(t *testing.T) {
	for name, c := range map[string]struct{ node, want string }{
		"all inputs and outputs":                 {"graph: inner, in: {topic: topic, note: note, depth: count}, out: {notes: found, best: best}}", ""},
		"inputs that may be left out":            {"graph: inner, in: {topic: topic}, out: {notes: found}}", ""},
		"a list that is an element of the field": {"graph: inner, in: {topic: topic}, out: {last: found}}", ""},
		"an input that is needed":                {"graph: inner, in: {note: note}}", `does not give the input "topic" of graph "inner"`},
		"an input that there is not":             {"graph: inner, in: {topic: topic, topc: topic}}", `graph "inner" has no input "topc"`},
		"an output that there is not":            {"graph: inner, in: {topic: topic}, out: {notes: finds}}", `graph "inner" has no output "finds"`},
		"an input of the inner state alone":      {"graph: inner, in: {topic: topic, best: best}}", `graph "inner" has no input "best"`},
		"a field that the state does not have":   {"graph: inner, in: {topic: topc}}", `the state has no field "topc"`},
		"a field to write that there is not":     {"graph: inner, in: {topic: topic}, out: {nots: found}}", `the state has no field "nots"`},
		"an input of another type": {"graph: inner, in: {topic: count}}",
			`the state's "count" is an int, and the input "topic" of graph "inner" a string`},
		"an output of another type": {"graph: inner, in: {topic: topic}, out: {topic: found}}",
			`the output "found" of graph "inner" is a []Note, and the state's "topic" a string`},
		"a type without a name, of the same words": {"graph: inner, in: {topic: topic}, out: {level: level}}",
			`the output "level" of graph "inner" is an InnerLevel, and the state's "level" a GLevel`},
		"no graph":                                 {"in: {topic: topic}}", `subgraph "a" has no graph`},
		"a graph that there is not":                {"graph: iner, in: {topic: topic}}", `there is no graph "iner" here`},
		"a file of types":                          {"graph: shared}", `the file "shared.types.yaml" holds types and no graph`},
		"its own graph without a bound":            {"graph: g, in: {topic: topic, count: count}}", `graph "g" runs itself, and has no bound`},
		"its own graph":                            {"graph: g, in: {topic: topic, count: count}, max_depth: 2}", ""},
		"its own graph, deeper than there is room": {"graph: g, in: {topic: topic, count: count}, max_depth: 20000}", `max_depth is out of range: 20000`},
		"a depth without recursion":                {"graph: inner, in: {topic: topic}, max_depth: 2}", `max_depth of subgraph "a" has no effect`},
		"a flag of handlers":                       {"graph: inner, in: {topic: topic}, flags: [cacheable]}", `subgraph "a" cannot be cacheable`},
		"a flag of models": {"graph: inner, in: {topic: topic}, flags: [lightweight]}",
			`the flag lightweight has no effect at node "a"`},
		"flags that it can have":        {"graph: inner, in: {topic: topic}, flags: [critical, {retryable: {attempts: 2}}], timeout: 3s}", ""},
		"a handler's keys":              {"graph: inner, in: {topic: topic}, reads: topic}", `reads belongs to nodes of kind`},
		"a field that may hold nothing": {"graph: inner, in: {topic: topic}, out: {best: best}}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			found := text(diag.WithoutNotes(errorsOf(judgeAll(diag.Files("g.graph.yaml", outerGraph+c.node+"\n")))))
			switch {
			case c.want == "" && found != "":
				t.Errorf("got\n%s", found)
			case c.want != "" && (strings.Count(found, ": error[") != 1 || !strings.Contains(found, c.want)):
				t.Errorf("got\n%swant %s, once", found, c.want)
			}
		})
	}
}

// errorsOf returns the findings that stop generation.
func errorsOf(found []diag.Diagnostic) []diag.Diagnostic {
	var out []diag.Diagnostic
	for _, d := range found {
		if d.Severity == diag.Error {
			out = append(out, d)
		}
	}
	return out
}

func TestBudgetOfInnerModels(t *testing.T) {
	const files = `-- inner.graph.yaml --
graph: inner
entry: ask
state: {x: string}
output: x
nodes:
  ask: {kind: prompt, instructions: Say something., writes: x}
-- g.graph.yaml --
graph: g
entry: a
limits: {max_tokens: 100%s}
use: {inner: inner.graph.yaml}
state: {x: string}
output: x
nodes:
  a: {kind: subgraph, graph: inner, out: {x: x}}
`
	if found := judgeAll(diag.Files("g.graph.yaml", strings.Replace(files, "%s", "", 1))); len(errorsOf(found)) > 0 {
		t.Error(text(found))
	}
	found := text(judgeAll(diag.Files("g.graph.yaml", strings.Replace(files, "%s", ", max_tool_calls: 3", 1))))
	if !strings.Contains(found, "max_tool_calls has no effect: the graph calls no tools") {
		t.Error(found)
	}
}
