package serve

import (
	"errors"
	"net/http"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/thread"
)

// TestUnsavedFailure holds that a client of a run whose failure is not saved is sent no problem of an error that a node has returned.
func TestUnsavedFailure(t *testing.T) {
	down := errors.New("down")
	err := &graphgen.RunError{Reason: graphgen.Failed, Err: errors.Join(&thread.NotFoundError{Thread: "other"}, &thread.StoreError{Unsaved: true, Err: down})}
	status, p := new(call).statusOf(err)
	if status != statusFailed || p.Status != http.StatusInternalServerError || p.Code != codeInternal || !errors.Is(p, down) {
		t.Errorf("the run is %s, with %+v", status, p)
	}
}
