package engine_test

import (
	"testing"

	"github.com/graphgen/graphgen/runtime/engine"
)

func TestNameOf(t *testing.T) {
	type small uint8
	type large uint16
	for value, want := range map[small]string{0: "", 1: "low", 2: "high", 3: "", 255: ""} {
		if got := engine.NameOf(value, "low", "high"); got != want {
			t.Errorf("%d is %q, want %q", value, got, want)
		}
	}
	if got := engine.NameOf(large(2), "low", "high"); got != "high" {
		t.Error(got)
	}
	if n := testing.AllocsPerRun(100, func() { _ = engine.NameOf(small(2), "low", "high") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
