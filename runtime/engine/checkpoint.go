package engine

import (
	"context"
	"slices"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/incomparable"
	"github.com/graphgen/graphgen/internal/optionset"
	"github.com/graphgen/graphgen/internal/origin"
)

// A run of a thread is saved after each of its steps, before the next one begins. What is saved is the tree of the
// runs that are alive: the outermost one, and within a composite node or a subgraph its child runs. Each of them is
// saved at the boundary behind its last step, or, while child runs work for it, within its current node.
//
// Another process goes on from there as a run goes on after a pause. It executes the outermost run. A composite
// node begins its child runs as ever, and each of them then takes over what was saved of it: it crosses its boundary
// in place of beginning with its first node.

// A Thread saves the runs of a tree. Its methods may be called at once, for different runs. It embeds Threaded.
type Thread interface {
	threaded

	// Name returns the name of the thread.
	Name() string
	// Made returns the number of the last record that was made; 0: none was.
	Made() int
	// Seals reports whether the thread keeps fields secret.
	Seals() bool
	// Applied returns the options of the run.
	Applied() *Applied
	// Sets sets what the thread determines of the settings of the run.
	Sets(s *optionset.Settings)
	// Observer returns what observes the outermost run besides the observers of options, nil if nothing does.
	Observer() func(graphgen.Event)
	// Step saves a run at a boundary. An error ends the run: the step is not saved.
	Step(r *Run, b Boundary) error
	// Failed saves that a branch has failed, while others go on.
	Failed(b *Run) error
	// Begins notes that a child run begins, where an earlier iteration of its parent is saved. That is saved with the next
	// record of any run, together with the iteration of the parent. loop is the parent where its current node is a loop, else nil.
	Begins(r *Run, b Boundary, loop *Run)
	// Within notes that a child run of the current node begins, in its first attempt or a later one. That is saved with the
	// next step of any run.
	Within(r *Run)
	// Adopt loads what was saved of a run that begins, and reports whether there was something.
	Adopt(r *Run) (bool, error)
	// LastCall returns the highest number that a call of a model has had in the run, as far as it is saved.
	LastCall() int
	// Saved reports whether the answer of the next call of a model in the step is saved, so that Model makes no call.
	Saved(r *Run) bool
	// Model calls a model, unless the call ended in this step before its process did. Then it counts the calls that the other process
	// has made for it.
	Model(ctx context.Context, r *Run, count Counter, call func() (*chat.Response, error)) (*chat.Response, error)
	// SavedTool reports whether the result of a call of the turn is saved, so that Tool does not make it.
	SavedTool(r *Run, number int) bool
	// Tool makes a call of a turn, unless it ended in this step before its process did.
	Tool(ctx context.Context, r *Run, number int, call func() (chat.ToolResult, error)) (chat.ToolResult, error)
	// Once calls a part of a handler, unless it gave a result in this step before its process ended.
	Once(r *Run, name string, call func() ([]byte, error)) ([]byte, error)
	// Asks completes a request that was open when the run was saved: its deadline.
	Asks(q *graphgen.Request)
	// Decided returns the answer to a request that the run goes on with only later, in the same step; nil: it has none.
	Decided(id string) *Decided
	// Answered notes that a request has its answer.
	Answered(id string, d Decided) error
	// Abandoned gives up the thread: the goroutine of the call has ended in the midst of a step.
	Abandoned()
	// Stopping reports whether the stop of the thread is requested.
	Stopping() bool
	// Stopper returns what wakes those that wait when it is requested.
	Stopper() *graphgen.Stopper
	// Ended saves the end of the outermost run, or that it waits. It returns the error of the run.
	Ended(r *Run, err error) error
}

// A Counter counts the calls of the models that a call is made of, such as the attempts of chat.Retry.
type Counter interface {
	// Calls returns how many calls there were, with the one that is under way, and what those that have ended have used.
	Calls() (n int, used chat.Usage)
	// Repeat counts calls that another process has made. It fails where the budget does not have them.
	Repeat(n int, used chat.Usage) error
	// Number returns the number of the last call in its run.
	Number() int
	// Numbered gives the last call the number that it had in another process.
	Numbered(number int)
}

