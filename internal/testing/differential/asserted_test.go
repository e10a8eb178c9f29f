package differential

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/randomgraph"
	"github.com/graphgen/graphgen/internal/testing/scriptdriver"
	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/assertion"
)

var asserted = flag.Int("asserted", 25, "how many random graphs with assertions to make whose nodes change them")

// TestNoChangeBreaksWhatIsProved makes random graphs whose nodes may change the graph of their
// run, states of each what the checks accept, and has the nodes ask for changes of every kind.
// No run of the generated machine may do what an accepted assertion forbids.
func TestNoChangeBreaksWhatIsProved(t *testing.T) {
	tempmodule.Watch(t, "../scriptdriver")
	var trials []*trial
	var graphs []*shapes
	accepted := map[assertion.Kind]int{}
	for _, number := range numbers(*asserted) {
		tr := assertedTrial(t, number)
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
				t.Fatalf("graph %d of seed %d: %s: the run goes %v, and is %s, after %v\n%s", tr.number, *seed, a.That.V, got.Path, got.Reason, got.Mutations, tr.s.Source)
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

// assertedTrial makes the graph of a number, with a node that no transition leads to and with what the
// checks accept of random assertions, and scripts that change it.
func assertedTrial(t *testing.T, number int) *trial {
	t.Helper()
	r := rand.New(rand.NewPCG(*seed, 3<<32+uint64(number)))
	name := fmt.Sprintf("a%04d", number)
	text := ""
	var s *shapes
	for tries := 0; s == nil; tries++ {
		text = strings.Replace(randomgraph.Mutating(r, name), "nodes:\n", "nodes:\n  lone: {next: n3}\n", 1)
		if s = load(name, text); tries > 100 {
			t.Fatalf("graph %d of seed %d: the checks refuse whatever is made", number, *seed)
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
	tr := &trial{number: number, s: s}
	for range 8 * *scripts {
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
