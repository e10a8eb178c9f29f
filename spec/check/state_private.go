package check

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

// privatePasses judge the fields of the state that are private, and what tools, guards and judges
// read of the state.
var privatePasses = []Pass{
	{Code: "GG310", run: privateShown},
	{Code: "GG311", run: privateArguments},
	{Code: "GG312", run: privateWritten},
	{Code: "GG313", run: contextReads},
}

// privateFields returns the private fields of the state.
func (c *context) privateFields() []*resolve.Field {
	return slices.DeleteFunc(slices.Clone(c.graph.State.Fields), func(f *resolve.Field) bool { return !f.Private() })
}

// public reports whether a field is surely not private: it was read in full.
func public(f *resolve.Field) bool {
	return f != nil && !f.Private() && (f.Spec == nil || !f.Spec.Unread && !f.Spec.Private.Lost)
}

// declaredPrivate points at the declaration of a private field.
func declaredPrivate(f *resolve.Field) diag.Related {
	return diag.Related{Pos: f.Spec.Private.Pos, Message: "it is private here"}
}

func (c *context) exposed(pos spec.Pos, f *resolve.Field, how, help string) {
	c.report(pos, "field "+quote(f.Name)+" is private, and "+how, help, declaredPrivate(f))
}

const toolHelp = "let a tool, a guard or a handler read it"

func privateShown(c *context) {
	if len(c.privateFields()) == 0 {
		return
	}
	for _, n := range c.graph.All() {
		if n.Body == nil {
			c.privateOfNode(n)
		}
	}
	for _, name := range c.spec.Output {
		if f := c.graph.State.Field(name.V); f.Private() {
			c.exposed(name.Pos, f, "an output of the graph is in events, and reaches the graphs that run this one",
				"remove it from output; a caller that needs it can get it from a handler")
		}
	}
	for _, e := range c.graph.Edges {
		for _, f := range e.Shown {
			if f.Private() {
				c.exposed(named(e.Spec.Reads, f.Name), f, "the model that judges the edge would be shown it", "compare it with if")
			}
		}
	}
	if m := c.graph.Mutations; m != nil {
		for _, f := range m.Reads {
			if f.Private() {
				c.exposed(named(m.Spec.Reads, f.Name), f, "the models of added nodes would be shown it", toolHelp)
			}
		}
	}
}

// privateOfNode reports where a node lets a private field out.
func (c *context) privateOfNode(n *resolve.Node) {
	node := "node " + quote(n.Spec.Name.V)
	switch {
	case n.Asks || n.Kind.Picks():
		c.privateReads(n, "the model of "+node+" would be shown it", toolHelp)
	case n.Kind.By == spec.ByPerson:
		c.privateReads(n, "the question of "+node+" is in an event and in the checkpoint", toolHelp)
	case n.Kind.Sends:
		c.privateReads(n, "the message of "+node+" is in an event", "remove it from the message")
	}
	for _, e := range n.Evals {
		for _, f := range e.Shown {
			if f.Private() {
				c.exposed(named(e.Spec.Reads, f.Name), f, "the model that judges eval "+quote(e.Spec.Name.V)+" would be shown it", "compare it with if")
			}
		}
	}
	for _, g := range n.Guards {
		for _, f := range g.Shown {
			if f.Private() {
				c.exposed(named(g.Spec.Reads, f.Name), f, "the model of guard "+quote(g.Spec.Name.V)+" would be shown it",
					"compare it in a guard without judge")
			}
		}
	}
	if c.shown(n) && writers[n.Kind.By] == "" { // else GG312 reports the write
		for _, w := range n.Writes {
			if w.To.Private() {
				c.exposed(w.Name.Pos, w.To, "the output of "+node+", which has it, is shown to a model: one that judges, or that inherits it",
					"write the field in a node whose output no model is shown")
			}
		}
	}
	if n.Over.Private() && public(n.Item) {
		c.exposed(n.Spec.Item.Pos, n.Over, "map "+quote(n.Spec.Name.V)+" gives its elements to "+quote(n.Item.Name)+", which is not",
			"make "+quote(n.Item.Name)+" private")
	}
	for _, p := range n.Inputs {
		if p.Field.Private() && public(p.Child) {
			c.exposed(p.Spec.Field.Pos, p.Field, "graph "+quote(n.Spec.Graph.V)+" takes it as its input "+quote(p.Child.Name)+", which is not",
				"make the field private in that graph")
		}
	}
	for i, a := range n.Spec.Set {
		to := c.graph.State.Field(a.Name.V)
		for _, f := range c.graph.ReadBy(a.Field.V) {
			if f.Private() && public(to) {
				c.exposed(n.Spec.Set[i].Field.Pos, f, "set gives it to "+quote(to.Name)+", which is not",
					"make "+quote(to.Name)+" private, or set it in a handler")
			}
		}
	}
}

