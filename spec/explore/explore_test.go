package explore_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/explore"
	"github.com/graphgen/graphgen/spec/resolve"
)

// graph reads a graph of which only the node a and what comes from it matters.
func graph(t *testing.T, a string) *cfg.Graph {
	t.Helper()
	text := "graph: g\nentry: a\nno_match: error\nstate: {n: int}\ninput: [n]\ntools: {look: }\nnodes:\n  b: {next: a}\n  c: {next: a}\n" + a
	g, found := spec.Load("g.graph.yaml", []byte(text))
	if len(found) > 0 {
		t.Fatal(found)
	}
	return cfg.Build(resolve.Resolve(g))
}

// counted lists moves: how the node ends and where it leads.
func counted(moves []explore.Exit) string {
	var out []string
	for _, m := range moves {
		to := "over"
		switch {
		case m.Transition == nil:
		case m.Transition.To == nil:
			to = "end"
		default:
			to = m.Transition.To.Name()
		}
		text := m.Outcome.Verb() + " to " + to
		if m.Doubtful {
			text += "?"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

func TestNodeOutcomes(t *testing.T) {
	for name, test := range map[string]struct{ node, want string }{
		"what stands behind an edge without condition is not come to": {
			"  a: {reads: n, transitions: {error: c}}\nedges:\n  - {from: a, to: b, if: state.N > 1}\n  - {from: a, to: end}\n",
			"succeeds to b, succeeds to end, fails to c"},
		"what stands behind one with a bound is not either, before the bound is used up": {
			"  a: {next: end}\nedges:\n  - {from: a, to: b, max_iterations: 1}\n",
			"succeeds to b"},
		"a terminal node ends the run": {
			"  a: {}\n", "succeeds to over"},
		"a choice is made, so rule 7 is not come to": {
			"  a: {kind: router, routes: [b, c]}\n", "succeeds to b, succeeds to c"},
		"a soft failure chooses nothing": {
			"  a: {fail_soft: true, goto: [b], next: c}\n", "succeeds to b, succeeds to c, fails softly to c"},
		"nor does it hold anything true, though it may equal what is not": {
			"  a: {fail_soft: true, output: {ok: bool}, transitions: {ok: b}, next: end}\nedges:\n  - {from: a, to: c, on_output: {ok: false}}\n",
			"succeeds to c, succeeds to b, succeeds to end, fails softly to c?, fails softly to end"},
		"a node whose guards refuse goes the first way for that": {
			"  a: {kind: guard, on_pass: end, on_fail: b}\n", "succeeds to end, is refused by its guards to b"},
		"a critical node that fails goes nowhere": {
			"  a: {next: b, flags: [critical], transitions: {error: c}}\n", "succeeds to b"},
		"a table by an output selects a target": {
			"  a: {output: {k: {enum: [x, y]}}, next: end}\nedges:\n  - {from: a, by: k, branch: {x: b, y: c}}\n",
			"succeeds to b, succeeds to c"},
		"or none where it has no label for a value": {
			"  a: {output: {k: {enum: [x, y]}}, next: end}\nedges:\n  - {from: a, by: k, branch: {x: b}}\n",
			"succeeds to b, succeeds to end"},
		"or where its field may be absent": {
			"  a: {output: {k: {type: \"?K\"}}, next: end}\nedges:\n  - {from: a, by: k, branch: {x: b, y: c}}\ntypes: {K: {enum: [x, y]}}\n",
			"succeeds to b, succeeds to c, succeeds to end"},
		"or after a soft failure": {
			"  a: {output: {k: {enum: [x, y]}}, fail_soft: true, next: end}\nedges:\n  - {from: a, by: k, branch: {x: b, y: c}}\n",
			"succeeds to b, succeeds to c, fails softly to end"},
		"a model that calls tools is asked again": {
			"  a: {kind: prompt, instructions: x, tools: look, next: b}\n", "calls tools to a, succeeds to b"},
		"or leaves them to another node, and no other way": {
			"  a: {kind: prompt, instructions: x, tools: look, tool_loop: false, next: c}\nedges:\n  - {from: a, to: b, on: tool_call}\n",
			"calls tools to b, succeeds to c"},
		"an edge for turns without calls is always open to a success, and to a soft failure": {
			"  a: {kind: prompt, instructions: x, tools: look, tool_loop: false, fail_soft: true}\nedges:\n  - {from: a, to: c, " +
				"on: tool_call}\n  - {from: a, to: b, on: no_tool_call}\n",
			"calls tools to c, succeeds to b, fails softly to b"},
		"the model judges behind the other conditions, and falls back on what has none": {
			"  a: {kind: transform, reads: n}\nedges:\n  - {from: a, to: end, priority: 9}\n  - {from: a, to: b, when: it is " +
				"good}\n  - {from: a, to: c, if: state.N > 1}\n",
			"succeeds to c, succeeds to b, succeeds to end"},
		"of one way alone it may say no, and it may be of no help": {
			"  a: {transitions: {error: c}}\nedges:\n  - {from: a, to: b, when: it is good}\n",
			"succeeds to b, succeeds to over, fails to c, fails to c"},
		"of several it names one": {
			"  a: {no_match: end}\nedges:\n  - {from: a, to: b, when: it is good}\n  - {from: a, to: c, when: it is bad}\n",
			"succeeds to b, succeeds to c, succeeds to over"},
		"a person says yes or no, and a no without a way is a failure": {
			"  a: {kind: human, instructions: x, next: b, transitions: {error: c}}\n", "succeeds to b, fails to c"},
		"a no has a way, and so has an answer that is late": {
			"  a: {kind: human, instructions: x, next: b, on_deny: c, timeout: 1h, on_timeout: end, transitions: {error: c}}\n",
			"succeeds to b, is denied to c, is answered too late to end, fails to c?"},
		"a reply is a success like others": {
			"  a: {kind: human, instructions: x, output: {ok: bool}, transitions: {ok: b}, next: end}\n", "succeeds to b, succeeds to end"},
		"next stands behind what it judges": {
			"  a: {next: c}\nedges:\n  - {from: a, to: b, when: it is good}\n",
			"succeeds to b, succeeds to c"},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph(t, test.node)
			s := explore.Start(g)
			s.Take(g.Entry, explore.No)
			if got := counted(s.Exits()); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

func TestSkipBehindFailure(t *testing.T) {
	g := graph(t, "  a: {flags: [skip_on_error]}\nedges:\n  - {from: a, to: b, if: state.N > 1}\n  - {from: a, to: c}\n")
	s := explore.Start(g)
	s.Take(g.Entry, explore.Yes)
	if got, want := counted(s.Exits()), "is skipped to c"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestExhaustedEdge(t *testing.T) {
	g := graph(t, "  a: {transitions: {error: c}}\nedges:\n  - {from: a, to: b, when: it is thin, max_iterations: 1}\n  - {from: a, to: c, when: it is bad}\n")
	s := explore.Start(g)
	s.Take(g.Entry, explore.No)
	if got, want := counted(s.Exits()), "succeeds to b, succeeds to c, fails to c, fails to c"; got != want {
		t.Errorf("first %s, want %s", got, want)
	}
	s.Take(s.Exits()[0].Transition, explore.No)
	s.Take(s.Exits()[0].Transition, explore.No)
	if got, want := counted(s.Exits()), "succeeds to c, succeeds to over, fails to c, fails to c"; got != want {
		t.Errorf("then %s, want %s", got, want)
	}
}

func TestSkippedNode(t *testing.T) {
	g := graph(t, "  a: {flags: [skip_on_error], no_match: end}\nedges:\n  - {from: a, to: b, when: it is good}\n")
	s := explore.Start(g)
	s.Take(g.Entry, explore.Yes)
	if got, want := counted(s.Exits()), "is skipped to over"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestExhaustedVisits(t *testing.T) {
	g := graph(t, "  a: {max_visits: 2, next: b, transitions: {error: c}}\n")
	s := explore.Start(g)
	transition := g.Entry
	var went []string
	for range 5 {
		a := s.Take(transition, explore.No)
		went = append(went, fmt.Sprint(s.Current.Name(), len(a.UsedUp)))
		transition = s.Exits()[0].Transition
	}
	if got, want := strings.Join(went, " "), "a0 b0 a0 b0 c1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
