package threads

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
)

// A Position is where a thread is that has not completed. It has nothing of the state.
type Position struct {
	Thread string `json:"thread"`
	Graph  string `json:"graph"`
	Shape  string `json:"shape"` // of the version that saved it
	Status string `json:"status"`
	Runs   []Run  `json:"runs"`            // the outermost one, and the child runs that have not ended
	Error  string `json:"error,omitempty"` // the thread cannot be read
}

// A Run is where a run of a thread is.
type Run struct {
	At    string `json:"at,omitempty"`    // the nodes around it, with branches; empty: the outermost run
	Shape string `json:"shape,omitempty"` // of its graph
	Node  string `json:"node,omitempty"`  // to run next, or that runs; empty: the run has ended
}

// Positions yields where the threads of a store are that have not completed. The last pair has the error, if there is one.
func Positions(ctx context.Context, s thread.Store, f thread.Filter) iter.Seq2[Position, error] {
	if len(f.Status) == 0 {
		f.Status = []thread.Status{thread.Running, thread.Paused, thread.Failed, thread.Stopped}
	}
	return func(yield func(Position, error) bool) {
		for h, err := range thread.All(ctx, s, f) {
			if err != nil {
				yield(Position{}, err)
				return
			}
			p, gone := positionOf(ctx, s, &h)
			if !gone && !yield(p, nil) {
				return
			}
		}
	}
}

// positionOf returns where a thread is. gone reports that it was deleted since it was listed.
func positionOf(ctx context.Context, s thread.Store, h *thread.Head) (p Position, gone bool) {
	p = Position{Thread: h.Thread, Graph: h.Graph, Shape: h.Shape, Status: h.Status.String(), Runs: []Run{}}
	state, err := durable.StateAt(ctx, s, h.Thread, 0)
	if _, gone := errors.AsType[*thread.NotFoundError](err); gone {
		return p, true
	}
	if err != nil {
		p.Error = err.Error()
		return p, false
	}
	for i := range state.Runs {
		r := &state.Runs[i]
		run := Run{At: r.At, Shape: r.Shape, Node: r.Node}
		if r.Ended {
			run.Node = r.Next
		}
		if r.Failed != "" {
			run.Node = ""
		}
		p.Runs = append(p.Runs, run)
	}
	return p, false
}

// ReadPositions reads what the verb positions has written. name is what errors call it.
func ReadPositions(in io.Reader, name string) (list []Position, err error) {
	d := json.NewDecoder(in)
	d.DisallowUnknownFields()
	for {
		var p Position
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return list, nil
		case err != nil:
			return nil, fmt.Errorf("%s: value %d is not what graphgen threads positions writes: %w", name, len(list)+1, err)
		case p.Thread == "" || p.Graph == "":
			return nil, fmt.Errorf("%s: value %d is not what graphgen threads positions writes: it has no thread, or no graph", name, len(list)+1)
		}
		list = append(list, p)
	}
}

type positionsVerb struct {
	Store string `arg:"" help:"The URL of the store, such as file:threads."`
	selection
}

func (positionsVerb) Help() string {
	return `Each thread that has not completed is a line of JSON: its name, graph, shape and status, and the node of each
of its runs. It does not contain state, questions or answers. With -status, only threads of these statuses are
written.

graphgen check -threads compares a spec with it, on any machine and without the store.

Examples:

  graphgen threads positions file:threads > positions.jsonl
  go tool threads positions sqlite:threads.db | graphgen check -threads - ./...
`
}

// Run writes where threads are.
func (v *positionsVerb) Run(ctx context.Context, c *Command) error {
	f, err := v.filter()
	if err != nil {
		return err
	}
	return c.with(ctx, v.Store, func(s thread.Store) error {
		for p, err := range Positions(ctx, s, f) {
			if err != nil {
				return err
			}
			if err := writeJSON(c.Data, p); err != nil {
				return err
			}
		}
		return nil
	})
}
