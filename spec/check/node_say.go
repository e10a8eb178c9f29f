package check

import (
	"strings"

	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/goname"
)

// sayPasses judge what nodes of kind say send to the observers of a run.
var sayPasses = []Pass{
	{Code: "GG279", run: sendsNothing},
	{Code: "GG284", run: payloads},
}

func sendsNothing(c *context) {
	for _, n := range c.graph.All() {
		if !n.Kind.Sends || n.Spec.Unread {
			continue
		}
		title := "node " + quote(n.Spec.Name.V)
		switch text := n.Spec.Say; {
		case text.IsSet() && !text.Lost && strings.TrimSpace(text.V) == "":
			c.report(text.Pos, "the text of "+title+" is empty", "write what observers should get; beside a payload, the text can be left out")
		case !text.IsSet() && len(n.Spec.Payload) == 0:
			c.report(n.Spec.Name.Pos, title+" is a say, and sends nothing",
				"write its text, as in "+diag.Set("say", "Looking into {{topic}}")+", or make it a pass")
		}
	}
}

func payloads(c *context) {
	fields := &suggester{names: fieldNames(c.graph.State, nil)}
	for _, n := range c.graph.All() {
		if !n.Kind.Sends {
			continue
		}
		for _, a := range n.Spec.Payload {
			if written(a.Name) && !goname.Valid(a.Name.V) {
				c.report(a.Name.Pos, quote(a.Name.V)+" in payload of node "+quote(n.Spec.Name.V)+" cannot be a field",
					"write letters, digits and _, with a letter first")
			}
			if written(a.Field) && c.graph.State.Field(a.Field.V) == nil && !(c.spec.Unread && len(c.spec.State) == 0) {
				c.report(a.Field.Pos, "payload of node "+quote(n.Spec.Name.V)+" names no field of the state: "+quote(a.Field.V),
					fields.suggest(a.Field.V, true, addField+", or compute it in a node of kind set before"))
			}
		}
	}
}
