package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/scenario/wire"
	"github.com/graphgen/graphgen/spec"
)

// events searches for the expected events in order.
func (j *judgement) events() {
	at := 0
	for _, want := range j.o.Expect.Events {
		found := slices.IndexFunc(j.got.Events[at:], want.matches)
		if found < 0 {
			where := "never"
			if slices.ContainsFunc(j.got.Events, want.matches) {
				where = "only before the expected events that precede it"
			}
			j.fail("events", want.Pos.Line, want.String(), where)
			break
		}
		at += found + 1
	}
	if j.o.Expect.All != nil {
		j.allEvents(*j.o.Expect.All)
	}
}

// allEvents compares the events one by one and reports the first difference.
func (j *judgement) allEvents(want []EventMatch) {
	for i := range max(len(want), len(j.got.Events)) {
		wanted, got, line := none, none, j.o.Expect.AllPos.Line
		if i < len(want) {
			wanted, line = want[i].String(), want[i].Pos.Line
		}
		if i < len(j.got.Events) {
			e := j.got.Events[i]
			if i < len(want) && want[i].matches(e) {
				continue
			}
			got = showEvent(e)
		}
		j.fail(fmt.Sprintf("all_events[%d]", i), line, wanted, got)
		return
	}
}

func (m EventMatch) matches(e wire.Event) bool {
	for _, name := range [...]struct{ want, got string }{{m.Kind.V, e.Kind}, {m.Node.V, e.Node}, {m.Rule.V, e.Rule}, {m.Branch.V, e.Branch}} {
		if name.want != "" && name.want != name.got {
			return false
		}
	}
	for _, number := range [...]struct {
		want spec.Value[int]
		got  int
	}{{m.Step, e.Step}, {m.Visit, e.Visit}, {m.Attempt, e.Attempt}, {m.Line, e.Line}} {
		if number.want.IsSet() && number.want.V != number.got {
			return false
		}
	}
	sameTo := m.To.V == "" || m.To.V == cmp.Or(e.To, e.Tool) || spec.IsEnd(m.To.V) && spec.IsEnd(e.To)
	return sameTo && strings.Contains(e.Text, m.Text.V) && strings.Contains(e.Reason, m.Reason.V) && strings.Contains(e.Error, m.Error.V)
}

// String describes the event.
func (m EventMatch) String() string {
	words := []string{m.Kind.V}
	for _, part := range [...]struct {
		key   string
		value string
	}{
		{"", m.Node.V}, {"", m.To.V}, {"branch", m.Branch.V}, {"rule", m.Rule.V}, {"text", m.Text.V}, {"reason", m.Reason.V}, {"error", m.Error.V},
		{"step", numberText(m.Step)}, {"visit", numberText(m.Visit)}, {"attempt", numberText(m.Attempt)}, {"line", numberText(m.Line)},
	} {
		switch {
		case part.value == "":
		case part.key == "":
			words = append(words, part.value)
		default:
			words = append(words, part.key+": "+part.value)
		}
	}
	return strings.Join(words, " ")
}

func numberText(n spec.Value[int]) string {
	if !n.IsSet() {
		return ""
	}
	return strconv.Itoa(n.V)
}

func showEvent(e wire.Event) string {
	s := strings.Join(strings.Fields(e.Kind+" "+e.Node+" "+cmp.Or(e.To, e.Tool)), " ")
	if e.Branch != "" {
		s += " branch: " + e.Branch
	}
	if e.Text != "" {
		s += " " + quote(e.Text)
	}
	if e.Rule != "" {
		s += " (" + e.Rule + ")"
	}
	if e.Error != "" {
		s += ": " + e.Error
	}
	return s
}

// takes compares the virtual time of the run.
func (j *judgement) takes() {
	span := j.o.Expect.Takes
	got := time.Duration(j.got.Takes)
	if span == nil || span.Min <= got && got <= span.Max {
		return
	}
	want := span.Min.String()
	if span.Max != span.Min {
		want += " to " + span.Max.String()
	}
	j.fail("takes", span.Pos.Line, want, got.String())
}

// followed compares how often transitions were followed.
func (j *judgement) followed() {
	for _, f := range j.o.Expect.Followed {
		count := 0
		for i, w := range j.o.machine.Flow.Transitions {
			if i < len(j.got.Transitions) && w.From != nil && w.From.Name == f.From.V && leadsTo(w, f.To.V) {
				count += j.got.Transitions[i]
			}
		}
		if count != f.Want {
			j.fail("followed "+f.From.V+" "+f.To.V, f.Pos.Line, strconv.Itoa(f.Want), strconv.Itoa(count))
		}
	}
}

func leadsTo(w *plan.Transition, name string) bool {
	if w.To == nil {
		return spec.IsEnd(name)
	}
	return w.To.Name == name
}
