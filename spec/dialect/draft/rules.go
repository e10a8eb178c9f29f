package draft

import "github.com/graphgen/graphgen/spec/diag"

// Rules are the rules of foreign files. An import also reports mistakes of YAML, and mistakes of the graph that the
// file is, with the codes of specs. The examples are of the dialect workflow.
var Rules = []diag.Rule{
	{
		Code: "GG353", Name: "import-unknown-key",
		Doc:  "A mapping of a foreign file has a key that its format does not have. The format's own tools would ignore or refuse it.",
		Bad:  hello("", "max_turn: 5"),
		Good: hello("", "max_turns: 5"),
	},
	{
		Code: "GG354", Name: "import-missing-key",
		Doc:  "A mapping of a foreign file lacks a key that its format requires.",
		Bad:  "id: hello\nname: Hello\nentry: greet\nnodes:\n  greet: {name: Greet}\nedges: []\n",
		Good: hello("", ""),
	},
	{
		Code: "GG355", Name: "import-wrong-value",
		Doc:  "A value of a foreign file is not of the kind that its key has, or is none of the values that the format knows.",
		Bad:  hello("", "max_turns: many"),
		Good: hello("", "max_turns: 5"),
	},
	{
		Code: "GG356", Name: "import-empty-value",
		Doc:  "A key of a foreign file has no value, or an empty text, where the format requires one.",
		Bad:  "id: hello\nname: Hello\nentry: greet\nnodes:\n  greet: {name: Greet, instruction: \"\"}\nedges: []\n",
		Good: hello("", ""),
	},
	{
		Code: "GG357", Name: "import-left-out",
		Doc: "Something of a foreign file is not in the graph, since specs cannot express it (a warning; a note where it has no " +
			"effect on runs). The help has what to do instead.",
		Bad:  hello("judge_budget: 5\n", ""),
		Good: hello("", ""),
	},
	{
		Code: "GG358", Name: "import-difference",
		Doc:  "Something of a foreign file is in the graph and behaves differently there (a warning; a note where the difference is small).",
		Bad:  hello("", "requires: {output_required: [input.repo]}"),
		Good: hello("", ""),
	},
	{
		Code: "GG359", Name: "import-addition",
		Doc: "The graph has something that the foreign file leaves to its program: a bound, what happens when no edge is taken, the type of a value (a note).",
		Bad: "id: hello\nname: Hello\nentry: greet\nnodes:\n  greet: {name: Greet, instruction: Say hello.}\n  part: {name: " +
			"Part, instruction: Say goodbye.}\nedges:\n  - {from: greet, to: part, when: the user leaves}\n",
		Good: hello("", ""),
	},
	{
		Code: "GG360", Name: "import-rename",
		Doc:  "A name of a foreign file is no name in specs, where names become Go identifiers: the graph has another name (a note).",
		Bad:  "id: hello\nname: Hello\nentry: say hello\nnodes:\n  say hello: {name: Greet, instruction: Say hello.}\nedges: []\n",
		Good: "id: hello\nname: Hello\nentry: say_hello\nnodes:\n  say_hello: {name: Greet, instruction: Say hello.}\nedges: []\n",
	},
	{
		Code: "GG361", Name: "import-unbounded",
		Doc: "A cycle of a foreign file has no bound, and its format requires one: an edge from a node to itself has " +
			"max_iterations, and so has one edge of every other cycle.",
		Bad: "id: hello\nname: Hello\nentry: greet\nnodes:\n  greet: {name: Greet, instruction: Say hello.}\n  part: {name: " +
			"Part, instruction: Say goodbye.}\nedges:\n  - {from: greet, to: part}\n  - {from: part, to: greet, when: the user is still there}\n",
		Good: "id: hello\nname: Hello\nentry: greet\nnodes:\n  greet: {name: Greet, instruction: Say hello.}\n  part: {name: " +
			"Part, instruction: Say goodbye.}\nedges:\n  - {from: greet, to: part}\n  - {from: part, to: greet, when: the user is " +
			"still there, max_iterations: 3}\n",
	},
	{
		Code: "GG362", Name: "import-fan-out",
		Doc: "Several edges without a condition leave a node. Where each begins a chain of nodes and the chains join in one " +
			"node, the graph runs them at once, in a node of kind parallel (a warning, where the format follows one edge alone). " +
			"Elsewhere the first edge that is written would be the only one, which is an error.",
		Bad: "id: hello\nname: Hello\nentry: greet\nnodes:\n  greet: {name: Greet, instruction: Say hello.}\n  ask: {name: Ask, " +
			"instruction: Ask for the name.}\n  part: {name: Part, instruction: Say goodbye.}\nedges:\n  - {from: greet, to: " +
			"ask}\n  - {from: greet, to: part}\n",
		Good: "id: hello\nname: Hello\nentry: greet\nnodes:\n  greet: {name: Greet, instruction: Say hello.}\n  ask: {name: Ask, " +
			"instruction: Ask for the name.}\n  part: {name: Part, instruction: Say goodbye.}\nedges:\n  - {from: greet, to: ask}\n  - {from: ask, to: part}\n",
	},
	{
		Code: "GG363", Name: "import-unknown-reference",
		Doc:  "A foreign file names something that is neither in it nor beside it: a skill, a type of node, a tool (a warning where the graph can do without).",
		Bad:  hello("", "skills: [manners]"),
		Good: hello("skills: {manners: {instruction: Be polite.}}\n", "skills: [manners]"),
	},
	{
		Code: "GG364", Name: "import-source",
		Doc:  "A foreign file refers to a text that is not there, or at an address. A compiler reads no addresses: the text has to be in a file.",
		Bad:  "id: hello\nname: Hello\nentry: greet\nnodes:\n  greet: {name: Greet, instruction: \"https://example.com/greet.md\"}\nedges: []\n",
		Good: hello("", ""),
	},
	{
		Code: "GG365", Name: "import-version",
		Doc: "A foreign file is of a version of its format that is not known.",
		Bad: "id: hello\nname: Hello\nentry: greet\nnodes:\n  greet: {name: Greet, instruction: Say hello., verify: " +
			"{output_required: [greeting]}}\nedges: []\n",
		Good: hello("", ""),
	},
}

// hello returns a workflow of one node, with more keys of the workflow and of the node.
func hello(keys, nodeKeys string) string {
	if nodeKeys != "" {
		nodeKeys = ", " + nodeKeys
	}
	return "id: hello\nname: Hello\nentry: greet\n" + keys + "nodes:\n  greet: {name: Greet, instruction: Say hello." + nodeKeys + "}\nedges: []\n"
}
