package cfg

import (
	"cmp"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/resolve"
)

// Of resolves a spec and builds its control-flow graph.
func Of(s *spec.Graph) *Graph { return Build(resolve.Resolve(s)) }

// Build builds the control-flow graph of a resolved spec. It works on any spec, even with errors: a
// transition without an existing target is in Leaving, and in no other list.
func Build(s *resolve.Graph) *Graph {
	g := build(s)
	g.boundByAnswers()
	g.run()
	return g
}

// build is Build without what the answers of people bound, and what runs visit.
func build(s *resolve.Graph) *Graph {
	all := s.All()
	b := &builder{
		graph: &Graph{Spec: s, Nodes: make([]*Node, 0, len(all)), Exprs: expr.NewPackage(s),
			nodes: make(map[*resolve.Node]*Node, len(all)), ifs: map[*resolve.Edge]*expr.Expr{}},
		counters: map[pair]*Counter{},
	}
	g := b.graph
	for _, e := range s.Edges {
		if e.Spec.If.IsSet() {
			g.ifs[e] = expr.In(g.Exprs.Condition(e.From, e.Spec.IfFunc), e.Spec.If, expr.Bool)
		}
	}
	for _, n := range all {
		b.node(n)
	}
	if s.Entry != nil {
		g.Entry = b.add(&Transition{Rule: ByEntry, To: g.nodes[s.Entry], Known: true, Name: s.Spec.Entry, Pos: s.Spec.Entry.Pos})
	}
	for _, n := range s.Routed() {
		b.count(n)
	}
	for _, n := range g.Nodes {
		b.leave(n)
	}
	for _, n := range g.Nodes {
		if n.Region == nil && !n.IsChild() {
			b.enter(n)
		}
	}
	if s.OnError != nil {
		g.OnError = b.add(&Transition{Rule: ByError, Key: "on_error", To: g.nodes[s.OnError], Known: true, Name: s.Spec.OnError, Pos: s.Spec.OnError.Pos})
	}
	for _, n := range g.Nodes {
		b.try(n)
	}
	return g
}

type pair struct{ from, to *Node }

// A builder builds a Graph.
type builder struct {
	graph    *Graph
	counters map[pair]*Counter
}

func (b *builder) node(n *resolve.Node) {
	exprs := b.graph.Exprs
	node := &Node{
		Evals: make([]*expr.Expr, len(n.Spec.Evals)),
		Index: len(b.graph.Nodes), Spec: n, Soft: n.Spec.FailSoft.V, NoMatch: b.graph.Spec.Spec.NoMatch.V,
	}
	if n.Spec.Until.IsSet() {
		node.Until = expr.In(exprs.Condition(n, ""), n.Spec.Until, expr.Bool)
	}
	for i, e := range n.Spec.Evals {
		if e.If.IsSet() {
			node.Evals[i] = expr.In(exprs.Eval(n, e.IfFunc), e.If, expr.Bool)
		}
	}
	if node.MaxVisits, _ = b.graph.Spec.MaxVisits(n); node.MaxVisits < 1 { // an error of its own
		node.MaxVisits = spec.DefaultMaxVisits
	}
	node.Critical = n.Has(spec.Critical)
	node.Skip = n.Has(spec.SkipOnError)
	if n.Spec.NoMatch.IsSet() {
		node.NoMatch = n.Spec.NoMatch.V
	}
	b.graph.Nodes = append(b.graph.Nodes, node)
	b.graph.nodes[n] = node
}

// add appends a transition to the table.
func (b *builder) add(t *Transition) *Transition {
	t.Index = len(b.graph.Transitions)
	b.graph.Transitions = append(b.graph.Transitions, t)
	if t.From != nil && t.Rule < ByRegion {
		t.From.Leaving = append(t.From.Leaving, t)
	}
	return t
}

// to adds a transition to a written target.
func (b *builder) to(from *Node, rule Rule, key string, name spec.String) *Transition {
	target := b.target(from, name.V)
	return b.add(&Transition{
		From: from, To: b.graph.nodes[target.Node], End: target.Name, Known: target.Known(), Rule: rule, Key: key, Name: name, Pos: name.Pos,
	})
}

