package check

import (
	"strconv"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
)

// composePasses look at the settings of nodes that run others, kind by kind.
var composePasses = []Pass{
	{run: branches, Rule: diag.Rule{
		Code: "GG223", Name: "branches",
		Doc:  "A parallel has branches, by name, and each of them runs a node or several, one after the other.",
		Bad:  "graph: g\nentry: both\nnodes:\n  both: {kind: parallel, branches: {left: fetch, right: []}}\n  fetch: {reads: []}\n",
		Good: "graph: g\nentry: both\nnodes:\n  both: {kind: parallel, branches: {left: fetch, right: search}}\n  fetch: {reads: []}\n  search: {reads: []}\n",
	}},
	{run: joins, Rule: diag.Rule{
		Code: "GG224", Name: "join",
		Doc:  "The settings of a join do not fit each other, or the branches. count is for join: first and join: settled, and not above the number of branches; where it is that number, join: fail_fast or join: all says the same. With one branch there is nothing to join. max_parallel bounds nothing where there are no more branches than that.",
		Bad:  parallelExample("join: all, count: 1"),
		Good: parallelExample("join: first, count: 1"),
	}},
	{run: mapItems, Rule: diag.Rule{
		Code: "GG225", Name: "map",
		Doc:  "A map names a list of the state (over) and a field of the type of its elements (item), which holds the element in each branch. The map alone sets that field, and what it runs alone reads it: it is neither input nor output, nothing else writes it, it has no default and no merge rule, and maps within one another have fields of their own.",
		Bad:  mapExample("int"),
		Good: mapExample("string"),
	}},
	{run: pools, Rule: diag.Rule{
		Code: "GG226", Name: "pool",
		Doc:  "An autonomous node has a pool of nodes and instructions, the goal by which the model picks from it. entry and terminal are of the pool. There is something to pick; max_steps is not above what allow_repeat: false leaves; terminal nodes can be come to.",
		Bad:  poolExample("terminal: anwser"),
		Good: poolExample("terminal: answer"),
	}},
	{run: modes, Rule: diag.Rule{
		Code: "GG227", Name: "mode",
		Doc:  "With mode: autonomous the nodes are a pool, from which the model picks by the graph's doc, the goal. There are no edges, no_match has no meaning, entry names one of the pool, and mutations have nothing to change.",
		Bad:  "graph: g\ndoc: Answer the question.\nmode: autonomous\nentry: search\nnodes:\n  search: {kind: prompt, instructions: Search.}\n  answer: {kind: prompt, instructions: Answer., flags: [terminal]}\nedges:\n  - {from: search, to: answer}\n",
		Good: "graph: g\ndoc: Answer the question.\nmode: autonomous\nentry: search\nnodes:\n  search: {kind: prompt, instructions: Search.}\n  answer: {kind: prompt, instructions: Answer., flags: [terminal]}\n",
	}},
}

// parallelExample is a spec of a parallel with two branches.
func parallelExample(settings string) string {
	return "graph: g\nentry: both\nnodes:\n  both: {kind: parallel, branches: {left: fetch, right: search}, " + settings + "}\n  fetch: {reads: []}\n  search: {reads: []}\n"
}

// mapExample is a spec of a map over texts, with an item of a type.
func mapExample(item string) string {
	return "graph: g\nentry: each\nstate:\n  topics: \"[]string\"\n  topic: " + item + "\n  notes: {type: \"[]string\", merge: append}\ninput: topics\noutput: notes\nnodes:\n" +
		"  each: {kind: map, over: topics, item: topic, body: look}\n  look: {reads: topic, writes: notes, output: string}\n"
}

// poolExample is a spec of a node that picks from two.
func poolExample(settings string) string {
	return "graph: g\nentry: roam\nnodes:\n  roam: {kind: autonomous, instructions: Answer the question., pool: [search, answer], " + settings + "}\n" +
		"  search: {kind: prompt, instructions: Search.}\n  answer: {kind: prompt, instructions: Answer.}\n"
}

func branches(c *context) {
	for _, n := range c.graph.All() {
		s := n.Spec
		if !n.Kind.Branches() || s.Unread {
			continue
		}
		if len(s.Branches) == 0 {
			pos := s.BranchesPos
			if !pos.IsSet() {
				pos = s.Name.Pos
			}
			c.report(pos, "parallel "+quote(s.Name.V)+" has no branches", "name what runs at once, as in branches: {facts: search, views: ask}")
		}
		for _, b := range s.Branches {
			if len(b.Nodes) == 0 {
				c.report(b.Name.Pos, "branch "+quote(b.Name.V)+" of parallel "+quote(s.Name.V)+" runs nothing", "name a node, or remove the branch")
			}
		}
	}
}

func joins(c *context) {
	for _, n := range c.graph.All() {
		s := n.Spec
		if !n.Kind.Forks() || s.Unread || s.Join.Lost || written(s.Join) && !isWord(s.Join.V, spec.Joins) {
			continue
		}
		title, all := n.Kind.Name+" "+quote(s.Name.V), len(s.Branches)
		some := s.Join.V == "first" || s.Join.V == "settled"
		count := s.Count
		switch {
		case count.Lost || count.IsSet() && count.V < 1:
		case count.IsSet() && !some:
			c.report(count.Pos, "count of "+title+" has no effect: "+joinText(s)+" wants every branch to succeed", "add join: first or join: settled, or remove it")
			continue
		case n.Kind.Each:
			continue // how many branches there are nobody knows
		case all == 1 && s.Join.IsSet():
			c.report(s.Join.Pos, "join of "+title+" has no effect: it has one branch", "add a branch, or remove it")
		case all > 0 && count.V > all:
			c.report(count.Pos, "count of "+title+" is "+strconv.Itoa(count.V)+", but it has "+plural(all, "branch", "branches"), fewerThan(all))
		case all > 1 && count.V == all:
			same := map[string]string{"first": "fail_fast", "settled": "all"}[s.Join.V]
			c.report(count.Pos, "count of "+title+" is the number of its branches: "+joinText(s)+" is then join: "+same, "write join: "+same+", or a smaller count")
		}
		if most := s.Prompt.MaxParallel; all > 0 && most.V >= all && all <= spec.DefaultMaxParallel {
			c.report(most.Pos, "max_parallel of "+title+" has no effect: it has "+plural(all, "branch", "branches"), "make it smaller, or remove it")
		}
	}
}

// fewerThan says what a count may be that is not all.
func fewerThan(all int) string {
	switch all {
	case 1:
		return "remove it"
	case 2:
		return "use 1"
	}
	return "use 1 to " + strconv.Itoa(all-1)
}

func plural(n int, one, more string) string {
	if n == 1 {
		return "one " + one
	}
	return strconv.Itoa(n) + " " + more
}

// joinText is what a node says of its join, or does not.
func joinText(n *spec.Node) string {
	if n.Join.IsSet() {
		return "join: " + n.Join.V
	}
	return "join: fail_fast, which is not written,"
}
