package harness

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat/record"
	"github.com/graphgen/graphgen/scenario/wire"
)

// A Script plays the handlers of a graph in one run of a scenario.
type Script struct {
	scenario *wire.Scenario
	known    vocabulary // types of the graph that values do not show

	cancel  context.CancelCauseFunc
	stopper *graphgen.Stopper

	mu        sync.Mutex // guards all fields below: branches and the tools of a turn run concurrently
	strands   map[string]*strand
	calls     map[place]int // executions so far, by node and branch
	toolCalls map[place]int // by tool and branch, or by tool, its node, and branch
	used      map[entryKey]bool
	pure      map[string][]string // branches of answered calls, by tool and arguments

	executions []placed[wire.Execution]
	questions  []placed[question]
	requests   map[place]placed[wire.Prompt] // by node and branch
	made       []placed[toolCall]
	events     []placed[wire.Event]
	cut        []placed[string] // cancelled executions
	spans      []span

	humans humans
	given  []bool // which answers of the scenario were given

	shown *wire.Request // the request of the node that the scenario shows; nil: not yet

	tape *record.Player // plays models and tools instead of the script; nil: none

	start   func(context.Context, any, []graphgen.RunOption) (any, error) // makes a run in a thread
	again   func(context.Context, []graphgen.CallOption) (any, error)     // resumes it
	relay   func(from []byte, opts []graphgen.RunOption) (graphgen.RunOption, error)
	relays  Relay // the last one
	carryOn func(from []byte) (any, error)

	engine     *engineRun  // where another engine runs it; nil: it is run here
	queue      *queuedRun  // whose workers run it; nil: it is run here
	coroutines *coroutines // that drive the run; nil: nothing does
	lines      []byte      // of the log

	probes  []Probe
	failing sync.Mutex
	problem error // a mistake in the plan
	mode    mode
	result  *wire.Result
}

// A Call is the call of a node's handler. Pointer fields are nil if the handler has no such
// parameter or result.
type Call struct {
	Context context.Context // nil: the handler has none
	Graph   string
	Node    string
	In      any // the handler's argument
	Out     any // the handler's result, or the state that it may change
	Goto    any
	Branch  any
	Changes *Changes
}

var (
	errCancelled = errors.New("cancelled by the script")
	nothing      = wire.Entry{}
)

// Execute executes the next entry of the node. The last entry repeats.
func (s *Script) Execute(c Call) error {
	at := s.callPlace(&c)
	within, _ := wire.Split(at.node)
	c.Node = wire.Join(within, c.Node) // for a dynamic node, its template
	s.mu.Lock()
	t := s.begin(c.Node, at)
	e := t.current
	if s.scenario.Executions {
		s.note(c, at, t)
	}
	s.mu.Unlock()
	return s.play(c, at, e)
}

// begin counts an execution of a node and takes its entry. The lock is held.
func (s *Script) begin(work string, at place) *strand {
	by := place{work, at.branch}
	s.calls[by]++
	steps := s.scenario.Script[work]
	if leaf, ok := steps.Find(at.node, s.elements(at)); ok {
		count(s.result.Calls, work, leaf.Number, s.calls[by])
	}
	t := s.strand(at.branch)
	t.work, t.noted, t.turn = work, -1, turn{}
	t.current, t.index = s.entryOf(work, at)
	return t
}

// entryOf returns the entry of the node's last execution in a branch.
func (s *Script) entryOf(work string, at place) (e *wire.Entry, index int) {
	steps := s.scenario.Script[work]
	leaf, ok := steps.Find(at.node, s.elements(at))
	if !ok || len(leaf.Entries) == 0 {
		return &nothing, -1
	}
	index = max(0, min(s.calls[place{work, at.branch}], len(leaf.Entries))-1)
	return &leaf.Entries[index], leaf.First + index
}

// newScript returns the script of one run.
func newScript(w *wire.Scenario, m mode) *Script {
	s := &Script{scenario: w, mode: m, result: &wire.Result{ID: w.ID}}
	s.strands, s.requests = make(map[string]*strand), make(map[place]placed[wire.Prompt])
	s.calls, s.toolCalls = make(map[place]int), make(map[place]int)
	s.used, s.pure = make(map[entryKey]bool), make(map[string][]string)
	if m == driven {
		s.coroutines = new(coroutines)
	}
	s.result.Calls, s.result.Tools = slots(w.Script), slots(w.Tools)
	return s
}

