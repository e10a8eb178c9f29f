package check

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/dataflow"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/resolve"
)

// flowPasses follow the fields of the state along every path that a run can take.
var flowPasses = []Pass{
	{Code: "GG100", run: unassignedIn(dataflow.InNode)},
	{Code: "GG101", run: unassignedIn(dataflow.InCondition)},
	{Code: "GG102", run: unassignedIn(dataflow.InOutput)},
}

// dataFlow returns the data flow of the graph, nil where another mistake hides what its fields,
// its nodes or their transitions are.
func (c *context) dataFlow() *dataflow.Flow {
	if c.flowing == nil {
		c.flowing = &flowing{}
		if _, certain := c.reachable(); certain && !c.unsure() {
			c.flowing.flow = dataflow.New(c.cfg, conditionFacts{c})
		}
	}
	return c.flowing.flow
}

// flowing is what the passes over the data flow share.
type flowing struct {
	flow *dataflow.Flow // nil: it cannot be judged

	exclusive []dataflow.Exclusive
	searched  bool // exclusive has been computed

	writers [][]writtenAt // by field, the first places where it is written; nil: not computed
}

// unsure reports whether something could not be read, or names or settings are wrong. Mistakes of
// transitions and conditions do not change the data flow.
func (c *context) unsure() bool {
	sound := transitionPasses[0].Code // the first code that does
	for _, d := range c.found {
		if d.Severity == diag.Error && d.Code < sound {
			return true
		}
	}
	s := c.spec
	known := func(list []spec.String) bool {
		return !slices.ContainsFunc(list, func(n spec.String) bool { return !written(n) })
	}
	return slices.ContainsFunc(c.graph.All(), vague) || s.Unread || s.Limits.Unread || s.Mutations != nil && s.Mutations.Unread ||
		!known(s.Input) || !known(s.Output) ||
		slices.ContainsFunc(s.State, func(f *spec.Field) bool { return f.Unread }) ||
		slices.ContainsFunc(s.Edges, func(e *spec.Edge) bool { return e.Unread || !known(e.Reads) }) ||
		slices.ContainsFunc(s.Tools, func(t *spec.ToolDecl) bool { return t.Unread || !known(t.Reads) }) ||
		slices.ContainsFunc(s.Nodes, func(n *spec.Node) bool { return !c.knownContext(n, known) }) ||
		slices.ContainsFunc(s.Nodes, func(n *spec.Node) bool {
			return n.Unread || n.Prompt.History.Lost || !known(n.Reads) || !known(n.Writes) || slices.ContainsFunc(n.Prompt.Blocks,
				func(b *spec.Block) bool { return b.Unread })
		})
}

// knownContext reports whether it is known what the guards and judges of a node read.
func (c *context) knownContext(n *spec.Node, known func([]spec.String) bool) bool {
	return !slices.ContainsFunc(n.Guards, func(g spec.Guard) bool { return g.Unread || !known(g.Reads) }) &&
		!slices.ContainsFunc(n.Evals, func(e *spec.Eval) bool { return !known(e.Reads) })
}

// vague reports whether it is not known what a node runs, what it sets, or what of its pool is
// first and last.
func vague(n *resolve.Node) bool {
	switch {
	case slices.ContainsFunc(n.Spec.Prompt.After, func(p spec.Processor) bool { return p.Unread || !binds(n, p.Fields) }):
		return true
	case n.Asks && n.Spec.Prompt.History.IsSet() && n.History == nil:
		return true
	case n.Spec.Record.IsSet() && !slices.ContainsFunc(n.Writes, func(w resolve.Write) bool { return w.Record != nil }):
		return true
	case n.Misrouted():
		return true
	case n.Kind.Each:
		return n.Bodiless() || n.Over == nil || n.Item == nil
	case n.Kind.By == spec.ByGraph:
		return n.Sub == nil
	case n.Kind.Picks():
		return n.Bodiless() || n.Spec.PoolEntry.IsSet() && n.First == nil || len(n.Finals) < len(n.Spec.Terminal)
	}
	return n.Bodiless()
}

// conditionFacts answers the questions of the data flow about conditions.
type conditionFacts struct{ c *context }

func (f conditionFacts) MayHold(t *cfg.Transition, softFailed bool) bool {
	return f.c.mayHold(t.From.Spec, t.Edge, softFailed)
}

func (f conditionFacts) MayMiss(n *cfg.Node) bool { return f.c.gap(n.Spec) != nil }

