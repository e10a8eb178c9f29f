package check

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// mutationPasses judge what runs may change in the graph, and the nodes that change it.
var mutationPasses = []Pass{
	{Code: "GG265", run: mutationWords},
	{Code: "GG266", run: mutationNames},
	{Code: "GG267", run: mutating},
	{Code: "GG268", run: mutationSettings},
}

func mutationWords(c *context) {
	m := c.spec.Mutations
	if m == nil {
		return
	}
	actions := spec.Names(spec.Actions)
	if len(m.Allow) == 0 && !m.Unread {
		c.report(m.Pos, "mutations allow nothing", "state what a node may do, as in "+diag.Set("allow", "[skip_to]")+", or remove mutations")
	}
	for _, a := range m.Allow {
		if written(a) && !slices.Contains(actions, a.V) {
			c.report(a.Pos, "mutations cannot allow "+quote(a.V), didYouMean(a.V, actions, "use one of "+strings.Join(actions, ", ")))
		}
	}
	kinds := spec.Names(spec.MutableKinds)
	for _, k := range m.Kinds {
		switch {
		case !written(k) || slices.Contains(kinds, k.V):
		case spec.KindOf(k.V).Known():
			c.report(k.Pos, "nodes of kind "+k.V+" cannot be added", "add one to the graph, and name it in templates")
		default:
			c.report(k.Pos, "there is no kind "+quote(k.V), didYouMean(k.V, kinds, "use "+strings.Join(kinds, ", ")))
		}
	}
	for _, list := range []struct {
		key   string
		names []spec.String
	}{
		{"allow", m.Allow}, {"kinds", m.Kinds}, {"templates", m.Templates}, {"update", m.Update},
		{"reads", m.Reads}, {"writes", m.Writes}, {"tools", m.Tools},
	} {
		seen := map[string]spec.Pos{}
		for _, name := range list.names {
			if was, twice := seen[name.V]; twice && written(name) {
				c.report(name.Pos, list.key+" of mutations names "+quote(name.V)+" twice", diag.Remove("remove one"),
					diag.Related{Pos: was, Message: "the first one is here"})
				continue
			}
			seen[name.V] = name.Pos
		}
	}
}

func mutationNames(c *context) {
	m := c.spec.Mutations
	if m == nil {
		return
	}
	nodes, fields := &suggester{names: append(c.workers(), spec.End)}, &suggester{names: fieldNames(c.graph.State, nil)}
	for _, name := range m.Templates {
		if n := c.graph.Node(name.V); n != nil {
			c.template(name, n)
		} else if written(name) && !(c.spec.Unread && len(c.spec.Nodes) == 0) {
			c.reportUnknown(name, "templates names no node: "+quote(name.V), nodes.suggest(name.V, false, addNode))
		}
	}
	field := func(name spec.String, key, why string) *resolve.Field {
		f := c.graph.State.Field(name.V)
		switch {
		case f == nil && written(name) && !(c.spec.Unread && len(c.spec.State) == 0):
			c.report(name.Pos, key+" of mutations names no field of the state: "+quote(name.V),
				fields.suggest(name.V, true, addField+", or name another"))
		case f != nil && len(c.mapsOf(f)) > 0:
			c.report(name.Pos, key+" of mutations names "+quote(name.V)+", which holds the element of a map: "+why, "name another field")
			return nil
		}
		return f
	}
	const set = "the map alone sets it"
	for _, name := range m.Update {
		if f := field(name, "update", set); f != nil && !unknown(f.Type) {
			if path := c.schemaless(f.Type); path != nil {
				c.report(name.Pos, "update of mutations names "+quote(name.V)+", which"+within(path, f.Type), "name a field of a declared type")
			}
		}
	}
	for _, name := range m.Reads {
		field(name, "reads", "it is for what the map runs")
	}
	text := &resolve.Type{Kind: resolve.String}
	for _, name := range m.Writes {
		if f := field(name, "writes", set); f != nil && !unknown(f.Type) && !f.Spec.Unread && isWord(f.Merge, spec.Merges) && !resolve.Accepts(f, text) {
			c.report(name.Pos,
				"writes of mutations names "+quote(name.V)+", which is "+article(f.Type.String())+": a node that is added writes a text",
				"name a field of type string, or a list of them with "+diag.Set("merge", "append"))
		}
	}
}

// templated are the kinds of node that mutations can make more of.
var templated = []string{"func", "transform", "prompt", "tool", "subgraph", "loop", "retry", "parallel", "map"}

