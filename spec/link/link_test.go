package link_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/link"
	"github.com/rogpeppe/go-internal/txtar"
)

// world reads the files of an archive, as if they stood in /w.
type world struct {
	files map[string]string
	reads map[string]int
}

func newWorld(archive string) *world {
	w := &world{files: map[string]string{}, reads: map[string]int{}}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		w.files["/w/"+f.Name] = string(f.Data)
	}
	return w
}

func (w *world) read(path string) ([]byte, error) {
	w.reads[path]++
	text, ok := w.files[path]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return []byte(text), nil
}

func judged(g *spec.Graph) []diag.Diagnostic { return check.Run(cfg.Of(g)) }

// judge links a file and returns what is then wrong with it.
func (w *world) judge(t *testing.T, file string) (*spec.Graph, string) {
	t.Helper()
	g, found := spec.Load(file, []byte(w.files["/w/"+file]))
	if len(found) > 0 {
		t.Fatal(found)
	}
	link.New("/w", w.read, judged).Link(g)
	var b strings.Builder
	for _, d := range check.Run(cfg.Of(g)) {
		fmt.Fprintf(&b, "%d:%d: %s[%s]: %s\n", d.Pos.Line, d.Pos.Col, d.Severity, d.Code, d.Message)
	}
	return g, b.String()
}

const graph = `graph: g
entry: a
use: {common: %s}
state: {x: common.Verdict}
input: [x]
nodes:
  a: {reads: x}
`

func using(path string) string { return "-- a/g.graph.yaml --\n" + fmt.Sprintf(graph, path) }

const (
	module  = "-- go.mod --\nmodule example.com/shop // a comment\n"
	common  = "-- common/common.types.yaml --\ntypes:\n  Verdict: {enum: [good, bad]}\n"
	nothing = ""
)

