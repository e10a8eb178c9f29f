package gotag

import (
	"errors"
	"fmt"
	"go/build"
	"go/build/constraint"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
)

// clauses reports the files of a directory that prevent it from being one package: files with an
// invalid package clause or build constraint, and files of another package. The go command reports
// other mistakes.
func clauses(cfg Config, dir string) (found []diag.Diagnostic, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	first, firstFile := "", ""
	for _, e := range entries {
		name := e.Name()
		if !e.Type().IsRegular() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") ||
			strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") || slices.Contains(cfg.Generated, name) {
			continue
		}
		text, err := cfg.read(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		src := newSource(filepath.Join(cfg.Dir, name), text)
		if d, ok := badConstraint(src); ok {
			found = append(found, d)
			continue
		}
		if fits, err := build.Default.MatchFile(dir, name); err == nil && !fits {
			continue
		}
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, name, text, parser.PackageClauseOnly|parser.SkipObjectResolution)
		var list scanner.ErrorList
		if errors.As(err, &list) && len(list) > 0 {
			if !slices.Contains(cfg.Files, name) { // the others are parsed completely and reported then
				found = append(found, notGo(src, list[0]))
			}
			continue
		}
		pkg := tree.Name.Name
		at := src.pos(fset.PositionFor(tree.Name.Pos(), false).Offset, fset.PositionFor(tree.Name.End(), false).Offset)
		switch {
		case pkg == "documentation": // which go leaves out
		case pkg == "_":
			found = append(found, nameless(src, at))
		case first == "":
			first, firstFile = pkg, name
		case first != pkg:
			found = append(found, diag.Diagnostic{Code: "GG306", File: src.path, Pos: at,
				Message: fmt.Sprintf("the file belongs to package %s, and %s to package %s", pkg, firstFile, first),
				Help:    "the files of a directory belong to one package: move one of them"})
		}
	}
	return found, nil
}

func nameless(src *source, at spec.Pos) diag.Diagnostic {
	return diag.Diagnostic{Code: "GG306", File: src.path, Pos: at, Message: "a package cannot be called _", Help: "name the package"}
}

// badConstraint returns the position of an invalid build constraint.
func badConstraint(src *source) (diag.Diagnostic, bool) {
	for i, begin := range src.lines {
		end := len(src.text)
		if i+1 < len(src.lines) {
			end = src.lines[i+1] - 1
		}
		line := strings.TrimSpace(src.text[begin:end])
		if constraint.IsGoBuild(line) {
			if _, err := constraint.Parse(line); err != nil {
				return diag.Diagnostic{Code: "GG306", File: src.path, Pos: src.pos(begin, end),
					Message: "the build constraint cannot be read: " + strings.TrimPrefix(err.Error(), "parsing //go:build line: "),
					Help:    "write it as in //go:build linux && !cgo"}, true
			}
		}
		if line != "" && !strings.HasPrefix(line, "//") {
			break // a constraint precedes everything else
		}
	}
	return diag.Diagnostic{}, false
}
