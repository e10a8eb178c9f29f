package check

import (
	"fmt"
	"strconv"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// nestedPasses find settings of a node that override settings of a node that it runs, and flags
// that claim what is not so.
var nestedPasses = []Pass{
	{Code: "GG229", run: nestedRetries},
	{Code: "GG230", run: nestedLimits},
	{Code: "GG231", run: claims},
}

// triesAgain returns the place of a setting by which a node tries again.
func triesAgain(n *resolve.Node) (pos spec.Pos, how string, does bool) {
	if f, ok := n.Spec.Flag(spec.Retryable); ok {
		return f.Name.Pos, "is retryable", true
	}
	return n.Spec.Kind.Pos, "is a retry", n.Kind.OnFailure
}

func nestedRetries(c *context) {
	for _, n := range c.graph.All() {
		pos, how, does := triesAgain(n)
		for parent := n.Parent; parent != nil && does; parent = parent.Parent {
			if at, _, too := triesAgain(parent); too {
				c.report(pos,
					"node "+quote(n.Spec.Name.V)+" "+how+", and "+parent.Kind.Name+" "+quote(parent.Spec.Name.V)+" around it tries again too",
					"keep one of the two",
					diag.Related{Pos: at, Message: "the other is here"})
				break
			}
		}
	}
}

func nestedLimits(c *context) {
	for _, n := range c.graph.All() {
		s := n.Spec
		if n == c.graph.Pool || s.Unread {
			continue
		}
		if n.Kind.Loops() && !n.Bodiless() {
			c.cutByRun(n, s.MaxIterations, "max_iterations", "iterations")
		}
		if n.Kind.Picks() && !n.Bodiless() {
			c.cutByRun(n, s.MaxSteps, "max_steps", "nodes of its pool")
		}
		c.cutByHost(n)
		if wait := s.Retry.Wait; n.Kind.OnFailure && wait.IsSet() && s.Timeout.V > 0 && wait.V >= s.Timeout.V {
			c.report(wait.Pos, "retry "+quote(s.Name.V)+" never tries again: its first wait is as long as its timeout",
				"make it shorter, or the timeout longer",
				diag.Related{Pos: s.Timeout.Pos, Message: "the timeout is here"})
		}
	}
}

// cutByHost reports a timeout that one around it cuts short. It does not count while a person is waited for.
func (c *context) cutByHost(n *resolve.Node) {
	for parent := n.Parent; parent != nil && n.Spec.Timeout.V > 0 && !mayWait(n.Spec); parent = parent.Parent {
		if around := parent.Spec.Timeout; around.V > 0 && around.V < n.Spec.Timeout.V {
			c.report(n.Spec.Timeout.Pos,
				"the timeout of node "+quote(n.Spec.Name.V)+" is longer than the timeout of "+quote(parent.Spec.Name.V)+", which runs it and cuts it short",
				"make it shorter, or the other longer",
				diag.Related{Pos: around.Pos, Message: "the other timeout is here"})
			return
		}
	}
}

// cutByRun reports a bound of a node that the steps of a run do not suffice for.
func (c *context) cutByRun(n *resolve.Node, bound spec.Value[int], key, what string) {
	steps := c.spec.Limits.MaxSteps
	most := c.cfg.MaxSteps()
	if steps.IsSet() {
		most = steps.V
	}
	if !bound.IsSet() || bound.Lost || bound.V < 1 || bound.V > maxCount/maxLeast || steps.Lost || c.spec.Flawed || most < 1 {
		return
	}
	need := 1 + bound.V*c.leastOf(n)
	if need <= most || c.endsOnSteps() {
		return
	}
	message := key + " of " + n.Kind.Name + " " + quote(n.Spec.Name.V) + " is never reached: " + strconv.Itoa(bound.V) + " " +
		what + " are " + strconv.Itoa(need) + " steps at least, and a run makes " + strconv.Itoa(most)
	if !steps.IsSet() {
		c.report(bound.Pos, message+" by default", "lower it, or raise the other, as in "+diag.Set("limits", "{max_steps: "+strconv.Itoa(2*need)+"}"))
		return
	}
	c.report(bound.Pos, message+" at most", "lower it, or raise the other", diag.Related{Pos: steps.Pos, Message: "the run's is here"})
}

// maxLeast is as far as leastOf counts: more is more than any run makes.
const maxLeast = 1 << 10

// leastOf is how many steps one execution of a region of a node takes at least that does not fail; 0: it always fails.
func (c *context) leastOf(n *resolve.Node) int {
	least, steps := 0, c.stepCosts()
	for _, r := range c.cfg.Node(n).Regions {
		if o := steps.Region(r).Success; o.Possible() && (least == 0 || o.Min.Amount < least) {
			least = max(1, min(o.Min.Amount, maxLeast))
		}
	}
	return least
}

// changes reports whether a node can change the state, or that is not known.
func changes(n *resolve.Node) bool {
	switch {
	case n.Spec.Unread || !n.Kind.Known() || n.Out != nil && n.Out.Kind == resolve.Unknown:
		return true
	case n.Has(spec.Readonly), !n.Kind.Changes():
		return false
	case n.Kind.By == spec.ByGraph:
		return len(n.Spec.Out) > 0
	case n.Kind.Composite():
		for _, child := range n.Children() {
			if changes(child) {
				return true
			}
		}
		return n.Bodiless()
	}
	return n.TakesState || len(n.Spec.Writes) > 0 || len(n.Writes) > 0
}

func claims(c *context) {
	for _, n := range c.graph.All() {
		title := "node " + quote(n.Spec.Name.V)
		if f, ok := n.Spec.Flag(spec.Stateful); ok && !changes(n) {
			help := diag.Remove("remove the flag") + ", or state what it writes"
			if n.Has(spec.Readonly) {
				help = "keep one of the flags"
			}
			c.report(f.Name.Pos, title+" is stateful, but cannot change the state", help)
		}
		if f, ok := n.Spec.Flag(spec.ParallelSafe); ok && !besideOthers(n) {
			c.safe(n, f.Name.Pos, title+" is not parallel_safe: ")
		}
	}
}

// besideOthers reports whether a node runs within a parallel or a map: what it writes there is
// judged with what the others write.
func besideOthers(n *resolve.Node) bool {
	for parent := n.Parent; parent != nil; parent = parent.Parent {
		if parent.Kind.Forks() {
			return true
		}
	}
	return false
}

// safe reports why a node with parallel_safe may not run beside others.
func (c *context) safe(n *resolve.Node, pos spec.Pos, title string) {
	it := "it"
	for _, at := range append([]*resolve.Node{n}, n.Children()...) {
		if at != n {
			it = quote(at.Spec.Name.V) + ", which it runs,"
		}
		if at.Has(spec.Readonly) || at.Spec.Unread || at.Body != nil {
			continue
		}
		if at.TakesState && at.Kind.Changes() && at.Kind.Known() {
			c.report(pos, title+it+" takes the whole state, and may write any field", "state what the node reads and writes, or remove the flag")
			return
		}
		for _, w := range at.Writes {
			if w.To.Merge == "last" {
				c.report(pos, title+it+" writes "+quote(w.To.Name)+", which has no merge rule", "give the field one, or remove the flag",
					diag.Related{Pos: w.Name.Pos, Message: "it is written here"})
				return
			}
		}
	}
}

// depthPasses bound how deep nodes run within others.
var depthPasses = []Pass{
	{Code: "GG324", run: nesting},
}

func nesting(c *context) {
	for _, n := range c.graph.TooDeep {
		c.report(n.Spec.Name.Pos, fmt.Sprintf("node %s runs within %d others, one in another", quote(n.Spec.Name.V), resolve.MaxNesting+1),
			fmt.Sprintf("nest nodes %d deep at most; put what is deeper into a graph of its own, and run it with a node of kind subgraph", resolve.MaxNesting))
	}
}
