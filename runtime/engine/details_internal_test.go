package engine

import (
	"strconv"
	"testing"

	"github.com/graphgen/graphgen"
)

// TestCallsAreBounded holds that the details keep the last calls, counts the others, and leaves the lists of earlier reports as they are.
func TestCallsAreBounded(t *testing.T) {
	var b details
	var early []graphgen.ModelCall
	for i := range 3 * callsLength {
		if i == callsLength {
			early = Clip(b.Calls)
		}
		b.addCall(&graphgen.ModelCall{Node: strconv.Itoa(i)})
	}
	if n := len(b.Calls); n > callsLength || n+b.CallsDropped != 3*callsLength {
		t.Errorf("there are %d calls, and %d were dropped", n, b.CallsDropped)
	}
	for i, c := range b.Calls {
		if want := strconv.Itoa(b.CallsDropped + i); c.Node != want {
			t.Fatalf("call %d is %s, want %s", i, c.Node, want)
		}
	}
	for i, c := range early {
		if c.Node != strconv.Itoa(i) {
			t.Fatalf("call %d of an earlier report is %s", i, c.Node)
		}
	}
}