// unassignedIn is the pass that reports reads of fields that may be unwritten.
func unassignedIn(place dataflow.Place) func(*context) {
	return func(c *context) {
		f := c.dataFlow()
		if f == nil {
			return
		}
		reads, exclusive := f.Unassigned(), c.exclusive()
		for i := range reads {
			r := &reads[i]
			reported := slices.ContainsFunc(exclusive, func(x dataflow.Exclusive) bool { return slices.Contains(x.Reads, i) })
			if r.Place == place && !reported && c.besideOnly(r) == nil {
				c.reportUnassigned(r)
			}
		}
	}
}

func (c *context) reportUnassigned(r *dataflow.Read) {
	name := quote(c.dataFlow().Fields[r.Field].Name)
	message := ""
	switch r.Place {
	case dataflow.InNode:
		message = c.readerOf(r.Node, c.dataFlow().Fields[r.Field]) + " reads " + name + ", which " + story(r)
		if r.Until {
			message = c.conditionOf(r.Node, c.dataFlow().Fields[r.Field]) + " reads " + name + ", which " + story(r)
		}
	case dataflow.InCondition:
		message = "the condition reads field " + name + " of the state, which " + story(r)
		if r.Via.Edge.Judged() {
			message = "the model that judges the condition is shown field " + name + " of the state, which " + story(r)
		}
	case dataflow.InOutput:
		message = "a run can end without output " + name + ", which " + story(r)
		if r.Every {
			message = "a run never has output " + name + ", which " + story(r)
		}
	}
	c.report(c.readPlaceOf(r), message, c.remedy(r), c.writers(r)...)
}

// readPlaceOf returns where the spec reads a field.
func (c *context) readPlaceOf(r *dataflow.Read) spec.Pos {
	field := c.dataFlow().Fields[r.Field]
	switch {
	case r.Place == dataflow.InCondition && r.Via.Edge.Judged():
		return named(r.Via.Edge.Spec.Reads, field.Name)
	case r.Place == dataflow.InCondition:
		return c.within(r.Via.Cond.Expr.Written, fieldIn(r.Via.Cond.Expr, field))
	case r.Place == dataflow.InOutput:
		return named(c.spec.Output, field.Name)
	case r.Until:
		x := c.ownCondition(r.Node, field)
		return c.within(x.Written, fieldIn(x, field))
	}
	return c.readAt(r.Node, field)
}

// ownCondition returns the condition of a loop, or by which a parallel starts a branch, that reads a field; nil: none does.
func (c *context) ownCondition(n *resolve.Node, field *resolve.Field) *expr.Expr {
	at := c.cfg.Node(n)
	for _, x := range append(at.Starts(), at.Until) {
		if fields, _ := c.dataFlow().Reads(x); slices.Contains(fields, c.dataFlow().Number(field)) {
			return x
		}
	}
	return nil
}

// conditionOf returns the condition of a node that reads a field, as messages name it.
func (c *context) conditionOf(n *resolve.Node, field *resolve.Field) string {
	for _, r := range c.cfg.Node(n).Regions {
		if r.If != nil && r.If == c.ownCondition(n, field) {
			return "if of " + c.regionOf(r.Spec)
		}
	}
	return "until of loop " + quote(n.Spec.Name.V)
}

// readAt returns the place where a node names a field that it reads.
func readAt(n *resolve.Node, field *resolve.Field) spec.Pos {
	if pos := named(n.Spec.Reads, field.Name); pos.IsSet() {
		return pos
	}
	for _, a := range n.Args {
		if a.From == field {
			return a.Spec.Field.Pos
		}
	}
	for _, a := range n.Spec.In {
		if a.Field.V == field.Name {
			return a.Field.Pos
		}
	}
	if n.Over == field {
		return n.Spec.Over.Pos
	}
	for _, e := range n.Evals {
		if pos := e.Spec.If.Pos; strings.Contains(e.Spec.If.V, "state."+field.GoName) {
			return pos
		}
	}
	for p := range n.Pieces() {
		if p.Field == field {
			return p.Pos
		}
	}
	return spec.Pos{}
}

// readAt returns the place where a node names a field that it reads, or what reads it for the node.
func (c *context) readAt(n *resolve.Node, field *resolve.Field) spec.Pos {
	if pos := readAt(n, field); pos.IsSet() {
		return pos
	}
	_, pos := c.contextReader(n, field)
	return pos
}

// readerOf returns what reads a field in an execution of a node.
func (c *context) readerOf(n *resolve.Node, field *resolve.Field) string {
	if !readAt(n, field).IsSet() {
		if what, _ := c.contextReader(n, field); what != "" {
			return what
		}
	}
	return "node " + quote(n.Spec.Name.V)
}

