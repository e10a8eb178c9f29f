package shape

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// A text is the text of a shape while it is written. It is YAML, in the notation of specs: fields, types and nodes
// are sorted by name, and each has a line.
type text struct {
	b      strings.Builder
	indent string
	full   bool // names of earlier releases are written, and values of enums in the order of the spec

	names map[*resolve.Type]string // of the types that have a declaration
	types []*resolve.Type          // in the order in which they are found
}

// text returns the text of the shape, its lines indented.
func (s *Shape) text(indent string, full bool) string {
	t := &text{indent: indent, full: full, names: map[*resolve.Type]string{}}
	t.declare(s)
	if len(t.types) > 0 {
		t.line(0, "types:")
	}
	for _, typ := range sorted(t.types, func(typ *resolve.Type) string { return t.names[typ] }) {
		t.declaration(1, t.names[typ], typ)
	}
	t.section("state", len(s.State.Fields))
	for _, f := range sorted(s.State.Fields, fieldName) {
		t.field(1, f)
	}
	t.section("nodes", len(s.Nodes))
	for _, n := range s.Nodes {
		t.entry(1, n.Name, t.node(n))
	}
	return t.b.String()
}

func fieldName(f *resolve.Field) string { return f.Name }

func sorted[T any](list []T, name func(T) string) []T {
	return slices.SortedStableFunc(slices.Values(list), func(a, b T) int { return cmp.Compare(name(a), name(b)) })
}

func (t *text) line(depth int, words string) {
	t.b.WriteString(t.indent + strings.Repeat("  ", depth) + words + "\n")
}

func (t *text) section(name string, entries int) {
	if entries == 0 {
		t.line(0, name+": {}")
		return
	}
	t.line(0, name+":")
}

func (t *text) entry(depth int, name string, value yamlread.Tree) {
	t.line(depth, flow(name)+": "+value.Flow())
}

func flow(name string) string {
	tree := word(name)
	return tree.Flow()
}

// word is a text as a value of YAML.
func word(text string) yamlread.Tree { return yamlread.TextTree(text, spec.Pos{}) }

func words[T ~string](list []T) yamlread.Tree {
	tree := yamlread.Tree{Kind: yamlread.List}
	for _, w := range list {
		tree.Items = append(tree.Items, word(string(w)))
	}
	return tree
}

// TypeNames returns the types of the shape that a lock file declares, by the names that it gives them.
func (s *Shape) TypeNames() map[*resolve.Type]string {
	t := &text{names: map[*resolve.Type]string{}}
	t.declare(s)
	return t.names
}

// declare names the types of the shape that have a name, in an order that depends on names alone. Types of other
// files are declared as if they were the graph's.
func (t *text) declare(s *Shape) {
	taken := map[string]bool{}
	for _, name := range resolve.BasicNames {
		taken[name] = true
	}
	var visit func(typ *resolve.Type)
	visit = func(typ *resolve.Type) {
		if typ == nil || t.names[typ] != "" || typ.Kind == resolve.Message {
			return
		}
		if named(typ) {
			name := cmp.Or(typ.Name, typ.GoName)
			for n := 2; taken[name]; n++ {
				name = cmp.Or(typ.Name, typ.GoName) + strconv.Itoa(n)
			}
			taken[name], t.names[typ] = true, name
			t.types = append(t.types, typ)
		}
		visit(typ.Elem)
		for _, f := range sorted(typ.Fields, fieldName) {
			visit(f.Type)
		}
		for _, v := range sorted(typ.Variants, func(v resolve.Variant) string { return v.Label }) {
			visit(v.Type)
		}
	}
	for _, f := range sorted(s.State.Fields, fieldName) {
		visit(f.Type)
	}
	for _, n := range s.Nodes {
		visit(n.Output)
	}
}

// named reports whether a type is declared under types.
func named(t *resolve.Type) bool {
	switch t.Kind {
	case resolve.Enum, resolve.Struct, resolve.Union:
		return t.Name != ""
	}
	return t.Kind == resolve.External
}

// declaration writes the declaration of a type.
func (t *text) declaration(depth int, name string, typ *resolve.Type) {
	switch {
	case typ.Kind == resolve.Struct && len(typ.Fields) > 0:
		t.line(depth, flow(name)+":")
		t.line(depth+1, "struct:")
		for _, f := range sorted(typ.Fields, fieldName) {
			t.field(depth+2, f)
		}
	default:
		t.entry(depth, name, t.body(typ))
	}
}

// field writes a field with its settings on a line.
func (t *text) field(depth int, f *resolve.Field) { t.entry(depth, f.Name, t.fieldTree(f)) }

