package reasoning

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/graphgen/graphgen/spec/dialect/draft"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// kinds are the kinds of nodes by the types of the format. What is not here is a prompt.
var kinds = map[string]string{
	"router": "router", "guard": "guard", "parallel": "parallel", "loop": "loop", "human": "human", "transform": "transform",
	"subgraph": "subgraph", "autonomous": "autonomous", "retry": "retry", "fan_out": "parallel", "tool": "tool",
	"code_action": "func", "ref": "func",
}

// node adds a node, and what it runs. owner is the node that runs it, nil if none does.
func (im *importer) node(n *node, owner *draft.Node, graphs *draft.Namer) *draft.Node {
	if !n.name.IsSet() {
		im.Error("GG354", im.file.pos, "a node within another one needs the key name", "add name: NAME")
		return nil
	}
	if n.typ.V == "" {
		n.typ = text{V: "prompt", Pos: n.name.Pos}
	}
	name := im.names.Known(n.name.V)
	if n.name.V == onError {
		name = im.errorNode()
		im.d.Head.Set("on_error", draft.Text(name, n.name.Pos))
	}
	if im.nodes[name] != nil {
		im.Error("GG355", n.name.Pos, "the node "+yamlread.Quote(n.name.V)+" is there twice", "rename one of them")
		return nil
	}
	d := &draft.Node{Name: text{V: name, Pos: n.name.Pos}, Kind: kinds[n.typ.V]}
	if owner != nil {
		d.Owner = owner.Name.V
	}
	im.nodes[name] = n
	im.order = append(im.order, n)
	im.d.Nodes = append(im.d.Nodes, d)
	im.common(n, d)
	switch {
	case slices.Contains(prompts, n.typ.V):
		d.Kind = "prompt"
		im.prompt(n, d)
	case !slices.Contains(all, n.typ.V):
		im.custom(n, d)
	default:
		im.other(n, d, graphs)
	}
	return d
}

// common carries over what nodes of all types have.
func (im *importer) common(n *node, d *draft.Node) {
	if doc := draft.Tidy(n.description.V); doc != "" {
		d.Keys.Set("doc", draft.Text(strings.Join(strings.Fields(doc), " "), n.description.Pos))
	} else if b := brickOf(n.typ.V); b != nil {
		d.Keys.Set("doc", draft.Text(b.doc, n.typ.Pos))
	}
	if n.most.IsSet() && n.most.V != maxVisits && d.Owner == "" {
		d.Keys.Set("max_visits", draft.Plain(strconv.Itoa(n.most.V), n.most.Pos))
	}
	if n.metadata.Pos.IsSet() {
		im.Note("GG357", n.metadata.Pos, "metadata is left out: nodes have none", "")
	}
	if n.objects.Pos.IsSet() && len(n.objects.Items) > 0 {
		im.Error("GG353", n.objects.Pos, "blocks, strategy, perspective and guards are objects of Python, which the format does not save", "remove the key, and write it into the imported spec")
	}
	im.flags(n, d)
}

// modelFlags are about how a model is asked; the others fit every node.
var modelFlags = []string{"no_history", "lightweight", "summarize_output", "observable", "verbose", "cacheable", "isolated_context"}

// flags carries over the flags of a node.
func (im *importer) flags(n *node, d *draft.Node) {
	model := slices.Contains(prompts, n.typ.V)
	terminal := n.terminal
	for _, f := range n.flags {
		switch f.V {
		case "entry", "inject_tools":
		case "terminal":
			terminal = truth{V: true, Pos: f.Pos}
		case "critical", "skip_on_error", "retryable", "requires_human", "parallel_safe":
			if f.V == "requires_human" {
				im.d.Skeleton = false // somebody has to answer
			}
			d.Flag(f.V, f.Pos)
		case "readonly", "stateful", "validate_output":
			im.Note("GG357", f.Pos, "the flag "+f.V+" is left out: a node writes what its writes name, and an answer has to fit its type", "")
		default:
			if !slices.Contains(modelFlags, f.V) {
				im.Error("GG355", f.Pos, "there is no flag "+yamlread.Quote(f.V), "")
			} else if model || f.V == "cacheable" || f.V == "isolated_context" {
				d.Flag(f.V, f.Pos)
			} else {
				im.Note("GG357", f.Pos, "the flag "+f.V+" is left out: the node asks no model", "")
			}
		}
	}
	if terminal.V {
		d.Flag("terminal", terminal.Pos)
	}
}

