package river

import (
	"context"
	"errors"
	"fmt"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
)

// A Machine is a machine whose threads a worker works on, and which checks inputs and answers before they are jobs: Durable makes one.
type Machine struct {
	graph, shape string
	store        thread.Store
	err          error

	reads   func(input []byte) error                                             // nil: it is an input of the graph
	fits    func(ctx context.Context, name, request string, answer []byte) error // nil: the thread waits for it; it answers nothing
	start   func(ctx context.Context, name, run string, input []byte, watch graphgen.Option) error
	resume  func(ctx context.Context, a *answerArgs, watch graphgen.Option) error
	recover func(ctx context.Context, name string, watch graphgen.Option) error
	info    func(ctx context.Context, name string) (thread.Info, error)
}

// An input is what decodes to an input of a machine; generated inputs do.
type input[In any] interface {
	*In
	UnmarshalJSON([]byte) error
}

// Durable returns a machine of a durable graph for a worker. Its store is the one of the queue, and its type arguments are inferred:
//
//	river.Durable(m)
//
// A graph with secret fields is refused by Work, and where it is the Machine of an Order or a Reply: jobs have inputs and answers as they are.
func Durable[M, In, Out, S any, PIn input[In]](m interface {
	Thread(name string) thread.Thread[M, In, Out, S]
	Durable() *durable.Machine
}) *Machine {
	d := m.Durable()
	of := &Machine{graph: d.Graph.Name, shape: d.Shape(), info: func(ctx context.Context, name string) (thread.Info, error) { return m.Thread(name).Info(ctx) }}
	if of.store, of.err = d.Store(); of.err == nil && d.Secret {
		of.err = errors.New("it has secret fields, which would be in jobs as they are: use thread.Recover for it")
	}
	read := func(input []byte) (in In, err error) {
		if err := PIn(&in).UnmarshalJSON(input); err != nil {
			return in, &inputError{err}
		}
		return in, nil
	}
	of.reads = func(input []byte) error {
		_, err := read(input)
		return err
	}
	of.fits = func(ctx context.Context, name, request string, answer []byte) error {
		return durable.Fits(ctx, d, name, []graphgen.Answer[M]{graphgen.AnswerJSON[M](request, answer)})
	}
	of.start = func(ctx context.Context, name, run string, input []byte, watch graphgen.Option) error {
		in, err := read(input)
		if err != nil {
			return err
		}
		_, err = m.Thread(name).Start(ctx, in, watch, graphgen.WithRunID(run))
		return err
	}
	of.resume = func(ctx context.Context, a *answerArgs, watch graphgen.Option) error {
		answer := graphgen.AnswerJSON[M](a.Request, []byte(a.Answer))
		_, err := m.Thread(a.Thread).Resume(ctx, answer, watch, graphgen.AnsweredBy(a.By), graphgen.AnswerNote(a.Note))
		return err
	}
	of.recover = func(ctx context.Context, name string, watch graphgen.Option) error {
		_, err := m.Thread(name).Recover(ctx, watch)
		return err
	}
	return of
}

// knows returns why a job of a graph cannot be one of the machine.
func (m *Machine) knows(graph string) error {
	switch {
	case m.err != nil:
		return fmt.Errorf("river: graph %q: %w", m.graph, m.err)
	case m.graph != graph:
		return fmt.Errorf("river: the machine of graph %q is given for graph %q", m.graph, graph)
	}
	return nil
}

// An inputError is the error of an input that is not one of the graph.
type inputError struct{ err error }

func (e *inputError) Error() string { return "the input is not valid: " + e.err.Error() }
func (e *inputError) Unwrap() error { return e.err }
