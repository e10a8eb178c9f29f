// Package mutants holds the promise that what the checks accept builds, vets and ends: it
// changes good specs at random, generates whatever is still accepted, compiles it all
// together, and runs it with handlers, tools and models that do whatever they may.
package mutants

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/golang"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/throwaway"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

var (
	seed  = flag.Uint64("seed", 1, "seed of the mutations")
	count = flag.Int("mutants", 2000, "how many mutants to make")
	runs  = flag.Int("runs", 60, "how many runs to make of each that is accepted")
)

// A mutant is a changed spec that the checks accept.
type mutant struct {
	base, change string
	spec         *spec.Graph
	graph        *resolve.Graph
}

func TestWhatIsAcceptedBuildsAndEnds(t *testing.T) {
	throwaway.Watch(t, "hostile")
	bases := readBases(t)
	r := rand.New(rand.NewPCG(*seed, 0))
	made, accepted := map[string]int{}, map[string]int{}
	var mutants []*mutant
	seen := map[string]bool{}
	for total := 0; total < *count; {
		base := bases[r.IntN(len(bases))]
		text, change := mutate(r, base.text)
		if seen[text] {
			continue
		}
		seen[text] = true
		total++
		made[change]++
		m := load(t, base.name, text)
		if m != nil {
			m.change = change
			accepted[change]++
			mutants = append(mutants, m)
		}
	}
	for _, m := range mutations {
		t.Logf("%4d of %4d accepted: %s", accepted[m.name], made[m.name], m.name)
	}
	if len(mutants) < *count/10 {
		t.Errorf("%d of %d mutants were accepted: too few to prove anything", len(mutants), *count)
	}
	run(t, mutants)
}

// A base is a spec to be changed.
type base struct{ name, text string }

// readBases reads every spec of this project that stands for itself and is accepted.
func readBases(t *testing.T) []base {
	t.Helper()
	var out []base
	for _, pattern := range []string{"../golden/*/*.graph.yaml", "../examples/*/*.graph.yaml", "../testdata/specs/valid/*/*.graph.yaml", "../testdata/specs/valid/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(text) < 20_000 && load(t, filepath.Base(file), string(text)) != nil {
				out = append(out, base{filepath.Base(file), string(text)})
			}
		}
	}
	if len(out) < 20 {
		t.Fatalf("there are %d specs to change", len(out))
	}
	return out
}

// mutate changes a spec once, and sometimes twice.
func mutate(r *rand.Rand, text string) (changed, change string) {
	for {
		m := mutations[r.IntN(len(mutations))]
		changed, ok := m.apply(r, text)
		if !ok {
			continue
		}
		if r.IntN(4) == 0 {
			changed, _ = mutations[r.IntN(len(mutations))].apply(r, changed)
		}
		return changed, m.name
	}
}

// load returns the mutant if it is accepted.
func load(t *testing.T, name, text string) *mutant {
	t.Helper()
	defer func() {
		if v := recover(); v != nil {
			t.Fatalf("%v\n%s\n%s", v, debug.Stack(), text)
		}
	}()
	s, found := spec.Load(name, []byte(text))
	wrong := func(d diag.Diagnostic) bool { return d.Severity == diag.Error }
	if slices.ContainsFunc(found, wrong) || slices.ContainsFunc(check.Run(s), wrong) {
		return nil
	}
	return &mutant{base: name, spec: s, graph: resolve.Resolve(s)}
}

