package scenario

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/scenario/wire"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// judge compares the result of a scenario with its expectations.
func judge(o *bound, got *wire.Result) []Failure {
	j := &judgement{o: o, got: got}
	if got.Problem != "" {
		j.fail("run", o.Pos.Line, "", got.Problem)
		return j.failures
	}
	x := &o.Expect
	if x.Path != nil {
		j.path("path", x.PathPos.Line, *x.Path, got.Path)
	}
	if x.End.V != "" && x.End.V != got.End {
		j.fail("end", x.End.Pos.Line, x.End.V, got.End)
	}
	if is := cmp.Or(got.Ending, none); x.Ending.V != "" && x.Ending.V != is {
		j.fail("ending", x.Ending.Pos.Line, x.Ending.V, is)
	}
	j.error()
	j.value("state", x.State, o.state, got.State, o.machine.Types.State)
	j.value("output", x.Output, o.output, got.Output, o.machine.Types.Output)
	j.counts()
	j.spent()
	j.question()
	j.unanswered()
	if x.Skipped != nil {
		var skipped []string
		for _, e := range got.Events {
			if e.Skipped {
				skipped = append(skipped, e.Node)
			}
		}
		j.path("skipped", x.SkipPos.Line, *x.Skipped, skipped)
	}
	if x.Cancelled != nil {
		j.path("cancelled", x.CancelPos.Line, *x.Cancelled, got.Cancelled)
	}
	j.events()
	j.messages()
	j.failed()
	j.mutations()
	j.given()
	if len(j.failures) == 0 {
		j.unused()
		j.unusedCalls()
	}
	return j.failures
}

// A judgement collects failures.
type judgement struct {
	o        *bound
	got      *wire.Result
	failures []Failure
}

func (j *judgement) fail(what string, line int, want, got string) {
	j.failures = append(j.failures, Failure{What: what, Line: line, Want: want, Got: got})
}

const none = "none"

// path compares a list of nodes, and marks the first difference.
func (j *judgement) path(what string, line int, want []spec.String, got []string) {
	names := make([]string, len(want))
	for i := range want {
		names[i] = want[i].V
	}
	if slices.Equal(names, got) {
		return
	}
	same := 0
	for same < len(names) && same < len(got) && names[same] == got[same] {
		same++
	}
	f := Failure{What: what, Line: line, Want: cmp.Or(strings.Join(names, ", "), none), Got: cmp.Or(strings.Join(got, ", "), none), MarkWidth: 1}
	f.Mark = len(strings.Join(got[:same], ", "))
	if same < len(got) {
		f.MarkWidth = len(got[same])
		if same > 0 {
			f.Mark += len(", ")
		}
	}
	j.failures = append(j.failures, f)
}

// failingEnds are the ends of a run with an error.
var failingEnds = []string{"failed", "stopped", "max_steps", "budget", "interrupted"}

func (j *judgement) error() {
	x := &j.o.Expect
	e := j.got.Error
	switch {
	case x.Error != nil && e == nil:
		j.fail("error", x.Error.Pos.Line, x.Error.String(), none)
	case x.Error != nil:
		if !x.Error.matches(e) {
			j.fail("error", x.Error.Pos.Line, x.Error.String(), describe(e))
		}
	case e == nil:
	case x.NoError.IsSet():
		j.fail("error", x.NoError.Line, none, describe(e))
	case !slices.Contains(failingEnds, x.End.V) || x.End.V != j.got.End:
		got := describe(e)
		if len(j.got.Requests) > 0 {
			got += "; answer it beside the script, as in answers: [{to: " + j.got.Requests[0] + ", answer: approve}], or expect end: interrupted"
		}
		j.fail("error", x.Pos.Line, none, got)
	}
}

// String describes the expected error.
func (m *ErrorMatch) String() string {
	var parts []string
	add := func(key string, s spec.String) {
		if s.V != "" {
			parts = append(parts, key+": "+showText(s.V))
		}
	}
	add("type", m.Type)
	add("limit", m.Limit)
	add("kind", m.Kind)
	add("node", m.Node)
	add("branch", m.Branch)
	for key, v := range map[string]spec.Value[int]{"visit": m.Visit, "line": m.Line} {
		if v.IsSet() {
			parts = append(parts, key+": "+strconv.Itoa(v.V))
		}
	}
	for key, v := range map[string]spec.Value[bool]{"soft": m.Soft, "cleared": m.Cleared} {
		if v.IsSet() {
			parts = append(parts, key+": "+strconv.FormatBool(v.V))
		}
	}
	if len(parts) == 0 && len(m.Texts) == 1 {
		return "an error with the text " + quote(m.Texts[0].V)
	}
	for _, text := range m.Texts {
		add("text", text)
	}
	slices.Sort(parts)
	return "{" + strings.Join(parts, ", ") + "}"
}

