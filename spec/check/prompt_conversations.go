package check

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// conversationPasses judge the conversations that nodes continue.
var conversationPasses = []Pass{
	{Code: "GG285", run: histories},
	{Code: "GG286", run: conversationMerges},
	{Code: "GG294", run: defeatedHistories},
	{Code: "GG295", run: shownTwice},
}

func histories(c *context) {
	if c.spec.Unread && len(c.spec.State) == 0 {
		return // the state is what could not be read
	}
	conversations := fieldNames(c.graph.State, (*resolve.Type).IsConversation)
	for _, n := range c.modelNodes() {
		name := n.Spec.Prompt.History
		f := c.graph.State.Field(name.V)
		switch {
		case !written(name):
		case f == nil:
			c.report(name.Pos, "history of node "+quote(n.Spec.Name.V)+" names no field of the state: "+quote(name.V),
				didYouMean(name.V, conversations, addFieldAs(name.V, "messages")))
		case !unknown(f.Type) && !f.Type.IsConversation():
			c.report(name.Pos, "history of node "+quote(n.Spec.Name.V)+" names "+quote(name.V)+" of type "+f.Type.String()+", which is not a conversation",
				"give the field the type messages", diag.Related{Pos: f.Spec.Name.Pos, Message: "the field is here"})
		}
	}
}

func conversationMerges(c *context) {
	reported := map[*resolve.Field]bool{}
	for _, n := range c.modelNodes() {
		f := n.History
		if f == nil || !n.Appends() || f.Merge != "custom" || reported[f] {
			continue
		}
		reported[f] = true
		c.report(f.Spec.Merge.Pos, "nodes append to the conversation "+quote(f.Name)+", which has the merge rule "+f.Merge,
			"write "+diag.Rename("merge", "append")+", or "+diag.Remove("remove it"),
			diag.Related{Pos: n.Spec.Prompt.History.Pos, Message: "node " + quote(n.Spec.Name.V) + " continues it here"})
	}
}

func defeatedHistories(c *context) {
	for _, n := range c.modelNodes() {
		if n.History == nil {
			continue
		}
		at, name := n.Spec.Prompt.History.Pos, quote(n.Spec.Name.V)
		here := diag.Related{Pos: at, Message: "the conversation is here"}
		if f, ok := n.Spec.Flag(spec.Cacheable); ok && !n.Loops && !n.Defers {
			c.report(f.Name.Pos, "node "+name+" is cacheable, and continues a conversation: no turn of it is the same as one before",
				"keep one of the two", here)
		}
		if f, ok := n.Spec.Flag(spec.Readonly); ok && n.Appends() {
			c.report(f.Name.Pos, "node "+name+" is readonly, and appends to a conversation",
				diag.Remove("remove the flag")+", or write no_history: then the node is shown the conversation and appends nothing", here)
		}
		for _, w := range n.Spec.Writes {
			if w.V == n.History.Name && n.Appends() {
				c.report(w.Pos, "node "+name+" appends its turn to "+quote(w.V)+", and its model would have to write all messages of it",
					"remove it from writes: the turn is appended without", here)
			}
		}
		if n.Spec.Prompt.Context.V == "scoped" && !n.Appends() {
			c.report(at, "node "+name+" continues a conversation to no effect: "+c.says(diag.Set("context", "scoped"))+
				" shows none of it, and the node appends nothing", "keep one of the two",
				diag.Related{Pos: n.Spec.Prompt.Context.Pos, Message: "the context is here"})
		}
	}
}

func shownTwice(c *context) {
	for _, n := range c.modelNodes() {
		if n.History == nil {
			continue
		}
		for _, r := range n.Spec.Reads {
			if r.V == n.History.Name {
				c.warn(r.Pos, "node "+quote(n.Spec.Name.V)+" is shown "+quote(r.V)+" by history already", "remove it from reads")
			}
		}
		for p := range n.Pieces() {
			if p.Field == n.History && !slices.ContainsFunc(n.Spec.Reads, func(r spec.String) bool { return r.V == n.History.Name }) {
				c.warn(p.Pos, "node "+quote(n.Spec.Name.V)+" is shown "+quote(p.Name)+" twice: as messages, and here as JSON",
					"remove the placeholder, or history")
			}
		}
	}
}
