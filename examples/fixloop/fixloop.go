// Package fixloop is the loop of implementing and testing with its bound: real go vet on
// a really broken file.
package fixloop

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

//go:generate go tool graphgen

// Broken is a file with three mistakes.
const Broken = `package main

import "os"

func main() {
	unused := 1
	fmt.Printf("%d args\n", "three")
}
`

// Workshop repairs the file main.go of a module.
type Workshop struct{}

// NewModule writes the broken module to a folder.
func NewModule(dir string) error {
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module broken\n\ngo 1.26\n"), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "main.go"), []byte(Broken), 0o644)
}

// A repair knows one complaint of go vet and what to do about it.
type repair struct {
	complaint *regexp.Regexp
	name      string
	mend      func(lines []string, line int, match []string) []string
}

var repairs = []repair{
	{regexp.MustCompile(`main.go:(\d+):\d+: "(\w+)" imported and not used`), "removed an import", func(lines []string, line int, _ []string) []string {
		return append(lines[:line-1:line-1], lines[line:]...)
	}},
	{regexp.MustCompile(`main.go:(\d+):\d+: undefined: (\w+)`), "added an import", func(lines []string, _ int, match []string) []string {
		return append([]string{lines[0], `import "` + match[2] + `"`}, lines[1:]...)
	}},
	{regexp.MustCompile(`main.go:(\d+):\d+: declared and not used: (\w+)`), "removed a variable", func(lines []string, line int, _ []string) []string {
		return append(lines[:line-1:line-1], lines[line:]...)
	}},
	{regexp.MustCompile(`main.go:(\d+):\d+: .*Printf format %d has arg "three"`), "corrected a format", func(lines []string, line int, _ []string) []string {
		lines[line-1] = strings.Replace(lines[line-1], "%d", "%s", 1)
		return lines
	}},
}

// Implement mends everything that it finds in the complaint, from the last line up.
func (Workshop) Implement(_ context.Context, in FixloopImplementIn) (FixloopImplementOut, error) {
	var out FixloopImplementOut
	file := filepath.Join(in.Dir, "main.go")
	source, err := os.ReadFile(file)
	if err != nil {
		return out, err
	}
	lines := strings.Split(string(source), "\n")
	for _, r := range repairs {
		match := r.complaint.FindStringSubmatch(in.Complaint)
		if match == nil {
			continue
		}
		line, err := strconv.Atoi(match[1])
		if err != nil {
			return out, err
		}
		lines = r.mend(lines, line, match)
		out.Changes = append(out.Changes, r.name)
		break // the other complaints' lines have moved
	}
	return out, os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644)
}

// Test runs go vet.
func (Workshop) Test(ctx context.Context, in FixloopTestIn) (FixloopTestOut, error) {
	cmd := exec.CommandContext(ctx, "go", "vet", ".")
	cmd.Dir = in.Dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	said, err := cmd.CombinedOutput()
	if _, complained := errors.AsType[*exec.ExitError](err); err != nil && !complained {
		return FixloopTestOut{}, err
	}
	return FixloopTestOut{Passed: err == nil, Complaint: string(said)}, nil
}

// Done has nothing left to do.
func (Workshop) Done(context.Context, *FixloopState) error { return nil }
