package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/nodename"
	"github.com/graphgen/graphgen/mutation"
)

// find returns the node of a name, which may be dynamic, and whether there is one.
func (g *Graph) find(name string) (NodeID, bool) {
	if name == "end" || name == "__end__" || name == "END" {
		return End, true
	}
	n := g.named(name, End)
	return n, n != End
}

// target returns the node of that name if edges may lead to it.
func (c *changing) target(name string) (NodeID, string) {
	n, ok := c.r.Graph().find(name)
	switch {
	case !ok:
		return End, "there is no node " + nodename.Quoted(name)
	case slices.Contains(c.r.Graph().Mutable.Templates, n):
		return End, "node " + name + " is a template: no transition leads to it"
	case c.r.Graph().node(n).Parent != End:
		return End, "node " + name + " is run by another node: no transition leads to it"
	case c.changes.isRemoved(n):
		return End, "node " + name + " was removed"
	}
	return n, ""
}

// source returns the node of that name if edges may leave it: one that the run can still reach.
func (c *changing) source(name string) (NodeID, string) {
	n, refused := c.target(name)
	switch {
	case refused != "":
		return End, refused
	case n == End:
		return End, "nothing leaves end"
	case c.r.Graph().node(n).Chooses:
		return End, "node " + name + " always names the next node itself: no edge of it is tried"
	case n != c.pos && !c.reach().path(c.pos, n, noNode):
		return End, "the run no longer reaches node " + name
	}
	return n, ""
}

// fits checks a new node except for its edges. It returns the template of the node, if it has one.
func (c *changing) fits(n *mutation.Node) (template NodeID, refused string) {
	n.Template, n.Kind = c.sort(n)
	return c.r.Graph().Fits(n)
}

// Fits returns the template of a node that a run adds, if it has one, and why the graph does not allow the node, whatever its edges are.
func (g *Graph) Fits(n *mutation.Node) (template NodeID, refused string) {
	may := g.Mutable
	_, taken := g.find(n.Name)
	template, known := g.find(n.Template)
	switch {
	case may == nil:
		return End, "the spec has no mutations"
	case n.Name == "":
		return End, "a new node needs a name"
	case taken:
		return End, "there is a node " + nodename.Quoted(n.Name) + " already"
	case !nodename.Valid(n.Name):
		return End,
			"a new node cannot be called " + nodename.Quoted(n.Name) + ": a name has letters, digits and _, a letter first, " +
				strconv.Itoa(nodename.Max) + " at most"
	case n.MaxVisits < 0, n.Times < 0:
		return End, "a node runs at most a positive number of times"
	case n.Template != "" && n.Kind != "":
		return End, "a new node is of a template or of a kind"
	case n.Template != "" && (!known || !slices.Contains(may.Templates, template)):
		return End, "the spec has no template " + nodename.Quoted(n.Template)
	case n.Template != "":
		return template, madeOf(n)
	case !slices.Contains(may.Kinds, n.Kind):
		return End, "the spec does not allow nodes of kind " + nodename.Quoted(n.Kind)
	}
	return End, may.prompts(n)
}

// sort returns the template or the kind of a new node. A kind may be the name of a template; without either the node is of
// the kind that the spec allows, if that is one.
func (c *changing) sort(n *mutation.Node) (template, kind string) {
	may := c.r.Graph().Mutable
	switch t, ok := c.r.Graph().find(n.Kind); {
	case n.Template == "" && n.Kind == "" && len(may.Kinds) == 1:
		return "", may.Kinds[0]
	case n.Template == "" && ok && slices.Contains(may.Templates, t):
		return n.Kind, ""
	}
	return n.Template, n.Kind
}

// madeOf refuses settings of a template.
func madeOf(n *mutation.Node) string {
	if n.Instructions != "" || len(n.Reads) > 0 || n.Writes != "" || len(n.Tools) > 0 {
		return "instructions, reads, writes and tools of a template are its own"
	}
	return ""
}

// prompts checks a new node of kind prompt.
func (m *Mutable) prompts(n *mutation.Node) string {
	if strings.TrimSpace(n.Instructions) == "" {
		return "a prompt needs instructions"
	}
	if n.Writes != "" && !slices.Contains(m.Writes, n.Writes) {
		return "a new node may not write " + nodename.Quoted(n.Writes)
	}
	pieces, err := Placeholders(n.Instructions)
	if err != "" {
		return err
	}
	for i := 1; i < len(pieces); i += 2 {
		if !slices.Contains(m.Reads, pieces[i]) {
			return "a new node may not be shown the field " + nodename.Quoted(pieces[i])
		}
	}
	if refused := chosen("read the field", n.Reads, m.Reads); refused != "" {
		return refused
	}
	return chosen("call the tool", n.Tools, m.Tools)
}

