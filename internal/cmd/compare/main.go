// Same compares the output and the files of graphgen at an older revision with the output and the files of the working tree, on
// the same inputs, and reports every difference. A refactoring that must not change behaviour has none.
//
//	go run ./internal/cmd/compare -old REVISION
//
// The inputs are in the working tree: all its graphs, the examples of the checks, the YAML blocks of the docs,
// and random graphs with mutants of them. Exit status: 0 all is the same, 1 something differs, 2 trouble.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// A job is one comparison of two revisions.
type job struct {
	root string // of the repository
	rev  string // the older revision
	dir  string // temporary; it has what the two sides work on
	seed uint64
	n    int // random graphs
	only regexp.Regexp
	run  regexp.Regexp
	keep string // where inputs and outputs that differ are kept

	sides [2]*side        // old and new
	seen  map[string]bool // texts of examples
	lists map[inputs][]input
	err   error // of writing the inputs
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	j := &job{seen: map[string]bool{}, lists: map[inputs][]input{}}
	flag.StringVar(&j.rev, "old", "",
		"`revision` to compare with (default: the merge base with main; on main its last commit, or the one before if nothing is uncommitted)")
	flag.Uint64Var(&j.seed, "seed", 1, "seed of the random graphs")
	flag.IntVar(&j.n, "n", 600, "how many random graphs")
	flag.TextVar(&j.only, "only", regexp.MustCompile(""), "compare the classes whose names match the `regexp`; there are "+classNames())
	flag.TextVar(&j.run, "run", regexp.MustCompile(""), "compare the inputs whose paths match the `regexp`")
	flag.Parse()
	differs, err := j.compare(ctx)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "same:", err)
		os.Exit(2)
	case differs > 0:
		fmt.Printf("what differs is kept in %s\n", j.keep)
		os.Exit(1)
	}
}

// compare builds both compilers, compares them, and returns how often they differ.
func (j *job) compare(ctx context.Context) (differs int, err error) {
	if j.root, err = git(ctx, ".", "rev-parse", "--show-toplevel"); err != nil {
		return 0, err
	}
	if j.rev, err = older(ctx, j.root, j.rev); err != nil {
		return 0, err
	}
	if j.dir, err = os.MkdirTemp("", "graphgen-same-"); err != nil {
		return 0, err
	}
	defer os.RemoveAll(j.dir)
	j.keep = j.dir + "-differences"
	if err = j.build(ctx); err == nil {
		err = j.collect(ctx)
	}
	if err != nil {
		return 0, err
	}
	compared := false
	for _, c := range classes {
		if !j.only.MatchString(c.name) {
			continue
		}
		same, found := c.compare(ctx, j.sides[0].run, j.sides[1].run, j.lists[c.inputs])
		compared = true
		if ctx.Err() != nil {
			return 0, errors.New("interrupted")
		}
		fmt.Printf("%s: %d same, %d differ\n", c.name, same, len(found))
		for i, d := range found {
			if err := j.report(c, d, i); err != nil {
				return 0, err
			}
		}
		differs += len(found)
	}
	if !compared {
		return 0, errors.New("there is no class of that name")
	}
	return differs, nil
}

// mostShown is how many differences of a class are printed. All are kept.
const mostShown = 10

// report prints a difference, and keeps it with the differences of its inputs that are not files of the repository.
func (j *job) report(c class, d difference, number int) error {
	name := c.name
	if len(d.input) > 0 {
		name = filepath.Join(c.name, strings.ReplaceAll(strings.Join(d.input[:min(2, len(d.input))], "--"), string(filepath.Separator), "_"))
	}
	kept := filepath.Join(j.keep, name)
	err := errors.Join(os.MkdirAll(kept, 0o755),
		os.WriteFile(filepath.Join(kept, "old.txt"), []byte(d.old), 0o644), os.WriteFile(filepath.Join(kept, "new.txt"), []byte(d.new), 0o644))
	for _, file := range d.input {
		if folder := filepath.Dir(file); strings.HasPrefix(file, made) {
			err = errors.Join(err, os.CopyFS(filepath.Join(kept, folder), os.DirFS(filepath.Join(j.dir, "new", folder))))
		}
	}
	switch {
	case number < mostShown:
		fmt.Printf("graphgen %s %s\n%s\n", strings.Join(c.args, " "), strings.Join(d.input, " "), excerpt(d.old, d.new))
	case number == mostShown:
		fmt.Printf("... more differences of %s are in %s\n", c.name, filepath.Join(j.keep, c.name))
	}
	return err
}

// older returns the commit to compare with.
func older(ctx context.Context, root, rev string) (string, error) {
	if rev != "" {
		return git(ctx, root, "rev-parse", "--verify", "--end-of-options", rev+"^{commit}")
	}
	base, err := git(ctx, root, "merge-base", "main", "HEAD")
	if err != nil {
		return "", fmt.Errorf("%w; name a revision with OLD=REVISION", err)
	}
	ahead, err := git(ctx, root, "rev-list", base+"..HEAD")
	changed, err2 := git(ctx, root, "status", "--porcelain")
	if err = errors.Join(err, err2); err == nil && ahead+changed == "" {
		return git(ctx, root, "rev-parse", "HEAD^")
	}
	return base, err
}

// build builds graphgen of both revisions. The work tree of the older one is removed.
func (j *job) build(ctx context.Context) (err error) {
	tree := filepath.Join(j.dir, "tree")
	always := context.WithoutCancel(ctx) // no half of a work tree, and none left over
	if _, err := git(always, j.root, "worktree", "add", "--detach", "--force", tree, j.rev); err != nil {
		return err
	}
	defer func() {
		_, removed := git(always, j.root, "worktree", "remove", "--force", tree)
		err = errors.Join(err, removed)
	}()
	for i, from := range []string{tree, j.root} {
		name := [...]string{"old", "new"}[i]
		s := &side{dir: filepath.Join(j.dir, name), binary: filepath.Join(j.dir, "graphgen-"+name)}
		progress("building %s of %s", filepath.Base(s.binary), from)
		cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-trimpath", "-o", s.binary, "./cmd/graphgen")
		cmd.Dir = from
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go build: %w\n%s", err, out)
		}
		j.sides[i] = s
	}
	return nil
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w\n%s", args[0], err, &stderr)
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

var begun = time.Now()

// progress writes a line to standard error.
func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%4.0fs  %s\n", time.Since(begun).Seconds(), fmt.Sprintf(format, args...))
}
