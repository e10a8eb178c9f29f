package check

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A flow is a graph as the data of a run sees it: points at which a run can stand, and for
// each way a step can come out, whether it commits and where it leads next.
type flow struct {
	c       *context
	fields  []*resolve.Field
	number  map[*resolve.Field]int
	goNames map[string]int
	at      map[*resolve.Node]int // the point of a node; one that may be skipped has the next as well
	points  []point
	asks    map[*expr.Expr]asking     // as far as they were looked for
	inside  map[*resolve.Node]*effect // what nodes do that run others, and those within them
	demands map[*resolve.Node]*demand // what composite nodes need of the state, as far as it was looked for
	late    int                       // how many moves are late
	entry   int

	unset bits   // fields that hold nothing when a run begins
	given bits   // fields of the input
	gives bits   // fields of the output
	items bits   // fields that hold the elements of maps
	opens []bits // by point, fields that may hold nothing there, but for late moves; nil: not reached

	read        bits // fields that something looks at; nil: nobody has asked
	readCertain bool // these are all

	writes    [][]writtenAt // by field, the first places where it is written; nil: nobody has asked
	writersOf [][]int       // by field, points that write it; nil: nobody has asked
	writeAll  []int         // points that may write any
}

// A point is a node that is executed, or one that is skipped.
type point struct {
	node      *resolve.Node
	skipped   bool
	reads     []int // of one that runs others, those that something may look at in vain
	writes    []int // of one that runs others, those that may be written
	readsAll  bool  // it is given the state
	writesAll bool  // it is given the state to change
	outcomes  []outcome
	effect    *effect // nil: the node runs no others
}

// ending says how a step comes out.
type ending uint8

const (
	succeeds ending = iota
	failsSoftly
	fails
	refused // by its guards
	usedUp  // its visits are: it does not run
	isSkipped
	callsTools // in place of an output
	isDenied   // its person said no
	isLate     // its person answered too late
)

// An outcome is one way a step comes out. Its moves stand in the order they are tried.
type outcome struct {
	ending  ending
	commits bool
	moves   []move
}

// executes reports whether the node runs, and so reads.
func (o *outcome) executes() bool { return o.ending != usedUp && o.ending != isSkipped }

// A move is a place where a run can go next. What its condition looks at is looked at by
// every move behind it too, unless it is late: then the run may not come to it.
type move struct {
	to   int // a point, or theEnd
	asks []int
	cond *resolve.Edge // whose condition it is; nil: it has none
	edge *resolve.Edge

	late  int   // its number among those that a run does not come to at the node's first visit; 0: it is not
	after []int // points that edges of the node must have led to before; none: the node must have been left before
}

// theEnd is where a run ends.
const theEnd = -1

// dataFlow returns the flow of the graph, nil where another mistake hides what its fields,
// its nodes or their ways are: what follows from that is not told as well.
func (c *context) dataFlow() *flow {
	if c.flowing == nil {
		c.flowing = &flowing{}
		if _, certain := c.reachable(); certain && !c.unsure() {
			c.flowing.flow = newFlow(c)
		}
	}
	return c.flowing.flow
}

// unsure reports whether something could not be read, or names or settings are wrong. What
// is wrong with ways and conditions leaves them what they are.
func (c *context) unsure() bool {
	sound := wayPasses[0].Code // the first code that does
	for _, d := range c.found {
		if d.Severity == diag.Error && d.Code < sound {
			return true
		}
	}
	s := c.spec
	known := func(list []spec.String) bool {
		return !slices.ContainsFunc(list, func(n spec.String) bool { return !written(n) })
	}
	return slices.ContainsFunc(c.graph.All(), vague) || s.Unread || s.Limits.Unread || s.Mutations != nil && s.Mutations.Unread || !known(s.Input) || !known(s.Output) ||
		slices.ContainsFunc(s.State, func(f *spec.Field) bool { return f.Unread }) ||
		slices.ContainsFunc(s.Edges, func(e *spec.Edge) bool { return e.Unread }) ||
		slices.ContainsFunc(s.Nodes, func(n *spec.Node) bool { return n.Unread || !known(n.Reads) || !known(n.Writes) })
}

