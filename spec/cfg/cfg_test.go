package cfg_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/link"
	"github.com/graphgen/graphgen/spec/resolve"
)

var update = flag.Bool("update", false, "write the texts of the graphs")

// specs are the graphs of the repository that are valid, by the name of their text.
func specs(t *testing.T) map[string]*spec.Graph {
	t.Helper()
	out := map[string]*spec.Graph{}
	for _, pattern := range []string{
		"../../golden/*/*.graph.yaml", "../../golden/*/*/*.graph.yaml", "../../examples/*/*.graph.yaml", "../../bench/*/*.graph.yaml",
		"../../testdata/specs/valid/*.graph.yaml",
	} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
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
			g, found := spec.Load(filepath.Base(file), source)
			if g == nil {
				t.Fatal(file, found)
			}
			link.New(dir, os.ReadFile, nil).Link(g)
			name := strings.ReplaceAll(strings.TrimPrefix(strings.TrimSuffix(file, ".graph.yaml"), "../../"), "/", "_")
			name = strings.TrimPrefix(name, "testdata_specs_")
			out[name] = g
		}
	}
	if len(out) < 120 {
		t.Fatal("only", len(out), "graphs were found")
	}
	return out
}

func TestGraphs(t *testing.T) {
	all := specs(t)
	for name, g := range all {
		if len(g.Nodes) > 100 {
			continue // a benchmark, too long to review
		}
		t.Run(name, func(t *testing.T) {
			got := cfg.Build(resolve.Resolve(g)).String()
			file := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s is not the text of the graph; -update writes it. It is\n%s", file, got)
			}
		})
	}
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if all[strings.TrimSuffix(filepath.Base(file), ".txt")] == nil {
			t.Errorf("%s is the text of no graph", file)
		}
	}
}

// TestInvariants holds what every graph has, of valid specs and of those with a mistake.
func TestInvariants(t *testing.T) {
	all := specs(t)
	for _, rule := range check.Rules() {
		for kind, text := range map[string]string{"bad": rule.Bad, "good": rule.Good} {
			if g, _ := spec.Load("t.graph.yaml", []byte(text)); g != nil {
				all[rule.Code+" "+kind] = g
			}
		}
	}
	for name, s := range all {
		g := cfg.Build(resolve.Resolve(s))
		for i, tr := range g.Transitions {
			if tr.Index != i {
				t.Errorf("%s: transition %d has index %d", name, i, tr.Index)
			}
			if tr.To != nil && !tr.Known {
				t.Errorf("%s: transition %d leads to %s, and is not known", name, i, tr.To.Name())
			}
			inner := tr.Rule == cfg.ByRegion || tr.Rule == cfg.ByChain || tr.Rule == cfg.ByToolLoop ||
				tr.From != nil && tr.To != nil && tr.To.Region != nil && tr.From.Region == tr.To.Region &&
					(tr.From.Place < tr.To.Place || len(tr.To.Region.Spec.Cycle) > 0)
			if tr.To != nil && tr.To.IsChild() && !inner {
				t.Errorf("%s: transition %d leads into a region by %s", name, i, tr.Rule)
			}
		}
		for _, n := range g.Nodes {
			invariants(t, name, g, n)
		}
	}
}

func invariants(t *testing.T, name string, g *cfg.Graph, n *cfg.Node) {
	t.Helper()
	index := func(a, b *cfg.Transition) int { return a.Index - b.Index }
	if !slices.IsSortedFunc(n.Leaving, index) {
		t.Errorf("%s: what leaves %s is not in the order of the table", name, n.Name())
	}
	rules := func(a, b *cfg.Transition) int { return int(a.Rule) - int(b.Rule) }
	if !slices.IsSortedFunc(n.Leaving, rules) {
		t.Errorf("%s: what leaves %s is not in the order of the rules", name, n.Name())
	}
	for o, list := range n.On {
		outcome := cfg.Outcome(o)
		if !slices.IsSortedFunc(list, index) {
			t.Errorf("%s: %s of %s is not in the order of the table", name, outcome, n.Name())
		}
		for i, tr := range list {
			chain := tr.Rule == cfg.ByChain
			if !tr.Known || !slices.Contains(n.Leaving, tr) && tr != g.OnError && !chain {
				t.Errorf("%s: %s of %s tries a transition that does not leave it, or leads nowhere", name, outcome, n.Name())
			}
			if tr.Certain() && i < len(list)-1 {
				t.Errorf("%s: %s of %s tries what is behind a transition that is always taken", name, outcome, n.Name())
			}
		}
		if last := len(list) - 1; last >= 0 && list[last].Certain() && n.Else[o] != cfg.Never {
			t.Errorf("%s: %s of %s ends in a transition that is always taken, else %s", name, outcome, n.Name(), n.Else[o])
		}
	}
	for _, c := range n.Choices {
		if len(c.Members) == 0 {
			t.Errorf("%s: a choice of %s is among nothing", name, n.Name())
		}
		for _, tr := range c.Members {
			if tr.Choice != c || tr.Rule != c.Rule || !slices.Contains(n.Leaving, tr) {
				t.Errorf("%s: a choice of %s has a member that is none", name, n.Name())
			}
		}
	}
}