// run generates, compiles, vets and runs the mutants.
func run(t *testing.T, mutants []*mutant) {
	t.Helper()
	module := throwaway.New(t, "mutants", "..")
	var imports, lists strings.Builder
	for i, pkg := range pack(mutants) {
		name := fmt.Sprintf("p%d", i)
		writePackage(t, module, name, pkg)
		fmt.Fprintf(&imports, "\t%q\n", "mutants/"+name)
		fmt.Fprintf(&lists, ", %s.Machines", name)
	}
	module.Write("main_test.go", fmt.Sprintf("package main\n\nimport (\n\t\"testing\"\n\n\t\"github.com/graphgen/graphgen/mutants/hostile\"\n%s)\n\n"+
		"func TestRuns(t *testing.T) { hostile.Main(t, %d%s) }\n", imports.String(), *runs, lists.String()))
	if out, err := module.Go("vet", "./..."); err != nil {
		t.Fatalf("what was accepted does not build or vet: %v\n%s", err, blame(out, mutants))
	}
	args := []string{"test", "-vet=off", "-gcflags=mutants/...=-N -l -dwarf=false", "-ldflags=-s -w", "-timeout=5m", "."}
	if testing.Verbose() {
		args = append(args, "-v")
	}
	out, err := module.Go(args...)
	if err != nil {
		t.Fatalf("a run of what was accepted: %v\n%s", err, blame(out, mutants))
	}
	if _, tally, ok := strings.Cut(out, "tally: "); ok {
		tally, _, _ = strings.Cut(tally, "\n")
		t.Log(tally)
	}
}

// passing are the lines about tests that have nothing to say.
var passing = regexp.MustCompile(`(?m)^ *(=== |--- PASS).*\n`)

// blame cuts what the go command said and adds the specs that it speaks of.
func blame(out string, mutants []*mutant) string {
	out = passing.ReplaceAllString(out, "")
	out = out[:min(len(out), 6000)]
	shown := 0
	for i, m := range mutants {
		if strings.Contains(out, fmt.Sprintf("m%04d", i)) && shown < 3 {
			shown++
			out += fmt.Sprintf("\n-- m%04d: %s, %s --\n%s", i, m.base, m.change, m.spec.Source)
		}
	}
	return out
}

// A numbered mutant has a file name of its own.
type numbered struct {
	*mutant
	file string // without ending
}

// pack spreads mutants over packages so that no two of a package share a name.
func pack(mutants []*mutant) [][]numbered {
	var packages [][]numbered
	var taken []map[string]bool
	for i, m := range mutants {
		names := namesOf(m)
		at := slices.IndexFunc(taken, func(has map[string]bool) bool {
			return !slices.ContainsFunc(names, func(n string) bool { return has[n] })
		})
		if at < 0 {
			at = len(packages)
			packages, taken = append(packages, nil), append(taken, map[string]bool{})
		}
		for _, n := range names {
			taken[at][n] = true
		}
		packages[at] = append(packages[at], numbered{m, fmt.Sprintf("m%04d", i)})
	}
	return packages
}

func namesOf(m *mutant) []string {
	names := []string{"prefix " + goname.Unexported(m.spec.Name.V)}
	for _, n := range resolve.Generated(m.graph) {
		names = append(names, n.Go)
	}
	return names
}

// writePackage writes the machines of a package, their stubs, and what is proved of them.
func writePackage(t *testing.T, module *throwaway.Module, pkg string, mutants []numbered) {
	t.Helper()
	var code, list strings.Builder
	imports := []string{"\t\"context\"\n", "\t\"github.com/graphgen/graphgen/mutants/hostile\"\n", "\tgraphrt \"github.com/graphgen/graphgen/runtime\"\n"}
	for i, m := range mutants {
		m.spec.File = m.file + ".graph.yaml"
		machine := plan.Lower(m.spec, pkg)
		files, err := golang.Emit(machine)
		if err != nil {
			t.Fatalf("%s, %s: %v\n%s", m.base, m.change, err, m.spec.Source)
		}
		for _, f := range files {
			module.Write(pkg+"/"+f.Name, string(f.Content))
		}
		code.WriteString(stubs(machine, i))
		list.WriteString(entry(m, machine, i))
		imports = append(imports, imported(machine)...)
	}
	slices.Sort(imports)
	module.Write(pkg+"/stubs.go", "package "+pkg+"\n\nimport (\n"+strings.Join(slices.Compact(imports), "")+")\n\n"+
		"// Machines are the machines of this package.\nvar Machines = []hostile.Machine{\n"+list.String()+"}\n"+code.String())
}
