package main

import (
	"fmt"
	"strings"
)

// How a benchmark is measured.
type how uint8

const (
	inTurns how = iota // with each binary
	once               // one iteration with the first binary, as it takes seconds or measures memory
	build              // by go build of a package whose dependencies are built
	script             // by a program of Node.js
	wasm               // by the size of a stripped program for WebAssembly
)

// A benchmark is one of a package, by its path as go test prints it, or a build. It is zero where a row is compared with nothing.
type benchmark struct {
	pkg, name string
	how       how
}

// pattern returns the argument of -test.bench that runs this benchmark alone.
func (b benchmark) pattern() string {
	return "^" + strings.ReplaceAll(b.name, "/", "$/^") + "$"
}

// A row is a line of a table: a benchmark, what it is compared with, and the target.
type row struct {
	what       string
	of         benchmark
	unit       string // of the benchmark's output; empty: ns/op
	beside     benchmark
	besideUnit string // empty: the unit of the row
	than       string // the name of what it is compared with; empty: by hand
	target     target
}

// A table is a part of the page.
type table struct {
	title, text string
	rows        []row
}

func step(name string) benchmark { return benchmark{pkg: "./step", name: name} }

func ten(name string) benchmark { return benchmark{pkg: "./ten", name: name} }

// tables are what the page has, in its order.
func tables(sizes []large) []table {
	return []table{
		{"A step",
			"Three nodes in a loop. By hand is the same loop without a kernel; with a context that can be cancelled, it asks the " +
				"context before every step.", steps()},
		{"A step of runs of every length",
			"By hand, handlers are wrapped so that each reports its start and its end with the time. Bytes and allocations are counted " +
				"per run. Longer runs are compared with the shortest.", followed()},
		{"A run",
			"By hand is a loop over the same calls that asks its context, an errgroup, or a tool loop over the same model that " +
				"counts its calls and tokens.", runs()},
		{"Other libraries",
			"Ten nodes in a chain, as the documentation of the library shows it. Each is compared with the machine of the same ten nodes. " +
				"LangGraph.js also runs the fan-out of the table before, and 300 steps of its loop. It is measured in up to 5 processes of node, each for " +
				"3 seconds after 3 seconds of warming up, and is not measured without node, npm and a registry.", peers()},
		{"Large graphs",
			"A step of a graph in which every node has an edge to the next node and one to a random node; the output of a node " +
				"selects one of them at random. By hand is one switch.", largeGraphs(sizes)},
		{"Growth",
			"An observed run of 10,000,000 steps, and 1,000,000 observed runs. The last tenth of the time is compared with the " +
				"first; the bytes in use at the end with those after the first tenth.", growth()},
		{"100,000 concurrent runs", "Bytes of one run that waits at its fifth node, its goroutine included. The least stack of a goroutine has 2,048 B.",
			atOnce()},
		{"Builds",
			"`go build` of the package of a large graph, once its dependencies are built. By hand is the package of the loop in " +
				"one switch. The memory is measured for the largest process.", builds(sizes)},
		{"WebAssembly",
			"Stripped programs for wasip1: a machine that writes and reads JSON, and an agent. They are compared with a program that prints a line.",
			programs()},
	}
}

func steps() []row {
	return []row{
		{what: "background context", of: step("BenchmarkMachine"), beside: step("BenchmarkByHand"), target: target{more: 2}},
		{what: "cancellable context", of: step("BenchmarkMachineCancellable"), beside: step("BenchmarkByHandCancellable"), target: target{ratio: 1.5}},
	}
}

// flat is the most that a step of a long run takes beside one of a short run.
const flat = 1.25

func followed() (rows []row) {
	for _, f := range []struct {
		what, name string
		byHand     benchmark
		most       float64
	}{
		{"observed", "Observed", step("BenchmarkByHandObserved"), 250},
		{"with a report", "Report", step("BenchmarkByHandCancellable"), 60},
		{"of a Stream", "Stream", step("BenchmarkByHandObserved"), 300},
	} {
		var first row
		for _, n := range []int{30, 300, 3_000, 30_000, 300_000} {
			of := step(fmt.Sprintf("BenchmarkFollowed/%s/%d", f.name, n))
			r := row{what: f.what + ", " + group(n) + " steps", of: of, unit: "ns/step", target: target{most: f.most}}
			if first.what == "" {
				r.beside, r.besideUnit = f.byHand, "ns/op"
				first = r
			} else {
				r.beside, r.than, r.target.ratio = first.of, "30 steps", flat
			}
			rows = append(rows, r)
		}
	}
	return rows
}

func runs() []row {
	const machine, byHand = "BenchmarkRun/machine", "BenchmarkRun/by_hand"
	fanout := func(name string) benchmark { return benchmark{pkg: "./fanout", name: name} }
	tools := func(name string) benchmark { return benchmark{pkg: "./toolloop", name: "BenchmarkToolLoop/" + name} }
	return []row{
		{what: "ten nodes", of: ten(machine), beside: ten(byHand), target: target{most: 300, allocations: 2, bytes: 512}},
		{what: "ten nodes, observed", of: ten("BenchmarkRun/observed"), beside: ten(byHand), target: target{most: 3000}},
		{what: "fan-out of 8 branches", of: fanout(machine), beside: fanout(byHand), than: "an errgroup", target: target{ratio: 1.5}},
		{what: "ten rounds of tools", of: tools("machine"), beside: tools("by_hand"), target: target{ratio: 1.15}},
	}
}

