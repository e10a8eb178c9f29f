// Report measures what runs of generated machines cost, beside code written by hand and beside other
// libraries, and prints the page docs/reference/performance.md. It is run in the folder bench:
//
//	go run ./report > ../docs/reference/performance.md
//
// It links each test binary several times with its functions in another order, as the order alone changes
// the time of a step by a fifth. All benchmarks are run in turns, each in a process of its own.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/template"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	m := &meter{}
	flag.IntVar(&m.layouts, "layouts", 5, "how many binaries are linked of each package")
	flag.IntVar(&m.turns, "turns", 15, "how often each benchmark runs with each binary; one that takes long runs fewer times")
	flag.StringVar(&m.time, "time", "10ms", "`duration` of a benchmark, as of go test -benchtime")
	nodes := flag.String("nodes", "10,100,1000", "sizes of large graphs, from 3 `nodes`; empty: none; one of 5000 takes minutes to build")
	only := flag.String("only", "", "print the tables whose titles match the `regexp`, which ignores case")
	flag.Parse()
	if err := m.report(ctx, *nodes, *only); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (m *meter) report(ctx context.Context, nodes, only string) (err error) {
	if m.layouts < 1 || m.turns < 1 {
		return fmt.Errorf("there is nothing to measure in %d layouts of %d turns", m.layouts, m.turns)
	}
	if m.dir, err = os.MkdirTemp("", "graphgen-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(m.dir)
	sizes, err := m.large(ctx, nodes)
	if err != nil {
		return err
	}
	p := page{Meter: m, Cores: runtime.NumCPU(), Go: runtime.Version(), Before: load()}
	if p.Commit, err = commit(ctx); err != nil {
		return err
	}
	titles, err := regexp.Compile("(?i)" + only)
	if err != nil {
		return err
	}
	all := slices.DeleteFunc(tables(sizes), func(t table) bool { return len(t.rows) == 0 || !titles.MatchString(t.title) })
	if err := m.measure(ctx, benchmarks(all)); err != nil {
		return err
	}
	p.CPU, p.After = m.cpu, load()
	for _, t := range all {
		p.Tables = append(p.Tables, t.markdown(m.samples))
	}
	return template.Must(template.New("").Parse(pageText)).Execute(os.Stdout, p)
}

// large writes the modules of large graphs.
func (m *meter) large(ctx context.Context, nodes string) (sizes []large, err error) {
	root, err := filepath.Abs("..")
	if err != nil || nodes == "" {
		return nil, err
	}
	graphgen := filepath.Join(m.dir, "graphgen")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", graphgen, "github.com/graphgen/graphgen/cmd/graphgen").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build of graphgen: %w\n%s", err, out)
	}
	for text := range strings.SplitSeq(nodes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 3 {
			return nil, fmt.Errorf("%q is no number of nodes from 3", text)
		}
		l := large{n, filepath.Join(m.dir, fmt.Sprint("nodes", n))}
		if err := newGraph(root, n).write(ctx, l.dir, graphgen); err != nil {
			return nil, err
		}
		sizes = append(sizes, l)
	}
	return sizes, nil
}

// benchmarks are those of the rows, each of them once.
func benchmarks(tables []table) (all []benchmark) {
	for _, t := range tables {
		for _, r := range t.rows {
			for _, b := range []benchmark{r.of, r.beside} {
				if b != (benchmark{}) && !slices.Contains(all, b) {
					all = append(all, b)
				}
			}
		}
	}
	return all
}

// A page is what the template of the page reads.
type page struct {
	Meter         *meter
	Commit        string
	Go, CPU       string
	Cores         int
	Before, After string // the load of the machine
	Tables        []string
}

//go:embed page.tmpl
var pageText string

// Time is the duration of a benchmark.
func (p page) Time() string { return p.Meter.time }

// Layouts is the number of binaries.
func (p page) Layouts() int { return p.Meter.layouts }

// Turns is the number of turns of each binary.
func (p page) Turns() int { return p.Meter.turns }

// commit returns the commit that is measured.
func commit(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty", "--exclude=*").Output()
	return strings.TrimSpace(string(out)), err
}

// load returns the average load of one, five and fifteen minutes, where the system has it.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 3 {
		return "unknown"
	}
	return strings.Join(fields[:3], ", ")
}
