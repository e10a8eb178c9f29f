package template_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/graphgen/graphgen/internal/testing/growth"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/link"
	"github.com/graphgen/graphgen/spec/prelude"
	"github.com/graphgen/graphgen/spec/template"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// load reads and links a spec.
func load(t testing.TB, file, text string) *spec.Graph {
	t.Helper()
	g, found := spec.Load(file, []byte(text))
	if g == nil || len(found) > 0 {
		t.Fatal(found)
	}
	link.Among([]diag.File{{Name: file, Text: text}}, nil).Link(g)
	return g
}

// rendered checks a linked graph and prints what is wrong with it.
func rendered(t *testing.T, g *spec.Graph) string {
	t.Helper()
	var b bytes.Buffer
	found := check.Run(cfg.Of(g))
	if err := diag.Render(&b, found, diag.Options{Source: func(string) []byte { return g.Source }}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestExpand compares what templates become, and what is wrong with them, with the texts of testdata.
func TestExpand(t *testing.T) {
	files, err := filepath.Glob("testdata/*.graph.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".graph.yaml"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			g := load(t, filepath.Base(file), string(text))
			got := rendered(t, g)
			if got == "" {
				template.Tidy(g)
				got = string(spec.Write(g))
			}
			golden := strings.TrimSuffix(file, ".graph.yaml") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(golden); err != nil || string(want) != got {
				t.Errorf("%v: got\n%s\nwant\n%s", err, got, want)
			}
		})
	}
}

// TestPreludeExamples holds that the example of each template of the prelude is a use of it without mistakes.
func TestPreludeExamples(t *testing.T) {
	for _, file := range prelude.Use().Graphs() {
		for _, tpl := range file.Templates {
			t.Run(tpl.Name.V, func(t *testing.T) {
				if tpl.Doc.V == "" || tpl.Example.V == "" || slices.ContainsFunc(tpl.Params, func(p *spec.Param) bool { return p.Doc.V == "" }) {
					t.Error("it lacks a doc or an example, or a parameter does")
				}
				text := tpl.Example.V
				if !tpl.IsPattern() {
					text = around(text)
				}
				g := load(t, "example.graph.yaml", text)
				if found := rendered(t, g); strings.Contains(found, "error") {
					t.Errorf("%s\n%s", text, found)
				}
			})
		}
	}
}

// around is a graph with a node of a template, and with what examples refer to.
func around(node string) string {
	name, _, _ := strings.Cut(node, ":")
	others := []string{"act", "planner", "writer"}
	others = slices.DeleteFunc(others, func(other string) bool { return other == name })
	var b strings.Builder
	b.WriteString("graph: g\nentry: planned\nno_match: end\nlimits: {max_steps: 50}\n" +
		"state: {question: string, draft: string, text: string}\ninput: [question, draft, text]\n" +
		"tools: {search: {doc: Searches the web., args: {query: string}}}\nnodes:\n" +
		"  planned: {kind: plan, reads: question}\n  found: {kind: select_tools, reads: [question, plan]}\n" +
		"  observed: {kind: observe, reads: [question, results]}\n  written: {kind: synthesize, reads: [question, observations]}\n")
	for _, other := range others {
		fmt.Fprintf(&b, "  %s: {kind: pass}\n", other)
	}
	b.WriteString(strings.ReplaceAll("  "+strings.TrimRight(node, "\n"), "\n", "\n  "))
	fmt.Fprintf(&b,
		"\nedges:\n  - sequential: [planned, found, observed, written, %s, %s]\n  - {from: %s, to: end, if: res.Visit > 3, priority: 1}\n",
		strings.Join(others, ", "), name, others[0])
	return b.String()
}

// TestFolder adds a template, a pattern, a skill and a skill group to a prelude of its own: files, and no Go code.
func TestFolder(t *testing.T) {
	folder := fstest.MapFS{}
	for _, file := range prelude.Use().Graphs() {
		folder[filepath.Base(file.File)] = &fstest.MapFile{Data: file.Source}
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"mine.types.yaml": "skills:\n  rhymes: {instructions: Use perfect rhymes., tools: {rhyme: {doc: Finds a rhyme., args: {word: string}}}}\ntemplates:\n" +
			"  haiku:\n    doc: Writes a haiku.\n    params: {about: string}\n    node: {kind: prompt, instructions: Write a " +
			"haiku about $about., writes: poem}\n" +
			"  poet:\n    doc: A skill.\n    node: {kind: prompt, instructions: You are a poet. Rhyme., writes: poem, skills: rhymes}\n" +
			"  recital:\n    doc: A pattern.\n    params: {about: string}\n    graph:\n      entry: first\n      state: {poem: " +
			"string}\n      output: poem\n      nodes: {first: {kind: haiku, about: $about}, second: {kind: poet}}\n      edges: [{from: first, to: second}]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		folder[name] = &fstest.MapFile{Data: data}
	}
	u, found := prelude.Load(folder, prelude.Path)
	if len(found) > 0 {
		t.Fatal(found)
	}
	g, _ := spec.Load("g.graph.yaml", []byte("graph: evening\npattern: recital\nwith: {about: otters}\n"))
	link.Among(nil, nil).Prelude(u).Link(g)
	if found := diag.WithoutNotes(check.Run(cfg.Of(g))); diag.HasErrors(found) {
		t.Error(found)
	}
	if got := string(spec.Write(g)); !strings.Contains(got, "Write a haiku about otters.") || !strings.Contains(got,
		"You are a poet.") || !strings.Contains(got, "tools: [rhyme]") || !strings.Contains(got, "Use perfect rhymes.") {
		t.Error(got)
	}
}

