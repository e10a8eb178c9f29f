package check

import (
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// bodyPasses look at loops, retries, and the nodes they run.
var bodyPasses = []Pass{
	{run: bodies, Rule: diag.Rule{
		Code: "GG170", Name: "body",
		Doc:  "A loop or retry names the node it runs as its body: a func, for a loop also a transform or a retry. A node is the body of one other, is not where runs start or failures go, and does not run itself. A loop says until when.",
		Bad:  "graph: g\nentry: refine\nstate: {text: string}\ninput: [text]\noutput: [text]\nnodes:\n  refine: {kind: loop, body: fetch, until: state.Text == \"\"}\n  fetch: {kind: guard, reads: text}\n",
		Good: "graph: g\nentry: refine\nstate: {text: string}\ninput: [text]\noutput: [text]\nnodes:\n  refine: {kind: loop, body: fetch, until: out.Text == \"\"}\n  fetch: {reads: text, writes: text}\n",
	}},
	{run: bodySettings, Rule: diag.Rule{
		Code: "GG171", Name: "body-setting",
		Doc:  "A setting stands at the wrong one of two nodes. What concerns the work belongs to the body: caching, isolation, guards. What concerns the visit belongs to the node that runs it: ways on, max_visits, fail_soft, critical, skip_on_error. A body has no evals, which judge a visit. A retry takes the place of its body's flag retryable.",
		Bad:  "graph: g\nentry: again\nstate: {text: string}\noutput: [text]\nnodes:\n  again: {kind: retry, body: fetch}\n  fetch: {writes: text, max_visits: 3}\n",
		Good: "graph: g\nentry: again\nstate: {text: string}\noutput: [text]\nnodes:\n  again: {kind: retry, body: fetch, max_visits: 3}\n  fetch: {writes: text}\n",
	}},
}

// runsBody reports whether a kind of node runs another.
func runsBody(kind string) bool { return kind == "loop" || kind == "retry" }

func bodies(c *context) {
	for _, n := range c.graph.All() {
		if !runsBody(n.Kind) {
			continue
		}
		name, body := n.Spec.Name, firstOf(n.Spec.Body)
		switch found := c.graph.Node(body.V); {
		case !body.IsSet() && !n.Spec.Unread:
			c.report(name.Pos, n.Kind+" "+quote(name.V)+" has no body", "name the node it runs, as in body: improve")
		case !written(body):
		case found == nil:
			c.report(body.Pos, "body names no node: "+quote(body.V), didYouMean(body.V, c.workers(), "name one of the nodes, or add it under nodes"))
		case found.Host != n:
			c.notBody(n, found)
		default:
			c.bodyKind(n)
		}
		if n.Kind == "loop" && !n.Spec.Until.IsSet() && !n.Spec.Unread {
			c.report(name.Pos, "loop "+quote(name.V)+" does not say until when", "add a condition, as in until: out.Score > 0.8")
		}
	}
}

func firstOf(names []spec.String) spec.String {
	if len(names) == 0 {
		return spec.String{}
	}
	return names[0]
}

// workers lists the names of the nodes that others could run.
func (c *context) workers() []string {
	var names []string
	for _, n := range c.graph.All() {
		names = append(names, n.Spec.Name.V)
	}
	return names
}

// notBody says why a node cannot be the body of another.
func (c *context) notBody(n, body *resolve.Node) {
	pos, name := n.Spec.BodyPos, quote(body.Spec.Name.V)
	switch {
	case body == n:
		c.report(pos, "node "+name+" is its own body", "name the node that does the work")
	case body == c.graph.Entry:
		c.report(pos, "node "+name+" is a body and the entry", "let runs start at "+quote(n.Spec.Name.V))
	case body == c.graph.OnError:
		c.report(pos, "node "+name+" is a body and on_error", "let failures go to "+quote(n.Spec.Name.V))
	case body.Host != nil:
		c.report(pos, "node "+name+" is a body already: one node runs it", "give each its own body",
			diag.Related{Pos: body.Host.Spec.BodyPos, Message: "it is made a body here"})
	default:
		c.report(pos, "node "+name+" runs "+quote(n.Spec.Name.V)+", and would run itself", "name the node that does the work")
	}
}

// bodyKind reports a body that cannot be run by another node.
func (c *context) bodyKind(n *resolve.Node) {
	body, what := n.Body, "the body of "+n.Kind+" "+quote(n.Spec.Name.V)+" is a "
	switch {
	case !isKind(body.Kind): // that is told
	case body.Kind == "func" || n.Kind == "loop" && (body.Kind == "transform" || body.Kind == "retry"):
	case body.Kind == "transform":
		c.report(n.Spec.BodyPos, what+"transform: a pure function fails again", "run a func, or leave out the retry")
	case runsBody(body.Kind):
		c.report(n.Spec.BodyPos, what+body.Kind, "run a retry within a loop, not the other way round")
	case body.Kind == "prompt" || body.Kind == "tool":
		c.report(n.Spec.BodyPos, what+body.Kind+": what models and tools do is steps of the run", "let edges lead back to it, as loop_until does, or run a func")
	default:
		c.report(n.Spec.BodyPos, what+body.Kind+", which chooses a way on", "run a func")
	}
}

// visitKeys concern a visit: they belong to the node that runs a body.
var visitKeys = []struct {
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
	{"max_visits", func(n *spec.Node) spec.Pos { return n.MaxVisits.Pos }},
	{"fail_soft", func(n *spec.Node) spec.Pos { return n.FailSoft.Pos }},
}

var (
	visitFlags = []string{"entry", "terminal", "critical", "skip_on_error"}
	workFlags  = []string{"retryable", "cacheable", "isolated_context", "readonly"}
)

func bodySettings(c *context) {
	for _, n := range c.graph.All() {
		if n.Host != nil {
			c.bodySetting(n)
		}
		if n.Body == nil {
			continue
		}
		body := quote(n.Body.Spec.Name.V)
		c.misplaced(n, workFlags, "its body does the work", "give it to "+body)
		for _, e := range n.Leaving {
			if e.Spec.BranchPos.IsSet() {
				c.report(e.Spec.BranchPos, "a "+n.Kind+" cannot branch by label: its body "+body+" chooses no way on", "branch at a node behind it, or by conditions")
			}
		}
	}
}

// bodySetting reports what has no effect at a body.
func (c *context) bodySetting(n *resolve.Node) {
	name, host := quote(n.Spec.Name.V), quote(n.Host.Spec.Name.V)
	for _, k := range visitKeys {
		if pos := k.pos(n.Spec); pos.IsSet() {
			c.report(pos, k.key+" of node "+name+" has no effect: it is the body of "+host, "write it at "+host)
		}
	}
	if len(n.Spec.Evals) > 0 {
		c.report(n.Spec.Evals[0].Name.Pos, "evals of node "+name+" have no effect: they judge a visit, and it is the body of "+host, "give them to a node behind "+host)
	}
	c.misplaced(n, visitFlags, "it is the body of "+host, "give it to "+host)
	if f, ok := n.Spec.Flag("retryable"); ok && n.Host.Kind == "retry" {
		c.report(f.Name.Pos, "node "+name+" is retryable, and the body of retry "+host+": both would try again", "keep one of the two")
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