// custom makes a handler of a node of a registered type.
func (im *importer) custom(n *node, d *draft.Node) {
	d.Kind = "func"
	help := "write its handler in Go"
	if near := typo(n.typ.V); near != "" {
		help = near
		im.Error("GG363", n.typ.Pos, "there is no type of node "+yamlread.Quote(n.typ.V), help)
		return
	}
	im.handler(d, n.typ.Pos, "The type "+n.typ.V+" of Python.", "the type "+yamlread.Quote(n.typ.V)+" is not of the format: the node is a handler in Go, without the settings of its type")
}

// handler makes a node a handler in Go.
func (im *importer) handler(d *draft.Node, pos draft.Pos, comment, message string) {
	d.Kind = "func"
	d.Comment = comment
	d.Explicit = d.Owner != ""
	im.Warn("GG358", pos, message, "write its handler in Go, and what it reads and writes into the spec")
}

// other makes nodes of the types that are no prompts.
func (im *importer) other(n *node, d *draft.Node, graphs *draft.Namer) {
	switch n.typ.V {
	case "tool":
		im.toolNode(n, d)
	case "router":
		im.router(n, d)
	case "guard":
		im.guard(n, d)
	case "parallel":
		for _, c := range n.children {
			im.branch(c, d, graphs)
		}
		im.branches(n, d)
	case "fan_out":
		for _, b := range n.branches {
			im.override(b)
			im.branch(b.node, d, graphs)
		}
		im.branches(n, d)
	case "loop":
		im.loop(n, d, graphs)
	case "retry":
		im.retry(n, d, graphs)
	case "human":
		im.human(n, d)
	case "transform":
		field := im.field(n, d, "any", n.output, "transform_result")
		d.Entry.Set("out", draft.Text("a value", draft.Pos{}))
		d.Comment = "In Python: " + n.transform.V + ", which writes " + field + "."
		im.Note("GG358", n.name.Pos, "the function "+yamlread.Quote(n.transform.V)+" becomes a handler in Go", "give the field "+field+" the type that it returns")
	case "subgraph":
		im.subgraph(n, d, graphs)
	case "autonomous":
		im.autonomous(n, d, graphs)
	case "ref":
		im.handler(d, n.name.Pos, "In Python: "+n.ref.V+".", "the function "+yamlread.Quote(n.ref.V)+" becomes a handler in Go")
	case "code_action":
		im.handler(d, n.typ.Pos, "A node that runs code of the model in a sandbox.", "a node that runs code of the model becomes a handler in Go")
	}
}

// field makes a node write a field: of the name in the file, else of the fallback.
func (im *importer) field(n *node, d *draft.Node, typ string, name text, fallback string) string {
	field := draft.FieldName(fallback)
	if name.V != "" {
		field = draft.FieldName(name.V)
	}
	if field == "task" {
		field = "task_result"
	}
	had := im.d.Field(field)
	for i := 2; had != nil && had.Type != typ && had.Type != "?"+typ; i++ {
		next := draft.FieldName(field + "_" + strconv.Itoa(i))
		if had = im.d.Field(next); had == nil || had.Type == typ {
			im.Note("GG360", n.name.Pos, "the result of "+yamlread.Quote(n.name.V)+" is called "+next+": "+field+" has another type", "")
			field = next
		}
	}
	if had == nil {
		im.d.State = append(im.d.State, &draft.Field{Name: field, Pos: n.name.Pos, Type: typ, Writer: d.Name.V, Absent: !im.static()})
	} else {
		had.Absent = true // it has several writers
	}
	d.Writes = []string{field}
	return field
}

// shownField returns the name of the field of a key of the context: one that nothing writes is an input.
func (im *importer) shownField(key text) string {
	return draft.FieldName(key.V)
}

