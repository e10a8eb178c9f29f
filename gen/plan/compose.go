package plan

import (
	"slices"

	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A Composite is what a node does that runs others.
type Composite struct {
	Method  string // of the machine
	Regions []*Region

	Until  *Condition // of a loop: when it ends
	Resets *Node      // the last node of the body of a loop that is a graph, if an iteration may end without its output; nil: none
	Most   int        // of a loop: iterations; of a pool: steps

	Join     string // of a parallel and a map: a word of spec.Joins
	Every    bool   // every branch has to succeed
	Need     int    // how many branches have to succeed, where the join has a number
	Parallel int    // branches at once

	Over, Item *resolve.Field // of a map

	Entry    *Region // of a pool: the node that runs first; nil: the model picks it
	Terminal []*Region
	Once     bool   // no node of a pool runs twice
	Var      string // of a pool: its description

	Writes []*resolve.Field // of a parallel and a map: what its branches write to the state
	Merges bool             // its branches have something to merge

	Pauses bool   // a node in it waits for a person: an execution may begin in one call and end in another
	Picker string // of a pool that pauses: the field of the child run with what the model has picked
}

// A Region is what a composite node runs as one: nodes that run one after the other, or a graph.
type Region struct {
	Graph      bool
	EndsEarly  bool        // of a graph: it may end before its last node has run
	Name       string      // of a branch, or of a node of a pool
	Transition *Transition // from the parent to the first node
	If         *Condition  // of a branch: it is started where the condition holds; nil: it is started
	Starts     string      // the variable that holds whether it is
	Nodes      []*Node
	Sets       []*resolve.Field // of a branch of a parallel: the fields whose values replace those of the parent
}

// Last returns the region's last node.
func (r *Region) Last() *Node { return r.Nodes[len(r.Nodes)-1] }

// A MergedField is a state field into which the machine merges what branches write.
type MergedField struct {
	Field *resolve.Field
	Len   string // the variable with the length that the list had before the branches; empty: it is no list, or the branches note what they write
	Func  string // of merge custom: a method of the handlers
	Delta bool   // branches note what they write
	Again bool   // and so does the parent, which may be a branch too
}

// A Merging is what the branches of all forks of a machine may bring into the record of their parent. A branch that has
// written nothing to a field leaves it as it is.
type Merging struct {
	Needed  bool // there are some that have something to merge
	Fields  []MergedField
	Caches  bool // and what nodes have cached
	Partial bool // forks may succeed without all of their branches
}

// notes reports whether the state after a branch does not show what the branch has written to a field, so that it
// has to note it.
func notes(f *resolve.Field) bool {
	return f.Merge == "sum" || f.Merge == "custom" || f.Merge == "union" && f.Type.Kind == resolve.Map || f.Keeps() > 0
}

// lowerComposite plans the node that runs others.
func (l *lowering) lowerComposite(n *resolve.Node, node *Node) {
	s := n.Spec
	node.Kind, node.Method, node.Out = n.Kind, n.GoName, n.Out
	node.Policy = policy(s)
	at, join := l.flow.Node(n), l.flow.Node(n).Fork()
	c := &Composite{Method: l.machine.free(compositeVerbs[n.Kind.Name]+n.GoName, "Node"), Join: join.Join.Name, Every: !join.Join.Some, Parallel: join.Width}
	node.Composite = c
	switch {
	case n.Kind.Loops():
		c.Most = at.Runs()
		c.Until = l.condition(n, l.name(l.m.Prefix+n.GoName+"Until"), "reports whether the loop "+s.Name.V+" ends.", at.Until)
	case n.Kind.OnFailure:
		timeout, guards := node.Policy.Timeout, node.Policy.GuardRetries
		node.Policy = retries(s.Retry)
		node.Policy.Timeout, node.Policy.GuardRetries = timeout, guards
	case n.Kind.Picks():
		pool := at.Pool()
		c.Most, c.Once = pool.Most, !pool.Repeat
		c.Var = l.name(l.m.Prefix + n.GoName + "Pool")
	case n.Kind.Each:
		c.Over, c.Item = l.g.State.Field(s.Over.V), l.g.State.Field(s.Item.V)
	}
	if join.Join.Some {
		c.Need = join.Need
	}
}

// compositeVerbs begin the names of the methods that run others.
var compositeVerbs = map[string]string{"loop": "loop", "retry": "retry", "parallel": "fork", "map": "map", "autonomous": "pool"}

// lowerRegions connects composite nodes with what they run.
func (l *lowering) lowerRegions(n *cfg.Node) {
	host := l.nodes[n.Spec]
	for _, r := range n.Regions {
		region := &Region{Name: r.Spec.Name.V, Graph: r.Spec.Graph, EndsEarly: r.Spec.Graph && r.Spec.EndsEarly()}
		for i, inner := range r.Nodes {
			node := l.nodes[inner.Spec]
			node.Parent, node.Branched = host, host.Branched || n.Spec.Kind.Forks()
			if l.m.Threads.Durable && n.Spec.Kind.Branches() {
				node.InBranch = region.Name
			}
			region.Nodes = append(region.Nodes, node)
			if i > 0 && r.Nodes[i-1].Chain != nil {
				followOn(region.Nodes[i-1], l.transition(r.Nodes[i-1].Chain))
			}
		}
		region.Transition = l.transition(r.Enter)
		if r.If != nil {
			doc := "reports whether the branch " + region.Name + " of " + host.Name + " is started."
			region.If = l.condition(n.Spec, l.name(region.Transition.Const+"If"), doc, r.If)
			region.Starts = "start" + goname.Exported(region.Name)
		}
		host.Composite.Regions = append(host.Composite.Regions, region)
	}
	if n.Spec.Kind.Picks() {
		pool := n.Pool()
		for i, region := range host.Composite.Regions {
			if i == pool.Entry {
				host.Composite.Entry = region
			}
			if pool.Last[i] {
				host.Composite.Terminal = append(host.Composite.Terminal, region)
			}
		}
	}
	for _, r := range n.Regions {
		for _, inner := range r.Nodes {
			if len(inner.Regions) > 0 {
				l.lowerRegions(inner)
			}
		}
	}
	l.lowerJoin(host)
}

// followOn has a node of a region lead to the next. A router does so where it has failed softly, and chosen nothing.
func followOn(from *Node, w *Transition) {
	from.Tests, from.Default = append(from.Tests, Test{Kind: Always, Transition: w}), Default{Kind: Never}
	if from.Skip {
		from.SkipTests, from.SkipDefault = from.Tests, from.Default
	}
}

// lowerJoin plans what branches bring into the state. What a map's nodes write by the rule
// last is the branch's own.
func (l *lowering) lowerJoin(host *Node) {
	c := host.Composite
	if !host.Kind.Forks() {
		return
	}
	for _, f := range l.g.State.Fields {
		if f == c.Item || host.Kind.Each && replaces(f) {
			continue
		}
		written := false
		for _, r := range c.Regions {
			if !slices.ContainsFunc(r.Nodes, func(n *Node) bool { return n.mayWrite(f) }) {
				continue
			}
			if written = true; replaces(f) {
				r.Sets = append(r.Sets, f)
			}
		}
		if written {
			c.Writes = append(c.Writes, f)
		}
	}
}

// replaces reports whether a value that is written to a field replaces the one that it has.
func replaces(f *resolve.Field) bool { return f.Merge == "last" || f.Merge == "" }

// mayWrite reports whether a node, or a node of its regions, writes a field.
func (n *Node) mayWrite(f *resolve.Field) bool {
	if slices.ContainsFunc(n.Writes, func(w Write) bool { return w.To == f }) {
		return true
	}
	if n.Composite == nil {
		return false
	}
	if n.Kind.Forks() {
		return slices.Contains(n.Composite.Writes, f)
	}
	return slices.ContainsFunc(n.Composite.Regions, func(r *Region) bool {
		return slices.ContainsFunc(r.Nodes, func(n *Node) bool { return n.mayWrite(f) })
	})
}

// findGiven finds the outputs that the nodes around them ask for. A composite node gives none
// that no code uses. A node whose output is that of its parent follows the parent.
func (l *lowering) findGiven() {
	for _, n := range l.g.All() {
		if n.Body != nil && (n.Parent == nil || n.Parent.Body != n || n.Parent.Out == nil) {
			l.asksFor(l.nodes[n])
		}
	}
}

// asksFor finds whether the output of a loop or a retry is used, and those of the nodes in it.
func (l *lowering) asksFor(host *Node) {
	if host.Out == nil {
		return
	}
	last := host.Composite.Regions[0].Last()
	asked := host.Gives != "" || host.Noted || len(host.Evals) > 0 || slices.ContainsFunc(host.Tests, func(t Test) bool {
		return t.Field != nil || t.Cond != nil && t.Cond.UsesOut
	})
	if !asked {
		host.Out = nil
	}
	if asked || host.Composite.Until != nil && host.Composite.Until.UsesOut {
		last.Gives = l.run.free(goname.Unexported(last.Name)+"Out", "Node")
	}
	if last.Composite != nil {
		l.asksFor(last)
	}
	if last.Gives == "" || !host.Kind.Loops() {
		return
	}
	if region := host.Composite.Regions[0]; region.Graph {
		if region.EndsEarly {
			host.Composite.Resets = last
		}
		return
	}
	for _, n := range host.Composite.Regions[0].Nodes {
		for _, t := range n.Tests {
			if n.Kind.Chooses && t.Transition.To == nil {
				t.Transition.Empties = last
			}
		}
	}
}

// findNotes finds the fields of which branches note what they write.
func (m *Machine) findNotes() {
	for _, n := range m.Flow.Nodes {
		if n.Composite == nil {
			continue
		}
		m.Children.Composed = true
		for _, f := range n.Composite.Writes {
			if notes(f) && !slices.Contains(m.Children.Notes, f) {
				m.Children.Notes = append(m.Children.Notes, f)
			}
			if f.Type.Kind == resolve.List && (f.Merge == "append" || f.Merge == "custom") && !slices.Contains(m.Children.Clipped, f) {
				m.Children.Clipped = append(m.Children.Clipped, f)
			}
		}
	}
}

// NotesOf reports whether a node has to note what it writes to a field, besides writing it.
func (n *Node) NotesOf(f *resolve.Field) bool { return n.Branched && notes(f) }

// findMerging finds what branches bring into the record of their parent.
func (m *Machine) findMerging() {
	var merging Merging
	for _, n := range m.Flow.Nodes {
		if !n.Kind.Forks() {
			continue
		}
		c := n.Composite
		caches := slices.ContainsFunc(c.Regions, func(r *Region) bool { return slices.ContainsFunc(r.Nodes, cachesWithin) })
		c.Merges = m.Models.Conversations || m.Models.Results || caches || slices.ContainsFunc(c.Writes, func(f *resolve.Field) bool { return !replaces(f) })
		merging.Needed = merging.Needed || c.Merges
		merging.Caches, merging.Partial = merging.Caches || caches, merging.Partial || !c.Every ||
			slices.ContainsFunc(c.Regions, func(r *Region) bool { return r.If != nil })
	}
	for _, f := range m.Types.State.Fields {
		again, merged := false, false
		for _, n := range m.Flow.Nodes {
			if n.Kind.Forks() && slices.Contains(n.Composite.Writes, f) && !replaces(f) {
				merged, again = true, again || n.NotesOf(f)
			}
		}
		if merged {
			merging.Fields = append(merging.Fields, mergedField(f, again))
		}
	}
	m.Children.Merging = merging
}

func mergedField(f *resolve.Field, again bool) MergedField {
	merged := MergedField{Field: f, Delta: notes(f), Again: again}
	if !merged.Delta && f.Type.Kind == resolve.List {
		merged.Len = goname.Unexported(f.Name) + "Len"
	}
	if f.Merge == "custom" {
		merged.Func = "Merge" + f.GoName
	}
	return merged
}
