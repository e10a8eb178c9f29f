package check

import (
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
)

// transactionPasses judge nodes whose handlers are in a transaction of the store.
var transactionPasses = []Pass{
	{Code: "GG385", run: transactionWithoutDurable},
	{Code: "GG386", run: transactionOfState},
	{Code: "GG387", run: transactionCached},
}

func transactionWithoutDurable(c *context) {
	if c.spec.Durable.V || c.spec.Durable.Lost || c.spec.Unread {
		return
	}
	for _, n := range c.graph.All() {
		if n.Spec.Transaction.V && n.Kind.Name == spec.DefaultKind {
			c.report(n.Spec.Transaction.Pos, "node "+quote(n.Spec.Name.V)+" has a transaction, and the graph is not durable",
				"set "+diag.Set("durable", "true")+", or "+diag.Remove("leave out transaction"))
		}
	}
}

func transactionOfState(c *context) {
	for _, n := range c.graph.All() {
		if n.Spec.Transaction.V && n.TakesState && n.Kind.Known() && !n.Spec.Unread && !n.Has(spec.Readonly) {
			c.report(n.Spec.Transaction.Pos, "node "+quote(n.Spec.Name.V)+" has a transaction, and its handler changes the state itself",
				"give the node reads and writes")
		}
	}
}

func transactionCached(c *context) {
	for _, n := range c.graph.All() {
		if n.Spec.Transaction.V && n.Has(spec.Cacheable) {
			c.report(n.Spec.Transaction.Pos,
				"node "+quote(n.Spec.Name.V)+" has a transaction and is cacheable: a step that the cache answers would write nothing",
				"remove the flag cacheable, or transaction")
		}
	}
}
