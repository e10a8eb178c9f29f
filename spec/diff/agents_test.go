package diff_test

import (
	"strings"
	"testing"
)

// agent is what the tests of models and tools change one thing of.
const agent = `graph: g
entry: ask
state: {topic: string, answer: string, hits: "[]string"}
input: [topic]
output: [answer]
limits: {max_tokens: 900}
tools:
  search: {doc: Search the web., args: {query: string, limit: {type: int, default: 5, doc: How many.}}, returns: "[]string"}
  read: {args: {url: string}}
nodes:
  find: {kind: tool, tool: search, args: {query: topic}, writes: hits}
  ask:
    kind: prompt
    instructions: Answer {{topic}}.
    tools: [search, read]
    blocks:
      - {name: style, text: Be brief., priority: 1}
      - {name: tone, text: Be kind.}
    before: [context_enricher, tidy]
    evals: {sure: {called: [search, read]}, long: {if: len(out) > 9}}
    writes: answer
edges:
  - {from: ask, to: find, if: evals.Sure}
  - {from: ask, to: end}
`

func TestModelsAndTools(t *testing.T) {
	tests := []struct {
		name     string
		old, new string // text that is replaced, and what by
		want     string
	}{
		{"the order of tools means nothing", "tools: [search, read]", "tools: [read, search]", ""},
		{"the order of called tools means nothing", "called: [search, read]", "called: [read, search]", ""},
		{"blanks in the condition of an eval mean nothing", "len(out) > 9", "len(out)>9", ""},
		{"the default of a tool that is written out means nothing", "{args: {url: string}}", "{args: {url: string}, returns: string, pure: false}", ""},
		{"a tool of a prompt", "tools: [search, read]", "tools: [search]", "nodes\n  ~ ask: tools: - read\n"},
		{"a tool more", "  read: {", "  now: {returns: time}\n  read: {", "tools\n  + now: () time\n"},
		{"a tool less", "  read: {args: {url: string}}\n", "", "tools\n  - read\n"},
		{"a model chooses by the doc of a tool", "Search the web.", "Search.", "tools\n  ~ search: doc: Search the web. → Search.\n"},
		{"and gives arguments by theirs", "How many.", "The most.", "tools\n  ~ search.limit: doc: How many. → The most.\n"},
		{"an argument more", "{url: string}", "{url: string, page: int}", "tools\n  + read.page: int\n"},
		{"what a tool returns", "returns: \"[]string\"", "returns: string", "tools\n  ~ search returns: type: []string → string\n"},
		{"a tool that is pure", "{args: {url: string}}", "{args: {url: string}, pure: true}", "tools\n  ~ read: pure: false → true\n"},
		{"what an argument is taken from", "args: {query: topic}", "args: {query: answer}", "nodes\n  ~ find: args: query from topic → query from answer\n"},
		{"instructions", "Answer {{topic}}.", "Answer {{topic}} at once.", "nodes\n  ~ ask: instructions: Answer {{topic}}. → Answer {{topic}} at once.\n"},
		{"long instructions", "Answer {{topic}}.", "|\n      Answer this:\n      {{topic}}.",
			"nodes\n  ~ ask: instructions: Answer {{topic}}. → a text of 3 words\n"},
		{"a block", "Be brief.", "Be short.", "nodes\n  ~ ask block style: text: Be brief. → Be short.\n"},
		{"a block that is less important", "priority: 1", "priority: 0", "nodes\n  ~ ask block style: priority: 1 → 0\n"},
		{"a block less", "      - {name: tone, text: Be kind.}\n", "", "nodes\n  - ask block tone\n"},
		{"a block more", "      - {name: tone,", "      - {name: rest, text: x}\n      - {name: tone,", "nodes\n  + ask block rest\n"},
		{"the order of blocks", "      - {name: style, text: Be brief., priority: 1}\n      - {name: tone, text: Be kind.}\n",
			"      - {name: tone, text: Be kind.}\n      - {name: style, text: Be brief., priority: 1}\n",
			"nodes\n  ~ ask: order of the blocks: style, tone → tone, style\n"},
		{"the order of processors", "[context_enricher, tidy]", "[tidy, context_enricher]",
			"nodes\n  ~ ask: before: context_enricher, tidy → tidy, context_enricher\n"},
		{"an eval", "called: [search, read]", "judge: It is good.", "nodes\n  ~ ask eval sure: called read, search → judge It is good.\n"},
		{"an eval less", ", long: {if: len(out) > 9}", "", "nodes\n  - ask eval long\n"},
		{"an eval more", "evals: {", "evals: {new: {not_called: read}, ", "nodes\n  + ask eval new: not_called read\n"},
		{"a budget", "max_tokens: 900", "max_tokens: 800", "limits\n  ~ max_tokens: 900 → 800\n"},
		{"a handler in place of a model", "kind: tool, tool: search, args: {query: topic}, ", "",
			"nodes\n  ~ find: kind: tool → func\n  ~ find: tool: search → none\n  ~ find: args: query from topic → none\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			after := strings.Replace(agent, tt.old, tt.new, 1)
			if after == agent {
				t.Fatal("nothing is replaced")
			}
			if got := between(t, agent, after); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
		})
	}
}

func TestANewAgentIsToldOnOneLine(t *testing.T) {
	const ask = "  ask:\n"
	start := strings.Index(agent, ask)
	end := strings.Index(agent, "edges:\n")
	got := between(t, agent[:start]+"  ask: {}\n"+"edges: []\n", agent[:start]+"  ask: {}\n  other:\n"+agent[start+len(ask):end]+"edges: []\n")
	const want = "nodes\n  + other: prompt; writes answer; instructions Answer {{topic}}.; tools search, read; before context_enricher, tidy; " +
		"block style; block tone; eval sure called read, search; eval long if len(out) > 9\nedges\n  + other: to other when it calls tools\n  + other: to end\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
