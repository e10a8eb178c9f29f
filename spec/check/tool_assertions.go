package check

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/assertion"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// An assertion "every path to X passes Y" may be about a tool: X is one, and a path to it is one to a node that
// calls it. A call that a person approves passes Y, whatever Y is; approval, where no node has the name, is such
// an approval alone.

// The tool may be one known at run time alone, or several with a * at the end: a path to it is one to a node whose
// allow_tools let the model call it.

// approvalName is what a call of a tool passes that a person approves.
const approvalName = "approval"

// toolOf returns the tool that an assertion is about, nil if it is about nodes.
func (c *context) toolOf(a *assertion.Assertion) *resolve.Tool {
	name := a.Names[0].V
	if a.Kind != assertion.Passes || !c.graph.NamesTools(name) {
		return nil
	}
	return c.graph.Tool(name)
}

// aboutTool reports whether an assertion is about a tool, of the spec or known at run time alone.
func (c *context) aboutTool(a *assertion.Assertion) bool {
	return c.toolOf(a) != nil || a.Kind == assertion.Passes && c.isInjected(a.Names[0].V)
}

// isInjected reports whether a name is one of tools known at run time alone that a node may call.
func (c *context) isInjected(name string) bool {
	return name != approvalName && c.graph.Tool(name) == nil && c.graph.NamesTools(name)
}

// namesTool reports whether a name of an assertion is the name of a tool, or of its approval.
func (c *context) namesTool(a *assertion.Assertion, name int) bool {
	return c.aboutTool(a) && (name == 0 || a.Names[name].V == approvalName)
}

// proveCalls decides an assertion about a tool.
func (c *context) proveCalls(a *assertion.Assertion, prove func(*assertion.Assertion) assertion.Verdict) assertion.Verdict {
	t, passed := c.toolOf(a), a.Names[1]
	added := t != nil && c.graph.Mutations != nil && slices.Contains(c.graph.Mutations.Tools, t)
	if added && !slices.Contains(c.graph.Held(), t) {
		return assertion.Verdict{Result: assertion.Open, Doubt: &assertion.Doubt{
			Why: "a run may add prompts that call the tool", Help: "add " + diag.Set("approve", "true") + " to the tool, or remove it from mutations"}}
	}
	free, held := c.graph.CallersOf(a.Names[0].V)
	all := assertion.Verdict{Result: assertion.Vacuous}
	if held || added {
		all.Result = assertion.Holds
	}
	for _, n := range free {
		switch root := outermost(n); {
		case root.Template:
			return assertion.Verdict{Result: assertion.Open, Doubt: copiesCall(root, n, a.Names[0].V)}
		case c.graph.Node(passed.V) == nil:
			return assertion.Verdict{Result: assertion.Fails}
		case n.Spec.Name.V == passed.V:
			all = assertion.Verdict{Result: assertion.Holds}
			continue
		}
		to := *a
		to.Names = []spec.String{{V: n.Spec.Name.V, Pos: a.Names[0].Pos}, passed}
		switch v := prove(&to); v.Result {
		case assertion.Holds:
			all = v
		case assertion.Vacuous:
		default:
			return v
		}
	}
	return all
}

// copiesCall is the doubt about calls of a tool by a node of a template: a run may add copies of it anywhere.
func copiesCall(template, n *resolve.Node, tool string) *assertion.Doubt {
	approval := diag.Set("approve", "["+tool+"]")
	if n.Fixed != nil {
		approval = diag.Set("flags", "[requires_human]")
	}
	return &assertion.Doubt{
		Why:  "a run may add copies of the template " + quote(template.Spec.Name.V) + ", which call the tool",
		Help: "add " + approval + " to node " + quote(n.Spec.Name.V) + ", or remove " + quote(template.Spec.Name.V) + " from the templates of mutations",
	}
}
