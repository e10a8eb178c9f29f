// Package growth counts work, for tests of how it grows with the size of its input. Work is the
// statements that run, as the go command counts them for coverage. A busy machine does not
// change the count, and the code that is tested needs no counters.
package growth

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tier"
)

// counted are the packages whose statements are counted: what reads and judges a spec, and what it loops with.
const counted = "github.com/graphgen/graphgen/spec/...,go.yaml.in/yaml/v3,bytes,slices,strings,unicode/utf8"

// most is how many times the work ten times the size may take.
const most = 11

// variable holds what a counting process runs: a size and the name of a row.
const variable = "GRAPHGEN_GROWTH"

// Linear runs every row for the size n and for ten times n, and reports the rows whose work grows
// faster than the size. The tiers short and test take some of the rows. Linear is all that a test does, and
// the test is not a subtest: its package is built again with counters, and the test runs in a
// process of its own for each count.
func Linear(t *testing.T, n int, rows map[string]func(n int)) {
	t.Helper()
	if runRow(t, rows) {
		return
	}
	binary := counting(t)
	start := work(t, binary, 0, "") // what the process does before the row
	for _, row := range tier.Some(t, 4, 8, slices.Sorted(maps.Keys(rows))) {
		t.Run(row, func(t *testing.T) {
			t.Parallel() // the work is in processes, and is counted
			few, many := work(t, binary, n, row)-start, work(t, binary, 10*n, row)-start
			if few <= 0 || many > most*few {
				t.Errorf("%d statements run for the size %d, %d for %d", few, n, many, 10*n)
			}
			t.Logf("%d statements run for the size %d, %d for %d: %.1f", few, n, many, 10*n, float64(many)/float64(few))
		})
	}
}

// Ratio runs a row and another one for the size n, and reports if the work of the first is more than the given multiple
// of the second. It is all that a test does, as Linear is.
func Ratio(t *testing.T, n int, multiple float64, row, than func(n int)) {
	t.Helper()
	if runRow(t, map[string]func(int){"row": row, "than": than}) {
		return
	}
	binary := counting(t)
	start := work(t, binary, 0, "")
	first, second := work(t, binary, n, "row")-start, work(t, binary, n, "than")-start
	if second <= 0 || float64(first) > multiple*float64(second) {
		t.Errorf("%d statements run, more than %g times %d", first, multiple, second)
	}
	t.Logf("%d statements run, and %d: %.2f", first, second, float64(first)/float64(second))
}

// runRow runs the row that a counting process is for. It reports whether this is one.
func runRow(t *testing.T, rows map[string]func(n int)) bool {
	what, counting := os.LookupEnv(variable)
	if !counting {
		return false
	}
	size, row, _ := strings.Cut(what, " ")
	if n, err := strconv.Atoi(size); err != nil {
		t.Fatal(err)
	} else if n > 0 {
		rows[row](n)
	}
	return true
}

// counting builds the tests of the package with counters.
func counting(t *testing.T) (binary string) {
	t.Helper()
	binary = filepath.Join(t.TempDir(), "counting.test")
	if out, err := exec.Command("go", "test", "-c", "-ldflags=-s -w", "-o", binary, "-covermode=count", "-coverpkg="+counted, ".").
		CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// work returns how many statements a process runs that runs a row.
func work(t *testing.T, binary string, n int, row string) int {
	t.Helper()
	profile := filepath.Join(t.TempDir(), "profile")
	test, _, _ := strings.Cut(t.Name(), "/")
	cmd := exec.Command(binary, "-test.run=^"+test+"$", "-test.coverprofile="+profile)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %s", variable, n, row), "GOGC=400")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	_, blocks, _ := strings.Cut(string(text), "\n") // after the mode
	for line := range strings.Lines(blocks) {
		var statements, times int
		if _, err := fmt.Sscanf(line[strings.Index(line, " "):], "%d %d", &statements, &times); err != nil { // after the place
			t.Fatalf("%s: %v", line, err)
		}
		sum += statements * times
	}
	return sum
}