// contextReader returns what reads a field in an execution of a node that does not read it itself: a
// tool, a guard or a judge, and where the node names that.
func (c *context) contextReader(n *resolve.Node, field *resolve.Field) (what string, pos spec.Pos) {
	reads := func(t *resolve.Tool) bool { return slices.Contains(t.Reads(), field) }
	node := quote(n.Spec.Name.V)
	for _, list := range []struct {
		names []spec.String
		of    string
	}{{n.Spec.Prompt.Tools, "node " + node}, {[]spec.String{n.Spec.Tool}, "node " + node}, {c.addedTools(n), "a node that node " + node + " adds"}} {
		for _, name := range list.names {
			if t := c.graph.Tool(name.V); t != nil && reads(t) {
				return "tool " + quote(name.V) + " of " + list.of, name.Pos
			}
		}
	}
	for _, guard := range n.Guards {
		if pos := named(guard.Spec.Reads, field.Name); pos.IsSet() {
			return "guard " + quote(guard.Spec.Name.V) + " of node " + node, pos
		}
	}
	for _, e := range n.Evals {
		if pos := named(e.Spec.Reads, field.Name); pos.IsSet() {
			return "eval " + quote(e.Spec.Name.V) + " of node " + node, pos
		}
	}
	for _, t := range c.graph.Callable(n) {
		if reads(t) {
			return "tool " + quote(t.Spec.Name.V) + ", whose pending calls node " + node + " makes,", n.Spec.Name.Pos
		}
	}
	return "", spec.Pos{}
}

// addedTools returns the names of the tools of nodes that a node may add.
func (c *context) addedTools(n *resolve.Node) []spec.String {
	if len(c.graph.AddedCalls(n)) == 0 {
		return nil
	}
	return c.graph.Mutations.Spec.Tools
}

// named returns the place of a name in a list.
func named(list []spec.String, name string) spec.Pos {
	for _, s := range list {
		if s.V == name {
			return s.Pos
		}
	}
	return spec.Pos{}
}

// fieldIn returns where an expression first reads a field of the state.
func fieldIn(x *expr.Expr, field *resolve.Field) expr.Span {
	for _, used := range x.Uses().State {
		if used.GoName == field.GoName {
			return used.Span
		}
	}
	return expr.Span{}
}

// story returns on which path nothing has written a field.
func story(r *dataflow.Read) string {
	switch {
	case r.Path == nil:
		return "on some path nothing has written"
	case r.Never:
		return "nothing writes"
	case len(r.Path) == 1 && inner(r) == "":
		return "nothing has written when the run begins there"
	case r.Every && r.Place != dataflow.InOutput:
		return "nothing has written on any path there, such as " + words(r.Path) + inner(r)
	}
	return "nothing has written on the path " + words(r.Path) + inner(r)
}

// inner returns the end of a path that leads into a composite node.
func inner(r *dataflow.Read) string {
	if r.Node == nil {
		return ""
	}
	text := ""
	for n := r.Node; n.Parent != nil; n = n.Parent {
		text = " → " + n.Spec.Name.V + text
	}
	return text
}

// remarks are what a path shows after a node about its outcome.
var remarks = [...]string{
	cfg.SoftFailed: " (fails)", cfg.Failed: " (fails)", cfg.Refused: " (refused)", cfg.Spent: " (over budget)",
	cfg.OutOfVisits: " (visits used up)", cfg.Skipped: " (skipped)",
	cfg.CalledTools: " (calls tools)", cfg.Denied: " (denied)", cfg.Late: " (late)",
}

// words returns a path as diagnostics show it.
func words(path []dataflow.Step) string {
	var b strings.Builder
	for i, s := range path {
		if i > 0 {
			b.WriteString(" → ")
		}
		if s.Cut {
			b.WriteString("… → ")
		}
		if s.Node == nil {
			b.WriteString(spec.End)
			continue
		}
		b.WriteString(s.Node.Spec.Name.V)
		if i == len(path)-1 {
			break // its outcome does not matter
		}
		if s.Late && s.Outcome != cfg.OutOfVisits {
			b.WriteString(" (edges used up)")
		} else {
			b.WriteString(remarks[s.Outcome])
		}
	}
	return b.String()
}

