package check

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/explore"
	"github.com/graphgen/graphgen/spec/resolve"
)

// transitionPasses find transitions that are never taken, and those that contradict one another.
var transitionPasses = []Pass{
	{Code: "GG060", run: deadEdgesWith("GG060")},
	{Code: "GG061", run: deadEdgesWith("GG061")},
	{Code: "GG062", run: deadEdgesWith("GG062")},
	{Code: "GG063", run: failureEdges},
	{Code: "GG064", run: severalConditions},
	{Code: "GG065", run: branchTables},
	{Code: "GG066", run: deadEdgesWith("GG066")},
	{Code: "GG067", run: idleSkips},
	{Code: "GG068", run: idleNoMatch},
}

// failureEdges skips the error transition: it is also taken when the visits of the node are used
// up.
func failureEdges(c *context) {
	for _, n := range c.graph.Routed() {
		at, title := c.cfg.Node(n), "node "+quote(n.Spec.Name.V)
		failed, refused := withEdge(at.By(cfg.ByError)), withEdge(at.By(cfg.ByGuardFail))
		switch {
		case len(failed) == 0:
		case n.Has(spec.Critical):
			f, _ := n.Spec.Flag(spec.Critical)
			c.reportIdle(failed, title+" is critical, so its failure ends the run", diag.Remove("remove the edge")+", or the flag",
				diag.Related{Pos: f.Name.Pos, Message: "critical is here"})
		case n.Spec.FailSoft.V:
			c.reportIdle(failed, title+" is fail_soft, so its failure counts as a success", diag.Remove("remove the edge")+", or fail_soft",
				diag.Related{Pos: n.Spec.FailSoft.Pos, Message: "fail_soft is here"})
		default:
			c.reportBehindOpen(failed, "error")
		}
		c.reportBehindOpen(at.By(cfg.ByToolCall), "tool_call")
		c.budgetEdges(n, withEdge(at.By(cfg.ByBudget)))
		switch {
		case len(refused) == 0:
		case n.Spec.Unread:
		case len(n.Spec.Guards) == 0 && !n.Kind.Judges && n.Kind.Known():
			c.reportIdle(refused, title+" has no guards that could fail", "give the node guards, or remove the edge")
		default:
			open, onFail := c.reportBehindOpen(refused, "guard_fail"), at.Keyed("on_fail")
			if open != nil && onFail != nil {
				c.report(onFail.Name.Pos, "on_fail of "+title+" is never taken", "give the edge max_iterations, or remove one of the two",
					diag.Related{Pos: open.Spec.Pos, Message: c.edgeTitle(open) + " is taken whenever the guard fails"})
			}
		}
	}
}

// budgetEdges reports the on: budget edges of a node that are never taken.
func (c *context) budgetEdges(n *resolve.Node, edges []*cfg.Transition) {
	title := "node " + quote(n.Spec.Name.V)
	switch f, critical := n.Spec.Flag(spec.Critical); {
	case len(edges) == 0 || mayDraw(n):
	case critical:
		c.reportIdle(edges, title+" is critical, so a spent budget ends the run", diag.Remove("remove the edge")+", or the flag",
			diag.Related{Pos: f.Name.Pos, Message: "critical is here"})
	case !n.Draws() && !slices.ContainsFunc(n.Children(), mayDraw):
		does := " asks no model and calls no tool"
		if n.Kind.Composite() {
			does = " runs no node that asks a model or calls a tool"
		}
		c.reportIdle(edges, title+does+", so no budget is spent at it",
			"let the edge leave the node that asks a model, or one that runs it, or remove the edge")
	case c.caught(n):
		c.reportIdle(edges, "wherever a budget is spent within "+title+", an edge there is taken, so this one never is",
			diag.Remove("remove the edge")+", or the edges within the node")
	default:
		c.reportBehindOpen(edges, "budget")
	}
}

// caught reports whether budget edges within a composite node are taken wherever a budget is spent in it.
func (c *context) caught(n *resolve.Node) bool {
	at := c.cfg.Node(n)
	blurred := func(n *resolve.Node) bool {
		return mayDraw(n) || c.inBlurredRegion(n) || slices.ContainsFunc(n.Leaving, (*resolve.Edge).Vague)
	}
	if !n.Kind.Composite() || len(at.JudgedEdges()) > 0 || len(at.On[cfg.Spent]) == 0 || slices.ContainsFunc(n.Children(), blurred) {
		return false
	}
	return !c.stepCosts().Regions(at).Spent.Possible()
}

