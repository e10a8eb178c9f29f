package plan

import (
	"slices"

	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

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
	node.Out = n.Out
	node.Policy = policy(n.Spec)
	at, s := l.flow.Node(n), n.Spec
	c := Composite{Method: l.machine.free(compositeVerbs[n.Kind.Name]+n.GoName, "Node")}
	switch {
	case n.Kind.Loops():
		until := l.condition(n, l.name(l.m.Prefix+n.GoName+"Until"), "reports whether the loop "+s.Name.V+" ends.", at.Until)
		node.Work = &Loop{Composite: c, Until: until, Most: at.Runs()}
	case n.Kind.Repeats():
		tries := retries(s.Retry)
		tries.Timeout, tries.GuardRetries = node.Policy.Timeout, node.Policy.GuardRetries
		node.Policy = tries
		node.Work = &Retry{c}
	case n.Kind.Branches():
		fork := forkOf(c, at)
		node.Work = &fork
	case n.Kind.Forks():
		node.Work = &Each{Fork: forkOf(c, at), Over: l.g.State.Field(s.Over.V), Item: l.g.State.Field(s.Item.V)}
	case n.Kind.Picks():
		pool := at.Pool()
		node.Work = &Pool{Composite: c, Var: l.name(l.m.Prefix + n.GoName + "Pool"), Most: pool.Most, Once: !pool.Repeat}
	}
}

// forkOf plans how branches are joined.
func forkOf(c Composite, at *cfg.Node) Fork {
	join := at.Fork()
	f := Fork{Composite: c, Join: join.Join.Name, Every: !join.Join.Some, Parallel: join.Width}
	if join.Join.Some {
		f.Need = join.Need
	}
	return f
}

// compositeVerbs begin the names of the methods that run others.
var compositeVerbs = map[string]string{"loop": "loop", "retry": "retry", "parallel": "fork", "map": "map", "autonomous": "pool"}

