package check

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/dataflow"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/resolve"
)

// branchPasses judge the writes and reads of nodes that run concurrently, each on a copy of the state.
var branchPasses = []Pass{
	{Code: "GG240", run: races},
	{Code: "GG241", run: readsBeside},
	{Code: "GG242", run: mapWrites},
	{Code: "GG243", run: wholeStates},
}

// worksWithin lists the nodes of a region that run no others, those that others in it run too.
func worksWithin(r *resolve.Region) []*resolve.Node {
	var out []*resolve.Node
	for _, n := range r.Nodes {
		for _, n := range append([]*resolve.Node{n}, n.Children()...) {
			if !n.Kind.Composite() {
				out = append(out, n)
			}
		}
	}
	return out
}

// mapWithin returns the innermost map that a node runs within, nil without one.
func mapWithin(n *resolve.Node) *resolve.Node {
	for at := n.Parent; at != nil; at = at.Parent {
		if at.Kind.Each {
			return at
		}
	}
	return nil
}

// races skips the writes of a map within a branch, which have a rule of their own.
func races(c *context) {
	for _, n := range c.graph.All() {
		s := n.Spec
		if !n.Kind.Branches() || s.Unread || s.Join.IsSet() && !isWord(s.Join.V, spec.Joins) || spec.JoinOf(s.Join.V).StopsOnSuccess && s.Count.V <= 1 {
			continue
		}
		firsts := map[*resolve.Field]*resolve.Region{}
		places := map[*resolve.Field]diag.Related{}
		reported := map[*resolve.Field]bool{}
		for _, r := range n.Regions {
			for _, worker := range worksWithin(r) {
				for _, w := range worker.Writes {
					first := firsts[w.To]
					switch parent := mapWithin(worker); {
					case w.To.Merge != "last" || w.To.Spec.Unread || parent != nil && parent.ChildOf(n) || reported[w.To]:
					case first == nil:
						firsts[w.To], places[w.To] = r, diag.Related{Pos: w.Name.Pos, Message: "branch " + quote(r.Name.V) + " writes it here"}
					case first != r:
						reported[w.To] = true
						c.report(w.Name.Pos,
							"branches "+quote(first.Name.V)+" and "+quote(r.Name.V)+" of parallel "+quote(s.Name.V)+" both write "+
								quote(w.To.Name)+", which keeps the value written last",
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
		return "give the field a merge rule, as in " + diag.Set("merge", "sum") + ", max or min"
	}
	return "give the field a merge rule, as in " + diag.Set("merge", rule)
}

// readsBeside reports reads of what only another branch writes. They are errors where the field
// is unwritten when a run begins.
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
		if n.Parent == nil || again[number[outermost(n)]] || runsAgain(n) {
			continue
		}
		for _, field := range c.readsOf(n) {
			i := f.Number(field)
			if f.Unset.Has(i) || f.Given.Has(i) {
				continue
			}
			if w := c.writtenBeside(n, i); w != nil {
				c.reportBeside(c.warn, c.readAt(n, field), n, field, w)
			}
		}
	}
}

func (c *context) reportBeside(report func(spec.Pos, string, string, ...diag.Related), pos spec.Pos, n *resolve.Node, field *resolve.Field, w *writtenAt) {
	parent := quote(beside(w.node, n).Spec.Name.V)
	report(pos,
		"node "+quote(n.Spec.Name.V)+" reads "+quote(field.Name)+", which only branch "+quote(branchOf(w.node, n).Name.V)+" of "+
			parent+" writes at the same time",
		"each branch works on a copy of the state as it is when "+parent+" is entered: read it after "+parent+", or run the two nodes in one branch",
		diag.Related{Pos: w.pos, Message: "node " + quote(w.node.Spec.Name.V) + " writes it"})
}

// outermost returns the node that no other runs, and that a node is or runs within.
func outermost(n *resolve.Node) *resolve.Node {
	for n.Parent != nil {
		n = n.Parent
	}
	return n
}

// runsAgain reports whether a node may be executed again on what was written since.
func runsAgain(n *resolve.Node) bool {
	for at := n.Parent; at != nil; at = at.Parent {
		if at.Kind.Loops() || at.Kind.Picks() {
			return true
		}
	}
	return false
}

// besideOnly returns a place where another branch writes a field that a node reads unwritten, if
// nothing else writes it.
func (c *context) besideOnly(r *dataflow.Read) *writtenAt {
	if r.Node == nil {
		return nil
	}
	return c.writtenBeside(r.Node, r.Field)
}

// writtenBeside returns a place where another branch writes a field that a node reads, if nothing
// else writes it; else nil.
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

// branchOf returns the branch of a node, where another node is in another branch of the same
// parallel.
func branchOf(n, other *resolve.Node) *resolve.Region {
	parent := beside(n, other)
	for n.Parent != parent {
		n = n.Parent
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
		parent := mapWithin(n)
		if parent == nil || n.Kind.Composite() {
			continue
		}
		for _, w := range n.Writes {
			if w.To.Merge != "last" || w.To.Spec.Unread || w.To == parent.Item {
				continue
			}
			if pos, what := c.readOutside(f, w.To, parent); what != "" {
				c.report(w.Name.Pos,
					"node "+quote(n.Spec.Name.V)+" writes "+quote(w.To.Name)+" for every element of "+quote(parent.Spec.Over.V)+
						", and the field keeps the value written last",
					mergeHelp(w.To)+", or read it within map "+quote(parent.Spec.Name.V)+" alone", diag.Related{Pos: pos, Message: what})
			}
		}
	}
}

// readOutside returns a place outside of a node where a field is read, and what it is.
func (c *context) readOutside(f *dataflow.Flow, field *resolve.Field, parent *resolve.Node) (pos spec.Pos, what string) {
	i := f.Number(field)
	if pos := named(c.spec.Output, field.Name); pos.IsSet() {
		return pos, "it is an output of the graph"
	}
	for _, n := range c.graph.All() {
		if n == parent && n.Over != field || n.ChildOf(parent) || !c.readsItself(f, n, i) {
			continue
		}
		pos := c.readAt(n, field)
		if x := c.ownCondition(n, field); !pos.IsSet() && x != nil {
			pos = x.Written.Pos
		}
		return pos, "node " + quote(n.Spec.Name.V) + " reads it, outside of the map"
	}
	for _, e := range c.graph.Edges {
		if fields, _ := f.Reads(c.cfg.If(e)); slices.Contains(fields, i) {
			return e.Spec.If.Pos, "this condition reads it, outside of the map"
		}
		if slices.Contains(e.Shown, field) {
			return named(e.Spec.Reads, field.Name), "this condition reads it, outside of the map"
		}
	}
	return spec.Pos{}, ""
}

// readsItself reports whether a node itself reads a field, or a condition that it has.
func (c *context) readsItself(f *dataflow.Flow, n *resolve.Node, field int) bool {
	at := c.cfg.Node(n)
	if slices.Contains(c.readsOf(n), f.Fields[field]) && n.Body == nil || slices.ContainsFunc(at.Evals,
		func(e *expr.Expr) bool { return slices.Contains(f.EvalReads(e), field) }) {
		return true
	}
	return c.ownCondition(n, f.Fields[field]) != nil
}

func wholeStates(c *context) {
	for _, n := range c.graph.Bodies {
		if !n.TakesState || n.Spec.Unread || n.Kind.Composite() || !n.Kind.Known() || n.Has(spec.Readonly) {
			continue
		}
		for parent := n.Parent; parent != nil; parent = parent.Parent {
			if parent.Kind.Forks() {
				c.report(n.Spec.Name.Pos,
					"node "+quote(n.Spec.Name.V)+" takes the whole state, and runs concurrently with others in "+parent.Kind.Name+" "+
						quote(parent.Spec.Name.V)+": what it changes cannot be merged",
					"state what it reads and writes, as in "+diag.Set("reads", "[]")+", or give it the flag readonly")
				break
			}
		}
	}
}

// exclusivePasses look for nodes that need several paths of which a run takes one.
var exclusivePasses = []Pass{
	{Code: "GG244", run: exclusiveReads},
}

// exclusive returns the nodes that read fields of which no run has two.
func (c *context) exclusive() []dataflow.Exclusive {
	if f := c.dataFlow(); f != nil && !c.flowing.searched {
		c.flowing.exclusive = f.Exclusive(func(r *dataflow.Read) bool { return c.besideOnly(r) == nil })
		c.flowing.searched = true
	}
	return c.flowing.exclusive
}

func exclusiveReads(c *context) {
	f := c.dataFlow()
	if f == nil {
		return
	}
	reads := f.Unassigned()
	for _, x := range c.exclusive() {
		var fields, writers []string
		var notes []diag.Related
		for i, field := range x.Fields {
			name := quote(f.Fields[field].Name)
			w := writerWithin(x.Writers[i], f.Fields[field])
			fields = append(fields, name)
			writers = append(writers, quote(w.node.Spec.Name.V))
			notes = append(notes, diag.Related{Pos: w.pos, Message: "node " + quote(w.node.Spec.Name.V) + " writes " + name})
		}
		first := &reads[x.Reads[0]]
		reader := x.Node
		if !slices.ContainsFunc(x.Reads, func(i int) bool { return reads[i].Node != first.Node }) {
			reader = first.Node
		}
		c.report(c.readPlaceOf(first),
			"node "+quote(reader.Spec.Name.V)+" reads "+anded(fields,
				"and")+", but no run has both: from "+quote(x.Fork.Spec.Name.V)+" it reaches either "+anded(writers, "or"),
			"run "+anded(writers, "and")+" as branches of a parallel before "+quote(outermost(reader).Spec.Name.V)+", or one after "+
				"the other; or make the fields optional", notes...)
	}
}

// anded lists names as a sentence does.
func anded(names []string, last string) string {
	n := len(names) - 1
	return strings.Join(names[:n], ", ") + " " + last + " " + names[n]
}

// writerWithin returns the place where a node, or one that it runs, writes a field.
func writerWithin(parent *resolve.Node, field *resolve.Field) writtenAt {
	for _, n := range append([]*resolve.Node{parent}, parent.Children()...) {
		for _, w := range n.Writes {
			if !n.Kind.Composite() && w.To == field {
				return writtenAt{n, w.Name.Pos}
			}
		}
	}
	return writtenAt{parent, parent.Spec.Name.Pos}
}

// declared is the help for a key of a map that names no field of the state.
func declared(n *resolve.Node, key string) string {
	if key == "item" && n.Over != nil && n.Over.Type.Kind == resolve.List {
		return "declare it " + diag.Either("under state", "in the struct of the state") + ", with the type of the elements, as in " +
			diag.Declare(n.Spec.Item.V, quoteBrackets(n.Over.Type.Elem.String()))
	}
	return addField + ", or name another"
}

func mapItems(c *context) {
	fields := &suggester{names: fieldNames(c.graph.State, nil)}
	for _, n := range c.graph.All() {
		s := n.Spec
		if !n.Kind.Each {
			continue
		}
		title := "map " + quote(s.Name.V)
		known := func(name spec.String, key string, f *resolve.Field) bool {
			switch {
			case f != nil:
				return true
			case !name.IsSet() && !s.Unread:
				c.report(s.Name.Pos, title+" has no "+key, map[string]string{
					"over": "name the list, as in " + diag.Set("over", "questions"),
					"item": "name the field that holds an element, as in " + diag.Set("item", "question"),
				}[key])
			case written(name) && !(c.spec.Unread && len(c.spec.State) == 0):
				c.report(name.Pos, key+" of "+title+" names no field of the state: "+quote(name.V), fields.suggest(name.V, true, declared(n, key)))
			}
			return false
		}
		over, item := known(s.Over, "over", n.Over), known(s.Item, "item", n.Item)
		if over && n.Over.Type.Kind != resolve.List && !unknown(n.Over.Type) {
			help := "name a list"
			if n.Over.Type.Base().Kind == resolve.List {
				help = "an empty list is enough: make the field " + n.Over.Type.Base().String()
			}
			c.report(s.Over.Pos, "over of "+title+" is field "+quote(n.Over.Name)+", which is "+article(n.Over.Type.String())+", not a list", help)
			over = false
		}
		if item && n.Over == n.Item {
			c.report(s.Item.Pos, "item of "+title+" is the list itself", "name a field that holds an element, as in "+diag.Set("item", "question"))
			continue
		}
		if item && c.nestedItem(n) {
			continue
		}
		if over && item && !unknown(n.Over.Type) && !unknown(n.Item.Type) && !resolve.Same(n.Item.Type, n.Over.Type.Elem) {
			c.report(s.Item.Pos,
				"item of "+title+" is field "+quote(n.Item.Name)+", which is "+article(n.Item.Type.String())+", but the elements of "+
					quote(n.Over.Name)+" are of type "+n.Over.Type.Elem.String(),
				"make the field "+n.Over.Type.Elem.String(), diag.Related{Pos: n.Item.Spec.Name.Pos, Message: "the field is declared here"})
		}
		if item {
			c.itemsOwn(n)
		}
	}
}

// nestedItem reports a map that sets the element of one that runs it. It reports whether it is
// one.
func (c *context) nestedItem(n *resolve.Node) bool {
	for parent := n.Parent; parent != nil; parent = parent.Parent {
		if parent.Item == n.Item {
			c.report(n.Spec.Item.Pos, "map "+quote(n.Spec.Name.V)+" is run by map "+quote(parent.Spec.Name.V)+", which has the same item",
				"give each a field of its own",
				diag.Related{Pos: parent.Spec.Item.Pos, Message: "it is the item here"})
			return true
		}
	}
	return false
}

// itemsOwn reports what else uses the field that holds an element of a map.
func (c *context) itemsOwn(n *resolve.Node) {
	item, title := n.Item, "field "+quote(n.Item.Name)
	here := diag.Related{Pos: n.Spec.Item.Pos, Message: "map " + quote(n.Spec.Name.V) + " sets it, here"}
	setting := c.mapsOf(item)
	if setting[0] != n {
		return // it is reported at the first
	}
	c.itemOfState(item, here)
	within := func(at *resolve.Node) bool {
		for parent := at.Parent; parent != nil; parent = parent.Parent {
			if parent.Kind.Each && (parent.Item == item || parent.Item == nil) {
				return true
			}
		}
		return false
	}
	astray := slices.ContainsFunc(c.graph.All(),
		func(n *resolve.Node) bool { return n.Bodiless() || n.Spec.Unread || !n.Kind.Known() }) // it may run what reads it
	for _, at := range c.graph.All() {
		if at.Body != nil {
			continue // its reads and writes are its body's
		}
		for _, w := range at.Writes {
			if w.To == item {
				c.report(w.Name.Pos, "node "+quote(at.Spec.Name.V)+" writes "+title+", which holds the element of a map", "write another field", here)
			}
		}
		for _, f := range c.readsOf(at) {
			if f == item && !astray && !within(at) {
				c.report(c.readPlace(at, f),
					"node "+quote(at.Spec.Name.V)+" reads "+title+", which has a value only within map "+quote(n.Spec.Name.V),
					"read what the map's nodes write, or let the map run the node", here)
			}
		}
	}
	for _, cond := range c.conditions() {
		if from := cond.Scope.Node; from != nil && !astray && !within(from) && readsField(cond.Expr, item) {
			c.report(cond.Written.Pos, "the condition reads "+title+", which has a value only within map "+quote(n.Spec.Name.V),
				"read what the map's nodes write", here)
		}
	}
}

// readsField reports whether an expression reads a field of the state.
func readsField(x *expr.Expr, field *resolve.Field) bool {
	return slices.ContainsFunc(x.Uses().State, func(used expr.Field) bool { return used.GoName == field.GoName })
}

// mapsOf lists the maps whose element a field holds, in written order.
func (c *context) mapsOf(item *resolve.Field) []*resolve.Node {
	return slices.DeleteFunc(slices.Clone(c.graph.All()), func(n *resolve.Node) bool { return n.Item != item })
}

// readsOf returns the fields that are read while a node is executed, by it, its tools, guards and judges.
func (c *context) readsOf(n *resolve.Node) []*resolve.Field {
	return slices.Concat(n.Reads, slices.DeleteFunc(c.graph.Contextual(n), func(f *resolve.Field) bool { return slices.Contains(n.Reads, f) }))
}

// readPlace returns the place where a node names a field that it reads, or what reads it for the
// node; else its name.
func (c *context) readPlace(n *resolve.Node, f *resolve.Field) spec.Pos {
	for _, name := range n.Spec.Reads {
		if name.V == f.Name {
			return name.Pos
		}
	}
	for p := range n.Pieces() {
		if p.Field == f {
			return p.Pos
		}
	}
	for _, a := range n.Args {
		if a.From == f {
			return a.Spec.Field.Pos
		}
	}
	if n.Over == f {
		return n.Spec.Over.Pos
	}
	if _, pos := c.contextReader(n, f); pos.IsSet() {
		return pos
	}
	return n.Spec.Name.Pos
}

// itemOfState reports keys of the graph that name a field which only a map sets.
func (c *context) itemOfState(item *resolve.Field, here diag.Related) {
	title := "field " + quote(item.Name)
	for _, list := range []struct {
		names   []spec.String
		is, why string
	}{{c.spec.Input, "input", "a caller cannot give it"}, {c.spec.Output, "output", "it holds nothing when the run ends"}} {
		for _, name := range list.names {
			if name.V == item.Name {
				c.report(name.Pos, title+" is "+list.is+", but holds the element of a map: "+list.why, "take it out of "+list.is, here)
			}
		}
	}
	if merge := item.Spec.Merge; written(merge) && merge.V != "last" {
		c.report(merge.Pos, title+" has a merge rule, but holds the element of a map: nothing is merged into it", "remove merge", here)
	}
	if d := item.Spec.Default; d != nil {
		c.report(d.Pos, title+" has a default, but holds the element of a map, and nothing else", "remove default", here)
	}
}