// privateReads reports the private fields that a node reads.
func (c *context) privateReads(n *resolve.Node, how, help string) {
	for _, f := range n.Reads {
		if f.Private() {
			c.exposed(readPlaceOrName(n, f), f, how, help)
		}
	}
}

func readPlaceOrName(n *resolve.Node, f *resolve.Field) spec.Pos {
	if pos := readAt(n, f); pos.IsSet() {
		return pos
	}
	return n.Spec.Name.Pos
}

func privateArguments(c *context) {
	private := c.privateFields()
	if len(private) == 0 {
		return
	}
	for _, t := range c.graph.Tools {
		for _, arg := range t.Args.Fields {
			if f := carried(arg, private, map[*resolve.Type]bool{}); f != nil {
				c.report(arg.Spec.Name.Pos,
					"argument "+quote(arg.Name)+" of tool "+quote(t.Spec.Name.V)+" carries the private field "+quote(f.Name)+": a model would choose it",
					diag.Remove("remove it")+", and add "+quote(f.Name)+" to the reads of the tool", declaredPrivate(f))
			}
		}
	}
	for _, n := range c.graph.All() {
		for _, a := range n.Args {
			if a.From.Private() && !n.Kind.Sends { // GG310 reports a message
				c.exposed(a.Spec.Field.Pos, a.From, "the arguments of tools are in events and recordings", "add it to the reads of the tool")
			}
		}
	}
}

// carried returns the private field that a value would carry: one of its name, or of its type.
func carried(f *resolve.Field, private []*resolve.Field, seen map[*resolve.Type]bool) *resolve.Field {
	t := f.Type
	for t.Elem != nil {
		t = t.Elem
	}
	for _, p := range private {
		if goname.Exported(f.Name) == goname.Exported(p.Name) || t.Name != "" && t == baseOf(p.Type) && t.Kind != resolve.Unknown && declaredKind(t) {
			return p
		}
	}
	if seen[t] {
		return nil
	}
	seen[t] = true
	for _, of := range append(slices.Clone(t.Fields), variantFields(t)...) {
		if p := carried(of, private, seen); p != nil {
			return p
		}
	}
	return nil
}

func baseOf(t *resolve.Type) *resolve.Type {
	for t.Elem != nil {
		t = t.Elem
	}
	return t
}

// declaredKind reports whether a type has a name of its own, so that two fields of it mean the same.
func declaredKind(t *resolve.Type) bool {
	switch t.Kind {
	case resolve.Struct, resolve.Enum, resolve.Union, resolve.External:
		return true
	}
	return false
}

func variantFields(t *resolve.Type) []*resolve.Field {
	var fields []*resolve.Field
	for _, v := range t.Variants {
		fields = append(fields, v.Type.Fields...)
	}
	return fields
}

func privateWritten(c *context) {
	if len(c.privateFields()) == 0 && len(c.subgraphs()) == 0 {
		return
	}
	for _, n := range c.graph.All() {
		if n.Body == nil {
			c.writtenPrivate(n)
		}
	}
	m := c.spec.Mutations
	if m == nil {
		return
	}
	for _, list := range []struct {
		key   string
		names []spec.String
	}{{"update", m.Update}, {"writes", m.Writes}} {
		for _, name := range list.names {
			if f := c.graph.State.Field(name.V); f.Private() {
				c.exposed(name.Pos, f, list.key+" of mutations lets a model write it", givenHelp)
			}
		}
	}
}

const givenHelp = "let the caller give it, or a handler write it"

// writers are the words for what does the work of a node that must not write a private field.
var writers = map[spec.By]string{spec.ByModel: "a model", spec.ByTool: "a tool, whose result is in events and transcripts,",
	spec.ByPerson: "a person", spec.ByGraph: "a graph"}

