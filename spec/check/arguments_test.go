package check_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
)

// An argument is one that a spec gives a template or a pattern.
type argument struct {
	file, source string
	key, value   *spec.Tree
}

// TestRefusedArguments gives templates and patterns arguments that they refuse, and leaves arguments out: that is the one
// mistake, and what the template makes of it is none.
func TestRefusedArguments(t *testing.T) {
	var all []argument
	for _, file := range slices.Concat(specs(t, "valid"), glob(t, "../../golden/*/*.graph.yaml")) {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		g, _ := spec.Load(file, source)
		uses := []*spec.Tree{&g.With}
		for _, n := range g.Nodes {
			if n.Instance != nil && n.Kind.V != "" {
				uses = append(uses, &n.Instance.Tree)
			}
		}
		for _, use := range uses {
			for i := 0; i < len(use.Items); i += 2 {
				all = append(all, argument{file, string(source), &use.Items[i], &use.Items[i+1]})
			}
		}
	}
	tried, refused := tier.Some(t, 20, 60, all), 0
	for _, a := range tried {
		refused += refuse(t, a)
	}
	if refused < len(tried) {
		t.Errorf("of %d arguments only %d other values were refused", len(tried), refused)
	}
}

// refuse writes other values for an argument, and returns how many were refused as values.
func refuse(t *testing.T, a argument) (refused int) {
	t.Helper()
	source, key, value := a.source, a.key, a.value
	begin, end := offset(source, key.Pos.Line, key.Pos.Col), offset(source, value.Pos.Line, value.Pos.Col)
	rest := source[end:]
	stop := written(rest)
	if key.Text == "kind" || stop < 0 || !strings.HasPrefix(source[begin:], key.Text+":") {
		return 0
	}
	for _, other := range []string{"[[]]", "{x: [1]}", "[x, y]", "{x: y}", "-1.5", "100000", "true", "''", "~", "zz zz", ""} {
		mutant := source[:end] + other + rest[stop:]
		if other == "" && strings.HasPrefix(strings.TrimLeft(rest[stop:], " "), ",") {
			mutant = source[:begin] + strings.TrimLeft(rest[stop:], ", ")
		}
		found := diag.WithoutNotes(judge(a.file, []byte(mutant)))
		if !slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.Code == "GG343" || d.Code == "GG342" }) {
			continue
		}
		refused++
		if len(found) != 1 {
			t.Errorf("%s:%d: %s: %q gives\n%s", filepath.Base(a.file), key.Pos.Line, key.Text, other, text(found))
		}
	}
	return refused
}

// offset returns where a line and a column are in a text.
func offset(source string, line, col int) int {
	lines := strings.SplitAfter(source, "\n")
	return len(strings.Join(lines[:line-1], "")) + len(string([]rune(lines[line-1])[:col-1]))
}

// written returns the length of the value of one line that a text begins with, negative if it is not known.
func written(rest string) int {
	line, _, _ := strings.Cut(rest, "\n")
	switch {
	case line == "":
		return -1
	case line[0] == '[':
		return 1 + strings.IndexByte(line, ']')
	case strings.ContainsRune("{|>&'\"", rune(line[0])):
		return -1
	}
	if i := strings.IndexAny(line, ",}#"); i >= 0 {
		return i
	}
	return len(line)
}