// chosen returns the reason why a new node must not have one of a list: the spec does not allow
// it, or the list has it twice. It returns an empty text without a reason.
func chosen(verb string, names, allowed []string) string {
	for i, name := range names {
		switch {
		case !slices.Contains(allowed, name):
			return "a new node may not " + verb + " " + nodename.Quoted(name)
		case slices.Contains(names[:i], name):
			return "a new node is to " + verb + " " + nodename.Quoted(name) + " twice"
		}
	}
	return ""
}

// Placeholders cuts instructions at their {{field}} placeholders: texts and names alternate, a
// text first and last. wrong is the reason why a text is invalid.
func Placeholders(text string) (pieces []string, wrong string) {
	for {
		before, rest, found := strings.Cut(text, "{{")
		if !found {
			return append(pieces, text), ""
		}
		name, after, closed := strings.Cut(rest, "}}")
		if !closed {
			return nil, "a placeholder of the instructions has no end"
		}
		pieces, text = append(pieces, before, strings.TrimSpace(name)), after
	}
}

// onwards returns the node to which a node leads when no condition holds.
func (c *changing) onwards(n NodeID) (NodeID, string) {
	if o := c.changes; o.exist() {
		for _, transition := range o.edges[n] {
			if w := o.own.transition(transition); w.Max == 0 {
				return o.instead(w.To), ""
			}
		}
	}
	if only := c.r.Graph().node(n).Only; only != 0 { // closed only if an edge is tried before it
		to := c.r.Graph().to(only)
		if o := c.changes; o.exist() {
			to = o.instead(to)
		}
		return to, ""
	}
	any := false
	for _, w := range c.reach().leaving(n) {
		if !w.leads() || w.Text == addedText {
			continue
		}
		if any = true; w.sure() {
			return c.links.instead(w.To), ""
		}
	}
	if any {
		return End, "node " + c.r.Graph().NodeName(n) + " has no transition without condition: say where it leads next"
	}
	return End, ""
}

// leads reports whether a node may take a transition when it has succeeded.
func (w *TransitionInfo) leads() bool {
	switch w.Rule {
	case graphgen.RuleError, graphgen.RuleGuardFail, graphgen.RuleBudget, graphgen.RuleToolLoop, graphgen.RuleBranch:
		return false
	}
	return true
}

// sure reports whether a transition is always taken when it is tried.
func (w *TransitionInfo) sure() bool {
	return w.Max == 0 && (w.Rule == graphgen.RuleNext || w.Rule == graphgen.RuleEdge && (w.Text == "" || w.Text == addedText || w.Text == "on no_tool_call"))
}

// certain reports whether a node has a transition that is always taken.
func (c *changing) certain(n NodeID) bool {
	return slices.ContainsFunc(c.reach().leaving(n), (*TransitionInfo).sure)
}

// mayClose returns the reason why the transitions from one node to another must not be closed.
// The node must not choose them itself, and must keep its unconditional transition, if it has one.
func (c *changing) mayClose(from, to NodeID) string {
	g := c.r.Graph()
	found := false
	for _, w := range c.reach().leaving(from) {
		switch {
		case w.To != to:
			continue
		case w.Rule == graphgen.RuleError || w.Rule == graphgen.RuleGuardFail || w.Rule == graphgen.RuleBudget:
			return "the transition from " + g.NodeName(from) + " to " + g.NodeName(to) + " is for failures"
		case w.Rule == graphgen.RuleToolLoop || w.Rule == graphgen.RuleRoute || w.Rule == graphgen.RuleGoto || w.Text == "on tool_call" ||
			strings.HasPrefix(w.Text, "branch "):
			return "node " + g.NodeName(from) + " chooses the transition to " + g.NodeName(to) + " itself"
		}
		found = true
	}
	if !found {
		return "no transition leads from " + g.NodeName(from) + " to " + g.NodeName(to)
	}
	certain, others := false, 0
	for _, w := range c.links.leaving(from) {
		if w.To == to || !w.leads() {
			continue
		}
		others++
		certain = certain || w.sure()
	}
	switch {
	case others == 0:
		return "node " + g.NodeName(from) + " would have no transition"
	case c.certain(from) && !certain:
		return "node " + g.NodeName(from) + " would have ways with conditions alone"
	}
	return ""
}

