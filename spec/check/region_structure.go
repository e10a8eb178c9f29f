package check

import (
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// regionPasses judge which nodes others run.
var regionPasses = []Pass{
	{Code: "GG220", run: children},
	{Code: "GG221", run: childKinds},
	{Code: "GG255", run: childRoutes},
	{Code: "GG222", run: transitionsToChildren},
	{Code: "GG257", run: regionCycles},
	{Code: "GG258", run: regionBounds},
}

// regionOf returns a region as messages name it.
func (c *context) regionOf(r *resolve.Region) string {
	parent := r.Parent.Kind.Name + " " + quote(r.Parent.Spec.Name.V)
	switch {
	case r.Parent == c.graph.Pool:
		return "the pool of the graph"
	case r.Parent.Kind.Branches():
		return "branch " + quote(r.Name.V) + " of " + parent
	case r.Parent.Kind.Picks():
		return "the pool of " + parent
	}
	return "the body of " + parent
}

func children(c *context) {
	suggester := &suggester{names: append(c.workers(), spec.End)}
	named := map[*resolve.Node]spec.Pos{} // where a node is named that is in a region
	for _, parent := range c.graph.All() {
		for _, r := range parent.Regions {
			for _, name := range r.Written {
				n := c.graph.Node(name.V)
				was, again := named[n]
				switch {
				case !written(name) || c.spec.Unread && len(c.spec.Nodes) == 0:
				case spec.IsEnd(name.V):
					c.report(name.Pos, c.regionOf(r)+" names "+name.V+", which is not a node",
						"leave it out: what "+quote(parent.Spec.Name.V)+" runs ends by itself")
				case n == nil:
					c.reportUnknown(name, c.regionOf(r)+" names no node: "+quote(name.V),
						suggester.suggest(name.V, false, addNode))
				case n.Region == r && !again:
					named[n] = name.Pos
				case n.Region == r:
					c.report(name.Pos, c.regionOf(r)+" names node "+quote(name.V)+" twice",
						"remove one, or add another node that does the same", diag.Related{Pos: was, Message: "the first one is here"})
				default:
					c.notChild(r, n, name.Pos)
				}
			}
		}
	}
}

// notChild reports a node that cannot be in a region.
func (c *context) notChild(r *resolve.Region, n *resolve.Node, pos spec.Pos) {
	name, parent := quote(n.Spec.Name.V), quote(r.Parent.Spec.Name.V)
	switch {
	case n == r.Parent:
		c.report(pos, "node "+name+" runs itself", "name the node that does the work")
	case r.Parent.ChildOf(n):
		c.report(pos, "node "+name+" runs "+parent+", and would run itself", "name the node that does the work")
	case n == c.graph.Entry:
		c.report(pos, "node "+name+" is run by "+parent+", and is the entry", "let runs start at "+parent)
	case n == c.graph.OnError:
		c.report(pos, "node "+name+" is run by "+parent+", and is on_error", "let failures go to "+parent)
	default:
		c.report(pos, "node "+name+" is run by "+quote(n.Parent.Spec.Name.V)+" already: one node runs it, in one place", "give each a node of its own",
			diag.Related{Pos: namedAt(n), Message: "it is named here"})
	}
}

// namedAt is the place where a region names one of its nodes.
func namedAt(n *resolve.Node) spec.Pos {
	for _, name := range n.Region.Written {
		if name.V == n.Spec.Name.V {
			return name.Pos
		}
	}
	return n.Parent.Spec.Name.Pos
}

// workers lists the names of the nodes that others could run.
func (c *context) workers() []string {
	var names []string
	for _, n := range c.graph.All() {
		if n != c.graph.Pool {
			names = append(names, n.Spec.Name.V)
		}
	}
	return names
}

func childKinds(c *context) {
	for _, n := range c.graph.All() {
		if n.Parent != nil && n.Kind.Known() {
			c.childKind(n)
		}
		if !n.Kind.OnFailure || n.Bodiless() {
			continue
		}
		if body := n.Regions[0].Nodes; !slices.ContainsFunc(body, func(n *resolve.Node) bool { return !isPure(n) }) {
			c.report(n.Spec.Body[0].Pos, c.regionOf(n.Regions[0])+" is "+article(body[0].Kind.Name)+": a pure function fails again",
				"run a func, or leave out the retry")
		}
	}
}

func (c *context) childKind(n *resolve.Node) {
	title := c.regionOf(n.Region) + " has "
	pos := namedAt(n)
	if n.Parent == c.graph.Pool {
		pos = n.Spec.Kind.Pos
	}
	switch {
	case n.Kind.Chooses && n.Parent.Kind.Picks():
		c.report(pos, title+article(n.Kind.Name)+", which has nothing to choose: the model picks what comes next",
			"remove the "+n.Kind.Name+", or put it and its routes in a graph of their own, and run that as a subgraph here")
	case n.Kind.Chooses && !n.Region.Graph && n.Region.Last() == n && len(n.Region.Nodes) == len(n.Region.Written):
		c.report(pos, title+article(n.Kind.Name)+" as its last node, which has nothing to choose: no node follows it",
			"run the nodes that it chooses from after it, as in ["+n.Spec.Name.V+", a, b], or "+diag.Remove("remove it"))
	case n.Defers:
		c.report(n.Spec.Prompt.ToolLoop.Pos,
			title+"prompt "+quote(n.Spec.Name.V)+", which leaves its tool calls to others: no node after it can run them",
			"remove "+diag.Set("tool_loop", "false"))
	case n.Pending:
		c.report(pos, title+"a tool that runs the calls of a prompt: these are run by the prompt itself", "name its tool, as in "+diag.Set("tool", "search"))
	}
}

func transitionsToChildren(c *context) {
	if c.graph.Pool != nil {
		return // every edge is a mistake there
	}
	c.eachUnknown(func(from *resolve.Node, name spec.String, what string, _ bool) {
		n := c.graph.Node(name.V)
		switch {
		case n == nil:
		case c.blurOf(n).open || from != nil && c.blurOf(from).open: // the region may have it
		case from != nil && from.Region != nil && from.Region != n.Region:
			c.leavesRegion(from, n, name, what)
		case n.Parent != nil && n.Parent.Bodiless() && what == "routes": // the router may be meant by a name there
		case n.Parent != nil:
			parent := n.Parent.Spec.Name
			c.report(name.Pos, what+" names "+quote(name.V)+", which node "+quote(parent.V)+" runs",
				"name "+quote(parent.V)+": transitions lead to it and from it",
				diag.Related{Pos: namedAt(n), Message: "it is named there"})
		case n.Template:
			c.report(name.Pos, what+" names "+quote(name.V)+", which is a template of mutations: no run reaches it, only its copies",
				"add a node of its own, or take it out of the templates")
		}
	})
}

// leavesRegion reports a transition of a node of a region that is a graph to a node outside of the region.
func (c *context) leavesRegion(from, to *resolve.Node, name spec.String, what string) {
	region, parent := c.regionOf(from.Region), quote(from.Parent.Spec.Name.V)
	help := "lead it to end, which ends " + region + ", and let " + parent + " lead to " + quote(name.V)
	notes := []diag.Related{{Pos: namedAt(from), Message: region + " begins here"}}
	switch {
	case to == from.Parent:
		help = "lead it to end, which ends " + region + ": then the transitions of " + parent + " follow"
	case to.Parent != nil:
		help = "lead it to end, or to a node of " + region
		notes = append(notes, diag.Related{Pos: namedAt(to), Message: quote(name.V) + " is in " + c.regionOf(to.Region)})
	case c.ledTo(to).IsSet():
		notes = append(notes, diag.Related{Pos: c.ledTo(to), Message: "the graph itself leads to " + quote(name.V) + " here"})
	}
	c.report(name.Pos, what+" leads from "+quote(from.Spec.Name.V)+" in "+region+" to "+quote(name.V)+", which is not in it: no transition crosses its border",
		help, notes...)
}

// ledTo returns the place of a transition by which the graph itself leads to a node.
func (c *context) ledTo(to *resolve.Node) spec.Pos {
	for _, t := range c.cfg.Transitions {
		if t.To != nil && t.To.Spec == to && (t.From == nil || t.From.Region == nil) {
			return t.Name.Pos
		}
	}
	return spec.Pos{}
}

// regionCycles looks for cycles of regions that are graphs, in which each node runs once.
func regionCycles(c *context) {
	for _, r := range c.graphs() {
		if len(r.Cycle) == 0 {
			continue
		}
		names := make([]string, 0, len(r.Cycle)+1)
		for _, n := range append(slices.Clone(r.Cycle), r.Cycle[0]) {
			names = append(names, n.Spec.Name.V)
		}
		back, into := c.cfg.Node(r.Cycle[len(r.Cycle)-1]), r.Cycle[0]
		pos := into.Spec.Name.Pos
		for _, t := range back.Leaving {
			if t.To != nil && t.To.Spec == into && t.Rule != cfg.ByToolLoop {
				pos = t.Name.Pos
			}
		}
		body := "{entry: " + into.Spec.Name.V + "}"
		if len(r.Cycle) == 1 {
			body = into.Spec.Name.V // where it has no edges of a template that lead back to it
		}
		c.report(pos, c.regionOf(r)+" has the cycle "+strings.Join(names, " → ")+": each node of it runs once",
			"let a loop run what repeats, as in "+diag.Item("{kind: loop, body: "+body+", until: …, max_iterations: 5}")+", and lead to that")
	}
}

// regionBounds looks for edges in regions whose bound has no effect.
func regionBounds(c *context) {
	for _, r := range c.graphs() {
		if len(r.Cycle) > 0 {
			continue
		}
		for _, n := range r.Nodes {
			for _, e := range n.Leaving {
				if most := e.Spec.MaxIterations; most.IsSet() && most.Pos.IsSet() {
					c.report(most.Pos, "max_iterations of "+c.edgeSubject(e)+" has no effect: each node of "+c.regionOf(r)+" runs once",
						diag.Remove("remove it")+", or bound how often "+quote(r.Parent.Spec.Name.V)+" runs")
				}
			}
		}
	}
}

// A blur is what is not known of a region that is a graph.
type blur struct {
	is   bool // which nodes it has: a transition of one leads to none of its nodes
	open bool // nor whether all of them are there: a transition leads to no node at all
}

// blurOf returns the blur of the region that a node is in.
func (c *context) blurOf(n *resolve.Node) blur {
	r := n.Region
	if r == nil || !r.Graph {
		return blur{}
	}
	b, asked := c.blurry[r]
	if !asked {
		nowhere := func(t *cfg.Transition) bool { return !t.Known && c.graph.Node(t.Name.V) == nil }
		b.open = c.strayEdges() || slices.ContainsFunc(r.Nodes, func(n *resolve.Node) bool { return c.blurredBy(n, nowhere) })
		b.is = b.open || slices.ContainsFunc(r.Nodes, c.blurred)
		c.blurry[r] = b
	}
	return b
}

// inBlurredRegion reports whether a node is in a region that is a graph of which it is not known which nodes it has.
func (c *context) inBlurredRegion(n *resolve.Node) bool { return c.blurOf(n).is }

// graphs lists the regions that are graphs.
func (c *context) graphs() []*resolve.Region {
	var out []*resolve.Region
	for _, n := range c.graph.All() {
		for _, r := range n.Regions {
			if r.Graph {
				out = append(out, r)
			}
		}
	}
	return out
}

// composePasses judge the settings of composite nodes, by kind.
var composePasses = []Pass{
	{Code: "GG223", run: branches},
	{Code: "GG224", run: joins},
	{Code: "GG225", run: mapItems},
	{Code: "GG226", run: pools},
	{Code: "GG227", run: modes},
}

func branches(c *context) {
	for _, n := range c.graph.All() {
		s := n.Spec
		if !n.Kind.Branches() || s.Unread {
			continue
		}
		if len(s.Branches) == 0 {
			pos := s.BranchesPos
			if !pos.IsSet() {
				pos = s.Name.Pos
			}
			c.report(pos, "parallel "+quote(s.Name.V)+" has no branches",
				"name what runs concurrently, as in "+diag.Set("branches", "{facts: search, views: ask}"))
		}
		for _, b := range s.Branches {
			if len(b.Nodes) == 0 {
				c.report(b.Name.Pos, "branch "+quote(b.Name.V)+" of parallel "+quote(s.Name.V)+" runs nothing", "name a node, or remove the branch")
			}
		}
	}
}

func joins(c *context) {
	for _, n := range c.graph.All() {
		s := n.Spec
		if !n.Kind.Forks() || s.Unread || s.Join.Lost || written(s.Join) && !isWord(s.Join.V, spec.Joins) {
			continue
		}
		title, all := n.Kind.Name+" "+quote(s.Name.V), len(s.Branches)
		join := spec.JoinOf(s.Join.V)
		count := s.Count
		switch {
		case count.Lost || count.IsSet() && count.V < 1:
		case count.IsSet() && !join.Some:
			c.report(count.Pos, "count of "+title+" has no effect: "+c.joinText(s)+" wants every branch to succeed",
				"add "+diag.Add("join", "first")+" or "+diag.Add("join", "settled")+", or "+diag.Remove("remove it"))
			continue
		case n.Kind.Each:
			continue // the number of branches is not known
		case all == 1 && s.Join.IsSet():
			c.report(s.Join.Pos, "join of "+title+" has no effect: it has one branch", "add a branch, or "+diag.Remove("remove it"))
		case all > 0 && count.V > all:
			c.report(count.Pos, "count of "+title+" is "+strconv.Itoa(count.V)+", but it has "+plural(all, "branch", "branches"), fewerThan(all))
		case all > 1 && count.V == all && !slices.ContainsFunc(n.Regions, (*resolve.Region).May):
			c.report(count.Pos, "count of "+title+" is the number of its branches: "+c.joinText(s)+" is then "+c.says(diag.Set("join", join.Every)),
				"write "+diag.Set("join", join.Every)+", or a smaller count")
		}
		if most := s.Prompt.MaxParallel; all > 0 && most.V >= all && all <= spec.DefaultMaxParallel {
			c.report(most.Pos, "max_parallel of "+title+" has no effect: it has "+plural(all, "branch", "branches"),
				"make it smaller, or "+diag.Remove("remove it"))
		}
	}
}

// fewerThan returns what a count below all may be.
func fewerThan(all int) string {
	switch all {
	case 1:
		return diag.Remove("remove it")
	case 2:
		return "use 1"
	}
	return "use 1 to " + strconv.Itoa(all-1)
}

func plural(n int, one, more string) string {
	if n == 1 {
		return "one " + one
	}
	return strconv.Itoa(n) + " " + more
}

// joinText returns the join of a node, with the default.
func (c *context) joinText(n *spec.Node) string {
	if n.Join.IsSet() {
		return c.says(diag.Set("join", n.Join.V))
	}
	return c.says(diag.Set("join", spec.DefaultJoin)) + ", which is not written,"
}

// bodyPasses judge the bodies of loops, retries and maps, and settings that belong to the node that
// runs another, or the other way round.
var bodyPasses = []Pass{
	{Code: "GG170", run: bodies},
	{Code: "GG171", run: childSettings},
}

func bodies(c *context) {
	for _, n := range c.graph.All() {
		if !n.Kind.HasBody() || n.Spec.Unread {
			continue
		}
		name := n.Spec.Name
		switch {
		case !n.Spec.BodyPos.IsSet():
			c.report(name.Pos, n.Kind.Name+" "+quote(name.V)+" has no body", "name what it runs, as in "+diag.Set("body", "improve"))
		case len(n.Spec.Body) == 0:
			c.report(n.Spec.BodyPos, "the body of "+n.Kind.Name+" "+quote(name.V)+" is empty", "name what it runs, as in "+diag.Set("body", "improve"))
		}
		if n.Kind.Loops() && !n.Spec.Until.IsSet() {
			c.report(name.Pos, "loop "+quote(name.V)+" has no until", "add a condition, as in "+diag.Set("until", "out.Score > 0.8"))
		}
	}
}

// transitionKeys are the keys of transitions. A composite node has them, and no node within it and no
// template of mutations.
var transitionKeys = []struct {
	key string
	pos func(*spec.Node) spec.Pos
}{
	{"goto", func(n *spec.Node) spec.Pos { return first(n.Goto) }},
	{"transitions", func(n *spec.Node) spec.Pos {
		if len(n.Transitions) == 0 {
			return spec.Pos{}
		}
		return n.Transitions[0].Key.Pos
	}},
	{"next", func(n *spec.Node) spec.Pos { return n.Next.Pos }},
	{"no_match", func(n *spec.Node) spec.Pos { return n.NoMatch.Pos }},
}

var (
	visitFlags = []spec.FlagID{spec.Entry, spec.Terminal, spec.Critical}
	workFlags  = []spec.FlagID{spec.Cacheable, spec.IsolatedContext, spec.Readonly}
)

func childSettings(c *context) {
	for _, n := range c.graph.All() {
		switch {
		case n.Parent != nil:
			c.childSetting(n)
		case n.Template:
			c.noTransitions(n, "it is a template of mutations, which add transitions to its copies", diag.Remove("remove it"))
			c.misplaced(n, visitFlags[:2], "it is a template of mutations", diag.Remove("remove the flag"))
		}
		if !n.Kind.Composite() {
			continue
		}
		c.misplaced(n, workFlags, "what it runs does the work", "give it to "+c.workerOf(n))
		if f, ok := n.Spec.Flag(spec.Retryable); ok && n.Kind.OnFailure {
			c.report(f.Name.Pos, "retry "+quote(n.Spec.Name.V)+" is retryable: it tries again as it is", "set attempts and waits at the retry itself")
		}
	}
}

// workerOf returns the node that a setting of the work belongs to.
func (c *context) workerOf(n *resolve.Node) string {
	if inside := n.Children(); len(inside) > 0 {
		return quote(inside[len(inside)-1].Spec.Name.V)
	}
	return "a node that it runs"
}

// childSetting reports what has no effect at a node that another runs.
func (c *context) childSetting(n *resolve.Node) {
	parent, why, help := quote(n.Parent.Spec.Name.V), c.runBy(n), "write it at "
	pool := n.Parent == c.graph.Pool
	switch {
	case pool:
		c.noTransitions(n, why, diag.Remove("remove it")+": the model picks what comes next")
		c.misplaced(n, visitFlags[2:], why, diag.Remove("remove the flag"))
	case n.Region.Graph:
		c.misplaced(n, visitFlags, why, "give it to "+parent)
	default:
		c.noTransitions(n, why, help+parent)
		c.misplaced(n, visitFlags, why, "give it to "+parent)
	}
	if !n.Region.Graph {
		c.noVerdicts(n, why, pool)
	}
	once := !n.Parent.Kind.Picks() && !n.Loops && !mayLoop(n)
	if visits := n.Spec.MaxVisits; visits.IsSet() && once {
		c.report(visits.Pos, "max_visits of node "+quote(n.Spec.Name.V)+" has no effect: "+why+", once each time",
			help+parent+", or bound how often that runs it")
	}
}

// noVerdicts reports the transitions for a verdict of a guard, or for an answer of a person, of a node in a region.
func (c *context) noVerdicts(n *resolve.Node, why string, pool bool) {
	s := n.Spec
	asks := n.Kind.By == spec.ByPerson || n.Gated()
	fails := ", which ends the run"
	if !pool {
		fails = " of " + quote(n.Parent.Spec.Name.V) + ", which may handle it, as in " + diag.Set("transitions", "{error: NODE}")
	}
	for _, k := range []struct {
		key  string
		to   spec.String
		mine bool
		help string
	}{
		{"on_pass", s.OnPass, n.Kind.Judges, "after a guard that passes, what runs it continues"},
		{"on_fail", s.OnFail, n.Kind.Judges, "a refusal is a failure" + fails},
		{"on_deny", s.OnDeny, asks, "a no is a failure" + fails},
		{"on_timeout", s.OnTimeout, asks, "an answer that is late is a failure" + fails},
	} {
		if k.mine && k.to.IsSet() {
			c.report(k.to.Pos, k.key+" of node "+quote(s.Name.V)+" has no effect: "+why, diag.Remove("remove it")+": "+k.help)
		}
	}
}

// mayLoop reports whether it is not known if the node's model calls tools.
func mayLoop(n *resolve.Node) bool { return n.Spec.Unread || !n.Kind.Known() }

// runBy returns which node runs another, in words.
func (c *context) runBy(n *resolve.Node) string {
	if n.Parent == c.graph.Pool {
		return "it is in the pool of the graph"
	}
	return quote(n.Parent.Spec.Name.V) + " runs it"
}

// noTransitions reports the keys of transitions of a node that has none.
func (c *context) noTransitions(n *resolve.Node, why, help string) {
	kinds := c.kindsOf()
	for _, k := range transitionKeys {
		foreign := kinds[k.key] != nil && !slices.Contains(kinds[k.key], n.Kind.Name)
		if pos := k.pos(n.Spec); pos.IsSet() && !foreign {
			if k.key == "goto" && strings.HasPrefix(help, "write it at ") {
				help = diag.Remove("remove it") + ": transitions lead from " + quote(n.Parent.Spec.Name.V) + ", which has no handler"
			}
			c.report(pos, k.key+" of node "+quote(n.Spec.Name.V)+" has no effect: "+why, help)
		}
	}
}

// misplaced reports the flags of a list that a node has.
func (c *context) misplaced(n *resolve.Node, flags []spec.FlagID, why, help string) {
	for _, flag := range flags {
		if f, ok := n.Spec.Flag(flag); ok {
			c.report(f.Name.Pos, "the flag "+flag.String()+" has no effect at node "+quote(n.Spec.Name.V)+": "+why, help)
		}
	}
}
