package engine

import (
	"slices"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
)

// A run of a thread is saved after each of its steps, before the next one begins. What is saved is the tree of the
// runs that are alive: the outermost one, and within a composite node or a subgraph its child runs. Each of them is
// saved at the boundary after its last step, or, while child runs work for it, within its current node.
//
// Another process continues from there as a run continues after a pause. It executes the outermost run. A composite
// node begins its child runs as ever, and each of them then takes over what was saved of it: it crosses its boundary,
// and does not begin with its first node.

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

	Execution
	Tries, GuardTries int // of the current node: those made, and those left after failed guards
	TryLeft           time.Duration
	Left              time.Duration // of the timeout of the run

	FailureState
	Counts

	ModelCalls int
	Usage      chat.Usage
	Tools      graphgen.ToolCount
	Prompts    []graphgen.PromptCount
	Used       []Used // by node
	Since      Used   // since the prompt of a node was written

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
	x, rel := r.more.get(), r.related
	own, visits := rel.saved.ownUse(), slices.Clone(r.path.visits)
	if own == nil {
		own = x.agent.used()
	}
	r.Graph().unbound(visits)
	i := Image{
		At: r.here(), Edges: r.path.edges, Visits: visits, Ran: r.path.ranBefore(), Made: r.path.n, Behind: r.path.behind, Last: r.path.last(),
		Left: x.deadline.remaining(r.settings, r.ending.Paused()), Execution: x.Execution, FailureState: x.FailureState, Counts: x.tally.counts(),
		ModelCalls: own.modelCalls, Usage: own.usage, Tools: own.tools, Since: own.since.image(),
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
	if w := x.pauses.awaited(); w != nil && r.ending.Paused() {
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

// ownUse returns what is saved of what the run has used, nil where it is what the run has used: without the use of a run of another machine that has not
// ended, which is saved with that run.
func (in *Saved) ownUse() *used {
	if in == nil || in.before == nil {
		return nil
	}
	if inner := in.before.until; inner.ending.over && !inner.ending.Paused() {
		return nil
	}
	return in.before
}

func (u *nodeUsage) image() Used { return Used{u.node, u.usage, u.modelCalls, u.tools, u.confidence} }

func (u *Used) kept() nodeUsage {
	return nodeUsage{node: u.Node, usage: u.Usage, modelCalls: u.ModelCalls, tools: u.Tools, confidence: u.Confidence}
}

// Load makes the run one that waits where it was saved. last has the last transitions of its path.
func (r *Run) Load(i *Image, last []TransitionID) {
	x, a := r.more.make(), r.Agent()
	r.path.behind = i.Behind
	r.path.load(i, last)
	r.path.tail = i.At
	if x.changes != nil {
		copy(x.changes.written, i.Written)
	}
	if x.deadline != nil && i.Left != 0 {
		x.deadline.left = i.Left
	}
	x.Execution, x.FailureState = i.Execution, i.FailureState
	if i.Counts != (Counts{}) {
		r.tally().Counts = i.Counts
	}
	a.modelCalls = i.ModelCalls
	a.usage, a.tools, a.prompts, a.since = i.Usage, i.Tools, i.Prompts, i.Since.kept()
	for n := range i.Used {
		a.usages = grown(a.usages, int(i.Used[n].Node))
		a.usages[i.Used[n].Node] = i.Used[n].kept()
	}
	if i.ChildUse != (Used{}) || i.ChildSteps > 0 { // before one of them goes on, as others begin later
		p, u := r.related.share(&r.path, a), &i.ChildUse
		p.steps.Add(int64(i.ChildSteps))
		p.usage, p.modelCalls, p.toolCalls = p.usage.Add(u.Usage), p.modelCalls+u.ModelCalls, p.toolCalls+u.Tools.Made
	}
	if n := r.settings.nesting; n != nil {
		n.addSaved(a.used())
	}
	if i.Ended {
		r.ending.set(i.Reason, nil)
		r.At = End
		return
	}
	if i.Failed != nil {
		r.ending.set(graphgen.Failed, i.Failed)
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
	r.Pausing().waiting = w
	r.ending.set(graphgen.Paused, errPaused)
}

// Hosts calls do with the run and with each one within it that waits for others within.
func (p *Pauses) Hosts(do func(*Run)) {
	w := p.awaited()
	if w == nil || !p.run.ending.Paused() || !w.within() {
		return
	}
	do(p.run)
	if w.child != nil {
		w.child.Pauses().Hosts(do)
		return
	}
	for i := range w.fork.branches {
		if b := w.fork.branches[i].run; b != nil {
			b.Pauses().Hosts(do)
		}
	}
}

// used is what a run has used.
type used struct {
	usage      chat.Usage
	modelCalls int
	tools      graphgen.ToolCount
	since      nodeUsage // of it, since the prompt of the node was written
	until      *Run      // the run of another machine that has begun then; nil: none has
}

// addSaved counts for the runs around a run what that has used in another process.
func (n *nesting) addSaved(u *used) {
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
		r.settings.nesting.addSaved(u)
	}
}

// decision returns what was decided about a request.
func (q *request) decision(late error) Decided {
	var d Decided
	if late != nil {
		d.Late = q.Deadline
	}
	if q.held != nil {
		d.Verdict = q.held.Verdict
		return d
	}
	switch {
	case q.run.Pauses().Answer() != nil:
		d.Decision = graphgen.Deny
	case q.reply == nil:
		d.Decision = graphgen.Approve
	}
	return d
}
