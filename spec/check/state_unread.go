package check

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/dataflow"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/resolve"
)

// usePasses look for data that nothing reads.
var usePasses = []Pass{
	{Code: "GG103", run: unreadWrites},
	{Code: "GG104", run: unreadFields},
	{Code: "GG105", run: unwrittenFields},
	{Code: "GG106", run: unusedOutputs},
}

// readSomewhere returns the fields that something reads, and false where it may be any.
func (c *context) readSomewhere(f *dataflow.Flow) (read dataflow.Set, certain bool) {
	read, certain = slices.Clone(f.Output), c.kindsRead()
	if c.modelView().judges {
		for i, field := range f.Fields { // a model that judges is shown the input
			if f.Given.Has(i) && !field.Private() {
				read.Add(i)
			}
		}
	}
	for n, used := range c.usedWrites() {
		for _, w := range n.Writes {
			if used[w.From] {
				read.Add(f.Number(w.To))
			}
		}
	}
	for _, n := range c.alive() {
		e := f.Effect(n)
		certain = certain && !e.ReadsAll
		read.Union(e.Reads)
	}
	if m := c.graph.Mutations; m.AddsPrompts() {
		for _, field := range m.Reads {
			read.Add(f.Number(field))
		}
	}
	for t := range c.spec.Texts() {
		certain = certain && !t.Lost // its placeholders are not known
	}
	for _, n := range c.modelNodes() { // single braces are a mistake for double ones
		c.bracedFields(n, func(name, _, _ string) { read.Add(f.Number(c.graph.State.Field(name))) })
	}
	for _, e := range c.graph.Edges {
		fields, known := f.Reads(c.cfg.If(e))
		certain = certain && known
		read.AddAll(fields)
		for _, field := range e.Shown {
			read.Add(f.Number(field))
		}
	}
	return read, certain
}

// alive lists the nodes that transitions lead to, and those that mutations make more of.
func (c *context) alive() []*resolve.Node { return slices.Concat(c.graph.Nodes, c.graph.Templates) }

func unreadFields(c *context) {
	f := c.dataFlow()
	if f == nil {
		return
	}
	read, certain := c.readSomewhere(f)
	if !certain {
		return
	}
	written, _ := c.writtenSomewhere(f)
	for i, field := range f.Fields {
		pos, name := field.Spec.Name.Pos, quote(field.Name)
		switch {
		case read.Has(i) || field.Name == "" || f.Number(field) != i || ofTemplate(field):
		case written.Has(i):
			help := "list it in output, or remove it"
			if n := c.chooser(field); n != nil {
				help = "node " + quote(n.Spec.Name.V) + " looks at the output itself: remove the field, and the writes that name it; or list it in output"
			}
			c.warn(pos, "field "+name+" of the state is written, but nothing reads it", help, c.writers(&dataflow.Read{Field: i})...)
		case f.Given.Has(i):
			c.warn(pos, "field "+name+" of the state is given, but nothing reads it", diag.Remove("remove it"))
		default:
			c.warn(pos, "field "+name+" of the state is not used", diag.Remove("remove it"))
		}
	}
}

// chooser returns a node that writes a field and chooses its next node by the same part of its output, nil if none does.
func (c *context) chooser(field *resolve.Field) *resolve.Node {
	for _, n := range c.graph.All() {
		for _, w := range n.Writes {
			if w.To != field || w.Turn || w.Record != nil || n.Out == nil {
				continue
			}
			used := map[*resolve.Field]bool{}
			if c.useOutput(n, used); used[w.From] {
				return n
			}
			if w.From == nil && slices.ContainsFunc(c.cfg.Node(n).Edges(), func(e *resolve.Edge) bool { return e.ByName() == spec.OutputName }) {
				return n
			}
		}
	}
	return nil
}

// ofTemplate reports whether a template keeps the field: a graph uses those that it needs.
func ofTemplate(f *resolve.Field) bool { return f.Spec != nil && f.Spec.Name.Pos.In != nil }

// kindsRead reports whether it is known of every node what it does with the state.
func (c *context) kindsRead() bool {
	return !slices.ContainsFunc(c.graph.All(), func(n *resolve.Node) bool { return !kindRead(n) })
}

