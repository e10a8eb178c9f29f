// Command demo runs examples on real files, without a network or a key (where a model is
// asked, a recording of one answers), and prints what each run did: its path, its result, how it
// ended, and its report. It fails if one of them ends otherwise than it should.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/graphgen/graphgen"
)

func main() {
	repo, err := repository()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	failed := 0
	for _, e := range examples {
		if err := perform(context.Background(), os.Stdout, repo, e); err != nil {
			failed++
			fmt.Printf("  WRONG    %v\n", err)
		}
	}
	fmt.Printf("\n%d runs, %d of them went wrong\n", len(examples), failed)
	if failed > 0 {
		os.Exit(1)
	}
}

// repository finds the folder of the module that the examples belong to.
func repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if strings.HasPrefix(string(mod), "module github.com/graphgen/graphgen\n") {
			return dir, nil
		}
		if filepath.Dir(dir) == dir {
			return "", errors.New("run this inside the repository: it works on its files")
		}
		dir = filepath.Dir(dir)
	}
}

// An example is one run of a graph, and how it should end.
type example struct {
	graph, what string
	ends        graphgen.Reason
	at          string // the last node of the path
	run         func(*stage) (string, error)
}

// A stage is what a run may use, and where it leaves its report.
type stage struct {
	ctx        context.Context
	temp, repo string
	report     graphgen.Report
	seen       []string // lines of an observer
}

// perform runs an example in a folder of its own, and prints a summary.
func perform(ctx context.Context, w io.Writer, repo string, e example) error {
	temp, err := os.MkdirTemp("", "graphgen-"+e.graph+"-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	s := &stage{ctx: ctx, temp: temp, repo: repo}
	result, err := e.run(s)
	fmt.Fprintf(w, "\n%s: %s\n", e.graph, e.what)
	printRun(w, strings.NewReplacer(temp+string(filepath.Separator), "").Replace, result, err, s)
	return e.check(&s.report, err)
}

// check reports in what a run differs from what its example should do.
func (e example) check(r *graphgen.Report, err error) error {
	at := ""
	if n := len(r.Path); n > 0 {
		at = r.Path[n-1].Node
	}
	switch {
	case r.Reason != e.ends || at != e.at:
		return fmt.Errorf("it ended %v at %q, not %v at %q", r.Reason, at, e.ends, e.at)
	case e.ends != graphgen.Failed:
		return err
	case err == nil:
		return errors.New("it failed without an error")
	}
	return nil
}
