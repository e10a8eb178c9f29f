package differential

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen/internal/testing/randomgraph"
	"github.com/graphgen/graphgen/internal/testing/scriptdriver"
	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/internal/testing/tier"
)

// schedules is in how many schedules each script is played to a graph with branches.
const schedules = 3

// TestComposites makes random graphs with nodes that run others, and plays
// random scripts to each, in several schedules. What a run did must be what the model says,
// to the tick, and must not depend on what runs at the same time.
func TestComposites(t *testing.T) {
	playComposed(t, tier.Pick(1, 12, 200), composedTrial, 200, composedSights)
}

// TestRoutersInRegions does so with graphs whose routers skip nodes of regions, and end them.
func TestRoutersInRegions(t *testing.T) {
	playComposed(t, tier.Pick(1, 8, 40), routedTrial, 40, []string{"a router skips nodes", "a router ends a region", "a node is skipped"})
}

// TestStartedBranches does so with graphs some of whose branches are started by conditions.
func TestStartedBranches(t *testing.T) {
	playComposed(t, tier.Pick(3, 8, 60), startedTrial, 40, []string{"a branch is not started", "no branch is started",
		"the condition of a branch fails", "a parallel joined by first fails", "a parallel joined by settled fails"})
}

// TestGraphsInRegions does so with graphs some of whose regions are graphs.
func TestGraphsInRegions(t *testing.T) {
	playComposed(t, tier.Pick(3, 8, 120), regionTrial, 60, []string{"an edge in a region", "a failure leads on in a region",
		"a refusal leads on in a region", "a transition ends a region", "a region ends without a transition before its last node", "a node is skipped"})
}

// playComposed plays scripts to n graphs. If these are many, the runs show all of the sights.
func playComposed(t *testing.T, n int, trialOf func(*testing.T, tier.Draw) *trial, many int, sought []string) {
	tempmodule.Watch(t, "../scriptdriver")
	start := time.Now()
	var trials []*trial
	var graphs []*shapes
	refused := 0
	for d := range tier.Draws(t, n) {
		tr := trialOf(t, d)
		trials, graphs = append(trials, tr), append(graphs, tr.s)
		refused += tr.refused
	}
	made := time.Since(start)
	p := build(t, graphs)
	built := time.Since(start)
	var jobs []scriptdriver.Job
	for _, tr := range trials {
		for i, script := range tr.scripts {
			jobs = append(jobs, scriptdriver.Job{Graph: tr.s.Name.V, Number: i, Script: script})
		}
	}
	answers := p.play(t, jobs)
	seen := sights{}
	for i, tr := range trials {
		tr.judge(t, p, answers[i*len(tr.scripts):][:len(tr.scripts)])
		for _, script := range tr.scripts {
			seen.noteComposed(tr.s, script)
			if tr.s.Durable.V && tr.s.steady() {
				seen["a thread of branches that is compared whole"]++
			}
		}
	}
	t.Logf("%d graphs (the checks refused %d more), %d scripts, %d runs; made in %v, built in %v, played in %v\n%v",
		len(trials), refused, len(jobs), len(jobs)*len(scriptdriver.Timed), made.Round(time.Millisecond),
		(built - made).Round(time.Millisecond), (time.Since(start) - built).Round(time.Millisecond), seen)
	for _, what := range sought {
		if len(trials) >= many && seen[what] == 0 {
			t.Errorf("no run of any graph shows: %s", what)
		}
	}
}

// composedTrial makes the graph of a draw, and its scripts: each in several schedules.
func composedTrial(t *testing.T, d tier.Draw) *trial {
	t.Helper()
	r, number, name := d.Rand(), d.Number, nameOf("h", d)
	tr := &trial{draw: d}
	for tr.s == nil {
		switch {
		case number%4 == 0:
			inner := nameOf("s", d)
			text, within := randomgraph.Nested(r, name, inner, randomgraph.Options{Durable: number%8 == 0})
			tr.s = loadNested(name, text, inner, within)
		case number%9 == 5:
			tr.s = load(name, randomgraph.Make(r, name, randomgraph.Options{Tables: true, Composes: true}))
		default:
			text := randomgraph.Make(r, name, randomgraph.Options{Composes: true, Durable: number%2 == 0})
			if number%4 == 2 { // no branch is cut short
				text = forkKind.ReplaceAllString(joinKeys.ReplaceAllString(stepsKey.ReplaceAllString(text, ""), ""), "${0} join: all,")
			}
			tr.s = load(name, text)
		}
		if tr.s == nil {
			tr.refused++
		}
		if tr.refused > 300 {
			t.Fatal("the checks refuse whatever is made")
		}
	}
	tr.scheduled(r)
	return tr
}

