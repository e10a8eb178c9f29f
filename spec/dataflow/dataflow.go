// Package dataflow finds what runs of a graph know of the fields of the state: which fields may
// be unwritten where something reads them, and which are live, that is read before they are
// written again.
//
// The analysis has a point for each node to which transitions lead, and a second one for a node
// that may be skipped. A point has the outcomes of its node, and an outcome has successors. A
// composite node is one point: the effect of what it runs is computed once, for all fields.
//
// Which fields may be unwritten is a forward analysis over sets of fields. It takes each
// successor for possible, so it finds too much and never too little. A search for each field
// that it suspects finds the paths, and drops what no path shows. Which fields are live is a
// backward analysis over the same points.
package dataflow

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/resolve"
)

// Conditions is what the analysis asks about the conditions of a graph.
type Conditions interface {
	// MayHold reports whether the condition of an edge can hold after a success of its node, or
	// after a soft failure, when the output is empty.
	MayHold(t *cfg.Transition, softFailed bool) bool
	// MayMiss reports whether a success of a node can match none of its transitions, though no
	// bound is used up.
	MayMiss(*cfg.Node) bool
}

// A Flow is the data-flow graph of a spec, with what was found so far.
type Flow struct {
	Graph  *cfg.Graph
	Fields []*resolve.Field // of the state, by their number

	Unset  Set // fields that are unwritten when a run begins
	Given  Set // fields of the input
	Output Set // fields of the output
	Items  Set // fields that hold the elements of maps
	Kept   Set // fields that are read after the end of a run: the fields of the output, and the fields with which the next run of a thread begins

	conds   Conditions
	number  map[*resolve.Field]int
	goNames map[string]int
	at      map[*resolve.Node]int // the point of a node; the point of its skipping is the next
	points  []point
	entry   int
	late    int // how many successors are late

	exprs   map[*expr.Expr]exprReads
	fold    *cfg.Fold[*states]
	effects map[*resolve.Node]*Effect
	demands map[*resolve.Node]*demand
	work    int // composite nodes, and nodes of pools, that were analysed, for tests of growth

	unwritten  []Set // by point, the fields that may be unwritten; nil: no run reaches it
	unassigned *[]Read
	writers    [][]int // by field, the points that write it; nil: not computed
	writeAny   []int   // points that may write any field
}

// A point is a node that is executed, or one that is skipped.
type point struct {
	node      *cfg.Node
	skipped   bool
	reads     []int // of a composite node, fields that something in it may read unwritten
	writes    []int // of a composite node, fields that something in it may write
	records   []int // of them, those that are written whatever a person answers
	readsAll  bool  // it takes the whole state
	writesAll bool  // it may write any field
	outcomes  []outcome
	effect    *Effect // of a composite node
}

// An outcome of a point has its successors in the order in which they are tried.
type outcome struct {
	cfg.Outcome
	successors []successor
}

// executes reports whether the node runs, and so reads.
func (o *outcome) executes() bool { return o.Outcome != cfg.OutOfVisits && o.Outcome != cfg.Skipped }

// commits reports whether what the node writes is kept.
func (o *outcome) commits() bool { return o.Outcome == cfg.Succeeded }

// refused reports whether a person's answer was no, or late.
func (o *outcome) refused() bool { return o.Outcome == cfg.Denied || o.Outcome == cfg.Late }

// commits reports whether what the node writes to a field is kept after an outcome.
func (p *point) commits(o *outcome, field int) bool {
	return o.commits() || o.refused() && slices.Contains(p.records, field)
}

