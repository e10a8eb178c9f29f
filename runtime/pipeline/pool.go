package pipeline

import (
	"context"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/engine"
)

// A Pool is a set of nodes from which a model repeatedly picks the next one.
type Pool struct {
	Nodes []PoolNode
	Once  bool // no node runs twice
	Most  int  // nodes that run in one visit
}

// A PoolNode is a node of a pool.
type PoolNode struct {
	Name       string
	Transition engine.TransitionID // that leads to it
	Terminal   bool                // it is the last
}

// PoolEnd is the pick of a model when nothing more is to be done, if the pool has no last node.
const PoolEnd = "end"

// A Picker is one visit of a node that runs a pool.
type Picker struct {
	Pool *Pool

	ran   []bool
	steps int
	over  bool
}

// Over reports whether no node is left to run: the last one has run, or the maximum is reached.
func (p *Picker) Over() bool { return p.over || p.steps >= p.Pool.Most }

// Run records that a node of the pool runs.
func (p *Picker) Run(i int) engine.TransitionID {
	if p.ran == nil {
		p.ran = make([]bool, len(p.Pool.Nodes))
	}
	p.ran[i] = true
	p.steps++
	p.over = p.Pool.Nodes[i].Terminal
	return p.Pool.Nodes[i].Transition
}

// open lists the nodes that may be picked. The last one that there is to run is one of those
// that are the last.
func (p *Picker) open() (open []int, end bool) {
	end = true
	for i := range p.Pool.Nodes {
		end = end && !p.Pool.Nodes[i].Terminal
	}
	for i := range p.Pool.Nodes {
		again := p.Pool.Once && p.ran != nil && p.ran[i]
		late := !end && p.steps == p.Pool.Most-1 && !p.Pool.Nodes[i].Terminal
		if !again && !late {
			open = append(open, i)
		}
	}
	return open, end
}

// Pick has the model pick the next node, and returns the transition to it. It returns Terminal when
// nothing more is to be done. A single choice is taken without a call. fields writes the fields of the state, and prompt what
// else depends on the run; both may be nil.
func (p *Picker) Pick(ctx context.Context, tr *Transcript, run *engine.Run, conversation *Conversation, model chat.Model, node *Node,
	fields Placer, prompt func(*Prompt)) (engine.TransitionID, error) {
	open, end := p.open()
	switch {
	case len(open) == 0:
		p.over = true
		return engine.Terminal, nil
	case len(open) == 1 && !end:
		return p.Run(open[0]), nil
	}
	names := make([]string, 0, len(open)+1)
	for _, i := range open {
		names = append(names, p.Pool.Nodes[i].Name)
	}
	if end {
		names = append(names, PoolEnd)
	}
	tr.node, tr.run, tr.conversation, tr.own = node, run, conversation, model
	tr.begin(fields)
	if prompt != nil {
		prompt(&tr.prompt)
	}
	tr.request.schema = &chat.Schema{Name: "route", JSON: RouteSchema(names...)}
	pick := Pick{Routes: names}
	if err := tr.Ask(ctx, nil, &pick); err != nil {
		return 0, err
	}
	if pick.Index == len(open) {
		p.over = true
		return engine.Terminal, nil
	}
	return p.Run(open[pick.Index]), nil
}
