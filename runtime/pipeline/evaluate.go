package pipeline

import (
	"cmp"
	"context"
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
)

const (
	evaluating      = "You judge a text by one criterion. Say whether the text meets it, by the text alone."
	evaluatingShown = "You judge a text by one criterion. Say whether the text meets it, by the text and the fields beside it alone."
)

// Gate has a model judge a text by a criterion. It returns the reason for a negative judgement as a guard does.
func Gate(ctx context.Context, run *engine.Run, own chat.Model, criterion, text string) error {
	return new(Shown).Gate(ctx, run, own, criterion, text)
}

// Gate is the function Gate, for a model that is shown the fields, too.
func (s *Shown) Gate(ctx context.Context, run *engine.Run, own chat.Model, criterion, text string) error {
	r, err := s.review(ctx, run, own, criterion, text)
	if err != nil || r.Pass {
		return err
	}
	return graphgen.Reject(cmp.Or(strings.TrimSpace(r.Message), "does not hold: "+criterion))
}

// GateJSON is the function Gate, for a value.
func GateJSON(ctx context.Context, run *engine.Run, own chat.Model, criterion string, v codec.Marshaler) error {
	return new(Shown).GateJSON(ctx, run, own, criterion, v)
}

// GateJSON is the function GateJSON, for a model that is shown the fields, too.
func (s *Shown) GateJSON(ctx context.Context, run *engine.Run, own chat.Model, criterion string, v codec.Marshaler) error {
	data, err := codec.AppendBrief(nil, v)
	if err != nil {
		return err
	}
	return s.Gate(ctx, run, own, criterion, string(data))
}

// Evaluate has a model judge a text by a criterion. It reports the reason for a negative judgement as progress.
func Evaluate(ctx context.Context, run *engine.Run, own chat.Model, criterion, text string) (bool, error) {
	return new(Shown).Evaluate(ctx, run, own, criterion, text)
}

// Evaluate is the function Evaluate, for a model that is shown the fields, too.
func (s *Shown) Evaluate(ctx context.Context, run *engine.Run, own chat.Model, criterion, text string) (bool, error) {
	r, err := s.review(ctx, run, own, criterion, text)
	if err == nil && !r.Pass && run.Settings().Observed() {
		run.Agent().Progress("does not hold: "+criterion, r.Message)
	}
	return err == nil && r.Pass, err
}

func (s *Shown) review(ctx context.Context, run *engine.Run, own chat.Model, criterion, text string) (r Review, err error) {
	if s.err != nil {
		return r, s.err
	}
	system := evaluating
	if len(s.reads) > 0 {
		system = evaluatingShown
	}
	var asked Text
	asked.String("Criterion: ").String(criterion).String("\n\n")
	s.write(&asked)
	asked.String("Text:\n").fenced(text, false)
	model, name, err := run.Agent().Model(own, "", false)
	if err != nil {
		return r, err
	}
	resp, err := generate(ctx, run, model, &chat.Request{
		Purpose:     chat.Evaluate,
		Model:       name,
		System:      system,
		Messages:    []chat.Message{chat.UserText(string(asked))},
		Output:      &chat.Schema{Name: "verdict", JSON: ReviewSchema},
		Temperature: run.Graph().Temperature,
	}, criterion)
	if err != nil {
		return r, err
	}
	if err := decode(resp.Message.Text, &r); err != nil {
		return Review{}, malformed(resp, err)
	}
	return r, nil
}

// EvaluateJSON has a model judge a value by a criterion.
func EvaluateJSON(ctx context.Context, run *engine.Run, own chat.Model, criterion string, v codec.Marshaler) (bool, error) {
	return new(Shown).EvaluateJSON(ctx, run, own, criterion, v)
}

// EvaluateJSON is the function EvaluateJSON, for a model that is shown the fields, too.
func (s *Shown) EvaluateJSON(ctx context.Context, run *engine.Run, own chat.Model, criterion string, v codec.Marshaler) (bool, error) {
	data, err := codec.AppendBrief(nil, v)
	if err != nil {
		return false, err
	}
	return s.Evaluate(ctx, run, own, criterion, string(data))
}
