// Package desk sorts and answers the messages of customers. It shows a typed answer, edges that a
// model judges, a tool loop, evals that conditions see, budgets, a smaller model, and what goes
// around a model.
package desk

import (
	"context"
	"errors"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
)

//go:generate go tool graphgen

// A Staff is what the graph needs from us: its handlers and its tools.
type Staff struct {
	Services map[string]string         // how they are doing
	Wakes    func(reason string) error // the person on duty
}

// Status is the tool. The model receives its error.
func (s Staff) Status(_ context.Context, args DeskStatusArgs) (string, error) {
	status, ok := s.Services[args.Service]
	if !ok {
		return "", errors.New("there is no service " + args.Service)
	}
	return status, nil
}

// Wake is the handler of the node.
func (s Staff) Wake(_ context.Context, in DeskWakeIn) error {
	return s.Wakes(in.Ticket.Summary)
}

// Handle sorts and answers a message. The model that sorts may be a smaller one.
func (s Staff) Handle(ctx context.Context, model, small chat.Model, message string, opts ...graphgen.RunOption) (DeskOutput, error) {
	m, err := NewDesk(s, s, model, graphgen.WithLightModel(small))
	if err != nil {
		return DeskOutput{}, err
	}
	return m.Run(ctx, DeskInput{Message: message}, opts...)
}

// Reliable returns a model with retries, a fallback and prices.
func Reliable(first, second chat.Model) chat.Model {
	return chat.Fallback(
		chat.Retry(chat.Priced(first, chat.Price{Input: 1.25, Output: 10}), chat.Backoff{Attempts: 4}),
		chat.Priced(second, chat.Price{Input: 0.25, Output: 2}),
	)
}
