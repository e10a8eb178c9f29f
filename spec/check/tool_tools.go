package check

import (
	"maps"
	"regexp"
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// toolPasses judge the tools of a graph, and the nodes that call them.
var toolPasses = []Pass{
	{Code: "GG180", run: unknownTools},
	{Code: "GG181", run: unusedTools},
	{Code: "GG277", run: unusedSkills},
	{Code: "GG182", run: toolNames},
	{Code: "GG183", run: toolArguments},
	{Code: "GG184", run: toolChoices},
	{Code: "GG185", run: injectedTools},
	{Code: "GG186", run: fixedTools},
	{Code: "GG187", run: pendingCalls},
}

// toolUse is a place where a tool of the graph is named.
type toolUse struct {
	node *resolve.Node // nil: mutations name it
	name spec.String
	what string
}

// toolUses lists where tools are named; tool_choice, which may hold a word, is not in it.
func (c *context) toolUses() []toolUse {
	var list []toolUse
	for _, n := range c.graph.All() {
		name := quote(n.Spec.Name.V)
		add := func(names []spec.String, what string) {
			for _, tool := range names {
				list = append(list, toolUse{n, tool, what})
			}
		}
		add(n.Spec.Prompt.Tools, "tools of node "+name)
		add([]spec.String{n.Spec.Tool}, "tool of node "+name)
		for _, e := range n.Spec.Evals {
			foreign := func(tool spec.String) bool {
				return n.Injects(tool.V) || n.Spec.Unread && c.graph.Tool(tool.V) == nil // it may be named in what could not be read
			}
			add(slices.DeleteFunc(slices.Concat(e.Called, e.NotCalled), foreign), "eval "+quote(e.Name.V))
		}
	}
	if m := c.spec.Mutations; m != nil {
		for _, tool := range m.Tools {
			list = append(list, toolUse{nil, tool, "tools of mutations"})
		}
	}
	return list
}

func (c *context) toolNames() []string {
	names := make([]string, len(c.spec.Tools))
	for i, t := range c.spec.Tools {
		names[i] = t.Name.V
	}
	return names
}

func unknownTools(c *context) {
	if c.spec.Unread && len(c.spec.Tools) == 0 {
		return // the tools are what could not be read
	}
	suggester := &suggester{names: c.toolNames()}
	for _, u := range c.toolUses() {
		if written(u.name) && c.graph.Tool(u.name.V) == nil {
			help := "declare it under tools, as in " + diag.Set("tools", "{"+u.name.V+": {doc: What it does.}}")
			if u.node != nil && u.node.Has(spec.InjectTools) {
				help += ", or name it in allow_tools if it is injected"
			}
			c.report(u.name.Pos, u.what+" names no tool: "+quote(u.name.V), suggester.suggest(u.name.V, true, help))
		}
	}
}

// unusedTools takes a misspelt name for a use of what it resembles.
func unusedTools(c *context) {
	used, names, compared := map[string]bool{}, c.toolNames(), 0
	unread := c.spec.Unread || c.spec.Mutations != nil && c.spec.Mutations.Unread || slices.ContainsFunc(c.spec.Nodes,
		func(n *spec.Node) bool { return n.Unread })
	for _, s := range c.spec.Skills {
		for _, name := range s.Tools.AsList() {
			used[name.Text] = true
		}
	}
	for _, u := range c.toolUses() {
		used[u.name.V] = true
		unread = unread || u.name.Lost
		if c.graph.Tool(u.name.V) == nil && u.name.V != "" {
			if compared += len(names); compared > mostCompared {
				return
			}
			if meant, ok := diag.Suggest(u.name.V, names); ok {
				used[meant] = true
			}
		}
	}
	for _, t := range c.spec.Tools {
		if written(t.Name) && !used[t.Name.V] && !unread {
			c.warn(t.Name.Pos, "tool "+quote(t.Name.V)+" is not used", "name it in the tools of a prompt, or "+diag.Remove("remove it"))
		}
	}
}

// unusedSkills reports no skill group of a file of types: other files use it.
func unusedSkills(c *context) {
	if c.spec.Unread || slices.ContainsFunc(c.spec.Nodes, func(n *spec.Node) bool { return n.Unread }) ||
		slices.ContainsFunc(c.spec.Templates, func(t *spec.Template) bool { return t.Unread }) {
		return
	}
	for _, s := range c.spec.Skills {
		if written(s.Name) && !s.Used && !s.Unread {
			c.warn(s.Name.Pos, "skill group "+quote(s.Name.V)+" is not used", "name it in the skills of a prompt, or "+diag.Remove("remove it"))
		}
	}
}

// acceptable are the names of tools that models accept and Go can have.
var acceptable = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_-]{0,63}$`)

func toolNames(c *context) {
	for _, t := range c.spec.Tools {
		switch {
		case !written(t.Name):
		case len(t.Name.V) > 64 && acceptable.MatchString(t.Name.V[:64]):
			c.report(t.Name.Pos, "the name of a tool is too long for models", "use 64 letters, digits, _ and - at most")
		case !acceptable.MatchString(t.Name.V):
			c.report(t.Name.Pos, "a tool cannot be called "+quote(t.Name.V)+": models do not accept the name, or Go does not",
				"use letters, digits, _ and -, with a letter first, 64 at most")
		case isWord(t.Name.V, spec.ToolChoices):
			c.report(t.Name.Pos, "a tool cannot be called "+quote(t.Name.V)+": as a tool_choice that means something else", "call it something else")
		}
	}
}

func isWord[T spec.Row](name string, words []T) bool { return slices.Contains(spec.Names(words), name) }

func toolArguments(c *context) {
	for _, t := range c.graph.Tools {
		for _, f := range t.Args.Fields {
			if path := c.schemaless(f.Type); path != nil {
				c.report(f.Spec.Name.Pos, "argument "+quote(f.Name)+" of tool "+quote(t.Spec.Name.V)+within(path,
					f.Type)+": a model cannot know what to pass", "declare a type with the fields that a model should fill")
			}
		}
	}
}

// within returns in words which Go type something is, or holds.
func within(found, all *resolve.Type) string {
	if found == all {
		return " is of the Go type " + found.Go() + ", which has no JSON Schema"
	}
	return " holds the Go type " + found.Go() + ", which has no JSON Schema"
}

// schemaless returns a type that a type is or holds and that has no JSON Schema, nil
// if none does.
func (c *context) schemaless(t *resolve.Type) *resolve.Type {
	if c.schemed == nil {
		c.schemed = map[*resolve.Type]bool{}
	}
	seen := map[*resolve.Type]bool{}
	var find func(*resolve.Type) *resolve.Type
	find = func(t *resolve.Type) *resolve.Type {
		for t.Elem != nil {
			t = t.Elem
		}
		switch {
		case t.Kind == resolve.External:
			return t
		case seen[t] || c.schemed[t]:
			return nil
		}
		seen[t] = true
		for _, f := range t.Fields {
			if found := find(f.Type); found != nil {
				return found
			}
		}
		for _, v := range t.Variants {
			if found := find(v.Type); found != nil {
				return found
			}
		}
		return nil
	}
	found := find(t)
	if found == nil {
		maps.Copy(c.schemed, seen)
	}
	return found
}

// hasTools reports whether a prompt may call tools, or that is not known.
func hasTools(n *resolve.Node) bool {
	inject := n.Has(spec.InjectTools)
	return inject || n.Spec.Prompt.ToolsPos.IsSet() && (len(n.Spec.Prompt.Tools) > 0) || n.Spec.Unread
}

func toolChoices(c *context) {
	for _, n := range c.graph.All() {
		if n.Kind.By != spec.ByModel {
			continue
		}
		p, name := &n.Spec.Prompt, "node "+quote(n.Spec.Name.V)
		if !hasTools(n) {
			for _, s := range []placed{{"tool_choice", p.ToolChoice.Pos}, {"tool_loop", p.ToolLoop.Pos}, {"max_parallel", p.MaxParallel.Pos}} {
				if s.pos.IsSet() {
					c.report(s.pos, s.key+" of "+name+" has no effect: it has no tools", "add tools, or "+diag.Remove("remove it"))
				}
			}
			continue
		}
		choice := p.ToolChoice
		inject := n.Has(spec.InjectTools)
		named := written(choice) && !isWord(choice.V, spec.ToolChoices)
		switch {
		case !written(choice) || n.Spec.Unread || lost(p.Tools):
		case named && !inject && !slices.ContainsFunc(p.Tools, func(t spec.String) bool { return t.V == choice.V }):
			candidates := spec.Names(spec.ToolChoices)
			for _, t := range p.Tools {
				candidates = append(candidates, t.V)
			}
			c.report(choice.Pos, "tool_choice of "+name+" is not one of its tools: "+quote(choice.V),
				didYouMean(choice.V, candidates, listed("use one of", candidates)))
		case choice.V == "none":
			c.report(choice.Pos, "tool_choice of "+name+" keeps the model from calling the tools that the node has", diag.Remove("remove it")+", or the tools")
		}
	}
}

func injectedTools(c *context) {
	for _, n := range c.graph.All() {
		if n.Kind.By != spec.ByModel {
			continue
		}
		p, name := &n.Spec.Prompt, "node "+quote(n.Spec.Name.V)
		inject := n.Has(spec.InjectTools)
		denied := map[string]spec.Pos{}
		for _, d := range p.DenyTools {
			denied[d.V] = d.Pos
		}
		for _, list := range []struct {
			key   string
			names []spec.String
		}{{"allow_tools", p.AllowTools}, {"deny_tools", p.DenyTools}} {
			if len(list.names) > 0 && !inject && !n.Spec.Unread && !lostFlags(n.Spec) {
				c.report(list.names[0].Pos, list.key+" of "+name+" has no effect: no tools are injected",
					"add the flag inject_tools, or "+diag.Remove("remove it"))
				continue
			}
			for _, t := range list.names {
				pos, twice := denied[t.V]
				switch {
				case !written(t):
				case c.graph.Tool(t.V) != nil:
					c.report(t.Pos, list.key+" of "+name+" names the tool "+quote(t.V)+", which the graph declares: it is not injected",
						"the node's tools list those that the model may call")
				case list.key == "allow_tools" && twice:
					c.report(t.Pos, name+" allows and denies the tool "+quote(t.V), diag.Remove("remove one"),
						diag.Related{Pos: pos, Message: "it is denied here"})
				}
			}
		}
	}
}

// lostFlags reports whether a node has a flag that could not be read, or is unknown.
func lostFlags(n *spec.Node) bool {
	return slices.ContainsFunc(n.Flags, func(f spec.Flag) bool { return f.Name.Lost || !isWord(f.Name.V, spec.Words(spec.Flags)) })
}

func fixedTools(c *context) {
	a := &argumentSuggester{fields: &suggester{names: fieldNames(c.graph.State, nil)}}
	for _, n := range c.graph.All() {
		switch {
		case n.Kind.By != spec.ByTool:
		case n.Pending:
			if len(n.Spec.Args) > 0 {
				c.report(n.Spec.Args[0].Name.Pos, "node "+quote(n.Spec.Name.V)+" has args, but no tool", "name the tool, as in "+diag.Set("tool", "search"))
			}
			if n.Spec.WritesPos.IsSet() {
				c.report(n.Spec.WritesPos,
					"node "+quote(n.Spec.Name.V)+" writes, but runs the calls that a prompt has left: their results go to the model",
					"name a tool, as in "+diag.Set("tool", "search")+", or remove writes")
			}
		case n.Fixed != nil:
			c.arguments(n, a)
		}
	}
}

// argumentSuggester helps with names in args, as an advisor does with names of nodes.
type argumentSuggester struct {
	fields   *suggester
	compared int // names of arguments
}

// argument returns the argument that a name resembles, and the help.
func (a *argumentSuggester) argument(name string, names []string) (near, help string) {
	if a.compared += len(names); a.compared <= mostCompared {
		near, _ = diag.Suggest(name, names)
	}
	if near != "" {
		return near, diag.DidYouMean(near)
	}
	return "", listed("its arguments are", names)
}

// arguments judges what a node gives to its tool.
func (c *context) arguments(n *resolve.Node, advice *argumentSuggester) {
	title := "tool " + quote(n.Fixed.Spec.Name.V)
	var names []string
	for _, f := range n.Fixed.Args.Fields {
		names = append(names, f.Name)
	}
	given := map[string]spec.Pos{}
	for _, a := range n.Args {
		name, field := a.Spec.Name, a.Spec.Field
		was, repeated := given[name.V]
		given[name.V] = name.Pos
		switch {
		case !written(name):
		case repeated:
			c.report(name.Pos, "the argument "+quote(name.V)+" is given twice", diag.Remove("remove one"),
				diag.Related{Pos: was, Message: "the first one is here"})
		case a.Arg == nil && !n.Fixed.Spec.Unread:
			near, help := advice.argument(name.V, names)
			given[near] = name.Pos
			c.report(name.Pos, title+" has no argument "+quote(name.V), help)
		}
		switch {
		case !written(field):
		case a.From == nil && !(c.spec.Unread && len(c.spec.State) == 0):
			c.report(field.Pos, "args of node "+quote(n.Spec.Name.V)+" names no field of the state: "+quote(field.V),
				advice.fields.suggest(field.V, true, addField+", or name another"))
		case a.Arg != nil && a.From != nil && !gives(a.From.Type, a.Arg.Type):
			c.report(field.Pos,
				"argument "+quote(a.Arg.Name)+" is "+article(a.Arg.Type.String())+", but field "+quote(a.From.Name)+" is "+
					article(a.From.Type.String()), "take a field of that type",
				diag.Related{Pos: a.Arg.Spec.Name.Pos, Message: "the argument is declared here"})
		}
	}
	if n.Spec.Unread || n.Fixed.Spec.Unread {
		return // what is missing may be what could not be read
	}
	for _, f := range n.Fixed.Args.Fields {
		if _, ok := given[f.Name]; !ok && f.Spec.Default == nil && f.Type.Kind != resolve.Optional && !f.Spec.Unread && !lostArgs(n) && !unknown(f.Type) {
			c.report(n.Spec.Tool.Pos, "node "+quote(n.Spec.Name.V)+" gives "+title+" no "+quote(f.Name),
				"add it, as in "+diag.Set("args", "{"+f.Name+": "+c.exampleOf(f.Type)+"}"),
				diag.Related{Pos: f.Spec.Name.Pos, Message: "the argument is declared here"})
		}
	}
}

func lostArgs(n *resolve.Node) bool {
	return slices.ContainsFunc(n.Spec.Args, func(a spec.Assignment) bool { return a.Name.Lost })
}

// exampleOf names a field of the state that has a type, or a name for one.
func (c *context) exampleOf(t *resolve.Type) string {
	for _, f := range c.graph.State.Fields {
		if gives(f.Type, t) {
			return f.Name
		}
	}
	return "field"
}

// gives reports whether an argument can be given a value of a type: its own, or of what is
// optional the value itself.
func gives(from, to *resolve.Type) bool {
	return unknown(from) || unknown(to) || resolve.Same(from, to) || to.Kind == resolve.Optional && resolve.Same(from, to.Elem)
}

// pendingCalls looks for nodes that run pending calls where no prompt leaves any. A node between
// the two may inspect the calls, if it asks no model itself.
func pendingCalls(c *context) {
	reached := map[*resolve.Node]bool{}
	var todo []*resolve.Node
	reach := func(t resolve.Target) {
		if t.Node != nil && !reached[t.Node] {
			reached[t.Node] = true
			todo = append(todo, t.Node)
		}
	}
	unsure := c.spec.Unread || slices.ContainsFunc(c.graph.Edges, func(e *resolve.Edge) bool { return e.From == nil || !e.To.Known() && !e.Table() })
	for _, n := range c.graph.Routed() {
		unsure = unsure || n.Spec.Unread || !n.Kind.Known()
		for _, e := range n.Leaving {
			vague := e.Vague() || n.Spec.Prompt.ToolLoop.Lost
			unsure = unsure || vague && n.Kind.By == spec.ByModel
			if n.Defers && e.Spec.On.V == "tool_call" {
				reach(e.To)
			}
		}
	}
	for len(todo) > 0 {
		n := todo[0]
		if todo = todo[1:]; n.Asks {
			continue
		}
		unsure = unsure || n.Spec.Next.IsSet() && !c.graph.Target(n.Spec.Next.V).Known()
		for _, t := range c.leaving(n) {
			reach(t.Target())
		}
	}
	for _, n := range c.graph.All() {
		if n.Pending && !reached[n] && !unsure {
			c.report(n.Spec.Name.Pos, "node "+quote(n.Spec.Name.V)+" runs the tool calls that a prompt has left, but no prompt leaves any to it",
				"name its tool, as in "+diag.Set("tool", "search")+", or lead an edge "+diag.Set("on", "tool_call")+" here from a prompt with "+
					diag.Set("tool_loop", "false"))
		}
	}
}