// writtenPrivate reports what a node must not write to private fields.
func (c *context) writtenPrivate(n *resolve.Node) {
	if who := writers[n.Kind.By]; who != "" {
		for _, w := range n.Writes {
			if w.To.Private() {
				c.exposed(w.Name.Pos, w.To, who+" writes it in node "+quote(n.Spec.Name.V), givenHelp)
			}
		}
	}
	if n.Item.Private() && public(n.Over) {
		c.exposed(n.Spec.Over.Pos, n.Item, "map "+quote(n.Spec.Name.V)+" gives it elements of "+quote(n.Over.Name)+", which is not",
			"make "+quote(n.Over.Name)+" private")
	}
	for _, p := range n.Inputs {
		if p.Child.Private() && public(p.Field) {
			c.report(p.Spec.Field.Pos,
				"input "+quote(p.Child.Name)+" of graph "+quote(n.Spec.Graph.V)+" is private, and field "+quote(p.Field.Name)+
					" is not: what writes it here would choose it there", "make the field private, too")
		}
	}
	for _, a := range n.Spec.Set {
		to := c.graph.State.Field(a.Name.V)
		if !to.Private() {
			continue
		}
		for _, f := range c.graph.ReadBy(a.Field.V) {
			if public(f) {
				c.exposed(a.Field.Pos, to, "set computes it from "+quote(f.Name)+", which is not", givenHelp)
				break
			}
		}
	}
}

func contextReads(c *context) {
	for _, e := range c.spec.Edges {
		if len(e.Reads) > 0 && !e.When.IsSet() && !e.Unread {
			c.report(e.Reads[0].Pos, "reads of the edge has no effect: no model judges it",
				diag.Remove("remove it")+": a condition in Go sees the state; for a model write when")
		}
	}
	first := map[string]*resolve.Guard{}
	for _, e := range c.graph.Edges {
		c.mediaShown(e.Shown, e.Spec.Reads)
	}
	for _, n := range c.graph.All() {
		for _, e := range n.Evals {
			c.mediaShown(e.Shown, e.Spec.Reads)
		}
		for _, e := range n.Spec.Evals {
			if len(e.Reads) > 0 && !e.Judge.IsSet() && !e.Unread {
				c.report(e.Reads[0].Pos, "reads of eval "+quote(e.Name.V)+" has no effect: no model judges it",
					diag.Remove("remove it")+": a condition in Go sees the state; for a model write judge")
			}
		}
		for i := range n.Guards {
			c.mediaShown(n.Guards[i].Shown, n.Guards[i].Spec.Reads)
			c.guardReads(n, &n.Guards[i], first)
		}
	}
}

// mediaShown reports media among the fields that a model is shown that judges: it is shown text.
func (c *context) mediaShown(fields []*resolve.Field, names []spec.String) {
	for _, f := range fields {
		if f.Type.AsMedia() != nil {
			c.report(named(names, f.Name), "field "+quote(f.Name)+" is "+article(f.Type.String())+", and a model that judges is shown text alone",
				"let a prompt look at it, and judge what that writes")
		}
	}
}

// guardReads judges what a guard of a node reads. The first node that names a guard decides it.
func (c *context) guardReads(n *resolve.Node, g *resolve.Guard, first map[string]*resolve.Guard) {
	name := g.Spec.Name
	if !written(name) || g.Spec.Unread || lost(g.Spec.Reads) {
		return
	}
	was := first[name.V]
	if was == nil {
		first[name.V] = g
	} else if was.Judged() != g.Judged() {
		c.report(name.Pos, "guard "+quote(name.V)+" is a Go method in one place, and judged by a model in another", "give the guards different names",
			diag.Related{Pos: was.Spec.Name.Pos, Message: "it is named first here"})
		return
	} else if same := func(a, b spec.String) bool { return a.V == b.V }; !g.Judged() && !slices.EqualFunc(was.Spec.Reads, g.Spec.Reads, same) &&
		!was.Spec.Unread && !lost(was.Spec.Reads) {
		c.report(name.Pos, "guard "+quote(name.V)+" reads other fields than where it is named first, but both are one Go method",
			"write the same reads in both places, or give the guards different names",
			diag.Related{Pos: was.Spec.Name.Pos, Message: "it is named first here"})
		return
	}
	if !n.Has(spec.Cacheable) || n.TakesState {
		return
	}
	for _, read := range g.Spec.Reads {
		if f := c.graph.State.Field(read.V); f != nil && !slices.Contains(n.Reads, f) {
			c.report(read.Pos,
				"guard "+quote(name.V)+" reads "+quote(f.Name)+", and the cache of node "+quote(n.Spec.Name.V)+" does not: it "+
					"would return an output that was accepted for another value",
				"add it to the reads of the node, or remove the flag cacheable")
		}
	}
}
