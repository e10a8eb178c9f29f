package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/dbserver"
)

// programVariable makes the test binary the program itself.
const programVariable = "GRAPHGEN_THREADS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(programVariable) != "" {
		main()
	}
	os.Exit(m.Run())
}

// positions are those of the threads that have not completed, as graphgen check reads them.
const positions = `{"thread":"panel","graph":"panel","shape":"","status":"paused","runs":[{"node":"review"},{"at":"/review.law","node":"lawyer"},{"at":"/review.spell"}]}
{"thread":"waits","graph":"rounds","shape":"","status":"paused","runs":[{"node":"insist"},{"at":"/insist","node":"improve"},{"at":"/insist/improve","node":"judge"}]}
`

// runs runs the program, and returns what it writes.
func runs(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), programVariable+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("threads %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestStores does the same with every store: what was exported from one is imported into the next one.
func TestStores(t *testing.T) {
	dir := t.TempDir()
	for _, store := range []struct {
		name string
		url  func(t *testing.T) string
	}{
		{"file", func(*testing.T) string { return "file:" + filepath.Join(dir, "threads") }},
		{"sqlite", func(*testing.T) string { return "sqlite:" + filepath.Join(dir, "threads.db") }},
		{"postgres", func(t *testing.T) string {
			s := dbserver.Postgres(t)
			t.Cleanup(s.Close)
			return "postgres:///postgres?user=postgres&host=" + s.Dir
		}},
		{"redis", func(t *testing.T) string {
			s := dbserver.Redis(t)
			t.Cleanup(s.Close)
			return "unix://" + s.Socket
		}},
	} {
		t.Run(store.name, func(t *testing.T) {
			url := store.url(t)
			if got := runs(t, "import", "-new", url, "testdata/threads.jsonl"); got != "done: 10 records\npanel: 4 records\nwaits: 3 records\n" {
				t.Errorf("import prints %s", got)
			}
			want, err := os.ReadFile("testdata/threads.jsonl")
			if err != nil {
				t.Fatal(err)
			}
			if got := runs(t, "export", "-all", url); got != string(want) {
				t.Errorf("export writes\n%s\nwant\n%s", got, want)
			}
			if got := runs(t, "positions", url); got != positions {
				t.Errorf("positions writes\n%s\nwant\n%s", got, positions)
			}
			runs(t, "fork", "-at", "9", "-set", `text="eels"`, url, "done", "fork")
			if got := runs(t, "show", url, "fork"); !strings.Contains(got, "forked from done after record 9; run fork.10; insist → file writes text") {
				t.Errorf("show prints\n%s", got)
			}
			if got := runs(t, "prune", url, "fork"); got != "fork: 9 records removed\n" {
				t.Errorf("prune prints %s", got)
			}
			runs(t, "stop", url, "waits")
			runs(t, "delete", url, "fork", "done")
			got := strings.Split(strings.TrimSpace(runs(t, "list", url)), "\n")
			if len(got) != 2 || !strings.HasPrefix(got[0], "panel  panel   paused ") || !strings.HasPrefix(got[1], "waits  rounds  paused, to stop ") {
				t.Errorf("list prints %q", got)
			}
		})
	}
}

// TestMissingStores holds that to look at a store does not make one.
func TestMissingStores(t *testing.T) {
	path := filepath.Join(t.TempDir(), "threads.db")
	for _, scheme := range []string{"file", "sqlite"} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "list", scheme+":"+path)
		cmd.Env = append(os.Environ(), programVariable+"=1")
		out, err := cmd.CombinedOutput()
		if err == nil || string(out) != "threads: "+path+": there is no store here\n" {
			t.Errorf("%s: %s, %v", scheme, out, err)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s made the store", scheme)
		}
	}
}
