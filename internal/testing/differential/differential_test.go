// Package differential compares generated machines with a plain model of the routing
// rules, on random graphs with random scripts.
package differential

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen/internal/testing/randomgraph"
	"github.com/graphgen/graphgen/internal/testing/scriptdriver"
	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/link"
)

// scripts is how many scripts are played to each graph.
const scripts = 5

// A trial is a graph with the scripts it is tried with.
type trial struct {
	draw    tier.Draw
	refused int // graphs made before this one that the checks refuse
	s       *shapes
	scripts []*scriptdriver.Script

	runs, compared int // of the scripts: those that were made, and those whose outcome does not depend on the schedule, so that they were compared
}

// TestMachinesDoWhatTheModelDoes makes random graphs, compiles them all in one build, and
// plays random scripts to each in every mode. What a run did must be what the model says.
func TestMachinesDoWhatTheModelDoes(t *testing.T) {
	if seen, graphs := playTrials(t, tier.Pick(5, 40, 1000), makeTrial); graphs >= 1000 {
		seen.complete(t)
	}
}

// TestSpentBudgets does so with graphs that have a budget of calls of models, and edges for where it is spent.
func TestSpentBudgets(t *testing.T) {
	seen, graphs := playTrials(t, tier.Pick(3, 10, 100), func(t *testing.T, d tier.Draw) *trial {
		return trialOf(t, d, "q", randomgraph.Options{Models: true, Budgets: true, Limited: true, Durable: d.Number%2 == 0})
	})
	for what := range budgetSights {
		if graphs >= 100 && seen[what] == 0 {
			t.Errorf("no run shows: %s", what)
		}
	}
}

// playTrials makes graphs, plays scripts to them, and judges what the runs did. It returns what the runs of how many graphs have shown.
func playTrials(t *testing.T, count int, made func(*testing.T, tier.Draw) *trial) (seen sights, graphs int) {
	t.Helper()
	tempmodule.Watch(t, "../scriptdriver")
	start := time.Now()
	var trials []*trial
	var all []*shapes
	refused := 0
	for d := range tier.Draws(t, count) {
		tr := made(t, d)
		trials, all = append(trials, tr), append(all, tr.s)
		refused += tr.refused
	}
	drawn := time.Since(start)
	p := build(t, all)
	built := time.Since(start)
	var jobs []scriptdriver.Job
	for _, tr := range trials {
		for i, script := range tr.scripts {
			jobs = append(jobs, scriptdriver.Job{Graph: tr.s.Name.V, Number: i, Script: script})
		}
	}
	answers := p.play(t, jobs)
	seen = sights{}
	for i, tr := range trials {
		tr.judge(t, p, answers[i*len(tr.scripts):][:len(tr.scripts)])
		for _, script := range tr.scripts {
			seen.note(expect(tr.s, script, scriptdriver.Modes[1]))
		}
	}
	t.Logf("%d graphs (the checks refused %d more), %d scripts, %d runs; made in %v, built in %v, played in %v\n%s",
		len(trials), refused, len(jobs), len(jobs)*len(scriptdriver.Modes), drawn.Round(time.Millisecond),
		(built - drawn).Round(time.Millisecond), (time.Since(start) - built).Round(time.Millisecond), seen)
	return seen, len(trials)
}

// judge compares what the runs of a graph did with the model, and reports the first
// difference with the smallest script that shows it.
func (tr *trial) judge(t *testing.T, p *program, answers []scriptdriver.Answer) {
	t.Helper()
	first, failed, once := -1, 0, ""
	for i, script := range tr.scripts {
		difference, compared := judge(tr.s, script, answers[i])
		tr.runs, tr.compared = tr.runs+len(scriptdriver.ModesOf(script, tr.s.Durable.V)), tr.compared+compared
		if difference != "" {
			failed++
			if first < 0 {
				first, once = i, "not when it is played again: "+difference
			}
		}
	}
	if failed == 0 {
		return
	}
	script := shrink(tr.scripts[first], func(script *scriptdriver.Script) bool { return differs(t, p, tr.s, script) != "" })
	s := tr.s
	if tier.Alone() {
		s, p = shrinkGraph(t, s, p, script)
	}
	source := string(s.Source)
	if s.inner != nil {
		source += "\n" + string(s.inner.Source)
	}
	t.Errorf("draw %v (again, with a smaller graph: %s): %d of %d scripts differ\n%s\n%s",
		tr.draw, tr.draw.Again(t), failed, len(tr.scripts), source, cmp.Or(differs(t, p, s, script), once))
}

// differs plays one script and returns how the runs differ from the model.
func differs(t *testing.T, p *program, s *shapes, script *scriptdriver.Script) string {
	t.Helper()
	difference, _ := judge(s, script, p.play(t, []scriptdriver.Job{{Graph: s.Name.V, Script: script}})[0])
	return difference
}

