// Package pauses compares runs that ask people with runs that have the answers beforehand, on random graphs.
package pauses

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen/gen/golang"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/testing/pausedriver"
	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/link"
)

var (
	runs  = flag.Int("runs", 20, "how many runs of each graph to make")
	first = flag.Int("first", 0, "the number of the first run")
)

// perPackage is how many graphs share a Go package.
const perPackage = 20

// A graph is a random graph that is valid, with its twin.
type graph struct {
	*random
	draw         tier.Draw
	people, twin *spec.Graph
	inner        *graph
}

// TestPauses makes random graphs whose nodes ask people, in regions of all kinds. Their runs, which get wrong,
// late, second and concurrent answers too, must do what the twins do that have the answers beforehand.
func TestPauses(t *testing.T) {
	tempmodule.Watch(t, "../pausedriver", "../scriptdriver")
	start := time.Now()
	var graphs []*graph
	refused := 0
	for d := range tier.Draws(t, tier.Pick(4, 10, 60)) {
		g, failed := newGraph(t, d)
		graphs = append(graphs, g)
		refused += failed
	}
	made := time.Since(start)
	path := build(t, graphs)
	built := time.Since(start)
	var jobs []pausedriver.Job
	for _, g := range graphs {
		jobs = append(jobs, pausedriver.Job{Graph: g.name, Seed: g.draw.Seed<<20 + g.draw.Number, Runs: *runs, First: *first})
	}
	counts := map[string]int{}
	for i, result := range play(t, path, jobs) {
		for what, n := range result.Counts {
			counts[what] += n
		}
		if g := graphs[i]; result.Problem != "" {
			t.Errorf("run %d of draw %v (again: %s -first=%d -runs=1): %s\n%s", result.Run, g.draw, g.draw.Again(t), result.Run, result.Problem, g.text())
		}
	}
	t.Logf("%d graphs (the checks refused %d more); made in %v, built in %v, played in %v", len(graphs), refused,
		made.Round(time.Millisecond), (built - made).Round(time.Millisecond), (time.Since(start) - built).Round(time.Millisecond))
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%8d %s", counts[what], what)
	}
	for _, what := range sights {
		if len(graphs) >= 30 && counts[what] == 0 {
			t.Errorf("no run of any graph shows: %s", what)
		}
	}
}

// sights are what the runs of many graphs have to show.
var sights = []string{
	"abandoned", "answers given thrice at once", "completed", "decisions about calls", "denials", "dry runs that stop",
	"ended by cancellation", "failed", "interrupts", "late",
	"pairs of answers at once", "pauses with several requests", "refused", "routes chosen by a handler", "routes chosen by a model",
	"streams", "typed answers about calls of other graphs", "withdrawn",
}

// newGraph makes the graph of a draw, and returns how many others the checks refused.
func newGraph(t *testing.T, d tier.Draw) (g *graph, refused int) {
	t.Helper()
	r := d.Rand()
	var found []diag.Diagnostic
	for ; refused < 100; refused++ {
		if g, found = load(newRandom(r, fmt.Sprintf("g%ds%d", d.Number, d.Seed), 2, place{})); g != nil {
			g.draw = d
			return g, refused
		}
	}
	t.Fatalf("the checks refuse whatever is made: %v", found)
	return nil, 0
}

// load reads and checks a graph, its twin, and the graphs that they run. It returns nil if they are not valid.
func load(r *random) (g *graph, found []diag.Diagnostic) {
	g = &graph{random: r}
	var people, twin []diag.File
	if r.inner != nil {
		if g.inner, found = load(r.inner); g.inner == nil {
			return nil, found
		}
		people, twin = g.inner.files()
	}
	a, b := r.specs()
	if g.people, found = loadOne(r.name, a, people); g.people == nil {
		return nil, found
	}
	if g.twin, found = loadOne(r.name+"t", b, twin); g.twin == nil {
		return nil, found
	}
	return g, nil
}

