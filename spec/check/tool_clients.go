package check

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// clientPasses judge tools that the caller of the machine runs.
var clientPasses = []Pass{
	{Code: "GG325", run: clientTools},
}

// recordPasses judge what human nodes write of their answers.
var recordPasses = []Pass{
	{Code: "GG327", run: records},
}

func records(c *context) {
	for _, n := range c.humans() {
		name := n.Spec.Record
		if !name.IsSet() || !written(name) {
			continue
		}
		f, title := c.graph.State.Field(name.V), "record of node "+quote(n.Spec.Name.V)
		twice := slices.ContainsFunc(n.Spec.Writes, func(w spec.String) bool { return w.V == name.V })
		switch {
		case f == nil:
			c.reportUnknown(name, title+" names no field of the state: "+quote(name.V), "declare it "+diag.Either("under state", "in the struct of the state"))
		case unknown(f.Type) || f.Spec.Unread:
		case twice:
			c.report(name.Pos, title+" is the field "+quote(name.V)+", which the answer is written to", "give the record a field of its own")
		case !slices.ContainsFunc(n.Writes, func(w resolve.Write) bool { return w.Record != nil }):
			c.report(name.Pos, title+" is the field "+quote(name.V)+" of type "+f.Type.String()+", which holds no record",
				"give it a struct with fields among decision, by and note of type string, and at of type time, or a list of such structs with "+
					diag.Set("merge", "append"))
		}
	}
}

func clientTools(c *context) {
	for _, t := range c.graph.Clients() {
		s, title := t.Spec, "tool "+quote(t.Spec.Name.V)
		here := diag.Related{Pos: s.Client.Pos, Message: "client is here"}
		if len(s.Reads) > 0 {
			c.report(s.Reads[0].Pos, title+" reads the state, but the caller of the machine runs it", "remove reads, and give it arguments", here)
		}
		if s.Approve.V {
			c.report(s.Approve.Pos, title+" needs an approval, but the caller of the machine runs it, or does not", "remove approve", here)
		}
		if s.Returns != nil && !unknown(t.Returns) {
			if found := c.schemaless(t.Returns); found != nil {
				c.report(s.Returns.Pos, "the result of "+title+within(found, t.Returns), "declare a type with the fields that the caller returns", here)
			}
		}
		for _, n := range c.graph.All() {
			approved := slices.IndexFunc(n.Spec.Prompt.Approve, func(name spec.String) bool { return name.V == s.Name.V })
			if approved >= 0 && slices.Contains(n.Tools, t) {
				c.report(n.Spec.Prompt.Approve[approved].Pos,
					"node "+quote(n.Spec.Name.V)+" approves calls of the "+title+", which the caller of the machine runs, or does not",
					diag.Remove("remove it"), here)
			}
		}
	}
}