// target returns the target of a name at a node. A node of a region leads on within it alone.
func (b *builder) target(from *Node, name string) resolve.Target {
	if from.IsChild() {
		return from.Spec.Ahead(name)
	}
	return b.graph.Spec.TargetFrom(from.Spec, name)
}

// count adds the counters of the edges that leave a node. All edges between two nodes count if one
// of them has max_iterations.
func (b *builder) count(n *resolve.Node) {
	for _, e := range n.Leaving {
		if !bounded(e) {
			continue
		}
		for _, t := range e.Targets() {
			if !t.Known() {
				continue
			}
			p := pair{b.graph.nodes[n], b.graph.nodes[t.Node]}
			c := b.counters[p]
			if c == nil {
				c = &Counter{Index: len(b.graph.Counters), From: p.from, To: p.to}
				b.counters[p] = c
				b.graph.Counters = append(b.graph.Counters, c)
			}
			c.Max = max(c.Max, e.Spec.MaxIterations.V)
		}
	}
}

func bounded(e *resolve.Edge) bool { return e.Spec.Unread || e.Spec.MaxIterations.IsSet() }

// leave adds the transitions that leave a node, rule by rule.
func (b *builder) leave(n *Node) {
	s := n.Spec.Spec
	if n.Spec.Loops {
		at := s.Prompt.ToolsPos
		if !at.IsSet() {
			at = s.Name.Pos // the tools are injected
		}
		b.add(&Transition{From: n, To: n, Known: true, Rule: ByToolLoop, Key: "tool calls", Name: spec.String{V: s.Name.V, Pos: at}, Pos: at})
	}
	if n.Spec.Chained() && n.Spec.Kind.Chooses {
		b.gotos(n)
	}
	if n.Spec.Chained() || n.Spec.Template {
		return
	}
	edges := byPriority(n.Spec.Leaving)
	tried := tried(n.Spec, edges)
	b.events(n, edges, ByToolCall, "tool_call")
	b.routes(n, tried)
	b.gotos(n)
	b.edges(n, tried)
	for _, t := range s.Transitions {
		if t.Key.V != ErrorKey {
			b.transition(n, t)
		}
	}
	if key, name := next(n.Spec); name.IsSet() {
		b.to(n, ByNext, key, name)
	}
	b.events(n, edges, ByGuardFail, "guard_fail")
	b.written(n, ByGuardFail, "on_fail", s.OnFail)
	b.events(n, edges, ByBudget, "budget")
	b.events(n, edges, ByError, "error")
	for _, t := range slices.Backward(s.Transitions) {
		if t.Key.V == ErrorKey {
			b.to(n, ByError, "transition error", t.To)
			break
		}
	}
	b.written(n, ByHuman, "on_deny", s.OnDeny)
	b.written(n, ByHuman, "on_timeout", s.OnTimeout)
}

// next returns the key and target of rule 6.
func next(n *resolve.Node) (key string, name spec.String) {
	if n.Kind.Judges && n.Spec.OnPass.IsSet() {
		return "on_pass", n.Spec.OnPass
	}
	return "next", n.Spec.Next
}

// written adds the transition of a key that the node has.
func (b *builder) written(n *Node, rule Rule, key string, name spec.String) {
	if name.IsSet() {
		b.to(n, rule, key, name)
	}
}

// transition adds an entry of rule 5.
func (b *builder) transition(n *Node, written spec.Transition) {
	t := b.to(n, ByTransition, "", written.To)
	t.Cond = Cond{Kind: Holds, Pos: written.Key.Pos, Text: written.Key.V}
	if n.Spec.Out != nil && n.Spec.Out.Kind == resolve.Struct {
		t.Cond.Field = n.Spec.Out.Field(written.Key.V)
	}
}

// byPriority sorts edges by priority, and equal ones in the order of the spec.
func byPriority(edges []*resolve.Edge) []*resolve.Edge {
	sorted := slices.Clone(edges)
	slices.SortStableFunc(sorted, func(a, b *resolve.Edge) int { return cmp.Compare(b.Spec.Priority.V, a.Spec.Priority.V) })
	return sorted
}

