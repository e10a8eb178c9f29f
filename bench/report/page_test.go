package main

import (
	"strings"
	"testing"
	"time"
)

var someSizes = []large{{10, "nodes10"}, {1000, "nodes1000"}, {5000, "nodes5000"}}

var (
	one   = benchmark{pkg: "p", name: "one"}
	other = benchmark{pkg: "p", name: "other"}
)

// TestCells holds the figures of a row: of four binaries, of which the last one ran no turn.
func TestCells(t *testing.T) {
	s := samples{
		one:   {{{"ns/op": 3000}, {"ns/op": 2000}}, {{"ns/op": 8000}}, {{"ns/op": 3000, "B/op": 64, "allocs/op": 2}}, nil},
		other: {{{"ns/op": 1000}, {"ns/op": 1500}}, {{"ns/op": 2000}}, {{"ns/op": 1000, "x-ns/op": 1500}}, nil},
	}
	tests := []struct {
		row  row
		want string
	}{
		{row{of: one}, "3,000 ns | 3,000 ns | 64 | 2 |  |  |  |  | "},
		{row{of: one, beside: other, target: target{ratio: 3}},
			"3,000 ns | 3,000 ns | 64 | 2 | by hand 1,000 ns | 3.00 × (2.00 to 4.00) | 2,000 ns | 3.00 × | yes"},
		{row{of: one, beside: other, than: "it", target: target{ratio: 2.9, allocations: 2}},
			"3,000 ns | 3,000 ns | 64 | 2 | it 1,000 ns | 3.00 × (2.00 to 4.00) | 2,000 ns | 2.90 ×, 2 allocations | no"},
		{row{of: one, beside: other, besideUnit: "x-ns/op"}, "3,000 ns | 3,000 ns | 64 | 2 | by hand 1,500 ns | 2.00 × | 1,500 ns |  | "},
		{row{of: benchmark{pkg: "late"}, beside: other, target: target{most: 5}}, "not measured |  |  |  |  |  |  | 5 ns | no"},
		{row{of: one, beside: benchmark{pkg: "late"}, target: target{ratio: 9}}, "3,000 ns | 3,000 ns | 64 | 2 |  |  |  | 9.00 × | no"},
	}
	for _, test := range tests {
		test.row.what = "a row"
		if got := strings.Join(test.row.cells(s), " | "); got != "a row | "+test.want {
			t.Errorf("got  %s\nwant a row | %s", got, test.want)
		}
	}
}

func TestTarget(t *testing.T) {
	f := figures{suffix: " ns", measured: true, besides: true, least: 100, ratio: 1.5, more: 50, counts: true, allocations: 2, bytes: 512}
	tests := []struct {
		target    target
		text, met string
	}{
		{target{}, "", ""},
		{target{most: 100}, "100 ns", "yes"},
		{target{most: 99}, "99 ns", "no"},
		{target{ratio: 1.5}, "1.50 ×", "yes"},
		{target{ratio: 1.4}, "1.40 ×", "no"},
		{target{more: 50}, "50 ns above", "yes"},
		{target{more: 49}, "49 ns above", "no"},
		{target{allocations: 2, bytes: 512}, "2 allocations, 512 B", "yes"},
		{target{allocations: 1, bytes: 512}, "1 allocations, 512 B", "no"},
		{target{allocations: 2, bytes: 511}, "2 allocations, 511 B", "no"},
		{target{most: 99, ratio: 1.5}, "99 ns, 1.50 ×", "no"},
	}
	for _, test := range tests {
		if text, met := test.target.cells(f); text != test.text || met != test.met {
			t.Errorf("%+v: %q, %q, want %q, %q", test.target, text, met, test.text, test.met)
		}
	}
}

func TestSuffix(t *testing.T) {
	for unit, want := range map[string]string{"ns/op": " ns", "last-ns/step": " ns", "heap-B/run": " B", "last-B": " B", "wall-s": " s", "lines": " lines"} {
		if got := suffix(unit); got != want {
			t.Errorf("%s: %q, want %q", unit, got, want)
		}
	}
}

