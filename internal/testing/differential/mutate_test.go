package differential

import (
	"math/rand/v2"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/randomgraph"
	"github.com/graphgen/graphgen/internal/testing/scriptdriver"
	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/mutation"
	"github.com/graphgen/graphgen/spec"
)

// TestMutations makes random graphs whose nodes may change the graph
// of their run, and has them ask for changes of every kind, good ones and bad ones. What becomes
// of each, and where the run goes then, must be what the model says.
func TestMutations(t *testing.T) {
	tempmodule.Watch(t, "../scriptdriver")
	var trials []*trial
	var graphs []*shapes
	for d := range tier.Draws(t, tier.Pick(1, 8, 60)) {
		tr := mutatingTrial(t, d)
		trials, graphs = append(trials, tr), append(graphs, tr.s)
	}
	p := build(t, graphs)
	var jobs []scriptdriver.Job
	for _, tr := range trials {
		for i, script := range tr.scripts {
			jobs = append(jobs, scriptdriver.Job{Graph: tr.s.Name.V, Number: i, Script: script})
		}
	}
	answers := p.play(t, jobs)
	verdicts := map[string]int{}
	for i, tr := range trials {
		tr.judge(t, p, answers[i*len(tr.scripts):][:len(tr.scripts)])
		for _, script := range tr.scripts {
			for _, v := range expect(tr.s, script, scriptdriver.Modes[0]).Mutations {
				verdicts[v[len("n1 "):]]++
			}
		}
	}
	t.Logf("%d graphs, %d scripts: %v", len(trials), len(jobs), verdicts)
	for _, a := range spec.Actions {
		for _, v := range []string{"made ", "was refused "} {
			if len(trials) >= 50 && verdicts[v+a.Name] == 0 {
				t.Errorf("no run shows that anything %s", v+a.Name)
			}
		}
	}
}

// mutatingTrial makes the graph of a draw, and its scripts.
func mutatingTrial(t *testing.T, d tier.Draw) *trial {
	t.Helper()
	r, name := d.Rand(), nameOf("m", d)
	tr := &trial{draw: d}
	for tr.s == nil {
		if tr.s = load(name, randomgraph.Mutating(r, name)); tr.s == nil {
			tr.refused++
		}
		if tr.refused > 100 {
			t.Fatal("the checks refuse whatever is made")
		}
	}
	for range 4 * scripts {
		tr.scripts = append(tr.scripts, changingScript(r, tr.s))
	}
	return tr
}

// changingScript makes a script in which nodes ask for changes of their run's graph.
func changingScript(r *rand.Rand, s *shapes) *scriptdriver.Script {
	script := randomScript(r, s)
	w := &scripter{Rand: r, s: s}
	for _, n := range s.nodes {
		for i := range script.Nodes[n.Name.V] {
			if n.Mutates.V && w.IntN(3) > 0 {
				script.Nodes[n.Name.V][i].Mutate = w.changes()
			}
		}
	}
	return script
}

// changes are what a node asks of the graph of its run.
func (w *scripter) changes() []mutation.Change {
	var out []mutation.Change
	for range 1 + min(w.IntN(3), w.IntN(3)) {
		out = append(out, w.change())
	}
	return out
}

// some is the name of a node, seldom of none.
func (w *scripter) some(more ...string) string {
	names := append([]string{"x1", "x2", "ghost", "k1"}, more...)
	for range 3 {
		for _, n := range w.s.nodes {
			names = append(names, n.Name.V)
		}
	}
	return names[w.IntN(len(names))]
}

func (w *scripter) change() mutation.Change {
	c := mutation.Change{Action: mutation.Action(spec.Names(spec.Actions)[w.IntN(len(spec.Actions))])}
	switch c.Action {
	case mutation.ActionAddNode:
		c.Node.Name = []string{"x1", "x2", "x3", "x4", "n2", ""}[w.IntN(6)]
		c.Node.Template = []string{"k1", "k1", "k2", "n1"}[w.IntN(4)]
		if w.IntN(5) > 0 {
			c.Node.After = w.some("end")
		}
		if w.IntN(2) == 0 {
			c.Node.Next = w.some("end", "end", "end")
		}
		c.Node.Times, c.Node.MaxVisits = w.IntN(3), w.IntN(3)
	case mutation.ActionAddEdge:
		c.From, c.To, c.Most = w.some("end"), w.some("end", "end", "end"), w.IntN(3)
	case mutation.ActionRemoveEdge:
		c.From, c.To = w.some("end"), w.some("end", "end", "end")
		if e := w.s.Edges; w.IntN(3) > 0 && len(e) > 0 {
			if e := e[w.IntN(len(e))]; e.From.IsSet() && e.To.IsSet() {
				c.From, c.To = e.From.V, e.To.V
			}
		}
	case mutation.ActionRetryWith:
		update := map[string]any{}
		for _, f := range w.s.pick(w.s.Mutations.Update) {
			if w.IntN(2) == 0 {
				update[f.name] = w.value(f.name, f.shape)
			}
		}
		c.Update = update
	default:
		c.To = w.some("end", "end")
	}
	if c.Node.Template == "k2" && len(w.s.Mutations.Templates) < 2 {
		c.Node.Template = "k3" // there is none either
	}
	return c
}
