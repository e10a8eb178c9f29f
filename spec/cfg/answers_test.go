package cfg_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/link"
)

// TestPeopleBoundCycles holds which nodes of a graph run as often as people answer, and whether its runs make as many steps.
func TestPeopleBoundCycles(t *testing.T) {
	const chat = "\nask: {kind: human, instructions: Go on, next: work, on_deny: end}\nwork: {next: ask}"
	for name, c := range map[string]struct {
		head, nodes, edges string
		want               string // the nodes that nothing else bounds
		steps              int
	}{
		"a person answers in each round": {nodes: chat, want: "ask work", steps: cfg.NoLimit},
		"an approval is an answer": {
			nodes: "\nask: {flags: [requires_human], next: work, on_deny: end}\nwork: {next: ask}", want: "ask work", steps: cfg.NoLimit,
		},
		"a node that is cached may not be approved": {
			nodes: "\nask: {reads: [], writes: [], flags: [requires_human, cacheable], next: work, on_deny: end}\nwork: {next: ask}",
			steps: spec.DefaultMaxSteps,
		},
		"a cycle within has a bound of its own": {
			nodes: "\nask: {kind: human, instructions: Go on, next: work, on_deny: end}\nwork: {output: {score: int}}",
			edges: "\n- {from: work, to: work, if: out.Score < 3, max_iterations: 3}\n- {from: work, to: ask}",
			want:  "ask work", steps: cfg.NoLimit,
		},
		"an answer may be late": {
			nodes: "\nask: {kind: human, instructions: Go on, timeout: 1h, on_timeout: work, next: work, on_deny: end}\nwork: {next: ask}",
			steps: spec.DefaultMaxSteps,
		},
		"a late answer leads elsewhere": {
			nodes: "\nask: {kind: human, instructions: Go on, timeout: 1h, on_timeout: end, next: work, on_deny: end}\nwork: {next: ask}",
			want:  "ask work", steps: cfg.NoLimit,
		},
		"a node on the cycle has a bound": {nodes: strings.Replace(chat, "next: ask", "next: ask, max_visits: 9", 1), steps: spec.DefaultMaxSteps},
		"a bound whose uses end lets the cycle continue": {
			nodes: "\nask: {kind: human, instructions: Go on, next: few, on_deny: end}\nfew: {max_visits: 2, next: ask, transitions: {error: ask}}",
			want:  "ask", steps: cfg.NoLimit,
		},
		"an author's bound may be the same number": {
			nodes: strings.Replace(chat, "next: ask", "next: ask, max_visits: 2147483647", 1), steps: spec.DefaultMaxSteps,
		},
		"all nodes have a bound": {head: "\nlimits: {max_visits: 9}", nodes: chat, steps: spec.DefaultMaxSteps},
		"the steps have a bound": {head: "\nlimits: {max_steps: 900}", nodes: chat, want: "ask work", steps: 900},
		"the author says what happens when the steps are used up": {
			head: "\nlimits: {on_max_steps: last}", nodes: chat, want: "ask work", steps: spec.DefaultMaxSteps,
		},
		"nobody answers in another cycle": {
			head: "\nlimits: {max_steps: 900}", nodes: strings.Replace(chat, "next: ask", "goto: [ask, work]", 1), want: "ask", steps: 900,
		},
		"nobody answers in a cycle beside": {
			head: "\nlimits: {max_steps: 900}", nodes: strings.Replace(chat, "next: ask", "goto: [ask, spin]", 1) + "\nspin: {goto: [spin, end]}",
			want: "ask work", steps: 900,
		},
		"nobody answers where visits are used up": {
			nodes: "\nask: {kind: human, instructions: Go on, next: work, on_deny: end}\nwork: {goto: [ask, few]}\n" +
				"few: {max_visits: 2, next: end, transitions: {error: work}}",
			want: "ask", steps: spec.DefaultMaxSteps,
		},
		"a body asks in each iteration": {
			nodes: "\nask: {kind: loop, body: [work, again], max_iterations: 2, next: more}\nagain: {kind: human, instructions: Go on}\n" +
				"more: {next: ask}\nwork: {}",
			want: "ask more", steps: cfg.NoLimit,
		},
		"a branch asks in each round": {
			nodes: "\nask: {kind: parallel, branches: {a: again, b: work}}\nagain: {kind: human, instructions: Go on}\nwork: {}",
			edges: "\n- {from: ask, to: ask}", want: "ask", steps: cfg.NoLimit,
		},
		"the first branch that succeeds may not ask": {
			nodes: "\nask: {kind: parallel, join: first, branches: {a: again, b: work}}\nagain: {kind: human, instructions: Go on}\nwork: {}",
			edges: "\n- {from: ask, to: ask}", steps: spec.DefaultMaxSteps,
		},
		"a branch that asks may not be started": {
			nodes: "\nask: {kind: parallel, branches: {a: {run: again, if: state.Ask}, b: work}}\nagain: {kind: human, instructions: Go on}\nwork: {}",
			head:  "\nstate: {ask: bool}\ninput: ask", edges: "\n- {from: ask, to: ask}", steps: spec.DefaultMaxSteps,
		},
		"a list may be empty": {
			nodes: "\nask: {kind: map, over: list, item: one, body: again}\nagain: {kind: human, instructions: Go on}",
			head:  "\nstate: {list: '[]string', one: string}\ninput: list", edges: "\n- {from: ask, to: ask}", steps: spec.DefaultMaxSteps,
		},
		"a body that fails softly": {
			nodes: "\nask: {kind: loop, body: again, fail_soft: true, next: ask}\nagain: {kind: human, instructions: Go on, timeout: 1h}",
			steps: spec.DefaultMaxSteps,
		},
		"a no to what a body runs is an answer": {
			nodes: "\nask: {kind: loop, body: in, fail_soft: true, next: ask}\nin: {kind: loop, body: work, flags: [requires_human]}\nwork: {}",
			want:  "ask", steps: cfg.NoLimit,
		},
		"an answer to what a body runs may be late": {
			nodes: "\nask: {kind: loop, body: in, fail_soft: true, next: ask}\n" +
				"in: {kind: loop, body: work, flags: [{requires_human: {timeout: 1h}}]}\nwork: {}",
			steps: spec.DefaultMaxSteps,
		},
		"a late answer to what a body runs leads elsewhere": {
			nodes: "\nask: {kind: loop, body: in, next: ask}\nin: {kind: loop, body: work, flags: [{requires_human: {timeout: 1h}}]}\nwork: {}",
			want:  "ask", steps: cfg.NoLimit,
		},
		"the graph may change": {head: "\nmutations: {allow: [skip_to]}", nodes: chat, steps: spec.DefaultMaxSteps},
		"nobody is asked":      {nodes: "\na: {next: b}\nb: {}", steps: spec.DefaultMaxSteps},
	} {
		t.Run(name, func(t *testing.T) {
			entry, _, _ := strings.Cut(strings.TrimSpace(c.nodes), ":")
			text := "graph: g" + c.head + "\nentry: " + entry + "\nnodes:" + strings.ReplaceAll(c.nodes, "\n", "\n  ")
			if c.edges != "" {
				text += "\nedges:" + strings.ReplaceAll(c.edges, "\n", "\n  ")
			}
			s, found := spec.Load("g.graph.yaml", []byte(text+"\n"))
			if len(found) > 0 {
				t.Fatal(found)
			}
			g := cfg.Of(s)
			var answersBound []string
			for _, n := range g.Nodes {
				switch own := n.Spec.Spec.MaxVisits; {
				case n.AnswersBound:
					answersBound = append(answersBound, n.Name())
				case own.IsSet() && n.MaxVisits != own.V:
					t.Errorf("node %s has %d visits, want its own %d", n.Name(), n.MaxVisits, own.V)
				}
			}
			if got := strings.Join(answersBound, " "); got != c.want || g.MaxSteps() != c.steps {
				t.Errorf("people bound %q and %d steps, want %q and %d", got, g.MaxSteps(), c.want, c.steps)
			}
		})
	}
}

