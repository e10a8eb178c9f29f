package check

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
)

// terse is a file with a template, for the examples.
const terse = "graph: g\nentry: a\nstate: {x: string}\noutput: x\ntemplates:\n  terse:\n    params: {words: {type: int, min: 1}}\n" +
	"    node: {kind: prompt, instructions: Use at most $words words., writes: x}\n"

// templatePasses report what package template has found.
var templatePasses = []Pass{
	{run: expanded("GG340"), Rule: diag.Rule{
		Code: "GG340", Name: "unknown-template",
		Doc: "A kind or a pattern names a template that there is not, in the file under use that it names, in the spec, or in " +
			"the prelude. Nothing else of the graph is judged then.",
		Bad:  "graph: g\npattern: reakt\n",
		Good: terse + "nodes:\n  a: {kind: terse, words: 9}\n",
	}},
	{run: expanded("GG341"), Rule: diag.Rule{
		Code: "GG341", Name: "unknown-parameter",
		Doc:  "A use of a template has a key that is no parameter of it, and no key of a node.",
		Bad:  terse + "nodes:\n  a: {kind: terse, words: 9, most: 10}\n",
		Good: terse + "nodes:\n  a: {kind: terse, words: 9, max_visits: 10}\n",
	}},
	{run: expanded("GG342"), Rule: diag.Rule{
		Code: "GG342", Name: "missing-parameter",
		Doc:  "A use of a template gives no value to a parameter that has no default and is not optional.",
		Bad:  terse + "nodes:\n  a: {kind: terse}\n",
		Good: terse + "nodes:\n  a: {kind: terse, words: 9}\n",
	}},
	{run: expanded("GG343"), Rule: diag.Rule{
		Code: "GG343", Name: "parameter-value",
		Doc:  "The value of a parameter, or its default, is not of its type, is none of its words, or is below min or above max.",
		Bad:  terse + "nodes:\n  a: {kind: terse, words: few}\n",
		Good: terse + "nodes:\n  a: {kind: terse, words: 9}\n",
	}},
	{run: expanded("GG344"), Rule: diag.Rule{
		Code: "GG344", Name: "recursive-template",
		Doc: "A template uses itself, directly or by way of others, or templates and skill groups would make the graph larger " +
			"than a spec may be: more than 4 MiB, more nodes than a graph may have, or nested more than 100 deep.",
		Bad: "graph: g\nentry: a\ntemplates:\n  left: {node: {kind: right}}\n  right: {node: {kind: left}}\nnodes:\n  a: {kind: left}\n",
		Good: "graph: g\nentry: a\nstate: {x: string}\noutput: x\ntemplates:\n  left: {node: {kind: right}}\n  right: {node: " +
			"{kind: prompt, instructions: Go right., writes: x}}\nnodes:\n  a: {kind: left}\n",
	}},
	{run: expanded("GG345"), Rule: diag.Rule{
		Code: "GG345", Name: "template-node",
		Doc:  "A template makes a node of a name that the graph has already.",
		Bad:  twice("a_again", "end"),
		Good: twice("again", "again"),
	}},
	{run: expanded("GG346"), Rule: diag.Rule{
		Code: "GG346", Name: "template-state",
		Doc:  "A template keeps a field of the state that the graph, or another template, declares with another type or merge rule.",
		Bad:  noting("x: string, notes: string"),
		Good: noting("x: string"),
	}},
	{run: expanded("GG347"), Rule: diag.Rule{
		Code: "GG347", Name: "template-form",
		Doc: "A template is not well formed: it has none or several of node, nodes and graph, names a parameter that it does not " +
			"have, has one that nothing names, or makes nodes whose names do not contain $node.",
		Bad: "graph: g\nentry: a\nstate: {x: string}\noutput: x\ntemplates:\n  terse:\n    params: {words: int}\n    node: {kind: " +
			"prompt, instructions: Use at most $word words., writes: x}\nnodes:\n  a: {kind: prompt, instructions: Be brief., writes: x}\n",
		Good: terse + "nodes:\n  a: {kind: terse, words: 9}\n",
	}},
	{run: expanded("GG348"), Rule: diag.Rule{
		Code: "GG348", Name: "template-name",
		Doc:  "A template has the name of a kind of the language, or one with a dot or a dollar sign.",
		Bad:  "graph: g\nentry: a\ntemplates:\n  prompt: {node: {kind: func}}\nnodes:\n  a: {}\n",
		Good: "graph: g\nentry: a\ntemplates:\n  work: {node: {kind: func}}\nnodes:\n  a: {kind: work}\n",
	}},
	{run: expanded("GG351"), Rule: diag.Rule{
		Code: "GG351", Name: "template-edges",
		Doc: "A node that another runs, of its body, branches or pool, has no edges, so those of its template are left out. A " +
			"parameter that only these edges name has no effect there.",
		Bad:  again(", times: 2"),
		Good: again(""),
	}},
	{run: expanded("GG398"), Rule: diag.Rule{
		Code: "GG398", Name: "unknown-skill",
		Doc:  "A node names a skill group that there is not, in the file under use that it names, or in the spec. Nothing else of the graph is judged then.",
		Bad:  finder("finding", "findings"),
		Good: finder("finding", "finding"),
	}},
	{run: expanded("GG399"), Rule: diag.Rule{
		Code: "GG399", Name: "skill-form",
		Doc: "A skill group is not well formed: it gives nodes nothing, has a dot in its name, has tools or servers of another " +
			"form, names an MCP server that the graph does not declare, or declares a tool otherwise than another group. Or a node names a group twice.",
		Bad:  finder("finding", "[finding, finding]"),
		Good: finder("finding", "finding"),
	}},
	{run: expanded("GG349"), Rule: diag.Rule{
		Code: "GG349", Name: "with-without-pattern",
		Doc:  "A graph has parameters under with, and no pattern that takes them.",
		Bad:  "graph: g\nentry: a\nwith: {words: 9}\nnodes:\n  a: {}\n",
		Good: "graph: g\nentry: a\nnodes:\n  a: {}\n",
	}},
}