// lowerRegions connects composite nodes with what they run.
func (l *lowering) lowerRegions(n *cfg.Node) {
	host := l.nodes[n.Spec]
	c := host.Work.(Runner).Runs()
	for _, r := range n.Regions {
		region := &Region{Name: r.Spec.Name.V, Graph: r.Spec.Graph, EndsEarly: r.Spec.Graph && r.Spec.EndsEarly()}
		for i, inner := range r.Nodes {
			node := l.nodes[inner.Spec]
			node.Parent = host
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
		c.Regions = append(c.Regions, region)
	}
	if w, is := host.Work.(*Pool); is {
		pool := n.Pool()
		for i, region := range c.Regions {
			if i == pool.Entry {
				w.Entry = region
			}
			if pool.Last[i] {
				w.Terminal = append(w.Terminal, region)
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
	switch w := host.Work.(type) {
	case *Fork:
		l.lowerJoin(w, func(*resolve.Field) bool { return true })
	case *Each:
		l.lowerJoin(&w.Fork, func(f *resolve.Field) bool { return f != w.Item && !replaces(f) })
	}
}

// followOn has a node of a region lead to the next. A router does so where it has failed softly, and chosen nothing.
func followOn(from *Node, w *Transition) {
	from.Routes.Tests, from.Routes.Default = append(from.Routes.Tests, Test{Kind: Always, Transition: w}), Default{Kind: Never}
	if from.Failure.Skip {
		from.Routes.SkipTests, from.Routes.SkipDefault = from.Routes.Tests, from.Routes.Default
	}
}

// lowerJoin plans which fields branches bring into the state, of those that leave a branch. What a map's nodes write
// by the rule last is the branch's own, and so is its element.
func (l *lowering) lowerJoin(w *Fork, leaves func(*resolve.Field) bool) {
	for _, f := range l.g.State.Fields {
		if !leaves(f) {
			continue
		}
		written := false
		for _, r := range w.Regions {
			if !slices.ContainsFunc(r.Nodes, func(n *Node) bool { return n.mayWrite(f) }) {
				continue
			}
			if written = true; replaces(f) {
				r.Sets = append(r.Sets, f)
			}
		}
		if written {
			w.Writes = append(w.Writes, f)
		}
	}
}

// replaces reports whether a value that is written to a field replaces the one that it has.
func replaces(f *resolve.Field) bool { return f.Merge == "last" || f.Merge == "" }

// mayWrite reports whether a node, or a node of its regions, writes a field.
func (n *Node) mayWrite(f *resolve.Field) bool {
	if slices.ContainsFunc(n.State.Writes, func(w Write) bool { return w.To == f }) {
		return true
	}
	if w, is := n.Work.(Forker); is {
		return slices.Contains(w.Forks().Writes, f)
	}
	return n.within(func(n *Node) bool { return n.mayWrite(f) })
}

// findGiven finds the outputs that the nodes around them ask for. A composite node gives none
// that no code uses. A node whose output is the output of its parent follows the parent.
func (l *lowering) findGiven() {
	for _, n := range l.g.All() {
		if n.Body != nil && (n.Parent == nil || n.Parent.Body != n || n.Parent.Out == nil) {
			l.asksFor(l.nodes[n])
		}
	}
}

// asksFor finds whether the output of a loop or a retry is used, and the outputs of the nodes in it.
func (l *lowering) asksFor(host *Node) {
	if host.Out == nil {
		return
	}
	body := host.Regions()[0]
	last := body.Last()
	asked := host.Kept.Field != "" || host.Kept.Result || len(host.Checks.Evals) > 0 || slices.ContainsFunc(host.Routes.Tests, func(t Test) bool {
		return t.Field != nil || t.Cond != nil && t.Cond.UsesOut
	})
	if !asked {
		host.Out = nil
	}
	loop, loops := host.Work.(*Loop)
	if asked || loops && loop.Until.UsesOut {
		last.Kept.Field = l.run.free(goname.Unexported(last.Name)+"Out", "Node")
	}
	if len(last.Regions()) > 0 {
		l.asksFor(last)
	}
	if last.Kept.Field == "" || !loops {
		return
	}
	if body.EndsEarly || last.Failure.Skip {
		loop.Resets = last
		return
	}
	for _, n := range body.Nodes {
		for _, t := range n.Routes.Tests {
			if !body.Graph && n.Kind.Chooses && t.Transition.To == nil {
				t.Transition.Empties = last
			}
		}
	}
}

// findNotes finds the fields of which branches note what they write.
func (m *Machine) findNotes() {
	for range Works[Runner](m) {
		m.Children.Composed = true
	}
	for _, w := range Works[Forker](m) {
		for _, f := range w.Forks().Writes {
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
func (n *Node) NotesOf(f *resolve.Field) bool { return notes(f) && n.branched() }

// branched reports whether a node runs in a branch, or in what a branch runs.
func (n *Node) branched() bool {
	if n.Parent == nil {
		return false
	}
	_, fork := n.Parent.Work.(Forker)
	return fork || n.Parent.branched()
}

// findMerging finds what branches bring into the record of their parent.
func (m *Machine) findMerging() {
	var merging Merging
	for _, w := range Works[Forker](m) {
		c := w.Forks()
		caches := slices.ContainsFunc(c.Regions, func(r *Region) bool { return slices.ContainsFunc(r.Nodes, cachesWithin) })
		c.Merges = m.Models.Conversations || m.Models.Results || caches || slices.ContainsFunc(c.Writes, func(f *resolve.Field) bool { return !replaces(f) })
		merging.Needed = merging.Needed || c.Merges
		merging.Caches, merging.Partial = merging.Caches || caches, merging.Partial || !c.Every ||
			slices.ContainsFunc(c.Regions, func(r *Region) bool { return r.If != nil })
	}
	for _, f := range m.Types.State.Fields {
		again, merged := false, false
		for n, w := range Works[Forker](m) {
			if slices.Contains(w.Forks().Writes, f) && !replaces(f) {
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
