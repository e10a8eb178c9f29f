package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/graphgen/graphgen/internal/testing/tempmodule"
)

var update = flag.Bool("update", false, "rewrite the expectations of the scripts")

func TestMain(m *testing.M) {
	// Most parallel tests wait for processes, so more of them run at a time than there are cores.
	flag.Set("test.parallel", "8")
	testscript.Main(m, map[string]func(){"graphgen": main})
}

// The scripts tell what graphgen does; testscript's documentation says how to read them.
// Besides its commands they have status, usemodule, antedate and untouched, below.
func TestScripts(t *testing.T) {
	repo, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	places, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	tempmodule.WatchRuntime(t, repo)
	tempmodule.Watch(t, filepath.Join(repo, "scenario", "harness"))
	env := strings.Split(strings.TrimSpace(string(places)), "\n")
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/scripts",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("REPO", repo)
			e.Setenv("GOCACHE", env[0])
			e.Setenv("GOMODCACHE", env[1])
			e.Setenv("GOPROXY", env[2])
			e.Setenv("GOFLAGS", "-mod=mod -buildvcs=false -trimpath")
			e.Setenv("GOWORK", "off")
			e.Setenv("GOTELEMETRY", "off")
			e.Setenv("GOGC", os.Getenv("GOGC")) // of the Makefile: the go command is a third of the work
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":    status,
			"usemodule": useModule,
			"antedate":  antedate,
			"untouched": untouched,
		},
	})
}

// status N COMMAND... runs a command that exits with status N.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, expected %d", got, want)
	}
}

// useModule is the command usemodule PATH: it makes the current directory a module that uses the graphgen of this
// repository.
func useModule(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: usemodule path")
	}
	const graphgen = "github.com/graphgen/graphgen"
	repo := ts.Getenv("REPO")
	text := fmt.Sprintf("module %s\n\ngo 1.26\n\nrequire %s v0.0.0\n\nreplace %s => %q\n", args[0], graphgen, graphgen, repo)
	ts.Check(os.WriteFile(ts.MkAbs("go.mod"), []byte(text), 0o666))
	sums, err := os.ReadFile(filepath.Join(repo, "go.sum"))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("go.sum"), sums, 0o666))
}

func longAgo() time.Time { return time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC) }

// antedate FILE... sets the time of files to one long ago.
func antedate(ts *testscript.TestScript, neg bool, args []string) {
	for _, file := range args {
		ts.Check(os.Chtimes(ts.MkAbs(file), longAgo(), longAgo()))
	}
}

// untouched FILE... checks that nobody wrote to files since antedate; ! untouched that
// somebody did.
func untouched(ts *testscript.TestScript, neg bool, args []string) {
	for _, file := range args {
		info, err := os.Stat(ts.MkAbs(file))
		ts.Check(err)
		if same := info.ModTime().Equal(longAgo()); same == neg {
			ts.Fatalf("%s was modified at %v", file, info.ModTime())
		}
	}
}