// everything returns samples of all rows: each unit of a benchmark has a figure of its own.
func everything(all []table) samples {
	s := samples{}
	for _, b := range benchmarks(all) {
		r := result{"ns/op": 10, "B/op": 20, "allocs/op": 30}
		for _, t := range all {
			for _, row := range t.rows {
				for _, unit := range []string{row.unit, row.besideUnit} {
					if unit != "" {
						r[unit] = float64(40 + len(r))
					}
				}
			}
		}
		s[b] = [][]result{{r, r}, {r}}
	}
	return s
}

// TestPage holds that the page has a line of every row, and every line all figures.
func TestPage(t *testing.T) {
	c, err := parseFlags([]string{"-turns", "7", "-only", "a run: ten|step"}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	all := tables(someSizes)
	p := page{Command: c, Commit: "abc", Go: "go1", CPU: "a cpu", Cores: 2, Before: "1, 2, 3", After: "4, 5, 6"}
	for _, table := range all {
		p.Tables = append(p.Tables, table.markdown(everything(all)))
	}
	var w strings.Builder
	if err := p.write(&w); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"commit abc with go1 on 2 cores (a cpu)", "1, 2, 3 before", "4, 5, 6 after", "linked 5 times", "7 turns of 10ms",
		"within 1m0s", "go run ./report -turns 7 -only 'a run: ten|step' > ../docs"} {
		if !strings.Contains(strings.ReplaceAll(w.String(), "\n", " "), want) {
			t.Errorf("the page lacks %q:\n%s", want, w.String())
		}
	}
	lines := map[string]bool{}
	for line := range strings.Lines(w.String()) {
		lines[strings.TrimSpace(line)] = true
	}
	for _, table := range all {
		if !lines["## "+table.title] || !lines[table.text] {
			t.Errorf("the page lacks the heading or the text of %q", table.title)
		}
		for _, row := range table.rows {
			cells := row.cells(everything(all))
			if line := "| " + strings.Join(cells, " | ") + " |"; !lines[line] || len(cells) != 10 {
				t.Errorf("the page lacks the row %s", line)
			}
			for i, cell := range cells[:8] {
				counts := i == 3 || i == 4
				if (cell == "") != (counts && row.of.how != inTurns) || strings.Contains(cell, "NaN") || cell == "not measured" {
					t.Errorf("%s: %s: cell %d is %q", table.title, row.what, i, cell)
				}
			}
		}
	}
}