// template judges a node that mutations make more of.
func (c *context) template(name spec.String, n *resolve.Node) {
	title := "template " + quote(name.V)
	switch {
	case n == c.graph.Entry || c.graph.Pool != nil && n.Spec.Name.V == c.spec.Entry.V:
		c.report(name.Pos, title+" is the entry", "name a node to which no transition leads: the entry of runs exists already")
	case n == c.graph.OnError:
		c.report(name.Pos, title+" is on_error", "name a node to which no transition leads")
	case n.Parent != nil:
		c.report(name.Pos, title+" is run by "+quote(n.Parent.Spec.Name.V), "name a node that no other runs",
			diag.Related{Pos: namedAt(n), Message: "it is named here"})
	case !n.Kind.Known():
	case !slices.Contains(templated, n.Kind.Name):
		c.report(name.Pos, title+" is "+article(n.Kind.Name)+", which cannot be a template", "name a "+alternatives(templated))
	case n.Defers || n.Pending:
		c.report(name.Pos, title+" is about tool calls that a prompt leaves to another node, and the two cannot be distinguished from others",
			"name a prompt that makes its calls itself, or a tool by its name")
	}
}

func mutating(c *context) {
	m := c.spec.Mutations
	makes, unsure := false, c.spec.Unread
	for _, n := range c.graph.All() {
		s := n.Spec
		unsure = unsure || s.Unread || s.Mutates.Lost
		if !s.Mutates.V {
			continue
		}
		makes = makes || !n.Template
		title := "node " + quote(s.Name.V)
		switch {
		case m == nil && !c.spec.Unread:
			c.report(s.Mutates.Pos, title+" mutates, but the graph has no mutations",
				"state what it may do, as in "+diag.Set("mutations", "{allow: [skip_to]}"))
		case n.Parent == c.graph.Pool && n.Parent != nil: // GG227 reports that mutations have no meaning there
		case n.Parent != nil:
			c.report(s.Mutates.Pos, title+" mutates, but "+c.runBy(n)+": it has no transitions that it could change",
				"let a node after "+quote(n.Parent.Spec.Name.V)+" mutate")
		}
		if f, ok := s.Flag(spec.Cacheable); ok {
			c.report(f.Name.Pos, title+" is cacheable, and mutates: a step that the cache answers would make no mutation", "keep one of the two",
				diag.Related{Pos: s.Mutates.Pos, Message: "mutates is here"})
		}
		if n.Kind.By == spec.ByModel && n.Out != nil && n.Out.Kind == resolve.Union {
			c.report(s.Mutates.Pos, title+" mutates, but its output is a union: its answer has no room for an action",
				"make the output a struct, with the union as a member")
		}
	}
	if m != nil && !makes && !unsure {
		c.report(m.Pos, "no node makes mutations", "let one, as in "+diag.Set("mutates", "true")+", or remove mutations")
	}
}

func mutationSettings(c *context) {
	m := c.spec.Mutations
	if m == nil || m.Unread || len(m.Allow) == 0 || slices.ContainsFunc(m.Allow, func(a spec.String) bool { return !isWord(a.V, spec.Actions) }) {
		return // what is missing may be what could not be read
	}
	at := func(action string) spec.Pos {
		i := slices.IndexFunc(m.Allow, func(a spec.String) bool { return a.V == action })
		return m.Allow[i].Pos
	}
	idle := func(names []spec.String, key, why, help string) {
		if len(names) > 0 {
			c.report(names[0].Pos, key+" of mutations has no effect: "+why, help)
		}
	}
	adds := c.graph.Mutations.Allows("add_node")
	switch {
	case !adds:
		idle(m.Kinds, "kinds", "add_node is not allowed", "allow it, or remove kinds")
		idle(m.Templates, "templates", "add_node is not allowed", "allow it, or remove templates")
	case len(m.Kinds) == 0 && len(m.Templates) == 0:
		c.report(at("add_node"), "mutations allow add_node, but no kinds and no templates of nodes",
			"state which, as in "+diag.Set("kinds", "[prompt]")+", or remove add_node")
	}
	if len(m.Kinds) == 0 {
		const why = "it is for nodes of a kind, and there are no kinds"
		idle(m.Reads, "reads", why, "add kinds, or remove reads")
		idle(m.Writes, "writes", why, "add kinds, or remove writes")
		idle(m.Tools, "tools", why, "add kinds, or remove tools")
	}
	switch sets := c.graph.Mutations.Allows("retry_with"); {
	case !sets:
		idle(m.Update, "update", "retry_with is not allowed", "allow it, or remove update")
	case len(m.Update) == 0:
		c.report(at("retry_with"), "mutations allow retry_with, but no field to update: the node would run again with the same input",
			"name fields, as in "+diag.Set("update", "[question]")+", or remove retry_with")
	}
}
