package check

import (
	"regexp"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// idlePasses look for parts of a prompt without effect: calls that no node makes, and settings.
var idlePasses = []Pass{
	{Code: "GG287", run: unmadeCalls},
	{Code: "GG288", run: idleStateWriter},
	{Code: "GG289", run: idleRoutes},
	{Code: "GG320", run: singleBraces},
}

// unmadeCalls looks for the calls of prompts that no node makes.
func unmadeCalls(c *context) {
	if c.spec.Unread || c.strayEdges() || c.graph.Mutations != nil { // a run may add the edge that leads to a tool node
		return
	}
	for _, n := range c.graph.Routed() {
		if !n.Defers || n.Spec.Unread || n.Spec.Prompt.ToolLoop.Lost {
			continue
		}
		var edges []*resolve.Edge
		made, unsure := false, false
		for _, e := range n.Leaving {
			if e.Vague() || e.Spec.On.Lost {
				unsure = true
			}
			if e.Spec.On.V != "tool_call" {
				continue
			}
			if e.To.Node == n {
				c.report(e.Spec.Pos,
					"the edge "+c.says(diag.Set("on", "tool_call"))+" of node "+quote(n.Spec.Name.V)+
						" leads back to it, and drops the calls: the node asks its model anew",
					"lead it to a node of kind tool without a tool, or remove "+diag.Set("tool_loop", "false"))
				continue
			}
			edges = append(edges, e)
			comes, certain := c.callsComeTo(n, e)
			made, unsure = made || comes, unsure || !certain
		}
		if len(edges) == 0 || made || unsure {
			continue
		}
		c.report(edges[0].Spec.Pos,
			"node "+quote(n.Spec.Name.V)+" leaves its tool calls to others, and none of its edges "+c.says(diag.Set("on", "tool_call"))+
				" leads to a node that runs them",
			"lead one to a node of kind tool without a tool, or remove "+diag.Set("tool_loop", "false"))
	}
}

// callsComeTo reports whether an edge of a node leads to a node that runs its pending calls,
// directly or by others, and whether that is certain. The calls are dropped when the node itself is
// executed again.
func (c *context) callsComeTo(n *resolve.Node, e *resolve.Edge) (comes, certain bool) {
	if e.To.Node == nil {
		return false, e.To.Known()
	}
	seen := map[*resolve.Node]bool{n: true}
	todo := []*resolve.Node{e.To.Node}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch {
		case seen[at]:
			continue
		case at.Pending:
			return true, true
		case c.blurred(at) || at.Spec.Unread || !at.Kind.Known():
			return false, false
		}
		seen[at] = true
		todo = append(todo, c.next(at)...)
	}
	return false, true
}

func idleStateWriter(c *context) {
	for _, n := range c.modelNodes() {
		i := slices.IndexFunc(n.Spec.Prompt.After, func(p spec.Processor) bool { return p.Name.V == resolve.StateWriter })
		if i < 0 || len(n.Spec.Prompt.After[i].Fields) > 0 || n.Spec.Prompt.After[i].Unread || n.Kind.By != spec.ByModel ||
			c.spec.Unread && len(c.spec.State) == 0 {
			continue
		}
		at := n.Spec.Prompt.After[i].Name.Pos
		title := resolve.StateWriter + " of node " + quote(n.Spec.Name.V) + " has no effect: "
		switch {
		case n.Out != nil && (unknown(n.Out) || n.Out.Kind == resolve.External):
		case n.Out == nil || n.Out.Kind != resolve.Struct:
			c.report(at, title+"the answer is not a struct",
				"state where the answer goes, as in "+diag.Set("writes", "answer")+
					", and remove it; or give the node an output with fields of the state's names")
		case slices.ContainsFunc(n.Writes, func(w resolve.Write) bool { return w.Name.Pos == at }):
		case slices.ContainsFunc(n.Out.Fields, c.mayFit):
		default:
			c.report(at, title+"the state has no field that takes a member of the answer and is not written already",
				"give the fields the same names and types, or "+diag.Remove("remove it"))
		}
	}
}

// mayFit reports whether it is not known if a member of an answer fits the field of its name.
func (c *context) mayFit(f *resolve.Field) bool {
	to := c.graph.State.Field(f.Name)
	return unknown(f.Type) || to != nil && (unknown(to.Type) || to.Spec.Unread || !isWord(to.Merge, spec.Merges))
}

func idleRoutes(c *context) {
	for _, n := range c.graph.All() {
		if n.Parent == nil || !n.Parent.Kind.Picks() || n.Kind.Composite() || n.Out == nil || n.Out.Kind != resolve.Struct || n.Spec.Unread {
			continue
		}
		for _, name := range cfg.RouteFields {
			f := n.Out.Field(name)
			if f == nil || slices.ContainsFunc(n.Writes, func(w resolve.Write) bool { return w.From == f }) {
				continue
			}
			if kind := f.Type.Base().Kind; kind != resolve.Enum && kind != resolve.String {
				continue
			}
			at, where := f.Spec.Name.Pos, "of the output"
			if n.Spec.Output == nil || n.Spec.Output.Kind != spec.TypeStruct {
				at, where = n.Spec.Name.Pos, "of the output type"
			}
			c.warn(at, "field "+quote(name)+" "+where+" of node "+quote(n.Spec.Name.V)+" chooses nothing: in a pool the model picks the next node",
				"call the field something else, or "+diag.Remove("remove it"))
		}
	}
}

// braced is a name in single braces, as other template languages have it.
var braced = regexp.MustCompile(`(?:^|[^{])\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}(?:[^}]|$)`)

