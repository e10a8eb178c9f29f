// Package pairwise holds the promise that what the checks accept builds, vets and is formatted:
// it combines all that the language has, two and three things at a time.
package pairwise

import (
	"flag"
	"fmt"
	"go/format"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/golang"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/pairwise"
	"github.com/graphgen/graphgen/internal/throwaway"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
)

var (
	seed    = flag.Uint64("seed", 1, "seed of the sample")
	specs   = flag.Int("specs", 150, "how many accepted specs to build")
	all     = flag.Bool("all", false, "try every pair of every kind before the sample of threes")
	show    = flag.Int("show", 3, "how many specs to show of a failure")
	perPack = 50
)

// TestEveryRowIsCombined holds that every key, word and kind of the language is combined with
// others: a row that is added to the tables of package spec is covered, or listed here.
func TestEveryRowIsCombined(t *testing.T) {
	for _, row := range pairwise.Missing() {
		t.Errorf("%s is combined with nothing: give it values in internal/pairwise", row)
	}
}

// A sample is an accepted case.
type sample struct {
	pairwise.Case
	number int
	text   string
	spec   *spec.Graph
}

func (s *sample) file() string { return fmt.Sprintf("p%d", s.number) }

func TestWhatIsAcceptedBuilds(t *testing.T) {
	samples := collect(t)
	module := throwaway.New(t, "pairwise", "..")
	if len(samples) > 1000 {
		t.Setenv("GOCACHE", t.TempDir()) // of thousands of packages that are built once
	}
	for i, s := range samples {
		pkg := fmt.Sprintf("g%d", i/perPack)
		files, err := golang.Emit(plan.Lower(s.spec, pkg))
		if err != nil {
			t.Errorf("%s: %v\n%s", s, err, s.text)
			continue
		}
		for _, f := range files {
			if formatted, err := format.Source(f.Content); err != nil || string(formatted) != string(f.Content) {
				t.Errorf("%s: gofmt changes %s: %v\n%s", s, f.Name, err, s.text)
			}
			module.Write(pkg+"/"+f.Name, string(f.Content))
		}
	}
	for _, args := range [][]string{{"build", "-gcflags=-e -N -l -dwarf=false", "./..."}, {"vet", "./..."}} {
		if out, err := module.Go(args...); err != nil {
			t.Errorf("go %s: %v\n%s", args[0], err, blame(out, samples))
		}
	}
}

var (
	fileOf   = regexp.MustCompile(`\bp(\d+)(_\w+\.go|\.graph\.yaml):`)
	particul = regexp.MustCompile(`[\w./]*\bp\d+\w*(\.graph)?\.(go|yaml):\d+(:\d+)?: |\b[Pp]\d+|\b\w+\d+\b`)
)

// blame sorts what the go command said by causes, with the specs that it speaks of.
func blame(out string, samples []*sample) string {
	lines, of := map[string]int{}, map[string][]*sample{}
	for line := range strings.Lines(out) {
		m := fileOf.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		number, _ := strconv.Atoi(m[1])
		cause := particul.ReplaceAllString(strings.TrimSpace(line), "*")
		lines[cause]++
		i := slices.IndexFunc(samples, func(s *sample) bool { return s.number == number })
		if i >= 0 && !slices.Contains(of[cause], samples[i]) {
			of[cause] = append(of[cause], samples[i])
		}
	}
	var b strings.Builder
	if len(lines) == 0 {
		b.WriteString(out[:min(len(out), 4000)])
	}
	for cause, n := range lines {
		fmt.Fprintf(&b, "%d times, in %d specs: %s\n", n, len(of[cause]), cause)
		slices.SortFunc(of[cause], func(a, b *sample) int { return len(a.text) - len(b.text) })
		for _, s := range of[cause][:min(*show, len(of[cause]))] {
			fmt.Fprintf(&b, "    %s\n", s)
		}
		if len(of[cause]) > 0 {
			b.WriteString(of[cause][0].text)
		}
	}
	return b.String()
}

// collect returns cases that the checks accept.
func collect(t *testing.T) []*sample {
	t.Helper()
	r := rand.New(rand.NewPCG(*seed, 0))
	tried := 0
	accepted, codes := map[string]int{}, map[string]int{}
	var samples []*sample
	seen := map[string]bool{}
	try := func(kind string, options ...pairwise.Option) {
		for i, o := range options {
			if slices.ContainsFunc(options[:i], o.Excludes) {
				return
			}
		}
		tried++
		c := pairwise.Case{Kind: kind, Options: options}
		if same := c.Spec(0); seen[same] {
			return
		} else {
			seen[same] = true
		}
		s := &sample{Case: c, number: len(samples)}
		s.text = c.Spec(s.number)
		var refused []diag.Diagnostic
		if s.spec, refused = accept(t, s); len(refused) > 0 {
			codes[refused[0].Code]++
			if len(options) == 0 {
				t.Errorf("a node of kind %s is refused alone: %v\n%s", kind, refused, s.text)
			}
		} else if s.spec != nil {
			samples = append(samples, s)
			accepted[kind]++
		}
	}
	kinds := spec.Names(spec.Kinds)
	options := map[string][]pairwise.Option{}
	for _, kind := range kinds {
		options[kind] = pairwise.Options(kind)
		try(kind)
		alone := 0
		for _, o := range options[kind] {
			before := len(samples)
			if *all {
				try(kind, o)
			}
			alone += len(samples) - before
		}
		if *all {
			t.Logf("%s: %d of %d options are accepted alone", kind, alone, len(options[kind]))
			for i, a := range options[kind] {
				for _, b := range options[kind][i+1:] {
					if len(samples) < *specs {
						try(kind, a, b)
					}
				}
			}
		}
	}
	for attempts := 0; len(samples) < *specs && attempts < 100**specs; attempts++ {
		kind := kinds[r.IntN(len(kinds))]
		list := options[kind]
		var picked []pairwise.Option
		for range 2 + r.IntN(2) {
			picked = append(picked, list[r.IntN(len(list))])
		}
		try(kind, picked...)
	}
	for _, kind := range kinds {
		t.Logf("%4d accepted of kind %s", accepted[kind], kind)
	}
	t.Logf("%d of %d specs are accepted; the others are refused by %v", len(samples), tried, codes)
	return samples
}

func accept(t *testing.T, s *sample) (*spec.Graph, []diag.Diagnostic) {
	t.Helper()
	defer func() {
		if v := recover(); v != nil {
			t.Errorf("%s: %v\n%s", s, v, s.text)
		}
	}()
	return pairwise.Accepted(s.file()+".graph.yaml", s.text)
}