func (m *ErrorMatch) matches(e *wire.Error) bool {
	return (m.Type.V == "" || slices.Contains(e.Types, m.Type.V)) &&
		(m.Limit.V == "" || slices.Contains(e.Limits, m.Limit.V)) &&
		(m.Kind.V == "" || slices.Contains(e.Kinds, m.Kind.V)) &&
		!slices.ContainsFunc(m.Texts, func(text spec.String) bool { return !strings.Contains(e.Text, text.V) }) &&
		(m.Node.V == "" || m.Node.V == e.Node) &&
		(m.Branch.V == "" || m.Branch.V == e.Branch) &&
		(!m.Visit.IsSet() || m.Visit.V == e.Visit) &&
		(!m.Line.IsSet() || m.Line.V == e.Line)
}

func describe(e *wire.Error) string {
	return strings.Join(e.Types, " > ") + ": " + e.Text
}

// value compares the given fields of a struct.
func (j *judgement) value(what string, written *Value, want any, got wire.Value, t *resolve.Type) {
	if written == nil {
		return
	}
	j.compare(what, written.Pos.Line, want, parseValue(got), t)
}

func parseValue(v wire.Value) any {
	d := json.NewDecoder(bytes.NewReader(v))
	d.UseNumber()
	var out any
	if d.Decode(&out) != nil {
		return nil
	}
	return out
}

// compare compares a value with the expected one: the given fields of a struct, of a variant or of media, or
// the whole value of another type.
func (j *judgement) compare(what string, line int, want, got any, t *resolve.Type) {
	t = t.Base()
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok && t.Kind == resolve.Union {
			j.compareVariants(what, line, w, g, t)
			return
		}
		if g, ok := got.(map[string]any); ok && t.Kind == resolve.Media {
			j.compareMedia(what, line, w, g, t)
			return
		}
		if g, ok := got.(map[string]any); ok && (t.Kind == resolve.Struct || t.Kind == resolve.Message || sameKeys(w, g)) {
			j.compareFields(what, line, w, g, t)
			return
		}
	case []any:
		if g, ok := got.([]any); ok && len(g) == len(w) {
			for i := range w {
				j.compare(fmt.Sprintf("%s[%d]", what, i), line, w[i], g[i], t.Elem)
			}
			return
		}
	default:
		if sameScalar(want, got) {
			return
		}
	}
	j.fail(what, line, show(want, t), show(got, t))
}

func (j *judgement) compareFields(what string, line int, want, got map[string]any, t *resolve.Type) {
	for _, f := range t.Fields {
		if w, ok := want[f.GoName]; ok {
			j.compare(what+"."+f.Name, line, w, got[f.GoName], f.Type)
		}
	}
	if t.Kind != resolve.Map {
		return
	}
	keys := make([]string, 0, len(want))
	for key := range want {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		j.compare(what+"["+showText(key)+"]", line, want[key], got[key], t.Elem)
	}
}

func sameKeys(a, b map[string]any) bool {
	for key := range a {
		if _, ok := b[key]; !ok {
			return false
		}
	}
	return len(a) == len(b)
}

func sameScalar(a, b any) bool {
	x, okX := a.(json.Number)
	y, okY := b.(json.Number)
	if !okX || !okY || x == y {
		return a == b
	}
	f, errX := x.Float64()
	g, errY := y.Float64()
	return errX == nil && errY == nil && f == g && strings.ContainsAny(string(x)+string(y), ".eE")
}

// counts compares the counters.
func (j *judgement) counts() {
	got := map[string]int{
		"max_at_once": j.got.MaxAtOnce, "steps": j.got.Steps, "retries": j.got.Retries, "cache_hits": j.got.CacheHits,
		"rejected": j.got.Rejected, "refused": j.got.Refused, "hook_failures": j.got.HookFailures,
		"model_calls": j.got.Spent.ModelCalls, "tool_calls": j.got.Spent.Tools.Made, "tool_failures": j.got.Spent.Tools.Failed,
		"deduplicated": j.got.Spent.Tools.Deduplicated,
	}
	for _, c := range j.o.Expect.Counts {
		if n := got[c.Name.V]; n != c.Want {
			j.fail(c.Name.V, c.Name.Pos.Line, strconv.Itoa(c.Want), strconv.Itoa(n))
		}
	}
	j.takes()
	j.followed()
	for _, p := range j.o.Expect.Passed {
		what := p.From.V + " " + p.To.V
		if n := j.got.Passed[what]; n != p.Want {
			j.fail("passed "+what, p.Pos.Line, strconv.Itoa(p.Want), strconv.Itoa(n))
		}
	}
	if x := &j.o.Expect; x.LeftOut != nil {
		j.path("left_out", x.LeftOutPos.Line, *x.LeftOut, j.got.LeftOut)
	}
	executed := make(map[string]int)
	for _, e := range j.got.Executions {
		executed[e.Node]++
	}
	for _, c := range j.o.Expect.Executed {
		if n := executed[c.Name.V]; n != c.Want {
			j.fail("executed "+c.Name.V, c.Name.Pos.Line, strconv.Itoa(c.Want), strconv.Itoa(n))
		}
	}
	if cut := j.o.Expect.Cut; cut.IsSet() {
		fields, _ := parseValue(j.got.Output).(map[string]any)
		if was := fields[plan.FlagName] == true; was != cut.V {
			j.fail("max_steps_reached", cut.Pos.Line, strconv.FormatBool(cut.V), strconv.FormatBool(was))
		}
	}
}

