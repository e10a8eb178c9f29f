// Package faultinject plays handlers, tools and models that do whatever the types let them do,
// and holds runs of generated machines to what is proved of them. It is linked into the test
// binary that package mutants builds.
package faultinject

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/engine"
)

// A Machine is a generated machine and what is proved of it.
type Machine struct {
	Name       string
	Words      []string       // texts that its outputs may hold: names of nodes, keys
	Steps      int            // the most steps of a run
	AllSteps   int            // the most steps of a run and its child runs
	Visits     map[string]int // the most visits, by node
	ModelCalls int            // the most calls of models, but those that make a text short
	ToolTurns  int            // the most turns of models that call tools
	Mutations  int            // the most changes of its graph; -1: runs may make none
	Constant   bool           // its system prompts are the author's text alone, and so are those of its child runs
	Within     map[string]Within
	Table      *engine.Graph // which all runs share
	Run        func(context.Context, *Player, ...graphgen.RunOption) error
}

// Within is the parent of a node: the node that runs it.
type Within struct {
	Host   string
	Branch int // in the order in which they are written
}

// tables returns a text of what a run could change of the graph.
func tables(m *Machine) string {
	return fmt.Sprintf("%+v %+v %+v", m.Table.Nodes, m.Table.Transitions, m.Table.Mutable)
}

// Main plays runs of every machine, some wilder than others. Each machine is a test of its
// own, so that a crash names it.
func Main(t *testing.T, runs int, machines ...[]Machine) {
	all := tally{}
	for _, list := range machines {
		for _, m := range list {
			t.Run(m.Name, func(t *testing.T) {
				table := tables(&m)
				for i := range runs {
					p := newPlayer(&m, uint64(i), []float64{0, 0.05, 0.3}[i%3])
					if problem := play(t, &m, p, all); problem != "" {
						t.Errorf("run %d: %s", i, problem)
						break
					}
				}
				if after := tables(&m); after != table {
					t.Errorf("runs have changed the graph that they share: %s is %s", table, after)
				}
			})
		}
	}
	all.judge(t)
}

// play makes one run, in a synctest bubble, and returns what is wrong with it. A goroutine that the
// run leaves behind and that waits for anything, even for time, ends the program.
func play(t *testing.T, m *Machine, p *Player, all tally) (problem string) {
	var report graphgen.Report
	var err error
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		p.cancel = cancel
		defer func() {
			if v := recover(); v != nil {
				problem = fmt.Sprintf("the run panics: %v", v)
			}
		}()
		options := append(p.options(m), graphgen.WithReport(&report))
		p.watching = append(p.watching, graphgen.WithReport(&report))
		err = m.Run(ctx, p, options...)
	})
	all.add(p, &report)
	return cmp.Or(problem, p.problem, beyond(m, p, &report), malformed(m, &report), p.events.unlike(&report, err), odd(&report, err))
}

// beyond returns the bound that a run has exceeded, empty if there is none.
func beyond(m *Machine, p *Player, report *graphgen.Report) string {
	if report.Steps > m.Steps {
		return fmt.Sprintf("%d steps, at most %d were proved: %v", report.Steps, m.Steps, report.NodePath())
	}
	for _, n := range report.Nodes {
		if most, known := m.Visits[n.Node]; known && n.Visits > most {
			return fmt.Sprintf("%d visits of %s, at most %d were proved: %v", n.Visits, n.Node, m.Visits[n.Node], report.NodePath())
		}
	}
	if asked := int(p.asked.Load()); asked > m.ModelCalls {
		return fmt.Sprintf("%d calls of models, at most %d were proved: %v", asked, m.ModelCalls, report.NodePath())
	}
	turns := 0 // those that were followed by what they lead to
	for _, w := range report.Transitions {
		if w.Rule == graphgen.RuleToolLoop || strings.HasPrefix(w.Text, "on tool_call") {
			turns += w.Count
		}
	}
	if turns > m.ToolTurns {
		return fmt.Sprintf("%d turns with calls of tools, at most %d were proved: %v", turns, m.ToolTurns, report.NodePath())
	}
	return ""
}

// odd returns what is wrong with the end of a run, or with a failure on its path.
func odd(report *graphgen.Report, err error) string {
	for _, f := range report.Failures {
		if wrong := unexcused(f.Err); wrong != "" {
			return wrong
		}
	}
	failed := report.Reason == graphgen.Failed || report.Reason == graphgen.Budget
	if err == nil {
		if failed {
			return "the run has no error, and ended with " + report.Reason.String()
		}
		return ""
	}
	if wrong := unexcused(err); wrong != "" {
		return wrong
	}
	run, ok := err.(*graphgen.RunError)
	switch settled := report.Reason == graphgen.Completed || report.Reason == graphgen.ExhaustedEdges || report.Reason == graphgen.NoRouteMatched; {
	case !ok:
		return fmt.Sprintf("the run gave a %T: %v", err, err)
	case run.Err == nil || run.Report == nil || run.Reason != report.Reason || settled:
		return fmt.Sprintf("the run ended with %s, and its error says %s: %v", report.Reason, run.Reason, err)
	}
	return ""
}

// unexcused returns the text of an error that is a panic of none of the player's: only
// conditions may panic, when they look at what is not there. That is a matter of data.
func unexcused(err error) string {
	panicked, ok := errors.AsType[*graphgen.PanicError](err)
	if !ok || panicked.Value == errRefused || strings.Contains(panicked.Stack, ".graph.yaml:") {
		return ""
	}
	return err.Error() + "\n" + panicked.Stack
}

// A tally counts the results of runs, by what they are. Runs that do nothing prove nothing, so the counts are checked.
type tally map[string]int

func (a tally) add(p *Player, report *graphgen.Report) {
	a["runs"]++
	a["runs that ended as "+report.Reason.String()]++
	a["changes of the graph"] += len(report.Mutations)
	if asked := int(p.asked.Load()); asked > 0 {
		a["runs that ask models"]++
		a["calls of models"] += asked
		a["calls of tools"] += report.Tools.Made
		a["calls of tools that fail"] += report.Tools.Failed
		a["rejected judgements"] += report.Rejected
		if report.Reason == graphgen.Completed {
			a["of them completed"]++
		}
	}
}

// fewest is how many runs are judged together; a short test makes fewer.
const fewest = 2000

// judge fails the test unless a fair part of the runs did what they are made for.
func (a tally) judge(t *testing.T) {
	t.Logf("tally: %v", a)
	agents, made, failed := a["runs that ask models"], a["calls of tools"], a["calls of tools that fail"]
	if a["runs"] >= fewest && (agents < a["runs"]/10 || a["of them completed"] < agents/4 || made < agents/10 || failed < made/20 || failed > made*19/20 ||
		a["rejected judgements"] == 0 || a["changes of the graph"] == 0 || a["runs that ended as "+graphgen.Paused.String()] == 0) {
		t.Error("too little of the runs was of models and tools to prove anything")
	}
}