// TestRows holds that each figure that the kernel has to show is a row, and beside what it is compared.
func TestRows(t *testing.T) {
	var rows []string
	for _, table := range tables(someSizes) {
		for _, r := range table.rows {
			text, _ := r.target.cells(r.figures(nil))
			rows = append(rows, table.title+": "+r.what+" ["+text+"]")
			if r.beside == (benchmark{}) {
				t.Errorf("%s is beside nothing", r.what)
			}
		}
	}
	want := `A step: background context [2 ns above]
A step: cancellable context [1.50 ×]
A step of runs of every length: observed, 30 steps [250 ns]
A step of runs of every length: observed, 300 steps [250 ns, 1.25 ×]
A step of runs of every length: observed, 3,000 steps [250 ns, 1.25 ×]
A step of runs of every length: observed, 30,000 steps [250 ns, 1.25 ×]
A step of runs of every length: observed, 300,000 steps [250 ns, 1.25 ×]
A step of runs of every length: with a report, 30 steps [60 ns]
A step of runs of every length: with a report, 300 steps [60 ns, 1.25 ×]
A step of runs of every length: with a report, 3,000 steps [60 ns, 1.25 ×]
A step of runs of every length: with a report, 30,000 steps [60 ns, 1.25 ×]
A step of runs of every length: with a report, 300,000 steps [60 ns, 1.25 ×]
A step of runs of every length: of a Stream, 30 steps [300 ns]
A step of runs of every length: of a Stream, 300 steps [300 ns, 1.25 ×]
A step of runs of every length: of a Stream, 3,000 steps [300 ns, 1.25 ×]
A step of runs of every length: of a Stream, 30,000 steps [300 ns, 1.25 ×]
A step of runs of every length: of a Stream, 300,000 steps [300 ns, 1.25 ×]
A run: ten nodes [300 ns, 2 allocations, 512 B]
A run: ten nodes, observed [3,000 ns]
A run: fan-out of 8 branches [1.50 ×]
A run: ten rounds of tools [1.15 ×]
Other libraries: Eino 0.7.36 []
Other libraries: Eino 0.7.36 with callbacks, and the machine observed []
Other libraries: looplab/fsm 1.0.3 []
Other libraries: qmuntal/stateless 1.7.2 []
Other libraries: LangGraph.js 1.7.3, ten nodes []
Other libraries: LangGraph.js 1.7.3, fan-out of 8 branches []
Other libraries: LangGraph.js 1.7.3, a step of a loop of three nodes []
Large graphs: 10 nodes []
Large graphs: 1,000 nodes []
Large graphs: 5,000 nodes []
Growth: a step of 10,000,000 [250 ns, 1.25 ×]
Growth: memory of 10,000,000 steps [65,536 B above]
Growth: a run of 1,000,000 [1.25 ×]
Growth: memory of 1,000,000 runs [65,536 B above]
100,000 concurrent runs: heap [512 B above]
100,000 concurrent runs: stack [100 B above]
Builds: 1,000 nodes, time []
Builds: 1,000 nodes, time of processors [4.40 ×]
Builds: 1,000 nodes, memory []
Builds: 1,000 nodes, code [47,108 lines]
Builds: 5,000 nodes, time [10 s]
Builds: 5,000 nodes, time of processors []
Builds: 5,000 nodes, memory [600 MB]
Builds: 5,000 nodes, code [235,108 lines]
WebAssembly: JSON [3,030 kB]
WebAssembly: agent [3,560 kB]`
	if got := strings.Join(rows, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestChoose(t *testing.T) {
	chosen, err := choose(tables(someSizes), "a run: TEN nodes$|memory of 1,")
	if err != nil || len(chosen) != 2 || len(chosen[0].rows) != 1 || len(chosen[1].rows) != 1 || chosen[1].rows[0].what != "memory of 1,000,000 runs" {
		t.Errorf("chosen are %v, the error is %v", chosen, err)
	}
	for only, want := range map[string]string{"nothing": `no row matches "nothing"`, "(": "missing closing )"} {
		if _, err := choose(tables(nil), only); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %s", only, err, want)
		}
	}
}

func TestFlags(t *testing.T) {
	c, err := parseFlags([]string{"-quick", "-turns=4"}, t.Output())
	if err != nil || c.layouts != 2 || c.turns != 4 || c.time != "5ms" || c.patience != 5*time.Second || c.nodes != "10,1000" {
		t.Errorf("got %+v, the error %v", c, err)
	}
	c, err = parseFlags(nil, t.Output())
	if err != nil || c.layouts != 5 || c.turns != 15 || c.list {
		t.Errorf("got %+v, the error %v", c, err)
	}
	for _, args := range [][]string{{"-turns=0"}, {"-layouts=0"}, {"step"}, {"-what"}} {
		if _, err := parseFlags(args, t.Output()); err == nil {
			t.Errorf("%v: there is no error", args)
		}
	}
	for _, nodes := range []string{"2", "ten", "10,"} {
		c.nodes = nodes
		if _, err := c.sizes(); err == nil {
			t.Errorf("%s nodes: there is no error", nodes)
		}
	}
}

func TestList(t *testing.T) {
	c, err := parseFlags([]string{"-list", "-only", "a run:"}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	var w strings.Builder
	if err := c.report(t.Context(), &w); err != nil {
		t.Fatal(err)
	}
	if want := "A run: ten nodes\nA run: ten nodes, observed\nA run: fan-out of 8 branches\nA run: ten rounds of tools\n"; w.String() != want {
		t.Errorf("got\n%s\nwant\n%s", w.String(), want)
	}
}
