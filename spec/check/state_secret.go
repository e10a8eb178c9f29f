package check

import (
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// secretPasses judge the fields of the state that threads keep sealed.
var secretPasses = []Pass{
	{Code: "GG380", run: secretCopied},
	{Code: "GG381", run: secretIdle},
	{Code: "GG382", run: secretDefaults},
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
				"set "+diag.Set("durable", "true")+", or "+diag.Remove("leave out secret"))
			return
		}
	}
}

func secretDefaults(c *context) {
	for _, f := range c.graph.State.Fields {
		if f.Secret() && f.Spec.Default != nil && (f.Type.Kind == resolve.String && f.Spec.Default.Text != "" || len(f.Spec.Default.Items) > 0) {
			c.warn(f.Spec.Default.Pos, "field "+quote(f.Name)+" is secret, and its default is in plain text here", "let the caller give it")
		}
	}
}
