package main

import (
	"runtime"
	"slices"
	"strconv"
	"testing"
)

func TestParse(t *testing.T) {
	suffix := ""
	if n := runtime.GOMAXPROCS(0); n > 1 {
		suffix = "-" + strconv.Itoa(n)
	}
	out := "cpu: one\nBenchmarkRun/a" + suffix + " \t 1 \t 9 ns/op\nBenchmarkRun/a/30" + suffix + " \t 2 \t 98.35 ns/op \t 0.5 ns/step \t 7 B/op\nPASS\n"
	r, err := parse(out, "BenchmarkRun/a/30")
	if err != nil || len(r) != 3 || r["ns/op"] != 98.35 || r["ns/step"] != 0.5 || r["B/op"] != 7 {
		t.Errorf("the figures are %v, the error %v", r, err)
	}
	if _, err := parse(out, "BenchmarkRun/b"); err == nil {
		t.Error("there is no error for a benchmark that did not run")
	}
}

func TestNumber(t *testing.T) {
	for f, want := range map[float64]string{0: "0", 3: "3", 2.96: "2.96", 99.5: "99.5", 145.4: "145", 1872: "1,872",
		1234567: "1,234,567", -1496: "-1,496", -149: "-149", -0.4: "-0.40", 37.25: "37.2"} {
		if got := number(f); got != want {
			t.Errorf("%v is written %s, want %s", f, got, want)
		}
	}
}

// TestGraph holds that the two edges of a node of a large graph lead to two other nodes.
func TestGraph(t *testing.T) {
	for _, size := range []int{3, 10, 100} {
		g := newGraph("root", size)
		names := map[string]bool{}
		for _, n := range g.Nodes {
			names[n.Name] = true
		}
		for _, n := range g.Nodes {
			if !names[n.Next] || !names[n.Other] || n.Next == n.Other || n.Next == n.Name || n.Other == n.Name {
				t.Errorf("%d nodes: %+v", size, n)
			}
		}
		if len(names) != size {
			t.Errorf("there are %d nodes, want %d", len(names), size)
		}
	}
}

func TestPattern(t *testing.T) {
	if want := "^BenchmarkRun$/^by_hand$"; ten("BenchmarkRun/by_hand").pattern() != want {
		t.Errorf("the pattern is %s, want %s", ten("BenchmarkRun/by_hand").pattern(), want)
	}
}

func TestBenchmarks(t *testing.T) {
	all := benchmarks(tables(someSizes))
	for i, b := range all {
		if slices.Contains(all[:i], b) {
			t.Errorf("%v is measured twice", b)
		}
	}
}
