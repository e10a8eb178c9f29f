package harness

import (
	"context"
	"errors"
	"strconv"
	"time"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/scenario/wire"
)

// A Script plays the handlers of a graph in one run of a scenario.
type Script struct {
	scenario *wire.Scenario
	known    vocabulary     // types of the graph that values do not show
	calls    map[string]int // executions so far, by node
	current  *wire.Entry    // of the last execution, whose guards are asked next

	cancel  context.CancelCauseFunc
	stopper *graphrt.Stopper

	executions []wire.Execution
	problem    error // what the plan got wrong
	mode       mode
	result     *wire.Result
}

// A Call is the call of a node's handler. Its fields but the first two are pointers, nil
// where the handler has no such parameter or result.
type Call struct {
	Context context.Context // nil: the handler is given none
	Node    string
	In      any // what the handler is given
	Out     any // what it returns, or the state it may change
	Goto    any
	Branch  any
}

var (
	errCancelled = errors.New("cancelled by the script")
	nothing      = wire.Entry{}
)

// Execute does what the script has for this execution of the node: entry after entry, the
// last one again and again.
func (s *Script) Execute(c Call) error {
	index := s.calls[c.Node]
	s.calls[c.Node]++
	entry := &nothing
	entries := s.scenario.Script[c.Node]
	index = min(index, len(entries)-1)
	if index >= 0 {
		entry = &entries[index]
	}
	s.current = entry
	if s.scenario.Executions {
		s.note(c, index)
	}
	return s.play(c, entry)
}

// note keeps what the handler was given.
func (s *Script) note(c Call, entry int) {
	e := wire.Execution{Node: c.Node, Entry: entry, In: s.known.encode(c.In)}
	if c.Context != nil {
		info := graphrt.Info(c.Context)
		e.Step, e.Visit, e.Attempt, e.Feedback = info.Step, info.Visit, info.Attempt, info.Feedback
		if info.Failure != nil {
			e.Failure = info.Failure.Error()
		}
	}
	s.executions = append(s.executions, e)
}

func (s *Script) play(c Call, e *wire.Entry) error {
	if e.Takes > 0 {
		time.Sleep(time.Duration(e.Takes))
	}
	if e.Cancel {
		s.cancel(errCancelled)
	}
	if e.Stop {
		s.stopper.Stop()
	}
	for _, part := range []struct {
		value wire.Value
		to    any
	}{{e.Out, c.Out}, {number(e.Goto), c.Goto}, {number(e.Branch), c.Branch}} {
		if err := s.known.decode(part.value, part.to); err != nil && s.problem == nil {
			s.problem = err
		}
	}
	if e.Hang && c.Context != nil {
		<-c.Context.Done()
		if e.Error == nil && e.Panic == nil {
			return c.Context.Err()
		}
	}
	switch {
	case e.Panic != nil:
		panic(*e.Panic)
	case e.Reject != nil:
		return graphrt.Reject(*e.Reject)
	case e.Error != nil && e.Transient:
		return graphrt.Transient(errors.New(*e.Error))
	case e.Error != nil:
		return errors.New(*e.Error)
	}
	return nil
}

// number is a choice as a value of the plan; 0 chooses nothing.
func number(n int) wire.Value {
	if n == 0 {
		return nil
	}
	return strconv.AppendInt(nil, int64(n), 10)
}

// Guard is the verdict of a guard on the output of the node that was executed last.
func (s *Script) Guard(name string) error {
	v, ok := s.current.Guards[name]
	switch {
	case !ok:
		return nil
	case v.Panic != nil:
		panic(*v.Panic)
	case v.Error != nil:
		return errors.New(*v.Error)
	case v.Reject != nil:
		return graphrt.Reject(*v.Reject)
	}
	return nil
}
