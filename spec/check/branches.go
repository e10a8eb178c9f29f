package check

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/dataflow"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/resolve"
)

// branchPasses look at what nodes write and read that run at once, each on a copy of the state.
var branchPasses = []Pass{
	{run: races, Rule: diag.Rule{
		Code: "GG240", Name: "branch-race",
		Doc:  "Two branches of a parallel write one field, which keeps the value written last: one of the two would be lost. Give the field a merge rule, or have one branch alone write it. With join: first and a count of 1 one branch alone counts, and may write what the others do.",
		Bad:  "graph: g\nentry: gather\nstate: {notes: string}\noutput: notes\nnodes:\n  gather: {kind: parallel, branches: {web: search, papers: look_up}}\n  search: {writes: notes}\n  look_up: {writes: notes}\n",
		Good: "graph: g\nentry: gather\nstate: {notes: {type: \"[]string\", merge: append}}\noutput: notes\nnodes:\n  gather: {kind: parallel, branches: {web: search, papers: look_up}}\n  search: {writes: notes}\n  look_up: {writes: notes}\n",
	}},
	{run: readsBeside, Rule: diag.Rule{
		Code: "GG241", Name: "sibling-read",
		Doc:  "A node reads a field that only another branch of its parallel writes. Branches work on copies of the state as it is when the parallel is entered: what the other writes is there behind it, not beside it. Where the field has something to start with it is a warning, as the node reads that.",
		Bad:  "graph: g\nentry: both\nstate: {notes: string, text: string}\noutput: [notes, text]\nnodes:\n  both: {kind: parallel, branches: {search: search, draft: draft}}\n  search: {writes: notes}\n  draft: {reads: notes, writes: text}\n",
		Good: "graph: g\nentry: both\nstate: {notes: string, text: string}\noutput: text\nnodes:\n  both: {kind: parallel, branches: {draft: [search, draft], log: log}}\n  search: {writes: notes}\n  draft: {reads: notes, writes: text}\n  log: {reads: []}\n",
	}},
	{run: mapWrites, Rule: diag.Rule{
		Code: "GG242", Name: "map-write",
		Doc:  "A node within a map writes a field that keeps the value written last: every element of the list would write it. Give the field a merge rule. What only nodes within the map read needs none: each element has its own.",
		Bad:  "graph: g\nentry: all\nstate: {urls: \"[]string\", url: string, page: \"?string\"}\ninput: urls\noutput: page\nnodes:\n  all: {kind: map, over: urls, item: url, body: fetch}\n  fetch: {reads: url, writes: page}\n",
		Good: "graph: g\nentry: all\nstate: {urls: \"[]string\", url: string, pages: {type: \"[]string\", merge: append}}\ninput: urls\noutput: pages\nnodes:\n  all: {kind: map, over: urls, item: url, body: fetch}\n  fetch: {reads: url, writes: pages}\n",
	}},
	{run: wholeStates, Rule: diag.Rule{
		Code: "GG243", Name: "whole-state-in-branch",
		Doc:  "A node that runs beside others takes the whole state: it may write any field, and nobody knows which, so that its copy cannot be merged. Say what it reads and writes, or give it the flag readonly.",
		Bad:  "graph: g\nentry: both\nstate: {notes: string}\noutput: notes\nnodes:\n  both: {kind: parallel, branches: {search: search, log: log}}\n  search: {writes: notes}\n  log: {}\n",
		Good: "graph: g\nentry: both\nstate: {notes: string}\noutput: notes\nnodes:\n  both: {kind: parallel, branches: {search: search, log: log}}\n  search: {writes: notes}\n  log: {flags: [readonly]}\n",
	}},
}

// worksWithin lists the nodes of a region that run no others, those that others in it run too.
func worksWithin(r *resolve.Region) []*resolve.Node {
	var out []*resolve.Node
	for _, n := range r.Nodes {
		for _, n := range append([]*resolve.Node{n}, n.Inside()...) {
			if !n.Kind.Composite() {
				out = append(out, n)
			}
		}
	}
	return out
}

