package resolve

import (
	"testing"

	"github.com/graphgen/graphgen/spec"
)

// TestConstantNames names nodes as what is generated for the graph ends.
func TestConstantNames(t *testing.T) {
	for _, name := range []string{"End", "tools", "state", "input", "output", "handlers", "node"} {
		s, _ := spec.Load("g.graph.yaml",
			[]byte("graph: g\nentry: a\nstate: {x: string}\ntools:\n  t: {doc: looks, args: {q: string}, returns: string}\n"+
				"nodes:\n  a: {next: "+name+"}\n  "+name+": {}\n"))
		g := Resolve(s)
		n := g.Node(name)
		if want := "G" + n.GoName + "Node"; n.Const != want {
			t.Errorf("the constant of node %s is %s, not %s", name, n.Const, want)
		}
		if a := g.Node("a"); a.Const != "GA" {
			t.Errorf("the constant of node a is %s", a.Const)
		}
		taken := map[string]bool{}
		for _, own := range Generated(g) {
			if taken[own.Go] {
				t.Errorf("node %s: %s is generated twice", name, own.Go)
			}
			taken[own.Go] = true
		}
	}
}
