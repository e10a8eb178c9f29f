package gotag

import (
	"fmt"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
)

// growth is how much more work ten times the size may be.
const growth = 12

// Work is counted, so that a busy machine changes nothing.
func TestLargePackages(t *testing.T) {
	ofState := func(field, decls string) string {
		return top + "//graphgen:graph g entry=a\ntype _ struct {\n\tState S `graphgen:\"input=f; output=f\"`\n\tA graph.Func " +
			"`graphgen:\"reads=f; writes=f\"`\n}\n\ntype S struct{ F " + field + " }\n" + decls
	}
	repeat := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, strings.ReplaceAll(format, "NEXT", fmt.Sprint(i+1)), i)
		}
		return b.String()
	}
	for name, text := range map[string]func(n int) string{
		"constants of an enum": func(n int) string {
			return ofState("T", "type T int\n\nconst (\n\tC T = iota + 1\n"+repeat(n, "\tC%d\n")+")\n")
		},
		"constants in groups of their own": func(n int) string {
			return ofState("T", "type T int\n\n"+repeat(n, "const C%[1]d T = %[1]d + 1\n"))
		},
		"aliases of one another": func(n int) string {
			return ofState("T0", "type E int\n\nconst One E = 1\n\n"+repeat(n, "type T%d = TNEXT\n")+fmt.Sprintf("type T%d = E\n", n))
		},
		"structs that hold the next one twice": func(n int) string {
			return ofState("T0", repeat(n, "type T%d struct{ A, B TNEXT }\n")+fmt.Sprintf("type T%d struct{ A int }\n", n))
		},
		"nodes of one graph": func(n int) string {
			return top + "//graphgen:graph g entry=a\ntype _ struct {\n\tA graph.Func\n" + repeat(n, "\tN%d graph.Func\n") + "}\n"
		},
		"fields of the state": func(n int) string {
			return top + "//graphgen:graph g entry=a\ntype _ struct {\n\tState struct {\n" + repeat(n, "\t\tF%d int\n") + "\t}\n\tA graph.Func\n}\n"
		},
		"settings in one tag": func(n int) string {
			return ofState("int", "") + "\n//graphgen:graph h entry=a\ntype _ struct {\n\tA graph.Func `graphgen:\"" + repeat(n, "-> a if %d > 1;") + "\"`\n}\n"
		},
	} {
		t.Run(name, func(t *testing.T) {
			few, graphs := work(t, text(200))
			many, _ := work(t, text(2000))
			if len(graphs) == 0 || few == 0 || many > growth*few {
				t.Errorf("200 take %d steps, 2,000 take %d", few, many)
			}
		})
	}
}

// work reads a file, and returns how many identifiers and bytes were looked at again.
func work(t *testing.T, text string) (int, []*spec.Graph) {
	t.Helper()
	src := newSource("g.go", []byte(text))
	p := &pkg{fset: token.NewFileSet()}
	tree, err := parser.ParseFile(p.fset, "g.go", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	p.add(src, tree)
	graphs, _ := p.read(p.files, nil)
	return p.steps + src.work, graphs
}

// What is nested too deep is told where that begins, before anything is made of it.
func TestDepthOfTagsIsBounded(t *testing.T) {
	for _, nest := range []string{"[", "{a: ", "f(x="} {
		text := top + "//graphgen:graph g entry=a\ntype _ struct {\n\tA graph.Func `graphgen:\"flags=" + strings.Repeat(nest, 100_000) + "\"`\n}\n"
		_, found := LoadSource("g.go", []byte(text))
		if len(found) != 1 || found[0].Code != "GG151" || found[0].Pos.Col > 40+(deepest+1)*len(nest) {
			t.Errorf("%s: %v", nest, found)
		}
	}
}
