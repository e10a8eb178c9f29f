package durable

import (
	"context"
	"iter"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/thread"
)

// A Typed is what threads need of a machine M in its types.
type Typed[M, In, Out, State any] struct {
	Run func(context.Context, In, ...graphgen.RunOption) (Out, error)
	// Resume is nil if runs of the graph do not pause.
	Resume func(context.Context, *graphgen.Pause, graphgen.Answer[M], ...graphgen.ResumeOption) (Out, error)
	// State returns the state of a run of which nothing is known, and what lists its fields.
	State func() (*State, func(*codec.Cells))
	// Input returns what lists the fields of the state as they are with the input. It is nil if there are none.
	Input  func(In) func(*codec.Cells)
	Inputs []string // the names of the fields of the input
}

// Thread returns the handle of a thread of a machine.
func Thread[M, In, Out, State any](m *Machine, name string, t Typed[M, In, Out, State]) thread.Thread[M, In, Out, State] {
	return &handle[M, In, Out, State]{t, m, name}
}

// A handle is a thread of a machine.
type handle[M, In, Out, State any] struct {
	Typed[M, In, Out, State]
	machine *Machine
	name    string
}

func (h *handle[M, In, Out, State]) Name() string { return h.name }

func (h *handle[M, In, Out, State]) Start(ctx context.Context, in In, opts ...graphgen.RunOption) (Out, error) {
	var state func(*codec.Cells)
	if h.Typed.Input != nil {
		state = h.Typed.Input(in)
	}
	s, err := h.machine.start(ctx, h.name, opts, state, h.Inputs...)
	return h.run(s, err, in)
}

func (h *handle[M, In, Out, State]) Recover(ctx context.Context, opts ...graphgen.CallOption) (Out, error) {
	var in In
	s, err := h.machine.recover(ctx, h.name, opts)
	return h.run(s, err, in)
}

// run makes the run of a session. If err is not nil, the session does not exist.
func (h *handle[M, In, Out, State]) run(s *Session, err error, in In) (out Out, _ error) {
	if err != nil {
		return out, err
	}
	defer s.session.release() // its goroutine may end during a step
	return h.Typed.Run(s.Context, in, s.Option)
}

func (h *handle[M, In, Out, State]) Resume(ctx context.Context, a graphgen.Answer[M], opts ...graphgen.ResumeOption) (out Out, _ error) {
	if h.Typed.Resume == nil {
		return out, &graphgen.ResumeError{Err: graphgen.ErrOtherNode}
	}
	p := new(graphgen.Pause)
	h.machine.lead(p, h.name)
	return h.Typed.Resume(ctx, p, a, opts...)
}

func (h *handle[M, In, Out, State]) Stop(ctx context.Context) error {
	return h.machine.stop(ctx, h.name)
}

func (h *handle[M, In, Out, State]) Info(ctx context.Context) (thread.Info, error) {
	set, err := h.machine.settings()
	if err != nil {
		return thread.Info{}, err
	}
	for head, err := range thread.All(ctx, set.Store, thread.Filter{Prefix: h.name, Limit: 1}) {
		if err != nil {
			return thread.Info{}, err
		}
		if head.Thread != h.name {
			break
		}
		about, err := summaryOf(&head, set.Seal)
		return about.of(&head), err
	}
	return thread.Info{}, &thread.NotFoundError{Thread: h.name}
}

func (h *handle[M, In, Out, State]) Requests(ctx context.Context) ([]graphgen.Request, error) {
	info, err := h.Info(ctx)
	return info.Requests, err
}

func (h *handle[M, In, Out, State]) Watch(ctx context.Context, after thread.After) iter.Seq2[thread.Event, error] {
	return h.machine.watch(ctx, h.name, after)
}

func (h *handle[M, In, Out, State]) History(ctx context.Context, after uint64) iter.Seq2[thread.Step, error] {
	return func(yield func(thread.Step, error) bool) {
		set, err := h.machine.settings()
		if err != nil {
			yield(thread.Step{}, err)
			return
		}
		History(ctx, set.Store, h.name, after)(yield)
	}
}

func (h *handle[M, In, Out, State]) StateAt(ctx context.Context, seq uint64) (State, error) {
	state, fields := h.Typed.State()
	err := h.machine.stateAt(ctx, h.name, seq, fields)
	return *state, err
}

func (h *handle[M, In, Out, State]) Fork(ctx context.Context, seq uint64, to string, edit func(*State)) error {
	state, fields := h.Typed.State()
	return h.machine.fork(ctx, h.name, seq, to, fields, func() {
		if edit != nil {
			edit(state)
		}
	})
}