// Decided is what a person has decided.
type Decided struct {
	Verdict
	Late time.Time // the deadline that had passed; zero: it had not
}

// A Boundary is a place between two nodes: where a run goes on after an interrupt, or in another process.
type Boundary struct {
	By    TransitionID // the transition
	To    NodeID
	After bool // the transition is not taken yet
}

// An Image is what the kernel saves of a run.
type Image struct {
	Boundary *Boundary // nil: the run is within its node
	At       NodeID
	Failed   *graphgen.NodeError // with which a branch has ended; nil: it has not
	Ended    bool                // the outermost run has, without an error
	Reason   graphgen.Reason     // why it has

	Edges, Visits, Ran []uint32 // by transition, and by node; Ran counts what was before the run began again
	Missed             map[TransitionID]uint32
	Made, Behind       int          // transitions, and steps of child runs
	Last               TransitionID // the last transition
	Written            []bool       // the outputs of a graph that runs may change

	Attempts, Iterations int
	Tries, GuardTries    int // of the current node: those made, and those left after failed guards
	TryLeft              time.Duration
	Left                 time.Duration // of the timeout of the run
	Declined, Cleared    bool
	Feedback             []string

	Failures                         []graphgen.Failure
	Pending, Stuck, Settled, Detours int
	PrevFailed                       bool
	PassedOver                       NodeID

	Retries, CacheHits, Skips, Rejected, HookFailures, ModelCalls int

	Usage   chat.Usage
	Tools   graphgen.ToolCount
	Prompts []graphgen.PromptCount
	Used    []Used // by node
	Since   Used   // since the prompt of a node was written

	ChildSteps int  // of a run that no other of its graph is around: the steps of its child runs that go on where they were saved
	ChildUse   Used // what they have used, with the runs of other machines in them
}

// Used is what a node has used.
type Used struct {
	Node       NodeID
	Usage      chat.Usage
	ModelCalls int
	Tools      graphgen.ToolCount
	Confidence float64
}

// Image returns what is saved of the run. It shares its lists.
func (r *Run) Image() Image {
	x, rare, rel := r.extra(), r.incidents(), r.relations()
	own, visits := r.ownUse(), slices.Clone(r.path.visits)
	r.Graph().unbound(visits)
	i := Image{
		At: r.here(), Edges: r.path.edges, Visits: visits, Ran: r.path.ranBefore(), Made: r.path.n, Behind: rel.behind, Last: r.path.last(),
		Attempts: x.attempts, Iterations: x.iterations, Left: r.timeLeft(), Declined: x.declined, Cleared: x.cleared, Feedback: x.feedback,
		Failures: x.failures, Pending: x.pending, Stuck: x.stuck, Settled: x.settled, Detours: int(x.detours),
		PrevFailed: x.prevFailed, PassedOver: x.passedOver,
		Retries: rare.retries, CacheHits: rare.cacheHits, Skips: rare.skips, Rejected: rare.rejected, HookFailures: rare.hookFailures,
		ModelCalls: own.modelCalls,
		Usage:      own.usage, Tools: own.tools, Since: own.since.image(),
	}
	if x.changes != nil {
		i.Written = x.changes.written
	}
	if c := r.path.corrected; c != nil {
		i.Missed = c.missed
	}
	var t *tries
	if rel.saved != nil {
		t = rel.saved.trying
	}
	if w := x.waiting; w != nil && r.isPaused() {
		i.At, t = w.at, w.tries
		if o := r.Changes(); o != nil && o.current != End {
			i.At = o.current
		}
	}
	if t != nil {
		i.Tries, i.GuardTries, i.TryLeft = t.made, t.guards, t.left
	}
	if a := x.agent; a != nil {
		i.Prompts = a.prompts
		for n := range a.usages {
			u := a.usages[n].image()
			if u.Node = NodeID(n); u.ModelCalls > 0 || u.Tools != (graphgen.ToolCount{}) {
				i.Used = append(i.Used, u)
			}
		}
	}
	return i
}

func (u *nodeUsage) image() Used { return Used{u.node, u.usage, u.modelCalls, u.tools, u.confidence} }

func (u *Used) kept() nodeUsage {
	return nodeUsage{node: u.Node, usage: u.Usage, modelCalls: u.ModelCalls, tools: u.Tools, confidence: u.Confidence}
}

