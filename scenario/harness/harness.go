// Package harness is linked with generated machines by graphgen test: scripted handlers, and the
// code that runs the scenarios of a plan and reports the results. It is for test binaries only, so
// the kernel's restrictions do not apply.
package harness

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/scenario/wire"
)

// Protocol1 is referenced by generated code, so that it builds only with a harness that supports
// the plans of its graphgen.
const Protocol1 = true

// A Probe observes a run: it returns the option for the run, and a function that returns, after the run, what
// it has seen.
type Probe func() (option graphgen.Option, seen func() string)

// Main runs the scenarios of the plan on their graphs. A graph builds its machine with handlers
// that use the script, and calls Run. Streamed runs are observed by the probes.
func Main(t *testing.T, graphs map[string]func(*Script) error, probes ...Probe) {
	if err := runPlan(t, graphs, probes); err != nil {
		t.Fatal(err)
	}
}

func runPlan(t *testing.T, graphs map[string]func(*Script) error, probes []Probe) error {
	plan, err := os.ReadFile(os.Getenv(wire.PlanVariable))
	if err != nil {
		return err
	}
	var scenarios []wire.Scenario
	if err := json.Unmarshal(plan, &scenarios); err != nil {
		return err
	}
	results, err := os.Create(os.Getenv(wire.ResultsVariable))
	if err != nil {
		return err
	}
	out := json.NewEncoder(results)
	for i := range scenarios {
		w := &scenarios[i]
		graph, ok := graphs[w.Graph]
		if !ok {
			return fmt.Errorf("the plan names an unknown graph: %s", w.Graph)
		}
		if err := out.Encode(wire.Line{Begin: &w.ID}); err != nil {
			return err
		}
		if err := out.Encode(wire.Line{Result: runAll(t, w, graph, probes)}); err != nil {
			return err
		}
	}
	return results.Close()
}

// runAll runs a scenario in every mode. It returns the result of the first with the differences of
// the others.
func runAll(t *testing.T, w *wire.Scenario, graph func(*Script) error, probes []Probe) *wire.Result {
	start := time.Now()
	first := runOnce(t, w, graph, observed, nil)
	for _, m := range []mode{quiet, streamed, threaded, relayed} {
		if first.Problem != "" || m.saves() && (!first.Durable || !outlives(w)) {
			break
		}
		other := runOnce(t, w, graph, m, func(s *Script) { s.probes = probes })
		if m == streamed {
			first.Seen = other.Seen
		}
		if m.saves() {
			savesLess(other, first)
		}
		if other.Problem != "" {
			first.Problem = modeNames[m] + ": " + other.Problem
		} else if d := differs(first, other); d != "" {
			first.Problem = fmt.Sprintf("%s and %s differ: %s", modeNames[observed], modeNames[m], d)
			if other.Error != nil {
				first.Problem += " // " + other.Error.Text
			}
		}
	}
	if w.Repeat > 0 && first.Problem == "" {
		first.Problem = repeat(t, w, graph, first)
	}
	if w.OnEngine && first.Problem == "" {
		first.Problem = compareOnEngine(t, w, graph, first)
	}
	if w.InQueue && first.Durable && first.Problem == "" {
		first.Problem = compareInQueue(t, w, graph, first)
	}
	first.Elapsed = int64(time.Since(start))
	return first
}

// runOnce runs a scenario in a bubble, where waiting takes no time, unless a queue or an engine runs it by the clock of the system.
func runOnce(t *testing.T, w *wire.Scenario, graph func(*Script) error, m mode, prepare func(*Script)) *wire.Result {
	s := newScript(w, m)
	if prepare != nil {
		prepare(s)
	}
	run := func(*testing.T) {
		defer func() {
			if v := recover(); v != nil {
				s.problem = fmt.Errorf("the machine panicked: %v", v)
			}
		}()
		if s.coroutines != nil {
			s.coroutines.begin()
		}
		if err := graph(s); err != nil {
			s.problem = err
		}
	}
	if s.inRealTime() {
		run(t)
		if s.queue != nil {
			s.queue.Close()
		}
	} else {
		synctest.Test(t, run)
	}
	if s.problem != nil {
		s.result.Problem = s.problem.Error()
	}
	return s.result
}
