package engine

import (
	"slices"
	"time"

	"github.com/graphgen/graphgen"
)

// Details are kept for the report of a run, or of a branch of it.
type details struct {
	ModelTime, ToolTime time.Duration         // these as in graphgen.RunDetail
	Nodes               []graphgen.NodeDetail // by NodeID
	Calls               []graphgen.ModelCall
	CallsDropped        int
	Guards              []graphgen.GuardCount
	LeftOut             []graphgen.OmittedBlock

	name         string          // of the run, where it is random
	began        time.Duration   // of Settings.instant; of a branch: 0
	pausedBefore time.Duration   // how long the pauses before it took
	from         int             // how many steps were completed then
	steps        []time.Duration // by number of the transition to the step, a ring as the path; nil: steps are not timed
	step         int             // the number of the current one
	stepDetails                  // of models and tools, by step
}

// callsLength is how many calls of models a run keeps, the last ones.
const callsLength = 1 << 12

// newDetails begins the details of a run, if they are requested.
func newDetails(r *Run) {
	if r.settings.wantsDetails() && r.more.get().details == nil {
		both := besides[struct {
			book details
			path [4 * firstPath]TransitionID // instead of the first array: a report has the path
		}](&r.more)
		b := &both.book
		if r.path.n == 0 {
			r.path.ring = both.path[:]
		}
		b.began, b.pausedBefore, b.step = r.settings.instant(), r.more.pauses.pauseClock().total(r.settings), r.path.n-1
		b.from = max(b.step, 0)
		if r.settings.nesting == nil {
			r.id.setName(r.settings, &b.name)
		}
		r.more.details = b
	}
}

// IsTimed reports whether the time of calls is needed: by observers, or for the report.
func (a *Agent) IsTimed() bool { return a.run.settings.Observed() || a.run.more.keepsDetails() }

// KeepsDetails reports whether the run keeps the details of its report.
func (a *Agent) KeepsDetails() bool { return a.run.more.keepsDetails() }

// DetailCall adds a call of a model to the details, at the current node.
func (a *Agent) DetailCall(c *graphgen.ModelCall) {
	b := a.run.more.get().details
	if b == nil {
		return
	}
	at := a.run.here()
	c.Node, c.Branch, c.Visit = a.run.Graph().NodeName(at), a.run.related.branch, a.run.path.visit(at)
	b.addCall(c)
	b.addTimes(&a.run.path, at, c.Latency, 0)
}

// addCall keeps a call of a model.
func (b *details) addCall(c *graphgen.ModelCall) {
	if len(b.Calls) == callsLength {
		b.Calls = append(make([]graphgen.ModelCall, 0, callsLength), b.Calls[callsLength/2:]...) // reports may hold the others
		b.CallsDropped += callsLength / 2
	}
	b.Calls = append(b.Calls, *c)
}

// DetailTools adds the time of calls of tools to the details, at the current node.
func (a *Agent) DetailTools(d time.Duration) {
	if b := a.run.more.get().details; b != nil {
		b.addTimes(&a.run.path, a.run.here(), 0, d)
	}
}

// addTimes adds the time of models and tools at the current step of a run, and at its node.
func (b *details) addTimes(p *Path, at NodeID, model, tool time.Duration) {
	b.addNodeTimes(at, model, tool)
	s := b.ofStep(p)
	s.ModelTime += model
	s.ToolTime += tool
}

// addNodeTimes adds the time of models and tools at a node.
func (b *details) addNodeTimes(at NodeID, model, tool time.Duration) {
	b.ModelTime += model
	b.ToolTime += tool
	b.Nodes = grown(b.Nodes, int(at))
	b.Nodes[at].ModelTime += model
	b.Nodes[at].ToolTime += tool
}

// DetailOmitted adds a block that the prompt of the current node has no room for to the details.
func (a *Agent) DetailOmitted(block string) {
	if b := a.run.more.get().details; b != nil {
		w := a.run.where(a.run.here())
		b.LeftOut = append(b.LeftOut, graphgen.OmittedBlock{Node: w.Node, Branch: w.Branch, Visit: w.Visit, Block: block})
	}
}

// countVerdict counts a verdict of a guard.
func (b *details) countVerdict(node, guard string, passed, refused int) {
	at := 0
	for at < len(b.Guards) && (b.Guards[at].Node != node || b.Guards[at].Guard != guard) {
		at++
	}
	if at == len(b.Guards) {
		b.Guards = append(b.Guards, graphgen.GuardCount{Node: node, Guard: guard})
	}
	b.Guards[at].Passed += passed
	b.Guards[at].Refused += refused
}

