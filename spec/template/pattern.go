package template

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// pattern expands the pattern of the graph. The nodes of the pattern become items, with the keys that the graph gives
// them, and it returns the nodes that the graph has besides.
func (e *expansion) pattern() []*spec.Node {
	g := e.graph
	t := e.find(g, g.Pattern.V)
	switch {
	case t == nil && g.Unread && len(g.Templates) == 0, t != nil && !t.IsPattern() && broken(t.Template),
		t != nil && g.Unread && !g.With.Pos.IsSet(): // reported as what could not be read
		g.Lost = true
		return g.Nodes
	case t == nil || !t.IsPattern():
		_, names := Names(g, e.prelude)
		message, help := "there is no pattern \""+g.Pattern.V+"\"", "the patterns are "+strings.Join(names, ", ")
		use, _, dotted := strings.Cut(g.Pattern.V, ".")
		for _, u := range e.uses(g, use) {
			u.Used = u.Used || dotted // by its name at least
		}
		if t != nil {
			message, help = "the template \""+g.Pattern.V+"\" is of a node, not of a graph", "write "+diag.Set("kind", g.Pattern.V)+" at a node"
		} else if near, ok := diag.Suggest(g.Pattern.V, names); ok {
			help = diag.DidYouMean(near)
		}
		e.report("GG340", g.Pattern.Pos, message, help)
		g.Lost = true
		return g.Nodes
	}
	with := g.With
	if with.Pos.IsSet() && with.Kind != yamlread.Map {
		e.report("GG343", with.Pos, "with is a mapping of parameters to values", "write it as in "+diag.Set("with", "{instructions: Answer with the tools.}"))
	}
	b := e.bind(t, g.Name, g.Pattern.Pos, &with, g.Unread)
	e.keep(b)
	e.whole, _ = b.tree(&t.Graph)
	nodes := e.take("nodes")
	own := map[string]*spec.Node{}
	for _, n := range g.Nodes {
		own[n.Name.V] = n
	}
	for i := range len(nodes.Items) / 2 {
		name, tree := nodes.Key(i)
		if n := own[name.V]; n != nil && n.Instance != nil {
			name, tree = n.Name, overridden(tree, n.Instance.Tree.Items)
		}
		e.items = append(e.items, &item{name: name, tree: tree})
	}
	e.edges = append(e.ownEdges(e.take("edges")), e.edges...)
	state := e.take("state")
	e.state = append(state.Items, e.state...)
	return slices.DeleteFunc(slices.Clone(g.Nodes), func(n *spec.Node) bool {
		if nodes.Get(n.Name.V) == nil {
			if n.Instance != nil && !e.isTemplate(n) && n.Instance.Tree.Get("skills") == nil {
				n.Instance = nil
			}
			return false
		}
		return true
	})
}

func (e *expansion) isTemplate(n *spec.Node) bool { return kindOf(&n.Instance.Tree) != "" }

// take removes a section from the pattern.
func (e *expansion) take(key string) spec.Tree {
	for i := 0; i < len(e.whole.Items); i += 2 {
		if e.whole.Items[i].Text == key {
			value := e.whole.Items[i+1]
			e.whole.Items = slices.Delete(e.whole.Items, i, i+2)
			return value
		}
	}
	return spec.Tree{}
}

// ownEdges returns the edges of the pattern without the edges of nodes that the graph has edges of.
func (e *expansion) ownEdges(edges spec.Tree) []spec.Tree {
	left := map[string]bool{}
	for _, edge := range e.graph.Edges {
		left[edge.From.V] = true
		for i, name := range edge.Sequential {
			if i < len(edge.Sequential)-1 {
				left[name.V] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(edges.Items), func(edge spec.Tree) bool {
		from := edge.Get("from")
		return from != nil && left[from.Text]
	})
}

// sections gives the graph the sections of the pattern that it does not have.
func (e *expansion) sections(part *spec.Graph) {
	g := e.graph
	for _, s := range []struct{ to, from *spec.String }{
		{&g.Entry, &part.Entry}, {&g.OnError, &part.OnError}, {&g.NoMatch, &part.NoMatch}, {&g.Mode, &part.Mode}, {&g.Doc, &part.Doc},
		{&g.Limits.OnMaxSteps, &part.Limits.OnMaxSteps},
	} {
		fill(s.to, s.from)
	}
	for _, l := range []struct{ to, from *spec.Value[int] }{
		{&g.Limits.MaxSteps, &part.Limits.MaxSteps}, {&g.Limits.MaxVisits, &part.Limits.MaxVisits}, {&g.Limits.MaxTokens, &part.Limits.MaxTokens},
		{&g.Limits.MaxModelCalls, &part.Limits.MaxModelCalls}, {&g.Limits.MaxToolCalls, &part.Limits.MaxToolCalls},
	} {
		fill(l.to, l.from)
	}
	fill(&g.Limits.Timeout, &part.Limits.Timeout)
	fill(&g.Limits.MaxCost, &part.Limits.MaxCost)
	if !g.Limits.Pos.IsSet() {
		g.Limits.Pos = part.Limits.Pos
	}
	fill(&g.RevisitFeedback, &part.RevisitFeedback)
	fill(&g.Model, &part.Model)
	fill(&g.Temperature, &part.Temperature)
	if len(g.Input) == 0 {
		g.Input = part.Input
	}
	if len(g.Output) == 0 {
		g.Output = part.Output
	}
	if len(g.Ends) == 0 {
		g.Ends = part.Ends
	}
	e.declare(part)
	if g.Mutations == nil {
		g.Mutations = part.Mutations
	}
	if g.Pattern.IsSet() && e.whole.Pos.IsSet() {
		g.Pattern, g.With = spec.String{}, spec.Tree{}
	}
}

// fill sets a value that is not written.
func fill[T any](to, from *spec.Value[T]) {
	if !to.IsSet() {
		*to = *from
	}
}
