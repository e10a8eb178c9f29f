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
	"errors"
	"flag"
	"fmt"
	"io"
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
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c, err := parseFlags(os.Args[1:], os.Stderr)
	if err == nil {
		err = c.report(ctx, os.Stdout)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A command is what the flags ask for.
type command struct {
	meter
	nodes, only string
	list        bool
	flags       []string // as they were given
}

// quick are the values of flags that -quick sets, where they are not given.
var quick = map[string]string{"layouts": "2", "turns": "3", "time": "5ms", "nodes": "10,1000", "patience": "5s"}

func parseFlags(args []string, output io.Writer) (*command, error) {
	c := &command{flags: args}
	c.nodeTime = nodeTime
	set := flag.NewFlagSet("report", flag.ContinueOnError)
	set.SetOutput(output)
	set.IntVar(&c.layouts, "layouts", 5, "how many binaries are linked of each package")
	set.IntVar(&c.turns, "turns", 15, "how often each benchmark runs with each binary; one that takes long runs fewer times")
	set.StringVar(&c.time, "time", "10ms", "`duration` of a benchmark, as of go test -benchtime")
	set.DurationVar(&c.patience, "patience", time.Minute, "`duration` after which the process of a benchmark is ended, and the row is not measured")
	set.StringVar(&c.nodes, "nodes", "10,100,1000,5000", "sizes of large graphs, from 3 `nodes`; empty: none")
	set.StringVar(&c.only, "only", "", "measure the rows whose table and name, as in \"A run: ten nodes\", match the `regexp`, which ignores case")
	set.BoolVar(&c.list, "list", false, "print the rows, and measure nothing")
	brief := set.Bool("quick", false, "measure roughly, in at most two minutes: -layouts 2 -turns 3 -time 5ms -nodes 10,1000 -patience 5s")
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	if set.NArg() > 0 {
		return nil, fmt.Errorf("there is no argument %q", set.Arg(0))
	}
	if *brief {
		c.nodeTime = nodeTime / 3
		given := map[string]bool{}
		set.Visit(func(f *flag.Flag) { given[f.Name] = true })
		for name, value := range quick {
			if given[name] {
				continue
			}
			if err := set.Set(name, value); err != nil {
				return nil, err
			}
		}
	}
	if c.layouts < 1 || c.turns < 1 {
		return nil, fmt.Errorf("there is nothing to measure in %d layouts of %d turns", c.layouts, c.turns)
	}
	return c, nil
}

func (c *command) report(ctx context.Context, w io.Writer) (err error) {
	if c.dir, err = os.MkdirTemp("", "graphgen-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(c.dir)
	sizes, err := c.sizes()
	if err != nil {
		return err
	}
	chosen, err := choose(tables(sizes), c.only)
	if err != nil {
		return err
	}
	if c.list {
		for _, t := range chosen {
			for _, r := range t.rows {
				fmt.Fprintf(w, "%s: %s\n", t.title, r.what)
			}
		}
		return nil
	}
	p := page{Command: c, Cores: runtime.NumCPU(), Go: runtime.Version(), Before: load()}
	if p.Commit, err = commit(ctx); err != nil {
		return err
	}
	c.start = time.Now()
	all := benchmarks(chosen)
	if err := c.large(ctx, sizes, all); err != nil {
		return err
	}
	if err := c.measure(ctx, all); err != nil {
		return err
	}
	c.progress("done")
	p.CPU, p.After = c.cpu, load()
	for _, t := range chosen {
		p.Tables = append(p.Tables, t.markdown(c.samples))
	}
	return p.write(w)
}

// choose returns the tables with the rows that match a regular expression.
func choose(all []table, only string) (chosen []table, err error) {
	match, err := regexp.Compile("(?i)" + only)
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		t.rows = slices.DeleteFunc(t.rows, func(r row) bool { return !match.MatchString(t.title + ": " + r.what) })
		if len(t.rows) > 0 {
			chosen = append(chosen, t)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no row matches %q", only)
	}
	return chosen, nil
}

// sizes returns the large graphs.
func (c *command) sizes() (sizes []large, err error) {
	if c.nodes == "" {
		return nil, nil
	}
	for text := range strings.SplitSeq(c.nodes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 3 {
			return nil, fmt.Errorf("%q is no number of nodes from 3", text)
		}
		sizes = append(sizes, large{n, filepath.Join(c.dir, fmt.Sprint("nodes", n))})
	}
	return sizes, nil
}

// large writes the modules of the large graphs that are measured.
func (c *command) large(ctx context.Context, sizes []large, all []benchmark) error {
	sizes = slices.DeleteFunc(slices.Clone(sizes), func(l large) bool {
		return !slices.ContainsFunc(all, func(b benchmark) bool { return b.pkg == l.dir })
	})
	root, err := filepath.Abs("..")
	if err != nil || len(sizes) == 0 {
		return err
	}
	graphgen := filepath.Join(c.dir, "graphgen")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", graphgen, "github.com/graphgen/graphgen/cmd/graphgen").CombinedOutput(); err != nil {
		return fmt.Errorf("build of graphgen: %w\n%s", err, out)
	}
	for _, l := range sizes {
		c.progress("graphgen, %d nodes", l.nodes)
		if err := newGraph(root, l.nodes).write(ctx, l.dir, graphgen); err != nil {
			return err
		}
	}
	return nil
}

// benchmarks are the benchmarks of the rows, each once.
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
	Command       *command
	Commit        string
	Go, CPU       string
	Cores         int
	Before, After string // the load of the machine
	Tables        []string
}

//go:embed page.tmpl
var pageText string

func (p page) write(w io.Writer) error {
	return template.Must(template.New("").Parse(pageText)).Execute(w, p)
}

// Time is the duration of a benchmark.
func (p page) Time() string { return p.Command.time }

// Layouts is the number of binaries.
func (p page) Layouts() int { return p.Command.layouts }

// Turns is the number of turns of each binary.
func (p page) Turns() int { return p.Command.turns }

// Patience is the most time of a process.
func (p page) Patience() time.Duration { return p.Command.patience }

// Flags are the flags of the command line, each after a space.
func (p page) Flags() (text string) {
	for _, flag := range p.Command.flags {
		if strings.ContainsAny(flag, ` "'$\|*()&;`) {
			flag = "'" + flag + "'"
		}
		text += " " + flag
	}
	return text
}

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
