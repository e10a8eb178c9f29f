package differential

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/randomgraph"
	"github.com/graphgen/graphgen/internal/testing/scriptdriver"
	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/assertion"
)

// TestNoChangeBreaksWhatIsProved makes random graphs whose nodes may change the graph of their
// run, states of each what the checks accept, and has the nodes ask for changes of every kind.
// No run of the generated machine may do what an accepted assertion forbids.
func TestNoChangeBreaksWhatIsProved(t *testing.T) {
	tempmodule.Watch(t, "../scriptdriver")
	var trials []*trial
	var graphs []*shapes
	accepted := map[assertion.Kind]int{}
	for d := range tier.Draws(t, tier.Pick(2, 5, 25)) {
		tr := assertedTrial(t, d)
		trials, graphs = append(trials, tr), append(graphs, tr.s)
		for _, a := range tr.s.Assertions {
			parsed, _ := assertion.Parse(a.That)
			accepted[parsed.Kind]++
		}
	}
	p := build(t, graphs)
	var jobs []scriptdriver.Job
	for _, tr := range trials {
		for i, script := range tr.scripts {
			jobs = append(jobs, scriptdriver.Job{Graph: tr.s.Name.V, Number: i, Script: script})
		}
	}
	refused, made, at := 0, 0, 0
	for _, answer := range p.play(t, jobs) {
		for at < len(trials)-1 && trials[at].s.Name.V != answer.Graph {
			at++
		}
		tr, got := trials[at], answer.Results[scriptdriver.Plain]
		for _, m := range got.Mutations {
			if strings.Contains(m, "made") {
				made++
			} else {
				refused++
			}
		}
		for _, a := range tr.s.Assertions {
			parsed, _ := assertion.Parse(a.That)
			if forbids(parsed, got) {
				t.Fatalf("draw %v (again: %s): %s: the run goes %v, and is %s, after %v\n%s", tr.draw, tr.draw.Again(t), a.That.V,
					got.Path, got.Reason, got.Mutations, tr.s.Source)
			}
		}
	}
	t.Logf("%d graphs, %d runs, %d changes made and %d refused; accepted %v", len(trials), len(jobs), made, refused, accepted)
	for _, kind := range []assertion.Kind{assertion.Passes, assertion.Without, assertion.AtMost} {
		if len(trials) >= 20 && accepted[kind] < 10 {
			t.Errorf("%d accepted assertions of the form %q", accepted[kind], kind)
		}
	}
}

// assertedTrial makes the graph of a draw, with a node that no transition leads to and with what the
// checks accept of random assertions, and scripts that change it.
func assertedTrial(t *testing.T, d tier.Draw) *trial {
	t.Helper()
	r, name := d.Rand(), nameOf("a", d)
	text := ""
	var s *shapes
	for tries := 0; s == nil; tries++ {
		text = strings.Replace(randomgraph.Mutating(r, name), "nodes:\n", "nodes:\n  lone: {next: n3}\n", 1)
		if s = load(name, text); tries > 100 {
			t.Fatal("the checks refuse whatever is made")
		}
	}
	var names []string
	for _, n := range s.nodes {
		if !slices.ContainsFunc(s.Mutations.Templates, func(t spec.String) bool { return t.V == n.Name.V }) {
			names = append(names, n.Name.V)
		}
	}
	one := func() string { return names[r.IntN(len(names))] }
	text += "assert:\n"
	for tries, stated := 0, 0; tries < 60 && stated < 6; tries++ {
		sentence := fmt.Sprintf("every path to %s passes %s", one(), one())
		switch r.IntN(4) {
		case 0:
			sentence = fmt.Sprintf("every path to end passes %s", one())
		case 1:
			sentence = fmt.Sprintf("no path from %s to %s without %s", one(), one(), one())
		case 2:
			sentence = fmt.Sprintf("%s runs at most %d times", one(), r.IntN(4))
		}
		if more := load(name, text+"  - "+sentence+"\n"); more != nil {
			text, s, stated = text+"  - "+sentence+"\n", more, stated+1
		}
	}
	if strings.HasSuffix(text, "assert:\n") {
		s = load(name, strings.TrimSuffix(text, "assert:\n"))
	}
	tr := &trial{draw: d, s: s}
	for range 8 * scripts {
		tr.scripts = append(tr.scripts, changingScript(r, s))
	}
	return tr
}

// forbids reports whether a run does what an assertion forbids.
func forbids(a *assertion.Assertion, got scriptdriver.Result) bool {
	name := func(i int) string { return a.Names[i].V }
	var names []string
	for _, v := range got.Path {
		visited, _, _ := strings.Cut(v, "/")
		names = append(names, visited)
	}
	if got.Reason == "completed" || got.Reason == "exhausted" || got.Reason == "no_route" {
		names = append(names, spec.End)
	}
	underWay, visits := a.Kind == assertion.Passes, 0
	for _, at := range names {
		switch {
		case a.Kind == assertion.AtMost && at == name(0):
			if visits++; visits > a.Most {
				return true
			}
		case a.Kind == assertion.Passes && underWay && at == name(0), a.Kind == assertion.Without && underWay && at == name(1):
			return true
		case a.Kind == assertion.Passes && at == name(1), a.Kind == assertion.Without && at == name(2):
			underWay = false
		}
		if a.Kind == assertion.Without && at == name(0) {
			underWay = true
		}
		if a.Kind == assertion.Passes && !underWay {
			return false
		}
	}
	return false
}
