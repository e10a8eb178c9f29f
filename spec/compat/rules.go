package compat

import (
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/shape"
)

// releasedSpec is the spec of the release that the examples of Rules have changed.
const releasedSpec = `graph: g
entry: draft
types:
  Grade: {enum: [low, high]}
state:
  topic: string
  score: {type: int, max: 10}
  grade: Grade
input: topic
output: [score, grade]
nodes:
  draft: {reads: topic, writes: [score, grade], next: approve}
  approve: {kind: human, instructions: "Shall it be published?"}
`

// A rule is a row of the table of rules: its examples are the released spec with texts replaced by others, in turn.
type rule struct {
	code, name, doc string
	bad, good       []string
	driven          bool // another engine drives the graph
}

var rules = []rule{
	{
		"GG328", "compatible-change",
		"A change with which threads of the last release continue by themselves: a field with a default, a value, a node. This is a note.",
		[]string{"  grade: Grade\n", "  grade: Grade\n  tags: {type: \"[]string\", merge: append}\n", "[score, grade]", "[score, grade, tags]"}, nil, false,
	},
	{
		"GG329", "field-without-value",
		"A field that the last release does not have is neither optional, nor has it a default. Threads that are beyond the node " +
			"which writes it have no value.",
		[]string{"  grade: Grade\n", "  grade: Grade\n  title: string\n", "[score, grade]", "[score, grade, title]"},
		[]string{"  grade: Grade\n", "  grade: Grade\n  title: {type: string, default: none}\n", "[score, grade]", "[score, grade, title]"}, false,
	},
	{
		"GG330", "field-missing",
		"A field of the last release is missing, so its values would be lost. If it has another name, give that field renamed_from.",
		[]string{"topic: string", "subject: {type: string, default: otters}", "topic", "subject"},
		[]string{"topic: string", "subject: {type: string, renamed_from: topic}", "topic", "subject"}, false,
	},
	{
		"GG331", "field-retyped",
		"A field, or an output that threads keep, has a type that does not read what the last release has written. An optional " +
			"type reads what the type itself has written, a string the values of an enum, a float an int between limits.",
		[]string{"{type: int, max: 10}", "string"}, []string{"{type: int, max: 10}", "{type: \"?int\", max: 10}"}, false,
	},
	{
		"GG332", "value-missing",
		"A value of an enum, or a variant of a union, of the last release is missing. If it has another name, list it under renamed_from of the enum.",
		[]string{"{enum: [low, high]}", "{enum: [low, top]}"}, []string{"{enum: [low, high]}", "{enum: [low, top], renamed_from: {top: high}}"}, false,
	},
	{
		"GG333", "limit-narrowed",
		"A limit refuses values that the last release allows. Codecs check limits when they read.",
		[]string{"max: 10", "max: 5"}, []string{"max: 10", "max: 20"}, false,
	},
	{
		"GG334", "node-missing",
		"A node of the last release is missing at which a thread may wait. If it has another name, give that node renamed_from.",
		[]string{"approve", "ask"}, []string{"approve: {", "ask: {renamed_from: approve, ", "approve", "ask"}, false,
	},
	{
		"GG335", "node-changed",
		"A node at which a thread may wait is of another kind, or in another place, or asks for nothing more: what a person answers would have no meaning.",
		[]string{"approve: {kind: human, instructions: \"Shall it be published?\"}", "approve: {}"}, []string{"Shall it be published", "Publish it"}, false,
	},
	{
		"GG339", "unknown-earlier-name",
		"renamed_from names what no release has.",
		[]string{"topic: string", "topic: {type: string, renamed_from: theme}"}, nil, false,
	},
	{
		"GG368", "workflows-break",
		"Running workflows of the last release may break: the engine that drives the graph compares what the machine does with the history of a " +
			"workflow. A workflow that has not reached what has changed continues. This is a warning: release the change, and let a worker keep the " +
			"machine of the release until its workflows have ended. Texts of prompts, docs, the lengths of time limits and higher limits of runs " +
			"change nothing.",
		[]string{"next: approve", "next: check", "nodes:\n", "nodes:\n  check: {next: approve}\n"}, []string{"Shall it be published", "Publish it"}, true,
	},
}

// Rules returns the rules of changes since a release. Their examples are a spec and its lock file.
func Rules() []diag.Rule {
	var list []diag.Rule
	for _, r := range rules {
		text := releasedSpec
		if r.driven {
			text = strings.Replace(text, "\nentry:", "\ndrivers: [temporal]\nentry:", 1)
		}
		released, _ := spec.Load("g.graph.yaml", []byte(text))
		lock := string((*shape.Lock)(nil).Append(shape.Of(cfg.Of(released)), ""))
		example := func(replacing []string) string {
			return "-- g" + shape.LockSuffix + " --\n" + lock + "-- g.graph.yaml --\n" + strings.NewReplacer(replacing...).Replace(text)
		}
		list = append(list, diag.Rule{Code: r.code, Name: r.name, Doc: r.doc, Bad: example(r.bad), Good: example(r.good)})
	}
	return list
}