// TestWork holds that a graph of many uses of a template takes at most twice the work of the graph that it becomes.
func TestWork(t *testing.T) {
	const variable = "GRAPHGEN_TEMPLATE_EXPANDED" // the graph that the uses become, for the processes that count
	n := tier.Pick(250, 250, 1000)
	judge := func(n int, text []byte) {
		g, _ := spec.Load("g.graph.yaml", text)
		link.Among(nil, nil).Link(g)
		if found := check.Run(cfg.Of(g)); diag.HasErrors(found) || len(g.Nodes) != n {
			t.Fatal(len(g.Nodes), found)
		}
	}
	if os.Getenv(variable) == "" {
		file := filepath.Join(t.TempDir(), "expanded.graph.yaml")
		if err := os.WriteFile(file, spec.Write(load(t, "g.graph.yaml", uses(n))), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Setenv(variable, file)
	}
	growth.Ratio(t, n, 2,
		func(n int) { judge(n, []byte(uses(n))) },
		func(n int) {
			text, err := os.ReadFile(os.Getenv(variable))
			if err != nil {
				t.Fatal(err)
			}
			judge(n, text)
		})
}

// uses is a graph with n uses of a template of the prelude.
func uses(n int) string {
	var b strings.Builder
	b.WriteString("graph: g\nentry: n0\nno_match: end\nlimits: {max_steps: 100000, max_visits: 100}\nstate: {text: string}\ninput: " +
		"text\noutput: critique\nnodes:\n")
	for i := range n {
		fmt.Fprintf(&b, "  n%d: {kind: critique, reads: text, threshold: 0.3, revise: n%d}\n", i, (i+1)%n)
	}
	b.WriteString("edges:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - {from: n%d, to: n%d, max_iterations: 2}\n", i, (i+2)%n)
	}
	return b.String()
}

// FuzzExpand holds that any spec is expanded the same each time, that expanding it again changes nothing, and that all
// mistakes are inside of it.
func FuzzExpand(f *testing.F) {
	for _, pattern := range []string{"testdata/*.graph.yaml", "../../golden/templates/*.yaml", "../../golden/reasoning/*.yaml",
		"../../golden/skillgroups/*.yaml", "../prelude/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	for _, r := range check.Rules() {
		if r.Code >= "GG340" && r.Code <= "GG351" || r.Code == "GG398" || r.Code == "GG399" {
			f.Add([]byte(r.Bad))
			f.Add([]byte(r.Good))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var texts [2]string
		for i := range texts {
			g, _ := spec.Load("fuzz.graph.yaml", text)
			if g == nil {
				return
			}
			template.Expand(g, prelude.Use())
			lines := 2 + bytes.Count(text, []byte("\n"))
			for _, d := range g.Expanding {
				if d.Pos.Line < 1 || d.Pos.Line > lines || d.Message == "" {
					t.Errorf("%s %q at %+v in a file of %d lines", d.Code, d.Message, d.Pos, lines)
				}
			}
			if diag.HasErrors(g.Expanding) {
				return
			}
			texts[i] = string(spec.Write(g))
			template.Expand(g, prelude.Use())
			if again := string(spec.Write(g)); again != texts[i] {
				t.Errorf("expanded again:\n%s\nat first:\n%s", again, texts[i])
			}
		}
		if texts[0] != texts[1] {
			t.Errorf("two expansions differ:\n%s\n%s", texts[0], texts[1])
		}
	})
}

// TestPatternOfFile holds that a pattern of a file of types is as one of the graph itself, and that a name that no file has
// is reported with those that there are.
func TestPatternOfFile(t *testing.T) {
	const body = `types: {Grade: {score: int}}
templates:
  single:
    params: {tone: {enum: [plain, warm], default: plain}}
    graph:
      entry: write
      limits: {max_steps: 9}
      state: {topic: string, grade: Grade}
      input: topic
      output: grade
      nodes:
        write: {kind: prompt, instructions: Be $tone., reads: topic, writes: grade, output: Grade}
`
	expanded := func(pattern, rest string) (text, found string) {
		main := "graph: g\npattern: " + pattern + "\nwith: {tone: warm}\nnodes:\n  write: {temperature: 0.5}\n" + rest
		g, ds := spec.Load("g.graph.yaml", []byte(main))
		if g == nil || len(ds) > 0 {
			t.Fatal(ds)
		}
		link.Among([]diag.File{{Name: "g.graph.yaml", Text: main}, {Name: "b.types.yaml", Text: body}}, nil).Link(g)
		found = rendered(t, g)
		template.Tidy(g)
		return string(spec.Write(g)), found
	}
	own, found := expanded("single", body)
	if found != "" {
		t.Fatal(found)
	}
	const use = "use: {ours: b.types.yaml}\n"
	of, found := expanded("ours.single", use)
	if found != "" {
		t.Fatal(found)
	}
	of = strings.NewReplacer("ours.Grade", "Grade", use, "").Replace(of)
	if behind := own[strings.Index(own, "state:"):]; !strings.HasSuffix(of, behind) || !strings.Contains(behind,
		"instructions: Be warm.") || !strings.Contains(behind, "temperature: 0.5") {
		t.Errorf("the pattern of the file gives\n%s\nthat of the graph\n%s", of, own)
	}
	if _, found := expanded("ours.zzz", use); !strings.Contains(found, "GG340") || !strings.Contains(found,
		"the patterns are ours.single,") || !strings.Contains(found, "react") || strings.Contains(found, "GG142") {
		t.Errorf("an unknown pattern: %s", found)
	}
	if _, found := expanded("ours.singel", use); !strings.Contains(found, "did you mean \"ours.single\"?") || strings.Contains(found, "GG142") {
		t.Errorf("a misspelt pattern: %s", found)
	}
}