// New returns the data-flow graph of a spec whose names and settings have no mistake.
func New(g *cfg.Graph, conds Conditions) *Flow {
	fields, all := g.Spec.State.Fields, g.Spec.All()
	f := &Flow{
		Graph: g, Fields: fields, conds: conds,
		Unset: newSet(len(fields)), Given: newSet(len(fields)), Output: newSet(len(fields)), Items: newSet(len(fields)), Kept: newSet(len(fields)),
		number: make(map[*resolve.Field]int, len(fields)), goNames: map[string]int{},
		at:    make(map[*resolve.Node]int, len(g.Spec.Nodes)),
		exprs: map[*expr.Expr]exprReads{}, effects: map[*resolve.Node]*Effect{}, demands: map[*resolve.Node]*demand{},
	}
	f.fold = cfg.NewFold(algebra{f}, true)
	for i, field := range fields {
		f.number[field], f.goNames[field.GoName] = i, i
		if !field.StartsAssigned() {
			f.Unset.Add(i)
		}
	}
	for _, n := range all {
		if n.Item != nil {
			f.Unset.Remove(f.number[n.Item]) // a map sets it where it may be read
			f.Items.Add(f.number[n.Item])
		}
	}
	for _, field := range g.Spec.Input.Fields {
		i := f.number[g.Spec.State.Field(field.Name)] // a field with a default is one of its own in the input
		f.Unset.Remove(i)
		f.Given.Add(i)
	}
	for _, field := range g.Spec.Output.Fields {
		f.Output.Add(f.number[field])
	}
	f.Kept.Union(f.Output)
	for i, field := range fields {
		if field.Carries() {
			f.Kept.Add(i)
		}
	}
	for _, n := range g.Spec.Nodes {
		f.at[n] = len(f.points)
		f.points = append(f.points, f.point(g.Node(n)))
		if n.Has(spec.SkipOnError) {
			f.points = append(f.points, point{node: g.Node(n), skipped: true})
		}
	}
	f.entry = f.at[g.Spec.Entry]
	for i := range f.points {
		f.connect(&f.points[i])
	}
	return f
}

// Number returns the number of a field of the state.
func (f *Flow) Number(field *resolve.Field) int { return f.number[field] }

// NewSet returns an empty set of fields.
func (f *Flow) NewSet() Set { return newSet(len(f.Fields)) }

// node returns the node of a point.
func (f *Flow) node(at int) *resolve.Node { return f.points[at].node.Spec }

// executed returns the point at which the node of a point is executed.
func (f *Flow) executed(at int) int { return f.at[f.node(at)] }

// point returns the point at which a node is executed.
func (f *Flow) point(n *cfg.Node) point {
	if !n.Spec.Kind.Composite() {
		return f.leaf(n)
	}
	e := f.Effect(n.Spec)
	p := point{node: n, effect: e, readsAll: e.ReadsAll, writesAll: e.WritesAll}
	for _, r := range e.exposed {
		r.fields.Each(func(i int) {
			if !slices.Contains(p.reads, i) {
				p.reads = append(p.reads, i)
			}
		})
	}
	e.Writes.Each(func(i int) { p.writes = append(p.writes, i) })
	return p
}

// leaf returns the point of a node that is not composite.
func (f *Flow) leaf(n *cfg.Node) point {
	changes := n.Spec.Kind.Changes() && !n.Spec.Has(spec.Readonly)
	p := point{node: n, readsAll: n.Spec.TakesState, writesAll: n.Spec.TakesState && changes}
	for _, field := range n.Spec.Reads {
		p.reads = append(p.reads, f.number[field])
	}
	for _, w := range n.Spec.Writes {
		p.writes = append(p.writes, f.number[w.To])
		if w.Record != nil {
			p.records = append(p.records, f.number[w.To])
		}
	}
	for _, e := range n.Evals {
		for _, field := range f.EvalReads(e) {
			if !p.writesAll && !slices.Contains(p.reads, field) {
				p.reads = append(p.reads, field)
			}
		}
	}
	for _, field := range f.Graph.Spec.Contextual(n.Spec) {
		if i := f.number[field]; !slices.Contains(p.reads, i) {
			p.reads = append(p.reads, i)
		}
	}
	return p
}

// exprReads is what an expression reads.
type exprReads struct {
	fields []int
	known  bool
}

// Reads returns the fields of the state that an expression reads, and whether these are known
// to be all: the reads of an expression with a mistake are not. Nil reads nothing.
func (f *Flow) Reads(e *expr.Expr) (fields []int, known bool) {
	if e == nil {
		return nil, true
	}
	r, ok := f.exprs[e]
	if !ok {
		if e.Typed().Mistake == nil {
			r.fields, r.known = f.readsOf(e)
		}
		f.exprs[e] = r
	}
	return r.fields, r.known
}

// EvalReads returns the fields of the state that the expression of an eval reads.
func (f *Flow) EvalReads(e *expr.Expr) []int {
	if e == nil {
		return nil
	}
	fields, _ := f.readsOf(e)
	return fields
}

func (f *Flow) readsOf(e *expr.Expr) (fields []int, known bool) {
	uses := e.Uses()
	for _, used := range uses.State {
		if i, ok := f.goNames[used.GoName]; ok && !slices.Contains(fields, i) {
			fields = append(fields, i)
		}
	}
	return fields, !uses.AllState
}
