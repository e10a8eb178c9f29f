package scenario

import "github.com/graphgen/graphgen/spec/diag"

// RuleSpec is the spec, review.graph.yaml, for the examples of Rules.
const RuleSpec = `graph: review
entry: draft
state:
  topic: string
  grade: {enum: [low, high]}
  tags: {type: "[]string", merge: custom}
  tag: string
  weights: {type: "[]int", merge: append}
input: [topic]
output: [weights]
nodes:
  draft: {reads: [topic], writes: [grade, tags]}
  check: {kind: guard, reads: [grade], on_fail: draft, max_visits: 3}
  judge: {kind: router, reads: [grade], routes: [draft, publish]}
  publish: {reads: [tags]}
  sort: {kind: map, over: tags, item: tag, body: [weigh, tidy]}
  weigh: {reads: [tag], writes: [weights]}
  tidy: {kind: transform, reads: [tag], writes: [weights]}
edges:
  - {from: draft, to: check}
  - {from: check, to: judge}
  - {from: publish, to: sort}
`

// example returns a scenario file of RuleSpec with the given lines.
func example(lines string) string {
	return "graph: review.graph.yaml\nmerges: {tags: append}\nscenarios:\n  - name: works\n" + lines
}

// Rules are the rules of scenario files. Test also reports mistakes of YAML, with the codes of the
// spec's reader, and mistakes of specs.
var Rules = []diag.Rule{
	{
		Code: "GG201", Name: "scenario-unknown-key",
		Doc:  "A mapping of a scenario file has a key that the language does not know. A misspelt expectation would never be compared.",
		Bad:  example("    expect: {pth: [draft]}\n"),
		Good: example("    expect: {path: [draft]}\n"),
	},
	{
		Code: "GG202", Name: "scenario-missing-key",
		Doc:  "A mapping of a scenario file lacks a key that it needs.",
		Bad:  example("    input: {topic: otters}\n"),
		Good: example("    input: {topic: otters}\n    expect: {end: completed}\n"),
	},
	{
		Code: "GG203", Name: "scenario-wrong-form",
		Doc:  "A value is not of the kind that its key has: a list where a text belongs, a key without a value.",
		Bad:  example("    expect: {path: draft}\n"),
		Good: example("    expect: {path: [draft]}\n"),
	},
	{
		Code: "GG204", Name: "scenario-name-twice",
		Doc:  "Two scenarios of a file have the same name, so a report cannot identify the one that failed.",
		Bad:  example("    expect: {end: completed}\n  - name: works\n    expect: {end: failed}\n"),
		Good: example("    expect: {end: completed}\n  - name: breaks\n    expect: {end: failed}\n"),
	},
	{
		Code: "GG205", Name: "scenario-unknown-graph",
		Doc:  "The file names a spec that is not in its directory.",
		Bad:  "graph: reviews.graph.yaml\nscenarios:\n  - name: works\n    expect: {end: completed}\n",
		Good: example("    expect: {end: completed}\n"),
	},
	{
		Code: "GG206", Name: "scenario-unknown-node",
		Doc:  "A script or an expectation names a node or a tool that the graph does not have.",
		Bad:  example("    expect: {path: [darft]}\n"),
		Good: example("    expect: {path: [draft]}\n"),
	},
	{
		Code: "GG207", Name: "scenario-unknown-field",
		Doc:  "A value gives a field that its type does not have.",
		Bad:  example("    input: {subject: otters}\n    expect: {end: completed}\n"),
		Good: example("    input: {topic: otters}\n    expect: {end: completed}\n"),
	},
	{
		Code: "GG208", Name: "scenario-wrong-type",
		Doc:  "A value is not of the type that the spec declares for it.",
		Bad:  example("    script: {draft: {out: {grade: middling}}}\n    expect: {end: completed}\n"),
		Good: example("    script: {draft: {out: {grade: low}}}\n    expect: {end: completed}\n"),
	},
	{
		Code: "GG209", Name: "scenario-unknown-choice",
		Doc: "An entry returns a route, a goto target or a branch label that the node cannot choose, calls a tool or answers for " +
			"an eval that it does not have, picks what is not in its pool, or names a guard that it does not have.",
		Bad:  example("    script: {judge: {goto: check}}\n    expect: {end: completed}\n"),
		Good: example("    script: {judge: {goto: publish}}\n    expect: {end: completed}\n"),
	},
	{
		Code: "GG210", Name: "scenario-impossible-entry",
		Doc:  "An entry gives what its node cannot return, or two outcomes of one execution; or an expectation is about what the graph does not have.",
		Bad:  example("    script: {publish: {out: {grade: low}}}\n    expect: {end: completed}\n"),
		Good: example("    script: {publish: {error: offline}}\n    expect: {end: failed}\n"),
	},
	{
		Code: "GG211", Name: "scenario-merge",
		Doc: "A state field with `merge: custom` is merged by a Go function, which scenarios do not have: `merges` must name a " +
			"rule in its place, and only for such a field.",
		Bad:  "graph: review.graph.yaml\nscenarios:\n  - name: works\n    expect: {end: completed}\n",
		Good: example("    expect: {end: completed}\n"),
	},
	{
		Code: "GG212", Name: "scenario-unknown-word",
		Doc:  "An end, an error type or a kind of event is none of those there are.",
		Bad:  example("    expect: {end: complete}\n"),
		Good: example("    expect: {end: completed}\n"),
	},
	{
		Code: "GG216", Name: "scenario-recording",
		Doc:  "A scenario plays a recording that is not there, that is none, or that is in another directory.",
		Bad:  example("    recording: otters.jsonl\n    expect: {end: completed}\n"),
		Good: example("    expect: {end: completed}\n"),
	},
	{
		Code: "GG280", Name: "scenario-no-map",
		Doc: "Entries are written by element, with `each`, and the node runs in no map, or in fewer than that. Elsewhere " +
			"executions differ only in their order.",
		Bad:  example("    script: {publish: {each: [{}, {error: offline}]}}\n    expect: {end: completed}\n"),
		Good: example("    script: {weigh: {each: [{out: [3]}, {error: offline}]}}\n    expect: {end: completed}\n"),
	},
	{
		Code: "GG281", Name: "scenario-transform-in-map",
		Doc: "A transform in a map has several entries. It has no context that identifies the element, so the choice of the " +
			"entry would depend on the schedule.",
		Bad:  example("    script: {tidy: [{out: [1]}, {out: [2]}]}\n    expect: {end: completed}\n"),
		Good: example("    script: {tidy: {out: [1]}}\n    expect: {end: completed}\n"),
	},
	{
		Code: "GG282", Name: "scenario-cancelled-branch",
		Doc: "An execution that is expected to be cancelled has the wrong name: that of a node in a map is followed by the " +
			"branch, that of another node is not.",
		Bad:  example("    expect: {cancelled: [weigh]}\n"),
		Good: example("    expect: {cancelled: [weigh 2]}\n"),
	},
}
