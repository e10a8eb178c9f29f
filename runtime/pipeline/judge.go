package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
)

// A Question is the choice between natural-language edges of one node that are open.
type Question struct {
	Shown        // fields of the state that the model is shown, too
	Default bool // there is an edge without condition
	choices []choice
}

type choice struct {
	edge engine.TransitionID
	when string
}

// Offer adds an edge.
func (q *Question) Offer(edge engine.TransitionID, when string) {
	q.choices = append(q.choices, choice{edge, when})
}

// The results of Judge besides an edge.
const (
	NoneHolds = engine.Terminal // the model's answer is that none of them holds
	NoAnswer  = engine.NoRoute  // its answer is not a choice, or is missing, or nothing was asked
)

// Judge asks the model which of the offered edges to follow. It does not ask when no edge is
// offered, or in a dry run. The model can choose "None" where there is an edge without
// condition, which is then the default, and where only one edge is left. An invalid answer, or
// a failure of the judge, is reported as rejected.
func Judge(ctx context.Context, run *engine.Run, own chat.Model, results *Results, q *Question) engine.TransitionID {
	switch {
	case len(q.choices) == 0, run.Settings().DryRun:
		return NoAnswer
	}
	edge, answer, err := q.judge(ctx, run, own, results)
	if edge == NoAnswer {
		run.Agent().RejectJudgement(answer, err)
	}
	return edge
}

func (q *Question) none() bool { return q.Default || len(q.choices) == 1 }

func (q *Question) judge(ctx context.Context, run *engine.Run, own chat.Model, results *Results) (edge engine.TransitionID, answer string, err error) {
	view, err := results.view()
	if err = cmp.Or(err, q.err); err != nil {
		return NoAnswer, "", err
	}
	model, name, err := run.Agent().Model(own, "", false)
	if err != nil {
		return NoAnswer, "", err
	}
	resp, err := generate(ctx, run, model, &chat.Request{
		Purpose:     chat.Judge,
		Model:       name,
		System:      q.system(),
		Messages:    []chat.Message{chat.UserText(q.text(view))},
		Output:      q.schema(),
		Temperature: run.Graph().Temperature,
	}, q.author())
	if err != nil {
		return NoAnswer, "", err
	}
	var b ballot
	if err := decode(resp.Message.Text, &b); err != nil {
		return NoAnswer, resp.Message.Text, err
	}
	if b.choice == "none" && q.none() {
		return NoneHolds, b.choice, nil
	}
	for i, c := range q.choices {
		if b.choice == strconv.Itoa(i+1) {
			return c.edge, b.choice, nil
		}
	}
	return NoAnswer, b.choice, nil
}

const judging = "A workflow is between two of its steps. You are given its input, the results of the steps " +
	"so far, and conditions under which it goes on. Say which condition holds, by its number. Go by the results alone."

const judgingShown = "A workflow is between two of its steps. You are given its input, the results of the steps " +
	"so far, fields of its state, and conditions under which it goes on. Say which condition holds, by its number. " +
	"Go by the results and the fields alone."

func (q *Question) system() string {
	if len(q.reads) > 0 {
		return judgingShown
	}
	return judging
}

func (q *Question) text(view string) string {
	var t Text
	t.String(view).String("\n\n")
	q.write(&t)
	t.String("Conditions:\n")
	for i, c := range q.choices {
		t.Int(i + 1).String(": ").String(strings.TrimSpace(c.when)).String("\n")
	}
	if q.none() {
		t.String("none: none of the above\n")
	}
	return string(trimEnd(t))
}

// author returns the conditions that were offered: what the author wrote.
func (q *Question) author() string {
	var t Text
	for _, c := range q.choices {
		t.String(strings.TrimSpace(c.when)).String("\n")
	}
	return string(t)
}

func (q *Question) schema() *chat.Schema {
	var t Text
	t.String(`{"type":"object","properties":{"choice":{"type":"string","enum":[`)
	for i := range q.choices {
		if i > 0 {
			t.String(",")
		}
		t.String(`"`).Int(i + 1).String(`"`)
	}
	if q.none() {
		t.String(`,"none"`)
	}
	t.String(`]}},"required":["choice"],"additionalProperties":false}`)
	return &chat.Schema{Name: "choice", JSON: string(t)}
}

// view writes the input and the results for the model that judges.
func (r *Results) view() (string, error) {
	var b bytes.Buffer
	e := jsontext.NewEncoder(&b, jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true))
	if err := write(e, jsontext.BeginObject, jsontext.String("input")); err != nil {
		return "", err
	}
	input := []byte("null")
	if r.input != nil {
		data, err := codec.AppendBrief(nil, r.input)
		if err != nil {
			return "", err
		}
		input = data
	}
	if err := e.WriteValue(input); err != nil {
		return "", err
	}
	if err := write(e, jsontext.String("results"), jsontext.BeginArray); err != nil {
		return "", err
	}
	for i := range r.list {
		if err := r.list[i].view(e); err != nil {
			return "", err
		}
	}
	if err := write(e, jsontext.EndArray, jsontext.EndObject); err != nil {
		return "", err
	}
	return strings.TrimSpace(b.String()), nil
}

// A ballot is the answer of a judge.
type ballot struct{ choice string }

var ballotJSON = codec.Members{Type: "choice", Names: []string{"choice"}}

// DecodeJSON reads {"choice": "1"}.
func (b *ballot) DecodeJSON(d *codec.Decoder) {
	o := codec.ReadObject(d, &ballotJSON)
	for o.Next() {
		codec.ReadString(&b.choice, d)
	}
}