func (t *text) fieldTree(f *resolve.Field) yamlread.Tree {
	tree := yamlread.Tree{Kind: yamlread.Map}
	if anonymous := t.names[f.Type] == "" && (f.Type.Kind == resolve.Enum || f.Type.Kind == resolve.Struct || f.Type.Kind == resolve.Union); anonymous {
		tree = t.body(f.Type)
	} else {
		tree.Add("type", word(t.typeText(f.Type)))
	}
	if f.Spec != nil {
		settings := f.Spec.SettingsTree()
		for i := 0; i < len(settings.Items); i += 2 {
			switch key := settings.Items[i].Text; {
			case key == "doc" || key == "private" || key == "secret" && !t.full || key == "carry" || key == "renamed_from" &&
				!t.full || key == "merge" && f.Merge == "last":
			default:
				tree.Add(key, settings.Items[i+1])
			}
		}
	}
	if len(tree.Items) == 2 && tree.Items[0].Text == "type" {
		return tree.Items[1]
	}
	return tree
}

// body is what a type consists of, as an entry of types.
func (t *text) body(typ *resolve.Type) yamlread.Tree {
	tree := yamlread.Tree{Kind: yamlread.Map}
	switch typ.Kind {
	case resolve.Enum:
		values := typ.Values // in the order of the constants, which types of releases have, too
		if !t.full {
			values = sorted(values, func(v resolve.EnumValue) string { return v.Name })
		}
		names, renamed := make([]string, len(values)), yamlread.Tree{Kind: yamlread.Map}
		for i, v := range values {
			names[i] = v.Name
			if v.Was != "" {
				renamed.Add(v.Name, word(v.Was))
			}
		}
		tree.Add("enum", words(names))
		if t.full && len(renamed.Items) > 0 {
			tree.Add("renamed_from", renamed)
		}
	case resolve.Struct:
		fields := yamlread.Tree{Kind: yamlread.Map}
		for _, f := range sorted(typ.Fields, fieldName) {
			fields.Add(f.Name, t.fieldTree(f))
		}
		tree.Add("struct", fields)
	case resolve.Union:
		variants := yamlread.Tree{Kind: yamlread.Map}
		for _, v := range sorted(typ.Variants, func(v resolve.Variant) string { return v.Label }) {
			if t.names[v.Type] != "" {
				variants.Add(v.Label, word(t.names[v.Type]))
			} else {
				variants.Add(v.Label, t.body(v.Type))
			}
		}
		tree.Add("union", variants)
		if typ.Discriminator != spec.DefaultDiscriminator {
			tree.Add("discriminator", word(typ.Discriminator))
		}
	case resolve.External:
		tree.Add("go", word(strings.TrimPrefix(typ.Import+"."+typ.GoName, ".")))
	}
	return tree
}

// typeText returns the text of a type that has one.
func (t *text) typeText(typ *resolve.Type) string {
	switch name := t.names[typ]; {
	case name != "":
		return name
	case typ.Kind == resolve.List && !typ.IsConversation():
		return "[]" + t.typeText(typ.Elem)
	case typ.Kind == resolve.Map:
		return "map[string]" + t.typeText(typ.Elem)
	case typ.Kind == resolve.Optional:
		return "?" + t.typeText(typ.Elem)
	case typ.Kind == resolve.Any:
		return "any"
	}
	return typ.String()
}

func (t *text) node(n *Node) yamlread.Tree {
	tree := yamlread.Tree{Kind: yamlread.Map}
	tree.Add("kind", word(n.Kind))
	if n.Parent != "" {
		tree.Add("in", word(n.Parent))
	}
	if n.Branch != "" {
		tree.Add("branch", word(n.Branch))
	}
	if len(n.Waits) > 0 {
		tree.Add("waits", words(n.Waits))
	}
	switch {
	case n.Output == nil:
	case t.names[n.Output] == "" && (n.Output.Kind == resolve.Enum || n.Output.Kind == resolve.Struct || n.Output.Kind == resolve.Union):
		tree.Add("output", t.body(n.Output))
	default:
		tree.Add("output", word(t.typeText(n.Output)))
	}
	if len(n.Writes) > 0 {
		tree.Add("keeps", words(n.Writes))
	}
	if n.Graph != "" {
		tree.Add("graph", word(n.Graph))
		tree.Add("shape", word(n.Shape))
	}
	if t.full && n.Was.V != "" {
		tree.Add("renamed_from", word(n.Was.V))
	}
	return tree
}
