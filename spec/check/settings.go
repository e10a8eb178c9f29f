package check

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
)

// settingPasses judge kinds, flags and limits.
var settingPasses = []Pass{
	{run: unknownWords, Rule: diag.Rule{
		Code: "GG040", Name: "unknown-word",
		Doc:  "A value is one of a few words: a kind, a flag, no_match, on_max_steps, on.",
		Bad:  "graph: g\nentry: a\nnodes:\n  a: {kind: gaurd, next: b}\n  b: {}\n",
		Good: "graph: g\nentry: a\nnodes:\n  a: {kind: guard, next: b}\n  b: {}\n",
	}},
	{run: foreignKeys, Rule: diag.Rule{
		Code: "GG041", Name: "foreign-key",
		Doc:  "A key does not belong to the node's kind, so it would have no effect.",
		Bad:  "graph: g\nentry: a\nnodes:\n  a: {on_pass: b}\n  b: {}\n",
		Good: "graph: g\nentry: a\nnodes:\n  a: {kind: guard, on_pass: b}\n  b: {}\n",
	}},
	{run: missingKeys, Rule: diag.Rule{
		Code: "GG042", Name: "missing-setting",
		Doc:  "A node lacks what its kind or another of its settings needs: a router its routes, cacheable and isolated_context what the node reads, guards an output.",
		Bad:  "graph: g\nentry: a\nnodes:\n  a: {flags: [cacheable]}\n",
		Good: "graph: g\nentry: a\nstate: {x: string}\nnodes:\n  a: {reads: x, flags: [cacheable]}\n",
	}},
	{run: limitsInRange, Rule: diag.Rule{
		Code: "GG043", Name: "limit-out-of-range",
		Doc:  "A limit is out of its range: bounds count from 1, times are more than nothing, a retry takes 2 to 100 attempts.",
		Bad:  "graph: g\nentry: a\nlimits: {max_steps: 0}\nnodes:\n  a: {}\n",
		Good: "graph: g\nentry: a\nlimits: {max_steps: 1}\nnodes:\n  a: {}\n",
	}},
	{run: contradictions, Rule: diag.Rule{
		Code: "GG044", Name: "contradiction",
		Doc:  "Two settings of a node contradict each other, or one makes the other idle: readonly with writes, critical with fail_soft, guard_retries behind a guard_fail edge that is always open.",
		Bad:  "graph: g\nentry: a\nstate: {x: string}\nnodes:\n  a: {writes: x, flags: [readonly]}\n",
		Good: "graph: g\nentry: a\nstate: {x: string}\nnodes:\n  a: {writes: x}\n",
	}},
}

func unknownWords(c *context) {
	check := func(word spec.String, what string, words []spec.Word) {
		names := spec.Names(words)
		if written(word) && !slices.Contains(names, word.V) {
			c.report(word.Pos, "there is no "+what+" "+quote(word.V), didYouMean(word.V, names, "use one of "+strings.Join(names, ", ")))
		}
	}
	check(c.spec.NoMatch, "no_match", spec.NoMatches)
	check(c.spec.Limits.OnMaxSteps, "on_max_steps", spec.StepOutcomes)
	for _, n := range c.spec.Nodes {
		check(n.Kind, "kind", spec.Kinds)
		check(n.NoMatch, "no_match", spec.NoMatches)
		for _, f := range n.Flags {
			check(f.Name, "flag", spec.Flags)
			if f.Retry != nil {
				check(f.Retry.On, "retry on", spec.RetryCauses)
			}
		}
	}
	for _, e := range c.spec.Edges {
		check(e.On, "event", spec.EdgeEvents)
	}
}

// limited are the keys of a node that only some kinds have, and where they stand.
var limited = []struct {
	key string
	pos func(*spec.Node) spec.Pos
}{
	{"routes", func(n *spec.Node) spec.Pos { return first(n.Routes) }},
	{"goto", func(n *spec.Node) spec.Pos { return first(n.Goto) }},
	{"writes", func(n *spec.Node) spec.Pos { return n.WritesPos }},
	{"output", func(n *spec.Node) spec.Pos {
		if n.Output == nil {
			return spec.Pos{}
		}
		return n.Output.Pos
	}},
	{"guards", func(n *spec.Node) spec.Pos { return first(n.Guards) }},
	{"on_pass", func(n *spec.Node) spec.Pos { return n.OnPass.Pos }},
	{"on_fail", func(n *spec.Node) spec.Pos { return n.OnFail.Pos }},
	{"timeout", func(n *spec.Node) spec.Pos { return n.Timeout.Pos }},
}

// kindsOf says which kinds of node have a key, as the language's tables have it.
func kindsOf() map[string][]string {
	kinds := map[string][]string{}
	for _, m := range spec.Reference() {
		if m.Name == "node" {
			for _, k := range m.Keys {
				kinds[k.Name] = k.Kinds
			}
		}
	}
	return kinds
}

func first(list []spec.String) spec.Pos {
	if len(list) == 0 {
		return spec.Pos{}
	}
	return list[0].Pos
}

func foreignKeys(c *context) {
	kinds := kindsOf()
	for _, n := range c.graph.Nodes {
		if !slices.Contains(spec.Names(spec.Kinds), n.Kind) {
			continue
		}
		for _, k := range limited {
			if pos := k.pos(n.Spec); pos.IsSet() && !slices.Contains(kinds[k.key], n.Kind) {
				c.report(pos, k.key+" is not for nodes of kind "+n.Kind+": node "+quote(n.Spec.Name.V), "remove it, or make the node a "+strings.Join(kinds[k.key], " or a "))
			}
		}
		if f, ok := n.Spec.Flag("retryable"); ok && n.Kind == "transform" {
			c.report(f.Name.Pos, "retryable is not for nodes of kind transform: a pure function fails again", "remove the flag, or make the node a func")
		}
		if f, ok := n.Spec.Flag("cacheable"); ok && n.Kind == "guard" {
			c.report(f.Name.Pos, "cacheable is not for nodes of kind guard: there is no output to keep", "remove the flag")
		}
	}
}