// missingInputs adds inputs for the fields that nodes read and nothing writes.
func (im *importer) missingInputs(d *draft.Node, keys []text) {
	for _, k := range keys {
		name := im.shownField(k)
		if im.d.Field(name) != nil || im.written(name) {
			continue
		}
		im.d.State = append(im.d.State, &draft.Field{Name: name, Pos: k.Pos, Type: "any", Comment: "No node writes it: the caller gives it."})
		im.d.Input = append(im.d.Input, name)
		im.Note("GG359", k.Pos, "no node writes "+yamlread.Quote(k.V)+": it is an input, of any type", "give it the type that it has")
	}
}

// written reports whether a node of the file writes a field.
func (im *importer) written(field string) bool {
	var writes func(list []*node) bool
	writes = func(list []*node) bool {
		return slices.ContainsFunc(list, func(n *node) bool {
			name := n.output.V
			if name == "" {
				name = n.name.V
				if b := brickOf(n.typ.V); b != nil {
					name = b.field
				} else if n.typ.V == "transform" {
					name = "transform_result"
				}
			}
			return draft.FieldName(name) == field || writes(n.within())
		})
	}
	return writes(im.file.nodes)
}

// toolNode makes a node that runs the calls that a prompt has left; elsewhere a handler.
func (im *importer) toolNode(n *node, d *draft.Node) {
	pending := slices.ContainsFunc(im.file.edges, func(e *edge) bool {
		return e.to.V == n.name.V && e.condition != nil && e.condition.kind.V == "tool_called"
	})
	if n.selector.IsSet() || !pending {
		im.handler(d, n.typ.Pos, "It runs tools: "+strings.Join(texts(n.tools), ", ")+".", "a node that selects its tools becomes a handler in Go")
	}
	if n.maxResult.IsSet() {
		im.Note("GG357", n.maxResult.Pos, "max_result_chars is left out: a tool that the graph declares has max_result", "")
	}
	if n.deduplicate.IsSet() {
		im.Note("GG357", n.deduplicate.Pos, "deduplicate is left out: a tool that the graph declares is pure", "")
	}
}

func texts(list []text) []string {
	var names []string
	for _, t := range list {
		names = append(names, t.V)
	}
	return names
}

// router makes a router that asks the model.
func (im *importer) router(n *node, d *draft.Node) {
	instructions := draft.Tidy(n.instructions.V)
	if instructions == "" {
		instructions = "Choose the node that the run goes to."
	}
	routes := yamlread.ListTree(n.name.Pos)
	for _, r := range n.routes {
		to := im.target(r.to)
		instructions += "\n" + r.key.V + ": choose " + to.V + "."
		if slices.ContainsFunc(routes.Items, func(t tree) bool { return t.Text == to.V }) {
			continue
		}
		routes.Items = append(routes.Items, draft.Text(to.V, to.Pos))
		d.Leads = append(d.Leads, lead(to.V, "goto", to.V))
	}
	if len(routes.Items) == 0 {
		im.Error("GG354", n.name.Pos, "the router "+yamlread.Quote(n.name.V)+" has no routes", "add routes: {LABEL: NODE}")
	}
	d.Keys.Set("instructions", draft.Text(draft.Escape(instructions), n.name.Pos))
	d.Keys.Set("routes", routes)
	d.Sure = true
	d.Reads = []string{"task"}
	if n.model.IsSet() {
		d.Keys.Set("model", draft.Text(n.model.V, n.model.Pos))
	}
}

// lead is a transition for which the script has a key.
func lead(to, key, value string) draft.Lead {
	l := draft.Lead{To: to}
	l.Take.Entry.Set(key, draft.Text(value, draft.Pos{}))
	return l
}

