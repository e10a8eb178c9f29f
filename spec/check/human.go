package check

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// humanPasses judge human nodes.
var humanPasses = []Pass{
	{run: questions, Rule: diag.Rule{
		Code: "GG260", Name: "human-question",
		Doc:  "A node that asks a person has no question: its instructions are missing, or empty.",
		Bad:  "graph: g\nentry: a\nstate: {text: string}\ninput: text\nnodes:\n  a: {kind: human, reads: text}\n",
		Good: "graph: g\nentry: a\nstate: {text: string}\ninput: text\nnodes:\n  a: {kind: human, reads: text, instructions: \"Shall this be published?\"}\n",
	}},
	{run: humanAnswers, Rule: diag.Rule{
		Code: "GG261", Name: "human-answer",
		Doc: "A person answers with yes or no, or where the node has an output with a struct, an enum or a text. Yes and no are written to no field.",
		Bad: "graph: g\nentry: a\nstate: {title: string}\ninput: title\noutput: title\nnodes:\n  a: {kind: human, instructions: " +
			"\"What is its title?\", writes: title}\n",
		Good: "graph: g\nentry: a\nstate: {title: string}\ninput: title\noutput: title\nnodes:\n  a: {kind: human, instructions: " +
			"\"What is its title?\", output: string, writes: title}\n",
	}},
	{run: idleAnswers, Rule: diag.Rule{
		Code: "GG262", Name: "human-idle",
		Doc: "A transition for a person's answer is never taken: on_deny where the answer is not yes or no, on_timeout without a " +
			"timeout, and both where no person is asked: at a node of another kind without the flag requires_human.",
		Bad:  "graph: g\nentry: a\nnodes:\n  a: {kind: human, instructions: \"Shall it go on?\", on_timeout: b}\n  b: {}\n",
		Good: "graph: g\nentry: a\nnodes:\n  a: {kind: human, instructions: \"Shall it go on?\", timeout: 1h, on_timeout: b}\n  b: {}\n",
	}},
	{run: openGates, Rule: diag.Rule{
		Code: "GG263", Name: "human-passed-by",
		Doc: "A setting would let a run pass a human node without an answer: with fail_soft a no counts as a yes, with " +
			"skip_on_error the person is not asked. Handle a no by on_deny, by an on: error edge or by the error transition.",
		Bad:  "graph: g\nentry: a\nnodes:\n  a: {kind: human, instructions: \"Shall it be published?\", fail_soft: true, next: b}\n  b: {}\n",
		Good: "graph: g\nentry: a\nnodes:\n  a: {kind: human, instructions: \"Shall it be published?\", on_deny: c, next: b}\n  b: {}\n  c: {}\n",
	}},
}

// approvalPasses judge approvals and interrupts.
var approvalPasses = []Pass{
	{run: gates, Rule: diag.Rule{
		Code: "GG318", Name: "requires-human",
		Doc: "A person approves before a node with requires_human runs. With fail_soft the run would go on after a no as after a " +
			"yes. A human node asks by itself.",
		Bad:  "graph: g\nentry: a\nnodes:\n  a: {flags: [requires_human], fail_soft: true, next: b}\n  b: {}\n",
		Good: "graph: g\nentry: a\nnodes:\n  a: {flags: [requires_human], on_deny: c, next: b}\n  b: {}\n  c: {}\n",
	}},
	{run: interruptNames, Rule: diag.Rule{
		Code: "GG319", Name: "interrupt",
		Doc:  "interrupt_before and interrupt_after name nodes of the graph, each once.",
		Bad:  "graph: g\nentry: a\ninterrupt_before: [send]\nnodes:\n  a: {}\n",
		Good: "graph: g\nentry: a\ninterrupt_before: [a]\nnodes:\n  a: {}\n",
	}},
}

// callApprovalPasses judge approvals of calls of tools.
var callApprovalPasses = []Pass{
	{run: approvedNames, Rule: diag.Rule{
		Code: "GG321", Name: "approve",
		Doc: "approve names tools that the model of the prompt may call: of its tools, or of its allow_tools with the flag " +
			"inject_tools. approve_timeout has an effect where a call needs an approval.",
		Bad: "graph: g\nentry: a\ntools:\n  refund: {doc: Pays money back.}\nnodes:\n  a: {kind: prompt, message: hi, approve: " +
			"[refund], next: b}\n  b: {kind: prompt, message: hi, tools: [refund]}\n",
		Good: "graph: g\nentry: a\ntools:\n  refund: {doc: Pays money back.}\nnodes:\n  a: {kind: prompt, message: hi, tools: [refund], approve: [refund]}\n",
	}},
	{run: unapproved, Rule: diag.Rule{
		Code: "GG322", Name: "call-without-approval",
		Doc: "A node of kind tool calls a tool of which every call needs an approval, and no person approves the node. approve " +
			"of a tool is about the calls of models.",
		Bad: "graph: g\nentry: a\ntools:\n  refund: {doc: Pays money back., approve: true}\nnodes:\n  a: {kind: tool, tool: refund}\n",
		Good: "graph: g\nentry: a\ntools:\n  refund: {doc: Pays money back., approve: true}\nnodes:\n  a: {kind: tool, tool: " +
			"refund, flags: [requires_human]}\n",
	}},
}

