// Planted counts which planted mistakes the random tests of a tier find: go run ./internal/cmd/planted [-tier short|test|full] [NUMBER...].
//
// Each mistake of the table is made in a copy of HEAD, where the random tests run that are about its kind. The mistakes are of the kinds that
// random tests have found in the past.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

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
		if tried++; len(by) > 0 {
			found++
		}
		fmt.Printf("%2d  %-50s %s\n", i+1, m.what, cmp.Or(strings.Join(by, ", "), "NOT FOUND"))
	}
	fmt.Printf("the tier %s finds %d of %d\n", name, found, tried)
	return nil
}

// find makes the mistake in a folder, and returns the first test of each package that fails.
func (m mistake) find(ctx context.Context, dir, name string) (by []string, err error) {
	path := filepath.Join(dir, m.file)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if strings.Count(string(text), m.old) != 1 {
		return nil, fmt.Errorf("%s has %d times %q", m.file, strings.Count(string(text), m.old), m.old)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), m.old, m.new, 1)), 0o644); err != nil {
		return nil, err
	}
	defer func() { err = cmp.Or(err, os.WriteFile(path, text, 0o644)) }()
	args := []string{"test", "-json", "-vet=off", "-failfast", "-timeout=3h"}
	if name == "short" {
		args = append(args, "-short")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, m.tests...)...)
	cmd.Dir, cmd.Env = dir, os.Environ()
	if name == "full" {
		cmd.Env = append(cmd.Env, tier.Variable+"=full")
	}
	out, _ := cmd.Output() // a failed test is what is sought
	return failed(out)
}

// failed returns the tests that fail by events of go test -json. A package that does not build is an error: it finds no mistake.
func failed(events []byte) (by []string, err error) {
	lines := bufio.NewScanner(bytes.NewReader(events))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e struct{ Action, Package, Test, FailedBuild string }
		if json.Unmarshal(lines.Bytes(), &e) != nil || e.Action != "fail" {
			continue
		}
		if e.FailedBuild != "" {
			return nil, fmt.Errorf("%s does not build", e.Package)
		}
		if e.Test != "" && !strings.Contains(e.Test, "/") {
			by = append(by, filepath.Base(e.Package)+"."+e.Test)
		}
	}
	return by, lines.Err()
}