// makeTrial makes the graph of a draw, and its scripts.
func makeTrial(t *testing.T, d tier.Draw) *trial {
	t.Helper()
	number := d.Number
	options := randomgraph.Options{Models: number%4 == 0, Durable: number%3 == 0, Ends: number%5 < 2}
	if !options.Models && number%7 == 0 {
		options.Tables, options.Models = true, number%2 == 0
	}
	return trialOf(t, d, "g", options)
}

// trialOf makes the graph of a draw with options, and its scripts.
func trialOf(t *testing.T, d tier.Draw, letter string, options randomgraph.Options) *trial {
	t.Helper()
	r, name := d.Rand(), nameOf(letter, d)
	tr := &trial{draw: d}
	for tr.s == nil {
		if tr.s = load(name, randomgraph.Make(r, name, options)); tr.s == nil {
			tr.refused++
		}
		if tr.refused > 100 {
			t.Fatal("the checks refuse whatever is made")
		}
	}
	for range scripts {
		tr.scripts = append(tr.scripts, randomScript(r, tr.s))
	}
	return tr
}

// nameOf is the name of the graph of a draw.
func nameOf(letter string, d tier.Draw) string {
	return fmt.Sprintf("%s%ds%d", letter, d.Number, d.Seed)
}

// load reads and checks a graph; one that is not valid is nil.
func load(name, text string) *shapes { return loadAmong(link.Among(nil, nil), name, text) }

// loadAmong loads a graph that may use others.
func loadAmong(others *link.Linker, name, text string) *shapes {
	g, found := spec.Load(name+".graph.yaml", []byte(text))
	if len(found) > 0 {
		return nil
	}
	others.Link(g)
	wrong := func(d diag.Diagnostic) bool {
		return d.Severity == diag.Error && d.Code != "GG170" && d.Code != "GG171"
	}
	if slices.ContainsFunc(check.Run(cfg.Of(g)), wrong) {
		return nil
	}
	return shapesOf(g)
}

// loadNested loads a graph that runs another.
func loadNested(name, text, inner, innerText string) *shapes {
	within := load(inner, innerText)
	if within == nil {
		return nil
	}
	s := loadAmong(link.Among([]diag.File{{Name: inner + ".graph.yaml", Text: innerText}}, nil), name, text)
	if s != nil {
		s.inner = within
	}
	return s
}

// judge returns the first mode in which a run differs from the model, and how; and how many runs it has compared.
func judge(s *shapes, script *scriptdriver.Script, answer scriptdriver.Answer) (differs string, compared int) {
	if script.Schedule > 0 {
		return judgeTimed(s, script, answer)
	}
	for _, mode := range scriptdriver.ModesOf(script, s.Durable.V) {
		got, own := answer.Results[mode.Name]
		if !own {
			got = answer.Results[scriptdriver.Plain]
		}
		want := expect(s, script, mode)
		if !mode.Observed {
			got.Events, want.Events = nil, nil
		}
		if mode.Death != "" {
			want, got = outliving(want), outliving(got)
		}
		if d := difference(want, got); d != "" {
			return fmt.Sprintf("mode %q: %s\nscript: %s", mode.Name, d, scriptText(script)), compared
		}
		compared++
	}
	return "", compared
}

// inner are the errors within that of a node, of which another process has the text alone.
var inner = regexp.MustCompile(`(node\([^()]*\)).*?( soft=|$)`)

// outliving is the part of a result that the processes of a thread share. Each has reports of child runs of its own.
func outliving(r scriptdriver.Result) scriptdriver.Result {
	r.Nested = nil
	r.Err = inner.ReplaceAllString(r.Err, "$1$2")
	r.Failures = slices.Clone(r.Failures)
	for i, f := range r.Failures {
		r.Failures[i] = inner.ReplaceAllString(f, "$1$2")
	}
	return r
}

// difference lists the fields in which two results differ.
func difference(want, got scriptdriver.Result) string {
	var b strings.Builder
	w, g := reflect.ValueOf(want), reflect.ValueOf(got)
	for i := range w.NumField() {
		a, c := w.Field(i), g.Field(i)
		if a.Kind() == reflect.Slice && a.Len()+c.Len() == 0 || reflect.DeepEqual(a.Interface(), c.Interface()) {
			continue
		}
		fmt.Fprintf(&b, "\n%s:\n", w.Type().Field(i).Name)
		if a.Kind() != reflect.Slice {
			fmt.Fprintf(&b, "  want %v\n  got  %v\n", a, c)
			continue
		}
		lists(&b, a.Interface().([]string), c.Interface().([]string))
	}
	return b.String()
}

// lists prints two lists next to each other, up to a little after their first difference.
func lists(b *strings.Builder, want, got []string) {
	at := func(list []string, i int) string {
		if i < len(list) {
			return list[i]
		}
		return "nothing"
	}
	differs := 0
	for i := 0; i < max(len(want), len(got)) && differs < 3; i++ {
		w, g := at(want, i), at(got, i)
		if w == g {
			fmt.Fprintf(b, "       %s\n", w)
			continue
		}
		differs++
		fmt.Fprintf(b, "  want %s\n  got  %s\n", w, g)
	}
}

func scriptText(s *scriptdriver.Script) string {
	text, err := json.Marshal(s)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