// finder is a graph with a skill group, and a node that names skill groups.
func finder(group, names string) string {
	return "graph: g\nentry: a\nstate: {x: string}\noutput: x\ntools:\n  find: {doc: Finds a page., args: {words: string}}\nskills:\n  " + group +
		": {instructions: Find before you answer., tools: find}\nnodes:\n  a: {kind: prompt, instructions: Answer., writes: x, skills: " + names + "}\n"
}

// again is a graph with a node of a template that a retry runs, and what else the use gives the template.
func again(use string) string {
	return "graph: g\nentry: r\ntemplates:\n  again:\n    params: {times: {type: int, default: 3}}\n    node: {}\n    edges: " +
		"[{from: $node, to: $node, max_iterations: $times}]\nnodes:\n  r: {kind: retry, body: a}\n  a: {kind: again" + use + "}\n"
}

// twice is a graph with a template of two nodes, a node of the given name, and an edge to the next one.
func twice(name, next string) string {
	return "graph: g\nentry: a\ntemplates:\n  twice:\n    nodes: {$node: {}, \"${node}_again\": {}}\n    edges: [{from: $node, " +
		"to: \"${node}_again\"}]\n    exit: ${node}_again\nnodes:\n  a: {kind: twice}\n  " +
		name + ": {}\nedges:\n  - {from: a, to: " + next + "}\n"
}

// noting is a graph with the given state, and a template that keeps notes in it.
func noting(state string) string {
	return "graph: g\nentry: a\nstate: {" + state + "}\noutput: [x, notes]\ntemplates:\n  noted:\n    state: {notes: {type: " +
		"\"[]string\", merge: append}}\n    node: {writes: [x, notes]}\nnodes:\n  a: {kind: noted}\n"
}

// expanded is the pass that reports what package template has found, of one code.
func expanded(code string) func(*context) {
	return func(c *context) {
		for _, d := range c.spec.Expanding {
			if d.Code == code {
				c.report(d.Pos, d.Message, d.Help, d.Related...)
			}
		}
	}
}

// misread returns what the reader has found in what templates have become, and in nodes of a kind that is neither a
// template nor, as its name shows, meant to be one.
func (c *context) misread() (found []diag.Diagnostic) {
	for _, d := range c.spec.Expanding {
		if !slices.ContainsFunc(templatePasses, func(p Pass) bool { return p.Code == d.Code }) {
			found = append(found, d)
		}
	}
	for _, n := range c.spec.Nodes {
		if n.Instance == nil {
			continue
		}
		if _, near := diag.Suggest(n.Kind.V, spec.Names(spec.Words(spec.Kinds))); near || spec.ForeignKind(strings.ToLower(n.Kind.V)) != "" {
			found = append(found, n.Instance.Found...)
		}
	}
	return found
}

// kindHelp returns what to write in place of an unknown kind.
func (c *context) kindHelp(kind string, kinds []string) string {
	if remedy := spec.ForeignKind(strings.ToLower(kind)); remedy != "" {
		return remedy
	}
	return didYouMean(kind, kinds, "use one of "+strings.Join(kinds, ", ")+", or the name of a template")
}

// once returns the findings without those that repeat one of their code at the same place: a template may have put one
// value into several nodes.
func once(found []diag.Diagnostic) []diag.Diagnostic {
	type place struct {
		code string
		pos  spec.Pos
	}
	seen := map[place]bool{}
	return slices.DeleteFunc(found, func(d diag.Diagnostic) bool {
		at := place{d.Code, d.Pos}
		repeated := seen[at] && d.Pos.In == nil
		seen[at] = true
		return repeated
	})
}
