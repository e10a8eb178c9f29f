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
	{Code: "GG260", run: questions},
	{Code: "GG261", run: humanAnswers},
	{Code: "GG262", run: idleAnswers},
	{Code: "GG263", run: openGates},
}

// approvalPasses judge approvals and interrupts.
var approvalPasses = []Pass{
	{Code: "GG318", run: gates},
	{Code: "GG319", run: interruptNames},
}

// callApprovalPasses judge approvals of calls of tools.
var callApprovalPasses = []Pass{
	{Code: "GG321", run: approvedNames},
	{Code: "GG322", run: unapproved},
}

// humans lists the human nodes that could be read as a whole.
func (c *context) humans() []*resolve.Node {
	return slices.DeleteFunc(slices.Clone(c.graph.All()), func(n *resolve.Node) bool { return n.Kind.By != spec.ByPerson || n.Spec.Unread })
}

func questions(c *context) {
	for _, n := range c.humans() {
		asked := n.Spec.Prompt.Instructions
		switch {
		case !asked.IsSet() && n.Spec.Prompt.Message.IsSet(): // GG041 reports it
		case !asked.IsSet():
			c.report(n.Spec.Name.Pos, "node "+quote(n.Spec.Name.V)+" asks a person, but has no question",
				"add it, as in "+diag.Set("instructions", "Shall this be published?"))
		case strings.TrimSpace(asked.V) == "" && !asked.Lost:
			c.report(asked.Pos, "the question of node "+quote(n.Spec.Name.V)+" is empty", "state what the person is asked")
		}
	}
}

func humanAnswers(c *context) {
	for _, n := range c.humans() {
		title := "node " + quote(n.Spec.Name.V)
		if n.Decides() && n.Spec.WritesPos.IsSet() {
			c.report(n.Spec.WritesPos, title+" writes, but its answer is yes or no",
				"give it an output, as in "+diag.Add("output", "string")+", or "+diag.Remove("remove writes"))
		}
		if n.Out == nil || unknown(n.Out) {
			continue
		}
		if found := c.schemaless(n.Out); found != nil && n.Out.Kind == resolve.Struct {
			c.report(n.Spec.Output.Pos, "the answer to "+title+within(found, n.Out), "declare a type with the fields that the person fills")
		} else if !slices.Contains([]resolve.Kind{resolve.Struct, resolve.Enum, resolve.String}, n.Out.Kind) {
			c.report(n.Spec.Output.Pos, "the answer to "+title+" is "+article(n.Out.String())+": a person gives a struct, an enum or a string",
				"put it into a struct, as in "+diag.Set("output", "{answer: "+quoteBrackets(n.Out.String())+"}"))
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
			c.report(s.OnDeny.Pos, "on_deny of node "+title+" is never taken: its answer is not a yes or no", diag.Remove("remove it")+", or the output",
				diag.Related{Pos: s.Output.Pos, Message: "the output is here"})
		}
		if s.OnTimeout.IsSet() && !s.Timeout.IsSet() {
			c.report(s.OnTimeout.Pos, "on_timeout of node "+title+" is never taken: no answer is too late",
				"add a timeout, as in "+diag.Add("timeout", "24h")+", or "+diag.Remove("remove it"))
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
				"add "+diag.Add("flags", "[requires_human]")+", or put a node of kind human before it")
		case k.key == "on_timeout" && !timed && !n.Approval().Unread:
			c.report(k.to.Pos, "on_timeout of node "+title+" is never taken: no answer is too late",
				"add a timeout, as in "+diag.Item("{requires_human: {timeout: 24h}}")+", or "+diag.Remove("remove it"))
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
			c.report(f.Name.Pos, title+" asks a person, and has requires_human", diag.Remove("remove the flag"))
		}
		if n.Spec.FailSoft.V {
			c.report(n.Spec.FailSoft.Pos, title+" requires a person's approval and is fail_soft: a no would count as a yes",
				"remove fail_soft; use on_deny, on_timeout or "+diag.Set("on", "error")+" edges",
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
		c.repeatedIn(" under approve", n, "tool", p.Approve)
		for _, name := range p.Approve {
			tool := c.graph.Tool(name.V)
			switch {
			case !written(name) || n.Injects(name.V) || tool != nil && slices.Contains(n.Tools, tool):
			case tool != nil:
				c.report(name.Pos, title+" approves the tool "+quote(name.V)+", which its model cannot call", "add it to tools, or "+diag.Remove("remove it"))
			case n.Has(spec.InjectTools):
				c.report(name.Pos, title+" approves "+quote(name.V)+", which is not a tool of it",
					"name it under allow_tools too, if it is known at run time alone")
			default:
				c.report(name.Pos, title+" approves "+quote(name.V)+", which is not a tool", "name one of its tools")
			}
		}
		if p.ApprovePos.IsSet() && len(p.Approve) == 0 {
			c.report(p.ApprovePos, "approve of "+title+" is empty", "name tools, or "+diag.Remove("remove it"))
		}
		held := slices.ContainsFunc(n.Tools, func(t *resolve.Tool) bool { return t.Spec.Approve.V || t.Spec.Approve.Lost || t.Spec.Unread })
		if p.ApproveTimeout.IsSet() && len(p.Approve) == 0 && !held {
			c.report(p.ApproveTimeout.Pos, "approve_timeout of "+title+" has no effect: no call needs an approval", "add approve, or "+diag.Remove("remove it"))
		}
	}
}

func unapproved(c *context) {
	for _, n := range c.graph.All() {
		if n.Fixed != nil && n.Fixed.Spec.Approve.V && !n.Gated() && !n.Spec.Unread {
			c.report(n.Spec.Tool.Pos,
				"node "+quote(n.Spec.Name.V)+" calls the tool "+quote(n.Fixed.Spec.Name.V)+", whose calls a person approves, without an approval",
				"add "+diag.Add("flags", "[requires_human]"))
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
				c.report(name.Pos, list.key+" names node "+quote(name.V)+" twice", diag.Remove("remove one"),
					diag.Related{Pos: was, Message: "the first one is here"})
			case spec.IsEnd(name.V):
				c.report(name.Pos, list.key+" names "+name.V+", which is not a node", "name a node before it under interrupt_after")
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
				"remove fail_soft; use on_deny, on_timeout or "+diag.Set("on", "error")+" edges")
		}
		if f, ok := n.Spec.Flag(spec.SkipOnError); ok {
			c.report(f.Name.Pos, title+" asks a person and has skip_on_error: after a failure the person would not be asked",
				diag.Remove("remove the flag")+", or let the failure lead past the node")
		}
	}
}
