package reasoning

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec/dialect/draft"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/yamlread"
)

func exported(name string) string { return goname.Exported(name) }

// prompt makes a prompt of a node that asks a model.
func (im *importer) prompt(n *node, d *draft.Node) {
	b := brickOf(n.typ.V)
	instructions := text{V: draft.Tidy(n.instructions.V), Pos: n.instructions.Pos}
	switch {
	case strings.TrimSpace(instructions.V) != "":
	case b != nil:
		instructions = text{V: b.instructions(n), Pos: n.typ.Pos}
	default:
		instructions = text{V: "Work on the task.", Pos: n.name.Pos}
		im.Note("GG359", n.name.Pos, "the node has no instructions: it is asked to work on the task", "")
	}
	d.Keys.Set("instructions", draft.Text(draft.Escape(instructions.V), instructions.Pos))
	d.Reads = []string{"task"}
	im.missingInputs(d, n.inputs)
	for _, k := range n.inputs {
		d.Reads = append(d.Reads, im.shownField(k))
	}
	im.layers(n, d)
	im.blocks(n, d)
	im.tools(n, d)
	im.settings(n, d)
	im.answer(n, d, b)
	if b != nil {
		for _, f := range b.flags {
			if f != "lightweight" || !n.model.IsSet() {
				d.Flag(f, n.typ.Pos)
			}
		}
	}
}

// layers are keys of the context that a prompt is shown.
func (im *importer) layers(n *node, d *draft.Node) {
	if n.layers.Kind != yamlread.Map {
		return
	}
	im.Note("GG358", n.layers.Pos, "the priorities of context_layers are left out: what a node reads is always shown", "a block has a priority")
	for i := range len(n.layers.Items) / 2 {
		key, _ := n.layers.Key(i)
		im.missingInputs(d, []text{key})
		d.Reads = append(d.Reads, im.shownField(key))
	}
}

// blocks are the overrides of a branch.
func (im *importer) blocks(n *node, d *draft.Node) {
	if len(n.overrides) == 0 {
		return
	}
	blocks := yamlread.ListTree(n.name.Pos)
	for _, o := range n.overrides {
		blocks.Items = append(blocks.Items, draft.Map(o.to.Pos, "name", o.key.V, "text", draft.Escape(draft.Tidy(o.to.V))))
	}
	d.Keys.Set("blocks", blocks)
}

// tools gives a node tools: those that the machine has at run time.
func (im *importer) tools(n *node, d *draft.Node) {
	inject := n.inject.V || n.has("inject_tools")
	if !inject && len(n.tools) == 0 {
		return
	}
	d.Flag("inject_tools", n.name.Pos)
	switch {
	case len(n.tools) > 0 && inject:
		im.Note("GG358", n.tools[0].Pos, "the node has all tools of the machine, and so those that it names", "")
	case len(n.tools) > 0:
		list := yamlread.ListTree(n.tools[0].Pos)
		for _, t := range n.tools {
			list.Items = append(list.Items, draft.Text(t.V, t.Pos))
		}
		d.Keys.Set("allow_tools", list)
	}
	if im.Once("tools") {
		im.Note("GG358", n.name.Pos, "the tools of a node are given to the machine at run time: the file has their names alone",
			"declare those under tools that are known")
	}
	if n.toolChoice.V != "" && n.toolChoice.V != "auto" {
		d.Keys.Set("tool_choice", draft.Text(n.toolChoice.V, n.toolChoice.Pos))
	}
}

// settings carries over what a prompt has under the same name, or another.
func (im *importer) settings(n *node, d *draft.Node) {
	if n.model.V != "" {
		d.Keys.Set("model", draft.Text(n.model.V, n.model.Pos))
	}
	if n.temperature.IsSet() {
		d.Keys.Set("temperature", draft.Plain(strconv.FormatFloat(n.temperature.V, 'g', -1, 64), n.temperature.Pos))
	}
	if n.maxTokens.IsSet() {
		d.Keys.Set("max_tokens", draft.Plain(strconv.Itoa(n.maxTokens.V), n.maxTokens.Pos))
	}
	if n.inherits.V != "" {
		from := im.target(n.inherits)
		d.Keys.Set("inherits", draft.Names(from.Pos, from.V))
	}
	if n.scope.V != "" && n.scope.V != "full" {
		d.Keys.Set("context", draft.Text(n.scope.V, n.scope.Pos))
	}
	for key, ref := range map[string]text{"before": n.before, "after": n.after} {
		if ref.V == "" {
			continue
		}
		name := ref.V[strings.LastIndexAny(ref.V, ":.")+1:]
		d.Keys.Set(key, draft.Names(ref.Pos, draft.Identifier(name, "processor")))
		im.Note("GG358", ref.Pos, "the function "+yamlread.Quote(ref.V)+" becomes a method of the handlers in Go", "")
	}
	if n.ledgerAfter.IsSet() {
		im.Note("GG357", n.ledgerAfter.Pos, "auto_ledger_after is left out: context: auto has a bound of its own", "")
	}
	if n.depth.IsSet() {
		im.Note("GG357", n.depth.Pos, "review_depth is left out: max_messages bounds the messages that a node is shown", "")
	}
}