// writtenSomewhere returns the fields that nodes write, and false where they may be any.
func (c *context) writtenSomewhere(f *dataflow.Flow) (written dataflow.Set, certain bool) {
	written, certain = f.NewSet(), c.kindsRead()
	for _, n := range c.alive() {
		e := f.Effect(n)
		certain = certain && !e.WritesAll
		written.Union(e.Writes)
	}
	if m := c.graph.Mutations; m != nil {
		for _, field := range slices.Concat(m.Update, m.Writes) {
			written.Add(f.Number(field))
		}
	}
	return written, certain
}

// unwrittenFields skips fields that are unwritten when a run begins: reading them is an error.
func unwrittenFields(c *context) {
	f := c.dataFlow()
	if f == nil {
		return
	}
	written, certain := c.writtenSomewhere(f)
	if !certain {
		return
	}
	read, _ := c.readSomewhere(f)
	for i, field := range f.Fields {
		if f.Given.Has(i) || written.Has(i) || f.Unset.Has(i) || f.Number(field) != i || !read.Has(i) || ofTemplate(field) {
			continue
		}
		c.warn(field.Spec.Name.Pos, "nothing writes field "+quote(field.Name)+" of the state, so it always has its initial value",
			"write it, list it in input, or "+diag.Remove("remove it"))
	}
}

// unreadWrites skips fields that are read nowhere: these have one finding, at the field.
func unreadWrites(c *context) {
	f := c.dataFlow()
	if f == nil || !c.kindsRead() || c.spec.Mutations != nil { // a run may add transitions
		return
	}
	lost := func(n *resolve.Node) bool { return n.Spec.NoMatch.Lost }
	if c.spec.NoMatch.Lost || slices.ContainsFunc(c.graph.All(), lost) { // the run may end there, with its outputs
		return
	}
	read, certain := c.readSomewhere(f)
	used := c.usedWrites()
	f.LiveAfter(func(n *resolve.Node, live dataflow.Set) {
		for _, w := range n.Writes {
			i := f.Number(w.To)
			if w.Turn || w.Record != nil || live.Has(i) || certain && !read.Has(i) || f.Items.Has(i) || used[n][w.From] || ofTemplate(w.To) {
				continue
			}
			c.warn(w.Name.Pos, "nothing reads what node "+quote(n.Spec.Name.V)+" writes to "+quote(w.To.Name)+": it is overwritten first, or the run ends",
				diag.Remove("remove it")+", or read it before it is overwritten")
		}
	})
}

// unusedOutputs skips outputs that are derived from writes, and types that the state holds.
func unusedOutputs(c *context) {
	if c.dataFlow() == nil {
		return
	}
	used := map[*resolve.Field]bool{}
	var outputs []*resolve.Node
	for _, n := range c.graph.All() {
		if n.Out == nil || n.Out.Kind != resolve.Struct || n.Worker().Spec.Output == nil {
			continue
		}
		c.useOutput(n, used)
		for _, w := range n.Writes {
			if w.Turn || w.Record != nil {
				continue
			}
			useField(n.Out, w.Name.V, used)
			if w.From == nil {
				useAll(n.Out, used)
			}
		}
		if n.Worker() == n {
			outputs = append(outputs, n)
		}
	}
	if len(outputs) == 0 {
		return
	}
	held := c.heldTypes()
	for _, n := range outputs {
		if held[n.Out] || n.Out.Name != "" && c.graph.Type(n.Out.Name) != n.Out { // of another file, which others use too
			continue
		}
		owner := "the output of node " + quote(n.Spec.Name.V)
		if n.Out.Name != "" {
			owner = "type " + quote(n.Out.Name) + ", an output"
		}
		for _, f := range n.Out.Fields {
			if !used[f] && f.Name != "" {
				used[f] = true
				c.add(diag.Note, f.Spec.Name.Pos, "nothing uses field "+quote(f.Name)+" of "+owner, "write it to the state, or "+diag.Remove("remove it"), nil)
			}
		}
	}
}

// useOutput marks the fields of the output of a node that something other than its writes reads.
func (c *context) useOutput(n *resolve.Node, used map[*resolve.Field]bool) {
	at := c.cfg.Node(n)
	use := func(name string) { useField(n.Out, name, used) }
	all := len(n.Spec.Guards) > 0 || n.Kind.Judges || c.shown(n)
	for _, route := range at.Routes() {
		used[route.Field] = true
	}
	for _, t := range at.By(cfg.ByTransition) {
		use(t.Cond.Text)
		all = all || t.Cond.Field == nil && !valueOfRoute(at, t.Cond.Text) // it is misspelt, and may be any
	}
	for _, e := range at.Edges() {
		if m := e.Spec.OnOutput; m != nil {
			use(m.Key.V)
			all = all || n.Out.Field(m.Key.V) == nil
		}
		use(e.ByName())
		all = all || mistaken(e) // it may be any
		if e.Spec.OnConfidence.IsSet() {
			use("confidence")
		}
		if e.Spec.If.IsSet() {
			all = !useInCondition(n, c.cfg.If(e), used) || all
		}
	}
	if until := c.until(n); until != nil {
		all = !useInCondition(n, until, used) || all
	}
	for _, e := range at.Evals {
		all = e != nil && !usedIn(e, n.Out, used) || all
	}
	if all {
		useAll(n.Out, used)
	}
}

