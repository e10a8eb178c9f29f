package bounds_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec/bounds"
	"github.com/graphgen/graphgen/spec/cfg"
)

// TestAnswersOfPeople holds which numbers nothing but the answers of people bounds: those of steps, calls of models, visits and follows.
func TestAnswersOfPeople(t *testing.T) {
	const ask = "ask: {kind: human, instructions: Go on, next: work, on_deny: end}"
	for name, c := range map[string]struct{ limits, nodes, edges, want string }{
		"each round asks": {nodes: ask + "\nwork: {next: ask}", want: "steps ask work ask→work work→ask"},
		"a model is asked in each round": {
			nodes: ask + "\nwork: {kind: prompt, instructions: x, next: ask}", want: "steps calls ask work ask→work work→ask",
		},
		"a model is asked once": {
			nodes: "first: {kind: prompt, instructions: x, next: ask}\n" + ask + "\nwork: {next: ask}", want: "steps ask work ask→work work→ask",
		},
		"the calls have a limit": {
			limits: "max_model_calls: 9", nodes: ask + "\nwork: {kind: prompt, instructions: x, next: ask}", want: "steps ask work ask→work work→ask",
		},
		"the steps have a limit": {limits: "max_steps: 2000000000", nodes: ask + "\nwork: {next: ask}"},
		"the author bounds a node that a round may leave out by a large number": {
			nodes: ask + "\nwork: {goto: [ask, rare]}\nrare: {max_visits: 1000000000, next: ask, transitions: {error: ask}}",
			want:  "steps ask work ask→work work→ask",
		},
		"the author bounds an edge by a large number": {
			nodes: ask + "\nwork: {output: {n: int}}",
			edges: "{from: work, to: work, if: out.N == 1, max_iterations: 1000000000}, {from: work, to: ask}",
			want:  "steps ask work ask→work work→ask",
		},
		"a round leads past a node whose visits are used up": {
			nodes: strings.Replace(ask, "next: work", "next: few", 1) +
				"\nfew: {max_visits: 1000000000, next: ask, transitions: {error: work}}\nwork: {next: ask}",
			want: "steps ask work few→work work→ask",
		},
		"a node runs others in each round": {
			nodes: ask + "\nwork: {kind: loop, body: inner, max_iterations: 10, next: ask}\ninner: {kind: prompt, instructions: x, reads: []}",
			want:  "steps calls ask work inner ask→work work→ask work→inner",
		},
		"a node that runs others leads on when it fails alone": {
			nodes: ask + "\nwork: {kind: loop, body: inner, max_iterations: 10, next: end, transitions: {error: ask}}\ninner: {}",
			want:  "steps ask work inner ask→work work→ask work→inner",
		},
		"a long loop leads to people once": {
			nodes: "first: {kind: loop, body: inner, max_iterations: 1000000000, next: ask}\ninner: {}\n" + ask + "\nwork: {next: ask}",
			want:  "steps ask work ask→work work→ask",
		},
	} {
		t.Run(name, func(t *testing.T) {
			entry, _, _ := strings.Cut(c.nodes, ":")
			g := readable(t, "graph: g\nentry: "+entry+"\nlimits: {"+c.limits+"}\nnodes:\n  "+strings.ReplaceAll(c.nodes, "\n", "\n  ")+
				"\nedges: ["+c.edges+"]\n")
			b := bounds.Of(g)
			var got []string
			add := func(name string, of bounds.Bound) {
				if of.ByAnswers {
					got = append(got, name)
				}
			}
			arrow := func(from, to *cfg.Node) string {
				if to == nil {
					return from.Name() + "→end"
				}
				return from.Name() + "→" + to.Name()
			}
			add("steps", b.Steps)
			add("calls", b.ModelCalls)
			for _, n := range g.Running {
				add(n.Name(), b.Visits[n.Index])
				if one := bounds.Visits(g, n); one.ByAnswers != b.Visits[n.Index].ByAnswers {
					t.Errorf("alone, the bound of node %s has another mark", n.Name())
				}
			}
			for _, w := range g.Taken {
				if w.From != nil {
					add(arrow(w.From, w.To), b.Follows[w.Index])
				}
			}
			for _, w := range b.RegionTransitions {
				add(arrow(w.From, w.To), w.Follows)
			}
			if want := strings.Fields(c.want); !slices.Equal(got, want) {
				t.Errorf("people alone bound %q, want %q", got, want)
			}
		})
	}
}
