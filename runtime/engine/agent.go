package engine

import (
	"context"
	"slices"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/errtree"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/internal/quote"
)

// Model returns the model of a node: the named one, or the light one, or else the one that the graph names, or the machine's.
// override is the name of another model for the provider to use. The error is a LimitError if there is a
// budget of money and the model has no price. While a thread replays the run, it needs none: no model is asked.
func (a *Agent) Model(own chat.Model, name string, light bool) (model chat.Model, override string, err error) {
	model, override, err = a.checkedModel(own, name, light)
	if err != nil && a.run.replays() {
		err = nil
	}
	return model, override, err
}

// checkedModel is Model, where a replay needs prices, too.
func (a *Agent) checkedModel(own chat.Model, name string, light bool) (model chat.Model, override string, err error) {
	s, graph := a.run.settings, a.run.Graph().Name
	if name == "" && !(light && s.LightModel != nil) {
		name = a.run.Graph().Model
	}
	if name != "" {
		if m, ok := s.model(name); ok {
			return m, "", a.priced(m, "", func() string { return "the model named " + quote.Text(name) })
		}
	}
	if light && s.LightModel != nil {
		return s.LightModel, name, a.priced(s.LightModel, name, func() string { return "the smaller model of graph " + graph })
	}
	model = own
	if s.Model != nil {
		model = s.Model
	}
	return model, name, a.priced(model, name, func() string { return "the model of graph " + graph })
}

// A ModelUse identifies a model that a graph calls: by its name, as the light model, or, if it
// is zero, the machine's own.
type ModelUse struct {
	Name  string
	Light bool
}

// unaffordable returns why the run cannot have its budget of money: one of its nodes' models has no price. own is the
// machine's model.
func (a *Agent) unaffordable(own chat.Model) *graphgen.HookError {
	for _, use := range a.run.Graph().Models {
		if _, _, err := a.checkedModel(own, use.Name, use.Light); err != nil {
			return &graphgen.HookError{Where: a.run.where(a.run.Graph().to(entry)), Hook: "budget", Err: err}
		}
	}
	return nil
}

// priced returns an error when the run, or a parent, has a budget of money and the model has
// no price: the budget could not be enforced. name is the Model of the request; is describes which of
// the machine's models it is.
func (a *Agent) priced(model chat.Model, name string, is func() string) error {
	at := a.run
	for at.settings.Budgets.Cost == 0 && !at.settings.sharesMoney() {
		if at.settings.nesting == nil {
			return nil
		}
		at = at.settings.nesting.run
	}
	part := chat.Unpriced(model, name)
	switch part {
	case "":
		return nil
	case chat.NoPrice:
		part = is()
	default:
		part += " of " + is()
	}
	spent := &graphgen.LimitError{Limit: graphgen.LimitBudget, Of: "US dollars", Max: at.settings.Budgets.Cost, Unpriced: part}
	if at != a.run {
		spent.Origin = origin.To(at)
	}
	return spent
}

// CallAround calls a tool by a caller, which does not panic, through the tool wrappers, which may panic.
func (a *Agent) CallAround(ctx context.Context, call *chat.ToolCall, caller chat.ToolFunc) (result chat.ToolResult, err error) {
	defer func() { a.run.Graph().Caught(recover(), &err) }()
	for _, around := range slices.Backward(a.run.settings.ToolWrappers) {
		caller = around(caller)
	}
	result, err = caller(ctx, call)
	return result, errtree.Sound(err)
}

// Open marks the start of a prompt: the usage of models and tools counts from there.
func (a *Agent) Open() {
	a.enterNode()
	a.closeNode()
}

// RecordAnswer records the answer for the event that ends the step.
func (a *Agent) RecordAnswer(answer string) {
	if a.run.settings.isWatched() {
		a.answer = answer
	}
}

// SetConfidence records the confidence of the current node's answer, from 0 to 1.
func (a *Agent) SetConfidence(confidence float64) {
	a.enterNode()
	a.since.confidence = confidence
}

// Emit sends an event of the current node to the observers.
func (a *Agent) Emit(e graphgen.Event) {
	if !a.run.settings.Observed() {
		return
	}
	e.Node = a.run.Graph().NodeName(a.run.here())
	a.run.notify(&e)
}

// Progress reports what happens in the current node, and the text that belongs to it.
func (a *Agent) Progress(what, text string) {
	a.Emit(graphgen.Event{Kind: graphgen.Progress, Details: origin.Details{More: what, Text: text}})
}

// StreamDelta reports a piece of the answer of a call of a model.
func (a *Agent) StreamDelta(call int, d chat.Delta) {
	e := graphgen.Event{Kind: graphgen.Token, Details: origin.Details{Number: call, Text: d.Text}}
	switch {
	case d.Reasoning == "" && d.Tool == "":
	case d.Text == "" && d.Tool == "":
		e.Details.Text, e.Details.More = d.Reasoning, origin.Reasoning{}
	default:
		whole := d
		e.Details.More = &whole
	}
	a.Emit(e)
}

// IsOverBudget reports whether an error is that the budget of the run in which it occurred is
// spent or cannot be enforced. The same error of another run, which a handler or a tool
// started, does not count.
func IsOverBudget(err error) bool { return overBudget(err) != nil }

func overBudget(err error) *graphgen.LimitError {
	switch e := err.(type) {
	case *graphgen.LimitError:
		return budgetOf(e)
	case *graphgen.RunError:
		return nil
	case interface{ Unwrap() error }:
		return overBudget(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			if spent := overBudget(part); spent != nil {
				return spent
			}
		}
	}
	return nil
}

// NextCall returns the number of a call of a model that begins, or that another process has made. It is 0 where nothing observes the run, and it
// is in no thread.
func (a *Agent) NextCall() int {
	r := a.run
	threaded := r.settings.thread != nil
	if !threaded && !r.settings.Observed() {
		return 0
	}
	r = r.related.root
	for n := r.settings.nesting; n != nil && (n.observed || threaded); n = r.settings.nesting {
		r = n.run.related.root
	}
	return int(r.watch().calls.Add(1))
}