// stepCosts returns the cost model that counts steps. It is made once: it has a number for each node of the graph.
func (c *context) stepCosts() *explore.CostModel {
	if c.steps == nil {
		c.steps = explore.StepCostModel(c.cfg)
	}
	return c.steps
}

// mayDraw reports whether what could not be read of a node may draw on budgets.
func mayDraw(n *resolve.Node) bool {
	return n.Spec.Unread || !n.Kind.Known() || n.Bodiless() ||
		slices.ContainsFunc(n.Evals, func(e *resolve.Eval) bool { return e.Spec.Unread })
}

// withEdge returns the transitions of a list that are edges.
func withEdge(list []*cfg.Transition) []*cfg.Transition {
	return slices.DeleteFunc(slices.Clone(list), func(t *cfg.Transition) bool { return t.Edge == nil })
}

// kindRead reports whether it is known of what kind a node is.
func kindRead(n *resolve.Node) bool {
	return n.Kind.Known() && (n.Spec.Kind.IsSet() || !n.Spec.Unread)
}

// reportIdle reports edges for an event that never happens, at the first.
func (c *context) reportIdle(edges []*cfg.Transition, message, help string, related ...diag.Related) {
	for _, e := range edges[1:] {
		if len(related) <= mostNotes {
			related = append(related, diag.Related{Pos: e.Edge.Spec.On.Pos, Message: "this edge has no effect either"})
		}
	}
	c.report(edges[0].Edge.Spec.On.Pos, message, help, related...)
}

// reportBehindOpen reports the edges of one event after one that has no bound, and returns that
// one.
func (c *context) reportBehindOpen(edges []*cfg.Transition, event string) *resolve.Edge {
	edges = slices.DeleteFunc(slices.Clone(edges), func(t *cfg.Transition) bool { return !written(t.Name) || t.Edge.Vague() })
	at := slices.IndexFunc(edges, (*cfg.Transition).Certain)
	if at < 0 {
		return nil
	}
	open := edges[at].Edge
	if behind := edges[at+1:]; len(behind) > 0 {
		related := []diag.Related{{Pos: open.Spec.Pos, Message: c.edgeTitle(open) + " has the same event and no bound, and comes before it"}}
		for _, t := range behind[1:] {
			if len(related) <= mostNotes {
				related = append(related, diag.Related{Pos: t.Name.Pos, Message: c.edgeSubject(t.Edge) + " is not taken either"})
			}
		}
		c.report(behind[0].Name.Pos, "the "+c.says(diag.Set("on", event))+" edge from "+quote(open.From.Spec.Name.V)+" to "+quote(behind[0].Name.V)+
			" is never taken",
			"give the earlier edge max_iterations, or remove one of the two", related...)
	}
	return open
}

func severalConditions(c *context) {
	for _, e := range c.spec.Edges {
		var places []spec.Pos
		for _, pos := range []spec.Pos{e.If.Pos, e.On.Pos, onOutputPos(e), e.OnConfidence.Pos, e.When.Pos} {
			if pos.IsSet() {
				places = append(places, pos)
			}
		}
		if len(places) < 2 {
			continue
		}
		slices.SortFunc(places, spec.Pos.Compare)
		help := "keep one, or write both as one if with &&"
		if e.When.IsSet() {
			help = "keep one: what the model judges is not Go"
		}
		c.report(places[1], "the edge has more than one condition", help,
			diag.Related{Pos: places[0], Message: "the first one is here"})
	}
}

func onOutputPos(e *spec.Edge) spec.Pos {
	if e.OnOutput == nil {
		return spec.Pos{}
	}
	return e.OnOutput.Pos
}

func branchTables(c *context) {
	for _, n := range c.graph.Routed() {
		var first *resolve.Edge
		for _, e := range n.Leaving {
			switch {
			case !e.Table():
			case first == nil:
				first = e
			default:
				c.report(e.Spec.BranchPos, "a second branch table leaves node "+quote(n.Spec.Name.V), "put all labels into one table",
					diag.Related{Pos: first.Spec.BranchPos, Message: "the first one is here"})
			}
		}
	}
	for _, e := range c.spec.Edges {
		if e.BranchPos.IsSet() && len(e.Branch) == 0 {
			c.report(e.BranchPos, "the branch table has no labels", "add labels and where they lead, as in "+diag.Set("branch", "{again: draft, done: end}"))
		}
	}
}