// slots returns a counter for every list of entries.
func slots[E any](plan map[string]wire.Steps[E]) map[string][]int {
	lists := make(map[string][]int, len(plan))
	for name, steps := range plan {
		lists[name] = make([]int, len(steps.Leaves()))
	}
	return lists
}

// count records the uses of a list of entries: the maximum over the branches.
func count(slots map[string][]int, name string, leaf, uses int) {
	if leaf < len(slots[name]) {
		slots[name][leaf] = max(slots[name][leaf], uses)
	}
}

// note records the handler's argument. The lock is held.
func (s *Script) note(c Call, at place, t *strand) {
	e := wire.Execution{Node: c.Node, Branch: at.branch, Entry: t.index, In: s.known.encode(c.In)}
	if c.Context != nil {
		info := graphgen.Info(c.Context)
		e.Step, e.Visit, e.Attempt, e.Feedback = info.Step, info.Visit, info.Attempt, info.Feedback
		if info.Failure != nil {
			e.Failure = info.Failure.Error()
		}
	}
	t.noted = len(s.executions)
	s.executions = append(s.executions, placed[wire.Execution]{e, s.key(at)})
}

func (s *Script) play(c Call, at place, e *wire.Entry) error {
	for _, part := range []struct {
		value wire.Value
		to    any
	}{{e.Out, c.Out}, {number(e.Goto), c.Goto}, {number(e.Branch), c.Branch}} {
		if err := s.known.decode(part.value, part.to); err != nil {
			s.mistake(err.Error())
		}
	}
	s.ask(c.Changes, e.Actions)
	return s.happen(c.Context, at, e)
}

// happen performs the effects of an entry besides its result. ctx may be nil.
func (s *Script) happen(ctx context.Context, at place, e *wire.Entry) error {
	s.coroutines.check("the work of " + at.node)
	defer s.takeTime(s.now())
	if e.After > 0 && ctx != nil {
		if err := s.wait(ctx, at, time.Duration(e.After)); err != nil {
			return err
		}
	}
	if e.Takes > 0 {
		s.sleep(ctx, time.Duration(e.Takes))
	}
	if e.Cancel {
		s.cancel(errCancelled)
	}
	if e.Stop {
		s.stopper.Stop()
	}
	if e.Hang && ctx != nil {
		s.ends(ctx)
		s.cutShort(ctx, at)
		if e.Error == nil && e.Panic == nil {
			return ctx.Err()
		}
	}
	switch {
	case e.Panic != nil:
		panic(*e.Panic)
	case e.Reject != nil:
		return graphgen.Reject(*e.Reject)
	case e.Error != nil && e.Transient:
		return graphgen.Transient(errorOf(*e.Error))
	case e.Error != nil:
		return errorOf(*e.Error)
	}
	return nil
}

// number returns a choice as a value of the plan; 0 chooses nothing.
func number(n int) wire.Value {
	if n == 0 {
		return nil
	}
	return strconv.AppendInt(nil, int64(n), 10)
}

// Guard returns the verdict of a guard on the output of the node executed last in the branch. In is a
// pointer to what the guard reads, nil if that is nothing.
func (s *Script) Guard(ctx context.Context, name string, in any) error {
	at := placeOf(ctx)
	if in != nil && s.scenario.Executions {
		s.noteGuard(at, name, s.known.encode(in))
	}
	e, _ := s.guarded(at)
	v, ok := e.Guards[name]
	switch {
	case !ok:
		return nil
	case v.Panic != nil:
		panic(*v.Panic)
	case v.Error != nil:
		return errorOf(*v.Error)
	case v.Reject != nil:
		return graphgen.Reject(*v.Reject)
	}
	return nil
}

// noteGuard records what a guard reads, with the execution whose output it judges.
func (s *Script) noteGuard(at place, name string, in wire.Value) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.strand(at.branch)
	if t.noted < 0 || t.noted >= len(s.executions) {
		return
	}
	e := &s.executions[t.noted].value
	if e.Guards == nil {
		e.Guards = make(map[string]wire.Value)
	}
	e.Guards[name] = in
}

// guarded returns the entry whose output a guard judges. A transform in a map leaves no trace in
// the branch of its element; all its elements have one entry.
func (s *Script) guarded(at place) (e *wire.Entry, index int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.strand(at.branch); len(s.elements(at)) == 0 || t.work == at.node {
		return t.current, t.index
	}
	return s.entryOf(at.node, at)
}
