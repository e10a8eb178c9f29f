package harness

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/chat/record"
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

	index   int // of that entry; -1: none
	turn    turn
	said    int // answers of the turn so far
	used    map[entryKey]bool
	spent   wire.Spent
	callIDs int

	calling   sync.Mutex     // guards what the tools of a turn share
	toolCalls map[string]int // so far, by tool
	due       []dueCall
	pure      map[string]bool // calls that have been answered, by tool and arguments

	tape *record.Player // what models and tools say in place of the script; nil: nothing

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
	Changes *Changes
}

var (
	errCancelled = errors.New("cancelled by the script")
	nothing      = wire.Entry{}
)

// Execute does what the script has for this execution of the node: entry after entry, the
// last one again and again.
func (s *Script) Execute(c Call) error {
	s.begin(c.Node)
	if s.scenario.Executions {
		s.note(c, s.index)
	}
	return s.play(c, s.current)
}

// begin counts an execution of a node and takes its entry.
func (s *Script) begin(node string) {
	s.calls[node]++
	s.current, s.index = s.entryOf(node)
}

// newScript returns the script of one run.
func newScript(w *wire.Scenario, m mode) *Script {
	s := &Script{scenario: w, mode: m, result: &wire.Result{ID: w.ID}}
	s.calls, s.toolCalls = make(map[string]int), make(map[string]int)
	s.used, s.pure = make(map[entryKey]bool), make(map[string]bool)
	s.spent.Prompts = make(map[string]wire.Prompt)
	return s
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
	for _, part := range []struct {
		value wire.Value
		to    any
	}{{e.Out, c.Out}, {number(e.Goto), c.Goto}, {number(e.Branch), c.Branch}} {
		if err := s.known.decode(part.value, part.to); err != nil && s.problem == nil {
			s.problem = err
		}
	}
	s.ask(c.Changes, e.Actions)
	return s.happen(c.Context, e)
}

// happen does what an execution does besides what it returns. ctx is nil where it is given
// none.
func (s *Script) happen(ctx context.Context, e *wire.Entry) error {
	if e.Takes > 0 {
		time.Sleep(time.Duration(e.Takes))
	}
	if e.Cancel {
		s.cancel(errCancelled)
	}
	if e.Stop {
		s.stopper.Stop()
	}
	if e.Hang && ctx != nil {
		<-ctx.Done()
		if e.Error == nil && e.Panic == nil {
			return ctx.Err()
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