// idleSkips looks for nodes with skip_on_error to which no failure leads.
func idleSkips(c *context) {
	c.skippedInside()
	seen, certain := c.reachable()
	if !certain {
		return
	}
	failed := map[*resolve.Node]bool{}
	for _, n := range c.graph.Nodes {
		if c.graph.OnError != nil && n != c.graph.OnError {
			failed[c.graph.OnError] = true
		}
		passes := n.Spec.FailSoft.V || n.Has(spec.SkipOnError)
		for _, t := range c.leaving(n) {
			vague := t.Edge != nil && t.Edge.Vague()
			if t.To != nil && (passes || vague || t.Rule == cfg.ByError || t.Rule == cfg.ByBudget) {
				failed[t.To.Spec] = true
			}
		}
	}
	for _, n := range c.graph.Nodes {
		if f, ok := n.Spec.Flag(spec.SkipOnError); ok && seen[n] && !failed[n] && n.Kind.By != spec.ByPerson {
			c.report(f.Name.Pos, "node "+quote(n.Spec.Name.V)+" is never skipped: no failure leads to it",
				diag.Remove("remove the flag")+", or let a failure lead here: by an "+diag.Set("on", "error")+" edge, or by fail_soft on the node before")
		}
	}
}

// skippedInside looks for nodes with skip_on_error in regions: a failure ends a region, unless it is
// soft.
func (c *context) skippedInside() {
	for _, n := range c.graph.All() {
		f, ok := n.Spec.Flag(spec.SkipOnError)
		if !ok || n.Parent == nil || n.Parent.Bodiless() || c.inBlurredRegion(n) {
			continue
		}
		before := n.Region.Nodes[:slices.Index(n.Region.Nodes, n)]
		if n.Parent.Kind.Picks() {
			before = n.Parent.Children()
		}
		passes := func(n *resolve.Node) bool { return n.Spec.FailSoft.V || n.Spec.FailSoft.Lost || n.Spec.Unread }
		if n.Region.Graph {
			passes = c.passesTo(n)
		}
		if !slices.ContainsFunc(before, passes) {
			c.report(f.Name.Pos, "node "+quote(n.Spec.Name.V)+" is never skipped: a failure before it ends what "+quote(n.Parent.Spec.Name.V)+" runs",
				diag.Remove("remove the flag")+", or let the node before it be fail_soft")
		}
	}
}

// passesTo returns a function that reports whether a failure of another node of a region may lead to a node.
func (c *context) passesTo(to *resolve.Node) func(*resolve.Node) bool {
	place := c.cfg.Node(to).Place
	return func(n *resolve.Node) bool {
		at := c.cfg.Node(n)
		leads := func(o cfg.Outcome, may bool) bool { return may && slices.Contains(at.Onward(o), place) }
		return n.Spec.FailSoft.Lost || n.Spec.Unread || leads(cfg.SoftFailed, at.Soft) || leads(cfg.Skipped, at.Skip) ||
			leads(cfg.Failed, true) || leads(cfg.Spent, true) || leads(cfg.OutOfVisits, n.Loops)
	}
}

// idleNoMatch looks for nodes with no_match where a transition is always taken.
func idleNoMatch(c *context) {
	for _, n := range c.graph.Routed() {
		if !n.Spec.NoMatch.IsSet() {
			continue
		}
		at := c.cfg.Node(n)
		pos, title := n.Spec.NoMatch.Pos, "no_match of node "+quote(n.Spec.Name.V)
		switch {
		case c.spec.Unread || c.blurred(n) || c.unclear(at) || !n.Kind.Known():
		case at.Terminal():
			c.report(pos, title+" has no effect: the node has no transition, so the run is completed there", diag.Remove("remove it"))
		case runsOut(at) && c.idleAtEnd(n):
			c.report(pos, title+" has no effect: no run uses up the edges of the node while other nodes could follow", diag.Remove("remove it"))
		case runsOut(at):
		case c.decided(at):
			c.report(pos, title+" has no effect: a transition can always be taken", diag.Remove("remove it"))
		}
	}
}

// enumValue reports whether a transition is for a value of an enum that routes.
func enumValue(t *cfg.Transition) bool {
	return t.Rule == cfg.ByRoute && t.Choice.Field.Type.Base().Kind == resolve.Enum
}

// ofFailure reports whether a transition is taken after a failure, a refusal, or the answer no.
func ofFailure(t *cfg.Transition) bool { return t.Rule >= cfg.ByGuardFail }

// blurred reports whether the transitions of a node cannot be judged: one leads to an unknown name,
// or another mistake hides some.
func (c *context) blurred(n *resolve.Node) bool {
	return c.blurredBy(n, func(t *cfg.Transition) bool { return !t.Known })
}

