// Package scenario runs the tests of graphs. NAME.scenarios.yaml, beside a spec, has the
// results of its nodes, and the expected path, outcome and state. Test compiles the graphs
// of a package, links them with scripted handlers, and runs the machines as they ship.
//
// A file passes through the package in this order: Load reads it to a File, whose values
// have positions. bind checks it against its graph and returns the plan of package wire.
// build compiles the graphs of a package with package harness into one test binary. The
// binary runs the plan in bubbles of testing/synctest, so that waiting takes no time. judge
// compares its results with the expectations.
package scenario

import (
	"io"
	"slices"
	"time"

	"github.com/graphgen/graphgen/spec/diag"
)

// Suffix is the suffix of scenario files.
const Suffix = ".scenarios.yaml"

// specSuffix is the suffix of spec files.
const specSuffix = ".graph.yaml"

// DefaultTimeout is the time limit for the scenarios of one package.
const DefaultTimeout = 2 * time.Minute

// A Config selects what Test runs, and the form of its output.
type Config struct {
	// Dir is the base of relative names in Files; "" is the current directory.
	Dir string
	// Files are the specs to test, with their scenarios in the same directory, or scenario files.
	Files []string
	// Run selects scenarios: a regular expression that matches GRAPH/NAME, where GRAPH is
	// the spec file's name without .graph.yaml. "" selects all.
	Run string

	Verbose bool // list the scenarios that pass, too
	Cover   bool // list the nodes and transitions that no scenario took
	JSON    bool // write one JSON object to Stdout instead of text

	// Probe is the import path of a package whose function Probe observes each run: see harness.Probe. ""
	// for none.
	Probe string

	// Repeat is how often each run is repeated, driven by coroutines and a clock of its own: the repetitions have to be the same, event by event.
	Repeat int

	// Driver is the import path of a package whose functions Options and Engine run machines on another engine, whose driver the specs have: each
	// scenario is also run there, with the same result. See harness.Engine. "" for none.
	Driver string

	// RealTime says that the engine of Driver has the clock of the system: it is given no scenario in which time passes.
	RealTime bool

	// Queue is the import path of a package whose functions Open and Work run threads by a queue: each scenario of a durable graph is also run there,
	// with the same result. See harness.Queue. "" for none.
	Queue string

	// Timeout bounds the run of a package's scenarios, without the build; 0 is DefaultTimeout.
	Timeout time.Duration

	Stdout, Stderr io.Writer // nil: no output
}

// A Summary is the result of Test.
type Summary struct {
	// Diagnostics are found in the specs and the scenario files, in file order. A package with
	// errors is not run. Test writes them for Config.JSON only.
	Diagnostics []diag.Diagnostic
	// Sources holds the text of every file that was read, by its name in Diagnostics.
	Sources map[string][]byte

	Graphs []Graph
	Passed int // scenarios
	Failed int
}

// OK reports whether there was no error, no failed scenario, and no package that could not be built
// or run.
func (s *Summary) OK() bool {
	if s.Failed > 0 || diag.HasErrors(s.Diagnostics) {
		return false
	}
	return !slices.ContainsFunc(s.Graphs, func(g Graph) bool { return g.Problem != "" })
}

// A Graph is the result of the scenarios of one spec.
type Graph struct {
	Spec    string // path of the spec
	Results []Result
	Elapsed time.Duration
	Cover   *Coverage // with Config.Cover
	// LeftOut is the number of scenarios of the graph that Config.Run does not select.
	LeftOut int
	// Problem is the reason why the scenarios could not be run, or "": the machine did not build, or the
	// binary crashed or exceeded the timeout.
	Problem string
}

// A Result is the result of one scenario.
type Result struct {
	Graph   string // the spec file's name without .graph.yaml
	Name    string
	File    string // scenario file
	Line    int    // the first line of the scenario
	Elapsed time.Duration

	Path  []string // the nodes that the run visited
	End   string   // the reason for its end
	Error string   // the error of Run
	Seen  string   // what Config.Probe has seen

	Visits []int // with Config.Cover: by node, in the order of the spec
	Taken  []int // likewise: by transition, from the entry

	Failures []Failure // empty: the scenario passed
}

// A Failure is an expectation that did not hold.
type Failure struct {
	What string // path, end, error, state.article …
	Want string
	Got  string
	Line int // of the expectation, in the scenario file
	// Mark is the offset in Got of the first difference, and MarkWidth its length, in bytes. A
	// width of 0 marks nothing.
	Mark, MarkWidth int
}