// events adds the edges of an event, which have no other condition.
func (b *builder) events(n *Node, edges []*resolve.Edge, rule Rule, event string) {
	for _, e := range edges {
		if e.Spec.On.V == event {
			for i := range e.Targets() {
				t := b.edge(n, rule, e, i)
				t.Key = "on " + event
				if rule == ByToolCall && len(e.Spec.Tools) > 0 {
					t.Key, t.Cond = "", callsOf(e)
				}
			}
		}
	}
}

// callsOf returns the condition of an edge that names tools.
func callsOf(e *resolve.Edge) Cond {
	c := Cond{Kind: Calls, Pos: e.Spec.ToolsPos}
	var names []string
	for _, tool := range e.Spec.Tools {
		names = append(names, tool.V)
	}
	c.Text = strings.Join(names, ", ")
	slices.Sort(names)
	c.Tools = slices.Compact(names)
	return c
}

// edge adds the transition of an edge, or of a label of a branch table.
func (b *builder) edge(n *Node, rule Rule, e *resolve.Edge, branch int) *Transition {
	target, name := e.To, e.Spec.To
	if e.Table() {
		target, name = e.Branch[branch], e.Spec.Branch[branch].To
	}
	t := b.add(&Transition{
		From: n, To: b.graph.nodes[target.Node], End: target.Name, Known: target.Known(), Rule: rule, Name: name, Pos: name.Pos,
		Edge: e, Branch: branch, Label: e.Spec.Label.V, Bounded: bounded(e), Max: e.Spec.MaxIterations.V,
	})
	if target.Known() {
		t.Counter = b.counters[pair{n, t.To}]
	}
	return t
}

// tried returns the edges of rule 4 in the order in which they are tried. Judged edges follow the
// other conditions and precede the edges without one.
func tried(n *resolve.Node, edges []*resolve.Edge) []*resolve.Edge {
	var out []*resolve.Edge
	turn := map[*resolve.Edge]int{}
	judged := false
	for _, e := range edges {
		switch e.Spec.On.V {
		case "tool_call", "guard_fail", "budget", "error":
			continue
		}
		out = append(out, e)
		if e.Spec.When.IsSet() {
			turn[e], judged = 1, true
		} else if !e.Table() && unconditional(e) {
			turn[e] = 2
		}
	}
	if judged {
		slices.SortStableFunc(out, func(a, b *resolve.Edge) int { return cmp.Compare(turn[a], turn[b]) })
	}
	return out
}

// unconditional reports whether an edge is not a branch table and has no condition.
func unconditional(e *resolve.Edge) bool {
	s := e.Spec
	return !s.Unread && !s.If.IsSet() && !s.On.IsSet() && !s.When.IsSet() && s.OnOutput == nil && !s.OnConfidence.IsSet()
}

// edges adds the transitions of rule 4.
func (b *builder) edges(n *Node, tried []*resolve.Edge) {
	var judged *Choice
	for _, e := range tried {
		if e.Table() {
			b.table(n, e)
			continue
		}
		t := b.edge(n, ByEdge, e, 0)
		t.Cond = b.condOf(n.Spec, e)
		if t.Cond.Pos.IsSet() {
			t.Pos = t.Cond.Pos
		}
		if !e.Spec.When.IsSet() {
			continue
		}
		if judged == nil {
			judged = &Choice{Rule: ByEdge}
			n.Choices = append(n.Choices, judged)
		}
		t.Choice, judged.Members = judged, append(judged.Members, t)
	}
}

// condOf returns the condition of an edge that is not a branch table.
func (b *builder) condOf(n *resolve.Node, e *resolve.Edge) Cond {
	s, asked := e.Spec, 0
	for _, set := range [...]bool{s.If.IsSet(), s.On.IsSet(), s.When.IsSet(), s.OnOutput != nil, s.OnConfidence.IsSet()} {
		if set {
			asked++
		}
	}
	c := Cond{More: asked > 1}
	switch {
	case s.If.IsSet():
		c.Kind, c.Text, c.Pos, c.Expr = If, s.If.V, s.If.Pos, b.graph.If(e)
	case s.OnOutput != nil:
		c.Kind, c.Name, c.Text, c.Value = Equals, s.OnOutput.Key.V, s.OnOutput.Value.Text, s.OnOutput.Value
		c.Field = n.OutputField(c.Name)
	case s.On.V == "no_tool_call" && n.Defers:
		c.Kind, c.Text = Uncalled, s.On.V
	case s.When.IsSet():
		c.Kind, c.Text, c.Pos = Judged, s.When.V, s.When.Pos
	case s.OnConfidence.IsSet():
		c.Kind, c.Least, c.Name = AtLeast, s.OnConfidence.V, "confidence"
		c.Field = n.OutputField(c.Name)
	case s.On.IsSet():
		c.Kind, c.Text = Event, s.On.V
	case s.Unread:
		c.Kind = Unread
	}
	return c
}

