// Package scenario runs the tests of graphs: NAME.scenarios.yaml beside a spec says what
// every node returns, and the path, outcome and state to expect. Test compiles the graphs
// of a package, links them with scripted handlers, and runs the machines themselves: what
// is tested is what ships.
//
// The way of a file through the package: Load reads it to a File, whose values have
// positions; bind checks it against its graph and makes the plan of package wire; build
// compiles the graphs of a package with package harness into one test binary; that runs
// the plan in bubbles of testing/synctest, so that waiting takes no time; and judge
// compares what it reports with what was expected.
package scenario

import (
	"io"
	"time"

	"github.com/graphgen/graphgen/spec/diag"
)

// Suffix is how the names of scenario files end.
const Suffix = ".scenarios.yaml"

// specSuffix is how the names of spec files end.
const specSuffix = ".graph.yaml"

// DefaultTimeout is how long the scenarios of one package may take.
const DefaultTimeout = 2 * time.Minute

// A Config says what Test tests, and how it tells.
type Config struct {
	// Dir is the directory that relative names in Files start from; "" is the current one.
	Dir string
	// Files are the specs to test, whose scenarios stand beside them, or scenario files.
	Files []string
	// Run selects scenarios: a regular expression that matches GRAPH/NAME, where GRAPH is
	// the spec file's name without .graph.yaml. "" selects all.
	Run string

	Verbose bool // tell of the scenarios that pass, too
	Cover   bool // tell which nodes and ways no scenario took
	JSON    bool // write one JSON object to Stdout instead of text

	// Timeout bounds the run of a package's scenarios, building aside; 0 is DefaultTimeout.
	Timeout time.Duration

	Stdout, Stderr io.Writer // nil: nowhere
}

// A Summary is the outcome of Test.
type Summary struct {
	// Diagnostics are what is wrong with the specs and the scenario files, in file order.
	// A package with errors among them is not run. Test does not write them, but for
	// Config.JSON.
	Diagnostics []diag.Diagnostic
	// Sources holds the text of every file that was read, by its name in Diagnostics.
	Sources map[string][]byte

	Graphs []Graph
	Passed int // scenarios
	Failed int
}

// OK reports whether everything was fine: no errors among the diagnostics, no scenario
// that failed, no package that could not be built or run.
func (s *Summary) OK() bool {
	if s.Failed > 0 || diag.HasErrors(s.Diagnostics) {
		return false
	}
	for i := range s.Graphs {
		if s.Graphs[i].Problem != "" {
			return false
		}
	}
	return true
}

// A Graph is the outcome of the scenarios of one spec.
type Graph struct {
	Spec    string // path of the spec
	Results []Result
	Elapsed time.Duration
	Cover   *Coverage // with Config.Cover
	// LeftOut is how many scenarios of the graph Config.Run does not select.
	LeftOut int
	// Problem says why the scenarios could not be run, "" if they could: the machine did
	// not build, the binary crashed or took too long.
	Problem string
}

// A Result is the outcome of one scenario.
type Result struct {
	Graph   string // the spec file's name without .graph.yaml
	Name    string
	File    string // scenario file
	Line    int    // where the scenario starts
	Elapsed time.Duration

	Path  []string // the nodes the run visited
	End   string   // the reason of its end
	Error string   // what Run returned

	Failures []Failure // empty: the scenario passed
}

// A Failure is an expectation that did not hold.
type Failure struct {
	What string // path, end, error, state.article …
	Want string
	Got  string
	Line int // of the expectation, in the scenario file
	// Mark is the offset in Got at which the first difference starts, and MarkWidth how
	// long it is, in bytes; a width of 0 marks nothing.
	Mark, MarkWidth int
}