// failed compares the failed steps.
func (j *judgement) failed() {
	if j.o.Expect.Failures == nil {
		return
	}
	want, line := *j.o.Expect.Failures, j.o.Expect.FailPos.Line
	for i, m := range want {
		what := fmt.Sprintf("failures[%d]", i)
		if i >= len(j.got.Failures) {
			j.fail(what, m.Pos.Line, m.String(), none)
			continue
		}
		f := j.got.Failures[i]
		if !m.matches(&f.Error) || m.Soft.IsSet() && m.Soft.V != f.Soft || m.Cleared.IsSet() && m.Cleared.V != f.Cleared {
			j.fail(what, m.Pos.Line, m.String(), describeFailure(f))
		}
	}
	for i := len(want); i < len(j.got.Failures); i++ {
		j.fail(fmt.Sprintf("failures[%d]", i), line, none, describeFailure(j.got.Failures[i]))
	}
}

func describeFailure(f wire.Failure) string {
	s := describe(&f.Error)
	if f.Soft {
		s += " (soft)"
	}
	if f.Cleared {
		s += " (cleared)"
	}
	return s
}

// unused reports entries of the script that were not executed, so that nothing tested them. It
// comes last: a run that took another path than expected executes fewer entries.
func (j *judgement) unused() {
	for _, script := range j.o.Script {
		used := j.got.Calls[script.Node.V]
		for i, entries := range script.leaves() {
			if i < len(used) && used[i] < len(entries) {
				j.fail("script of "+script.Node.V, entries[used[i]].Pos.Line, counted(len(entries), "execution"), counted(used[i], "execution"))
			}
		}
	}
}

// given compares the inputs of handlers with those in the executed entries.
func (j *judgement) given() {
	for _, e := range j.got.Executions {
		entries := j.o.results[e.Node]
		if e.Entry < 0 || e.Entry >= len(entries) || entries[e.Entry].Given == nil {
			continue
		}
		j.givenTo(&e, entries[e.Entry].Given)
	}
}

// guardGiven compares what a guard was given with what it must be. A guard after one that refuses is
// asked, too.
func (j *judgement) guardGiven(what string, e *wire.Execution, g GuardGiven) {
	for _, guard := range j.o.scripted[e.Node].n.Checks.Guards {
		if guard.Name != g.Guard.V || guard.In == nil {
			continue
		}
		was, ok := e.Guards[guard.Name]
		if !ok {
			j.fail(what+": guard "+guard.Name, g.In.Pos.Line, "a call", none)
			continue
		}
		j.compare(what+": guard "+guard.Name, g.In.Pos.Line, j.o.guarded[g.In], parseValue(was), guard.In)
	}
}

func (j *judgement) givenTo(e *wire.Execution, g *Given) {
	what := "given to " + e.Node
	if e.Branch != "" {
		what += " in branch " + e.Branch
	}
	if e.Step > 0 {
		what += fmt.Sprintf(" in step %d", e.Step)
	}
	for _, number := range []struct {
		name string
		want spec.Value[int]
		got  int
	}{{"step", g.Step, e.Step}, {"visit", g.Visit, e.Visit}, {"attempt", g.Attempt, e.Attempt}} {
		if number.want.IsSet() && number.want.V != number.got {
			j.fail(what+": "+number.name, number.want.Pos.Line, strconv.Itoa(number.want.V), strconv.Itoa(number.got))
		}
	}
	if g.Prompt != nil && e.Prompt != nil {
		j.prompt(what+": prompt", g.Prompt, e.Prompt)
	}
	if want, ok := j.o.given[g]; ok {
		of := j.o.scripted[e.Node]
		in := of.m.Types.State
		if of.n.In != nil {
			in = of.n.In
		}
		j.compare(what+": in", g.In.Pos.Line, want, parseValue(e.In), in)
	}
	for _, guard := range g.Guards {
		j.guardGiven(what, e, guard)
	}
	if g.Feedback != nil {
		j.feedback(what, g, e.Feedback)
	}
	switch {
	case g.NoFailure.IsSet() && e.Failure != "":
		j.fail(what+": failure", g.NoFailure.Line, none, e.Failure)
	case g.Failure.V != "" && !strings.Contains(e.Failure, g.Failure.V):
		j.fail(what+": failure", g.Failure.Pos.Line, quote(g.Failure.V), cmp.Or(e.Failure, none))
	}
}

func (j *judgement) feedback(what string, g *Given, got []string) {
	var want []string
	line := 0
	for _, s := range *g.Feedback {
		want, line = append(want, s.V), s.Pos.Line
	}
	if !slices.Equal(want, got) {
		j.fail(what+": feedback", line, cmp.Or(strings.Join(want, "; "), none), cmp.Or(strings.Join(got, "; "), none))
	}
}
