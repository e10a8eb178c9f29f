package workflow

import (
	"path"
	"strings"

	"github.com/graphgen/graphgen/spec/dialect/draft"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// node makes a prompt of a node.
func (im *importer) node(n *node) {
	name := im.names.Known(n.name.V)
	field := im.fields.Free(draft.FieldName(name))
	d := &draft.Node{Name: text{V: name, Pos: n.name.Pos}, Kind: "prompt", Writes: []string{field}}
	im.d.Nodes = append(im.d.Nodes, d)
	if title := strings.TrimSpace(n.title.V); title != "" {
		d.Keys.Set("doc", draft.Text(title, n.title.Pos))
	}
	source, ok := im.source(&n.instruction)
	if ok {
		d.Keys.Set("instructions", draft.Text(draft.Escape(draft.Tidy(source.Text)), source.Pos))
		if source.From != "" {
			d.Keys.Remark("instructions", "From "+source.From+".")
		}
	}
	im.blocks(n, d)
	d.Keys.Set("context", draft.Text("scoped", n.name.Pos))
	switch {
	case n.model.IsSet():
		d.Keys.Set("model", draft.Text(n.model.V, n.model.Pos))
	case im.file.model.IsSet() && !im.file.judgeModel.IsSet():
		im.d.Head.Set("model", draft.Text(im.file.model.V, im.file.model.Pos))
	case im.file.model.IsSet():
		d.Keys.Set("model", draft.Text(im.file.model.V, im.file.model.Pos))
	}
	typ := draft.Type{Text: "string", Sample: draft.Text("an answer", n.name.Pos)}
	schema := draft.NewSchema(im.File, im.d, &n.output)
	if n.output.Kind != yamlread.Unreadable {
		if made := schema.Root(draft.TypeName(name) + "Result"); made.Text != "" {
			typ = made
			d.Keys.Set("output", draft.Text(typ.Text, n.output.Pos))
		}
		if im.Once("strict") {
			im.Note("GG358", n.output.Pos,
				"an answer has to fit its type, which the model is asked to mend: the format checks only that required properties are there", "")
		}
	}
	im.d.State = append(im.d.State, &draft.Field{Name: field, Pos: n.name.Pos, Type: typ.Text, Writer: name, Absent: n.failSoft.V})
	d.Out = &typ.Sample
	im.settings(n, d)
	im.nodeTools(n, d)
	im.evals(n, d, schema)
}

// settings carries over the keys of a node that are keys of a prompt.
func (im *importer) settings(n *node, d *draft.Node) {
	if n.failSoft.V {
		d.Keys.Set("fail_soft", draft.Plain("true", n.failSoft.Pos))
	}
	if n.verify.Pos.IsSet() {
		im.Error("GG365", n.verify.Pos, "the key verify belongs to an earlier version of the format",
			"write eval for conditions after the node, and requires for those before it")
	}
	if n.requires.Pos.IsSet() {
		im.Warn("GG358", n.requires.Pos, "requires is left out: the node runs where the format would fail or skip it",
			"put a node of kind pass before it, with an if edge to it and another edge for what is missing")
	}
	if n.disallowed.Pos.IsSet() {
		im.Note("GG357", n.disallowed.Pos, "disallowed_tools is left out: a model has only the tools of the spec and the tools that the machine is given", "")
	}
	if n.judgeModel.IsSet() {
		im.Note("GG357", n.judgeModel.Pos, "judge_model is left out: the model that judges is an option of the machine, WithJudge", "")
	}
	if n.maxTurns.IsSet() && n.maxTurns.V < 1 {
		im.Error("GG355", n.maxTurns.Pos, "max_turns is at least 1", "")
	}
}

// source returns a text that may be in another file.
func (im *importer) source(t *tree) (draft.Source, bool) {
	s := text{V: strings.TrimRight(t.Text, "\n"), Pos: t.Pos}
	switch {
	case t.Kind == yamlread.Map:
		return im.taggedSource(t)
	case t.Kind != yamlread.Text:
		im.Error("GG355", t.Pos, "expected a text, a path or an address, found "+t.Found(), "put quotes around it")
		return draft.Source{}, false
	case strings.TrimSpace(s.V) == "":
		im.Error("GG356", t.Pos, "expected a text, found an empty one", "")
		return draft.Source{}, false
	case strings.HasPrefix(s.V, "http://"), strings.HasPrefix(s.V, "https://"):
		im.address(s)
		return draft.Source{}, false
	case strings.HasPrefix(s.V, "./"), strings.HasPrefix(s.V, "../"), strings.HasPrefix(s.V, "/"):
		return im.File.File(s)
	}
	return draft.Source{Text: s.V, Pos: s.Pos}, true
}

func (im *importer) address(s text) {
	im.Error("GG364", s.Pos, "the text is at an address, which a compiler does not read: "+yamlread.Short(s.V),
		"save it as a file beside the workflow, and write its path: ./"+path.Base(s.V))
}

// taggedSource returns a text whose form is named.
func (im *importer) taggedSource(t *tree) (draft.Source, bool) {
	for _, tag := range []string{"inline", "file", "url"} {
		v := t.Get(tag)
		if v == nil {
			continue
		}
		s := text{V: v.Text, Pos: v.Pos}
		switch {
		case v.Kind != yamlread.Text || v.Text == "":
			im.Error("GG355", v.Pos, "expected a text, found "+v.Found(), "")
		case tag == "inline":
			return draft.Source{Text: v.Text, Pos: v.Pos}, true
		case tag == "file":
			return im.File.File(s)
		default:
			im.address(s)
		}
		return draft.Source{}, false
	}
	im.Error("GG355", t.Pos, "a text has one of the keys inline, file and url", "")
	return draft.Source{}, false
}

// sources returns the texts of rules or of a context: a list, or a mapping with only.
func (im *importer) sources(t *tree) (list []draft.Source, only bool) {
	if t.Kind == yamlread.Map && t.Get("sources") != nil {
		o := t.Get("only")
		only = o != nil && o.Text == "true"
		t = t.Get("sources")
	}
	if t.Kind == yamlread.Unreadable || t.Kind == yamlread.Null {
		return nil, only
	}
	for _, item := range t.AsList() {
		if s, ok := im.source(&item); ok {
			list = append(list, s)
		}
	}
	return list, only
}

// blocks adds the rules and the background of a node to its prompt, and names its skills.
func (im *importer) blocks(n *node, d *draft.Node) {
	blocks := yamlread.ListTree(n.name.Pos)
	add := func(name, before string, own, all *tree) {
		sources, only := im.sources(own)
		if !only {
			general, _ := im.sources(all)
			sources = append(general, sources...)
		}
		var parts []string
		for _, s := range sources {
			parts = append(parts, draft.Tidy(s.Text))
		}
		if len(parts) > 0 {
			blocks.Items = append(blocks.Items,
				draft.Map(sources[0].Pos, "name", name, "text", draft.Text(draft.Escape(before+strings.Join(parts, "\n\n")), sources[0].Pos)))
		}
	}
	add("rules", "You must follow these rules.\n\n", &n.rules, &im.file.rules)
	add("background", "", &n.context, &im.file.context)
	for _, id := range n.skills {
		im.group(id, d)
	}
	if len(blocks.Items) > 0 {
		d.Keys.Set("blocks", blocks)
	}
}
