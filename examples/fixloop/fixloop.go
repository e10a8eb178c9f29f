// Package fixloop is the loop of implementing and testing with its bound: go vet judges a
// file that is really broken. It shows an edge that is followed three times at most, a run that
// ends because of that (no_match: end), and one that fails and whose state stays readable.
package fixloop

import (
	"context"
	"errors"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:generate go tool graphgen

// Workshop repairs the file main.go of a module.
type Workshop struct{}

// Implement writes the draft first. Later it makes one repair: after it, the other complaints
// are about lines that have moved.
func (Workshop) Implement(_ context.Context, in FixloopImplementIn) (FixloopImplementOut, error) {
	if in.Complaint == nil {
		return wrote("wrote a draft", in.Dir, in.Draft)
	}
	source, err := os.ReadFile(filepath.Join(in.Dir, "main.go"))
	if err != nil {
		return FixloopImplementOut{}, err
	}
	for _, r := range repairs {
		if found := r.complaint.FindStringSubmatch(*in.Complaint); found != nil {
			return wrote(r.name, in.Dir, r.mend(string(source), found))
		}
	}
	return FixloopImplementOut{}, fmt.Errorf("nobody knows a repair for %q", headline(*in.Complaint))
}

func wrote(change, dir, source string) (FixloopImplementOut, error) {
	mod := []byte("module broken\n\ngo 1.26\n")
	return FixloopImplementOut{Changes: []string{change}}, errors.Join(
		os.WriteFile(filepath.Join(dir, "go.mod"), mod, 0o644),
		os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o644))
}

// Test runs go vet. A complaint is its result; that it cannot be run is a failure.
func (Workshop) Test(ctx context.Context, in FixloopTestIn) (FixloopTestOut, error) {
	cmd := exec.CommandContext(ctx, "go", "vet", ".")
	cmd.Dir = in.Dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	said, err := cmd.CombinedOutput()
	if _, complained := errors.AsType[*exec.ExitError](err); err != nil && !complained {
		return FixloopTestOut{}, err
	}
	return FixloopTestOut{Passed: err == nil, Complaint: new(string(said))}, nil
}

// Done formats the file.
func (Workshop) Done(_ context.Context, in FixloopDoneIn) (FixloopDoneOut, error) {
	file := filepath.Join(in.Dir, "main.go")
	source, err := os.ReadFile(file)
	if err != nil {
		return FixloopDoneOut{}, err
	}
	formatted, err := format.Source(source)
	if err != nil || string(formatted) == string(source) {
		return FixloopDoneOut{}, err
	}
	return FixloopDoneOut{Changes: []string{"formatted it"}}, os.WriteFile(file, formatted, 0o644)
}

// headline returns the line of a complaint that describes the mistake.
func headline(complaint string) string {
	for line := range strings.Lines(complaint) {
		if strings.Contains(line, "main.go:") {
			return strings.TrimSpace(line)
		}
	}
	return complaint
}
