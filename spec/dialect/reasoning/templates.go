package reasoning

import (
	"slices"
	"strconv"

	"github.com/graphgen/graphgen/spec/dialect/draft"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// A template is what a reasoning node becomes where it has no settings that its template has not.
type template struct {
	typ    string
	fields []string // of the state, that it keeps; the first is its result
	sample []any    // its answer in the scenario
	roles  func(*importer, *node, *draft.Node)
}

// templates are the templates of the prelude, each of which is called as the type.
var templates = []template{
	{typ: "think", fields: []string{"thoughts"}, sample: []any{"confidence", 0.5, "recommendation", "a text"}},
	{typ: "observe", fields: []string{"observations", "done"}, sample: []any{"facts", []string{"a text"}}},
	{typ: "reflect", fields: []string{"reflections", "done"}, sample: []any{"progress", "a text", "confidence", 0.5, "verdict", "answer"},
		roles: (*importer).reflects},
	{typ: "critique", fields: []string{"critique"}, sample: []any{"severity", 0}, roles: (*importer).criticizes},
	{typ: "justify", fields: []string{"justifications"}, sample: []any{"decision", "a text"}},
	{typ: "plan", fields: []string{"plan", "done"}, sample: []any{"subgoals", []string{"a text"}, "active", "a text", "quality", 5}, roles: (*importer).plans},
	{typ: "synthesize", fields: []string{"answer", "sources"}, sample: []any{"answer", "a text"}},
	{typ: "validate", fields: []string{"validation"}, sample: []any{"passes", true}, roles: (*importer).validates},
}

// templateOf returns the template that a node becomes, nil if it becomes a prompt.
func (im *importer) templateOf(n *node) *template {
	if i := slices.IndexFunc(templates, func(t template) bool { return t.typ == n.typ.V }); i >= 0 && im.plain[n] {
		return &templates[i]
	}
	return nil
}

// findTemplates finds the nodes that become templates, and the fields of the state that these keep.
func (im *importer) findTemplates() {
	im.plain, im.kept = map[*node]bool{}, map[string]bool{}
	for _, n := range im.file.nodes {
		i := slices.IndexFunc(templates, func(t template) bool { return t.typ == n.typ.V })
		if i < 0 || n.name.V == onError || !im.isPlain(n) {
			continue
		}
		im.plain[n] = true
		for _, f := range templates[i].fields {
			im.kept[f] = true
		}
	}
}

// isPlain reports whether a node of the format has what its template has: instructions, answer and result of its type, and
// transitions that are roles of the template.
func (im *importer) isPlain(n *node) bool {
	if n.instructions.V != "" || n.schema.V != "" || n.output.V != "" || len(im.looked(n)) > 0 || im.named(brickOf(n.typ.V).field) {
		return false
	}
	leaves := im.static() && slices.ContainsFunc(im.file.edges, func(e *edge) bool { return e.from.V == n.name.V })
	only := func(keys ...string) bool {
		return !im.static() || !slices.ContainsFunc(n.transitions, func(t pair) bool { return !slices.Contains(keys, t.key.V) })
	}
	switch n.typ.V {
	case "plan":
		return only() && (!n.quality.IsSet() || n.quality.V == float64(int(n.quality.V)) && n.quality.V >= 1 && n.quality.V <= 5)
	case "critique":
		return only("revise", "improve", "retry") && len(n.transitions) < 2
	case "reflect":
		to, _ := n.transition("continue")
		return len(n.transitions) == 0 && (leaves || n.next.V != "") || to.V != "" && only("continue", "replan", "answer") &&
			!leaves && n.next.V == "" || !im.static()
	case "validate":
		return only() && (!im.static() || n.onFail.V != "")
	case "synthesize":
		return only() && !slices.ContainsFunc(im.file.nodes, func(o *node) bool { return o.typ.V == "transform" || o.typ.V == "guard" })
	}
	return only()
}

// named reports whether a node of the file is given a key of the context.
func (im *importer) named(key string) bool {
	return slices.ContainsFunc(im.file.nodes, func(n *node) bool {
		return n.target.V == key || slices.Contains(texts(n.inputs), key) || n.layers.Kind == yamlread.Map && n.layers.Get(key) != nil
	})
}

// gives returns the results of a node: the fields that it writes, or the one that its template keeps.
func (im *importer) gives(d *draft.Node) []string {
	if n := im.nodes[d.Name.V]; n != nil {
		if t := im.templateOf(n); t != nil {
			return t.fields[:1]
		}
	}
	return d.Writes
}

// use makes a node the use of a template. It is shown the transcript, as in the program of the format.
func (im *importer) use(n *node, d *draft.Node, t *template) {
	d.Kind = t.typ
	d.Reads = []string{"task"}
	im.missingInputs(d, n.inputs)
	for _, k := range n.inputs {
		d.Reads = append(d.Reads, im.shownField(k))
	}
	im.layers(n, d)
	im.blocks(n, d)
	im.tools(n, d)
	d.Keys.Set("context", draft.Text("full", n.typ.Pos))
	if n.scope.V == "scoped" {
		d.Keys = slices.DeleteFunc(d.Keys, func(e draft.Entry) bool { return e.Key.V == "context" })
		n.scope.V = ""
	}
	im.settings(n, d)
	for _, f := range brickOf(n.typ.V).flags {
		if f != "lightweight" || !n.model.IsSet() {
			d.Flag(f, n.typ.Pos)
		}
	}
	sample := draft.Map(draft.Pos{})
	for i := 0; i < len(t.sample); i += 2 {
		sample.Add(t.sample[i].(string), sampled(t.sample[i+1]))
	}
	d.Out = &sample
	if t.roles != nil {
		t.roles(im, n, d)
	}
	if im.Once("templates") {
		im.Note("GG358", n.typ.Pos, "reasoning nodes become templates of the prelude, with its instructions and answers, and its bounds of rounds",
			"graphgen explain template:"+t.typ+" prints one; instructions: TEXT replaces its own")
	}
}

// sampled returns a value of the scenario.
func sampled(v any) tree {
	switch v := v.(type) {
	case string:
		return draft.Text(v, draft.Pos{})
	case []string:
		return draft.Names(draft.Pos{}, v...)
	case bool:
		return draft.Plain(strconv.FormatBool(v), draft.Pos{})
	case int:
		return draft.Plain(strconv.Itoa(v), draft.Pos{})
	}
	return draft.Plain(strconv.FormatFloat(v.(float64), 'g', -1, 64), draft.Pos{})
}

// plans gives a plan its threshold, and the number of its subgoals.
func (im *importer) plans(n *node, d *draft.Node) {
	if n.quality.IsSet() && n.quality.V != 3 {
		d.Keys.Set("threshold", draft.Plain(strconv.Itoa(int(n.quality.V)), n.quality.Pos))
	}
	if n.subgoals.V > 0 {
		d.Keys.Set("guidance", draft.Text("Write at most "+strconv.Itoa(n.subgoals.V)+" subgoals.", n.subgoals.Pos))
	}
}

// role gives a node a role of its template, and a transition that the script can take.
func (im *importer) role(d *draft.Node, role string, to text, take draft.Table) {
	to = im.target(to)
	d.Keys.Set(role, draft.Text(to.V, to.Pos))
	d.Leads = append(d.Leads, draft.Lead{To: to.V, Take: draft.Patch{Out: take}})
}

// criticizes gives a critique its threshold, and the node that mends.
func (im *importer) criticizes(n *node, d *draft.Node) {
	if n.severity.IsSet() && n.severity.V != 0.5 {
		d.Keys.Set("threshold", draft.Plain(strconv.FormatFloat(n.severity.V, 'g', -1, 64), n.severity.Pos))
	}
	if to, _ := n.transition("revise", "improve", "retry"); to.V != "" && im.static() {
		im.role(d, "revise", to, value("severity", "1"))
	}
}

// reflects gives a reflection the nodes that its verdicts lead to.
func (im *importer) reflects(n *node, d *draft.Node) {
	if !im.static() || len(n.transitions) == 0 {
		return
	}
	for _, t := range n.transitions {
		im.role(d, t.key.V, t.to, draft.Table{{Key: text{V: "verdict"}, Value: draft.Text(t.key.V, draft.Pos{})}})
	}
	if to, _ := n.transition("answer"); to.V == "" {
		im.role(d, "answer", text{V: end, Pos: n.typ.Pos}, draft.Table{{Key: text{V: "verdict"}, Value: draft.Text("answer", draft.Pos{})}})
	}
	d.Sure = true
}

// validates gives a validation the nodes that it leads to. When its rounds are used up, the run goes where it goes with a
// text that passes.
func (im *importer) validates(n *node, d *draft.Node) {
	if !im.static() {
		return
	}
	pass := text{V: end, Pos: n.name.Pos}
	if n.onPass.V != "" {
		pass = n.onPass
	}
	im.role(d, "on_pass", pass, value("passes", "true"))
	im.role(d, "on_fail", n.onFail, value("passes", "false"))
	if to := im.target(pass); to.V != draft.End {
		d.Keys.Set("give_up", draft.Text(to.V, to.Pos))
	} else {
		d.Keys = slices.DeleteFunc(d.Keys, func(e draft.Entry) bool { return e.Key.V == "on_pass" })
	}
	d.Sure = true
}
