package check

import (
	"fmt"
	"strings"

	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// depthPasses bound how deep nodes run within others.
var depthPasses = []Pass{
	{run: nesting, Rule: diag.Rule{
		Code: "GG324", Name: "nested-too-deep",
		Doc: fmt.Sprintf("Nodes run within one another more than %d deep. Each level is a run within the run around it, with a stack and a state of its own. "+
			"No other check looks at such a graph.", resolve.MaxNesting),
		Bad:  nestedExample(resolve.MaxNesting + 1),
		Good: nestedExample(3),
	}},
}

// nestedExample is a spec of loops within one another, so many around a node.
func nestedExample(depth int) string {
	var b strings.Builder
	b.WriteString("graph: g\nentry: l1\nstate: {n: int}\ninput: n\noutput: n\nnodes:\n")
	for i := 1; i < depth; i++ {
		fmt.Fprintf(&b, "  l%d: {kind: loop, body: l%d, max_iterations: 2, until: state.N > 1}\n", i, i+1)
	}
	fmt.Fprintf(&b, "  l%d: {kind: loop, body: work, max_iterations: 2, until: state.N > 1}\n  work: {reads: n, writes: n}\n", depth)
	return b.String()
}

func nesting(c *context) {
	for _, n := range c.graph.TooDeep {
		c.report(n.Spec.Name.Pos, fmt.Sprintf("node %s runs within %d others, one in another", quote(n.Spec.Name.V), resolve.MaxNesting+1),
			fmt.Sprintf("nest nodes %d deep at most; put what is deeper into a graph of its own, and run it with a node of kind subgraph", resolve.MaxNesting))
	}
}
