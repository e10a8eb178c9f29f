// Run runs the tests of a tier, for the Makefile: go run ./internal/cmd/run short|test|full|soak.
//
// It prints what go test prints: the tests that fail and a line for each package. Beside that it prints the seed of random tests, what is
// under way when nothing ends for a while, and the ten slowest tests, of which the time of a test is without the time of its subtests. A test that
// takes over 10 seconds on a quiet machine, and again when it runs alone, fails the tiers short and test. The tier full writes its seed
// and durations to full.txt.
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/graphgen/graphgen/internal/testing/tier"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, args []string) error {
	if len(args) != 1 || tiers[args[0]] == nil {
		return fmt.Errorf("usage: go run ./internal/cmd/run short|test|full|soak")
	}
	modules, err := output(ctx, "go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return err
	}
	cgo, err := output(ctx, "go", "env", "CGO_ENABLED")
	if err != nil {
		return err
	}
	r := &runner{ctx: ctx, out: out, tier: args[0], seed: cmp.Or(os.Getenv(tier.SeedVariable), tier.Today()), speed: newSpeed()}
	go r.speed.watch(ctx)
	fmt.Fprintf(out, "== tier %s, seed %s of the random tests; again: make %s SEED=%s\n", r.tier, r.seed, r.tier, r.seed)
	begun := time.Now()
	for _, p := range tiers[r.tier](strings.Fields(modules)) {
		if p.race && cgo != "1" {
			fmt.Fprintf(out, "== %s: left out, the race detector needs a C compiler\n", p.name)
			continue
		}
		r.pass(p)
	}
	r.slowest()
	if r.tier == "test" || r.tier == "short" {
		r.limit(10 * time.Second)
	}
	took := time.Since(begun).Round(time.Second)
	if r.tier == "full" {
		if err := r.record(begun, took); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "== tier %s took %v, seed %s\n", r.tier, took, r.seed)
	if len(r.failed) > 0 {
		return fmt.Errorf("FAIL: %s", strings.Join(r.failed, ", "))
	}
	return nil
}

// output returns what a command prints.
func output(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(text)), nil
}

// A runner runs the passes of a tier.
type runner struct {
	ctx    context.Context
	out    io.Writer
	tier   string
	seed   string
	speed  *speed
	tests  []timed
	passes []string // what full.txt has of each
	failed []string
}

// A timed is a test that has ended.
type timed struct {
	pass          *pass
	pkg, name     string
	elapsed, calm time.Duration // calm is what the test takes where nothing else runs; both without its subtests
}

func (r *runner) timed(p *pass, pkg, name string, t *test) timed {
	return timed{p, pkg, name, t.own(), time.Duration(float64(t.own()) / r.speed.factor(t.begun, t.ended))}
}

// pass runs go test once, and prints what it reports.
func (r *runner) pass(p pass) {
	fmt.Fprintf(r.out, "== %s: go test %s\n", p.name, p.short())
	begun := time.Now()
	rep := &report{out: r.out, ended: func(pkg, name string, t *test) {
		r.tests = append(r.tests, r.timed(&p, pkg, name, t))
	}}
	if err := r.goTest(rep, p.dir, p.env, slices.Concat(p.flags, p.packages)...); err != nil {
		r.failed = append(r.failed, p.name)
		fmt.Fprintf(r.out, "== %s: %v\n", p.name, err)
	}
	r.passes = append(r.passes, fmt.Sprintf("%-42s %8s", p.name, time.Since(begun).Round(time.Second)))
}

// goTest runs go test -json with arguments, in a folder.
func (r *runner) goTest(rep *report, dir string, env []string, args ...string) error {
	cmd := exec.CommandContext(r.ctx, "go", append([]string{"test", "-json"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), tier.SeedVariable+"="+r.seed), env...)
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	events, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	stop := rep.progress(30 * time.Second)
	readErr := rep.read(events)
	stop()
	return cmp.Or(cmd.Wait(), readErr)
}

// slowest prints the ten slowest tests.
func (r *runner) slowest() {
	fmt.Fprintf(r.out, "== the ten slowest tests (on a quiet machine; as measured; the machine was %.1f times slower than when it is quiet)\n", r.speed.mean())
	for _, t := range r.top(10) {
		fmt.Fprintf(r.out, "%s\n", t)
	}
}

// top returns the n slowest tests.
func (r *runner) top(n int) []timed {
	slices.SortStableFunc(r.tests, func(a, b timed) int { return cmp.Compare(b.calm, a.calm) })
	return r.tests[:min(n, len(r.tests))]
}

func (t timed) String() string {
	return fmt.Sprintf("%6.1fs %6.1fs  %s %s", t.calm.Seconds(), t.elapsed.Seconds(), t.pkg, t.name)
}

// limit runs the tests again, each alone, that seem to take longer than a test may, and fails where they do.
func (r *runner) limit(longest time.Duration) {
	over := slices.DeleteFunc(slices.Clone(r.tests), func(t timed) bool { return t.calm <= longest })
	for _, t := range over {
		alone := r.alone(t)
		if alone.calm <= longest {
			fmt.Fprintf(r.out, "== alone it is faster: %s\n", alone)
			continue
		}
		fmt.Fprintf(r.out, "== over %v, which only TIER=full may: %s\n", longest, alone)
		r.failed = append(r.failed, t.name+" is slow")
	}
}

// alone runs a test again, with nothing beside it.
func (r *runner) alone(slow timed) timed {
	again := slow
	name := "^" + strings.ReplaceAll(regexp.QuoteMeta(slow.name), "/", "$/^") + "$"
	rep := &report{out: io.Discard, ended: func(pkg, name string, t *test) {
		if name == slow.name {
			again = r.timed(slow.pass, pkg, name, t)
		}
	}}
	if err := r.goTest(rep, slow.pass.dir, slow.pass.env, slices.Concat(slow.pass.flags, []string{"-count=1", "-run=" + name, slow.pkg})...); err != nil {
		fmt.Fprintf(r.out, "== %s alone: %v\n", slow.name, err)
	}
	return again
}