// files returns the files of the graph and of its twin, with those of the graphs that they run.
func (g *graph) files() (people, twin []diag.File) {
	if g.inner != nil {
		people, twin = g.inner.files()
	}
	return append(people, diag.File{Name: g.name + ".graph.yaml", Text: string(g.people.Source)}),
		append(twin, diag.File{Name: g.name + "t.graph.yaml", Text: string(g.twin.Source)})
}

// text returns the specs of the graph.
func (g *graph) text() string {
	text := string(g.people.Source)
	if g.inner != nil {
		text += "---\n" + g.inner.text()
	}
	return text
}

func loadOne(name, text string, others []diag.File) (*spec.Graph, []diag.Diagnostic) {
	g, found := spec.Load(name+".graph.yaml", []byte(text))
	if len(found) > 0 {
		return nil, found
	}
	link.Among(others, nil).Link(g)
	found = slices.DeleteFunc(check.Run(cfg.Of(g)), func(d diag.Diagnostic) bool {
		return d.Severity != diag.Error
	})
	if len(found) > 0 {
		return nil, found
	}
	return g, nil
}

// build builds the program that runs the machines of all graphs.
func build(t *testing.T, graphs []*graph) string {
	t.Helper()
	module := tempmodule.New(t, tempmodule.Internal, "../../..")
	var imports, lists strings.Builder
	for i := 0; i < len(graphs); i += perPackage {
		pkg := fmt.Sprintf("p%d", i/perPackage)
		var list, code strings.Builder
		for _, g := range graphs[i:min(i+perPackage, len(graphs))] {
			g.emit(t, pkg, module, &code)
			g.machine(&list)
		}
		module.Write(pkg+"/machines.go",
			"package "+pkg+"\n\nimport (\n\t\"context\"\n\n\t\"github.com/graphgen/graphgen/internal/testing/pausedriver\"\n"+
				"\t\"github.com/graphgen/graphgen\"\n)\n\nvar _ graphgen.Decision\n\n"+
				"var Machines = []pausedriver.Machine{\n"+list.String()+"}\n\n"+code.String())
		fmt.Fprintf(&imports, "\t%q\n", tempmodule.Internal+"/"+pkg)
		fmt.Fprintf(&lists, ", %s.Machines", pkg)
	}
	module.Write("main_test.go",
		"package main\n\nimport (\n\t\"os\"\n\t\"testing\"\n\n\t\"github.com/graphgen/graphgen/internal/testing/pausedriver\"\n"+imports.String()+
			")\n\nfunc TestPlay(t *testing.T) {\n\tif err := pausedriver.Main(t, os.Stdin, os.Stdout"+lists.String()+"); err != nil "+
			"{\n\t\tt.Fatal(err)\n\t}\n}\n")
	path := filepath.Join(module.Dir, "machines.bin")
	args := []string{"test", "-c", "-trimpath", "-gcflags=" + tempmodule.Internal + "/...=-N -l -dwarf=false", "-ldflags=-s -w", "-o", path}
	if tier.Raced() {
		args = append(args, "-race")
	}
	if out, err := module.Go(append(args, ".")...); err != nil {
		t.Fatalf("the generated machines do not compile: %v\n%.4000s", err, out)
	}
	return path
}

// emit writes the machines of a graph, of its twin, and of the graphs that they run, with their handlers.
func (g *graph) emit(t *testing.T, pkg string, module *tempmodule.Module, code *strings.Builder) {
	t.Helper()
	if g.inner != nil {
		g.inner.emit(t, pkg, module, code)
	}
	for _, s := range []*spec.Graph{g.people, g.twin} {
		files, err := golang.Emit(plan.Lower(cfg.Of(s), pkg))
		if err != nil {
			t.Fatalf("%s: %v\n%s", s.Name.V, err, s.Source)
		}
		for _, f := range files {
			module.Write(pkg+"/"+f.Name, string(f.Content))
		}
		g.handlers(s, code)
	}
}