// answer gives a prompt the type of its answer: the type of its brick, or one with the fields that edges and transitions look
// at.
func (im *importer) answer(n *node, d *draft.Node, b *brick) {
	pos := n.name.Pos
	var t draft.Table
	sample := yamlread.MapTree(draft.Pos{})
	typeName, fallback := draft.TypeName(d.Name.V)+"Answer", d.Name.V
	if n.schema.V != "" {
		pos = n.schema.Pos
		typeName = draft.TypeName(n.schema.V[strings.LastIndexAny(n.schema.V, ":.")+1:])
	}
	if b != nil {
		t, sample, fallback = b.answer(n, pos), b.example(), b.field
		if n.schema.V == "" {
			typeName = draft.TypeName(b.name) + "Answer"
		}
	}
	looked := im.looked(n)
	route := im.routes(n, d, b)
	if b == nil && (len(looked) > 0 || len(route) > 0) && n.schema.V == "" {
		t.Set("text", draft.Text("string", pos))
		sample.Add("text", draft.Text("an answer", draft.Pos{}))
	}
	for _, l := range looked {
		if t.Get(l.key.V) == nil {
			t.Put(l.key, draft.Text(l.to.V, l.key.Pos))
			sample.Add(l.key.V, zero(l.to.V))
		}
	}
	if len(route) > 0 {
		enum := im.d.Declare(strings.TrimSuffix(typeName, "Answer")+"Route", pos, draft.Map(pos, "enum", draft.Names(pos, route...)))
		t.Set("route", draft.Text("?"+enum, pos))
	}
	if n.schema.V != "" && b == nil {
		im.Warn("GG358", n.schema.Pos,
			"the fields of "+yamlread.Quote(n.schema.V)+" are not in the file: the answer has those that edges look at, or is a text",
			"write its fields under types")
	} else if n.schema.V != "" {
		im.Note("GG358", n.schema.Pos, "the answer has the fields of a node of type "+n.typ.V+", and not those of "+yamlread.Quote(n.schema.V),
			"write its fields under types")
	}
	if len(t) == 0 {
		im.field(n, d, "string", n.output, fallback)
		out := draft.Text("an answer", draft.Pos{})
		d.Out = &out
		return
	}
	typ := im.d.Declare(typeName, pos, t.Tree(pos))
	d.Keys.Set("output", draft.Text(typ, pos))
	im.field(n, d, typ, n.output, fallback)
	d.Out = &sample
}

// zero returns a value of a type that no condition holds for.
func zero(typ string) tree {
	switch typ {
	case "bool":
		return draft.Plain("false", draft.Pos{})
	case "float", "int":
		return draft.Plain("0", draft.Pos{})
	}
	return draft.Text("a text", draft.Pos{})
}

// looked returns the fields of an answer that conditions of edges look at, each with its type.
func (im *importer) looked(n *node) []pair {
	var list []pair
	for _, e := range im.file.edges {
		c := e.condition
		if e.from.V != n.name.V || c == nil {
			continue
		}
		switch {
		case c.kind.V == "confidence":
			list = append(list, pair{text{V: "confidence", Pos: c.pos}, text{V: "float"}})
		case c.kind.V == "output" && c.key.V != "" && goname.Valid(c.key.V):
			typ := map[yamlread.Kind]string{yamlread.Bool: "bool", yamlread.Int: "float", yamlread.Float: "float"}[c.value.Kind]
			typ = cmp.Or(typ, "string")
			list = append(list, pair{c.key, text{V: typ}})
		}
	}
	return list
}

// routes returns the values of the field route of an answer: the keys of the transitions.
func (im *importer) routes(n *node, d *draft.Node, b *brick) []string {
	if !im.static() || d.Owner != "" || b != nil && (b.name == "plan" || b.name == "critique") {
		return nil
	}
	transitions := yamlread.MapTree(n.name.Pos)
	var route []string
	for _, t := range n.transitions {
		to := im.target(t.to)
		transitions.Items = append(transitions.Items, draft.Text(t.key.V, t.key.Pos), draft.Text(to.V, to.Pos))
		if t.key.V == "error" {
			continue
		}
		route = append(route, t.key.V)
		l := draft.Lead{To: to.V}
		l.Take.Out.Set("route", draft.Text(t.key.V, draft.Pos{}))
		d.Leads = append(d.Leads, l)
	}
	if b != nil && b.name == "reflect" && len(route) == 0 {
		for _, r := range []string{"continue", "replan", "answer"} {
			if im.names.Has(r) {
				route = append(route, im.names.Known(r))
				l := draft.Lead{To: im.names.Known(r)}
				l.Take.Out.Set("route", draft.Text(im.names.Known(r), draft.Pos{}))
				d.Leads = append(d.Leads, l)
			}
		}
		if len(route) == 0 {
			im.Note("GG357", n.name.Pos, "the route of a reflection is left out: neither a transition nor a node is called continue, replan or answer", "")
		}
	}
	if len(transitions.Items) > 0 {
		d.Keys.Set("transitions", transitions)
	}
	return route
}
