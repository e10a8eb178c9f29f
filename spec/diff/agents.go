package diff

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/expr"
)

// tools compares tools. The docs of tools and of their arguments count: they are sent to the model.
func (d *difference) tools(old, new []*spec.ToolDecl) {
	pairs(old, new, func(t *spec.ToolDecl) string { return t.Name.V }, func(name string, was, is **spec.ToolDecl) {
		switch {
		case was == nil:
			d.add(Change{Kind: Added, Section: Tools, Of: name, What: signature(*is), Pos: (*is).Name.Pos})
		case is == nil:
			d.add(Change{Kind: Removed, Section: Tools, Of: name, Pos: (*was).Name.Pos})
		default:
			d.settings(Tools, name, (*was).Settings(), (*is).Settings(), nil)
			d.fields(Tools, name, (*was).Args, (*is).Args)
			d.typ(Tools, name+" returns", returns(*was), returns(*is))
		}
	})
}

// servers compares MCP servers. Their docs are for people.
func (d *difference) servers(old, new []*spec.Server) {
	pairs(old, new, func(s *spec.Server) string { return s.Name.V }, func(name string, was, is **spec.Server) {
		switch {
		case was == nil:
			d.add(Change{Kind: Added, Section: MCP, Of: name, Pos: (*is).Name.Pos})
		case is == nil:
			d.add(Change{Kind: Removed, Section: MCP, Of: name, Pos: (*was).Name.Pos})
		default:
			d.settings(MCP, name, (*was).Settings(), (*is).Settings(), []string{"doc"})
		}
	})
}

func returns(t *spec.ToolDecl) *spec.TypeExpr {
	if t.Returns == nil {
		return &spec.TypeExpr{Kind: spec.TypeNamed, Name: "string", Pos: t.Name.Pos}
	}
	return t.Returns
}

// signature formats a tool as a function.
func signature(t *spec.ToolDecl) string {
	return "(" + joined(t.Args, func(f *spec.Field) string { return f.Name.V + ": " + fieldText(f) }) + ") " + typeText(returns(t))
}

// assignments formats the arguments of a node's tool. They have no order.
func assignments(args []spec.Assignment) string {
	list := make([]string, len(args))
	for i, a := range args {
		list[i] = a.Name.V + " from " + a.Field.V
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// An assignment is a table of assignments of a node, old and new.
type assignment struct{ key, was, is string }

func assigned(old, new *spec.Node) []assignment {
	before := old.Tables()
	var list []assignment
	for i, now := range new.Tables() {
		list = append(list, assignment{now.Key, assignments(before[i].List), assignments(now.List)})
	}
	return list
}

// chain formats the nodes of a branch.
func chain(b spec.Branch) string {
	names := make([]string, len(b.Nodes))
	for i, n := range b.Nodes {
		names[i] = n.V
	}
	text := strings.Join(names, ", ")
	if b.Graph {
		text = "entry " + text
	}
	if b.If.IsSet() {
		text += " if " + expr.TextString(b.If.V)
	}
	return text
}

// branches compares the branches of a parallel. Their order is the order of merging.
func (d *difference) branches(node string, old, new []spec.Branch) {
	var was, is []string
	pairs(old, new, func(b spec.Branch) string { return b.Name.V }, func(name string, before, after *spec.Branch) {
		path := node + " branch " + name
		switch {
		case before == nil:
			d.add(Change{Kind: Added, Section: Nodes, Of: path, What: chain(*after), Pos: after.Name.Pos})
		case after == nil:
			d.add(Change{Kind: Removed, Section: Nodes, Of: path, Pos: before.Name.Pos})
		default:
			if a, b := chain(*before), chain(*after); a != b {
				d.add(Change{Section: Nodes, Of: path, What: arrow(a, b), Pos: after.Name.Pos})
			}
			is = append(is, name)
		}
	})
	for _, b := range old {
		if slices.Contains(is, b.Name.V) {
			was = append(was, b.Name.V)
		}
	}
	if !slices.Equal(was, is) {
		d.add(Change{Section: Nodes, Of: node, What: "order of the branches: " + arrow(strings.Join(was, ", "), strings.Join(is, ", ")), Pos: new[0].Name.Pos})
	}
}

func orNone(text string) string {
	if text == "" {
		return none
	}
	return text
}

// blocks compares the blocks of a prompt and their order.
func (d *difference) blocks(node string, old, new []*spec.Block) {
	var was, is []string
	pairs(old, new, func(b *spec.Block) string { return b.Name.V }, func(name string, before, after **spec.Block) {
		path := node + " block " + name
		switch {
		case before == nil:
			d.add(Change{Kind: Added, Section: Nodes, Of: path, Pos: (*after).Name.Pos})
		case after == nil:
			d.add(Change{Kind: Removed, Section: Nodes, Of: path, Pos: (*before).Name.Pos})
		default:
			d.settings(Nodes, path, (*before).Settings(), (*after).Settings(), []string{"name"})
			is = append(is, name)
		}
	})
	for _, b := range old {
		if slices.Contains(is, b.Name.V) {
			was = append(was, b.Name.V)
		}
	}
	if !slices.Equal(was, is) {
		d.add(Change{Section: Nodes, Of: node, What: "order of the blocks: " + arrow(strings.Join(was, ", "), strings.Join(is, ", ")), Pos: new[0].Name.Pos})
	}
}

// evals compares the evals of a node.
func (d *difference) evals(node string, old, new []*spec.Eval) {
	pairs(old, new, func(e *spec.Eval) string { return e.Name.V }, func(name string, before, after **spec.Eval) {
		path := node + " eval " + name
		switch {
		case before == nil:
			d.add(Change{Kind: Added, Section: Nodes, Of: path, What: rule(*after, expr.TextString), Pos: (*after).Name.Pos})
		case after == nil:
			d.add(Change{Kind: Removed, Section: Nodes, Of: path, Pos: (*before).Name.Pos})
		default:
			if rule(*before, expr.TextKey) != rule(*after, expr.TextKey) {
				was, is := rule(*before, expr.TextString), rule(*after, expr.TextString)
				d.add(Change{Section: Nodes, Of: path, What: arrow(was, is), Pos: (*after).Name.Pos})
			}
		}
	})
}

// rule formats the rule of an eval. write formats its condition.
func rule(e *spec.Eval, write func(condition string) string) string {
	var parts []string
	for _, s := range e.Settings() {
		switch s.Key.Name {
		case "doc":
		case "if":
			parts = append(parts, "if "+write(s.Text))
		case "called", "not_called":
			slices.Sort(s.Names)
			parts = append(parts, s.Key.Name+" "+strings.Join(s.Names, ", "))
		default:
			parts = append(parts, s.Key.Name+" "+shorten(s.Text))
		}
	}
	return strings.Join(parts, "; ")
}
