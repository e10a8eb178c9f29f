// Package kernel holds the size of the kernel: of its record, of what runs allocate, of its interface and of its
// dependencies.
package kernel

import (
	"context"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/bench/fanout"
	"github.com/graphgen/graphgen/bench/step"
	"github.com/graphgen/graphgen/bench/ten"
	"github.com/graphgen/graphgen/bench/toolloop"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/runtime/engine"
)

// The limits are what the kernel has on 64 bits. They rise for a new promise, where packages become one, or where the record
// has by value what was apart, only.
const (
	mostOfRecord = 376 // bytes
	mostNames    = 165
	mostListed   = 110
)

var limits = []struct {
	name               string
	program            program
	allocations, bytes int
}{
	{"ten nodes", tenNodes(), 2, 488},
	{"ten nodes observed", tenNodes(observer), 6, 1664},
	{"300 steps", steps(300), 5, 5832},
	{"30,000 steps", steps(30_000), 5, 5832},
	{"300 steps observed", steps(300, observer), 9, 6944},
	{"1,000 steps observed", steps(1_000, observer), 9, 6944},
	{"300 steps reported", steps(300, report), 11, 16416},
	{"30,000 steps reported", steps(30_000, report), 13, 483360},
	{"eight branches", eightBranches, 10, 5224},
	{"ten rounds of tools", tenRounds, 30, 6824},
}

// TestLimits holds what a run allocates.
func TestLimits(t *testing.T) {
	if tier.Raced() {
		t.Skip("the race detector allocates, too")
	}
	for _, limit := range limits {
		t.Run(limit.name, func(t *testing.T) {
			allocations, bytes := allocated(t, limit.program)
			hold(t, "allocations", allocations, limit.allocations)
			hold(t, "bytes", bytes, limit.bytes)
		})
	}
}

// TestRecord holds the size of the record that every run allocates.
func TestRecord(t *testing.T) {
	hold(t, "bytes", int(unsafe.Sizeof(engine.Run{})), mostOfRecord)
}

// TestStepIsInlined holds that a step which needs no more than counting makes no call into the engine.
func TestStepIsInlined(t *testing.T) {
	out, err := exec.Command("go", "build", "-gcflags=-m", "../step").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, method := range []string{"Context", "Cancelled", "Failed", "Follow"} {
		if !strings.Contains(string(out), "inlining call to engine.(*Run)."+method+"\n") {
			t.Errorf("the loop of a machine calls %s: package engine does not export its body", method)
		}
	}
}

// TestExportedNames holds the number of constants, variables, functions and types that package graphgen exports.
func TestExportedNames(t *testing.T) { hold(t, "names", len(exported(t)), mostNames) }

// TestListedNames holds how many names the package has for who reads its list.
func TestListedNames(t *testing.T) {
	cmd := exec.Command("go", "doc", "-short", ".")
	cmd.Dir = folder
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	hold(t, "names", strings.Count(string(out), "\n"), mostListed)
}

// hold compares what there is with its limit.
func hold(t *testing.T, what string, is, most int) {
	t.Helper()
	switch {
	case is > most && strconv.IntSize == 64:
		t.Errorf("there are %d %s, want at most %d", is, what, most)
	case is < most:
		t.Logf("the limit of %s can fall from %d to %d", what, most, is)
	}
}

var (
	observer = graphgen.WithObserver(func(graphgen.Event) {})
	report   = graphgen.WithReport(new(graphgen.Report))
)

// A program makes a machine and returns its run.
type program func(*testing.T) func(context.Context) error

// tenNodes returns a program of ten nodes.
func tenNodes(opts ...graphgen.RunOption) program {
	return func(t *testing.T) func(context.Context) error {
		m, err := ten.NewTen(ten.Work{})
		if err != nil {
			t.Fatal(err)
		}
		return func(ctx context.Context) error {
			_, err := m.Run(ctx, ten.TenInput{}, opts...)
			return err
		}
	}
}

// steps returns a program of n steps.
func steps(n int, opts ...graphgen.RunOption) program {
	return func(t *testing.T) func(context.Context) error {
		m, err := step.NewLoop(&step.Work{Limit: n + 3})
		if err != nil {
			t.Fatal(err)
		}
		return func(ctx context.Context) error {
			_, err := m.Run(ctx, step.LoopInput{Goal: n}, opts...)
			return err
		}
	}
}

func eightBranches(t *testing.T) func(context.Context) error {
	m, err := fanout.NewFan(fanout.Idle{})
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context) error {
		_, err := m.Run(ctx, fanout.FanInput{})
		return err
	}
}

func tenRounds(t *testing.T) func(context.Context) error {
	m, err := toolloop.NewAgent(toolloop.Tools{}, toolloop.NewScript())
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context) error {
		_, err := m.Run(ctx, toolloop.AgentInput{Question: toolloop.Question})
		return err
	}
}

// allocated returns what a run allocates on one processor: the least of several averages, as the runtime allocates too.
func allocated(t *testing.T, p program) (allocations, bytes int) {
	const samples, runs = 3, 20
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	run, ctx := p(t), t.Context()
	if err := run(ctx); err != nil { // fills pools
		t.Fatal(err)
	}
	for sample := range samples {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range runs {
			if err := run(ctx); err != nil {
				t.Fatal(err)
			}
		}
		runtime.ReadMemStats(&after)
		n, size := int(after.Mallocs-before.Mallocs)/runs, int(after.TotalAlloc-before.TotalAlloc)/runs
		if sample == 0 {
			allocations, bytes = n, size
		}
		allocations, bytes = min(allocations, n), min(bytes, size)
	}
	return allocations, bytes
}

// TestAllocated holds that every allocation of a run is counted, with its bytes.
func TestAllocated(t *testing.T) {
	var kept *[8]int
	allocations, bytes := allocated(t, func(*testing.T) func(context.Context) error {
		return func(context.Context) error {
			kept = new([8]int)
			kept = new([8]int)
			return nil
		}
	})
	if kept == nil || allocations != 2 || bytes != 128 {
		t.Errorf("there are %d allocations of %d bytes, want 2 of 128", allocations, bytes)
	}
}
