package repo_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"
)

// Where a line is too long for the screen, it is broken. Texts that have to be exact are not: raw strings, and directives.
func TestLinesFitTheScreen(t *testing.T) {
	const columns, most = 160, 50
	out, err := exec.Command("git", "ls-files", "*.go").Output()
	if err != nil {
		t.Skip("this is no checkout of git: ", err)
	}
	exact := 0
	for _, name := range strings.Fields(string(out)) {
		if strings.Contains(name, "testdata/") {
			continue
		}
		source, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			continue // removed, and not yet committed
		} else if err != nil {
			t.Fatal(err)
		}
		var raw map[int]bool
		for i, line := range strings.Split(string(source), "\n") {
			if i == 0 && strings.HasPrefix(line, "// Code generated ") {
				break
			}
			if utf8.RuneCountInString(line)+3*strings.Count(line, "\t") <= columns {
				continue
			}
			if raw == nil {
				raw = rawLines(t, name, source)
			}
			if raw[i+1] || strings.HasPrefix(line, "//graphgen:") {
				exact++
			} else {
				t.Errorf("%s:%d: the line has more than %d columns, a tab as four", name, i+1, columns)
			}
		}
	}
	if exact > most {
		t.Errorf("%d lines of raw strings and directives have more than %d columns, want %d at most", exact, columns, most)
	}
}

// rawLines returns the lines of a file on which there is a part of a raw string.
func rawLines(t *testing.T, name string, source []byte) map[int]bool {
	files, lines := token.NewFileSet(), map[int]bool{}
	f, err := parser.ParseFile(files, name, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && strings.HasPrefix(lit.Value, "`") {
			for line := files.Position(lit.Pos()).Line; line <= files.Position(lit.End()).Line; line++ {
				lines[line] = true
			}
		}
		return true
	})
	return lines
}