// guard makes a guard whose handler judges.
func (im *importer) guard(n *node, d *draft.Node) {
	if n.target.V != "" {
		im.missingInputs(d, []text{n.target})
		d.Reads = []string{im.shownField(n.target)}
	}
	pass, fail := text{V: end, Pos: n.name.Pos}, n.onFail
	if n.onPass.V != "" {
		pass = n.onPass
	}
	if fail.V == "" {
		fail = text{V: end, Pos: n.name.Pos}
		if n.next.V != "" {
			fail = n.next
		}
		im.Note("GG359", n.name.Pos, "the guard has no on_fail: a rejection leads to "+fail.V, "")
	}
	d.Keys.Set("on_pass", draft.Text(im.target(pass).V, pass.Pos))
	d.Keys.Set("on_fail", draft.Text(im.target(fail).V, fail.Pos))
	d.Sure = true
	d.Leads = []draft.Lead{{To: im.target(pass).V}, lead(im.target(fail).V, "guards_failed", "true")}
	d.Leads[1].Take.Entry.Set("guards_failed", draft.Plain("true", draft.Pos{}))
	im.Note("GG358", n.name.Pos, "the guards of a node are not in the file: its handler judges", "write it in Go")
}

// branch adds a node that another one runs, as a region of its own.
func (im *importer) branch(n *node, owner *draft.Node, graphs *draft.Namer) *draft.Node {
	if n == nil {
		return nil
	}
	c := im.node(n, owner, graphs)
	if c != nil {
		owner.Regions = append(owner.Regions, &draft.Region{Name: c.Name, Nodes: []*draft.Node{c}})
	}
	return c
}

// branches writes the branches of a parallel.
func (im *importer) branches(n *node, d *draft.Node) {
	m := yamlread.MapTree(n.name.Pos)
	for _, r := range d.Regions {
		m.Items = append(m.Items, draft.Text(r.Name.V, r.Name.Pos), draft.Text(r.Nodes[0].Name.V, r.Name.Pos))
	}
	d.Keys.Set("branches", m)
	switch {
	case len(d.Regions) == 0:
		im.Error("GG354", n.name.Pos, "the node "+yamlread.Quote(n.name.V)+" has no branches", "")
	case n.merge.IsSet():
		im.Warn("GG357", n.merge.Pos, "merge_fn is left out: each branch writes a field of its own", "merge them in a handler behind the node")
	case n.strategy.IsSet():
		im.Note("GG358", n.strategy.Pos, "merge_strategy is left out: each branch writes a field of its own", "")
	}
}

// override makes blocks of what a branch has in its context.
func (im *importer) override(b *branch) {
	if b.node == nil || b.overrides.Kind != yamlread.Map {
		return
	}
	for i := range len(b.overrides.Items) / 2 {
		key, value := b.overrides.Key(i)
		if value.Kind == yamlread.Text && (b.node.typ.V == "" || slices.Contains(prompts, b.node.typ.V)) {
			b.node.overrides = append(b.node.overrides, pair{key, text{V: value.Text, Pos: value.Pos}})
		} else {
			im.Warn("GG357", value.Pos, "the override "+yamlread.Quote(key.V)+" is left out: it is no text for a prompt", "")
		}
	}
}

// loop makes a loop: its body, and a handler that decides whether it is done.
func (im *importer) loop(n *node, d *draft.Node, graphs *draft.Namer) {
	if n.body == nil {
		im.Error("GG354", n.name.Pos, "the loop "+yamlread.Quote(n.name.V)+" has no body_node", "")
		return
	}
	c := im.branch(n.body, d, graphs)
	if c == nil {
		return
	}
	done := text{V: im.names.Free(d.Name.V + "_done"), Pos: n.condition.Pos}
	if !done.Pos.IsSet() {
		done.Pos = n.name.Pos
	}
	field := draft.FieldName(done.V)
	im.d.State = append(im.d.State, &draft.Field{Name: field, Pos: done.Pos, Type: "bool", Keys: draft.Table{{Key: text{V: "default", Pos: done.Pos}, Value: draft.Plain("false", done.Pos)}}, Writer: done.V})
	judge := &draft.Node{Name: done, Owner: d.Name.V, Reads: slices.Clone(c.Writes), Writes: []string{field}, Explicit: true, Comment: "In Python: " + n.condition.V + "."}
	judge.Entry.Set("out", draft.Plain("true", draft.Pos{}))
	d.Regions[0].Nodes = append(d.Regions[0].Nodes, judge)
	im.d.Nodes = append(im.d.Nodes, judge)
	d.Keys.Set("body", draft.Names(n.name.Pos, c.Name.V, done.V))
	d.Keys.Set("until", draft.Text("out."+exported(field), done.Pos))
	most := 5
	if n.maxLoop.IsSet() {
		most = n.maxLoop.V
	}
	d.Keys.Set("max_iterations", draft.Plain(strconv.Itoa(most), n.name.Pos))
	if n.condition.IsSet() {
		im.Note("GG358", n.condition.Pos, "the condition "+yamlread.Quote(n.condition.V)+" becomes a handler in Go, "+done.V, "")
	} else {
		im.Note("GG359", n.name.Pos, "the loop has no condition: the handler "+done.V+" decides", "")
	}
}