// routedTrial is composedTrial with routers in regions.
func routedTrial(t *testing.T, d tier.Draw) *trial {
	return trialWith(t, d, "r", randomgraph.Options{Routers: true}, func(n *nodeShape) bool { return n.host != nil && n.kind == "router" })
}

// startedTrial is composedTrial with branches that conditions start.
func startedTrial(t *testing.T, d tier.Draw) *trial {
	return trialWith(t, d, "b", randomgraph.Options{Starts: true, Routers: d.Number%3 == 0}, func(n *nodeShape) bool {
		return slices.ContainsFunc(n.regions, func(r *region) bool { return r.start.IsSet() })
	})
}

// regionTrial is composedTrial with regions that are graphs.
func regionTrial(t *testing.T, d tier.Draw) *trial {
	return trialWith(t, d, "e", randomgraph.Options{Regions: true, Starts: d.Number%2 == 0, Routers: d.Number%5 == 0}, func(n *nodeShape) bool {
		return slices.ContainsFunc(n.regions, func(r *region) bool { return r.graph && len(r.nodes) > 2 })
	})
}

// trialWith is composedTrial with options, of a graph with a node that shows them.
func trialWith(t *testing.T, d tier.Draw, prefix string, options randomgraph.Options, shows func(*nodeShape) bool) *trial {
	t.Helper()
	r, number, name := d.Rand(), d.Number, nameOf(prefix, d)
	options.Composes, options.Durable = true, number%2 == 0
	tr := &trial{draw: d}
	for tr.s == nil {
		text := randomgraph.Make(r, name, options)
		if number%4 == 2 { // no branch is cut short
			text = forkKind.ReplaceAllString(joinKeys.ReplaceAllString(stepsKey.ReplaceAllString(text, ""), ""), "${0} join: all,")
		}
		if tr.s = load(name, text); tr.s != nil && !slices.ContainsFunc(tr.s.nodes, shows) {
			tr.s = nil
		}
		if tr.s == nil {
			tr.refused++
		}
		if tr.refused > 300 {
			t.Fatal("the checks refuse whatever is made")
		}
	}
	tr.scheduled(r)
	return tr
}

// scheduled adds random scripts to a trial, each in several schedules.
func (tr *trial) scheduled(r *rand.Rand) {
	for range scripts {
		script := randomScript(r, tr.s)
		for i := range schedules {
			timed := *script
			timed.Schedule, timed.Break = 1+i, 0
			tr.scripts = append(tr.scripts, &timed)
		}
	}
}

var (
	joinKeys = regexp.MustCompile(`, (join: \w+|count: \d+)`)
	forkKind = regexp.MustCompile(`kind: (parallel|map),`)
	stepsKey = regexp.MustCompile(`\bmax_steps: \d+, on_max_steps: \w+(, )?`)
)

// predict is what the model says that a run does, with the requests that were answered; not ok where it depends on the schedule.
func predict(s *shapes, script *scriptdriver.Script, mode scriptdriver.Mode, answered []string) (r scriptdriver.Result, vague, ok bool) {
	m, r, ok := playOut(s, script, mode, answered)
	r.Answered = answered
	return r, m.vague, ok
}

// judgeTimed returns the first mode in which a run of a script with a schedule differs from
// the model, and how; and how many runs it has compared.
func judgeTimed(s *shapes, script *scriptdriver.Script, answer scriptdriver.Answer) (differs string, compared int) {
	for _, mode := range scriptdriver.ModesOf(script, s.Durable.V) {
		got, own := answer.Results[mode.Name]
		if !own {
			got = answer.Results[scriptdriver.Plain]
		}
		if len(got.Wrong) > 0 {
			return fmt.Sprintf("mode %q, schedule %d: %s\nscript: %s", mode.Name, script.Schedule, strings.Join(got.Wrong, "\n"), scriptText(script)), compared
		}
		want, vague, ok := predict(s, script, mode, got.Answered)
		if ok && mode.Pairs { // a branch uses steps up when it begins to wait, which no pause of the model shows
			_, vague, ok := predict(s, script, mode, nil)
			if !ok || vague {
				continue
			}
		}
		if !ok {
			continue
		}
		want.Cut = got.Cut
		want, got = essence(want, vague), essence(got, vague)
		if got.Cut && difference(want, got) != "" {
			want = shortened(want, got)
		}
		if mode.Death != "" {
			want, got = outlivingBranches(s, want), outlivingBranches(s, got)
		}
		if d := difference(want, got); d != "" {
			return fmt.Sprintf("mode %q, schedule %d: %s\nscript: %s", mode.Name, script.Schedule, d, scriptText(script)), compared
		}
		compared++
	}
	return "", compared
}