// timeLeft returns what is left of the timeout of the run, which may be less than nothing; 0 if it has none.
func (r *Run) timeLeft() time.Duration {
	if r.Graph().Timeout.Limit == 0 || r.parent() != nil {
		return 0
	}
	t := r.more.term
	left := t.left
	if !r.isPaused() {
		left -= r.Since(t.running)
	}
	if left == 0 {
		left = -1
	}
	return left
}

// Load makes the run one that waits where it was saved. last has the last transitions of its path.
func (r *Run) Load(i *Image, last []TransitionID) {
	x, a, rare := r.withExtra(), r.Agent(), r.withIncidents()
	r.withRelations().behind = i.Behind
	r.path.load(i, last)
	r.tail = i.At
	if x.changes != nil {
		copy(x.changes.written, i.Written)
	}
	if x.term != nil && i.Left != 0 {
		x.term.left = i.Left
	}
	x.attempts, x.iterations, x.declined, x.cleared, x.feedback = i.Attempts, i.Iterations, i.Declined, i.Cleared, i.Feedback
	x.failures, x.pending, x.stuck, x.settled, x.detours = i.Failures, i.Pending, i.Stuck, i.Settled, int32(i.Detours)
	x.prevFailed, x.passedOver = i.PrevFailed, i.PassedOver
	rare.retries, rare.cacheHits, rare.skips, rare.rejected, rare.hookFailures, a.modelCalls = i.Retries, i.CacheHits, i.Skips,
		i.Rejected, i.HookFailures, i.ModelCalls
	a.usage, a.tools, a.prompts, a.since = i.Usage, i.Tools, i.Prompts, i.Since.kept()
	for n := range i.Used {
		a.usages = grown(a.usages, int(i.Used[n].Node))
		a.usages[i.Used[n].Node] = i.Used[n].kept()
	}
	if i.ChildUse != (Used{}) || i.ChildSteps > 0 { // before one of them goes on, as others begin later
		p, u := r.share(), &i.ChildUse
		p.steps.Add(int64(i.ChildSteps))
		p.usage, p.modelCalls, p.toolCalls = p.usage.Add(u.Usage), p.modelCalls+u.ModelCalls, p.toolCalls+u.Tools.Made
	}
	if n := r.settings.nesting; n != nil {
		n.takeOver(a.used())
	}
	if i.Ended {
		r.over, r.reason, r.At = true, i.Reason, End
		return
	}
	if i.Failed != nil {
		r.over, r.reason, x.err = true, graphgen.Failed, i.Failed
		return
	}
	w := &waiting{at: i.At, roused: true}
	if b := i.Boundary; b != nil {
		w.boundary = &Boundary{By: b.By, To: b.To, After: true}
	} else {
		if i.Tries > 0 {
			w.tries = &tries{made: i.Tries, guards: i.GuardTries, left: i.TryLeft}
		}
		r.At = i.At
		if r.Changes().exist() {
			r.Changes().enterDynamic()
		}
		w.at = r.At
	}
	x.waiting = w
	r.over, r.reason, x.err = true, graphgen.Paused, errPaused
}

// Hosts calls do with the run and with each one within it that waits for others within.
func (r *Run) Hosts(do func(*Run)) {
	w := r.extra().waiting
	if !r.isPaused() || w == nil || !w.within() {
		return
	}
	do(r)
	if w.child != nil {
		w.child.Hosts(do)
		return
	}
	for i := range w.fork.branches {
		if b := w.fork.branches[i].run; b != nil {
			b.Hosts(do)
		}
	}
}

// used is what a run has used.
type used struct {
	_ incomparable.Struct

	usage      chat.Usage
	modelCalls int
	tools      graphgen.ToolCount
	since      nodeUsage // of it, since the prompt of the node was written
	until      *Run      // the run of another machine that has begun then; nil: none has
}

// used returns what the run has used.
func (a *Agent) used() *used {
	if a == nil {
		return new(used)
	}
	return &used{usage: a.usage, modelCalls: a.modelCalls, tools: a.tools, since: a.since}
}

