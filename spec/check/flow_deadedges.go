package check

import (
	"slices"
	"strconv"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A deadEdge is a transition from a node that can never be taken.
type deadEdge struct {
	code    string
	edge    *resolve.Edge // nil: not an edge
	name    spec.String   // its target; of a branch table, its place
	subject string        // in a message
	because reason
}

// A reason is what is tried before a transition and always taken.
type reason struct {
	pos        spec.Pos
	note, help string
}

// deadEdgesWith is the pass that reports the dead edges of one code: one finding for each reason,
// at the first dead edge, with the others as notes.
func deadEdgesWith(code string) func(*context) {
	return func(c *context) {
		for _, n := range c.graph.Routed() {
			var same []deadEdge
			for _, f := range c.deadEdges(n) {
				if f.code != code {
					continue
				}
				if len(same) > 0 && same[0].because.pos != f.because.pos {
					c.reportDead(same)
					same = same[:0]
				}
				same = append(same, f)
			}
			if len(same) > 0 {
				c.reportDead(same)
			}
		}
	}
}

func (c *context) reportDead(same []deadEdge) {
	first := same[0]
	related := []diag.Related{{Pos: first.because.pos, Message: first.because.note}}
	for i, f := range same[1:] {
		oneLoop := f.edge != nil && same[i].edge != nil && f.edge.Spec.Pos == same[i].edge.Spec.Pos
		if !oneLoop && len(related) <= mostNotes {
			related = append(related, diag.Related{Pos: f.name.Pos, Message: f.subject + " is not taken either"})
		}
	}
	c.report(first.name.Pos, first.subject+" is never taken", first.because.help, related...)
}

// deadNames returns the places of the targets of dead edges; nil: there are none.
func deadNames(list []deadEdge) map[spec.Pos]bool {
	if len(list) == 0 {
		return nil
	}
	dead := map[spec.Pos]bool{}
	for _, f := range list {
		dead[f.name.Pos] = true
		if f.edge != nil {
			for _, label := range f.edge.Spec.Branch {
				dead[label.To.Pos] = true
			}
		}
	}
	return dead
}

// A deadSearch visits the transitions of a node in the order of the rules, and keeps what is
// always taken.
type deadSearch struct {
	c    *context
	node *resolve.Node
	skip bool // the node may be skipped

	chosen   *reason // a rule that always names a node
	table    bool    // it is a branch table
	passable bool    // a skipped node does not try it, but a transition without condition

	sure  *resolve.Edge // an edge that is always taken
	found []deadEdge
}

// deadEdges lists the transitions for a success of a node that are never taken.
func (c *context) deadEdges(n *resolve.Node) []deadEdge {
	if n.Spec.Unread || n.Spec.FailSoft.Lost {
		return nil // what could not be read may make a difference
	}
	at := c.cfg.Node(n)
	w := deadSearch{c: c, node: n, skip: at.Skip}
	if !at.Soft { // a soft failure has chosen nothing
		w.chosen, w.passable = decidingField(at), true
	}
	gotos := at.By(cfg.ByGoto)
	for _, t := range gotos {
		w.other(t.Name, "the route to "+quote(t.Name.V)+" of node "+quote(n.Spec.Name.V), true)
	}
	if len(gotos) > 0 && gotos[0].Choice.Required && !at.Soft && w.chosen == nil {
		w.chosen, w.passable = &reason{gotos[0].Name.Pos, "a router always takes one of its routes",
			diag.Remove("remove it") + ", or add its target to the routes"}, true
	}
	w.edges(at.By(cfg.ByEdge), at.Soft)
	for _, t := range at.By(cfg.ByTransition) {
		if t.Cond.Field != nil && !valueOfRoute(at, t.Cond.Text) {
			w.other(t.Name, "the transition "+quote(t.Cond.Text)+" of node "+quote(n.Spec.Name.V), true)
		}
	}
	for _, t := range at.By(cfg.ByNext) {
		w.other(t.Name, t.Key+" of node "+quote(n.Spec.Name.V), false)
	}
	return w.found
}

// decidingField returns the required enum that always routes; nil without one.
func decidingField(n *cfg.Node) *reason {
	c := n.Deciding()
	if c == nil {
		return nil
	}
	return &reason{c.Field.Spec.Name.Pos, "the output's field " + quote(c.Field.Name) + " always names the next node",
		diag.Remove("remove it") + ", or call the field something else: then edges can look at it"}
}

// valueOfRoute reports whether a key of transitions is a value of a route field.
func valueOfRoute(n *cfg.Node, key string) bool {
	return slices.ContainsFunc(n.By(cfg.ByRoute), func(t *cfg.Transition) bool { return t.Cond.Text == key })
}

// late reports whether an earlier rule, or a branch table, always names a node.
func (w *deadSearch) late(conditional bool) bool {
	return w.chosen != nil && !(w.passable && w.skip && !conditional)
}

// other judges a transition that is not an edge.
func (w *deadSearch) other(name spec.String, subject string, conditional bool) {
	f := deadEdge{code: "GG062", name: name, subject: subject}
	switch {
	case !written(name):
		return
	case w.late(conditional):
		f.because = *w.chosen
	case w.sure != nil:
		f.because = reason{w.sure.Spec.Pos, w.c.edgeTitle(w.sure) + " has no condition, so it is always taken",
			diag.Remove("remove it") + ", or give the edge a condition or max_iterations"}
	default:
		return
	}
	w.found = append(w.found, f)
}

// edges judges the edges in the order they are tried, each branch table once.
func (w *deadSearch) edges(edges []*cfg.Transition, soft bool) {
	before := map[cfg.CondKey]condAt{}
	for i, t := range edges {
		e := t.Edge
		f := deadEdge{edge: e, name: e.Spec.To}
		if e.Table() {
			f.name.Pos = e.Spec.BranchPos
		} else if !written(e.Spec.To) {
			continue
		}
		if i > 0 && edges[i-1].Edge == e || e.Vague() || mistaken(e) {
			continue
		}
		switch {
		case w.late(t.Conditional()):
			if w.table && e.Table() {
				continue // a second table is a mistake of its own
			}
			f.code, f.because = "GG062", *w.chosen
		case w.sure != nil:
			f.code, f.because = w.shadow(t)
		case t.Certain():
			w.sure = e
			continue
		default:
			was := w.met(t, w.condition(t), before)
			if was == nil {
				w.labels(t, before)
				w.choose(t, soft)
				continue
			}
			f.code, f.because = "GG066", w.repeated(was)
		}
		f.subject = w.c.edgeSubject(e)
		w.found = append(w.found, f)
	}
}

// labels judges the labels of a branch table by a field: each is a condition on a value.
func (w *deadSearch) labels(t *cfg.Transition, before map[cfg.CondKey]condAt) {
	if t.Cond.Kind != cfg.Label || t.Cond.Field == nil {
		return
	}
	for _, label := range t.Choice.Members {
		if was := w.met(label, label.Cond.Key(), before); was != nil {
			w.found = append(w.found,
				deadEdge{code: "GG066", name: label.Name, subject: "the label " + quote(label.Cond.Text) + " of node " + quote(w.node.Spec.Name.V),
					because: w.repeated(was)})
		}
	}
}

// repeated returns the reason that an edge before this one has a condition that is implied.
func (w *deadSearch) repeated(was *resolve.Edge) reason {
	title := w.c.edgeTitle(was)
	if was.Table() {
		return reason{was.Spec.BranchPos, "the branch table has a label for this value, and comes before it", "change the condition, or remove the edge"}
	}
	return reason{was.Spec.Pos, title + " has a condition that is true whenever this one is, and comes before it",
		"change one of the conditions, or remove the edge"}
}

// choose keeps an edge that is always taken after a run: a branch table that covers every case, or
// on: no_tool_call.
func (w *deadSearch) choose(t *cfg.Transition, soft bool) {
	e := t.Edge
	if w.chosen == nil && t.CertainAfterRun() {
		w.chosen = &reason{e.Spec.On.Pos, "a turn without tool calls always takes this edge", diag.Remove("remove it") + ", or give this edge max_iterations"}
		w.passable = true
	}
	if w.chosen == nil && !soft && e.Table() && t.Choice.Decides() {
		why := "the handler always returns a label of this table"
		if e.By != nil {
			why = "this table has a label for every value of " + quote(e.By.Name)
		}
		w.chosen = &reason{e.Spec.BranchPos, why, diag.Remove("remove it") + ", or give it a priority above the table's"}
		w.table, w.passable = true, true
	}
}

// shadow returns why the edge that is always taken is tried before another.
func (w *deadSearch) shadow(t *cfg.Transition) (code string, because reason) {
	sure := w.sure.Spec.Priority.V
	title := w.c.edgeTitle(w.sure)
	switch same := sure == t.Edge.Spec.Priority.V; {
	case same && !t.Conditional() && t.Known && w.sure.To == t.Target():
		return "GG061", reason{w.sure.Spec.Pos, "it is written here too", "remove one of the two"}
	case same && !t.Conditional():
		return "GG061", reason{w.sure.Spec.Pos, title + " has the same priority and no condition either, and comes before it",
			"give the earlier edge a condition or max_iterations, or remove one of the two; to run both nodes concurrently, let a node of kind parallel " +
				"run them"}
	case same:
		return "GG060", reason{w.sure.Spec.Pos, title + " has no condition and comes before it, so it is always taken",
			"give this edge a priority above " + strconv.Itoa(sure) + ", or the other a condition"}
	case t.Conditional():
		return "GG060", reason{w.sure.Spec.Pos, title + " has no condition and a higher priority, so it is always taken",
			"give this edge a priority above " + strconv.Itoa(sure) + ", or the other a condition"}
	}
	return "GG060", reason{w.sure.Spec.Pos, title + " has no condition and a higher priority, so it is always taken",
		"give the edge of higher priority a condition or max_iterations, or remove one of the two"}
}

// A condAt is the condition of an edge without a bound.
type condAt struct {
	cond cfg.CondKey
	edge *resolve.Edge
}

// met returns an earlier edge without a bound whose condition this condition implies, else it keeps
// this one. Conditions that may imply one another have the same key.
func (w *deadSearch) met(t *cfg.Transition, cond cfg.CondKey, before map[cfg.CondKey]condAt) *resolve.Edge {
	key := cond
	key.Least = 0
	was := before[key]
	switch {
	case cond.Kind == cfg.Always:
	case was.edge != nil && cond.Implies(was.cond):
		return was.edge
	case !t.Bounded:
		before[key] = condAt{cond, t.Edge}
	}
	return nil
}

// condition returns the condition of an edge on the output. It is the zero key without a condition,
// and where it has another mistake.
func (w *deadSearch) condition(t *cfg.Transition) cfg.CondKey {
	s, key := t.Edge.Spec, t.Cond.Key()
	switch key.Kind {
	case cfg.If:
		if x := w.c.cfg.If(t.Edge); written(s.If) && x != nil && x.Typed().Mistake == nil {
			return key
		}
	case cfg.Equals:
		if s.OnOutput != nil && written(s.OnOutput.Key) {
			return key
		}
	case cfg.AtLeast:
		most := 1.0
		if f := w.node.Out.Field("confidence"); f != nil && f.Spec.Max.IsSet() {
			most = f.Spec.Max.V
		}
		if key.Least <= most {
			return key
		}
	}
	return cfg.CondKey{}
}

// edgeSubject is an edge as the subject of a message.
func (c *context) edgeSubject(e *resolve.Edge) string {
	from := quote(e.From.Spec.Name.V)
	switch {
	case c.isLoop(e):
		return "the loop_until of node " + from
	case e.Table():
		return "the branch table of node " + from
	}
	return "the edge from " + from + " to " + quote(e.Spec.To.V)
}

// edgeTitle is an edge in a note, where the node it leaves is known.
func (c *context) edgeTitle(e *resolve.Edge) string {
	if c.isLoop(e) {
		return "the last edge of loop_until"
	}
	return "the edge to " + quote(e.Spec.To.V)
}

// isLoop reports whether the edge comes from a loop_until.
func (c *context) isLoop(e *resolve.Edge) bool {
	if c.loops == nil {
		c.loops = map[spec.Pos]bool{}
		for _, e := range c.spec.Edges {
			if e.Loop != nil {
				c.loops[e.Loop.Pos] = true
			}
		}
	}
	return c.loops[e.Spec.Pos]
}
