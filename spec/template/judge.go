package template

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// sections are the sections of a graph that a pattern may have.
var sections = []string{
	"doc", "entry", "mode", "limits", "on_error", "no_match", "revisit_feedback", "model", "temperature", "mutations", "state",
	"input", "output", "nodes", "edges", "ends",
}

// judge reports what is wrong with the templates of the file itself, whatever uses them.
func (e *expansion) judge() {
	for _, t := range e.graph.Templates {
		e.body(t)
		e.params(t)
		if spec.KindOf(t.Name.V).Known() && !t.IsPattern() {
			e.report("GG348", t.Name.Pos, "\""+t.Name.V+"\" is a kind of the language", "give the template another name")
		} else if strings.ContainsAny(t.Name.V, ".$") {
			e.report("GG348", t.Name.Pos, "a template cannot be called \""+t.Name.V+"\"", "use letters, digits and _")
		}
	}
}

// body reports what is wrong with the parts of a template.
func (e *expansion) body(t *spec.Template) {
	for _, part := range []struct {
		key  string
		tree *spec.Tree
		kind yamlread.Kind
	}{{"node", &t.Node, yamlread.Map}, {"nodes", &t.Nodes, yamlread.Map}, {"state", &t.State, yamlread.Map},
		{"edges", &t.Edges, yamlread.List}, {"graph", &t.Graph, yamlread.Map}} {
		if tree := part.tree; tree.Pos.IsSet() && tree.Kind != part.kind && tree.Kind != yamlread.Unreadable {
			e.report("GG347", tree.Pos, part.key+" of a template cannot be "+tree.Found(), "write it as in a graph")
			t.Unread = true
		}
	}
	if bodies := e.bodies(t); bodies == 0 && !t.Unread {
		e.report("GG347", t.Name.Pos, "the template \""+t.Name.V+"\" has no node", "add one of node, nodes and graph")
	} else if bodies > 1 {
		e.report("GG347", t.Name.Pos, "the template \""+t.Name.V+"\" has more than one of node, nodes and graph", "keep one")
	}
	if t.Nodes.Kind == yamlread.Map {
		e.names(t)
	}
	for i := 0; i < len(t.Graph.Items); i += 2 {
		if key := &t.Graph.Items[i]; !slices.Contains(sections, key.Text) {
			e.report("GG347", key.Pos, "a pattern cannot have the section \""+key.Text+"\"",
				"it has "+strings.Join(sections, ", ")+"; types are declared by the file of the pattern")
		}
	}
	if t.Exit.IsSet() && !t.Nodes.Pos.IsSet() && !t.Unread {
		e.report("GG347", t.Exit.Pos, "only a template of several nodes has an exit", diag.Remove("remove it"))
	}
}

func (e *expansion) bodies(t *spec.Template) (n int) {
	for _, tree := range []*spec.Tree{&t.Node, &t.Nodes, &t.Graph} {
		if tree.Pos.IsSet() {
			n++
		}
	}
	return n
}

// names reports names of nodes that two uses of the template would both make.
func (e *expansion) names(t *spec.Template) {
	main, exit := false, t.Exit.V == ""
	for i := range len(t.Nodes.Items) / 2 {
		name, _ := t.Nodes.Key(i)
		main = main || name.V == "$node" || name.V == "${node}"
		exit = exit || name.V == t.Exit.V
		if !strings.Contains(name.V, "$node") && !strings.Contains(name.V, "${node}") {
			e.report("GG347", name.Pos, "each use of the template would make a node \""+name.V+"\"",
				"write ${node}_"+name.V+", which begins with the name of the use")
		}
	}
	if !main {
		e.report("GG347", t.Nodes.Pos, "none of the nodes is $node, the one that the use is", "name the first of them $node")
	}
	if !exit {
		e.report("GG347", t.Exit.Pos, "the template has no node \""+t.Exit.V+"\"", "name one of its nodes")
	}
}

// params reports what is wrong with the parameters of a template, and names of parameters that it does not have.
func (e *expansion) params(t *spec.Template) {
	named := map[string]bool{}
	for _, tree := range []*spec.Tree{&t.Node, &t.Nodes, &t.Edges, &t.State, &t.Graph} {
		e.mentions(t, tree, named)
	}
	for _, match := range parameter.FindAllString(t.Exit.V, -1) {
		named[nameOf(match)] = true
	}
	for _, p := range t.Params {
		if p.Default.Pos.IsSet() {
			e.mentions(t, &p.Default, named)
		}
	}
	for _, p := range t.Params {
		switch {
		case p.Name.V == "node" || p.Name.V == "kind":
			e.report("GG347", p.Name.Pos, "a parameter cannot be called \""+p.Name.V+"\"",
				"$node is the name of the node that uses the template; give the parameter another name")
		case !valid(p.Name.V):
			e.report("GG347", p.Name.Pos, "a parameter cannot be called \""+p.Name.V+"\"", "use letters, digits and _, with a letter first")
		case !named[p.Name.V] && !t.Unread:
			e.report("GG347", p.Name.Pos, "nothing of the template names the parameter \""+p.Name.V+"\"",
				"write $"+p.Name.V+" where its value belongs, or remove it")
		case p.Type.V == "" && len(p.Enum) == 0 && !p.Unread && !p.Type.Lost:
			e.report("GG347", p.Name.Pos, "the parameter \""+p.Name.V+"\" has no type", "add one, as in "+diag.Set("type", "string"))
		case p.Type.V != "" && !slices.Contains(spec.Names(spec.ParamTypes), p.Type.V):
			e.paramType(p)
			p.Unread = true
		}
		if p.Default.Pos.IsSet() && !strings.Contains(p.Default.Text, "$") {
			for _, d := range p.Fits(e.graph.File, e.graph.Source, &p.Default) {
				e.report("GG343", d.Pos, "the default of the parameter \""+p.Name.V+"\": "+d.Message, string(d.Help))
				p.Unread = true
			}
		}
	}
}

func (e *expansion) paramType(p *spec.Param) {
	names := spec.Names(spec.ParamTypes)
	help := "use one of " + strings.Join(names, ", ")
	if near, ok := diag.Suggest(p.Type.V, names); ok {
		help = diag.DidYouMean(near)
	}
	e.report("GG347", p.Type.Pos, "parameters have no type \""+p.Type.V+"\"", help)
}

func valid(name string) bool { return parameter.FindString("$"+name) == "$"+name && name != "$" }

// mentions notes the parameters that a value names, and reports those that the template does not have.
func (e *expansion) mentions(t *spec.Template, tree *spec.Tree, named map[string]bool) {
	for _, match := range parameter.FindAllString(tree.Text, -1) {
		name := nameOf(match)
		if match == "$$" || paramOrNode(t, name) {
			named[name] = true
			continue
		}
		if t.Unread {
			continue // it may be one that could not be read
		}
		var names []string
		for _, p := range t.Params {
			names = append(names, p.Name.V)
		}
		help := "declare it under params; $$ is a dollar sign"
		if near, ok := diag.Suggest(name, append(names, "node")); ok {
			help, named[near] = "did you mean $"+near+"?", true
		}
		e.report("GG347", tree.Pos, "the template \""+t.Name.V+"\" has no parameter \""+name+"\"", help)
	}
	for i := range tree.Items {
		e.mentions(t, &tree.Items[i], named)
	}
}

// broken reports whether a part of a template could not be read, which has been reported.
func broken(t *spec.Template) bool {
	return t.Unread || slices.ContainsFunc(t.Params, func(p *spec.Param) bool { return p.Unread || p.Type.Lost || p.Optional.Lost })
}
