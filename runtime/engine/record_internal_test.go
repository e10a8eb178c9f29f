package engine

import (
	"os"
	"reflect"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
)

// TestMain holds that no run of the tests has written what runs share.
func TestMain(m *testing.M) {
	code := m.Run()
	for _, shared := range []any{&noExtra, &noSettings} {
		if !reflect.ValueOf(shared).Elem().IsZero() {
			println("a run has written", reflect.TypeOf(shared).String())
			code = 1
		}
	}
	os.Exit(code)
}

// TestReportOfPause holds that the report of a paused run, which counts the runs within it, leaves the counts of the run as they are.
func TestReportOfPause(t *testing.T) {
	g := &Graph{Name: "g", Nodes: []NodeInfo{{Name: "end"}, {Name: "ask"}}}
	parent, child := &Run{settings: &noSettings}, &Run{settings: &noSettings}
	for _, r := range []*Run{parent, child} {
		r.frame(g, &Frame{Counters: make([]uint32, 2)})
		r.Agent().addPrompt("ask", chat.Purpose(""), "v1", false, 1)
		r.tally().refuse(&graphgen.GuardsError{}, r.where(r.here()), r.Execution().Attempt())
	}
	child.related.parent = parent
	parent.Pausing().wait().child = child
	whole := parent.Pausing().whole()
	if a, i := whole.Agent(), whole.tally(); a.prompts[0].ModelCalls != 2 || len(i.refusals) != 2 {
		t.Errorf("the whole run has %+v and %+v", a, i)
	}
	if a, i := parent.Agent(), parent.tally(); a.prompts[0].ModelCalls != 1 || len(i.refusals) != 1 {
		t.Errorf("the run has %+v and %+v", a, i)
	}
}