// stillEnds returns the reason why the last change must be undone: a node can no longer reach
// an end, or what the spec asserts is out of reach.
func (c *changing) stillEnds(from NodeID) string {
	c.links = nil
	if !c.reach().path(from, End, noNode) {
		return "no way would lead from " + c.r.Graph().NodeName(from) + " to an end"
	}
	for i := range c.r.Graph().Mutable.Asserts {
		a := &c.r.Graph().Mutable.Asserts[i]
		if a.Form == IsReachable && !c.passed(a.A) && !c.links.path(c.r.Graph().to(entry), a.A, noNode) {
			return "it would break what the spec asserts: " + a.Text
		}
	}
	return ""
}

// unbounded reports whether an edge would close a cycle without a bound.
func (c *changing) unbounded(from, to NodeID) bool {
	return !c.r.Graph().Mutable.Bounded && c.r.Graph().boundOf(from) == 0 && c.loops(from, to)
}

// loops reports whether a run can return to a node by transitions without bounds.
func (c *changing) loops(n, from NodeID) bool {
	return !c.r.Graph().Mutable.Bounded && from != End && c.reach().freePath(from, n)
}

// passed reports whether the run has executed a node.
func (c *changing) passed(n NodeID) bool {
	return c.r.more.get().tally.counts().Skips == 0 && n != End && c.r.path.visit(n) > 0
}

// needs reports whether an assertion no longer holds without a node.
func (a *Assertion) needs(n NodeID) bool {
	switch a.Form {
	case EveryPathPasses:
		return a.B == n
	case NoPathWithout:
		return a.C == n
	case IsReachable:
		return a.A == n
	}
	return false
}

// breaks returns the assertion that could fail once a transition leads from one node to
// another. Conditions may or may not hold, and the path of the run so far counts. once is for
// a transition that is followed now and never again.
func (c *changing) breaks(from, to NodeID, once bool) string {
	for i := range c.r.Graph().Mutable.Asserts {
		a := &c.r.Graph().Mutable.Asserts[i]
		broken := false
		switch a.Form {
		case EveryPathPasses:
			broken = !c.passed(a.B) && c.around(from, to, c.pos, a.A, a.B)
		case NoPathWithout:
			broken = c.without(a, from, to, once)
		case RunsAtMost:
			broken = c.oftener(a, from, to, once)
		}
		if broken {
			return "it would break what the spec asserts: " + a.Text
		}
	}
	return ""
}

// around reports whether a run can get from start to goal by a transition, without visiting the node avoid.
func (c *changing) around(from, to, start, goal, avoid NodeID) bool {
	if from == avoid || to == avoid && to != goal {
		return false
	}
	l := c.reach()
	return l.path(start, from, avoid) && l.path(to, goal, avoid)
}

func (c *changing) without(a *Assertion, from, to NodeID, once bool) bool {
	if c.underWay(a) && c.around(from, to, c.pos, a.B, a.C) {
		return true
	}
	l := c.reach()
	comes := l.path(c.pos, a.A, noNode) || !once && l.path(c.pos, from, noNode) && l.path(to, a.A, noNode)
	return comes && c.around(from, to, a.A, a.B, a.C)
}

// underWay reports whether the run has passed A, and has not passed C since.
func (c *changing) underWay(a *Assertion) bool {
	if c.r.path.oldest() > 0 || c.r.more.get().tally.counts().Skips > 0 {
		return c.r.path.visit(a.A) > 0
	}
	transition := false
	for _, n := range c.r.path.nodes() {
		switch n {
		case a.A:
			transition = true
		case a.C:
			transition = false
		}
	}
	return transition
}

func (c *changing) oftener(a *Assertion, from, to NodeID, once bool) bool {
	l := c.reach()
	if int(c.r.Graph().mostVisits(a.A)) <= a.Most || !l.path(to, a.A, noNode) {
		return false
	}
	again := slices.ContainsFunc(l.leaving(a.A), func(w *TransitionInfo) bool { return l.path(w.To, a.A, noNode) })
	back := !once && l.path(a.A, from, noNode)
	return again || back || c.r.path.visit(a.A)+1 > a.Most
}