// vague reports whether it is not known what a node runs, what it sets, or what of its pool is
// first and last.
func vague(n *resolve.Node) bool {
	switch {
	case n.Kind.Each:
		return n.Bodiless() || n.Over == nil || n.Item == nil
	case n.Kind.By == spec.ByGraph:
		return n.Sub == nil
	case n.Kind.Picks():
		return n.Bodiless() || n.Spec.PoolEntry.IsSet() && n.First == nil || len(n.Finals) < len(n.Spec.Terminal)
	}
	return n.Bodiless()
}

// flowing is what the passes over the data flow share.
type flowing struct {
	flow  *flow // nil: it cannot be judged
	gaps  []unassigned
	known bool // gaps have been looked for

	lost   []lostJoin
	joined bool // lost have been looked for
}

func newFlow(c *context) *flow {
	f := &flow{
		c: c, fields: c.graph.State.Fields,
		number: make(map[*resolve.Field]int, len(c.graph.State.Fields)),
		at:     make(map[*resolve.Node]int, len(c.graph.Nodes)), goNames: map[string]int{},
		asks: map[*expr.Expr]asking{}, inside: map[*resolve.Node]*effect{},
		demands: map[*resolve.Node]*demand{},
	}
	for i, field := range f.fields {
		f.number[field], f.goNames[field.GoName] = i, i
	}
	f.unset, f.given, f.gives, f.items = newBits(len(f.fields)), newBits(len(f.fields)), newBits(len(f.fields)), newBits(len(f.fields))
	for i, field := range f.fields {
		if !field.StartsAssigned() {
			f.unset.add(i)
		}
	}
	for _, n := range c.graph.All() {
		if n.Item != nil {
			i := f.number[n.Item] // a map sets it where it may be read
			f.unset.remove(i)
			f.items.add(i)
		}
	}
	for _, field := range c.graph.Input.Fields {
		at := f.number[c.graph.State.Field(field.Name)] // one with a default is a field of its own there
		f.unset.remove(at)
		f.given.add(at)
	}
	for _, field := range c.graph.Output.Fields {
		f.gives.add(f.number[field])
	}
	for _, n := range c.graph.Nodes {
		f.at[n] = len(f.points)
		f.points = append(f.points, f.point(n))
		if n.Has(spec.SkipOnError) {
			f.points = append(f.points, point{node: n, skipped: true})
		}
	}
	f.entry = f.at[c.graph.Entry]
	for i := range f.points {
		f.connect(&f.points[i])
	}
	return f
}

// main is the point at which the node of a point is executed.
func (f *flow) main(at int) int { return f.at[f.points[at].node] }

// point says what a node does to the state when it is executed.
func (f *flow) point(n *resolve.Node) point {
	if !n.Kind.Composite() {
		return f.leaf(n)
	}
	w := f.effect(n)
	p := point{node: n, effect: w, readsAll: w.readsAll, writesAll: w.writesAll}
	for _, l := range w.looks {
		l.fields.each(func(i int) {
			if !slices.Contains(p.reads, i) {
				p.reads = append(p.reads, i)
			}
		})
	}
	w.writes.each(func(i int) { p.writes = append(p.writes, i) })
	return p
}

// leaf is the point of a node that runs no others.
func (f *flow) leaf(n *resolve.Node) point {
	changes := n.Kind.Changes() && !n.Has(spec.Readonly)
	p := point{node: n, readsAll: n.TakesState, writesAll: n.TakesState && changes}
	for _, field := range n.Reads {
		p.reads = append(p.reads, f.number[field])
	}
	for _, w := range n.Writes {
		p.writes = append(p.writes, f.number[w.To])
	}
	for _, e := range f.c.cfg.Node(n).Evals {
		p.look(f.judges(e))
	}
	return p
}

// look adds what an expression of the node looks at.
func (p *point) look(asks []int) {
	for _, field := range asks {
		if !p.writesAll && !slices.Contains(p.reads, field) {
			p.reads = append(p.reads, field)
		}
	}
}