func TestMissingFile(t *testing.T) {
	for name, c := range map[string]struct{ files, want string }{
		"a file of types in another folder":  {module + common + using("../common/common.types.yaml"), nothing},
		"a file of types in the same folder": {"-- a/c.types.yaml --\ntypes: {Verdict: {score: int}}\n" + using("c.types.yaml"), nothing},
		"a graph": {module + "-- common/h.graph.yaml --\ngraph: h\nentry: a\ntypes: {Verdict: {score: " +
			"int}}\nstate: {v: Verdict}\ninput: v\nnodes: {a: {reads: v}}\n" + using("../common/h.graph.yaml"), nothing},
		"a file that is not there": {module + using("../common/common.types.yaml"),
			`3:15: error[GG138]: there is no file "../common/common.types.yaml"`},
		"a file of another kind": {using("common.yaml"), `3:15: error[GG138]: the file "common.yaml" is not a spec`},
		"an absolute path": {using("/w/common/common.types.yaml"),
			`3:15: error[GG138]: the path "/w/common/common.types.yaml" is not relative, with slashes`},
		"no module": {common + using("../common/common.types.yaml"),
			`3:15: error[GG140]: the import path of the Go package of "../common/common.types.yaml" is unknown`},
		"a file that is no YAML": {module + "-- common/common.types.yaml --\ntypes: {\n" + using("../common/common.types.yaml"),
			`3:15: error[GG138]: the file "../common/common.types.yaml" has errors: 1:8: a value is missing before this`},
		"a file with errors": {module + "-- common/common.types.yaml --\ntypes:\n  Verdict: {a: nope}\n" +
			using("../common/common.types.yaml"), `3:15: error[GG138]: the file "../common/common.types.yaml" has errors: 2:16: there is no type "nope"`},
		"a file whose own use is broken": {module + "-- common/common.types.yaml --\nuse: {deep: x.types.yaml}\ntypes:\n " +
			" Verdict: {a: deep.T}\n" + using("../common/common.types.yaml"),
			`3:15: error[GG138]: the file "../common/common.types.yaml" has errors: 1:13: there is no file "x.types.yaml"`},
		"a type that the file does not have": {module + "-- common/common.types.yaml --\ntypes:\n  Verdit: {a: int}\n" +
			using("../common/common.types.yaml"), `4:12: error[GG030]: the file "../common/common.types.yaml" declares no type "Verdict"`},
		"the file itself": {module + using("g.graph.yaml"), `3:15: error[GG139]: the file uses itself`},
		"a ring of files": {module + "-- a/b.types.yaml --\nuse: {c: c.types.yaml}\ntypes: {Verdict: {x: " +
			"c.T}}\n-- a/c.types.yaml --\nuse: {b: b.types.yaml}\ntypes: {T: {y: \"?b.Verdict\"}}\n" + using("b.types.yaml"),
			`3:15: error[GG139]: the files use one another in a ring: b.types.yaml → c.types.yaml → b.types.yaml`},
		"graphs that run one another": {module + "-- a/g.graph.yaml --\ngraph: g\nentry: a\nuse: {inner: h.graph.yaml}\n" +
			"nodes:\n  a: {kind: subgraph, graph: inner}\n-- a/h.graph.yaml --\ngraph: inner\nentry: b\nuse: {outer: g.graph.yaml}\n" +
			"nodes:\n  b: {kind: subgraph, graph: outer}\n",
			`3:14: error[GG139]: the graphs run one another in a circle: g.graph.yaml → h.graph.yaml → g.graph.yaml`},
		"a graph that runs its own file": {module + "-- a/g.graph.yaml --\ngraph: g\nentry: a\nuse: {me: g.graph.yaml}\n" +
			"nodes:\n  a: {kind: subgraph, graph: me}\n", `3:11: error[GG139]: the file uses itself`},
		"a graph that a node names": {module + "-- a/g.graph.yaml --\ngraph: g\nentry: a\nnodes: {a: {kind: subgraph, graph: ../b/h.graph.yaml}}\n" +
			"-- b/h.graph.yaml --\ngraph: h\nentry: x\nnodes: {x: {}}\n", nothing},
		"a graph that a node and a use name": {"-- a/g.graph.yaml --\ngraph: g\nentry: a\nuse: {own: h.graph.yaml}\n" +
			"nodes: {a: {kind: subgraph, graph: h.graph.yaml}}\n" +
			"-- a/h.graph.yaml --\ngraph: h\nentry: x\nnodes: {x: {}}\n", nothing},
		"a file of a node with the name of the graph": {module + "-- a/g.graph.yaml --\ngraph: h\nentry: a\nnodes:\n" +
			"  a: {kind: subgraph, graph: ../b/h.graph.yaml, next: b}\n  b: {kind: subgraph, graph: h}\n" +
			"-- b/h.graph.yaml --\ngraph: h\nentry: x\nnodes: {x: {}}\n", `5:30: error[GG254]: graph "h" runs itself, and has no bound`},
		"a file of a node whose name a type has": {module + "-- a/g.graph.yaml --\ngraph: g\nentry: a\nstate: {r: h.R}\nnodes:\n" +
			"  a: {kind: subgraph, graph: ../b/h.graph.yaml}\n" +
			"-- b/h.graph.yaml --\ngraph: h\nentry: x\ntypes: {R: {n: int}}\nnodes: {x: {}}\n", "3:9: warning[GG104]: field \"r\" of the state is not used\n" +
			`3:12: error[GG137]: use names no file "h"`},
		"a file of two nodes in two spellings": {"-- a/g.graph.yaml --\ngraph: g\nentry: a\nnodes:\n" +
			"  a: {kind: subgraph, graph: h.graph.yaml, next: b}\n  b: {kind: subgraph, graph: ./h.graph.yaml}\n" +
			"-- a/h.graph.yaml --\ngraph: h\nentry: x\nnodes: {x: {}}\n", nothing},
		"a graph with the name of a package": {"-- a/g.graph.yaml --\ngraph: g\nentry: a\nnodes: {a: {kind: subgraph, graph: strings.graph.yaml}}\n" +
			"-- a/strings.graph.yaml --\ngraph: h\nentry: x\nnodes: {x: {}}\n", nothing},
		"a graph without a name for a package": {"-- a/g.graph.yaml --\ngraph: g\nentry: a\nnodes: {a: {kind: subgraph, graph: 1ü.graph.yaml}}\n" +
			"-- a/1ü.graph.yaml --\ngraph: h\nentry: x\nnodes: {x: {}}\n", nothing},
		"graphs whose nodes name one another": {module + "-- a/g.graph.yaml --\ngraph: g\nentry: a\n" +
			"nodes:\n  a: {kind: subgraph, graph: h.graph.yaml}\n-- a/h.graph.yaml --\ngraph: inner\nentry: b\nnodes:\n" +
			"  b: {kind: subgraph, graph: ./g.graph.yaml}\n",
			`4:30: error[GG139]: the graphs run one another in a circle: g.graph.yaml → h.graph.yaml → g.graph.yaml`},
		"a node that names its own file": {module + "-- a/g.graph.yaml --\ngraph: g\nentry: a\nnodes:\n  a: {kind: subgraph, graph: g.graph.yaml}\n",
			`4:30: error[GG139]: the file uses itself`},
		"a node that names a file that is not there": {module + "-- a/g.graph.yaml --\ngraph: g\nentry: a\nnodes:\n" +
			"  a: {kind: subgraph, graph: h.graph.yaml}\n",
			`4:30: error[GG138]: there is no file "h.graph.yaml"`},
		"a node that names a file of types": {module + common + "-- a/g.graph.yaml --\ngraph: g\nentry: a\n" +
			"nodes:\n  a: {kind: subgraph, graph: ../common/common.types.yaml}\n",
			`4:30: error[GG250]: the file "../common/common.types.yaml" holds types and no graph`},
		"a node that names a file of another kind": {module + "-- a/g.graph.yaml --\ngraph: g\nentry: a\nnodes:\n  a: {kind: subgraph, graph: h.yaml}\n",
			`4:30: error[GG138]: the file "h.yaml" is not a spec`},
		"a template whose node names a file": {module + "-- common/t.types.yaml --\ntemplates: {sub: {node: {kind: subgraph, graph: h.graph.yaml}}}\n" +
			"-- common/h.graph.yaml --\ngraph: h\nentry: x\nnodes: {x: {}}\n" +
			"-- a/g.graph.yaml --\ngraph: g\nentry: a\nuse: {shared: ../common/t.types.yaml}\nnodes: {a: {kind: shared.sub}}\n", nothing},
		"packages that would import a ring": {module + "-- common/common.types.yaml --\nuse: {own: ../a/own.types.yaml}\ntypes: " +
			"{Verdict: {x: own.T}}\n-- a/own.types.yaml --\ntypes: {T: {y: int}}\n" + using("../common/common.types.yaml"),
			`3:15: error[GG139]: the package of "../a/own.types.yaml" would import itself, by way of the package of common.types.yaml`},
		"a file of which nothing is used": {module + common + "-- a/g.graph.yaml --\ngraph: g\nentry: a\nuse: {common: " +
			"../common/common.types.yaml}\nnodes: {a: {}}\n", `3:7: warning[GG142]: nothing of "common" is used`},
		"a condition on a constant of a file": {module + common + using("../common/common.types.yaml") + "  b: {}\nedges: [{from: " +
			"a, to: b, if: state.X == common.VerdictGood}, {from: a, to: end}]\n", nothing},
		"a condition without the package": {module + common + using("../common/common.types.yaml") + "  b: {}\nedges: [{from: " +
			"a, to: b, if: state.X == VerdictGood}, {from: a, to: end}]\n", `9:41: error[GG072]: unknown name "VerdictGood"`},
		"a condition on what a file lacks": {module + common + using("../common/common.types.yaml") + "  b: {}\nedges: [{from: " +
			"a, to: b, if: state.X == common.VerdictOdd}, {from: a, to: end}]\n", `9:48: error[GG072]: package common has no "VerdictOdd" for conditions`},
		"a constant of the graph's own folder": {"-- a/c.types.yaml --\ntypes: {Verdict: {enum: [good, bad]}}\n" +
			using("c.types.yaml") + "  b: {}\nedges: [{from: a, to: b, if: state.X == VerdictGood}, {from: a, to: end}]\n", nothing},
		"the name of a use of the same folder": {"-- a/c.types.yaml --\ntypes: {Verdict: {enum: [good, bad]}}\n" +
			using("c.types.yaml") + "  b: {}\nedges: [{from: a, to: b, if: state.X == common.VerdictGood}, {from: a, to: end}]\n",
			`9:41: error[GG072]: the types of "common" are of the graph's own package`},
		"a condition on a file that is lost": {using("c.types.yaml") + "  b: {}\nedges: [{from: a, to: b, if: state.X == " +
			"common.VerdictGood}, {from: a, to: end}]\n", "3:15: error[GG138]: there is no file \"c.types.yaml\"\n"},
		"a variant of another package": {module + "-- common/common.types.yaml --\ntypes: {Verdict: {a: int}}\n" +
			using("../common/common.types.yaml") + "types: {U: {union: {v: common.Verdict}}}\noutput: [x]\n",
			"8:9: warning[GG039]: type \"U\" is not used\n8:21: error[GG135]: variant \"v\" of U is a type of another package, which cannot be a variant here"},
	} {
		t.Run(name, func(t *testing.T) {
			_, got := newWorld(c.files).judge(t, "a/g.graph.yaml")
			if !strings.HasPrefix(got, c.want) || c.want == nothing && got != nothing {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

func TestSharedFile(t *testing.T) {
	w := newWorld(module + `-- common/common.types.yaml --
types: {Verdict: {enum: [good, bad]}}
-- b/b.types.yaml --
use: {common: ../common/common.types.yaml}
types: {Report: {verdict: common.Verdict}}
-- a/g.graph.yaml --
graph: g
entry: a
use: {common: ../common/common.types.yaml, other: ../b/b.types.yaml}
state: {x: common.Verdict, y: other.Report}
input: [x]
output: y
nodes: {a: {reads: [x], next: b}, b: {output: other.Report, writes: y}}
`)
	g, found := w.judge(t, "a/g.graph.yaml")
	if found != nothing {
		t.Fatal(found)
	}
	if n := w.reads["/w/common/common.types.yaml"]; n != 1 {
		t.Errorf("it was read %d times", n)
	}
	if g.Use[0].Graph != g.Use[1].Graph.Use[0].Graph {
		t.Error("it is two files")
	}
	if g.Import != "example.com/shop/a" || g.Use[1].Graph.Import != "example.com/shop/b" {
		t.Errorf("import paths %q and %q", g.Import, g.Use[1].Graph.Import)
	}
}

func TestImportCycles(t *testing.T) {
	w := newWorld(module + `-- a/a.types.yaml --
use: {other: ../b/b.types.yaml}
types: {A: {x: other.B}}
-- a/plain.types.yaml --
types: {P: {x: int}}
-- b/b.types.yaml --
types: {B: {x: int}}
-- b/back.types.yaml --
use: {a: ../a/plain.types.yaml}
types: {C: {x: a.P}}
`)
	linker := link.New("/w", w.read, judged)
	var graphs []*spec.Graph
	for _, file := range []string{"a/a.types.yaml", "a/plain.types.yaml", "b/b.types.yaml", "b/back.types.yaml"} {
		g, found := spec.Load(file, []byte(w.files["/w/"+file]))
		linker.Link(g)
		if found = append(found, check.Run(cfg.Of(g))...); len(found) > 0 {
			t.Fatal(file, found)
		}
		graphs = append(graphs, g)
	}
	found := link.Packages(graphs)
	if len(found) != 1 || found[0].File != "b/back.types.yaml" || found[0].Code != "GG139" || found[0].Pos.Line != 1 {
		t.Errorf("found %v", found)
	}
	if found := link.Packages(graphs[:3]); len(found) > 0 {
		t.Errorf("without the way back, found %v", found)
	}
}

// TestShared holds that a file which is added, and used by another, is not read, and linked and
// checked once. A file of a ring is linked again: the ring is shown as it begins there.
func TestShared(t *testing.T) {
	for name, test := range map[string]struct {
		b      string
		again  bool
		checks int
	}{
		"used":      {"types: {Verdict: {enum: [good, bad]}}\n", false, 1},
		"in a ring": {"use: {a: a.types.yaml}\ntypes: {Verdict: {enum: [good, bad]}}\n", true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			checked := map[string]int{}
			linker := link.New("/w", func(path string) ([]byte, error) {
				if strings.HasSuffix(path, ".yaml") {
					t.Errorf("%s is read", path)
				}
				return nil, fs.ErrNotExist
			}, func(g *spec.Graph) []diag.Diagnostic {
				checked[g.File]++
				return judged(g)
			})
			load := func(file, text string) *spec.Graph {
				g, found := spec.Load(file, []byte(text))
				linker.Add(g, found)
				return g
			}
			a := load("a.types.yaml", "use: {b: b.types.yaml}\ntypes: {T: {v: b.Verdict}}\n")
			b := load("b.types.yaml", test.b)
			if !linker.Link(a) || linker.Link(b) != test.again {
				t.Errorf("the used file is linked again: %v, want %v", !test.again, test.again)
			}
			if checked["b.types.yaml"] != test.checks {
				t.Errorf("the used file is checked %d times, want %d", checked["b.types.yaml"], test.checks)
			}
			if !test.again && a.Use[0].Graph != b {
				t.Error("the file that is used is another one")
			}
		})
	}
}
