// Package pairwise_test holds the promise that what the checks accept builds, vets and is formatted:
// it combines all that the language has, two and three things at a time.
//
// A run takes a sample. The tier full tries all pairs of rows, which takes a quarter of an hour on two cores.
package pairwise_test

import (
	"flag"
	"fmt"
	"go/format"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/graphgen/graphgen/gen/golang"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/testing/pairwise"
	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
)

var (
	only = flag.String("kind", "", "the only kind of node to combine")
	show = flag.Int("show", 3, "how many specs to show of a failure")
)

// perPackage is how many machines share a Go package.
const perPackage = 50

// TestEveryRowIsCombined holds that every key, word and kind of the language is combined with
// others: a row that is added to the tables of package spec is covered, or listed here.
func TestEveryRowIsCombined(t *testing.T) {
	for _, row := range pairwise.Missing() {
		t.Errorf("%s is combined with nothing: give it values in internal/testing/pairwise", row)
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
	module := tempmodule.New(t, "pairwise", "../../..")
	if len(samples) > 1000 {
		t.Setenv("GOCACHE", t.TempDir()) // of thousands of packages that are built once
	}
	for i, s := range samples {
		pkg := fmt.Sprintf("g%d", i/perPackage)
		files, err := golang.Emit(plan.Lower(cfg.Of(s.spec), pkg))
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
	for _, args := range [][]string{{"vet", "./..."}, {"build", "-gcflags=-e -N -l -dwarf=false", "./..."}} {
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

// A collection gathers cases that the checks accept.
type collection struct {
	*testing.T
	samples  []*sample
	tried    int
	accepted map[string]int  // by kind
	durable  map[string]int  // of these
	codes    map[string]int  // of the first diagnostic of what is refused
	seen     map[string]bool // specs

	secret, transacts int // durable graphs with secret fields, and with transactions
}

func collect(t *testing.T) []*sample {
	t.Helper()
	c := &collection{T: t, accepted: map[string]int{}, durable: map[string]int{}, codes: map[string]int{}, seen: map[string]bool{}}
	kinds := spec.Names(spec.Kinds)
	if *only != "" {
		kinds = []string{*only}
	}
	options, durable := map[string][]pairwise.Option{}, map[string][]pairwise.Option{}
	coverings := make([]*covering, len(kinds))
	var wait sync.WaitGroup
	for i, kind := range kinds {
		options[kind], durable[kind] = pairwise.Options(kind), pairwise.Durable(kind)
		if !c.try(kind) {
			t.Errorf("a node of kind %s is refused alone:\n%s", kind, pairwise.Case{Kind: kind}.Spec(0))
		}
		if first := durable[kind][0]; !c.try(kind, first) {
			t.Errorf("a node of kind %s is refused with %s", kind, first.Name)
		}
		c.inRegions(kind, options[kind])
		if tier.Full() {
			wait.Go(func() { coverings[i] = cover(t, kind, options[kind]) })
		}
	}
	wait.Wait()
	for _, v := range coverings {
		if v == nil {
			continue
		}
		for _, picked := range v.cases {
			c.try(v.kind, picked...)
		}
		t.Logf("%s: of %d rows %d pairs are accepted, in %d specs; %d are not", v.kind, len(v.rows), v.together, len(v.cases), v.apart)
	}
	built := len(c.samples)
	specs := tier.Pick(12, 50, 1000)
	for d := range tier.Draws(t, 100*specs) {
		if len(c.samples) >= built+specs {
			break
		}
		r := d.Rand()
		kind := kinds[r.IntN(len(kinds))]
		var picked []pairwise.Option
		for range 2 + r.IntN(2) {
			picked = append(picked, options[kind][r.IntN(len(options[kind]))])
		}
		if long := durable[kind]; r.IntN(3) == 0 {
			picked = append(picked, long[r.IntN(len(long))])
		}
		c.try(kind, picked...)
	}
	for _, kind := range kinds {
		t.Logf("%5d accepted of kind %s, %d of them durable", c.accepted[kind], kind, c.durable[kind])
	}
	t.Logf("%d graphs are durable with secret fields, %d with transactions", c.secret, c.transacts)
	if *only == "" && !tier.Alone() && specs >= 100 && (c.secret == 0 || c.transacts == 0) {
		t.Errorf("of the durable graphs %d have secret fields, %d transactions", c.secret, c.transacts)
	}
	t.Logf("%d of %d specs are accepted; the others are refused by %v", len(c.samples), c.tried, c.codes)
	return c.samples
}

// inRegions has every node that runs others run one of a kind that ends its region, has it wait, or chooses how it goes on.
// Only a pool has none that chooses.
func (c *collection) inRegions(kind string, options []pairwise.Option) {
	k := spec.KindOf(kind)
	if !k.Judges && !k.Chooses && k.By != spec.ByPerson {
		return
	}
	for _, o := range options {
		if o.Row() != "wrapper" {
			continue
		}
		refused := k.Chooses && spec.KindOf(strings.TrimPrefix(o.Name, "in a ")).Picks()
		if c.try(kind, o) == refused {
			c.Errorf("a node of kind %s is refused %s: %t; it has to be %t\n%s", kind, o.Name, !refused, refused,
				pairwise.Case{Kind: kind, Options: []pairwise.Option{o}}.Spec(0))
		}
	}
}

// A covering is a choice of cases of one kind that has every pair of rows that is accepted.
type covering struct {
	kind            string
	rows            [][]pairwise.Option
	alone           []bool // whether an option of the row is accepted with no other; if so, they are its options
	cases           [][]pairwise.Option
	together, apart int // pairs of rows
}

// cover combines every row with every other of a kind, as far as the checks let it: where a pair
// is accepted, more rows are added that are yet to be seen with what is there.
func cover(t *testing.T, kind string, options []pairwise.Option) *covering {
	c := &covering{kind: kind}
	r := rand.New(rand.NewPCG(1, uint64(len(kind))))
	at := map[string]int{}
	for _, o := range options {
		i, ok := at[o.Row()]
		if !ok {
			i = len(c.rows)
			at[o.Row()] = i
			c.rows = append(c.rows, nil)
		}
		c.rows[i] = append(c.rows[i], o)
	}
	for i, row := range c.rows {
		var good []pairwise.Option
		for _, o := range row {
			if accepts(t, kind, []pairwise.Option{o}) {
				good = append(good, o)
			}
		}
		c.alone = append(c.alone, len(good) > 0)
		if len(good) > 0 {
			c.rows[i] = good
		}
	}
	pick := func(i int) pairwise.Option { return c.rows[i][r.IntN(len(c.rows[i]))] }
	covered := map[[2]int]bool{}
	pair := func(a, b int) [2]int { return [2]int{min(a, b), max(a, b)} }
	for i := range c.rows {
		for j := i + 1; j < len(c.rows); j++ {
			if covered[pair(i, j)] {
				continue
			}
			tries := 1
			if c.alone[i] && c.alone[j] {
				tries = min(3, len(c.rows[i])*len(c.rows[j]))
			}
			has := []int{i, j}
			var picked []pairwise.Option
			for picked == nil && tries > 0 {
				tries--
				if both := []pairwise.Option{pick(i), pick(j)}; accepts(t, kind, both) {
					picked = both
				}
			}
			if picked == nil {
				c.apart++
				continue
			}
			for n, k := range r.Perm(len(c.rows)) {
				if n == 60 || len(picked) == 8 {
					break
				}
				seen := func(h int) bool { return h == k || covered[pair(h, k)] }
				if !c.alone[k] || slices.ContainsFunc(has, seen) {
					continue
				}
				if more := append(slices.Clone(picked), pick(k)); accepts(t, kind, more) {
					has, picked = append(has, k), more
				}
			}
			c.cases = append(c.cases, picked)
			for x, h := range has {
				for _, k := range has[x+1:] {
					covered[pair(h, k)] = true
				}
			}
		}
	}
	c.together = len(covered)
	return c
}

// accepts reports whether the checks have nothing against a case.
func accepts(t *testing.T, kind string, options []pairwise.Option) bool {
	s := &sample{Case: pairwise.Case{Kind: kind, Options: options}}
	s.text = s.Spec(0)
	_, refused := accept(t, s)
	return len(refused) == 0
}

// try adds a case to the samples if it is accepted, and reports whether it is.
func (c *collection) try(kind string, options ...pairwise.Option) bool {
	for i, o := range options {
		if slices.ContainsFunc(options[:i], o.Excludes) {
			return false
		}
	}
	s := &sample{Case: pairwise.Case{Kind: kind, Options: options}, number: len(c.samples)}
	if same := s.Spec(0); c.seen[same] {
		return false
	} else {
		c.seen[same] = true
	}
	c.tried++
	s.text = s.Spec(s.number)
	var refused []diag.Diagnostic
	if s.spec, refused = accept(c.T, s); len(refused) > 0 {
		c.codes[refused[0].Code]++
		return false
	}
	c.samples = append(c.samples, s)
	c.accepted[kind]++
	if s.spec.Durable.V {
		c.durable[kind]++
		c.secret += count(strings.Contains(s.text, "secret: true"))
		c.transacts += count(strings.Contains(s.text, "transaction: true"))
	}
	return true
}

// count is 1 for what is so.
func count(is bool) int {
	if is {
		return 1
	}
	return 0
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
