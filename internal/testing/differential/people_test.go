package differential

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/testing/randomgraph"
	"github.com/graphgen/graphgen/internal/testing/scriptdriver"
	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/internal/testing/tier"
)

// TestPauses makes random graphs whose runs pause: at human nodes, approvals of nodes and calls, tools of the caller, and
// interrupts, in regions and in runs within runs. It plays random scripts to each, with the answers in an order by the
// schedule. Each pause, its requests and what the run has done when it ends must be what the model says.
func TestPauses(t *testing.T) {
	playAsking(t, tier.Pick(1, 12, 100), "p", randomgraph.Asking, askingSights)
}

// TestPausesInGraphs does so with regions that are graphs.
func TestPausesInGraphs(t *testing.T) {
	playAsking(t, tier.Pick(1, 6, 100), "u", randomgraph.AskingInGraphs, []string{"a no leads on in a region", "an edge in a region",
		"a branch is not started", "a failure leads on in a region"})
}

// playAsking plays scripts to n graphs that asking makes. If these are many, the runs show all of the sights.
func playAsking(t *testing.T, n int, prefix string, asking func(r *rand.Rand, name, inner string) (string, string), sought []string) {
	t.Helper()
	tempmodule.Watch(t, "../scriptdriver")
	start := time.Now()
	var trials []*trial
	var graphs []*shapes
	refused := 0
	for d := range tier.Draws(t, n) {
		tr := askingTrial(t, d, prefix, asking)
		trials, graphs = append(trials, tr), append(graphs, tr.s)
		refused += tr.refused
	}
	p := build(t, graphs)
	built := time.Since(start)
	var jobs []scriptdriver.Job
	for _, tr := range trials {
		for i, script := range tr.scripts {
			jobs = append(jobs, scriptdriver.Job{Graph: tr.s.Name.V, Number: i, Script: script})
		}
	}
	answers := p.play(t, jobs)
	seen, runs, compared := sights{}, 0, 0
	for i, tr := range trials {
		tr.judge(t, p, answers[i*len(tr.scripts):][:len(tr.scripts)])
		runs, compared = runs+tr.runs, compared+tr.compared
		for j, script := range tr.scripts {
			seen.noteComposed(tr.s, script)
			seen.noteAsked(answers[i*len(tr.scripts)+j])
		}
	}
	t.Logf("%d graphs (the checks refused %d more), %d scripts, %d runs, %d of them compared; built in %v, played in %v\n%v",
		len(trials), refused, len(jobs), runs, compared, built.Round(time.Millisecond), (time.Since(start) - built).Round(time.Millisecond), seen)
	if len(trials) >= 5 && compared < runs/3 {
		t.Errorf("%d of %d runs were compared with the model", compared, runs)
	}
	for _, what := range sought {
		if len(trials) >= 100 && seen[what] == 0 {
			t.Errorf("no run of any graph shows: %s", what)
		}
	}
}

// askingTrial makes the graph of a draw, and its scripts: each in several schedules.
func askingTrial(t *testing.T, d tier.Draw, prefix string, asking func(r *rand.Rand, name, inner string) (string, string)) *trial {
	t.Helper()
	r, name, inner := d.Rand(), nameOf(prefix, d), nameOf("q", d)
	tr := &trial{draw: d}
	for tr.s == nil {
		switch text, within := asking(r, name, inner); within {
		case "":
			tr.s = load(name, text)
		default:
			tr.s = loadNested(name, text, inner, within)
		}
		if tr.s != nil && !strings.Contains(string(tr.s.Source), "human") {
			tr.s = nil
		}
		if tr.s == nil {
			tr.refused++
		}
		if tr.refused > 400 {
			t.Fatal("the checks refuse whatever is made")
		}
	}
	tr.scheduled(r)
	for _, script := range tr.scripts {
		script.Acts = randomActs(r)
	}
	return tr
}

// noteAsked counts what happens in runs that pause.
func (s sights) noteAsked(a scriptdriver.Answer) {
	for what, n := range a.Sights {
		s[what] += n
	}
	for _, mode := range scriptdriver.Asking {
		r, own := a.Results[mode.Name]
		if !own {
			r = a.Results[scriptdriver.Plain]
		}
		s["a run ends "+r.Reason]++
		if mode.Dry && r.Reason == "stopped" {
			s["a dry run stops"]++
		}
		if r.Cut && r.Reason != "interrupted" {
			s["a call is cancelled"]++
		}
	}
}

// askingSights is what must happen in some run of a hundred graphs.
var askingSights = append([]string{
	"a run ends completed", "a run ends failed", "a run is abandoned", "a call is cancelled", "a dry run stops",
	"3 concurrent answers to a request", "two requests are answered, one then the other", "two requests are answered, one not the other",
	"an answer by JSON", "an answer by events", "an answer by typed", "an answer that is not of its type",
	"an answer to a request that has one, after the end", "an answer to a request that is withdrawn",
	"a pause with several requests", "a decision", "a reply", "a no", "a late answer", "a person approves a node",
	"a person approves a call", "a call has other arguments",
	"the caller runs a tool", "the caller's tool fails", "an interrupt before a node", "an interrupt behind a node",
	"a request in a branch", "a request in a branch of a branch", "a request of a run within",
	"a request of a run within a branch", "a request is withdrawn", "a branch begins when another waits", "a no takes its transition",
	"a late answer takes its transition", "a node of a tool that the caller runs", "a tool loop in a region", "a node of a pool runs",
	"an answer by JSON, about a call in another graph", "an answer by typed, about a call in another graph",
	"a router in a region that a person approves",
}, misused()...)

// person is an answer to a request of a node, or about a call of a tool of it.
func (w *scripter) person(n *nodeShape) scriptdriver.Entry {
	e := scriptdriver.Entry{}
	switch k := w.IntN(100); {
	case k < 10+w.wild:
		e.Kind = scriptdriver.Denies
	case k < 20+w.wild:
		e.Kind = scriptdriver.Late
	case k < 25+w.wild && n.kind != "human":
		e.Kind = scriptdriver.Fails
	}
	if len(n.tools) > 0 && w.IntN(3) == 0 {
		e.Calls = []chat.ToolCall{{Name: "look", Arguments: jsonText(map[string]any{"query": fmt.Sprint(w.IntN(3))})}}
	}
	if n.kind == "human" && n.out != nil {
		e.Out = map[string]any{}
		w.fillOut(e.Out, n)
		for !valid(n.out, e.Out) {
			w.fillOut(e.Out, n)
		}
		e.Text = jsonText(asJSON(*n.out, e.Out))
	}
	return e
}
