package check

import (
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// secretPasses judge the fields of the state that threads keep sealed.
var secretPasses = []Pass{
	{run: secretCopied, Rule: diag.Rule{
		Code: "GG380", Name: "secret-copied",
		Doc: "The value of a secret field is copied to a field that is not secret, where threads keep it in plain text: by set, " +
			"by the item of a map, by in or out of a subgraph, or by the history of a node that shows the field to a model. " +
			"What a handler or a model makes of it is theirs to judge.",
		Bad:  secretExample("state: {key: {type: string, secret: true}, copy: string}", "set: {copy: state.Key}"),
		Good: secretExample("state: {key: {type: string, secret: true}, copy: {type: string, secret: true}}", "set: {copy: state.Key}"),
	}},
	{run: secretIdle, Rule: diag.Rule{
		Code: "GG381", Name: "secret-without-durable",
		Doc:  "A field is secret, and the graph is not durable: runs of it are kept in no thread, and nothing is sealed (a warning).",
		Bad:  "graph: g\nentry: a\nstate: {key: {type: string, secret: true}}\ninput: key\nnodes:\n  a: {reads: key}\n",
		Good: "graph: g\nentry: a\ndurable: true\nstate: {key: {type: string, secret: true}}\ninput: key\nnodes:\n  a: {reads: key}\n",
	}},
	{run: secretDefaults, Rule: diag.Rule{
		Code: "GG382", Name: "secret-default",
		Doc:  "A secret field has a default, which the spec and the generated code have in plain text (a warning). An empty default is none.",
		Bad:  "graph: g\nentry: a\ndurable: true\nstate: {key: {type: string, secret: true, default: k-123}}\ninput: key\nnodes:\n  a: {reads: key}\n",
		Good: "graph: g\nentry: a\ndurable: true\nstate: {key: {type: string, secret: true}}\ninput: key\nnodes:\n  a: {reads: key}\n",
	}},
}

// secretExample is a spec of a durable graph with a node of kind set.
func secretExample(state, node string) string {
	return "graph: g\nentry: a\ndurable: true\n" + state + "\ninput: key\noutput: copy\nnodes:\n  a: {kind: set, " + node + "}\n"
}

// unsealed reports whether a field is surely not secret: it was read in full.
func unsealed(f *resolve.Field) bool {
	return f != nil && !f.Secret() && (f.Spec == nil || !f.Spec.Unread && !f.Spec.Secret.Lost)
}

// copied reports that a node copies a secret field to one that is not.
func (c *context) copied(pos spec.Pos, from, to *resolve.Field, how, where string) {
	if from.Secret() && unsealed(to) {
		c.report(pos, "field "+quote(from.Name)+" is secret, and "+how+" "+quote(to.Name)+where+", which is not", "make "+quote(to.Name)+" secret, too",
			diag.Related{Pos: from.Spec.Secret.Pos, Message: "it is secret here"})
	}
}

func secretCopied(c *context) {
	for _, n := range c.graph.All() {
		if n.Over != nil && n.Item != nil {
			c.copied(n.Spec.Item.Pos, n.Over, n.Item, "the map gives its elements to", "")
		}
		for _, p := range n.Inputs {
			c.copied(p.Spec.Field.Pos, p.Field, p.Child, "the subgraph gives it to", " of "+quote(n.Spec.Graph.V))
		}
		for _, p := range n.Outputs {
			c.copied(p.Spec.Field.Pos, p.Child, p.Field, "the subgraph gives it to", "")
		}
		for _, a := range n.Spec.Set {
			to := c.graph.State.Field(a.Name.V)
			for _, f := range c.graph.ReadBy(a.Field.V) {
				c.copied(a.Field.Pos, f, to, "set gives it to", "")
			}
		}
		if n.History == nil {
			continue
		}
		for _, f := range n.Reads {
			if f != n.History {
				c.copied(n.Spec.Name.Pos, f, n.History, "node "+quote(n.Spec.Name.V)+" shows it in the conversation", "")
			}
		}
	}
}

func secretIdle(c *context) {
	if c.spec.Durable.V || c.spec.Durable.Lost || c.spec.Unread {
		return
	}
	for _, f := range c.graph.State.Fields {
		if f.Secret() {
			c.warn(f.Spec.Secret.Pos, "field "+quote(f.Name)+" is secret, and the graph is not durable: nothing keeps the field",
				"set durable: true, or leave out secret")
			return
		}
	}
}

func secretDefaults(c *context) {
	for _, f := range c.graph.State.Fields {
		if f.Secret() && f.Spec.Default != nil && f.Type.Kind == resolve.String && f.Spec.Default.Text != "" {
			c.warn(f.Spec.Default.Pos, "field "+quote(f.Name)+" is secret, and its default is in plain text here", "let the caller give it")
		}
	}
}
