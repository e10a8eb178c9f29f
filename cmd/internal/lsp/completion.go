package lsp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/prelude"
	"github.com/graphgen/graphgen/spec/resolve"
)

type positionParams struct {
	TextDocument textDocument `json:"textDocument"`
	Position     Position     `json:"position"`
}

// A completionItem is a text that may follow.
type completionItem struct {
	Label         string     `json:"label"`
	Kind          int        `json:"kind"`
	Detail        string     `json:"detail,omitempty"`
	Documentation *markup    `json:"documentation,omitempty"`
	SortText      string     `json:"sortText"`
	FilterText    string     `json:"filterText,omitempty"`
	TextEdit      *textEdit  `json:"textEdit"`
	Additional    []textEdit `json:"additionalTextEdits,omitempty"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

type textEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// The kinds of items, as the protocol numbers them.
const (
	itemMethod   = 2
	itemFunction = 3
	itemField    = 5
	itemVariable = 6
	itemClass    = 7
	itemModule   = 9
	itemProperty = 10
	itemValue    = 12
	itemEnum     = 20
)

// markdown returns a text as Markdown; nil for an empty one.
func markdown(text string) *markup {
	if text == "" {
		return nil
	}
	return &markup{"markdown", text}
}

// cursor marks the place of the cursor in the text whose outline is completed: it makes a key, or a value, of nothing.
const cursor = "\ue000"

// A completer collects the texts that may be written at a place.
type completer struct {
	*read
	s      *Server
	d      *document
	entry  int // that is completed
	edit   Range
	prefix string // what is there before the cursor
	items  []completionItem
}

func completion(_ context.Context, s *Server, p *positionParams) (any, error) {
	d, err := s.document(p.TextDocument)
	if err != nil || !d.isSpec() {
		return nil, err
	}
	offset := d.text.offset(p.Position)
	marked := slices.Concat(d.text.bytes[:offset], []byte(cursor), d.text.bytes[offset:])
	c := &completer{read: readOutline(marked, mappingOf(d.abs)), s: s, d: d, entry: -1}
	for i := range c.entries {
		e := &c.entries[i]
		if strings.Contains(e.key, cursor) || e.style.isScalar() && e.at <= offset && offset < e.end {
			c.entry = i
		}
	}
	if c.entry < 0 {
		return []completionItem{}, nil
	}
	e := &c.entries[c.entry]
	if strings.Contains(e.key, cursor) {
		c.from(e.keyAt, offset)
		c.key()
	} else {
		c.value(offset)
	}
	if c.items == nil {
		c.items = []completionItem{}
	}
	return c.items, nil
}

// from sets the byte where the completed text begins.
func (c *completer) from(at, offset int) {
	c.prefix = string(c.d.text.bytes[at:offset])
	c.edit = c.d.text.span(at, offset)
}

// add adds an item, if it is not there.
func (c *completer) add(item completionItem, text string) {
	if slices.ContainsFunc(c.items, func(i completionItem) bool { return i.Label == item.Label }) {
		return
	}
	item.TextEdit = &textEdit{c.edit, text}
	item.SortText = fmt.Sprintf("%04d", len(c.items))
	c.items = append(c.items, item)
}

// key completes a key.
func (c *completer) key() {
	in := c.around(c.entry)
	parent := c.entries[c.entry].parent
	has := map[string]bool{}
	for _, i := range c.children(parent) {
		has[c.entries[i].key] = true
	}
	kind := ""
	if at := c.child(parent, "kind"); at >= 0 {
		kind = decode(c.entries[at].scalar(c.text))
	}
	for _, name := range in.mappings {
		m := specLanguage.mappings[name]
		if m == nil {
			continue
		}
		for i := range m.Keys {
			k := &m.Keys[i]
			if has[k.Name] || k.Kinds != nil && in.declares == "" && !fits(k, cmp.Or(kind, spec.DefaultKind)) {
				continue
			}
			c.add(completionItem{Label: k.Name, Kind: itemProperty, Detail: detail(k), Documentation: markdown(keyDoc(k))}, k.Name+": ")
		}
	}
	if t := c.template(kind); t != nil {
		for _, p := range t.Params {
			if !has[p.Name.V] {
				c.add(completionItem{Label: p.Name.V, Kind: itemProperty, Detail: p.Type.V, Documentation: markdown(p.Doc.V)}, p.Name.V+": ")
			}
		}
	}
	switch {
	case in.keyed != "":
		c.symbols(in.keyed, ": ")
	case c.isLabels(parent):
		c.labels(parent)
	case len(in.mappings) == 0 && in.entries == nil: // a value that begins in the next line
		c.scalar(in)
	}
}

// fits reports whether nodes of a kind have a key. A kind that the language does not have may be a template.
func fits(k *spec.Key, kind string) bool {
	return slices.Contains(k.Kinds, kind) || !spec.KindOf(kind).Known()
}

// detail returns the form of a key.
func detail(k *spec.Key) string {
	text := k.Form.Name
	if k.Required {
		text += ", required"
	}
	return text
}

// keyDoc returns the doc of a key, with its words and its default.
func keyDoc(k *spec.Key) string {
	var b strings.Builder
	b.WriteString(k.Doc)
	if k.Default != "" {
		fmt.Fprintf(&b, "\n\nDefault: %s.", k.Default)
	}
	if len(k.Kinds) > 0 {
		fmt.Fprintf(&b, "\n\nFor nodes of kind %s.", strings.Join(k.Kinds, ", "))
	}
	for _, w := range k.Words {
		fmt.Fprintf(&b, "\n- `%s`: %s", w.Name, w.Doc)
	}
	return b.String()
}

// value completes the scalar of an entry.
func (c *completer) value(offset int) {
	e, s := &c.entries[c.entry], &c.slots[c.entry]
	switch {
	case s.prompt:
		c.placeholder(e, offset)
	case s.code:
		c.from(e.at, offset)
		c.code(c.prefix, offset)
	case s.types:
		from := offset
		for from > e.at && strings.IndexByte("[]?", c.text[from-1]) < 0 {
			from--
		}
		c.from(from, offset)
		c.types()
	default:
		c.from(e.at, offset)
		c.scalar(s)
	}
}

// scalar completes a word or a name.
func (c *completer) scalar(s *slot) {
	if s.key == nil {
		return
	}
	for _, w := range s.words {
		c.add(completionItem{Label: w.Name, Kind: itemEnum, Documentation: markdown(w.Doc)}, w.Name)
	}
	if s.key.Name == "kind" && s.of != nil && s.of.Name == ofNode {
		c.templates(false)
	}
	if s.names == ofTemplate {
		c.templates(true)
	}
	if s.names != "" {
		c.symbols(s.names, "")
	}
	if s.key.Ends {
		c.add(completionItem{Label: spec.End, Kind: itemValue, Documentation: markdown("The end of the run.")}, spec.End)
		for _, i := range c.ends {
			name := decode(c.entries[i].scalar(c.text))
			c.add(completionItem{Label: name, Kind: itemValue, Documentation: markdown("An end of the graph.")}, name)
		}
	}
	if s.key.Form == spec.FormBool {
		c.add(completionItem{Label: "true", Kind: itemValue}, "true")
		c.add(completionItem{Label: "false", Kind: itemValue}, "false")
	}
	if s.types {
		c.types()
	}
}

// symbols completes the name of an entry of the file.
func (c *completer) symbols(of, after string) {
	own := c.nodeAround(c.entry)
	for _, i := range c.namesIn(sections[of]) {
		name := decode(c.entries[i].keyText(c.text))
		if strings.Contains(name, cursor) || i == own && of == ofNode && c.slots[c.entry].of != nil && c.slots[c.entry].of.Name != ofNode {
			continue
		}
		c.add(completionItem{Label: name, Kind: symbolItems[of], Detail: c.about(i), Documentation: markdown(c.docOf(i))}, name+after)
	}
	for _, g := range c.d.uses() {
		switch of {
		case ofSkill:
			for _, s := range g.graph.Skills {
				c.add(completionItem{Label: g.name + "." + s.Name.V, Kind: itemModule, Documentation: markdown(s.Doc.V)}, g.name+"."+s.Name.V+after)
			}
		}
	}
}

// symbolItems are the kinds of items of symbols.
var symbolItems = map[string]int{ofNode: itemMethod, ofField: itemField, ofTool: itemFunction, ofType: itemClass, ofSkill: itemModule, ofTemplate: itemClass}

// nodeAround returns the entry of the node that an entry is in, -1 without one.
func (r *read) nodeAround(i int) int {
	for ; i >= 0; i = r.entries[i].parent {
		if r.around(i).declares == ofNode {
			return i
		}
	}
	return -1
}

// about returns what an entry of a section is, in a few words: the type of a field, the kind of a node.
func (r *read) about(i int) string {
	if e := &r.entries[i]; e.style.isScalar() {
		return decode(e.scalar(r.text))
	}
	for _, key := range []string{"kind", "type"} {
		if at := r.child(i, key); at >= 0 {
			return decode(r.entries[at].scalar(r.text))
		}
	}
	return ""
}

// docOf returns the doc of an entry.
func (r *read) docOf(i int) string {
	if at := r.child(i, "doc"); at >= 0 {
		return decode(r.entries[at].scalar(r.text))
	}
	return ""
}

// types completes the name of a type.
func (c *completer) types() {
	for _, name := range []string{"string", "int", "float", "bool", "time", "duration", "bytes", "image", "pdf", "audio", "any"} {
		c.add(completionItem{Label: name, Kind: itemClass}, name)
	}
	c.symbols(ofType, "")
	for _, g := range c.d.uses() {
		for _, t := range g.graph.Types {
			name := g.name + "." + t.Name.V
			c.add(completionItem{Label: name, Kind: itemClass, Documentation: markdown(typeDoc(t))}, name)
		}
	}
}

func typeDoc(t *spec.TypeDecl) string {
	if t.Type == nil {
		return ""
	}
	return t.Type.Doc.V
}

// placeholder completes the name of a field in a text, after two braces.
func (c *completer) placeholder(e *entry, offset int) {
	before := string(c.text[e.at:offset])
	open := strings.LastIndex(before, "{{")
	if open < 0 || strings.ContainsAny(before[open+2:], "}\n") {
		return
	}
	after := "}}"
	if rest := string(c.d.text.bytes[offset:]); strings.HasPrefix(rest, "}}") {
		after = ""
	}
	c.from(e.at+open+2, offset)
	c.symbols(ofField, after)
}

// isLabels reports whether an entry is a branch table.
func (c *completer) isLabels(i int) bool {
	return i >= 0 && c.keys[i] != nil && c.keys[i].Name == "branch"
}

// labels completes the labels of a branch table: the values of the enum that it selects by.
func (c *completer) labels(i int) {
	edge := c.entries[i].parent
	n := c.d.node(c.nameAt(c.child(edge, "from")))
	if n == nil {
		return
	}
	field := n.OnlyEnum()
	if by := c.child(edge, "by"); by >= 0 {
		field = n.OutputField(c.nameAt(by))
	}
	if field == nil {
		return
	}
	for _, v := range field.Type.Base().Values {
		c.add(completionItem{Label: v.Name, Kind: itemEnum}, v.Name+": ")
	}
}

// nameAt returns the scalar of an entry, "" without one.
func (r *read) nameAt(i int) string {
	if i < 0 {
		return ""
	}
	return decode(r.entries[i].scalar(r.text))
}

// code completes a Go expression.
func (c *completer) code(before string, offset int) {
	flow := c.d.flow()
	if flow == nil {
		return
	}
	var n *resolve.Node
	if at := c.nodeOf(c.entry); at >= 0 {
		n = flow.Spec.Node(decode(c.entries[at].keyText(c.text)))
	}
	scope := flow.Exprs.Condition(n, "")
	if c.slots[c.entry].key.Form == spec.FormValues {
		scope = flow.Exprs.Value(n, nil)
	}
	word := before[strings.LastIndexFunc(before, func(r rune) bool { return !isWord(r) })+1:]
	c.from(offset-len(word), offset)
	for _, o := range scope.Complete(before) {
		kind, after := itemField, ""
		switch {
		case o.Func:
			kind, after = itemFunction, "("
		case o.Type == "":
			kind = itemModule
		}
		c.add(completionItem{Label: o.Name, Kind: kind, Detail: o.Type}, o.Name+after)
	}
}

func isWord(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 0x7f
}

// A use is a file that a spec uses, by its name there.
type use struct {
	name  string
	graph *spec.Graph
}

// uses returns the files that a document uses, as the last check found them.
func (d *document) uses() (list []use) {
	flow := d.flow()
	if flow == nil {
		return nil
	}
	for _, u := range flow.Spec.Spec.Use {
		for _, g := range u.Graphs() {
			list = append(list, use{u.Name.V, g})
		}
	}
	return list
}

// flow returns the graph of a document, as the last check found it that could read the document; nil without one.
func (d *document) flow() *cfg.Graph {
	if d.good == nil || len(d.good.Flows) == 0 {
		return nil
	}
	return d.good.Flows[0]
}

// node returns a node of the graph of a document, nil without one.
func (d *document) node(name string) *resolve.Node {
	if flow := d.flow(); flow != nil && name != "" {
		return flow.Spec.Node(name)
	}
	return nil
}

// templates completes the name of a template, or of a pattern.
func (c *completer) templates(patterns bool) {
	add := func(prefix string, g *spec.Graph) {
		for _, t := range g.Templates {
			if t.IsPattern() == patterns {
				c.add(completionItem{Label: prefix + t.Name.V, Kind: itemClass, Documentation: markdown(t.Doc.V)}, prefix+t.Name.V)
			}
		}
	}
	if flow := c.d.flow(); flow != nil {
		add("", flow.Spec.Spec)
	}
	for _, u := range c.d.uses() {
		add(u.name+".", u.graph)
	}
	for _, g := range prelude.Use().Graphs() {
		add("", g)
	}
}

// template returns the template that a kind names, nil if it does not name one.
func (c *completer) template(kind string) *spec.Template {
	var g *spec.Graph
	if flow := c.d.flow(); flow != nil {
		g = flow.Spec.Spec
	}
	t, _ := templateOf(g, kind, false)
	return t
}

// templateOf returns the template or the pattern that a name in a spec means, with the spec that has it, nil if it means none. A nil spec sees the
// prelude alone.
func templateOf(g *spec.Graph, name string, pattern bool) (*spec.Template, *spec.Graph) {
	of, short, qualified := strings.Cut(name, ".")
	if !qualified {
		of, short = "", name
	}
	var files []*spec.Graph
	if g != nil && !qualified {
		files = append(files, g)
	}
	if g != nil && qualified {
		for _, u := range g.Use {
			if u.Name.V == of {
				files = append(files, u.Graphs()...)
			}
		}
	}
	if !qualified || of == prelude.Name {
		files = append(files, prelude.Use().Graphs()...)
	}
	for _, g := range files {
		for _, t := range g.Templates {
			if t.Name.V == short && t.IsPattern() == pattern {
				return t, g
			}
		}
	}
	return nil, nil
}