func singleBraces(c *context) {
	for _, n := range c.modelNodes() {
		c.bracedFields(n, func(name, text, match string) {
			c.warn(c.textPlace(n, text, match), "node "+quote(n.Spec.Name.V)+" is not shown the field "+quote(name)+": {"+name+"} is a text",
				"a placeholder has two braces: {{"+name+"}}")
		})
	}
}

// bracedFields visits the fields that a prompt has in single braces and that its node is not shown.
func (c *context) bracedFields(n *resolve.Node, visit func(name, text, match string)) {
	if n.Spec.Prompt.Instructions.Lost || n.Spec.Prompt.Message.Lost {
		return
	}
	shown := map[string]bool{}
	for _, f := range n.Reads {
		shown[f.Name] = true
	}
	for p := range n.Pieces() {
		shown[p.Name] = true
	}
	for p := range n.Pieces() {
		if !strings.Contains(p.Text, "{") {
			continue
		}
		for _, match := range braced.FindAllStringSubmatch(p.Text, -1) {
			if name := match[1]; !shown[name] && c.graph.State.Field(name) != nil {
				shown[name] = true
				visit(name, p.Text, match[0][strings.Index(match[0], "{"):strings.LastIndex(match[0], "}")+1])
			}
		}
	}
}

// textPlace returns the place of a part of a text of a prompt: the place of its instructions, its message, or
// the block that has it, or of the part in a file.
func (c *context) textPlace(n *resolve.Node, text, part string) spec.Pos {
	if m := &n.Spec.Prompt.Message; strings.Contains(m.V, text) {
		return placeIn(m, part)
	}
	for _, b := range n.Spec.Prompt.Blocks {
		if strings.Contains(b.Text.V, text) {
			return placeIn(&b.Text, part)
		}
	}
	return placeIn(&n.Spec.Prompt.Instructions, part)
}

// flagNeeds return why a flag has no effect at a node; empty: it has one.
var flagNeeds = map[spec.FlagID]func(*resolve.Node) string{
	spec.NoHistory: needsModel,
	spec.Lightweight: func(n *resolve.Node) string {
		if n.Kind.Picks() {
			return "" // a model picks
		}
		return needsModel(n)
	},
	spec.InjectTools: needsPrompt,
	spec.SummarizeOutput: func(n *resolve.Node) string {
		if why := needsPrompt(n); why != "" || n.Out == nil || n.Out.Kind == resolve.String || unknown(n.Out) {
			return why
		}
		return "its output is not a text"
	},
	spec.ValidateOutput: func(n *resolve.Node) string {
		switch {
		case n.Kind.By == spec.ByModel:
			return "what a model answers is checked anyway"
		case !n.Kind.Makes():
			return "it has no output to check"
		case n.Out != nil && (unknown(n.Out) || bounded(n.Out)):
			return ""
		}
		return "nothing bounds its output"
	},
	spec.Cacheable: func(n *resolve.Node) string {
		switch {
		case n.Pending:
			return "it runs the calls of one turn"
		case n.Loops || n.Defers:
			return "its model calls tools, and no two turns are the same"
		}
		return needsExecution(n)
	},
	spec.Readonly: needsExecution,
	spec.Retryable: func(n *resolve.Node) string {
		if n.Pending {
			return "the model is shown calls that fail"
		}
		return needsExecution(n)
	},
	spec.IsolatedContext: func(n *resolve.Node) string {
		if n.Kind.By == spec.ByTool {
			return "a tool is given its arguments alone"
		}
		return needsExecution(n)
	},
}

func needsModel(n *resolve.Node) string {
	if n.Kind.Picks() {
		return "its model picks nodes, and these have their own prompts"
	}
	if !n.Asks {
		return "it asks no model"
	}
	return ""
}

// needsExecution reports that a flag has no effect where nothing is executed.
func needsExecution(n *resolve.Node) string {
	switch {
	case n.Kind.By == spec.ByPerson:
		return "it asks a person, and executes nothing"
	case !n.Kind.Executes():
		return "it calls no handler and asks no model"
	}
	return ""
}

func needsPrompt(n *resolve.Node) string {
	if n.Kind.By != spec.ByModel {
		return "it is not a prompt"
	}
	return ""
}

// bounded reports whether anything bounds a value of the type beyond its type.
func bounded(t *resolve.Type) bool {
	seen := map[*resolve.Type]bool{}
	var look func(*resolve.Type) bool
	look = func(t *resolve.Type) bool {
		for t.Elem != nil {
			t = t.Elem
		}
		if t.Kind == resolve.Unknown || t.Kind == resolve.External {
			return true // it may be
		}
		if seen[t] {
			return false
		}
		seen[t] = true
		for _, f := range t.Fields {
			s := f.Spec
			if s.Unread || s.Min.IsSet() || s.Max.IsSet() || s.MinLength.IsSet() || s.MaxLength.IsSet() || s.Pattern.IsSet() ||
				s.Format.IsSet() || f.Type.HoldsMedia() || look(f.Type) {
				return true
			}
		}
		return slices.ContainsFunc(t.Variants, func(v resolve.Variant) bool { return look(v.Type) })
	}
	return look(t)
}

func idleFlags(c *context) {
	for _, n := range c.graph.All() {
		if !n.Kind.Known() || n.Spec.Unread {
			continue
		}
		for _, f := range n.Spec.Flags {
			flag, known := spec.FlagOf(f.Name.V)
			needs := flagNeeds[flag]
			if spec.Flags[flag].Prompts {
				needs = needsModel
			}
			if !known || needs == nil {
				continue
			}
			if why := needs(n); why != "" {
				c.report(f.Name.Pos, "the flag "+f.Name.V+" has no effect at node "+quote(n.Spec.Name.V)+": "+why, diag.Remove("remove the flag"))
			}
		}
	}
}