// writers points at the nodes that write a field. For nodes on the path it adds why that does
// not help.
func (c *context) writers(r *dataflow.Read) []diag.Related {
	on := map[*resolve.Node]cfg.Outcome{}
	for _, s := range r.Path {
		if s.Node != nil {
			on[s.Node] = s.Outcome
		}
	}
	var notes []diag.Related
	for _, w := range c.written(r.Field) {
		text := "node " + quote(w.node.Spec.Name.V) + " writes it"
		parent := outermost(w.node)
		switch o, ok := on[parent]; {
		case !ok:
		case r.Node != nil && r.Node.ChildOf(parent):
			text += besides(w.node, r.Node)
		case o == cfg.Succeeded && parent != w.node:
			text += notAlways(w.node)
		default:
			text += notWritten[o]
		}
		notes = append(notes, diag.Related{Pos: w.pos, Message: text})
	}
	return notes
}

// besides returns why it does not help a node that another one within the same node writes a
// field.
func besides(writer, reader *resolve.Node) string {
	if parent := beside(writer, reader); parent != nil {
		return ": each branch of " + quote(parent.Spec.Name.V) + " works on a copy of the state"
	}
	if why := notAlways(writer); why != notWritten[cfg.Succeeded] {
		return why
	}
	return notWritten[cfg.Succeeded]
}

// beside returns the parallel that runs two nodes in different branches; nil without one.
func beside(a, b *resolve.Node) *resolve.Node {
	for at := a; at.Parent != nil; at = at.Parent {
		for other := b; other.Parent != nil; other = other.Parent {
			if at.Parent == other.Parent {
				if at.Region != other.Region && at.Parent.Kind.Branches() {
					return at.Parent
				}
				return nil
			}
		}
	}
	return nil
}

// notAlways returns why a composite node may succeed without the writes of a node that it runs.
func notAlways(writer *resolve.Node) string {
	for n := writer; n.Parent != nil; n = n.Parent {
		switch {
		case n.Spec.FailSoft.V:
			return notWritten[cfg.SoftFailed]
		case n.Has(spec.SkipOnError):
			return notWritten[cfg.Skipped]
		case skipper(n) != nil:
			return ", but not when router " + quote(skipper(n).Spec.Name.V) + " skips it"
		case n.Parent.Kind.Each:
			return ", but not when the list is empty"
		case n.Parent.Kind.Picks():
			return ", but the model need not pick it"
		case n.Parent.Kind.Branches() && spec.JoinOf(n.Parent.Spec.Join.V).Some:
			return ", but its branch need not be one that succeeds"
		}
	}
	return notWritten[cfg.Succeeded]
}

// A writtenAt is a place where a node writes a field.
type writtenAt struct {
	node *resolve.Node
	pos  spec.Pos
}

// written lists the first places where nodes write a field.
func (c *context) written(field int) []writtenAt {
	f := c.dataFlow()
	if c.flowing.writers == nil {
		c.flowing.writers = make([][]writtenAt, len(f.Fields))
		for _, n := range c.graph.All() {
			if n.Kind.Composite() {
				continue // what it runs does
			}
			for _, w := range n.Writes {
				if list := &c.flowing.writers[f.Number(w.To)]; len(*list) < mostNotes {
					*list = append(*list, writtenAt{n, w.Name.Pos})
				}
			}
		}
	}
	return c.flowing.writers[field]
}

// notWritten are the reasons why a node on the path has not written the field.
var notWritten = [...]string{
	cfg.Succeeded:   ", but later",
	cfg.SoftFailed:  ", but not when it fails",
	cfg.Failed:      ", but not when it fails",
	cfg.Refused:     ", but not when its guards refuse the output",
	cfg.Spent:       ", but not when a budget is spent",
	cfg.OutOfVisits: ", but not when its visits are used up",
	cfg.Skipped:     ", but not when it is skipped",
	cfg.CalledTools: ", but not when it calls tools",
	cfg.Denied:      ", but not when the person denies",
	cfg.Late:        ", but not when the answer is late",
}

// remedy returns what can be done about an unassigned read.
func (c *context) remedy(r *dataflow.Read) string {
	field := c.dataFlow().Fields[r.Field]
	helps := []string{"list it in input"}
	if !r.Never {
		helps = []string{"write it on every path there", "list it in input"}
	}
	optional := "make it optional"
	if t := field.Type; t.Kind != resolve.Enum && t.Kind != resolve.Struct || t.Name != "" {
		optional += ", as " + diag.OfType(quote("?"+t.String()))
	}
	switch field.Type.Kind {
	case resolve.List:
		helps = append(helps, optional, "or give it "+diag.Set("merge", "append"))
	case resolve.Map:
		helps = append(helps, optional, "or give it "+diag.Set("merge", "union"))
	case resolve.Struct, resolve.Union, resolve.External, resolve.Any:
		helps = append(helps, "or "+optional)
	default:
		helps = append(helps, optional, "or give it a default")
	}
	return strings.Join(helps, ", ")
}