func peers() (rows []row) {
	peer := func(what, name, machine string) {
		of := benchmark{pkg: "./peers", name: "BenchmarkRun/" + name}
		rows = append(rows, row{what: what, of: of, beside: ten("BenchmarkRun/" + machine), than: "the machine"})
	}
	peer("Eino 0.7.36", "Eino", "machine")
	peer("Eino 0.7.36 with callbacks, and the machine observed", "Eino_observed", "observed")
	peer("looplab/fsm 1.0.3", "looplab_fsm", "machine")
	peer("qmuntal/stateless 1.7.2", "stateless", "machine")
	js := func(what, name, unit string, machine benchmark, machineUnit string) {
		of := benchmark{pkg: "./peers/langgraphjs", name: name, how: script}
		rows = append(rows, row{what: "LangGraph.js 1.7.3, " + what, of: of, unit: unit, beside: machine, besideUnit: machineUnit, than: "the machine"})
	}
	js("ten nodes", "ten", "", ten("BenchmarkRun/machine"), "")
	js("fan-out of 8 branches", "fanout", "", benchmark{pkg: "./fanout", name: "BenchmarkRun/machine"}, "")
	js("a step of a loop of three nodes", "loop", "ns/step", step("BenchmarkMachine"), "ns/op")
	return rows
}

// large is a large graph: how many nodes it has, and the folder of its module.
type large struct {
	nodes int
	dir   string
}

func largeGraphs(sizes []large) (rows []row) {
	for _, l := range sizes {
		of, byHand := benchmark{pkg: l.dir, name: "BenchmarkMachine"}, benchmark{pkg: l.dir, name: "BenchmarkByHand"}
		rows = append(rows, row{what: group(l.nodes) + " nodes", of: of, beside: byHand})
	}
	return rows
}

// noise is the most bytes that the memory of a process grows by without a cause in its runs.
const noise = 65_536

func growth() []row {
	long, million := benchmark{"./step", "BenchmarkLong", once}, benchmark{"./ten", "BenchmarkMillion", once}
	last := func(what string, of benchmark, unit string, t target) row {
		return row{what: what, of: of, unit: "last-" + unit, beside: of, besideUnit: "first-" + unit, than: "the first tenth", target: t}
	}
	return []row{
		last("a step of 10,000,000", long, "ns/step", target{most: 250, ratio: flat}),
		last("memory of 10,000,000 steps", long, "B", target{more: noise}),
		last("a run of 1,000,000", million, "ns/run", target{ratio: flat}),
		last("memory of 1,000,000 runs", million, "B", target{more: noise}),
	}
}

func atOnce() []row {
	machine, byHand := benchmark{"./ten", "BenchmarkAtOnce/machine", once}, benchmark{"./ten", "BenchmarkAtOnce/by_hand", once}
	return []row{
		{what: "heap", of: machine, beside: byHand, unit: "heap-B/run", target: target{more: 512}},
		{what: "stack", of: machine, beside: byHand, unit: "stack-B/run", target: target{more: 100}},
	}
}

// fewer has, by the number of nodes, one less than the generated lines of commit bd8033ab.
var fewer = map[int]float64{1000: 47_108, 5000: 235_108}

// before is the ratio of the time of processors to the time for the code by hand, of 1,000 nodes at commit bd8033ab.
const before = 4.4

func builds(sizes []large) (rows []row) {
	for _, l := range sizes {
		if l.nodes < 1000 {
			continue
		}
		var wall, user, memory target
		switch l.nodes {
		case 1000:
			user.ratio = before
		case 5000:
			wall.most, memory.most = 10, 600
		}
		of, byHand := benchmark{l.dir, "go build", build}, benchmark{l.dir + "/hand", "go build", build}
		for _, r := range []row{
			{what: "time", unit: "wall-s", target: wall},
			{what: "time of processors", unit: "user-s", target: user},
			{what: "memory", unit: "peak-MB", target: memory},
			{what: "code", unit: "lines", target: target{most: fewer[l.nodes]}},
		} {
			r.what, r.of, r.beside = group(l.nodes)+" nodes, "+r.what, of, byHand
			rows = append(rows, r)
		}
	}
	return rows
}

func programs() []row {
	program := func(what, dir string, most float64) row {
		return row{what: what, of: benchmark{dir, "wasip1", wasm}, unit: "kB", beside: benchmark{printsLine, "wasip1", wasm},
			than: "a line printed", target: target{most: most}}
	}
	return []row{program("JSON", "../examples/wasm/greet", 3030), program("agent", "../examples/wasm/agent", 3560)}
}
