// Package mutants holds the promise that what the checks accept builds, vets and ends: it
// changes good specs at random, generates whatever is still accepted, compiles it all
// together, with what is not changed, and runs it with handlers, tools and models that do whatever they may.
package mutants

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

var runs = flag.Int("runs", 20, "how many runs to make of each mutant that is accepted")

// mutantsPerDraw is how many mutants a draw has. Some are changes of others of the draw.
const mutantsPerDraw = 20

// A mutant is a changed spec that the checks accept.
type mutant struct {
	base
	change string
	spec   *spec.Graph
	graph  *resolve.Graph
}

func TestMutants(t *testing.T) {
	tempmodule.Watch(t, "../faultinject")
	bases, composed := readBases(t)
	made, accepted := map[string]int{}, map[string]int{}
	var mutants []*mutant
	seen := map[string]bool{}
	for _, b := range tier.Some(t, 0, 5, bases) {
		if m := load(t, b, "p"); m != nil {
			m.change = "nothing"
			mutants = append(mutants, m)
		}
	}
	whole, count := len(mutants), 0
	for d := range tier.Draws(t, tier.Pick(1, 5, 150)) {
		r, first := d.Rand(), len(mutants)
		for range mutantsPerDraw {
			from := bases
			if r.IntN(2) == 0 {
				from = composed
			}
			b := from[r.IntN(len(from))]
			if len(mutants) > first && r.IntN(3) == 0 {
				b = mutants[first+r.IntN(len(mutants)-first)].base
			}
			b, change := mutate(r, b)
			if seen[b.key()] {
				continue
			}
			seen[b.key()] = true
			count++
			made[change]++
			if m := load(t, b, "p"); m != nil && len(b.text()) < 20_000 {
				m.change = fmt.Sprintf("%s, draw %v", change, d)
				leadsSomewhere(t, m)
				accepted[change]++
				mutants = append(mutants, m)
			}
		}
	}
	for _, m := range slices.Concat(mutations, compositions, contexts, durables) {
		t.Logf("%4d of %4d accepted: %s", accepted[m.name], made[m.name], m.name)
	}
	if len(mutants)-whole < count/10 {
		t.Errorf("%d of %d mutants were accepted: too few to prove anything", len(mutants)-whole, count)
	}
	run(t, mutants)
}

// leadsSomewhere holds that each transition of an accepted spec leads to a node, or to an end: where one does not, checks keep quiet about much.
func leadsSomewhere(t *testing.T, m *mutant) {
	t.Helper()
	for _, way := range cfg.Of(m.spec).Transitions {
		if !way.Known {
			t.Errorf("%s: a transition to %q is accepted, which leads nowhere\n%s", m.change, way.Name.V, m.text())
		}
	}
}

// mutate changes a spec, or one that it uses, once and sometimes twice.
func mutate(r *rand.Rand, b base) (changed base, change string) {
	file := b.name
	if used := slices.Sorted(maps.Keys(b.files)); len(used) > 1 && r.IntN(3) == 0 {
		file = used[r.IntN(len(used))]
	}
	for {
		kinds := mutations
		switch r.IntN(6) {
		case 0, 1:
			kinds = compositions
		case 2:
			kinds = contexts
		case 3:
			kinds = durables
		}
		m := kinds[r.IntN(len(kinds))]
		text, ok := m.apply(r, b.files[file])
		if !ok {
			continue
		}
		if r.IntN(4) == 0 {
			text, _ = mutations[r.IntN(len(mutations))].apply(r, text)
		}
		return b.with(file, text), m.name
	}
}

// run generates, compiles, vets and runs the mutants.
func run(t *testing.T, mutants []*mutant) {
	t.Helper()
	module := tempmodule.New(t, tempmodule.Internal, "../../..")
	var imports, lists strings.Builder
	for i, pkg := range pack(mutants) {
		name := fmt.Sprintf("p%d", i)
		if pkg[0].alone() {
			writeFolder(t, module, name, pkg[0])
		} else {
			writePackage(t, module, name, lowered(pkg, name))
		}
		fmt.Fprintf(&imports, "\t%q\n", tempmodule.Internal+"/"+name)
		fmt.Fprintf(&lists, ", %s.Machines", name)
	}
	module.Write("main_test.go",
		fmt.Sprintf("package main\n\nimport (\n\t\"testing\"\n\n\t\"github.com/graphgen/graphgen/internal/testing/faultinject\"\n%s)\n\n"+
			"func TestRuns(t *testing.T) { faultinject.Main(t, %d%s) }\n", imports.String(), *runs, lists.String()))
	// With the flags of the test, vet compiles the packages that the test links.
	compile := "-gcflags=" + tempmodule.Internal + "/...=-N -l -dwarf=false"
	if out, err := module.Go("vet", compile, "./..."); err != nil {
		t.Fatalf("what was accepted does not build or vet: %v\n%s", err, blame(out, mutants))
	}
	args := []string{"test", "-vet=off", compile, "-ldflags=-s -w", "-timeout=5m", "."}
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
	out = passing.ReplaceAllString(out[:min(len(out), 1<<20)], "") // the stacks of a timeout are longer
	out = out[:min(len(out), 6000)]
	shown := 0
	for i, m := range mutants {
		if strings.Contains(out, fmt.Sprintf("m%04d", i)) && shown < 3 {
			shown++
			out += fmt.Sprintf("\n-- m%04d: %s, %s --\n%s", i, m.name, m.change, m.text())
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
		if m.alone() {
			packages, taken = append(packages, []numbered{{m, fmt.Sprintf("m%04d", i)}}), append(taken, nil)
			continue
		}
		names := namesOf(m)
		at := slices.IndexFunc(taken, func(has map[string]bool) bool {
			return has != nil && !slices.ContainsFunc(names, func(n string) bool { return has[n] })
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
