package temp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestSweepKilledRuns(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	running, remove, err := Dir("run-")
	if err != nil {
		t.Fatal(err)
	}
	killed := filepath.Join(os.TempDir(), "run-killed")
	if err := os.Mkdir(killed, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(killed, lockName), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	_, removeNext, err := Dir("run-")
	if err != nil {
		t.Fatal(err)
	}
	defer removeNext()
	if _, err := os.Stat(killed); !os.IsNotExist(err) {
		t.Errorf("the directory of the killed run: %v", err)
	}
	if _, err := os.Stat(running); err != nil {
		t.Errorf("the directory of the run beside it: %v", err)
	}
	if remove(); exists(running) {
		t.Error("the directory is there when its run has ended")
	}
}

func TestSweepLeavesHeldFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"left.tmp", "held.tmp", "new.tmp", "mine.go"} {
		path := filepath.Join(dir, name)
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if name == "held.tmp" {
			Hold(file)
		}
		at := time.Now().Add(-time.Hour)
		if name == "new.tmp" {
			at = time.Now().Add(time.Hour) // new however long the test takes
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	Sweep(dir, func(name string) bool { return strings.HasSuffix(name, ".tmp") })
	for name, stays := range map[string]bool{"left.tmp": false, "held.tmp": true, "new.tmp": true, "mine.go": true} {
		if exists(filepath.Join(dir, name)) != stays {
			t.Errorf("%s: there %v, want %v", name, !stays, stays)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
