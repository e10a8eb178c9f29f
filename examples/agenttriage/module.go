package agenttriage

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
)

// A Module is a folder with a Go module: what the tools show of it. They leave it as it is, and read
// nothing outside of it.
type Module struct{ Dir string }

// ListFiles lists the files.
func (m Module) ListFiles(context.Context) ([]string, error) {
	names := []string{}
	err := fs.WalkDir(os.DirFS(m.Dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			names = append(names, path)
		}
		return err
	})
	return names, err
}

// ReadFile reads a file, with the numbers of its lines, which a model would otherwise make up.
func (m Module) ReadFile(_ context.Context, args TriageReadFileArgs) (string, error) {
	root, err := os.OpenRoot(m.Dir) // leads out of the folder by no name and by no link
	if err != nil {
		return "", err
	}
	defer root.Close()
	text, err := fs.ReadFile(root.FS(), args.Name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		return "", errors.New("there is no file " + args.Name + ": list_files has the names")
	}
	var b strings.Builder
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		fmt.Fprintf(&b, "%d\t%s", n, line)
	}
	return b.String(), err
}

// RunTests runs the tests.
func (m Module) RunTests(ctx context.Context, args TriageRunTestsArgs) ([]Outcome, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-json", "-run="+args.Run, "./...")
	cmd.Dir = m.Dir
	cmd.Env = append(os.Environ(), "GOWORK=off") // the module by itself
	events, err := cmd.Output()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		return nil, err
	}
	return outcomes(events)
}

// outcomes are the results of tests that did not pass, and of packages that failed before their tests.
func outcomes(events []byte) ([]Outcome, error) {
	said := map[string]string{}   // by test, package or build
	failedIn := map[string]bool{} // packages with a failed test
	out := []Outcome{}
	s := bufio.NewScanner(bytes.NewReader(events))
	for s.Scan() {
		var e struct{ Action, Package, Test, ImportPath, FailedBuild, Output string }
		if json.Unmarshal(s.Bytes(), &e) != nil {
			continue // output of go itself, not an event
		}
		place := strings.Trim(e.Package+e.ImportPath+"."+e.Test, ".")
		said[place] += e.Output
		o := Outcome{Test: place, Message: complaint(said[place])}
		switch {
		case e.Action == "fail" && e.FailedBuild != "":
			o.Outcome, o.Message = OutcomeOutcomeFailed, complaint(said[e.FailedBuild])
		case e.Action == "fail" && e.Test == "" && failedIn[e.Package]:
			continue // reported by its tests
		case e.Action == "fail" && strings.Contains(said[place], "panic:"):
			o.Outcome = OutcomeOutcomePanicked
		case e.Action == "fail":
			o.Outcome = OutcomeOutcomeFailed
		case e.Action == "skip" && e.Test != "":
			o.Outcome = OutcomeOutcomeSkipped
		default:
			continue
		}
		failedIn[e.Package] = failedIn[e.Package] || e.Action == "fail"
		out = append(out, o)
	}
	return out, s.Err()
}

// complaint returns a test's message: its panic, else its last line.
func complaint(text string) string {
	last := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "panic:") {
			line, _, _ = strings.Cut(line, " [recovered")
			return line
		}
		if line != "" && !strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "===") {
			last = line
		}
	}
	return last
}
