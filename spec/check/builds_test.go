package check_test

import (
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/golang"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
)

// A compiler finds out whether generated code builds, without the time that go build takes.
type compiler struct {
	files   *token.FileSet
	imports types.Importer
}

// newCompiler asks go for the compiled form of what generated code may import.
func newCompiler(t testing.TB) *compiler {
	t.Helper()
	list := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}",
		"github.com/graphgen/graphgen/runtime/...",
		"context", "math", "slices", "strings", "unicode/utf8", "iter", "maps")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("%v: %v", list, err)
	}
	compiled := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		compiled[path] = file
	}
	c := &compiler{files: token.NewFileSet()}
	c.imports = importer.ForCompiler(c.files, "gc", func(path string) (io.ReadCloser, error) {
		if compiled[path] == "" {
			return nil, errors.New("generated code may not import " + path)
		}
		return os.Open(compiled[path])
	})
	return c
}

// build lowers, emits and compiles graphs that are to make one package.
func (c *compiler) build(graphs ...*spec.Graph) error {
	var parsed []*ast.File
	for _, g := range graphs {
		emitted, err := golang.Emit(plan.Lower(cfg.Of(g), "p"))
		if err != nil {
			return err
		}
		for _, f := range emitted {
			file, err := parser.ParseFile(c.files, f.Name, f.Content, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			parsed = append(parsed, file)
		}
	}
	_, err := (&types.Config{Importer: c.imports}).Check("p", c.files, parsed, nil)
	return err
}

// passing reads a spec, nil if anything is wrong with it.
func passing(text string) *spec.Graph {
	g, found := spec.Load("g.graph.yaml", []byte(text))
	if g == nil || diag.HasErrors(found) || diag.HasErrors(check.Run(cfg.Of(g))) {
		return nil
	}
	return g
}

var wordsOf = regexp.MustCompile(`[A-Za-z_0-9.]+|"[^"]*"|[\[\]{}?]+`)

// hazards are words that are worth a try anywhere.
var hazards = []string{
	"cacheable", "readonly", "skip_on_error", "critical", "retryable", "router", "guard", "transform", "end", "END",
	"custom", "union", "max", "sum", "append", `"?int"`, `"[]?int"`, `"map[string]?string"`, `"?[]int"`, "{enum: [a, b]}", "{x: int}",
	"[]", "{}", "1e300", "-1", "\"a`b\"", "gpt-4.1", "string", "String", "a_out", "to", "goto", "run", "graph", "state", "node", "new",
	"time", "duration", "bytes", "any", `"[]bytes"`, `"?any"`, `"map[string]time"`, `"[]?duration"`, `"map[string][]any"`,
	"{union: {a: {x: int}, b: {y: any}}}", "{type: string, default: a}", "{type: duration, default: 1h}", "{type: time, default: 2026-01-31T12:00:00Z}",
	"{type: bytes, default: aGk=, max_length: 9}", "{type: int, default: 3}", "{type: string, pattern: x, min_length: 1}",
	"default", "union", "3h", "Decode", "TypeJSONSchema",
	"route", "_next", "confidence", "type", "func", "len", "ctx", "out", "err", "nil", "context", "codec", "graphgen", "é", "x-y", "flag",
}

// Valid specs with a word or two taken from another place are mostly wrong. Those that
// are not have to build.
func TestWhatPassesBuilds(t *testing.T) {
	var texts, pool []string
	for _, file := range append(specs(t, "valid"), glob(t, "../../golden/*/*.graph.yaml")...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
		pool = append(pool, wordsOf.FindAllString(string(text), -1)...)
	}
	for range 10 {
		pool = append(pool, hazards...)
	}
	c := newCompiler(t)
	passed := 0
	builds := func(text string) {
		g := passing(text)
		if g == nil {
			return
		}
		passed++
		if err := c.build(g); err != nil {
			t.Errorf("it passes, but does not build: %v\n%s", err, text)
		}
	}
	whole := tier.Some(t, 30, 100, texts)
	for _, text := range whole {
		builds(text)
	}
	if passed < len(whole)*7/10 { // a graph that runs another, or has a text in a file, does not pass alone
		t.Errorf("only %d of %d specs passed", passed, len(whole))
	}
	tries := tier.Pick(40, 400, 20*len(texts))
	for d := range tier.Draws(t, tries) {
		r := d.Rand()
		builds(mixed(r, texts[r.IntN(len(texts))], pool))
	}
	if mixed := passed - len(whole)*7/10; mixed < tries/30 && !tier.Alone() {
		t.Errorf("only %d of %d changed specs passed", mixed, tries)
	}
}

// mixed puts words of the pool where others stand.
func mixed(random *rand.Rand, text string, pool []string) string {
	for range 1 + random.IntN(2) {
		at := wordsOf.FindAllStringIndex(text, -1)
		word := at[random.IntN(len(at))]
		text = text[:word[0]] + pool[random.IntN(len(pool))] + text[word[1]:]
	}
	return text
}

// Graphs that check.Package has nothing against share a package.
func TestSeparateGraphsBuild(t *testing.T) {
	var graphs []*spec.Graph
	var flows []*cfg.Graph
	for _, file := range tier.Some(t, 60, 100, append(specs(t, "valid"), glob(t, "../../golden/*/*.graph.yaml")...)) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		g := passing(string(text))
		if g == nil {
			continue // it uses other files
		}
		if more := append(slices.Clip(flows), cfg.Of(g)); len(check.Package(more)) == 0 {
			graphs, flows = append(graphs, g), more
		}
	}
	if len(graphs) < 10 {
		t.Errorf("only %d graphs do not collide", len(graphs))
	}
	if err := newCompiler(t).build(graphs...); err != nil {
		t.Error(err)
	}
}

// Limits and tables are variables that are called after a type, and maybe a field of it. Others may have that name.
func TestVariablesOfOneNameBuild(t *testing.T) {
	const (
		limited = "{type: string, max_length: 9}"
		flow    = "entry: input\nstate: {o: Order, to: " + limited + ", p: {type: pdf, max_bytes: 9}}\ninput: [o, to, p]\noutput: o\n" +
			"nodes:\n  input: {reads: [to, p], flags: cacheable, next: text}\n  text: {reads: o, writes: o, next: end}\n"
		types = "types:\n  Order: {item_note: " + limited + ", item_page: {type: pdf, max_bytes: 9}, items: \"[]OrderItem\"}\n" +
			"  OrderItem: {note: " + limited + ", page: {type: pdf, max_bytes: 9}}\n"
	)
	c := newCompiler(t)
	file, found := spec.Load("g.types.yaml", []byte(types))
	if len(found) > 0 {
		t.Fatal(text(found))
	}
	if err := c.build(file); err != nil {
		t.Error(err)
	}
	for name, text := range map[string]string{
		"fields of two types":  "graph: g\n" + flow + types,
		"a transition":         "graph: x\n" + flow + types,
		"a graph with threads": "graph: g\ndurable: true\n" + flow + types,
	} {
		g := passing(text)
		if g == nil {
			t.Errorf("%s: it does not pass:\n%s", name, text)
		} else if err := c.build(g); err != nil {
			t.Errorf("%s: it passes, but does not build: %v\n%s", name, err, text)
		}
	}
}