// retry makes a retry.
func (im *importer) retry(n *node, d *draft.Node, graphs *draft.Namer) {
	c := im.branch(n.wrapped, d, graphs)
	if c == nil {
		im.Error("GG354", n.name.Pos, "the retry "+yamlread.Quote(n.name.V)+" has no wrapped_node", "")
		return
	}
	attempts, wait := 4, 500*time.Millisecond
	if n.retries.IsSet() {
		attempts = n.retries.V + 1
	}
	if n.backoff.IsSet() {
		wait = time.Duration(n.backoff.V * float64(time.Second)).Round(time.Millisecond)
	}
	d.Keys.Set("body", draft.Text(c.Name.V, n.name.Pos))
	d.Keys.Set("attempts", draft.Plain(strconv.Itoa(attempts), n.name.Pos))
	d.Keys.Set("wait", draft.Duration(max(wait, time.Millisecond), n.name.Pos))
	d.Keys.Set("max_wait", draft.Duration(max(wait, 8*time.Second), n.name.Pos))
	d.Keys.Set("retry_on", draft.Text("any", n.name.Pos))
}

// human makes a node that asks a person.
func (im *importer) human(n *node, d *draft.Node) {
	question := draft.Tidy(n.prompt.V)
	if question == "" {
		question = "Approve this action?"
	}
	d.Keys.Set("instructions", draft.Text(draft.Escape(question), n.name.Pos))
	d.Reads = []string{"task"}
	limit := 300 * time.Second
	if n.timeout.IsSet() {
		limit = time.Duration(n.timeout.V * float64(time.Second))
	}
	d.Keys.Set("timeout", draft.Duration(limit, n.name.Pos))
	d.Entry.Set("approve", draft.Plain("true", draft.Pos{}))
	set := func(key string, to text, otherwise string) text {
		if to.V == "" {
			to = text{V: otherwise, Pos: n.name.Pos}
		}
		t := im.target(to)
		if im.static() && d.Owner == "" {
			d.Keys.Set(key, draft.Text(t.V, to.Pos))
		}
		return t
	}
	approved := set("next", n.onApprove, end)
	d.Leads, d.Sure = []draft.Lead{{To: approved.V}}, true
	denied := n.onDeny
	if denied.V == "" {
		im.Note("GG359", n.name.Pos, "the node has no on_deny: a denial leads where no other transition does", "")
		denied = n.next
	}
	d.Leads = append(d.Leads, lead(set("on_deny", denied, end).V, "approve", "false"))
	d.Leads[1].Take.Entry.Set("approve", draft.Plain("false", draft.Pos{}))
	set("on_timeout", n.onTimeout, end)
}

