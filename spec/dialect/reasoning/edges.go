package reasoning

import (
	"slices"
	"strconv"

	"github.com/graphgen/graphgen/spec/dialect/draft"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// ownEdges adds the edges that settings of a node are. They are tried before the edges of the file.
func (im *importer) ownEdges(n *node, d *draft.Node, priority int) {
	if n.next.V != "" && n.typ.V != "human" && n.typ.V != "guard" && n.typ.V != "router" {
		to := im.target(n.next)
		d.Keys.Set("next", draft.Text(to.V, to.Pos))
	}
	if im.plain[n] {
		im.follows(n, d)
		return
	}
	switch n.typ.V {
	case "plan":
		im.replan(n, d, priority)
	case "critique":
		im.revise(n, d, priority)
	case "validate":
		im.verdict(n, d, priority)
	case "synthesize":
		im.endsWith(n, d)
	}
	im.follows(n, d)
}

// endsWith ends a run after a node that leads nowhere.
func (im *importer) endsWith(n *node, d *draft.Node) {
	if n.next.V == "" && !slices.ContainsFunc(im.file.edges, func(e *edge) bool { return e.from.V == n.name.V && e.condition == nil }) {
		d.Keys.Set("next", draft.Text(draft.End, n.typ.Pos))
	}
}

// follows makes the default of a node the transition that is left, or leaves it out.
func (im *importer) follows(n *node, d *draft.Node) {
	if im.plain[n] && n.typ.V == "synthesize" {
		im.endsWith(n, d)
	}
	if to := d.Keys.Get("next"); to != nil {
		if !slices.ContainsFunc(im.file.edges, func(e *edge) bool { return e.from.V == n.name.V && e.condition == nil }) && n.typ.V != "human" {
			d.Leads, d.Sure = append(d.Leads, draft.Lead{To: to.Text, Last: true}), true
		} else if n.typ.V != "human" {
			im.Note("GG357", to.Pos, "default_next is left out: an edge without a condition is always followed", "")
			d.Keys = slices.DeleteFunc(d.Keys, func(e draft.Entry) bool { return e.Key.V == "next" })
		}
	}
}

// add adds an edge with a condition in Go. take is what the script has for it to be taken, pass for it not to be.
func (im *importer) add(from *draft.Node, to text, condition string, priority, most int, take, pass draft.Table) {
	e := &draft.Edge{From: from.Name, To: to, Take: draft.Patch{Out: take}, Pass: draft.Patch{Out: pass}}
	e.Keys.Set("if", draft.Text(condition, to.Pos))
	e.Keys.Set("priority", draft.Plain(strconv.Itoa(priority), to.Pos))
	if most > 0 {
		e.Keys.Set("max_iterations", draft.Plain(strconv.Itoa(most), to.Pos))
	}
	im.d.Edges = append(im.d.Edges, e)
}

// value is a field of an answer in the script.
func value(name, v string) draft.Table {
	return draft.Table{{Key: text{V: name}, Value: draft.Plain(v, draft.Pos{})}}
}

// transition returns the target of the first of the keys that a node has a transition of.
func (n *node) transition(keys ...string) (to, key text) {
	for _, k := range keys {
		for _, t := range n.transitions {
			if t.key.V == k {
				return t.to, t.key
			}
		}
	}
	return text{}, text{}
}

// replans is how often a plan of too low a quality is made again. The format's program does it as often as a node may be
// visited.
const replans = 2

// replan leads a plan of low quality back.
func (im *importer) replan(n *node, d *draft.Node, priority int) {
	threshold := 3.0
	if n.quality.IsSet() {
		threshold = n.quality.V
	}
	to, _ := n.transition("replan")
	if to.V == "" {
		to = text{V: n.name.V, Pos: n.name.Pos}
	}
	if threshold > 1 {
		number := strconv.FormatFloat(threshold, 'g', -1, 64)
		condition := "float64(out.QualityScore) < " + number
		if threshold == float64(int(threshold)) {
			condition = "out.QualityScore < " + number
		}
		im.add(d, im.target(to), condition, priority, replans, value("quality_score", "1"), value("quality_score", "5"))
		if im.Once("replan") {
			im.Note("GG358", n.name.Pos, "a plan of low quality is made again twice at most, and then the run continues",
				"the program of the format plans until the visits of the node are used up")
		}
	}
	im.leftOver(n, "replan")
}

// revise leads an answer with severe issues back.
func (im *importer) revise(n *node, d *draft.Node, priority int) {
	threshold := "0.5"
	if n.severity.IsSet() {
		threshold = strconv.FormatFloat(n.severity.V, 'g', -1, 64)
	}
	to, key := n.transition("revise", "improve", "retry", "replan")
	if to.V != "" {
		im.add(d, im.target(to), "out.Severity > "+threshold, priority, 0, value("severity", "1"), value("severity", "0"))
	}
	im.leftOver(n, key.V)
}

// leftOver reports the transitions of a node that choose nothing.
func (im *importer) leftOver(n *node, used string) {
	for _, t := range n.transitions {
		if t.key.V != used && t.key.V != "error" {
			im.Warn("GG357", t.key.Pos,
				"the transition "+yamlread.Quote(t.key.V)+" is left out: no field of the answer of a node of type "+n.typ.V+" is called so", "write an if edge")
		}
	}
}

// verdict leads where a validation does.
func (im *importer) verdict(n *node, d *draft.Node, priority int) {
	pass := text{V: end, Pos: n.name.Pos}
	if n.onPass.V != "" {
		pass = n.onPass
	}
	im.add(d, im.target(pass), "out.Passes", priority, 0, value("passes", "true"), value("passes", "false"))
	if n.onFail.V != "" {
		im.d.Edges = append(im.d.Edges, &draft.Edge{From: d.Name, To: im.target(n.onFail)})
	}
}

// never reports whether an edge of the file is never followed, as the node that it leaves has decided before.
func (im *importer) never(e *edge) (why string) {
	n := im.nodes[im.names.Known(e.from.V)]
	switch {
	case n == nil:
	case e.condition != nil && e.condition.kind.V == "error":
	case n.typ.V == "validate" && n.onFail.V != "":
		return "on_pass and on_fail decide before"
	case n.typ.V == "validate" && e.condition != nil && e.condition.kind.V == "output" && e.condition.key.V == "passes" && e.condition.value.Text == "true":
		return "on_pass decides before"
	case n.typ.V == "router":
		return "a router leads along its routes"
	case n.typ.V == "human":
		return "on_approve, on_deny and on_timeout decide before"
	case n.typ.V == "guard":
		return "on_pass and on_fail decide before"
	case n.terminal.V || n.has("terminal"):
		return "a run ends at a terminal node"
	}
	return ""
}

// fileEdges adds the edges of the file.
func (im *importer) fileEdges() {
	routers := map[string]*draft.Node{}
	for _, e := range im.file.edges {
		from := im.target(e.from)
		if e.condition == nil && im.decides(e.from.V) {
			continue // it is a route of the router
		}
		if why := im.never(e); why != "" {
			im.Note("GG357", e.from.Pos, "the edge is left out, as it is never followed: "+why, "")
			continue
		}
		d := &draft.Edge{From: from, To: im.target(e.to)}
		if e.condition != nil && !im.condition(e, d, routers) {
			continue
		}
		if e.label.V != "" {
			d.Keys.Set("label", draft.Text(e.label.V, e.label.Pos))
		}
		if e.priority.IsSet() && e.priority.V != 0 {
			d.Keys.Set("priority", draft.Plain(strconv.Itoa(e.priority.V), e.priority.Pos))
		}
		im.d.Edges = append(im.d.Edges, d)
	}
	for _, n := range im.d.Nodes { // after the conditions of the file
		if router := routers[n.Name.V]; router != nil {
			im.d.Edges = append(im.d.Edges, &draft.Edge{From: n.Name, To: router.Name})
		}
	}
}

// decides reports whether functions of Python decide along which edge a run leaves a node.
func (im *importer) decides(name string) bool {
	return slices.ContainsFunc(im.file.edges, func(e *edge) bool {
		return e.from.V == name && e.condition != nil && e.condition.ref.V != "" && im.never(e) == ""
	})
}

// condition gives an edge its condition. It reports false where the edge is left out.
func (im *importer) condition(e *edge, d *draft.Edge, routers map[string]*draft.Node) bool {
	c := e.condition
	pos := c.pos
	switch {
	case c.ref.V != "":
		im.decided(e, d, routers)
		return false
	case c.kind.V == "error":
		d.Keys.Set("on", draft.Text("error", pos))
	case c.kind.V == "guard_failed":
		im.Warn("GG357", pos, "the edge is left out: a file has no guards, so none fails", "add guards to the node, and an edge with on: guard_fail")
		return false
	case c.kind.V == "output":
		if c.key.V == "" || !c.value.IsScalar() {
			im.Error("GG355", pos, "a condition of kind output has a key, and a value that is a text, a number, a bool or null", "")
			return false
		}
		m := yamlread.MapTree(pos)
		m.Items = append(m.Items, draft.Text(c.key.V, c.key.Pos), c.value)
		d.Keys.Set("on_output", m)
		d.Take.Out.Set(c.key.V, c.value)
		d.Pass.Out.Set(c.key.V, other(&c.value))
	case c.kind.V == "confidence":
		least := 0.7
		if c.confidence.IsSet() {
			least = c.confidence.V
		}
		d.Keys.Set("on_confidence", draft.Plain(strconv.FormatFloat(least, 'g', -1, 64), pos))
		d.Take.Out = value("confidence", strconv.FormatFloat(least+1, 'g', -1, 64))
		d.Pass.Out = value("confidence", "0")
		im.scored(e, d, least, pos)
	case c.kind.V == "tool_called", c.kind.V == "no_tool_call":
		return im.called(e, d)
	default:
		im.Error("GG355", pos, "a condition has a kind, one of tool_called, no_tool_call, error, guard_failed, output and confidence, or a ref", "")
		return false
	}
	return true
}

// scored makes a condition in Go where the confidence of a reasoning node is a whole number.
func (im *importer) scored(e *edge, d *draft.Edge, least float64, pos draft.Pos) {
	n := im.nodes[im.names.Known(e.from.V)]
	if n == nil || brickOf(n.typ.V) == nil || n.typ.V == "observe" || n.typ.V == "critique" || n.typ.V == "plan" {
		return
	}
	d.Keys = nil
	d.Keys.Set("if", draft.Text("float64(out.Confidence) >= "+strconv.FormatFloat(least, 'g', -1, 64), pos))
	d.Take.Out, d.Pass.Out = value("confidence", "5"), value("confidence", "1")
	if least <= 1 {
		im.Warn("GG358", pos,
			"the confidence of a node of type "+n.typ.V+" is from 1 to 5, so it is always at least "+strconv.FormatFloat(least, 'g', -1, 64),
			"write a value between 2 and 5")
		d.Keys, d.Take, d.Pass = nil, draft.Patch{}, draft.Patch{}
	}
}

// other returns a value that is not the given one.
func other(v *tree) tree {
	switch v.Kind {
	case yamlread.Bool:
		return draft.Plain(strconv.FormatBool(v.Text != "true"), draft.Pos{})
	case yamlread.Int, yamlread.Float:
		return draft.Plain("-1", draft.Pos{})
	}
	return draft.Text("something else", draft.Pos{})
}

// called carries over a condition on calls of tools.
func (im *importer) called(e *edge, d *draft.Edge) bool {
	leaves := slices.ContainsFunc(im.file.edges, func(o *edge) bool {
		n := im.nodes[im.names.Known(o.to.V)]
		return o.from.V == e.from.V && o.condition != nil && o.condition.kind.V == "tool_called" && n != nil && n.typ.V == "tool"
	})
	n := im.nodes[im.names.Known(e.to.V)]
	from := im.d.Node(d.From.V)
	switch {
	case leaves && from != nil && from.HasFlag("inject_tools") && (e.condition.kind.V == "no_tool_call" || n != nil && n.typ.V == "tool"):
		from.Keys.Set("tool_loop", draft.Plain("false", e.condition.pos))
		on := "tool_call"
		if e.condition.kind.V == "no_tool_call" {
			on = "no_tool_call"
		}
		d.Keys.Set("on", draft.Text(on, e.condition.pos))
		return true
	case e.condition.kind.V == "no_tool_call":
		im.Note("GG358", e.condition.pos, "the edge has no condition in the graph: the run leaves a node when its model calls no more tools", "")
		return true
	case e.from.V == e.to.V:
		im.Note("GG357", e.condition.pos, "the edge is left out: a node with tools is asked again by itself until it calls none", "")
	default:
		im.Warn("GG357", e.condition.pos, "the edge is left out, as it is never followed: a node runs its tools itself",
			"let it lead to a node of type tool, which runs them")
	}
	return false
}

// decided adds a router after the node of an edge, whose handler decides what a function of Python does.
func (im *importer) decided(e *edge, d *draft.Edge, routers map[string]*draft.Node) {
	router := routers[d.From.V]
	if router == nil {
		router = &draft.Node{Name: text{V: im.names.Free(d.From.V + "_next"), Pos: e.condition.ref.Pos}, Kind: "router", Comment: "In Python:"}
		routers[d.From.V] = router
		router.Keys.Set("routes", yamlread.ListTree(e.condition.ref.Pos))
		if from := im.d.Node(d.From.V); from != nil {
			router.Reads = slices.Clone(from.Writes)
		}
		router.Explicit, router.Sure = true, true
		im.d.Nodes = append(im.d.Nodes, router)
		otherwise := &edge{to: text{V: end, Pos: e.to.Pos}}
		for _, o := range im.file.edges {
			if o.from.V == e.from.V && o.condition == nil {
				otherwise = o
				break
			}
		}
		defer im.route(router, otherwise, "Nothing of it")
	}
	im.route(router, e, e.condition.ref.V)
	im.Note("GG358", e.condition.ref.Pos,
		"the function "+yamlread.Quote(e.condition.ref.V)+" becomes part of the handler of the router "+router.Name.V, "write in Go where it leads")
}

// route adds a route to a router.
func (im *importer) route(router *draft.Node, e *edge, why string) {
	to := im.target(e.to)
	router.Comment += " " + why + " leads to " + to.V + "."
	routes := router.Keys.Get("routes")
	if !slices.ContainsFunc(routes.Items, func(t tree) bool { return t.Text == to.V }) {
		routes.Items = append(routes.Items, draft.Text(to.V, to.Pos))
		router.Leads = append(router.Leads, lead(to.V, "goto", to.V))
	}
}