// mapWithin returns the innermost map that a node runs within, nil if there is none.
func mapWithin(n *resolve.Node) *resolve.Node {
	for at := n.Host; at != nil; at = at.Host {
		if at.Kind.Each {
			return at
		}
	}
	return nil
}

// races leaves alone what a map within a branch writes: that is told of by its own rule.
func races(c *context) {
	for _, n := range c.graph.All() {
		s := n.Spec
		if !n.Kind.Branches() || s.Unread || s.Join.IsSet() && !isWord(s.Join.V, spec.Joins) || s.Join.V == "first" && s.Count.V <= 1 {
			continue
		}
		firsts := map[*resolve.Field]*resolve.Region{}
		places := map[*resolve.Field]diag.Related{}
		told := map[*resolve.Field]bool{}
		for _, r := range n.Regions {
			for _, worker := range worksWithin(r) {
				for _, w := range worker.Writes {
					first := firsts[w.To]
					switch host := mapWithin(worker); {
					case w.To.Merge != "last" || w.To.Spec.Unread || host != nil && host.Within(n) || told[w.To]:
					case first == nil:
						firsts[w.To], places[w.To] = r, diag.Related{Pos: w.Name.Pos, Message: "branch " + quote(r.Name.V) + " writes it here"}
					case first != r:
						told[w.To] = true
						c.report(w.Name.Pos, "branches "+quote(first.Name.V)+" and "+quote(r.Name.V)+" of parallel "+quote(s.Name.V)+" both write "+quote(w.To.Name)+", which keeps the value written last",
							mergeHelp(w.To)+", or have one branch alone write it", places[w.To])
					}
				}
			}
		}
	}
}

// mergeHelp names merge rules that fit a field.
func mergeHelp(f *resolve.Field) string {
	rule := "custom"
	switch f.Type.Kind {
	case resolve.List:
		rule = "append"
	case resolve.Map:
		rule = "union"
	case resolve.Int, resolve.Float:
		rule = "sum, max or min"
	}
	return "give the field a merge rule, as in merge: " + rule
}

// readsBeside reports reads of what only another branch writes: in vain, where the field
// holds nothing to start with.
func readsBeside(c *context) {
	f := c.dataFlow()
	if f == nil {
		return
	}
	reads := f.Unassigned()
	for i := range reads {
		if w := c.besideOnly(&reads[i]); w != nil {
			c.reportBeside(c.report, c.readPlaceOf(&reads[i]), reads[i].Node, f.Fields[reads[i].Field], w)
		}
	}
	again := c.onCycles()
	number := c.numbers()
	for _, n := range c.graph.All() {
		if n.Host == nil || again[number[outermost(n)]] || runsAgain(n) {
			continue
		}
		for _, field := range n.Reads {
			i := f.Number(field)
			if f.Unset.Has(i) || f.Given.Has(i) {
				continue
			}
			if w := c.writtenBeside(n, i); w != nil {
				c.reportBeside(c.warn, readAt(n, field), n, field, w)
			}
		}
	}
}

func (c *context) reportBeside(report func(spec.Pos, string, string, ...diag.Related), pos spec.Pos, n *resolve.Node, field *resolve.Field, w *writtenAt) {
	host := quote(beside(w.node, n).Spec.Name.V)
	report(pos, "node "+quote(n.Spec.Name.V)+" reads "+quote(field.Name)+", which only branch "+quote(branchOf(w.node, n).Name.V)+" of "+host+" writes, beside it",
		"each branch works on a copy of the state as it is when "+host+" is entered: read it behind "+host+", or run the two nodes in one branch",
		diag.Related{Pos: w.pos, Message: "node " + quote(w.node.Spec.Name.V) + " writes it"})
}

// outermost returns the node that no other runs, and that a node is or runs within.
func outermost(n *resolve.Node) *resolve.Node {
	for n.Host != nil {
		n = n.Host
	}
	return n
}

// runsAgain reports whether a node may be executed again on what was written since.
func runsAgain(n *resolve.Node) bool {
	for at := n.Host; at != nil; at = at.Host {
		if at.Kind.Loops() || at.Kind.Picks() {
			return true
		}
	}
	return false
}

