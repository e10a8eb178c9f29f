package engine

import (
	"context"
	"errors"
	"slices"
	"testing"
	"unsafe"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/mutation"
)

// eventsAt enters node b of a graph that the run may change, and returns the events of that node.
func eventsAt(t *testing.T, opts []graphrt.Option, at func(r *Run)) (events []string) {
	t.Helper()
	g := changeable()
	var r Run
	observe := graphrt.WithObserver(func(e graphrt.Event) {
		if e.Node == "b" && e.Kind != graphrt.Routed {
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
	ends := graphrt.Hook{Name: "last", Governing: true, After: func(_ context.Context, e graphrt.Event) error {
		if e.Node == "b" {
			return errors.New("no further")
		}
		return nil
	}}
	for name, option := range map[string]graphrt.Option{
		"a run that goes on":               graphrt.WithRunID("run"),
		"a dry run":                        graphrt.WithDryRun(),
		"a run that a hook puts an end to": graphrt.WithHook(ends),
	} {
		events := eventsAt(t, []graphrt.Option{option}, func(r *Run) {
			r.Mutate([]mutation.Change{mutation.AddEdge("b", "d").AtMost(1)}, func(any) bool { return false })
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
		r.Fail(&graphrt.PanicError{Value: "its condition panics"})
	})
	if !slices.Equal(events, []string{"node_start", "node_error"}) {
		t.Errorf("the events are %v", events)
	}
}

// TestEventSize holds that an event is passed to observers by value at little cost.
func TestEventSize(t *testing.T) {
	const most = 216
	if size := unsafe.Sizeof(graphrt.Event{}); size > most {
		t.Errorf("an Event has %d bytes, more than %d", size, most)
	}
}

// TestEntryTime holds that a run enters its graph at the time at which it begins.
func TestEntryTime(t *testing.T) {
	var events []graphrt.Event
	g := changeable()
	var r Run
	r.Start(t.Context(), g, &Frame{Counters: make([]uint32, len(g.Transitions)+len(g.Nodes))}, nil, []graphrt.Option{
		graphrt.WithObserver(func(e graphrt.Event) { events = append(events, e) }),
	})
	if len(events) != 3 || events[1].Kind != graphrt.Routed || events[0].Time != events[1].Time || events[2].Time.Before(events[1].Time) {
		t.Errorf("the events are %+v", events)
	}
}
