package engine

import (
	"strconv"
	"testing"
	"time"

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

// TestDetailsOfAPauseAreApart holds that what is added to a copy of the details, for the report of a pause, is not added to the details themselves, in
// a step too that has some already.
func TestDetailsOfAPauseAreApart(t *testing.T) {
	p, b := &Path{ring: make([]TransitionID, 4), n: 1}, &details{}
	b.addTimes(p, 1, time.Second, time.Second)
	b.countVerdict("a", "g", 1, 0)
	for range 2 {
		c := b.copied()
		c.addTimes(p, 1, time.Minute, time.Minute)
		c.countVerdict("a", "g", 1, 0)
		if own, of := b.ofStep(p), c.ofStep(p); own.ModelTime != time.Second || own.ToolTime != time.Second || of.ModelTime != time.Second+time.Minute {
			t.Errorf("the step has %+v, that of the copy %+v", *own, *of)
		}
		if own := b.Nodes[1]; own.ModelTime != time.Second || own.ToolTime != time.Second || b.Guards[0].Passed != 1 {
			t.Errorf("the node has %+v, its guard %+v", own, b.Guards[0])
		}
	}
}