// besideOnly returns a place where another branch writes a field that a node reads in vain,
// where nothing else writes it.
func (c *context) besideOnly(r *dataflow.Read) *writtenAt {
	if r.Place != dataflow.InNode {
		return nil
	}
	return c.writtenBeside(r.Node, r.Field)
}

// writtenBeside returns a place where another branch writes a field that a node reads, where
// nothing else does. It is nil where there is none.
func (c *context) writtenBeside(n *resolve.Node, field int) *writtenAt {
	var found *writtenAt
	for i, w := range c.written(field) {
		if beside(w.node, n) == nil || found != nil && beside(w.node, n) != beside(found.node, n) {
			return nil
		}
		if found == nil {
			found = &c.written(field)[i]
		}
	}
	return found
}

// branchOf returns the branch that one of two nodes is in, where they are in two of one
// parallel.
func branchOf(n, other *resolve.Node) *resolve.Region {
	host := beside(n, other)
	for n.Host != host {
		n = n.Host
	}
	return n.Region
}

// mapWrites reports what every element of a list would write.
func mapWrites(c *context) {
	f := c.dataFlow()
	if f == nil {
		return
	}
	for _, n := range c.graph.Bodies {
		host := mapWithin(n)
		if host == nil || n.Kind.Composite() {
			continue
		}
		for _, w := range n.Writes {
			if w.To.Merge != "last" || w.To.Spec.Unread || w.To == host.Item {
				continue
			}
			if pos, what := c.readOutside(f, w.To, host); what != "" {
				c.report(w.Name.Pos, "node "+quote(n.Spec.Name.V)+" writes "+quote(w.To.Name)+" for every element of "+quote(host.Spec.Over.V)+", and the field keeps the value written last",
					mergeHelp(w.To)+", or read it within map "+quote(host.Spec.Name.V)+" alone", diag.Related{Pos: pos, Message: what})
			}
		}
	}
}

// readOutside returns a place outside of a node that looks at a field, and what it is.
func (c *context) readOutside(f *dataflow.Flow, field *resolve.Field, host *resolve.Node) (pos spec.Pos, what string) {
	i := f.Number(field)
	if pos := named(c.spec.Output, field.Name); pos.IsSet() {
		return pos, "it is an output of the graph"
	}
	for _, n := range c.graph.All() {
		if n == host && n.Over != field || n.Within(host) || !c.readsItself(f, n, i) {
			continue
		}
		pos := readAt(n, field)
		if !pos.IsSet() {
			pos = n.Spec.Until.Pos
		}
		return pos, "node " + quote(n.Spec.Name.V) + " reads it, outside of the map"
	}
	for _, e := range c.graph.Edges {
		if fields, _ := f.Reads(c.cfg.If(e)); slices.Contains(fields, i) {
			return e.Spec.If.Pos, "this condition looks at it, outside of the map"
		}
	}
	return spec.Pos{}, ""
}

// readsItself reports whether a node itself reads a field, or the condition of its loop.
func (c *context) readsItself(f *dataflow.Flow, n *resolve.Node, field int) bool {
	at := c.cfg.Node(n)
	if slices.Contains(n.Reads, f.Fields[field]) && n.Body == nil || slices.ContainsFunc(at.Evals, func(e *expr.Expr) bool { return slices.Contains(f.EvalReads(e), field) }) {
		return true
	}
	until, _ := f.Reads(at.Until)
	return slices.Contains(until, field)
}

func wholeStates(c *context) {
	for _, n := range c.graph.Bodies {
		if !n.TakesState || n.Spec.Unread || n.Kind.Composite() || !n.Kind.Known() || n.Has(spec.Readonly) {
			continue
		}
		for host := n.Host; host != nil; host = host.Host {
			if host.Kind.Forks() {
				c.report(n.Spec.Name.Pos, "node "+quote(n.Spec.Name.V)+" takes the whole state, and runs beside others in "+host.Kind.Name+" "+quote(host.Spec.Name.V)+": what it changes cannot be merged",
					"say what it reads and writes, as in reads: [], or give it the flag readonly")
				break
			}
		}
	}
}
