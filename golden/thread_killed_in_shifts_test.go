package golden_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/thread"
)

type siteWork struct{}

func (siteWork) Dim(context.Context, durable.SiteDimIn) error { return nil }

func (siteWork) Lock(context.Context, durable.SiteLockIn) error { return nil }

// A foreman is the model of shifts. In the first process, the one who walks waits for the crew.
type foreman struct {
	mu   sync.Mutex
	left int           // calls of the crew that are to come
	crew chan struct{} // closed when it has ended; nil: nothing waits for that
}

func (m *foreman) Generate(ctx context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
	switch walks := req.System == "Walk."; {
	case m.crew == nil:
	case walks:
		select {
		case <-m.crew:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	default:
		m.mu.Lock()
		if m.left--; m.left == 0 {
			defer close(m.crew)
		}
		m.mu.Unlock()
	}
	return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: `{"done":1}`}, Finish: chat.Stop}, nil
}

// TestKilledShifts holds that branches which go on where a process was killed make as many steps and calls of models as the
// run has left: those of branches that go on later, or not any more, count too. With one thread of the system, the branch
// that walks goes on before those of the crew are found.
func TestKilledShifts(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for name, test := range map[string]struct {
		budget graphgen.Budgets
		inner  bool
		reason graphgen.Reason
		steps  int // of the graph of shifts; 0: they depend on what runs at the same time
		calls  int
	}{
		"steps":                         {reason: graphgen.MaxSteps, steps: 15, calls: 12},
		"steps behind another machine":  {inner: true, reason: graphgen.MaxSteps, steps: 15, calls: 12},
		"calls":                         {budget: graphgen.Budgets{ModelCalls: 8}, reason: graphgen.Budget, calls: 8},
		"calls in a run of another one": {budget: graphgen.Budgets{ModelCalls: 8}, inner: true, reason: graphgen.Budget, calls: 8},
	} {
		for at := 1; at < 30; at++ {
			rep := shiftsKilled(t, at, test.inner, graphgen.WithBudgets(test.budget))
			steps, fewest := rep.Steps, test.calls
			if test.inner {
				steps = test.steps // unless the process that goes on has a report of it
				for _, n := range rep.Nested {
					steps = n.Report.Steps
				}
			}
			if test.steps > 0 { // the step that is one too many cancels a call that each branch of the crew may have begun
				fewest -= 2
			}
			if rep.Reason != test.reason || test.steps > 0 && steps != test.steps || rep.ModelCalls > test.calls || rep.ModelCalls < fewest {
				t.Errorf("%s, killed at append %d: %s: %d steps, %d calls, want %s, %d and from %d to %d",
					name, at, rep.Reason, steps, rep.ModelCalls, test.reason, test.steps, fewest, test.calls)
			}
		}
	}
}

// shiftsKilled makes a run, or one that runs it in a node, whose first process is killed at an append, and returns its report.
func shiftsKilled(t *testing.T, at int, inner bool, budget graphgen.Option) (rep graphgen.Report) {
	t.Helper()
	var now atomic.Int64 // in seconds
	store := thread.NewMemoryAt(func() time.Time { return time.Unix(now.Load(), 0) })
	process := func(s thread.Store, model *foreman) survivor {
		opts, reports := []thread.Option{thread.In(s), budget}, graphgen.WithReport(&rep)
		m, err := durable.NewShifts(model, opts...)
		if err != nil {
			t.Fatal(err)
		}
		if !inner {
			return survivorOf(m.Thread("t"), durable.ShiftsInput{}, reports)
		}
		if m, err = durable.NewShifts(model); err != nil {
			t.Fatal(err)
		}
		site, err := durable.NewSite(siteWork{}, m, opts...)
		if err != nil {
			t.Fatal(err)
		}
		return survivorOf(site.Thread("t"), durable.SiteInput{}, reports)
	}
	_, err := process(&mortal{Store: store, left: at}, &foreman{left: 4, crew: make(chan struct{})}).start(t.Context())
	if errors.Is(err, errKilled) {
		now.Add(3600)
		process(store, new(foreman)).recover(t.Context())
	}
	return rep
}