func missingKeys(c *context) {
	for _, n := range c.graph.Nodes {
		name := n.Spec.Name
		if n.Kind == "router" && len(n.Spec.Routes) == 0 {
			c.report(name.Pos, "router "+quote(name.V)+" has no routes", "name the nodes it chooses from, as in routes: [a, end]")
		}
		for _, flag := range []string{"cacheable", "isolated_context"} {
			if f, ok := n.Spec.Flag(flag); ok && len(n.Spec.Reads) == 0 {
				c.report(f.Name.Pos, "node "+quote(name.V)+" is "+flag+", but does not say what it reads", "add reads")
			}
		}
		if len(n.Spec.Guards) > 0 && n.Out == nil && n.Kind != "guard" && n.Kind != "router" {
			c.report(n.Spec.Guards[0].Pos, "node "+quote(name.V)+" has guards, but no output they could check", "add writes or output")
		}
		if n.Spec.GuardRetries.IsSet() && len(n.Spec.Guards) == 0 && n.Kind != "guard" {
			c.report(n.Spec.GuardRetries.Pos, "node "+quote(name.V)+" has guard_retries, but no guards", "add guards, or remove it")
		}
	}
}

// maxCount bounds what a spec may count to.
const maxCount = math.MaxInt32

func limitsInRange(c *context) {
	count := func(v spec.Value[int], what string, low, high int) {
		if v.IsSet() && (v.V < low || v.V > high) {
			c.report(v.Pos, what+" is out of range: "+strconv.Itoa(v.V), "use "+strconv.Itoa(low)+" to "+strconv.Itoa(high))
		}
	}
	positive := func(v spec.Value[time.Duration], what string) {
		if v.IsSet() && v.V <= 0 {
			c.report(v.Pos, what+" is out of range: "+v.V.String(), "use more than nothing, as in 30s")
		}
	}
	count(c.spec.Limits.MaxSteps, "max_steps", 1, maxCount)
	positive(c.spec.Limits.Timeout, "the run's timeout")
	for _, n := range c.spec.Nodes {
		count(n.MaxVisits, "max_visits", 1, maxCount)
		count(n.GuardRetries, "guard_retries", 1, 100)
		positive(n.Timeout, "the node's timeout")
		if run := c.spec.Limits.Timeout; run.V > 0 && n.Timeout.V > run.V {
			c.report(n.Timeout.Pos, "the timeout of node "+quote(n.Name.V)+" is longer than the run's, which cuts it short", "make it shorter, or the run's longer",
				diag.Related{Pos: run.Pos, Message: "the run's timeout is here"})
		}
		for _, f := range n.Flags {
			if r := f.Retry; r != nil {
				count(r.Attempts, "attempts", 2, 100)
				positive(r.Wait, "wait")
				positive(r.MaxWait, "max_wait")
				if r.Wait.V > 0 && r.MaxWait.V > 0 && r.Wait.V > r.MaxWait.V {
					c.report(r.Wait.Pos, "wait is longer than max_wait", "make it shorter", diag.Related{Pos: r.MaxWait.Pos, Message: "max_wait is here"})
				}
			}
		}
	}
	for _, e := range c.spec.Edges {
		count(e.MaxIterations, "max_iterations", 1, maxCount)
		count(e.Priority, "priority", -maxCount, maxCount)
		if e.Loop != nil {
			count(e.Loop.MaxIterations, "max_iterations", 1, maxCount)
		}
	}
}

func contradictions(c *context) {
	for _, n := range c.graph.Nodes {
		s := n.Spec
		seen := map[string]spec.Pos{}
		for _, f := range s.Flags {
			if was, ok := seen[f.Name.V]; ok && written(f.Name) {
				c.report(f.Name.Pos, "node "+quote(s.Name.V)+" has the flag "+f.Name.V+" twice", "remove one", diag.Related{Pos: was, Message: "the first one is here"})
			}
			seen[f.Name.V] = f.Name.Pos
		}
		if f, ok := s.Flag("readonly"); ok && s.WritesPos.IsSet() {
			c.report(f.Name.Pos, "node "+quote(s.Name.V)+" is readonly, but writes", "remove the flag, or writes", diag.Related{Pos: s.WritesPos, Message: "it writes here"})
		}
		if f, ok := s.Flag("critical"); ok && s.FailSoft.V {
			c.report(f.Name.Pos, "node "+quote(s.Name.V)+" is critical and fail_soft: a failure cannot end the run and be passed over", "keep one", diag.Related{Pos: s.FailSoft.Pos, Message: "fail_soft is here"})
		}
		for _, e := range c.routings[n].GuardFail {
			if !e.Bounded() && s.GuardRetries.IsSet() && len(s.Guards) > 0 {
				c.report(s.GuardRetries.Pos, "guard_retries of node "+quote(s.Name.V)+" never comes to it: a guard_fail edge is always open and goes first", "give the edge max_iterations, or remove one of the two",
					diag.Related{Pos: e.Spec.Pos, Message: "the edge is here"})
				break
			}
		}
		if n.Kind == "guard" && s.OnPass.IsSet() && s.Next.IsSet() {
			c.report(s.Next.Pos, "guard "+quote(s.Name.V)+" has on_pass and next, which say the same", "keep on_pass", diag.Related{Pos: s.OnPass.Pos, Message: "on_pass is here"})
		}
	}
}
