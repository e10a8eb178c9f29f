package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/internal/testing/tier"
)

// newCommand measures in the folder bench with one binary and one turn of one iteration.
func newCommand(t *testing.T) *command {
	t.Helper()
	t.Chdir("..")
	c, err := parseFlags([]string{"-layouts=1", "-turns=1", "-time=1x"}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	c.dir, c.start = t.TempDir(), time.Now()
	return c
}

// TestRun holds that the benchmark of every row runs and reports what its row has. Of benchmarks that take seconds it
// holds that they exist. It leaves out long runs, as shorter ones run the same code. The tier test takes some of the rows.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the test binary of every package and a large graph")
	}
	for _, dir := range []string{"step", "ten", "fanout", "toolloop", "peers"} {
		tempmodule.Watch(t, filepath.Join("..", dir))
	}
	tempmodule.WatchRuntime(t, "../..")
	c := newCommand(t)
	small := large{5, filepath.Join(c.dir, "nodes5")}
	var rows []row
	var slow []benchmark
	for _, table := range tables([]large{small}) {
		for _, r := range table.rows {
			switch {
			case r.of.how == once:
				slow = append(slow, r.of, r.beside)
			case r.of.how == inTurns && !strings.HasSuffix(r.what, "0,000 steps"):
				rows = append(rows, r)
			}
		}
	}
	line := benchmark{printsLine, "wasip1", wasm}
	rows = append(rows, row{what: "a line", of: line, beside: line, unit: "kB"})
	for _, unit := range []string{"wall-s", "user-s", "lines"} {
		of, byHand := benchmark{small.dir, "go build", build}, benchmark{filepath.Join(small.dir, "hand"), "go build", build}
		rows = append(rows, row{what: "go build, " + unit, of: of, beside: byHand, unit: unit})
	}

	last := len(rows) - 1 // the large graph is made for the rows that are about it
	rows = append(tier.Some(t, 0, 8, rows[:last]), rows[last])
	all := benchmarks([]table{{rows: rows}})
	if err := c.large(t.Context(), []large{small}, all); err != nil {
		t.Fatal(err)
	}
	if err := c.measure(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if f := r.figures(c.samples); !f.measured || f.least <= 0 || f.base <= 0 {
			t.Errorf("%s: %+v", r.what, f)
		}
	}
	for _, b := range slow {
		list, err := exec.Command(filepath.Join(c.dir, b.pkg+".test"), "-test.list=^Benchmark").Output()
		name, _, _ := strings.Cut(b.name, "/")
		if err != nil || !slices.Contains(strings.Fields(string(list)), name) {
			t.Errorf("%s has no benchmark %s: %s, %v", b.pkg, name, list, err)
		}
	}
	holds := exec.Command("go", "test", ".")
	holds.Dir, holds.Env = small.dir, ownModule()
	if out, err := holds.CombinedOutput(); err != nil {
		t.Errorf("the large graph: %v\n%s", err, out)
	}
}

// TestPatience holds that a process that takes too long is ended, and that its benchmark has no further turn.
func TestPatience(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := newCommand(t)
	c.patience, c.late = time.Nanosecond, map[benchmark]bool{}
	r, err := c.run(t.Context(), binary, one)
	if r != nil || err != nil || !c.late[one] || c.due(one, 0, 1) || !c.due(other, 0, 1) {
		t.Errorf("the result is %v, the error %v, late are %v", r, err, c.late)
	}
}

func TestDue(t *testing.T) {
	m := meter{spent: map[benchmark]time.Duration{one: mostOfAll + 1}}
	tests := []struct {
		b            benchmark
		layout, turn int
		want         bool
	}{
		{other, 0, 0, true},
		{other, 4, 14, true},
		{one, 1, 0, false},
		{benchmark{how: once}, 0, 0, true},
		{benchmark{how: once}, 0, 1, false},
		{benchmark{how: once}, 1, 0, false},
		{benchmark{how: build}, 0, 0, false},
		{benchmark{how: wasm}, 0, 0, false},
	}
	for _, test := range tests {
		if got := m.due(test.b, test.layout, test.turn); got != test.want {
			t.Errorf("%+v is %v", test, got)
		}
	}
}
