package durable

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/caught"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/thread"
)

// An ID of graphgen.WithRunID names one run of a thread: its idempotency keys are made of the ID. So Start makes no second run under an ID
// that the thread has had. Each snapshot has a hash of the input of its run, and a list of the earlier runs that were given an ID.

// remembered is the number of earlier runs that a thread knows by their IDs.
const remembered = 1000

// A pastRun is an earlier run of a thread, which was given an ID.
type pastRun struct {
	run   string // a hash of the ID
	input string // a hash of the input; empty: it is not known
	last  uint64 // the number of its last record
}

func (v *pastRun) JSONMembers(o *codec.Object) {
	last := int(v.last)
	o.String("run", &v.run)
	codec.SparseMember(o, "input", &v.input, codec.ReadString, codec.WriteString)
	o.Int("last", &last)
	v.last = uint64(last)
}

// numbered returns the ID of a run that is given none and begins with a record.
func numbered(thread string, seq uint64) string { return thread + "." + strconv.FormatUint(seq, 10) }

// isNumbered reports whether an ID is one that a thread gives to its runs itself.
func isNumbered(thread, run string) bool {
	number, ok := strings.CutPrefix(run, thread+".")
	seq, err := strconv.ParseUint(number, 10, 64)
	return ok && err == nil && run == numbered(thread, seq)
}

// inputHash returns a hash of the fields of a state that are the input of a run. It is empty where they have no JSON: no run has had that
// input, and the new one says what is wrong with it.
func inputHash(state func(*codec.Cells), fields []string) string {
	if len(fields) == 0 {
		return digest(nil)
	}
	var c codec.Cells
	if changes(&c, state) != nil {
		return ""
	}
	var text []byte
	for _, name := range slices.Sorted(slices.Values(fields)) {
		text = append(append(append(append(text, name...), ':'), c.Value(name)...), '\n')
	}
	return digest(text)
}

// changes reads a state into cells.
func changes(c *codec.Cells, state func(*codec.Cells)) (err error) {
	defer caught.Panic(&err) // of a type of the state
	_, _, err = c.Changes(state)
	return err
}

// past returns the earlier runs of a log once its run is one of them, with its last record.
func (l *log) past(thread string, last uint64) []pastRun {
	if l.run == "" || isNumbered(thread, l.run) {
		return l.earlier
	}
	runs := append(slices.Clip(l.earlier), pastRun{digest([]byte(l.run)), l.input, last})
	return runs[max(0, len(runs)-remembered):]
}

// known finds out what Start returns without a new run: the run of an ID, where the thread has had it. Otherwise both results are nil.
func (s *session) known(ctx context.Context, about *summary, run, input string) (*Session, error) {
	fails := func(err error) (*Session, error) { return nil, &thread.StateError{Thread: s.id, Run: run, Err: err} }
	differs := func(from string) bool { return from != "" && from != input } // earlier versions have no hash
	switch {
	case run == "" || s.head.Seq == 0:
		return nil, nil
	case run == about.run && differs(s.log.input):
		return fails(thread.ErrOtherInput)
	case run == about.run:
		if s.head.Status == thread.Failed || s.head.Status == thread.Stopped {
			return nil, s.m.ended(about.reason, about.failure)
		}
		return s.resume(ctx)
	case isNumbered(s.id, run):
		return fails(thread.ErrNumberedRun)
	}
	id := digest([]byte(run))
	at := slices.IndexFunc(s.log.earlier, func(p pastRun) bool { return p.run == id })
	if at < 0 {
		return nil, nil
	}
	past := s.log.earlier[at]
	if differs(past.input) {
		return fails(thread.ErrOtherInput)
	}
	l, _, _, err := loaded(ctx, s.set.Store, s.id, past.last, s.m.sealing(s.set))
	switch {
	case is[*thread.NotFoundError](err):
		return fails(thread.ErrRunPruned)
	case err != nil:
		return nil, err
	case l.ended == "":
		return fails(thread.ErrRunForked)
	case l.of("").cells.Value(endedCell) == nil:
		return nil, s.m.ended(l.ended, l.failure)
	}
	s.log, s.head.Status = l, thread.Completed
	return s.resume(ctx)
}

// resume continues the run of the log.
func (s *session) resume(ctx context.Context) (*Session, error) {
	if err := s.upgrade(); err != nil {
		return nil, err
	}
	return s.recover(ctx)
}

// ended returns the error with which a run has ended in an earlier call.
func (m *Machine) ended(reason, failure string) error {
	return &graphgen.RunError{Graph: m.Graph.Name, Reason: reasonOf(reason), Err: &thread.SavedError{Text: failure}}
}

// reasonOf returns the reason of a name.
func reasonOf(name string) graphgen.Reason {
	for r := graphgen.Completed; r <= graphgen.Paused; r++ {
		if r.String() == name {
			return r
		}
	}
	return graphgen.Failed
}
