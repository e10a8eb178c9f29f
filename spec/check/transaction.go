package check

import (
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
)

// transactionPasses judge nodes whose handlers are in a transaction of the store.
var transactionPasses = []Pass{
	{run: transactionWithoutDurable, Rule: diag.Rule{
		Code: "GG385", Name: "transaction-without-durable",
		Doc:  "A node has transaction: true, and the graph is not durable: no store keeps its runs, so that there is no transaction to be in.",
		Bad:  strings.Replace(transactionExample("reads: n, writes: n"), "durable: true\n", "", 1),
		Good: transactionExample("reads: n, writes: n"),
	}},
	{run: transactionOfState, Rule: diag.Rule{
		Code: "GG386", Name: "transaction-of-state",
		Doc: "A node with transaction: true has neither reads nor writes, so that its handler changes the state itself. What is " +
			"saved in the transaction is what the handler returns.",
		Bad:  transactionExample(""),
		Good: transactionExample("reads: n, writes: n"),
	}},
	{run: transactionCached, Rule: diag.Rule{
		Code: "GG387", Name: "transaction-cacheable",
		Doc:  "A node has transaction: true and the flag cacheable: an execution that is left out writes nothing to the database.",
		Bad:  transactionExample("reads: n, writes: n, flags: [cacheable]"),
		Good: transactionExample("reads: n, writes: n"),
	}},
}

// transactionExample is a spec of a durable graph with a node that has a transaction.
func transactionExample(keys string) string {
	if keys != "" {
		keys += ", "
	}
	return "graph: g\nentry: a\ndurable: true\nstate: {n: int}\ninput: n\noutput: n\nnodes:\n  a: {" + keys + "transaction: true}\n"
}

func transactionWithoutDurable(c *context) {
	if c.spec.Durable.V || c.spec.Durable.Lost || c.spec.Unread {
		return
	}
	for _, n := range c.graph.All() {
		if n.Spec.Transaction.V && n.Kind.Name == spec.DefaultKind {
			c.report(n.Spec.Transaction.Pos, "node "+quote(n.Spec.Name.V)+" has a transaction, and the graph is not durable",
				"set durable: true, or leave out transaction")
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
			c.report(n.Spec.Transaction.Pos, "node "+quote(n.Spec.Name.V)+" has a transaction, and its executions may be left out",
				"remove the flag cacheable, or transaction")
		}
	}
}