// subgraph makes a spec of its own, and a node that runs it.
func (im *importer) subgraph(n *node, d *draft.Node, graphs *draft.Namer) {
	if n.subgraph == nil {
		im.Error("GG354", n.name.Pos, "the node "+yamlread.Quote(n.name.V)+" has no subgraph", "")
		return
	}
	if !n.subgraph.name.IsSet() {
		n.subgraph.name = text{V: n.name.V, Pos: n.name.Pos}
	}
	child := importGraph(im.File, n.subgraph, graphs)
	im.d.Uses = append(im.d.Uses, child)
	d.Sub = child
	alias := im.alias(child.Name.V)
	use := im.d.Head.Get("use")
	if use == nil {
		im.d.Head.Set("use", yamlread.MapTree(n.name.Pos))
		use = im.d.Head.Get("use")
	}
	use.Items = append(use.Items, draft.Text(alias, n.name.Pos), draft.Text(child.Name.V+".graph.yaml", n.name.Pos))
	d.Keys.Set("graph", draft.Text(alias, n.name.Pos))
	in, out := yamlread.MapTree(n.name.Pos), yamlread.MapTree(n.name.Pos)
	for _, name := range child.Input {
		f := child.Field(name)
		im.missingInputs(d, []text{{V: name, Pos: n.name.Pos}})
		in.Items = append(in.Items, draft.Text(name, n.name.Pos), draft.Text(f.Name, n.name.Pos))
	}
	for _, name := range child.Output {
		f := child.Field(name)
		if f.Type != "string" && f.Type != "?string" {
			im.Warn("GG357", n.name.Pos, "the result "+yamlread.Quote(name)+" of the subgraph is left out: its type is of the other spec", "write it as "+alias+"."+strings.TrimPrefix(f.Type, "?")+", and add it to out")
			continue
		}
		field := im.d.Field(name)
		if field == nil {
			im.d.State = append(im.d.State, &draft.Field{Name: name, Pos: n.name.Pos, Type: "string", Writer: d.Name.V, Absent: true})
		} else {
			field.Absent = true
		}
		out.Items = append(out.Items, draft.Text(name, n.name.Pos), draft.Text(name, n.name.Pos))
	}
	d.Keys.Set("in", in)
	if len(out.Items) > 0 {
		d.Keys.Set("out", out)
	}
}

// alias returns the name of a use, which becomes that of a package.
func (im *importer) alias(graph string) string {
	name := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(graph))
	if token.IsKeyword(name) || types.Universe.Lookup(name) != nil {
		name += "graph"
	}
	return im.fields.Free(name)
}

// autonomous makes a pool.
func (im *importer) autonomous(n *node, d *draft.Node, graphs *draft.Namer) {
	instructions := draft.Tidy(n.planner.V)
	if instructions == "" {
		instructions = "Choose the node that is the most useful next step for the task."
	}
	d.Keys.Set("instructions", draft.Text(draft.Escape(instructions), n.name.Pos))
	d.Reads = []string{"task"}
	pool := yamlread.ListTree(n.name.Pos)
	for _, c := range n.pool {
		if m := im.branch(c, d, graphs); m != nil {
			pool.Items = append(pool.Items, draft.Text(m.Name.V, m.Name.Pos))
		}
	}
	if len(pool.Items) == 0 {
		im.Error("GG354", n.name.Pos, "the node "+yamlread.Quote(n.name.V)+" has no node_pool", "")
		return
	}
	d.Keys.Set("pool", pool)
	first, last := n.first, n.terminals
	if first.V != "" {
		d.Keys.Set("entry", draft.Text(im.target(first).V, first.Pos))
	}
	if len(last) > 0 {
		list := yamlread.ListTree(last[0].Pos)
		for _, t := range last {
			list.Items = append(list.Items, draft.Text(im.target(t).V, t.Pos))
		}
		d.Keys.Set("terminal", list)
	}
	if n.repeat.IsSet() {
		d.Keys.Set("allow_repeat", draft.Plain(strconv.FormatBool(n.repeat.V), n.repeat.Pos))
	}
	if n.maxSteps.IsSet() {
		d.Keys.Set("max_steps", draft.Plain(strconv.Itoa(n.maxSteps.V), n.maxSteps.Pos))
	}
	var ends []string
	for _, t := range last {
		ends = append(ends, im.target(t).V)
	}
	im.picks(d, im.target(first).V, ends, pool.Items[0].Text)
}

// picks gives the scenario what the model of a pool picks: the shortest run.
func (im *importer) picks(d *draft.Node, first string, ends []string, any string) {
	at := first
	if at != "" {
		d.Played = []string{at}
	}
	switch {
	case slices.Contains(ends, at):
	case len(ends) > 0:
		d.Asked, d.Played = []string{ends[0]}, append(d.Played, ends[0])
	case at != "":
		d.Asked = []string{draft.End}
	default:
		d.Asked, d.Played = []string{any, draft.End}, []string{any}
	}
}
