package template

import (
	"regexp"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// A binding is one use of a template: its parameters with their values.
type binding struct {
	e         *expansion
	template  *source
	what      string      // the template "t"
	name      spec.String // of the node that uses it
	at        spec.Pos    // of the use
	values    map[string]*spec.Tree
	given     map[string]*spec.Tree // the keys of parameters that the use gives
	overrides []spec.Tree           // keys of the node, each with its value
	absent    int                   // how many values have been left out so far
	bad       bool                  // something of the use is wrong, and has been reported
}

func (b *binding) report(code string, pos spec.Pos, message, help string) {
	b.bad = true
	b.e.report(code, pos, message, help)
}

// bind gives the parameters of a template their values. The keys of a use that are no parameters are keys of a node. Of
// a use that could not be read as a whole, what is missing may be what was not read.
func (e *expansion) bind(t *source, name spec.String, at spec.Pos, use *spec.Tree, unread bool) *binding {
	e.graph.Lost = e.graph.Lost || broken(t.Template)
	b := &binding{e: e, bad: unread || broken(t.Template), template: t, what: "the template \"" + t.Name.V + "\"", name: name,
		at: at, given: map[string]*spec.Tree{}, values: map[string]*spec.Tree{"node": {Kind: yamlread.Text, Text: name.V, Pos: name.Pos}}}
	for i := 0; i < len(use.Items); i += 2 {
		key, value := &use.Items[i], &use.Items[i+1]
		if key.Text == "kind" && !t.IsPattern() {
			continue
		}
		if p := paramOf(t.Template, key.Text); p != nil {
			b.give(p, key, value)
			continue
		}
		b.override(key, value)
	}
	for _, p := range t.Params {
		b.complete(p)
	}
	return b
}

func paramOf(t *spec.Template, name string) *spec.Param {
	for _, p := range t.Params {
		if p.Name.V == name {
			return p
		}
	}
	return nil
}

// give gives a parameter the value of a use.
func (b *binding) give(p *spec.Param, key, value *spec.Tree) {
	b.values[p.Name.V], b.given[p.Name.V] = value, key
	if value.Kind == yamlread.Null {
		b.values[p.Name.V] = lost(value.Pos)
		b.report("GG343", key.Pos, "the parameter \""+p.Name.V+"\" has no value", help(p))
		return
	}
	found := p.Fits(b.e.graph.File, b.e.graph.Source, value)
	if len(found) > 0 {
		b.values[p.Name.V] = lost(value.Pos)
	}
	for _, d := range found {
		b.report("GG343", d.Pos, "the parameter \""+p.Name.V+"\" of the template \""+b.template.Name.V+"\": "+d.Message, string(d.Help))
	}
}

// lost is the value of a parameter that has no usable one, which has been reported. What the template makes of it is lost, too.
func lost(pos spec.Pos) *spec.Tree {
	value := yamlread.LostTree(pos)
	return &value
}

// help returns what a parameter is for.
func help(p *spec.Param) string {
	if p.Doc.V != "" {
		return strings.TrimRight(p.Doc.V, ".\n")
	}
	return "give it a value of type " + p.Type.V
}

// override takes a key of a node for the node of the template. The template of that node may have a parameter of the name.
func (b *binding) override(key, value *spec.Tree) {
	names := b.e.parameters(b.template, nil)
	if broken(b.template.Template) {
		b.bad = true
		return
	}
	if !slices.Contains(names, key.Text) && (b.template.IsPattern() || !slices.Contains(spec.NodeKeys(), key.Text)) {
		candidates := names
		if _, ok := diag.Suggest(key.Text, names); !ok && !b.template.IsPattern() && spec.ForeignNodeKey("", key.Text) == "" {
			candidates = append(slices.Clone(names), spec.NodeKeys()...)
		}
		help := "it has " + strings.Join(names, ", ")
		switch near, ok := diag.Suggest(key.Text, candidates); {
		case ok:
			help = diag.DidYouMean(near)
		case len(names) == 0:
			help = "it has none; remove the key"
		}
		b.report("GG341", key.Pos, "the template \""+b.template.Name.V+"\" has no parameter \""+key.Text+"\"", help)
		return
	}
	b.overrides = append(b.overrides, *key, *value)
}

// parameters lists the parameters of a template, and of those that it is made of in turn.
func (e *expansion) parameters(t *source, seen []*spec.Template) (names []string) {
	for _, p := range t.Params {
		names = append(names, p.Name.V)
	}
	body := &t.Node
	if t.Nodes.Pos.IsSet() {
		body = t.Nodes.Get("$node")
	}
	if body == nil || slices.Contains(seen, t.Template) {
		return names
	}
	if inner := e.find(t.home, kindOf(body)); inner != nil {
		names = append(names, e.parameters(inner, append(seen, t.Template))...)
	}
	return names
}

// complete gives a parameter its default.
func (b *binding) complete(p *spec.Param) {
	if _, given := b.values[p.Name.V]; given {
		return
	}
	switch tools := b.e.graph.Tools; {
	case p.Default.Pos.IsSet():
		if value, ok := b.tree(&p.Default); ok {
			b.values[p.Name.V] = &value
		}
	case p.Type.V == "tools" && len(tools) > 0:
		list := spec.Tree{Kind: yamlread.List, Pos: b.place(p.Pos)}
		if !b.makes(len(tools) * valueBytes) {
			return
		}
		for _, t := range tools {
			list.Items = append(list.Items, yamlread.TextTree(t.Name.V, list.Pos))
		}
		b.values[p.Name.V] = &list
	case p.Required():
		if !b.bad {
			b.report("GG342", b.at, "the template \""+b.template.Name.V+"\" needs the parameter \""+p.Name.V+"\"", help(p))
		}
		b.values[p.Name.V] = lost(b.at)
	}
}

// place returns the position of a value of the template in this use.
func (b *binding) place(pos spec.Pos) spec.Pos {
	file := b.template.home.File
	if b.template.home == b.e.graph {
		file = ""
	}
	at := b.at
	at.In = &diag.Place{Template: b.template.Name.V, File: file, Line: pos.Line, Col: pos.Col, Width: pos.Width, By: b.at.In}
	return at
}

// nodes returns the nodes of the template in this use.
func (b *binding) nodes() (list []*item) {
	if !b.template.Nodes.Pos.IsSet() {
		node, _ := b.tree(&b.template.Node)
		return []*item{{name: b.name, tree: &node}}
	}
	nodes, _ := b.tree(&b.template.Nodes)
	for i := range len(nodes.Items) / 2 {
		name, node := nodes.Key(i)
		list = append(list, &item{name: name, tree: node})
	}
	return list
}

// edges returns the edges of the template in this use. An edge that names a parameter without a value is left out.
func (b *binding) edges() spec.Tree { return b.units(&b.template.Edges) }

func (b *binding) units(edges *spec.Tree) spec.Tree {
	list := spec.Tree{Kind: edges.Kind, Pos: b.place(edges.Pos)}
	for i := range edges.Items {
		before := b.absent
		edge, ok := b.tree(&edges.Items[i])
		if ok && b.absent == before {
			list.Items = append(list.Items, edge)
		}
	}
	return list
}

// tree returns a value of the template with the parameters in place. It reports whether there is a value.
func (b *binding) tree(t *spec.Tree) (spec.Tree, bool) {
	if t.IsScalar() {
		return b.scalar(t)
	}
	if !b.makes(0) {
		return spec.Tree{}, false
	}
	made := *t
	made.Pos, made.Items = b.place(t.Pos), nil
	if len(t.Items) > 0 {
		made.Items = make([]spec.Tree, 0, len(t.Items))
	}
	if t.Kind == yamlread.Map {
		for i := 0; i < len(t.Items); i += 2 {
			b.entry(&made, &t.Items[i], &t.Items[i+1])
		}
		return made, true
	}
	for i := range t.Items {
		item, ok := b.tree(&t.Items[i])
		switch {
		case !ok:
		case item.Kind == yamlread.List && t.Items[i].IsScalar():
			made.Items = append(made.Items, item.Items...)
		case item.Kind == yamlread.Map && t.Items[i].IsScalar():
			for j := 0; j < len(item.Items); j += 2 {
				made.Items = append(made.Items, item.Items[j])
			}
		default:
			made.Items = append(made.Items, item)
		}
	}
	return made, true
}

// entry adds an entry of a mapping, unless its key or its value is a parameter without a value.
func (b *binding) entry(to *spec.Tree, key, value *spec.Tree) {
	k, ok := b.scalar(key)
	switch {
	case !ok:
		return
	case k.Kind == yamlread.Unreadable:
		b.e.graph.Lost = true // a node or a field may be missing
		return
	case k.Kind == yamlread.Map:
		b.each(to, &k, value)
		return
	}
	if key.Text == "edges" && value.Kind == yamlread.List {
		to.Items = append(to.Items, k, b.units(value))
		return
	}
	if v, ok := b.tree(value); ok && to.Get(k.Text) == nil {
		to.Items = append(to.Items, k, v)
	}
}

// each adds an entry for each text of a parameter, in which $key and $value are its name and the text.
func (b *binding) each(to, texts, value *spec.Tree) {
	for i := 0; i < len(texts.Items); i += 2 {
		name := texts.Items[i]
		b.values["key"], b.values["value"] = &name, &texts.Items[i+1]
		if v, ok := b.tree(value); ok && to.Get(name.Text) == nil {
			to.Items = append(to.Items, name, v)
		}
	}
	delete(b.values, "key")
	delete(b.values, "value")
}

// parameter matches a parameter in a text, or two dollar signs.
var parameter = regexp.MustCompile(`\$(\$|[A-Za-z_][A-Za-z0-9_]*|\{[A-Za-z_][A-Za-z0-9_]*\})`)

// nameOf returns the name of a parameter as parameter matches it.
func nameOf(match string) string { return strings.Trim(match, "${}") }

// scalar returns a text with the parameters in place, or the value of the parameter that is the whole text.
func (b *binding) scalar(t *spec.Tree) (spec.Tree, bool) {
	made := *t
	if !b.makes(len(t.Text)) {
		return spec.Tree{}, false
	}
	made.Pos = b.place(t.Pos)
	if !strings.Contains(t.Text, "$") {
		return made, true
	}
	text := strings.TrimSpace(t.Text)
	if match := parameter.FindString(text); match == text && match != "$$" && paramOrNode(b.template.Template, nameOf(match)) {
		value := b.values[nameOf(match)]
		if value == nil {
			b.absent++
			return made, false
		}
		if !b.puts(value) {
			return spec.Tree{}, false
		}
		return *value, true
	}
	if b.lost(t.Text) {
		return yamlread.LostTree(made.Pos), true
	}
	text, ok := b.text(t.Text)
	if !ok {
		return made, false
	}
	if t.Style == yamlread.Plain {
		made = yamlread.PlainTree(text, made.Pos)
	}
	made.Text = text
	return made, true
}

// paramOrNode reports whether a name has a value in a template: a parameter, the node that uses it, or the name and the
// text of an entry for each text of a parameter.
func paramOrNode(t *spec.Template, name string) bool {
	hasTexts := func(p *spec.Param) bool { return p.Type.V == "texts" }
	return name == "node" || paramOf(t, name) != nil || (name == "key" || name == "value") && slices.ContainsFunc(t.Params, hasTexts)
}

// lost reports whether a text names a parameter whose value is lost.
func (b *binding) lost(text string) bool {
	return slices.ContainsFunc(parameter.FindAllString(text, -1), func(match string) bool {
		value := b.values[nameOf(match)]
		return value != nil && value.Kind == yamlread.Unreadable
	})
}

// text puts the values of parameters into a text. Lines that name one without a value are left out. It reports
// whether any are left.
func (b *binding) text(text string) (string, bool) {
	lines := strings.SplitAfter(text, "\n")
	kept := lines[:0]
	for _, line := range lines {
		missing := false
		line = parameter.ReplaceAllStringFunc(line, func(match string) string {
			name := nameOf(match)
			switch {
			case match == "$$":
				return "$"
			case !paramOrNode(b.template.Template, name):
				return match
			case b.values[name] == nil:
				missing = true
				return ""
			case !b.puts(b.values[name]):
				return ""
			}
			return words(b.values[name])
		})
		if missing {
			b.absent++
			continue
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, ""), len(kept) > 0
}

// words is a value within a text: a list with commas.
func words(t *spec.Tree) string {
	if t.IsScalar() {
		return strings.TrimRight(t.Text, "\n")
	}
	if t.Kind != yamlread.List {
		return t.Flow()
	}
	var list []string
	for i := range t.Items {
		list = append(list, words(&t.Items[i]))
	}
	return strings.Join(list, ", ")
}
