package reasoning

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/graphgen/graphgen/spec/dialect/draft"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/yamlread"
)

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
		im.Warn("GG357", n.merge.Pos, "merge_fn is left out: each branch writes a field of its own", "merge them in a handler after the node")
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
			im.Warn("GG357", value.Pos, "the override "+yamlread.Quote(key.V)+" is left out: it is not a text for a prompt", "")
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
	im.d.State = append(im.d.State,
		&draft.Field{Name: field, Pos: done.Pos, Type: "bool",
			Keys: draft.Table{{Key: text{V: "default", Pos: done.Pos}, Value: draft.Plain("false", done.Pos)}}, Writer: done.V})
	judge := &draft.Node{Name: done, Owner: d.Name.V, Reads: slices.Clone(c.Writes), Writes: []string{field}, Explicit: true,
		Comment: "In Python: " + n.condition.V + "."}
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
	question = cmp.Or(question, "Approve this action?")
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
			im.Warn("GG357", n.name.Pos, "the result "+yamlread.Quote(name)+" of the subgraph is left out: its type is of the other spec",
				"write it as "+alias+"."+strings.TrimPrefix(f.Type, "?")+", and add it to out")
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

// alias returns the name of a use, which becomes the name of a package.
func (im *importer) alias(graph string) string {
	name := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(graph))
	if !goname.Package(name) {
		name += "graph"
	}
	return im.fields.Free(name)
}

// autonomous makes a pool.
func (im *importer) autonomous(n *node, d *draft.Node, graphs *draft.Namer) {
	instructions := draft.Tidy(n.planner.V)
	instructions = cmp.Or(instructions, "Choose the node that is the most useful next step for the task.")
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
