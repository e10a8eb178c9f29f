package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// A slow benchmark has fewer turns: no turn starts after so much time with one binary, or with all of them.
const (
	mostOfLayout = 2 * time.Second
	mostOfAll    = 15 * time.Second
)

// A result is what a benchmark reported in one turn, by unit.
type result map[string]float64

// samples are the results of a benchmark: of each layout, of each turn.
type samples map[benchmark][][]result

// A meter builds and runs the benchmarks.
type meter struct {
	dir            string // temporary
	layouts, turns int
	time           string
	patience       time.Duration // with one process; it is ended after that
	noNode         error         // why programs of Node.js are not measured
	nodeTime       time.Duration // of a program of Node.js, after as much time of warming up
	start          time.Time
	samples        samples
	late           map[benchmark]bool // those that were ended
	spent          map[benchmark]time.Duration
	cpu            string
}

// measure measures the builds, and runs the benchmarks in turns, with one binary of each package for each layout.
func (m *meter) measure(ctx context.Context, all []benchmark) error {
	m.samples, m.late, m.spent = samples{}, map[benchmark]bool{}, map[benchmark]time.Duration{}
	if err := m.builds(ctx, all); err != nil {
		return err
	}
	for layout := range m.layouts {
		if err := m.layout(ctx, layout, all); err != nil {
			return err
		}
	}
	return nil
}

func (m *meter) layout(ctx context.Context, layout int, all []benchmark) error {
	binaries := map[string]string{}
	for _, b := range all {
		if b.how == build || b.how == script || b.how == wasm {
			continue
		}
		m.samples[b] = append(m.samples[b], nil)
		if binaries[b.pkg] != "" || b.how == once && layout > 0 {
			continue
		}
		m.progress("layout %d of %d, go test -c %s", layout+1, m.layouts, filepath.Base(b.pkg))
		binary, err := m.build(ctx, b.pkg, layout)
		if err != nil {
			return err
		}
		binaries[b.pkg] = binary
	}
	spent := map[benchmark]time.Duration{}
	for turn := range m.turns {
		m.progress("layout %d of %d, turn %d of %d", layout+1, m.layouts, turn+1, m.turns)
		for _, b := range all {
			if !m.due(b, layout, turn) || spent[b] > mostOfLayout {
				continue
			}
			start := time.Now()
			r, err := m.run(ctx, binaries[b.pkg], b)
			if err != nil {
				return err
			}
			spent[b] += time.Since(start)
			m.spent[b] += time.Since(start)
			if r != nil {
				m.samples[b][layout] = append(m.samples[b][layout], r)
			}
		}
	}
	return nil
}

// due reports whether a benchmark has a turn.
func (m *meter) due(b benchmark, layout, turn int) bool {
	switch b.how {
	case build, script, wasm:
		return false
	case once:
		return layout == 0 && turn == 0
	}
	return !m.late[b] && m.spent[b] <= mostOfAll
}

// progress prints what is done at which time.
func (m *meter) progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%6s  %s\n", time.Since(m.start).Round(time.Second), fmt.Sprintf(format, args...))
}

// build links the tests of a package with their functions in an order that the layout selects.
func (m *meter) build(ctx context.Context, pkg string, layout int) (string, error) {
	binary := filepath.Join(m.dir, filepath.Base(pkg)+".test")
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-o", binary, "-ldflags=-randlayout="+strconv.Itoa(layout+1), ".")
	cmd.Dir = pkg
	if filepath.IsAbs(pkg) { // a module of its own
		cmd.Env = ownModule()
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build of %s: %w\n%s", pkg, err, out)
	}
	return binary, nil
}

// run runs one benchmark in a process of its own: in one process, the second uses the stacks of the first. The result is
// nil where the process was ended as it took too long.
func (m *meter) run(ctx context.Context, binary string, b benchmark) (result, error) {
	benchtime := m.time
	if b.how == once {
		benchtime = "1x"
		m.progress("%s", b.name)
	}
	limited, cancel := context.WithTimeout(ctx, m.patience)
	defer cancel()
	cmd := exec.CommandContext(limited, binary, "-test.run=^$", "-test.bench="+b.pattern(), "-test.benchmem", "-test.benchtime="+benchtime)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if limited.Err() != nil && ctx.Err() == nil {
		m.progress("%s took longer than %v", b.name, m.patience)
		m.late[b] = true
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s%s", b.pkg, b.name, err, out, &stderr)
	}
	if cpu := cpuLine.FindSubmatch(out); cpu != nil {
		m.cpu = string(cpu[1])
	}
	return parse(string(out), b.name)
}

var cpuLine = regexp.MustCompile(`(?m)^cpu: (.*)$`)

// parse returns the figures of a benchmark in the output of go test.
func parse(out, name string) (result, error) {
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) < 4 || strings.TrimSuffix(fields[0], "-"+strconv.Itoa(runtime.GOMAXPROCS(0))) != name {
			continue
		}
		r := result{}
		for i := 2; i+1 < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			r[fields[i+1]] = value
		}
		return r, nil
	}
	return nil, fmt.Errorf("there is no benchmark %s in\n%s", name, out)
}