// TestPeopleOfChildRuns holds that a cycle through a node that runs another graph is bounded where a person answers in each of its runs.
func TestPeopleOfChildRuns(t *testing.T) {
	const text = `graph: g
entry: review
nodes:
  review: {kind: subgraph, graph: ./inner.graph.yaml, next: work}
  work: {next: review}
`
	for name, c := range map[string]struct {
		inner string
		want  int
	}{
		"each run asks":          {"a: {next: b}\n  b: {kind: human, instructions: Go on}", cfg.NoLimit},
		"each way asks":          {"a: {goto: [b, c], next: c}\n  b: {kind: human, instructions: Go on}\n  c: {flags: [requires_human]}", cfg.NoLimit},
		"a way does not ask":     {"a: {goto: [b, end], next: b}\n  b: {kind: human, instructions: Go on}", spec.DefaultMaxVisits},
		"an answer may be late":  {"a: {kind: human, instructions: Go on, timeout: 1h, on_timeout: end}", spec.DefaultMaxVisits},
		"a late answer fails":    {"a: {kind: human, instructions: Go on, timeout: 1h}", cfg.NoLimit},
		"nobody is asked":        {"a: {}", spec.DefaultMaxVisits},
		"a failure does not ask": {"a: {next: b, transitions: {error: end}}\n  b: {kind: human, instructions: Go on}", spec.DefaultMaxVisits},
	} {
		t.Run(name, func(t *testing.T) {
			s, found := spec.Load("g.graph.yaml", []byte(text))
			if len(found) > 0 {
				t.Fatal(found)
			}
			link.New(t.TempDir(), func(string) ([]byte, error) {
				return []byte("graph: inner\nentry: a\nnodes:\n  " + c.inner + "\n"), nil
			}, nil).Link(s)
			for _, n := range cfg.Of(s).Nodes {
				if n.MaxVisits != c.want {
					t.Errorf("node %s has %d visits, want %d", n.Name(), n.MaxVisits, c.want)
				}
			}
		})
	}
}

// TestPeopleOfDeepGraphs holds that a graph which many paths of child runs lead to is looked at once.
func TestPeopleOfDeepGraphs(t *testing.T) {
	texts := map[string]string{"g40.graph.yaml": "graph: g40\nentry: a\nnodes:\n  a: {kind: human, instructions: Go on}\n"}
	for i := range 40 {
		texts[fmt.Sprintf("g%d.graph.yaml", i)] = fmt.Sprintf("graph: g%[1]d\nentry: a\nnodes:\n  a: {kind: subgraph, graph: ./g%[2]d.graph.yaml, next: b}\n"+
			"  b: {kind: subgraph, graph: ./g%[2]d.graph.yaml, next: a}\n", i, i+1)
	}
	s, found := spec.Load("g0.graph.yaml", []byte(texts["g0.graph.yaml"]))
	if len(found) > 0 {
		t.Fatal(found)
	}
	link.New(t.TempDir(), func(file string) ([]byte, error) { return []byte(texts[filepath.Base(file)]), nil }, nil).Link(s)
	if n := cfg.Of(s).Nodes[0]; !n.AnswersBound {
		t.Errorf("node %s has %d visits", n.Name(), n.MaxVisits)
	}
}