// shortened is what a run has to have done that was abandoned, or of which a call was cancelled: nothing but what the whole run does.
func shortened(want, got scriptdriver.Result) scriptdriver.Result {
	part := func(whole, of []string) (part []string) {
		whole = slices.Clone(whole)
		for _, x := range of {
			if i := slices.Index(whole, x); i >= 0 {
				part, whole = append(part, x), slices.Delete(whole, i, i+1)
			}
		}
		return part
	}
	cut := got
	cut.Calls, cut.Tools = part(want.Calls, got.Calls), part(want.Tools, got.Tools)
	cut.Pauses = want.Pauses[:min(len(got.Pauses), len(want.Pauses))]
	return cut
}

// counts are what an error of a node says besides its node and visit: what it says of steps
// depends on what runs at the same time.
var counts = regexp.MustCompile(`( step \d+)( visit \d+)? attempt \d+ line \d+\)`)

// outlivingBranches is the part of a result that the processes of a thread share where a graph has branches. A process that has
// ended may have been ahead in a branch that is then cut short.
func outlivingBranches(s *shapes, r scriptdriver.Result) scriptdriver.Result {
	if !s.steady() {
		return scriptdriver.Result{Wrong: r.Wrong}
	}
	r = outliving(r)
	r.Calls, r.Rows = nil, nil
	return r
}

// steady reports whether what the branches of a graph do depends on no branch beside them: none is cut short when others have
// ended, and all of them together have as many steps as they like. An enum that a handler leaves without a value is refused by
// threads, where a loop looks at it.
func (s *shapes) steady() bool {
	unsteady := func(n *nodeShape) bool {
		return n.composite() && n.kind != "loop" && n.kind != "retry" && n.Join.V != "all"
	}
	return !s.Limits.MaxSteps.IsSet() && !bytes.Contains(s.Source, []byte("until: 'out.Status")) && !slices.ContainsFunc(s.nodes, unsteady)
}

// essence is the part of a result that does not depend on what runs at the same time. Of a
// run whose steps were used up by branches, that is how it ended.
func essence(r scriptdriver.Result, vague bool) scriptdriver.Result {
	r.Events = nil
	if vague {
		return scriptdriver.Result{Cut: r.Cut, Reason: r.Reason, Steps: r.Steps, Err: strings.Split(r.Err, "steps(")[0]}
	}
	r.Err = counts.ReplaceAllString(r.Err, "$2)")
	r.Failures = slices.Clone(r.Failures)
	for i, f := range r.Failures {
		r.Failures[i] = counts.ReplaceAllString(f, "$2)")
	}
	r.Calls = slices.Sorted(slices.Values(r.Calls))
	return r
}

// composedSights is what must happen in some run of two hundred graphs: a hundred may lack the rarest.
var composedSights = []string{
	"a loop ends by its condition", "a loop ends by its bound", "a retry is tried again", "a map of nothing", "a branch of a branch",
	"a branch waits", "a branch does not begin", "a branch is cut short", "a branch fails and the node does not", "a branch keeps what a map's element wrote",
	"a parallel joined by fail_fast succeeds", "a parallel joined by fail_fast fails", "a parallel joined by all succeeds", "a parallel joined by all fails",
	"a parallel joined by first succeeds", "a parallel joined by first fails", "a parallel joined by settled succeeds", "a parallel joined by settled fails",
	"a map joined by fail_fast succeeds", "a map joined by fail_fast fails", "a map joined by all succeeds", "a map joined by all fails",
	"a map joined by first succeeds", "a map joined by first fails", "a map joined by settled succeeds", "a map joined by settled fails",
	"a run within a run fails", "a run within a run ends", "a run within a branch",
	"a thread of branches that is compared whole",
	"steps are used up in branches", "nobody knows what is first", "a cache hit", "a node is skipped",
	"a guard in a region passes", "a guard in a region refuses",
}

// noteComposed counts what happens in a run.
func (s sights) noteComposed(of *shapes, script *scriptdriver.Script) {
	m, _, ok := playOut(of, script, scriptdriver.Timed[0], nil)
	m.saw("steps are used up in branches", m.vague)
	m.saw("nobody knows what is first", !ok)
	m.saw("a cache hit", m.hits > 0)
	m.saw("a node is skipped", m.skips > 0)
	for what := range m.seen {
		s[what]++
	}
	s["steps"] += m.steps
}
