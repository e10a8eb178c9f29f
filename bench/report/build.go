package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// No further build of a package starts after mostOfBuild.
const mostOfBuild = 15 * time.Second

// builds measures packages and programs, which no layout changes.
func (m *meter) builds(ctx context.Context, all []benchmark) error {
	for _, b := range all {
		var err error
		switch b.how {
		case build:
			err = m.packages(ctx, b)
		case script:
			err = m.node(ctx, b)
		case wasm:
			err = m.program(ctx, b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// packages builds a package in turns, each with its files changed by a comment, so that it is in no cache.
func (m *meter) packages(ctx context.Context, b benchmark) error {
	files, err := filepath.Glob(filepath.Join(b.pkg, "*.go"))
	if err != nil {
		return err
	}
	var lines int
	var file string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || filepath.Base(name) == "doc.go" {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		lines, file = lines+strings.Count(string(text), "\n"), name
	}
	if err := m.dependencies(ctx, b); err != nil {
		return err
	}
	var results []result
	for turn := 0; turn < m.turns && (turn == 0 || m.spent[b] < mostOfBuild); turn++ {
		m.progress("go build %s, turn %d", strings.TrimPrefix(b.pkg, m.dir), turn+1)
		if err := change(file); err != nil {
			return err
		}
		r, err := compile(ctx, b.pkg)
		if err != nil {
			return err
		}
		r["lines"] = float64(lines)
		results = append(results, r)
		m.spent[b] += time.Duration(r["wall-s"] * float64(time.Second))
	}
	m.samples[b] = [][]result{results}
	return nil
}

// dependencies builds what a package imports.
func (m *meter) dependencies(ctx context.Context, b benchmark) error {
	imports := exec.CommandContext(ctx, "go", "list", "-f", `{{join .Imports " "}}`, ".")
	imports.Dir, imports.Env = b.pkg, ownModule()
	var stderr bytes.Buffer
	imports.Stderr = &stderr
	names, err := imports.Output()
	if err != nil {
		return fmt.Errorf("imports of %s: %w\n%s", b.pkg, err, &stderr)
	}
	cmd := exec.CommandContext(ctx, "go", append([]string{"build"}, strings.Fields(string(names))...)...)
	cmd.Dir, cmd.Env = b.pkg, ownModule()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build of what %s imports: %w\n%s", b.pkg, err, out)
	}
	return nil
}

// change adds a comment to a file that it never had before.
func change(name string) error {
	file, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(file, "//", time.Now().UnixNano())
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

// compile runs go build in a folder. It returns its time, and the memory of its largest process where the system has it.
func compile(ctx context.Context, dir string) (result, error) {
	cmd := exec.CommandContext(ctx, "go", "build", ".")
	cmd.Dir, cmd.Env = dir, ownModule()
	start := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("build of %s: %w\n%s", dir, err, out)
	}
	r := result{"wall-s": time.Since(start).Seconds(), "user-s": cmd.ProcessState.UserTime().Seconds()}
	if peak, ok := peak(cmd.ProcessState); ok {
		r["peak-MB"] = peak
	}
	return r, nil
}

// printsLine is the program that others are compared with, instead of a folder.
const printsLine = "prints a line"

const linePrinter = `package main

import "os"

func main() { os.Stdout.WriteString("a line\n") }
`

// program measures the size of a stripped program.
func (m *meter) program(ctx context.Context, b benchmark) error {
	m.progress("go build %s, %s", b.pkg, b.name)
	source, dir := ".", b.pkg
	if b.pkg == printsLine {
		source, dir = filepath.Join(m.dir, "line.go"), "."
		if err := os.WriteFile(source, []byte(linePrinter), 0o600); err != nil {
			return err
		}
	}
	binary := filepath.Join(m.dir, "program.wasm")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, source)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOARCH=wasm", "GOOS="+b.name)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build of %s: %w\n%s", b.pkg, err, out)
	}
	info, err := os.Stat(binary)
	if err != nil {
		return err
	}
	m.samples[b] = [][]result{{{"kB": float64(info.Size()) / 1000}}}
	return nil
}