// handlers writes the handlers of a machine, and the function that makes it.
func (g *graph) handlers(s *spec.Graph, code *strings.Builder) {
	name, twin := goname.Exported(s.Name.V), s == g.twin
	var args []string
	box := ""
	for _, l := range g.leaves {
		node := goname.Exported(l.name)
		switch {
		case l.Calls:
			fmt.Fprintf(code,
				"func (%[1]sBox) %[2]s(ctx context.Context, args %[1]s%[2]sArgs) (string, error) {\n\treturn "+
					"pausedriver.Approved(ctx, args.N)\n}\n\n", name, node)
			box = name + "Box"
			continue
		case l.model || !l.Works && !twin:
			continue
		case l.Routes > 0:
			fmt.Fprintf(code,
				"func (%[1]sWork) %[2]s(ctx context.Context, _ %[1]s%[2]sIn) (%[1]s%[2]sGoto, error) {\n\treturn "+
					"pausedriver.Route[%[1]s%[2]sGoto](ctx)\n}\n\n", name, node)
		case l.log || l.total:
			fmt.Fprintf(code,
				"func (%[1]sWork) %[2]s(ctx context.Context) (%[1]s%[2]sOut, error) {\n\tv, err := pausedriver.Do(ctx)\n\treturn "+
					"%[1]s%[2]sOut{%[3]s}, err\n}\n\n", name, node, l.fields("v"))
		default:
			fmt.Fprintf(code,
				"func (%[1]sWork) %[2]s(ctx context.Context, _ %[1]s%[2]sIn) error {\n\t_, err := pausedriver.Do(ctx)\n\treturn err\n}\n\n", name, node)
		}
		if len(args) == 0 {
			args = append(args, name+"Work{}")
			fmt.Fprintf(code, "type %sWork struct{}\n\n", name)
		}
	}
	if box != "" {
		fmt.Fprintf(code, "type %s struct{}\n\n", box)
		args = append(args, box+"{}")
	}
	if plan.Lower(cfg.Of(s), "p").Models {
		args = append(args, "pausedriver.Model")
	}
	if len(g.runs) > 0 {
		inner := g.inner.people
		if twin {
			inner = g.inner.twin
		}
		args = append(args, "new"+goname.Exported(inner.Name.V)+"()")
	}
	fmt.Fprintf(code, "func new%[1]s() *%[1]s {\n\tm, err := New%[1]s(%[2]s)\n\tif err != nil {\n\t\tpanic(err)\n\t}\n\treturn m\n}\n\n",
		name, strings.Join(args, ", "))
}

// fields writes the fields of what a leaf writes, from a Value.
func (l leaf) fields(from string) string {
	var out []string
	if l.log {
		out = append(out, "Log: "+from+".Log")
	}
	if l.total {
		out = append(out, "Total: "+from+".Total")
	}
	return strings.Join(out, ", ")
}

// machine writes the row of a graph.
func (g *graph) machine(list *strings.Builder) {
	line := func(format string, args ...any) { fmt.Fprintf(list, format+"\n", args...) }
	line("\t{Name: %q, Nodes: map[string]pausedriver.Node{", g.name)
	g.table("", line)
	line("\t},")
	for _, s := range []*spec.Graph{g.people, g.twin} {
		name, field := goname.Exported(s.Name.V), "New"
		if s == g.twin {
			field = "Twin"
		}
		line("\t%s: func() pausedriver.Calls {\n\t\tm := new%s()\n\t\treturn pausedriver.Calls{", field, name)
		line("\t\t\tRun: func(ctx context.Context, opts ...graphgen.Option) (pausedriver.Output, error) {")
		line("\t\t\t\tout, err := m.Run(ctx, %sInput{Texts: []string{\"x\", \"y\"}}, opts...)\n\t\t\t\treturn pausedriver.Output(out), err\n\t\t\t},", name)
		if s == g.people {
			g.methods(line, name)
		}
		line("\t\t}\n\t},")
	}
	line("\t},")
}