// beginStep notes that a step begins whose time is measured.
func (b *details) beginStep(p *Path) {
	b.step = p.n - 1
	b.time(p, b.step, 0)
}

// time sets the time of a step. Its number is the number of the transition that led to it.
func (b *details) time(p *Path, number int, d time.Duration) {
	if size, have := len(p.ring), len(b.steps); have < size {
		steps := make([]time.Duration, size)
		for i := max(p.oldest(), number-have, 0); i < number; i++ {
			steps[i&(size-1)] = b.steps[i&(have-1)]
		}
		b.steps = steps
	}
	if number >= p.oldest() {
		b.steps[number&(len(b.steps)-1)] = d
	}
}

// timeOf returns the time of a step, 0 if it was not measured.
func (b *details) timeOf(number int) time.Duration {
	if len(b.steps) == 0 {
		return 0
	}
	return b.steps[number&(len(b.steps)-1)]
}

// splice adds the details of a step of a branch. It is the last one of the path.
func (b *details) splice(p *Path, s *Settings, branch *details, number int) {
	if branch == nil { // it has ended in another process
		return
	}
	if s.isWatched() {
		b.time(p, p.n-1, branch.timeOf(number))
	}
	for i := range branch.stepDetails.steps {
		if d := &branch.stepDetails.steps[i]; d.number == number {
			*b.addStep(p, p.n-1) = d.StepDetail
		}
	}
}

// join adds the details of a branch, except the details of its path.
func (b *details) join(other *details) {
	for i := range other.Calls {
		b.addCall(&other.Calls[i])
	}
	b.CallsDropped += other.CallsDropped
	for _, g := range other.Guards {
		b.countVerdict(g.Node, g.Guard, g.Passed, g.Refused)
	}
	b.LeftOut = append(b.LeftOut, other.LeftOut...)
	for at, n := range other.Nodes {
		if n != (graphgen.NodeDetail{}) {
			b.addNodeTimes(NodeID(at), n.ModelTime, n.ToolTime)
		}
	}
}

// copied returns a copy of the details, nil of nil.
func (b *details) copied() *details {
	if b == nil {
		return nil
	}
	c := *b
	c.Calls, c.Guards, c.LeftOut = Clip(c.Calls), slices.Clone(c.Guards), Clip(c.LeftOut)
	c.Nodes, c.steps, c.stepDetails.steps = slices.Clone(c.Nodes), slices.Clone(c.steps), slices.Clone(c.stepDetails.steps)
	return &c
}

// of returns the details for a report of the run.
func (b *details) of(r *Run, rep *graphgen.Report) *graphgen.RunDetail {
	x := r.more.get()
	if b == nil {
		return nil
	}
	both := new(struct {
		run   graphgen.RunDetail
		nodes [4]graphgen.NodeDetail // the array of Nodes of a small graph
	})
	d := &both.run
	d.From, d.ModelTime, d.ToolTime, d.CallsDropped = b.from, b.ModelTime, b.ToolTime, b.CallsDropped
	if b.began != 0 {
		d.Duration = r.settings.instant() - b.began - (x.pauses.pauseClock().total(r.settings) - b.pausedBefore)
	}
	d.Calls, d.Guards, d.LeftOut = Clip(b.Calls), slices.Clone(b.Guards), Clip(b.LeftOut)
	if d.Nodes = both.nodes[:]; len(rep.Nodes) <= len(d.Nodes) {
		d.Nodes = slices.Clip(d.Nodes[:len(rep.Nodes)])
	} else {
		d.Nodes = make([]graphgen.NodeDetail, len(rep.Nodes))
	}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		if i+1 < len(b.Nodes) {
			*n = b.Nodes[i+1]
		}
		n.Kind = r.Graph().node(NodeID(i + 1)).Kind
	}
	if len(b.steps) > 0 {
		d.Times = make([]time.Duration, 0, len(rep.Path))
		for i := r.path.oldest(); i < r.path.n; i++ {
			if r.Graph().to(r.path.at(i)) != End {
				d.Times = append(d.Times, b.timeOf(i))
			}
		}
	}
	if len(b.stepDetails.steps) > 0 {
		d.Steps = make([]graphgen.StepDetail, len(rep.Path))
		for i := range b.stepDetails.steps {
			s := &b.stepDetails.steps[i]
			if at := s.number - r.path.oldest(); at >= 0 && at < len(d.Steps) {
				d.Steps[at] = s.StepDetail
			}
		}
	}
	if r.ending.err == nil {
		d.Output = x.output
	}
	return d
}
