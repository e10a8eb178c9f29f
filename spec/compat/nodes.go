package compat

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
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
			c.rename(p.new.Pos, p.old.Pos, fmt.Sprintf("node %q is %q of %s", p.new.Name, p.old.Name, c.title),
				Rename{Of: Nodes, From: p.old.Name, To: p.new.Name})
		}
	}
	were, are := branches(c.old), branches(c.new)
	for _, p := range both {
		c.node(p.old, p.new, names)
		if was, is := were[p.old.Name], are[p.new.Name]; !slices.Equal(was, is) {
			c.changed(p.old, p.new, p.old.Has(shape.Child), "has the branches "+strings.Join(is, ", ")+", and "+strings.Join(was, ", "))
		}
	}
	for _, n := range removed {
		what := fmt.Sprintf("node %q of %s is missing", n.Name, c.title)
		if len(n.Waits) == 0 {
			c.allow(c.new.Pos, n.Pos, what+": no thread waits there, but one that was killed there is refused")
			continue
		}
		help := renamedHelp(n, added, name, func(a, b *shape.Node) bool { return a.Kind == b.Kind },
			func(_, was string) string { return diag.Set("renamed_from", was) + " to it" },
			"keep the node, or write the migration, which returns where its threads continue")
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
	asks := old.Has(shape.Answer, shape.Approval, shape.Calls, shape.Child)
	if old.Kind != new.Kind {
		c.changed(old, new, asks, "is of kind "+new.Kind+", and of kind "+old.Kind)
	} else if gone := lost(old, new); len(gone) > 0 {
		c.changed(old, new, true, "has nothing more to wait for as it has")
	}
	if parent, there := names[old.Parent]; parent != new.Parent || old.Branch != new.Branch || !there && old.Parent != "" {
		c.changed(old, new, len(old.Waits) > 0, "is run "+within(new)+", and "+within(old))
		if last := &c.changes[len(c.changes)-1]; last.Verdict == Compatible && (there || old.Parent == "") { // else the run around it is judged
			last.Message, last.Moved = last.Message+": no thread waits there, but one that was killed there is refused", old.Name
		}
	}
	if old.Graph != new.Graph {
		c.changed(old, new, old.Has(shape.Child), "runs the graph "+new.Graph+", and "+old.Graph)
	} else if old.Shape != new.Shape {
		c.allow(new.Pos, old.Pos, title(new)+" runs the graph "+new.Graph+", whose shape has changed since "+c.title+": it has releases of its own")
	}
	c.output(old, new)
}

func title(n *shape.Node) string { return "node " + strconv.Quote(n.Name) }

// changed adds a change of a node. A thread that is held there cannot continue by itself.
func (c *comparison) changed(old, new *shape.Node, held bool, message string) {
	message = title(new) + " " + message + " in " + c.title
	if !held {
		c.allow(new.Pos, old.Pos, message)
		return
	}
	c.migrate("GG335", new.Pos, old.Pos, message+", where threads may wait: "+reasons(old.Waits),
		"give the new form another name, and keep the node, or write the migration, which returns where its threads continue")
	c.changes[len(c.changes)-1].Lost = old.Name
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

// branches lists the branches of each parallel, in the order of their names.
func branches(s *shape.Shape) map[string][]string {
	of := map[string][]string{}
	for _, n := range s.Nodes {
		if n.Branch != "" {
			of[n.Parent] = append(of[n.Parent], n.Branch)
		}
	}
	for parent, list := range of {
		slices.Sort(list)
		of[parent] = slices.Compact(list)
	}
	return of
}

// output compares what is kept of a node's output.
func (c *comparison) output(old, new *shape.Node) {
	at := place{what: "the output of " + title(new), pos: new.Pos, old: old.Pos}
	switch {
	case !keeps(old) || !keeps(new):
	case old.Output != nil && new.Output != nil:
		c.typ(at, old.Output, new.Output)
	case old.Output != nil || new.Output != nil, !slices.Equal(c.renamed(old.Writes), new.Writes):
		c.migrate("GG331", at.pos, at.old, at.what+", which a thread keeps, has another form in "+c.title, "keep what the node writes, "+writeIt)
	}
}

// keeps reports whether threads keep an output of a node.
func keeps(n *shape.Node) bool { return n.Output != nil || len(n.Writes) > 0 }

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