// answerCyclePasses judge cycles with human nodes.
var answerCyclePasses = []Pass{
	{run: answerCycles, Rule: diag.Rule{
		Code: "GG293", Name: "cycle-of-answers",
		Doc: "Nothing bounds a cycle but what a person answers, and the defaults: a node is visited 25 times, and a run makes 50 " +
			"steps. A person ends such a cycle, so it is no mistake, and this is a note. State max_visits or max_steps where a conversation may be longer.",
		Bad: "graph: g\nentry: ask\nnodes:\n  ask: {kind: human, instructions: \"Once more?\", next: work, on_deny: end}\n  work: {next: ask}\n",
		Good: "graph: g\nentry: ask\nlimits: {max_visits: 100, max_steps: 200}\nnodes:\n  ask: {kind: human, instructions: \"Once " +
			"more?\", next: work, on_deny: end}\n  work: {next: ask}\n",
	}},
}

// humans lists the human nodes that could be read as a whole.
func (c *context) humans() []*resolve.Node {
	return slices.DeleteFunc(slices.Clone(c.graph.All()), func(n *resolve.Node) bool { return n.Kind.By != spec.ByPerson || n.Spec.Unread })
}

func questions(c *context) {
	for _, n := range c.humans() {
		asked := n.Spec.Prompt.Instructions
		switch {
		case !asked.IsSet():
			c.report(n.Spec.Name.Pos, "node "+quote(n.Spec.Name.V)+" asks a person, but has no question",
				"add it, as in instructions: Shall this be published?")
		case strings.TrimSpace(asked.V) == "" && !asked.Lost:
			c.report(asked.Pos, "the question of node "+quote(n.Spec.Name.V)+" is empty", "state what the person is asked")
		}
	}
}

func humanAnswers(c *context) {
	for _, n := range c.humans() {
		title := "node " + quote(n.Spec.Name.V)
		if n.Decides() && n.Spec.WritesPos.IsSet() {
			c.report(n.Spec.WritesPos, title+" writes, but its answer is yes or no", "give it an output, as in output: string, or remove writes")
		}
		if n.Out == nil || unknown(n.Out) {
			continue
		}
		if found := c.schemaless(n.Out); found != nil && n.Out.Kind == resolve.Struct {
			c.report(n.Spec.Output.Pos, "the answer to "+title+within(found, n.Out), "declare a type with the fields that the person fills")
		} else if !slices.Contains([]resolve.Kind{resolve.Struct, resolve.Enum, resolve.String}, n.Out.Kind) {
			c.report(n.Spec.Output.Pos, "the answer to "+title+" is "+article(n.Out.String())+": a person gives a struct, an enum or a string",
				"put it into a struct, as in output: {answer: "+quoteBrackets(n.Out.String())+"}")
		}
	}
}

func idleAnswers(c *context) {
	for _, n := range c.graph.All() {
		s, title := n.Spec, quote(n.Spec.Name.V)
		if s.Unread || !n.Kind.Known() {
			continue
		}
		if n.Kind.By != spec.ByPerson {
			c.idleApproval(n)
			continue
		}
		if n.Parent != nil {
			continue // GG171 reports them
		}
		if s.OnDeny.IsSet() && s.Output != nil {
			c.report(s.OnDeny.Pos, "on_deny of node "+title+" is never taken: its answer is no yes or no", "remove it, or the output",
				diag.Related{Pos: s.Output.Pos, Message: "the output is here"})
		}
		if s.OnTimeout.IsSet() && !s.Timeout.IsSet() {
			c.report(s.OnTimeout.Pos, "on_timeout of node "+title+" is never taken: no answer is too late", "add a timeout, as in timeout: 24h, or remove it")
		}
	}
}

// idleApproval reports the transitions for a person's answer that a node which is not human never takes.
func (c *context) idleApproval(n *resolve.Node) {
	s, title := n.Spec, quote(n.Spec.Name.V)
	timed := n.Approval().Timeout.IsSet()
	for _, k := range []struct {
		key string
		to  spec.String
	}{{"on_deny", s.OnDeny}, {"on_timeout", s.OnTimeout}} {
		switch {
		case !k.to.IsSet(), n.Gated() && n.Parent != nil:
		case !n.Gated():
			c.report(k.to.Pos, k.key+" of node "+title+" is never taken: it asks no person",
				"add flags: [requires_human], or put a node of kind human before it")
		case k.key == "on_timeout" && !timed && !n.Approval().Unread:
			c.report(k.to.Pos, "on_timeout of node "+title+" is never taken: no answer is too late",
				"add a timeout, as in {requires_human: {timeout: 24h}}, or remove it")
		}
	}
}

