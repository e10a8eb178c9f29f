package check

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// bodyPasses look at what loops, retries and maps are made of, and at settings that stand at
// the wrong one of a node and the node that runs it.
var bodyPasses = []Pass{
	{run: bodies, Rule: diag.Rule{
		Code: "GG170", Name: "body",
		Doc:  "A loop, a retry or a map names what it runs as its body: a node, or several that run one after the other. A loop says until when.",
		Bad:  "graph: g\nentry: refine\nstate: {text: string}\ninput: [text]\noutput: [text]\nnodes:\n  refine: {kind: loop, body: improve}\n  improve: {reads: text, writes: text}\n",
		Good: "graph: g\nentry: refine\nstate: {text: string}\ninput: [text]\noutput: [text]\nnodes:\n  refine: {kind: loop, body: improve, until: out.Text == \"\"}\n  improve: {reads: text, writes: text}\n",
	}},
	{run: childSettings, Rule: diag.Rule{
		Code: "GG171", Name: "child-setting",
		Doc:  "A setting stands at the wrong one of two nodes. Ways on, and the flags entry, terminal and critical, belong to the node that runs others: what it runs has none. What concerns the work itself belongs to the node that does it: readonly, cacheable, isolated_context. max_visits of a node that is run once counts nothing. A template of mutations has no ways either: what is made of it is given some.",
		Bad:  "graph: g\nentry: again\nstate: {text: string}\noutput: [text]\nnodes:\n  again: {kind: retry, body: fetch}\n  fetch: {writes: text, next: end}\n",
		Good: "graph: g\nentry: again\nstate: {text: string}\noutput: [text]\nnodes:\n  again: {kind: retry, body: fetch, next: end}\n  fetch: {writes: text}\n",
	}},
}

func bodies(c *context) {
	for _, n := range c.graph.All() {
		if n.Kind != "loop" && n.Kind != "retry" && n.Kind != "map" || n.Spec.Unread {
			continue
		}
		name := n.Spec.Name
		switch {
		case !n.Spec.BodyPos.IsSet():
			c.report(name.Pos, n.Kind+" "+quote(name.V)+" has no body", "name what it runs, as in body: improve")
		case len(n.Spec.Body) == 0:
			c.report(n.Spec.BodyPos, "the body of "+n.Kind+" "+quote(name.V)+" is empty", "name what it runs, as in body: improve")
		}
		if n.Kind == "loop" && !n.Spec.Until.IsSet() {
			c.report(name.Pos, "loop "+quote(name.V)+" does not say until when", "add a condition, as in until: out.Score > 0.8")
		}
	}
}

// wayKeys say where a run goes on: they belong to the node that runs others, and to nodes
// that are there from the beginning.
var wayKeys = []struct {
	key string
	pos func(*spec.Node) spec.Pos
}{
	{"goto", func(n *spec.Node) spec.Pos { return first(n.Goto) }},
	{"transitions", func(n *spec.Node) spec.Pos {
		if len(n.Transitions) == 0 {
			return spec.Pos{}
		}
		return n.Transitions[0].Key.Pos
	}},
	{"next", func(n *spec.Node) spec.Pos { return n.Next.Pos }},
	{"no_match", func(n *spec.Node) spec.Pos { return n.NoMatch.Pos }},
}

var (
	visitFlags = []string{"entry", "terminal", "critical"}
	workFlags  = []string{"cacheable", "isolated_context", "readonly"}
)

func childSettings(c *context) {
	for _, n := range c.graph.All() {
		switch {
		case n.Host != nil:
			c.childSetting(n)
		case n.Template:
			c.wayless(n, "mutations make more of it, and give each its ways", "remove it")
			c.misplaced(n, visitFlags[:2], "mutations make more of it", "remove the flag")
		}
		if !resolve.IsComposite(n.Kind) {
			continue
		}
		c.misplaced(n, workFlags, "what it runs does the work", "give it to "+c.workerOf(n))
		if f, ok := n.Spec.Flag("retryable"); ok && n.Kind == "retry" {
			c.report(f.Name.Pos, "retry "+quote(n.Spec.Name.V)+" is retryable: it tries again as it is", "say attempts and waits at the retry itself")
		}
	}
}

// runsOthers reports whether what a node does is done by others: those that it names, or
// those of another graph.
func runsOthers(n *resolve.Node) bool { return resolve.IsComposite(n.Kind) || n.Kind == "subgraph" }

// workerOf says whom to give what concerns the work.
func (c *context) workerOf(n *resolve.Node) string {
	if inside := n.Inside(); len(inside) > 0 {
		return quote(inside[len(inside)-1].Spec.Name.V)
	}
	return "a node that it runs"
}

// childSetting reports what has no effect at a node that another runs.
func (c *context) childSetting(n *resolve.Node) {
	host, why, help := quote(n.Host.Spec.Name.V), c.runBy(n), "write it at "
	pool := n.Host == c.graph.Pool
	if pool {
		c.wayless(n, why, "remove it: the model picks what comes next")
		c.misplaced(n, visitFlags[2:], why, "remove the flag")
	} else {
		c.wayless(n, why, help+host)
		c.misplaced(n, visitFlags, why, "give it to "+host)
	}
	once := n.Host.Kind != "autonomous" && !n.Loops && !mayLoop(n)
	if visits := n.Spec.MaxVisits; visits.IsSet() && once {
		c.report(visits.Pos, "max_visits of node "+quote(n.Spec.Name.V)+" has no effect: "+why+", once each time", help+host+", or bound how often that runs it")
	}
}

// mayLoop reports whether it cannot be told if the node's model calls tools.
func mayLoop(n *resolve.Node) bool { return n.Spec.Unread || !isKind(n.Kind) }

// runBy says which node runs another.
func (c *context) runBy(n *resolve.Node) string {
	if n.Host == c.graph.Pool {
		return "it is in the pool of the graph"
	}
	return quote(n.Host.Spec.Name.V) + " runs it"
}

// wayless reports what a node says of ways that it does not have.
func (c *context) wayless(n *resolve.Node, why, help string) {
	kinds := c.kindsOf()
	for _, k := range wayKeys {
		foreign := kinds[k.key] != nil && !slices.Contains(kinds[k.key], n.Kind)
		if pos := k.pos(n.Spec); pos.IsSet() && !foreign {
			if k.key == "goto" && strings.HasPrefix(help, "write it at ") {
				help = "remove it: ways lead from " + quote(n.Host.Spec.Name.V) + ", which has no handler"
			}
			c.report(pos, k.key+" of node "+quote(n.Spec.Name.V)+" has no effect: "+why, help)
		}
	}
}

// misplaced reports the flags of a list that a node has.
func (c *context) misplaced(n *resolve.Node, flags []string, why, help string) {
	for _, flag := range flags {
		if f, ok := n.Spec.Flag(flag); ok {
			c.report(f.Name.Pos, "the flag "+flag+" has no effect at node "+quote(n.Spec.Name.V)+": "+why, help)
		}
	}
}