// table adds the transitions of a branch table.
func (b *builder) table(n *Node, e *resolve.Edge) {
	c := &Choice{Rule: ByEdge, Edge: e, Field: e.By, Required: e.Complete()}
	for i, label := range e.Spec.Branch {
		t := b.edge(n, ByEdge, e, i)
		t.Cond = Cond{Kind: Label, Pos: label.Name.Pos, Text: label.Name.V, Name: e.ByName(), Field: e.By}
		t.Choice, c.Members = c, append(c.Members, t)
	}
	if len(c.Members) > 0 {
		n.Choices = append(n.Choices, c)
	}
}

// chosen returns the targets among which a handler chooses, and how reports name the choice.
func chosen(n *resolve.Node) (names []spec.String, what string) {
	if n.Kind.Chooses {
		return n.Spec.Routes, "route"
	}
	return n.Spec.Goto, "goto"
}

// gotos adds the transitions of rule 3. A router always takes one.
func (b *builder) gotos(n *Node) {
	names, what := chosen(n.Spec)
	if len(names) == 0 {
		return
	}
	c := &Choice{Rule: ByGoto, Required: n.Spec.Kind.Chooses}
	n.Choices = append(n.Choices, c)
	for _, name := range names {
		t := b.to(n, ByGoto, "", name)
		t.Cond = Cond{Kind: Named, Pos: name.Pos, Text: name.V, Name: what}
		t.Choice, c.Members = c, append(c.Members, t)
	}
}

// enter adds the transitions of the regions of a composite node: into each region, and from node to
// node.
func (b *builder) enter(parent *Node) {
	for _, r := range parent.Spec.Regions {
		if len(r.Nodes) == 0 {
			continue
		}
		region := &Region{Parent: parent, Spec: r}
		for i, child := range r.Nodes {
			n := b.graph.nodes[child]
			n.Region, n.Place = region, i
			region.Nodes = append(region.Nodes, n)
			if before := i - 1; before >= 0 && !r.Graph && region.Nodes[before].goesOn() {
				name := r.Written[i]
				region.Nodes[before].Chain = b.add(&Transition{From: region.Nodes[before], To: n, Known: true, Rule: ByChain, Name: name, Pos: name.Pos})
			}
		}
		name := spec.String{V: "body", Pos: parent.Spec.Spec.BodyPos}
		if r.Name.IsSet() {
			name = r.Name
		}
		region.Enter = b.add(&Transition{From: parent, To: region.Nodes[0], Known: true, Rule: ByRegion, Name: name, Pos: name.Pos})
		region.Enter.Key = regionKey(parent, r)
		if r.May() {
			region.If = expr.In(b.graph.Exprs.Start(parent.Spec, r.Branch.IfFunc), r.Branch.If, expr.Bool)
			region.Enter.Cond = Cond{Kind: If, Pos: r.Branch.If.Pos, Text: r.Branch.If.V, Expr: region.If}
			region.Enter.Key += " " + region.Enter.Cond.String()
		}
		parent.Regions = append(parent.Regions, region)
	}
	for _, r := range parent.Regions {
		for _, n := range r.Nodes {
			b.enter(n)
		}
	}
}

// goesOn reports whether a run may continue from a node of a region to the next one without a choice. A
// router that fails softly has made none.
func (n *Node) goesOn() bool { return !n.Spec.Kind.Chooses || n.Soft }

// regionKey returns the key of the transition into a region.
func regionKey(parent *Node, r *resolve.Region) string {
	switch {
	case parent.Spec.Kind.Picks():
		return "pool"
	case r.Name.IsSet():
		return "branch " + r.Name.V
	}
	return "body"
}
