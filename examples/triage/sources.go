package triage

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// longFunction is how many lines a function may have without a remark.
const longFunction = 60

// readSources remarks on the Go files of a package: work left in comments, long functions.
func readSources(root, pkg string) ([]Finding, error) {
	files, err := filepath.Glob(filepath.Join(root, pkg, "*.go"))
	if err != nil {
		return nil, err
	}
	var found []Finding
	for _, file := range files {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		remark := func(at token.Pos, message string) {
			place := fmt.Sprintf("%s:%d", filepath.ToSlash(filepath.Join(pkg, filepath.Base(file))), fset.Position(at).Line)
			found = append(found, Finding{Source: FindingSourceCode, Place: place, Message: message, Severity: SeverityLow})
		}
		for _, c := range f.Comments {
			if _, left, ok := strings.Cut(c.Text(), "TO"+"DO"); ok {
				remark(c.Pos(), "left to do"+strings.TrimRight(left, "\n"))
			}
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && !ast.IsGenerated(f) {
				if lines := fset.Position(fn.End()).Line - fset.Position(fn.Pos()).Line; lines > longFunction {
					remark(fn.Pos(), fmt.Sprintf("function %s has %d lines", fn.Name.Name, lines))
				}
			}
		}
	}
	return found, nil
}

// runTests runs go test. Failing tests are its result; that it cannot be run is an error.
func runTests(ctx context.Context, root string, packages []string) ([]Finding, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json"}, packages...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOWORK=off") // the module by itself
	events, err := cmd.Output()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		return nil, err
	}
	return testFindings(events), nil
}

// testFindings turns test events into findings, one per test or package that did not pass.
func testFindings(events []byte) []Finding {
	said := map[string]string{}
	failedIn := map[string]bool{} // packages with a failed test
	var out []Finding
	for s := bufio.NewScanner(bytes.NewReader(events)); s.Scan(); {
		var e struct{ Action, Package, Test, Output string }
		if json.Unmarshal(s.Bytes(), &e) != nil {
			continue
		}
		place := strings.Trim(e.Package+"."+e.Test, ".")
		said[place] += e.Output
		f := Finding{Source: FindingSourceTest, Place: place, Message: lastLine(said[place])}
		switch {
		case e.Action == "fail" && e.Test == "" && failedIn[e.Package]:
			continue // reported by its tests
		case e.Action == "fail" && strings.Contains(said[place], "panic:"):
			f.Severity = SeverityHigh
		case e.Action == "fail":
			f.Severity = SeverityMedium
		case e.Action == "skip" && e.Test != "":
			f.Severity = SeverityLow
		default:
			continue
		}
		failedIn[e.Package] = true
		out = append(out, f)
	}
	return out
}

// lastLine returns the last line that a test itself wrote.
func lastLine(text string) string {
	last := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "panic:") {
			return line
		}
		if line != "" && !strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "===") {
			last = line
		}
	}
	return last
}