// table writes what the nodes of the graph do, and those of the graphs that it runs.
func (g *graph) table(within string, line func(string, ...any)) {
	for _, name := range slices.Sorted(maps.Keys(g.nodes)) {
		line("\t\t%q: %#v,", within+name, g.nodes[name])
	}
	for _, name := range g.runs {
		g.inner.table(within+name+"/", line)
	}
}

// methods writes the methods that answer requests.
func (g *graph) methods(line func(string, ...any), name string) {
	call := func(text string) {
		line("return func(ctx context.Context, opts ...graphgen.Option) (pausedriver.Output, error) {\n\tout, err := %s\n\treturn "+
			"pausedriver.Output(out), err\n}\n},", text)
	}
	asks := false
	g.each("", func(_ string, _ *graph, l leaf) { asks = asks || l.Decides || l.Replies })
	interrupts := strings.Contains(g.text(), "interrupt_before")
	if !asks && !interrupts {
		return
	}
	line("Answer: func(p *graphgen.InterruptedError, id string, answer []byte) pausedriver.Call {")
	call("m.Answer(ctx, p, id, answer, opts...)")
	line("Stream: func(p *graphgen.InterruptedError, id string, answer []byte) pausedriver.Call {")
	call("pausedriver.Streamed[" + name + "Output](m.StreamAnswer(ctx, p, id, answer, opts...))")
	if interrupts {
		line("GoOn: func(p *graphgen.InterruptedError) pausedriver.Call {")
		call("m.Continue(ctx, p, opts...)")
	}
	line("Typed: map[string]func(*graphgen.InterruptedError, pausedriver.Value) pausedriver.Call{")
	g.each("", func(path string, of *graph, l leaf) {
		if !l.Decides && !l.Replies {
			return
		}
		answer, method := "v.Decision", "Resume"
		for part := range strings.SplitSeq(path, "/") {
			method += goname.Exported(part)
		}
		if l.Tool {
			result := goname.Exported(of.name) + goname.Exported(l.name) + "Result"
			answer, method = "answer.Returned["+result+"]{Value: "+result+"{"+l.fields("v")+"}, Error: v.Error()}",
				strings.Replace(method, "Resume", "Return", 1)
		} else if l.Calls {
			args := goname.Exported(of.name) + goname.Exported(l.name) + "Args"
			answer, method = "pausedriver.Approval(v, func(n int) "+args+" { return "+args+"{N: n} })", strings.Replace(method, "Resume", "Approve", 1)
		} else if l.Replies {
			answer = goname.Exported(of.name) + goname.Exported(l.name) + "Out{" + l.fields("v") + "}"
		}
		line("%q: func(p *graphgen.InterruptedError, v pausedriver.Value) pausedriver.Call {", path)
		call("m." + method + "(ctx, p, " + answer + ", opts...)")
	})
	line("},")
}

// each calls do with the leaves of the graph and of those that it runs.
func (g *graph) each(within string, do func(path string, of *graph, l leaf)) {
	for _, l := range g.leaves {
		do(within+l.name, g, l)
	}
	for _, name := range g.runs {
		g.inner.each(within+name+"/", do)
	}
}

// play makes the runs of the jobs, and returns their results in the same order.
func play(t *testing.T, path string, jobs []pausedriver.Job) []pausedriver.Result {
	t.Helper()
	var in, out, complaint bytes.Buffer
	encode := json.NewEncoder(&in)
	for _, j := range jobs {
		if err := encode.Encode(j); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), path, "-test.run=^TestPlay$", "-test.timeout=0")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, &complaint
	err := cmd.Run()
	var results []pausedriver.Result
	for decode := json.NewDecoder(&out); len(results) < len(jobs); {
		var r pausedriver.Result
		if e := decode.Decode(&r); e != nil {
			t.Fatalf("the player died at graph %s: %v, %v\n%.4000s\n%.4000s", jobs[len(results)].Graph, err, e, complaint.String(), out.String())
		}
		results = append(results, r)
	}
	if err != nil {
		t.Errorf("the player failed: %v\n%.4000s", err, complaint.String())
	}
	return results
}
