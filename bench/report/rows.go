package main

import (
	"fmt"
	"strings"
)

// A benchmark is one of a package, by its path as go test prints it. The zero benchmark is none.
type benchmark struct{ pkg, name string }

// pattern returns the argument of -test.bench that runs this benchmark alone.
func (b benchmark) pattern() string {
	return "^" + strings.ReplaceAll(b.name, "/", "$/^") + "$"
}

// A row is a line of a table: a benchmark, what it is compared with, and the target.
type row struct {
	what   string
	of     benchmark
	beside benchmark
	unit   string // of the benchmark's output; empty: ns/op
	target string
}

// A table is a part of the page.
type table struct {
	title, text string
	rows        []row
}

func step(name string) benchmark { return benchmark{"./step", name} }

func ten(name string) benchmark { return benchmark{"./ten", name} }

func peer(name string) benchmark { return benchmark{"./peers", name} }

// tables are what the page has, in its order.
func tables(sizes []large) []table {
	return []table{
		{"A step", "Three nodes in a loop. By hand is the same loop without a kernel; with a context that can be cancelled, it asks the context before every step.", steps()},
		{"A run", "By hand is a loop over the same calls that asks its context, an errgroup, or a tool loop over the same model.", runs()},
		{"Other libraries", "Ten nodes in a chain, as the documentation of the library shows it. Each is compared with the machine of the same ten nodes.", peers()},
		{"Large graphs", "A step of a graph in which every node has an edge to the next node and one to a random node; the output of a node selects one of them at random. By hand is one switch.", largeGraphs(sizes)},
		{"100,000 runs at once", "Bytes of one run that waits at its fifth node, its goroutine included.", atOnce()},
	}
}

func steps() []row {
	rows := []row{
		{what: "background context", of: step("BenchmarkMachine"), beside: step("BenchmarkByHand"), target: "2 ns above"},
		{what: "cancellable context", of: step("BenchmarkMachineCancellable"), beside: step("BenchmarkByHandCancellable"), target: "1.5 ×"},
	}
	for _, f := range []struct{ what, name, target string }{{"observed", "Observed", "250 ns"}, {"of a Stream", "Stream", "300 ns"}} {
		for _, n := range []int{30, 300, 3_000, 30_000, 300_000} {
			of := step(fmt.Sprintf("BenchmarkFollowed/%s/%d", f.name, n))
			rows = append(rows, row{what: f.what + ", " + group(n) + " steps", of: of, unit: "ns/step", target: f.target + ", flat"})
		}
	}
	return rows
}

func runs() []row {
	const fan, loop = "BenchmarkRun/", "BenchmarkToolLoop/"
	return []row{
		{what: "ten nodes", of: ten("BenchmarkRun/machine"), beside: ten("BenchmarkRun/by_hand"), target: "300 ns, 2 allocations, 512 B"},
		{what: "ten nodes, observed", of: ten("BenchmarkRun/observed"), beside: ten("BenchmarkRun/by_hand"), target: "3,000 ns"},
		{what: "fan-out of 8 branches", of: benchmark{"./fanout", fan + "machine"}, beside: benchmark{"./fanout", fan + "by_hand"}, target: "1.5 ×"},
		{what: "ten rounds of tools", of: benchmark{"./toolloop", loop + "machine"}, beside: benchmark{"./toolloop", loop + "by_hand"}, target: "1.15 ×"},
	}
}

func peers() []row {
	return []row{
		{what: "Eino 0.7.36", of: peer("BenchmarkRun/Eino"), beside: ten("BenchmarkRun/machine")},
		{what: "Eino 0.7.36 with callbacks, and the machine observed", of: peer("BenchmarkRun/Eino_observed"), beside: ten("BenchmarkRun/observed")},
		{what: "looplab/fsm 1.0.3", of: peer("BenchmarkRun/looplab_fsm"), beside: ten("BenchmarkRun/machine")},
		{what: "qmuntal/stateless 1.7.2", of: peer("BenchmarkRun/stateless"), beside: ten("BenchmarkRun/machine")},
	}
}

// large is a large graph: how many nodes it has, and the folder of its module.
type large struct {
	nodes int
	dir   string
}

func largeGraphs(sizes []large) (rows []row) {
	for _, l := range sizes {
		rows = append(rows, row{what: group(l.nodes) + " nodes", of: benchmark{l.dir, "BenchmarkMachine"}, beside: benchmark{l.dir, "BenchmarkByHand"}})
	}
	return rows
}

func atOnce() []row {
	const machine, byHand = "BenchmarkAtOnce/machine", "BenchmarkAtOnce/by_hand"
	return []row{
		{what: "heap", of: ten(machine), beside: ten(byHand), unit: "heap-B/run"},
		{what: "stack", of: ten(machine), beside: ten(byHand), unit: "stack-B/run"},
	}
}