// ownUse returns what is saved of that: without the use of a run of another machine that has not ended, which is saved with
// that run.
func (r *Run) ownUse() *used {
	if in := r.relations().saved; in != nil && in.before != nil {
		if inner := in.before.until; !inner.over || inner.isPaused() {
			return in.before
		}
	}
	return r.extra().agent.used()
}

// takeOver counts for the runs around a run what that has used in another process.
func (n *nesting) takeOver(u *used) {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := n.run
	a := r.Agent()
	a.enterNode()
	since := &a.since
	since.modelCalls += u.modelCalls
	since.tools = since.tools.Add(u.tools)
	addUsage(&since.usage, &u.usage)
	a.modelCalls += u.modelCalls
	a.tools = a.tools.Add(u.tools)
	addUsage(&a.usage, &u.usage)
	if r.settings.nesting != nil {
		r.settings.nesting.takeOver(u)
	}
}

// Place returns the place of the run in the tree of runs of its thread: the nodes around it, with branches. It is
// empty for the outermost run.
func (r *Run) Place() string {
	if in := r.relations().saved; in != nil {
		return in.place
	}
	return ""
}

// ViewerOf returns the generated run.
func (r *Run) ViewerOf() Viewer { return r.viewer }

// Thread returns the thread of the run, nil if it has none.
func (r *Run) Thread() Thread { return r.settings.thread }

// isOutermost reports whether no run is around this one.
func (r *Run) isOutermost() bool { return r.parent() == nil && r.settings.nesting == nil }

// Try returns the attempt and the iteration of the current node.
func (r *Run) Try() (attempt, iteration int) { return r.extra().attempts, r.extra().iterations }

// Late returns the error that an attempt at the current node fails with once it has taken too long, nil if there is no
// limit.
func (r *Run) Late() *graphgen.LimitError {
	if in := r.relations().saved; in != nil {
		return in.late
	}
	return nil
}

// Reason returns why the run has ended.
func (r *Run) Reason() graphgen.Reason { return r.reason }

// A Reopened is a paused run of a thread in the memory of the process that answers it.
type Reopened struct {
	Pause   *graphgen.Pause
	Options *Applied // of the machine and of the call that answers
	Release func()   // the answer is not valid: the thread waits as before
}

// Lead makes Resume reopen the thread of a pause.
func Lead(p *graphgen.Pause, machine any, reopen func(context.Context, []graphgen.ResumeOption) (*Reopened, error)) {
	p.Origin = origin.To(&held{pause: &pause{machine: machine}, reopen: reopen})
}

// reopened returns the pause of a thread with the requests that p has; all, if it has none.
func (h *held) reopened(ctx context.Context, p *graphgen.Pause, opts []graphgen.ResumeOption) (*Reopened, error) {
	again, err := h.reopen(ctx, opts)
	if err != nil {
		return nil, notResumed(p, err)
	}
	if len(p.Requests) > 0 {
		narrowed := *again.Pause
		narrowed.Requests = slices.DeleteFunc(slices.Clone(narrowed.Requests), func(q graphgen.Request) bool {
			return !slices.ContainsFunc(p.Requests, func(of graphgen.Request) bool { return of.ID == q.ID })
		})
		if again.Pause = &narrowed; len(narrowed.Requests) == 0 {
			again.Release()
			return nil, notResumed(p, graphgen.ErrResumed)
		}
	}
	return again, nil
}

// Failure returns the error with which the run has failed.
func (r *Run) Failure() error { return r.extra().err }

// decided returns what was decided about a request.
func (q *request) decided(late error) Decided {
	var d Decided
	if late != nil {
		d.Late = q.Deadline
	}
	if q.held != nil {
		d.Verdict = q.held.Verdict
		return d
	}
	switch {
	case q.run.incidents().withheld != nil:
		d.Decision = graphgen.Deny
	case q.reply == nil:
		d.Decision = graphgen.Approve
	}
	return d
}

// late returns the error of an answer that came too late, else nil.
func (d *Decided) late() error {
	if d.Late.IsZero() {
		return nil
	}
	return &graphgen.LateError{Deadline: d.Late}
}

// why returns why the answer is no yes, nil if it is one.
func (d *Decided) why() error {
	if err := d.late(); err != nil {
		return err
	}
	if d.Decision == graphgen.Deny {
		return &graphgen.DeniedError{}
	}
	return nil
}
