package shape_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/link"
	"github.com/graphgen/graphgen/spec/shape"
)

var update = flag.Bool("update", false, "write the texts of the shapes")

// shapeOf returns the shape of a spec. The files after the first are those that it uses.
func shapeOf(t *testing.T, text string) *shape.Shape {
	t.Helper()
	files := diag.Files("g.graph.yaml", text)
	g, found := spec.Load(files[len(files)-1].Name, []byte(files[len(files)-1].Text))
	if len(found) > 0 {
		t.Fatalf("%v of\n%s", found, text)
	}
	link.Among(files, func(*spec.Graph) []diag.Diagnostic { return nil }).Link(g)
	return shape.Of(cfg.Of(g))
}

// The text of a shape, for a graph that has every kind of type and every reason to wait.
func TestShapeText(t *testing.T) {
	source, err := os.ReadFile("testdata/review.graph.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s := shapeOf(t, string(source))
	got := s.String() + s.Hash() + "\n"
	if *update {
		if err := os.WriteFile("testdata/review.txt", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/review.txt")
	if err != nil || got != string(want) {
		t.Errorf("%v, got\n%s\nwant\n%s", err, got, want)
	}
}

// Every graph of the repository has a shape that a lock file gives back.
func TestLocksGiveShapesBack(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../../golden/*/*.graph.yaml", "../../golden/*/*/*.graph.yaml", "../../examples/*/*.graph.yaml",
		"../../testdata/specs/valid/*.graph.yaml"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	if len(files) < 120 {
		t.Fatal("only", len(files), "graphs were found")
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		dir, err := filepath.Abs(filepath.Dir(file))
		if err != nil {
			t.Fatal(err)
		}
		g, _ := spec.Load(filepath.Base(file), source)
		link.New(dir, os.ReadFile, nil).Link(g)
		s := shape.Of(cfg.Of(g))
		first := (*shape.Lock)(nil).Append(s, "the \"first\" one: # é")
		lock, found := shape.ParseLock("x.graph.lock", first)
		if len(found) > 0 {
			t.Errorf("%s: %v in\n%s", file, found, first)
			continue
		}
		if got := lock.Last(); got.Shape.String() != s.String() || got.Note.V != "the \"first\" one: # é" {
			t.Errorf("%s: got %q\n%s\nwant\n%s", file, got.Note.V, got.Shape, s)
		}
		second := lock.Append(s, "")
		if lock, found = shape.ParseLock("x.graph.lock", second); len(found) > 0 || len(lock.Releases) != 2 || !bytes.HasPrefix(second, first) {
			t.Errorf("%s: %v in\n%s", file, found, second)
		}
	}
}

const before = `graph: g
entry: a
types:
  Grade: {enum: [low, high]}
  Verdict: {struct: {score: {type: int, doc: Of ten., max: 10}, grade: Grade}, doc: A verdict.}
state: {topic: string, verdicts: {type: "[]Verdict", merge: append}}
input: [topic]
nodes:
  a: {kind: prompt, instructions: "Write about {{topic}}.", next: b}
  b: {reads: verdicts}
`

// What shapes of two versions of a spec have in common.
func TestShapesOfChanges(t *testing.T) {
	was := shapeOf(t, before).Hash()
	for name, tt := range map[string]struct {
		from, to string
		same     bool
	}{
		"the order of fields": {"topic: string, verdicts: {type: \"[]Verdict\", merge: append}",
			"verdicts: {merge: append, type: \"[]Verdict\"}, topic: string", true},
		"the order of values":          {"[low, high]", "[high, low]", true},
		"a doc":                        {"doc: Of ten.", "doc: Of 10 points.", true},
		"the text of a prompt":         {"Write about {{topic}}.", "Write a poem about {{topic}}.", true},
		"a transition":                 {"next: b}\n", "transitions: {error: b}, next: b}\n", true},
		"a name of an earlier release": {"grade: Grade}", "grade: {type: Grade, renamed_from: mark}}", true},
		"a value's earlier name":       {"[low, high]", "[low, high], renamed_from: {high: top}", true},
		"a node's earlier name":        {"b: {reads", "b: {renamed_from: c, reads", true},
		"a field that no model sees":   {"topic: string", "topic: {type: string, private: true}", true},
		"a merge rule that is written": {"topic: string", "topic: {type: string, merge: last}", true},
		"a type":                       {"grade: Grade", "grade: string", false},
		"a limit":                      {"max: 10", "max: 11", false},
		"a value":                      {"[low, high]", "[low, top]", false},
		"a kind":                       {"b: {reads", "b: {kind: transform, reads", false},
		"a merge rule":                 {"merge: append", "merge: union", false},
		"a pause":                      {"entry: a", "entry: a\ninterrupt_before: b", false},
		"the output of the body of a loop": {"b: {reads: verdicts}",
			"b: {reads: verdicts, next: c}\n  c: {kind: loop, body: d, until: out.Done}\n  d: {reads: topic, output: {done: bool}}", false},
		"an output that a model is fed": {"b: {reads: verdicts}",
			"b: {reads: verdicts, next: c}\n  c: {kind: prompt, inherits: a, instructions: Go on.}", false},
	} {
		text := strings.Replace(before, tt.from, tt.to, 1)
		if text == before {
			t.Errorf("%s: nothing is replaced", name)
		}
		if same := shapeOf(t, text).Hash() == was; same != tt.same {
			t.Errorf("%s: the hash is the same: %t", name, same)
		}
	}
}

// What is kept of a node is what a model, a person or a loop looks at.
func TestKeptOutputs(t *testing.T) {
	s := shapeOf(t,
		strings.Replace(before, "b: {reads: verdicts}",
			"b: {reads: verdicts, output: Verdict, next: c}\n  c: {kind: loop, body: [d, e], until: out.Done}\n  d: {reads: topic, "+
				"output: Verdict}\n  e: {reads: topic, output: {done: bool}}", 1))
	for name, kept := range map[string]bool{"a": false, "b": false, "c": false, "d": false, "e": true} {
		if got := s.Node(name).Output != nil; got != kept {
			t.Errorf("the output of node %s is kept: %t", name, got)
		}
	}
}

// The shape of a graph has the hash of a graph that it runs.
func TestShapesOfSubgraphs(t *testing.T) {
	const inner, outer = "-- in.graph.yaml --\ngraph: in\nentry: a\nstate: {x: string%s}\ninput: x\noutput: x\nnodes:\n  a: {kind: " +
		"human, instructions: \"Well?\", output: string, writes: x}\n",
		"-- g.graph.yaml --\ngraph: g\nentry: run\nuse: {in: in.graph.yaml}\nstate: {x: string}\ninput: x\nnodes:\n  run: {kind: " +
			"subgraph, graph: in, in: {x: x}, out: {x: x}}\n"
	was := shapeOf(t, strings.Replace(inner, "%s", "", 1)+outer)
	is := shapeOf(t, strings.Replace(inner, "%s", ", y: string", 1)+outer)
	run := was.Node("run")
	if in := shapeOf(t, strings.TrimPrefix(strings.Replace(inner, "%s", "", 1), "-- in.graph.yaml --\n")); run.Shape != in.Hash() ||
		run.Graph != "in" || !slices.Equal(run.Waits, []shape.Wait{shape.Child}) {
		t.Errorf("%+v, want the shape %s", run, in.Hash())
	}
	if was.Hash() == is.Hash() {
		t.Error("the shape is the same after a change of the graph that it runs")
	}
}

// Lock files that nothing has written as they are.
func TestParseLock(t *testing.T) {
	lock := string((*shape.Lock)(nil).Append(shapeOf(t, before), ""))
	for name, tt := range map[string]struct{ from, to, want string }{
		"nothing":                {lock, "", "1:1: GG007"},
		"a list":                 {lock, "[]", "1:1: GG337"},
		"a key that is none":     {"shape: ", "hash: ", "5:5: GG337"},
		"no state":               {"    state:\n      topic: string\n      verdicts: {type: \"[]Verdict\", merge: append}\n", "", "4:5: GG337"},
		"another type":           {"topic: string", "topic: int", "5:12: GG338"},
		"no type":                {"topic: string", "topic: a b", "13:15: GG017"},
		"a number in its place":  {"release: 1", "release: 2", "4:14: GG338"},
		"a reason to wait":       {"b: {kind: func", "b: {kind: func, waits: [rain]", "5:12: GG338"},
		"a node that is no node": {"b: {kind: func}", "b: func", "17:10: GG337"},
	} {
		text := strings.Replace(lock, tt.from, tt.to, 1)
		got, found := shape.ParseLock("g.graph.lock", []byte(text))
		if got != nil || len(found) != 1 {
			t.Errorf("%s: %v in\n%s", name, found, text)
			continue
		}
		if have := strings.Join([]string{posOf(found[0]), found[0].Code}, " "); have != tt.want {
			t.Errorf("%s: %s %s, want %s, in\n%s", name, have, found[0].Message, tt.want, text)
		}
	}
}

func posOf(d diag.Diagnostic) string {
	var b strings.Builder
	if err := diag.Render(&b, []diag.Diagnostic{{Pos: d.Pos, File: ""}}, diag.Options{}); err != nil {
		return err.Error()
	}
	place, _, _ := strings.Cut(strings.TrimPrefix(b.String(), ":"), " ")
	return place
}

// FuzzParseLock holds that any bytes give diagnostics in the file or a lock, which gives its text back.
func FuzzParseLock(f *testing.F) {
	for _, rule := range shape.Rules() {
		f.Add([]byte(rule.Bad))
		f.Add([]byte(rule.Good))
	}
	if source, err := os.ReadFile("testdata/review.graph.yaml"); err == nil {
		g, _ := spec.Load("review.graph.yaml", source)
		f.Add((*shape.Lock)(nil).Append(shape.Of(cfg.Of(g)), "first"))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		lock, found := shape.ParseLock("g.graph.lock", text)
		if (lock == nil) != (len(found) > 0) {
			t.Fatalf("a lock: %t, and %v", lock != nil, found)
		}
		lines := 1 + bytes.Count(text, []byte("\n"))
		for _, d := range found {
			if d.Pos.Line < 1 || d.Pos.Line > lines+1 || d.Pos.Col < 1 {
				t.Errorf("%s %s at %+v in a file of %d lines", d.Code, d.Message, d.Pos, lines)
			}
		}
		if last := lock.Last(); last != nil {
			again, found := shape.ParseLock("g.graph.lock", (*shape.Lock)(nil).Append(last.Shape, last.Note.V))
			if len(found) > 0 || again.Last().Shape.Hash() != last.Hash.V {
				t.Errorf("the shape does not come back: %v", found)
			}
		}
	})
}
