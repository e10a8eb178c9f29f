package scenario

import (
	"fmt"
	"strings"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/scenario/wire"
	"github.com/graphgen/graphgen/spec"
)

// An Answering is the part of an entry for a human node. Without an answer the run stays paused.
type Answering struct {
	Approve spec.Value[bool]
	Late    bool
}

// answeringKeys are the keys of an entry for human nodes.
var answeringKeys = []row[Entry]{
	{Key{Name: "approve", Form: formBool, Example: "true",
		Doc: "Of a node that asks a person: yes, or with `false` no. An entry with neither this nor `out` nor `late` is not an answer: " +
			"the run stays paused."}, func(e *Entry) any { return &e.Approve }},
	{Key{Name: "late", Form: formYes, Example: "true", Doc: "Of a node that asks a person: the answer comes after its deadline."},
		func(e *Entry) any { return yes(&e.Late) }},
}

// questionKeys are the expectations about requests to people.
var questionKeys = []row[Expect]{
	{Key{Name: "question", Form: formTexts, Example: "Shall it be published?",
		Doc: "A part of the question that the run asked last, or a list of parts. Of several questions that are open each is a line."}, func(e *Expect) any {
		return reads(func(r *reader, v *Value, k *Key) { e.Question, e.QuestionPos = r.Names(v, k), v.Pos })
	}},
	{Key{Name: "requests", Form: formNames, Example: "[lawyer.1, style/editor.1]",
		Doc: "The IDs of the requests for which the run waits at its end, in order: `[]` if it waits for none."},
		func(e *Expect) any { return namesAt{&e.Requests, &e.RequestsPos} }},
}

// answeringSuits returns the keys of entries about people, and those about executions, which human
// nodes do not have.
func (b *binder) answeringSuits(n *plan.Node) []suit {
	h, asks := n.Work.(*plan.Human)
	suits := []suit{
		{"approve", asks && n.Out == nil, "asks no person for a yes or no",
			"a node of kind human without `output` does; an approval of a tool is answered beside `script`: `answers: [{to: TOOL, answer: approve}]`"},
		{"late", asks && h.Timeout > 0, "waits for no answer until a deadline", "a node of kind human with a `timeout` does"},
	}
	for _, key := range []string{"error", "panic", "hang", "cancel", "given"} {
		suits = append(suits, suit{key, !asks, "asks a person, and executes nothing", "write what the person answers: `approve` or `out`"})
	}
	return suits
}

// answer adds the answer of a person.
func (e *Entry) answer(w *wire.Entry) {
	w.Late = e.Late
	switch {
	case !e.Approve.IsSet():
	case e.Approve.V:
		w.Approve = "yes"
	default:
		w.Approve = "no"
	}
}

// question compares the last request.
func (j *judgement) question() {
	x := &j.o.Expect
	if x.Requests != nil {
		j.path("requests", x.RequestsPos.Line, *x.Requests, j.got.Requests)
	}
	for _, part := range x.Question {
		if !strings.Contains(j.got.Question, part.V) {
			got := none
			if j.got.Question != "" {
				got = quote(j.got.Question)
			}
			j.fail("question", x.QuestionPos.Line, quote(part.V), got)
			return
		}
	}
}

// writeHumans writes how the runs of a machine are resumed with answers.
func writeHumans(b *strings.Builder, m *plan.Machine) {
	if m.Pauses() {
		b.WriteString("\t\tharness.Resumes(s, m.Resume)\n")
	}
	write := func(path string, decides bool, answer string) {
		how := "Replies"
		if decides {
			how = "Decides"
		}
		fmt.Fprintf(b, "\t\tharness.%s(s, %q, %s)\n", how, path, answer)
	}
	for n, h := range plan.Works[*plan.Human](m) {
		write(n.Name, n.Out == nil, h.Answer)
	}
	for _, h := range m.Humans.NestedHumans {
		write(h.Path, h.Out == nil, h.Answer)
	}
}