// blurredBy is blurred where unknown says which transitions lead to unknown names.
func (c *context) blurredBy(n *resolve.Node, unknown func(*cfg.Transition) bool) bool {
	s := n.Spec
	router, guard := n.Kind.Chooses, n.Kind.Judges
	switch {
	case s.Unread || s.FailSoft.Lost:
		return true
	case router == (len(s.Routes) == 0), router && len(s.Goto) > 0, !guard && (s.OnPass.IsSet() || s.OnFail.IsSet()):
		return true // it may be of another kind
	case n.Out != nil && n.Out.Kind == resolve.Unknown:
		return true
	}
	if routeLost(n) {
		return true
	}
	return slices.ContainsFunc(c.leaving(n), unknown) || slices.ContainsFunc(n.Leaving, mistaken)
}

// routeLost reports whether the output has a route field of a type that is not known.
func routeLost(n *resolve.Node) bool {
	return slices.ContainsFunc(cfg.RouteFields, func(name string) bool {
		f := n.Out.Field(name)
		return f != nil && f.Type.Base().Kind == resolve.Unknown
	})
}

// turnPasses judge the edges of turns that call tools, and those that the model judges.
var turnPasses = []Pass{
	{Code: "GG214", run: toolTurns},
	{Code: "GG326", run: calledTools},
	{Code: "GG215", run: repeatedJudgements},
}

func toolTurns(c *context) {
	for _, n := range c.graph.Routed() {
		if c.spec.Unread || n.Spec.Unread || n.Spec.Prompt.ToolLoop.Lost || !n.Kind.Known() {
			continue
		}
		if !n.Defers {
			c.idleTurns(n)
			continue
		}
		called := c.cfg.Node(n).By(cfg.ByToolCall)
		if slices.ContainsFunc(called, func(t *cfg.Transition) bool { return t.Certain() || t.Edge.Vague() }) ||
			slices.ContainsFunc(n.Leaving, (*resolve.Edge).Vague) || c.misspelt(n) || c.spec.Unread && len(called) == 0 {
			continue
		}
		pos, name, onCall := n.Spec.Prompt.ToolLoop.Pos, "node "+quote(n.Spec.Name.V), c.says(diag.Set("on", "tool_call"))
		if len(called) == 0 {
			c.report(pos, name+" leaves the tools that its model calls to others, but no "+onCall+" edge leads to any",
				"add an edge with "+diag.Set("on", "tool_call")+" to a node of kind tool, or leave tool_loop out: then the node runs them itself")
			continue
		}
		if named := slices.IndexFunc(called, (*cfg.Transition).Conditional); named >= 0 {
			c.report(pos,
				name+" leaves the tools that its model calls to others, but a turn may take none of its "+onCall+" edges: its "+
					"model may call any tool, even one that does not exist",
				"add one without tools and max_iterations", diag.Related{Pos: called[named].Edge.Spec.ToolsPos, Message: "this edge is for some tools alone"})
			continue
		}
		c.report(pos, name+" leaves the tools that its model calls to others, but every "+onCall+" edge can be used up",
			"add one without max_iterations, or take the bound from one",
			diag.Related{Pos: called[0].Edge.Spec.MaxIterations.Pos, Message: "this edge is bounded"})
	}
}

// idleTurns reports on: tool_call edges of a node that never leaves calls to them.
func (c *context) idleTurns(n *resolve.Node) {
	name := "node " + quote(n.Spec.Name.V)
	why, help := name+" asks no model that could call tools", diag.Remove("remove the edge")+", or what it asks for"
	switch {
	case n.Loops:
		why, help = name+" runs the tools that its model calls, and asks it again", "give the node "+diag.Set("tool_loop", "false")+", or remove the edge"
	case n.Kind.By == spec.ByModel:
		why, help = name+" has no tools that its model could call", "give the node tools and "+diag.Set("tool_loop", "false")+", or remove the edge"
	}
	for _, e := range n.Leaving {
		if on := e.Spec.On; on.V == "tool_call" || on.V == "no_tool_call" {
			c.report(on.Pos, "the edge asks for "+on.V+", but "+why, help)
		}
	}
}

func repeatedJudgements(c *context) {
	for _, n := range c.graph.Routed() {
		first := map[cfg.CondKey]*cfg.Transition{}
		for _, t := range c.cfg.Node(n).JudgedEdges() {
			key := t.Cond.Key()
			was := first[key]
			switch {
			case key.Text == "":
			case was == nil:
				first[key] = t
			default:
				c.report(t.Edge.Spec.When.Pos, "two edges from "+quote(n.Spec.Name.V)+" ask the model the same question",
					"state the difference, or remove one of the two",
					diag.Related{Pos: was.Edge.Spec.When.Pos, Message: "it is asked here too"})
			}
		}
	}
}
