// Planted counts which planted mistakes the random tests of a tier find: go run ./internal/cmd/planted [-tier short|test|full] [NUMBER...].
//
// Each mistake of the table is made in a copy of HEAD, where the random tests that are about its kind run until one fails. The mistakes are of the
// kinds that random tests have found in the past.
package main

import (
	"bufio"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/graphgen/graphgen/internal/testing/tier"
)

// A mistake is a text of a file that becomes another.
type mistake struct {
	what, file, old, new string
	tests                []string // packages of random tests
}

var (
	machines = []string{"./internal/testing/differential", "./internal/testing/mutants"}
	analyses = []string{"./internal/testing/walks", "./spec/bounds", "./spec/check", "./spec/dataflow", "./spec/explore"}
	codecs   = []string{"./golden/codec", "./internal/testing/upgrades", "./internal/testing/mutants"}
)

var mistakes = []mistake{
	{"join: first needs a success too many", "runtime/engine/fork.go", "f.join == JoinFirst && wins == f.need {",
		"f.join == JoinFirst && wins == f.need+1 {", machines},
	{"join: settled needs a success too many", "runtime/engine/fork.go", "decided && wins >= f.need;", "decided && wins > f.need;", machines},
	{"visits of a region are not counted anew", "runtime/engine/path.go", "\tclear(p.visits)\n\tp.graph.bound(p.visits)",
		"\tp.graph.bound(p.visits)", machines},
	{"a skipped node tries its conditions", "gen/plan/routing.go",
		"node.Routes.SkipTests, node.Routes.SkipDefault = list(cfg.Skipped), l.defaultOf(n, cfg.Skipped)",
		"node.Routes.SkipTests, node.Routes.SkipDefault = list(cfg.Succeeded), l.defaultOf(n, cfg.Succeeded)", machines},
	{"a skipped node of a region leads nowhere", "gen/plan/compose.go",
		"from.Routes.SkipTests, from.Routes.SkipDefault = from.Routes.Tests, from.Routes.Default",
		"from.Routes.SkipTests, from.Routes.SkipDefault = nil, Default{Kind: Terminal}", machines},
	{"a pause of no use is not withdrawn", "runtime/engine/fork.go", "\t\tf.withdraw()\n\t}\n\tf.cancel(errSettled)",
		"\t}\n\tf.cancel(errSettled)", machines},
	{"a length may be one more than its limit", "runtime/codec/limits.go", "n < l.over)", "n <= l.over)", codecs},
	{"a repetition costs one time too few at most", "spec/explore/cost.go", "repeat(c.Min, times), repeat(c.Max, times)}",
		"repeat(c.Min, times), repeat(c.Max, max(1, times-1))}", analyses},
	{"a failure keeps the writes that were rolled back", "spec/dataflow/effect.go", "\tundone.unwritten.Union(undone.written)", "\t_ = undone.written",
		analyses},
	{"used-up visits are a soft failure", "spec/cfg/fold.go", "\treturn o, soft, usedUp\n",
		"\tif n.Soft {\n\t\treturn o, f.Or(soft, usedUp), *new(T)\n\t}\n\treturn o, soft, usedUp\n", analyses},
	{"a join fails with a failure too few", "spec/cfg/fork.go", "max(0, n-f.Need+1)", "max(0, n-f.Need)", analyses},
	{"a sum of branches is written twice", "gen/golang/join.go", "g.Add(have).Op(\"+=\").Add(add)\n",
		"g.Add(have).Op(\"+=\").Add(add.Clone().Op(\"+\").Add(add.Clone()))\n", machines},
}

func main() {
	name := flag.String("tier", "test", "short, test or full")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *name, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, name string, numbers []string) error {
	dir, err := os.MkdirTemp("", "planted-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if out, err := exec.CommandContext(ctx, "sh", "-c", "git archive HEAD | tar -x -C "+dir).CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	found, tried := 0, 0
	for i, m := range mistakes {
		if len(numbers) > 0 && !slices.Contains(numbers, strconv.Itoa(i+1)) {
			continue
		}
		by, err := m.find(ctx, dir, name)
		if err != nil {
			return fmt.Errorf("%d, %s: %w", i+1, m.what, err)
		}
		if tried++; by != "" {
			found++
		}
		fmt.Printf("%2d  %-50s %s\n", i+1, m.what, cmp.Or(by, "NOT FOUND"))
	}
	fmt.Printf("the tier %s finds %d of %d\n", name, found, tried)
	return nil
}

// find makes the mistake in a folder, and returns the first test that fails: the other packages are stopped then.
func (m mistake) find(ctx context.Context, dir, name string) (by string, err error) {
	path := filepath.Join(dir, m.file)
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if strings.Count(string(text), m.old) != 1 {
		return "", fmt.Errorf("%s has %d times %q", m.file, strings.Count(string(text), m.old), m.old)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), m.old, m.new, 1)), 0o644); err != nil {
		return "", err
	}
	defer func() { err = cmp.Or(err, os.WriteFile(path, text, 0o644)) }()
	programs, err := os.MkdirTemp(dir, "programs-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(programs)
	build := exec.CommandContext(ctx, "go", append([]string{"test", "-c", "-vet=off", "-o", programs + "/"}, m.tests...)...)
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil { // such a package finds no mistake
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan string)
	for _, pkg := range m.tests {
		go func() {
			ended <- failing(running, filepath.Join(dir, pkg), filepath.Join(programs, filepath.Base(pkg)+".test"), name)
		}()
	}
	for range m.tests {
		if test := <-ended; by == "" && test != "" {
			by = test
			stop()
		}
	}
	return by, ctx.Err()
}

// failing runs a program of tests until one fails, which it returns, or how the program ends without one.
func failing(ctx context.Context, dir, program, name string) string {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := exec.CommandContext(ctx, program, "-test.failfast", "-test.timeout=3h", fmt.Sprintf("-test.short=%t", name == "short"))
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, os.Environ(), time.Second
	if name == "full" {
		cmd.Env = append(cmd.Env, tier.Variable+"=full")
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err.Error()
	}
	if err := cmd.Start(); err != nil {
		return err.Error()
	}
	test := failed(out)
	if test != "" {
		stop() // tests beside it run on
	}
	switch err := cmd.Wait(); {
	case test != "":
		return filepath.Base(dir) + "." + test
	case err != nil && ctx.Err() == nil: // a goroutine has panicked
		return fmt.Sprintf("%s (%v)", filepath.Base(dir), err)
	}
	return ""
}

// failed returns the first test that fails, by the output of a program of tests.
func failed(output io.Reader) string {
	for lines := bufio.NewReader(output); ; {
		line, err := lines.ReadString('\n')
		if of, is := strings.CutPrefix(line, "--- FAIL: "); is {
			return strings.Fields(of)[0]
		}
		if err != nil {
			return ""
		}
	}
}