func useField(out *resolve.Type, name string, used map[*resolve.Field]bool) {
	if f := out.Field(name); f != nil {
		used[f] = true
	}
}

func useAll(out *resolve.Type, used map[*resolve.Field]bool) {
	for _, f := range out.Fields {
		used[f] = true
	}
}

// useInCondition marks the fields of the output that a condition reads. It reports whether these
// are known to be all.
func useInCondition(n *resolve.Node, x *expr.Expr, used map[*resolve.Field]bool) bool {
	return x != nil && x.Typed().Mistake == nil && usedIn(x, n.Out, used)
}

// usedIn marks the fields of an output that an expression reads, and reports whether these are
// all.
func usedIn(x *expr.Expr, out *resolve.Type, used map[*resolve.Field]bool) bool {
	uses := x.Uses()
	for _, u := range uses.Out {
		for _, f := range out.Fields {
			used[f] = used[f] || f.GoName == u.GoName
		}
	}
	return !uses.AllOutput
}

// heldTypes returns the structs that the state or another type holds.
func (c *context) heldTypes() map[*resolve.Type]bool {
	held := map[*resolve.Type]bool{}
	for _, t := range append(slices.Clip([]*resolve.Type{c.graph.State}), c.graph.Types...) {
		for _, f := range t.Fields {
			in := f.Type
			for in != nil && in.Elem != nil {
				in = in.Elem
			}
			held[in] = true
		}
	}
	return held
}

// A modelView is what the models of a graph are shown in addition to what their nodes read.
type modelView struct {
	judges    bool                   // a model judges an edge: it is shown the input and the results of the nodes before
	inherited map[*resolve.Node]bool // nodes whose output another node is shown
	hearers   []*resolve.Node        // nodes whose model is shown the messages of others
}

func (c *context) modelView() *modelView {
	if c.view != nil {
		return c.view
	}
	c.view = &modelView{judges: slices.ContainsFunc(c.graph.Edges, (*resolve.Edge).Judged), inherited: map[*resolve.Node]bool{}}
	for _, n := range c.graph.All() {
		for _, from := range n.Inherits {
			c.view.inherited[from] = true
		}
		if remembers(n) && n.Spec.Prompt.Context.V != "scoped" {
			c.view.hearers = append(c.view.hearers, n)
		}
	}
	return c.view
}

// shown reports whether a model is shown the output of a node: it judges edges or the output
// itself, its node inherits it, or it is shown the messages before.
func (c *context) shown(n *resolve.Node) bool {
	a := c.modelView()
	switch {
	case n.Out == nil:
		return false
	case a.judges, a.inherited[n], n.HasJudge():
		return true
	}
	return remembers(n) && len(a.hearers) > 0 && (len(a.hearers) > 1 || a.hearers[0] != n)
}

// remembers reports whether a node takes part in the conversation of the run.
func remembers(n *resolve.Node) bool { return n.Asks && !n.Has(spec.NoHistory) }

// usedWrites returns the fields of outputs that something reads, by node, where the output is made
// of the writes of the node. Such a write is needed although nothing reads it in the state.
func (c *context) usedWrites() map[*resolve.Node]map[*resolve.Field]bool {
	all := map[*resolve.Node]map[*resolve.Field]bool{}
	for _, n := range c.graph.All() {
		worker := n.Worker()
		if worker.Spec.Output != nil || n.Out == nil || n.Out.Kind != resolve.Struct {
			continue
		}
		if all[worker] == nil {
			all[worker] = map[*resolve.Field]bool{}
		}
		switch used := all[worker]; {
		case c.shown(n):
			useAll(n.Out, used)
			used[nil] = true // a write of the whole output
		case worker.FromWrites() || worker.Asks:
			c.useOutput(n, used)
		}
	}
	return all
}