func gates(c *context) {
	for _, n := range c.graph.All() {
		f, ok := n.Spec.Flag(spec.RequiresHuman)
		if !ok || n.Spec.Unread {
			continue
		}
		title := "node " + quote(n.Spec.Name.V)
		if n.Kind.By == spec.ByPerson {
			c.report(f.Name.Pos, title+" asks a person, and has requires_human", "remove the flag")
		}
		if n.Spec.FailSoft.V {
			c.report(n.Spec.FailSoft.Pos, title+" requires a person's approval and is fail_soft: a no would count as a yes",
				"remove fail_soft; use on_deny, on_timeout or on: error edges",
				diag.Related{Pos: f.Name.Pos, Message: "requires_human is here"})
		}
	}
}

func approvedNames(c *context) {
	for _, n := range c.graph.All() {
		p := &n.Spec.Prompt
		if n.Spec.Unread || n.Kind.By != spec.ByModel {
			continue // GG041 reports the keys
		}
		title := "node " + quote(n.Spec.Name.V)
		c.repeated(n, "tool under approve", p.Approve)
		for _, name := range p.Approve {
			tool := c.graph.Tool(name.V)
			switch {
			case !written(name) || n.Injects(name.V) || tool != nil && slices.Contains(n.Tools, tool):
			case tool != nil:
				c.report(name.Pos, title+" approves the tool "+quote(name.V)+", which its model cannot call", "add it to tools, or remove it")
			case n.Has(spec.InjectTools):
				c.report(name.Pos, title+" approves "+quote(name.V)+", which is no tool of it",
					"name it under allow_tools too, if it is known at run time alone")
			default:
				c.report(name.Pos, title+" approves "+quote(name.V)+", which is no tool", "name one of its tools")
			}
		}
		if p.ApprovePos.IsSet() && len(p.Approve) == 0 {
			c.report(p.ApprovePos, "approve of "+title+" is empty", "name tools, or remove it")
		}
		held := slices.ContainsFunc(n.Tools, func(t *resolve.Tool) bool { return t.Spec.Approve.V || t.Spec.Approve.Lost || t.Spec.Unread })
		if p.ApproveTimeout.IsSet() && len(p.Approve) == 0 && !held {
			c.report(p.ApproveTimeout.Pos, "approve_timeout of "+title+" has no effect: no call needs an approval", "add approve, or remove it")
		}
	}
}

func unapproved(c *context) {
	for _, n := range c.graph.All() {
		if n.Fixed != nil && n.Fixed.Spec.Approve.V && !n.Gated() && !n.Spec.Unread {
			c.report(n.Spec.Tool.Pos,
				"node "+quote(n.Spec.Name.V)+" calls the tool "+quote(n.Fixed.Spec.Name.V)+", whose calls a person approves, without an approval",
				"add flags: [requires_human]")
		}
	}
}

func interruptNames(c *context) {
	for _, list := range []struct {
		key   string
		names []spec.String
	}{{"interrupt_before", c.spec.InterruptBefore}, {"interrupt_after", c.spec.InterruptAfter}} {
		seen := map[string]spec.Pos{}
		for _, name := range list.names {
			was, again := seen[name.V]
			switch {
			case !written(name):
			case again:
				c.report(name.Pos, list.key+" names node "+quote(name.V)+" twice", "remove one", diag.Related{Pos: was, Message: "the first one is here"})
			case spec.IsEnd(name.V):
				c.report(name.Pos, list.key+" names "+name.V+", which is no node", "name a node before it under interrupt_after")
			case c.graph.Node(name.V) == nil:
				c.reportUnknown(name, list.key+" names no node: "+quote(name.V), didYouMean(name.V, c.names(), "name one of the nodes"))
			}
			seen[name.V] = name.Pos
		}
	}
}

func openGates(c *context) {
	for _, n := range c.humans() {
		title := "node " + quote(n.Spec.Name.V)
		if n.Spec.FailSoft.V {
			c.report(n.Spec.FailSoft.Pos, title+" asks a person and is fail_soft: a missing answer would count as one",
				"remove fail_soft; use on_deny, on_timeout or on: error edges")
		}
		if f, ok := n.Spec.Flag(spec.SkipOnError); ok {
			c.report(f.Name.Pos, title+" asks a person and has skip_on_error: after a failure the person would not be asked",
				"remove the flag, or let the failure lead past the node")
		}
	}
}
