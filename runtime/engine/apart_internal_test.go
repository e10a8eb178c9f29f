package engine

import (
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/driver"
)

// TestDescribeCountsReservedCallsOnce holds that a child run that is made elsewhere has all that is left of the budget of a run around it, while another
// child run waits for a model.
func TestDescribeCountsReservedCallsOnce(t *testing.T) {
	for name, branches := range map[string]bool{"one after the other": false, "in branches": true} {
		t.Run(name, func(t *testing.T) {
			g := &Graph{Name: "g", Nodes: []NodeInfo{{Name: "end"}, {Name: "work"}}, Transitions: make([]TransitionInfo, 1)}
			r := &Run{settings: settle(g, nil, []graphgen.RunOption{graphgen.WithBudgets(graphgen.Budgets{ModelCalls: 3})}), At: 1}
			r.frame(g, NewFrame(make([]uint32, 3), nil))
			if branches {
				r.related.share(&r.path, nil)
			}
			n := newNesting(r)
			if err := n.reserveCall(); err != nil {
				t.Fatal(err)
			}
			var c driver.Child
			if n.describe(&c); c.Around[0].ModelCalls != 1 {
				t.Errorf("%d calls of models are counted, want the one that is reserved", c.Around[0].ModelCalls)
			}
		})
	}
}
