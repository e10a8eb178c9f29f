package engine

import (
	"context"
	"errors"
	"slices"
	"testing"
	"unsafe"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/mutation"
)

// eventsAt enters node b of a graph that the run may change, and returns the events of that node.
func eventsAt(t *testing.T, opts []graphgen.RunOption, at func(r *Run)) (events []string) {
	t.Helper()
	g := changeable()
	var r Run
	observe := graphgen.WithObserver(func(e graphgen.Event) {
		if e.Node == "b" && e.Kind != graphgen.Routed {
			events = append(events, e.Kind.String())
		}
	})
	r.Start(context.Background(), g, &Frame{
		Counters: make([]uint32, len(g.Transitions)+len(g.Nodes)),
	}, nil, append(opts, observe))
	r.SlowStep(1, 2)
	at(&r)
	r.SlowStep(4, 3)
	return events
}

func TestChangeEvents(t *testing.T) {
	ends := graphgen.Hook{Name: "last", Governing: true, After: func(_ context.Context, e graphgen.Event) error {
		if e.Node == "b" {
			return errors.New("no further")
		}
		return nil
	}}
	for name, option := range map[string]graphgen.RunOption{
		"a run that goes on":               graphgen.WithRunID("run"),
		"a dry run":                        graphgen.WithDryRun(),
		"a run that a hook puts an end to": graphgen.WithHook(ends),
	} {
		events := eventsAt(t, []graphgen.RunOption{option}, func(r *Run) {
			r.Changes().Apply([]mutation.Change{mutation.AddEdge("b", "d").AtMost(1)}, func(any) bool { return false })
		})
		if !slices.Equal(events, []string{"node_start", "node_end", "mutation"}) {
			t.Errorf("%s: %v", name, events)
		}
	}
}

func TestSoftFailureThenFailure(t *testing.T) {
	broken := errors.New("broken")
	events := eventsAt(t, nil, func(r *Run) {
		r.FailSoftly(broken)
		r.Fail(&graphgen.PanicError{Value: "its condition panics"})
	})
	if !slices.Equal(events, []string{"node_start", "node_error"}) {
		t.Errorf("the events are %v", events)
	}
}

// TestEventSize holds that an event is passed to observers by value at little cost.
func TestEventSize(t *testing.T) {
	const most = 208
	if size := unsafe.Sizeof(graphgen.Event{}); size > most {
		t.Errorf("an Event has %d bytes, more than %d", size, most)
	}
}

// TestEntryTime holds that a run enters its graph at the time at which it begins.
func TestEntryTime(t *testing.T) {
	var events []graphgen.Event
	g := changeable()
	var r Run
	r.Start(t.Context(), g, &Frame{Counters: make([]uint32, len(g.Transitions)+len(g.Nodes))}, nil, []graphgen.RunOption{
		graphgen.WithObserver(func(e graphgen.Event) { events = append(events, e) }),
	})
	if len(events) != 3 || events[1].Kind != graphgen.Routed || events[0].Time != events[1].Time || events[2].Time.Before(events[1].Time) {
		t.Errorf("the events are %+v", events)
	}
}
