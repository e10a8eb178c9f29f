package engine

import (
	"math"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/origin"
)

// An Agent is what a run has for nodes that ask models or call tools: it counts what they use, against the budgets of the run and
// of the runs around it, and gives package pipeline the models, tools and texts of options. A run makes it for the first such node. Only
// the goroutine of its run calls it, except NextCall.
type Agent struct {
	run *Run

	usage      chat.Usage
	modelCalls int
	tools      graphgen.ToolCount
	usages     []nodeUsage            // by node
	prompts    []graphgen.PromptCount // by node, purpose and version
	own        chat.Model             // the machine's, where the graph has a budget of money

	// Of the current node:
	since       nodeUsage     // what it has used since its prompt was written
	held        int           // calls of tools that the ledger holds for this turn
	heldOutside int           // calls of tools that the runs around this one hold for this turn
	heldShared  int           // calls of tools that shared ledgers hold for this turn
	contexts    []callContext // of the last calls of tools, with room for the next ones
	answer      string        // the answer of the current node, for the event that ends its step
	overdrawn   error         // of a judge or a fail_soft node: the run ends with this step

	firstPrompt [1]graphgen.PromptCount // the first array of prompts
}

// Agent returns what the run has for nodes that ask models or call tools. It makes it at the first call.
func (r *Run) Agent() *Agent {
	if a := r.more.get().agent; a != nil {
		return a
	}
	return newAgent(r)
}

func newAgent(r *Run) *Agent {
	a := besides[Agent](&r.more)
	a.run, r.more.agent = r, a
	return a
}

// verdict returns the error with which the run ends after this step, nil if it does not.
func (a *Agent) verdict() error {
	if a == nil {
		return nil
	}
	return a.overdrawn
}

// ofCurrent returns what the current node has used since its prompt was written; zero if it has asked no model and called no tool.
func (a *Agent) ofCurrent() (used nodeUsage) {
	if a != nil && a.since.node == a.run.here() {
		used = a.since
	}
	return used
}

type nodeUsage struct {
	node       NodeID
	usage      chat.Usage
	modelCalls int
	tools      graphgen.ToolCount
	confidence float64
}

// addUsage adds what a call has used to a sum. It is as Usage.Add, and copies neither.
func addUsage(sum, u *chat.Usage) {
	sum.Input += u.Input
	sum.Output += u.Output
	sum.Reasoning += u.Reasoning
	sum.CacheRead += u.CacheRead
	sum.CacheWrite += u.CacheWrite
	sum.Cost += u.Cost
}

// plausible replaces values that are negative, out of all proportion, or no number: a budget must
// not grow by use.
func plausible(u *chat.Usage) {
	const most = math.MaxInt >> 23 // tokens of a call: sums of these do not overflow
	if uint(u.Input|u.Output|u.Reasoning|u.CacheRead|u.CacheWrite) <= most && u.Cost >= 0 {
		return
	}
	u.Input, u.Output = min(max(u.Input, 0), most), min(max(u.Output, 0), most)
	u.Reasoning = min(max(u.Reasoning, 0), most)
	u.CacheRead, u.CacheWrite = min(max(u.CacheRead, 0), most), min(max(u.CacheWrite, 0), most)
	if !(u.Cost >= 0) {
		u.Cost = 0
	}
}

func (a *Agent) addTools(c graphgen.ToolCount) {
	a.enterNode()
	a.tools, a.since.tools = a.tools.Add(c), a.since.tools.Add(c)
	if a.run.related.ledger != nil {
		a.releaseTools(c.Made)
	}
	if b := a.run.more.details; b != nil {
		s := b.ofStep(&a.run.path)
		s.ToolCalls, s.ToolFailures, s.Deduplicated = s.ToolCalls+c.Made, s.ToolFailures+c.Failed, s.Deduplicated+c.Deduplicated
	}
}

// enterNode makes the current node the one whose use is counted apart, if it is another one.
func (a *Agent) enterNode() {
	if at := a.run.here(); a.since.node != at {
		a.closeNode()
		a.since.node = at
	}
}

// closeNode adds what was counted apart to the sum of its node.
func (a *Agent) closeNode() {
	if a == nil {
		return
	}
	since := &a.since
	if since.modelCalls > 0 || since.tools != (graphgen.ToolCount{}) {
		a.addToNode(since.node, since)
	}
	*since = nodeUsage{node: since.node}
}

// addToNode adds what was used at a node to its sum.
func (a *Agent) addToNode(n NodeID, u *nodeUsage) {
	if a.usages == nil {
		a.usages = make([]nodeUsage, len(a.run.Graph().Nodes))
	}
	a.usages = grown(a.usages, int(n))
	sum := &a.usages[n]
	sum.usage = sum.usage.Add(u.usage)
	sum.modelCalls += u.modelCalls
	sum.tools = sum.tools.Add(u.tools)
}

// holdTools reserves the tool calls of a turn, or returns the error that they are too many.
func (a *Agent) holdTools(calls int) error {
	err := a.run.related.ledger.reserveTools(&a.run.settings.Budgets, calls)
	if err == nil {
		a.held += calls
	}
	return err
}

// releaseTools releases the calls that the turn has reserved and not used.
func (a *Agent) releaseTools(made int) {
	l := a.run.related.ledger
	l.mu.Lock()
	l.toolCalls += made - a.held
	l.mu.Unlock()
	a.held = 0
}

// used returns what the run has used.
func (a *Agent) used() *used {
	if a == nil {
		return new(used)
	}
	return &used{usage: a.usage, modelCalls: a.modelCalls, tools: a.tools, since: a.since}
}

// join adds the activity of a child run.
func (a *Agent) join(b *Agent) {
	addUsage(&a.usage, &b.usage)
	a.modelCalls += b.modelCalls
	for _, p := range b.prompts {
		a.addPrompt(p.Node, p.Purpose, p.Version, p.Replaced, p.ModelCalls)
	}
	a.tools = a.tools.Add(b.tools)
	for n := range b.usages {
		u := &b.usages[n]
		if u.modelCalls > 0 || u.tools != (graphgen.ToolCount{}) {
			a.addToNode(NodeID(n), u)
		}
	}
}

// bound marks the error of a spent budget with its run r, unless it is the error of a parent of r.
func bound(err error, r *Run) error {
	if spent := budgetOf(err); spent != nil && spent.Origin == (origin.Ref{}) {
		spent.Origin = origin.To(r)
	}
	return err
}

// budgetOf returns the error itself if it is about a budget, nil if it is about another limit.
func budgetOf(err error) *graphgen.LimitError {
	if e, ok := err.(*graphgen.LimitError); ok && e.Limit == graphgen.LimitBudget {
		return e
	}
	return nil
}
