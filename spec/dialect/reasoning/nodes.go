package reasoning

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec/dialect/draft"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// node adds a node, and what it runs. owner is the node that runs it, nil if none does.
func (im *importer) node(n *node, owner *draft.Node, graphs *draft.Namer) *draft.Node {
	if !n.name.IsSet() {
		im.Error("GG354", n.pos, "a node within another one needs the key name", "add name: NAME")
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
	d := &draft.Node{Name: text{V: name, Pos: n.name.Pos}, Kind: kindOf(n.typ.V)}
	if owner != nil {
		d.Owner = owner.Name.V
	}
	im.nodes[name] = n
	im.order = append(im.order, n)
	im.d.Nodes = append(im.d.Nodes, d)
	im.common(n, d)
	switch {
	case owner == nil && im.templateOf(n) != nil:
		im.use(n, d, im.templateOf(n))
	case slices.Contains(prompts, n.typ.V):
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
	} else if b := brickOf(n.typ.V); b != nil && !im.plain[n] {
		d.Keys.Set("doc", draft.Text(b.doc, n.typ.Pos))
	}
	if n.most.IsSet() && n.most.V != maxVisits && d.Owner == "" {
		d.Keys.Set("max_visits", draft.Plain(strconv.Itoa(n.most.V), n.most.Pos))
	}
	if n.metadata.Pos.IsSet() {
		im.Note("GG357", n.metadata.Pos, "metadata is left out: nodes have none", "")
	}
	if n.objects.Pos.IsSet() && len(n.objects.Items) > 0 {
		im.Error("GG353", n.objects.Pos, "blocks, strategy, perspective and guards are objects of Python, which the format does not save",
			"remove the key, and write it into the imported spec")
	}
	im.flags(n, d)
}

// flags carries over the flags of a node, by the table of flags.
func (im *importer) flags(n *node, d *draft.Node) {
	terminal := n.terminal
	for _, f := range n.flags {
		row := flagOf(f.V)
		switch {
		case row == nil:
			im.Error("GG355", f.Pos, "there is no flag "+yamlread.Quote(f.V), "")
		case row.as == elsewhere:
			if f.V == "terminal" {
				terminal = truth{V: true, Pos: f.Pos}
			}
		case row.as == dropped:
			im.Note("GG357", f.Pos, "the flag "+f.V+" is left out: a node writes what its writes name, and an answer has to fit its type", "")
		case row.as == ofModels && !slices.Contains(prompts, n.typ.V):
			im.Note("GG357", f.Pos, "the flag "+f.V+" is left out: the node asks no model", "")
		default:
			if f.V == "requires_human" {
				im.d.Skeleton = false // a person has to answer
			}
			d.Flag(f.V, f.Pos)
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
	im.handler(d, n.typ.Pos, "The type "+n.typ.V+" of Python.",
		"the type "+yamlread.Quote(n.typ.V)+" is not of the format: the node is a handler in Go, without the settings of its type")
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
		im.Note("GG358", n.name.Pos, "the function "+yamlread.Quote(n.transform.V)+" becomes a handler in Go",
			"give the field "+field+" the type that it returns")
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
	switch {
	case field == "task":
		field = "task_result"
	case im.kept[field]:
		field += "_result"
		im.Note("GG360", n.name.Pos, "the result of "+yamlread.Quote(n.name.V)+" is called "+field+": a template keeps a field of its own name", "")
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
	instructions = cmp.Or(instructions, "Choose the node that the run goes to.")
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
