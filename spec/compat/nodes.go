package compat

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/shape"
)

// nodes compares the nodes of the two shapes.
func (c *comparison) nodes() {
	name := func(n *shape.Node) string { return n.Name }
	both, removed, added := matched(c.old.Nodes, c.new.Nodes, name, func(n *shape.Node) string { return n.Was.V })
	names := map[string]string{} // of the nodes of the newer shape, by those that they had
	for _, p := range both {
		names[p.old.Name] = p.new.Name
		if p.old.Name != p.new.Name {
			c.rename(p.new.Pos, p.old.Pos, fmt.Sprintf("node %q is %q of %s", p.new.Name, p.old.Name, c.title), Rename{Of: Nodes, From: p.old.Name, To: p.new.Name})
		}
	}
	for _, p := range both {
		c.node(p.old, p.new, names)
	}
	for _, n := range removed {
		what := fmt.Sprintf("node %q of %s is missing", n.Name, c.title)
		if len(n.Waits) == 0 {
			c.allow(c.new.Pos, n.Pos, what+": no thread waits there, but one that was killed there is refused")
			continue
		}
		help := renamedHelp(n, added, name, func(a, b *shape.Node) bool { return a.Kind == b.Kind },
			func(_, was string) string { return "renamed_from: " + was + " to it" }, "keep the node, or write the migration, which returns where its threads go on")
		c.migrate("GG334", c.new.Pos, n.Pos, what+", where threads may wait: "+reasons(n.Waits), help)
		c.changes[len(c.changes)-1].Lost = n.Name
	}
	for _, n := range added {
		c.allow(n.Pos, spec.Pos{}, fmt.Sprintf("node %q is not in %s", n.Name, c.title))
	}
}

// reasons lists why threads wait.
func reasons(waits []shape.Wait) string {
	var texts []string
	for _, w := range shape.Waits {
		if slices.Contains(waits, shape.Wait(w.Name)) {
			texts = append(texts, w.Doc)
		}
	}
	return strings.Join(texts, ", ")
}

// node compares a node with its older form. names has the names of nodes by those that they had.
func (c *comparison) node(old, new *shape.Node, names map[string]string) {
	title := "node " + strconv.Quote(new.Name)
	changed := func(held bool, message string) {
		message = title + " " + message + " in " + c.title
		if held {
			c.migrate("GG335", new.Pos, old.Pos, message+", where threads may wait: "+reasons(old.Waits), "give the new form another name, and keep the node, or write the migration, which returns where its threads go on")
			c.changes[len(c.changes)-1].Lost = old.Name
			return
		}
		c.allow(new.Pos, old.Pos, message)
	}
	asks := old.Has(shape.Answer, shape.Approval, shape.Calls, shape.Child)
	if old.Kind != new.Kind {
		changed(asks, "is of kind "+new.Kind+", and of kind "+old.Kind)
	} else if gone := lost(old, new); len(gone) > 0 {
		changed(true, "has nothing more to wait for as it has")
	}
	if parent := names[old.Parent]; parent != new.Parent || old.Branch != new.Branch {
		changed(len(old.Waits) > 0, "is run "+within(new)+", and "+within(old))
	}
	if was, is := branches(c.old, old.Name), branches(c.new, new.Name); !slices.Equal(was, is) {
		changed(old.Has(shape.Child), "has the branches "+strings.Join(is, ", ")+", and "+strings.Join(was, ", "))
	}
	if old.Graph != new.Graph {
		changed(old.Has(shape.Child), "runs the graph "+new.Graph+", and "+old.Graph)
	} else if old.Shape != new.Shape {
		c.allow(new.Pos, old.Pos, title+" runs the graph "+new.Graph+", whose shape has changed since "+c.title+": it has releases of its own")
	}
	c.output(title, old, new)
}

// lost returns the reasons to wait for a person that a node no longer has.
func lost(old, new *shape.Node) []shape.Wait {
	return slices.DeleteFunc(slices.Clone(old.Waits), func(w shape.Wait) bool {
		return new.Has(w) || w != shape.Answer && w != shape.Approval && w != shape.Calls
	})
}

func within(n *shape.Node) string {
	switch {
	case n.Parent == "":
		return "by the graph"
	case n.Branch == "":
		return "by " + strconv.Quote(n.Parent)
	}
	return "in the branch " + strconv.Quote(n.Branch) + " of " + strconv.Quote(n.Parent)
}

// branches lists the branches of a parallel.
func branches(s *shape.Shape, parent string) (list []string) {
	for _, n := range s.Nodes {
		if n.Parent == parent && n.Branch != "" && !slices.Contains(list, n.Branch) {
			list = append(list, n.Branch)
		}
	}
	slices.Sort(list)
	return list
}

// output compares what is kept of a node's output.
func (c *comparison) output(title string, old, new *shape.Node) {
	at := place{what: "the output of " + title, pos: new.Pos, old: old.Pos}
	kept := func(n *shape.Node) bool { return n.Output != nil || len(n.Writes) > 0 }
	switch {
	case !kept(old) || !kept(new):
	case old.Output != nil && new.Output != nil:
		c.typ(at, old.Output, new.Output)
	case old.Output != nil || new.Output != nil, !slices.Equal(c.renamed(old.Writes), new.Writes):
		c.migrate("GG331", at.pos, at.old, at.what+", which a thread keeps, has another form in "+c.title, "keep what the node writes, "+writeIt)
	}
}

// renamed returns names of state fields of the older version as the newer one has them.
func (c *comparison) renamed(fields []string) []string {
	out := slices.Clone(fields)
	for _, change := range c.changes {
		if r := change.Rename; r != nil && r.Of == Fields && r.In == "" {
			if i := slices.Index(fields, r.From); i >= 0 {
				out[i] = r.To
			}
		}
	}
	slices.Sort(out)
	return out
}
