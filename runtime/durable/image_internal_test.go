package durable

import (
	"reflect"
	"testing"

	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
)

// TestSavedFailures holds that a thread has what a run knows of its failures.
func TestSavedFailures(t *testing.T) {
	for _, state := range []engine.FailureState{{}, {Pending: 4, Stuck: 2, Settled: 1, Lasting: &[]int{1, 2}, Detours: 3, PrevFailed: true}} {
		var saved, loaded engine.Image
		saved.FailureState = state
		data, err := codec.Marshal(codec.Of(saved, writeKernel))
		if err != nil {
			t.Fatal(err)
		}
		if err := codec.Unmarshal(data, codec.Into(&loaded, readKernel)); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(loaded.FailureState, state) {
			t.Errorf("%s is %+v, want %+v", data, loaded.FailureState, state)
		}
	}
}
