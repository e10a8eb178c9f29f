package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/graphgen/graphgen/spec/yamlread"
)

// keysTree is a mapping of the table's keys that have a value.
func keysTree[T any](t *table[T], from *T) Tree {
	m := Tree{Kind: yamlread.Map}
	for i := range t.Rows {
		if value, ok := unread(t.Rows[i].To(from)); ok {
			m.Add(t.Rows[i].Name, value)
		}
	}
	return m
}

func textTree(text string) Tree { return yamlread.TextTree(text, Pos{}) }

// plain is the tree of a value that is one scalar, or a list of names, from its place. It reports
// whether the value was written; other places have no tree.
func plain(from any) (t Tree, ok bool) {
	switch from := from.(type) {
	case *Text: // of a file that was not read, its path
		t = textTree(cmp.Or(from.V, from.File.V))
	case *String:
		t = textTree(from.V)
	case *Value[int]:
		t = Tree{Kind: yamlread.Int, Text: strconv.Itoa(from.V)}
	case *Value[float64]:
		t = Tree{Kind: yamlread.Float, Text: strconv.FormatFloat(from.V, 'g', -1, 64)}
	case *Value[bool]:
		t = Tree{Kind: yamlread.Bool, Text: strconv.FormatBool(from.V)}
	case *Value[time.Duration]:
		t = textTree(from.V.String())
	case **Scalar:
		if *from != nil {
			t = (*from).tree()
		}
	case *[]String:
		t = namesTree(*from)
	case namesAt:
		t = namesTree(*from.names)
	default:
		return t, false
	}
	t.Pos = posOf(from)
	return t, t.Pos.IsSet()
}

// unread is the reverse of read: the tree of a value from the place that a key's row
// names, by the type of the place. It reports whether the value was written.
func unread(from any) (Tree, bool) {
	if text, is := from.(*Text); is {
		return text.tree()
	}
	if t, ok := plain(from); ok || t.Kind != yamlread.Unreadable {
		return t, ok
	}
	switch from := from.(type) {
	case **Scalar:
		return Tree{}, false
	case *Limits:
		return keysTree(&limitsTable, from), from.Pos.IsSet()
	case *[]*Use:
		written := slices.DeleteFunc(slices.Clone(*from), func(u *Use) bool { return u.OfNode })
		return pairsTree(written, func(u *Use) (String, String) { return u.Name, u.File })
	case *[]Transition:
		return pairsTree(*from, func(t Transition) (String, String) { return t.Key, t.To })
	case *[]Assignment:
		return pairsTree(*from, func(a Assignment) (String, String) { return a.Name, a.Field })
	case labelsAt:
		t, _ := pairsTree(*from.labels, func(l Label) (String, String) { return l.Name, l.To })
		return t, from.pos.IsSet()
	case bodyAt:
		t := from.node.bodyTree()
		return t, t.Pos.IsSet()
	case entryAt:
		if !*from.graph || len(*from.names) == 0 {
			return Tree{}, false
		}
		return textTree((*from.names)[0].V), true
	case regionAt:
		return namesTree(*from.names), from.is && len(*from.names) > 0
	case branchesAt:
		m := Tree{Kind: yamlread.Map}
		for _, b := range *from.branches {
			m.Add(b.Name.V, b.tree())
		}
		return m, from.pos.IsSet()
	case confidenceAt:
		return plain(from.Value)
	case **Mutations:
		return pointerTree(&mutationsTable, *from)
	case **LoopUntil:
		return pointerTree(&loopTable, *from)
	case **OutputMatch:
		m := Tree{Kind: yamlread.Map}
		if *from != nil {
			m.Add((*from).Key.V, Tree{Kind: (*from).Value.Kind, Text: (*from).Value.Text})
		}
		return m, *from != nil
	case *[]Flag:
		return listTree(*from, flagTree)
	case *[]Guard:
		return listTree(*from, guardTree)
	case *[]Processor:
		return listTree(*from, processorTree)
	}
	return unreadEntries(from)
}

// pointerTree is the mapping of a section that is nil where it is not written.
func pointerTree[T any](keys *table[T], from *T) (Tree, bool) {
	if from == nil {
		return Tree{}, false
	}
	return keysTree(keys, from), true
}

// unreadEntries is unread for types, and for sections whose entries have keys of their own.
func unreadEntries(from any) (Tree, bool) {
	switch from := from.(type) {
	case **TypeExpr:
		if *from == nil {
			return Tree{}, false
		}
		return typeTree(*from), true
	case *[]*Field:
		return fieldsTree(*from, &stateTable), len(*from) > 0
	case *[]*TypeDecl:
		m := Tree{Kind: yamlread.Map}
		for _, d := range *from {
			m.Add(d.Name.V, typeTree(d.Type))
		}
		return m, len(*from) > 0
	case *[]*Node:
		m := Tree{Kind: yamlread.Map}
		for _, n := range *from {
			m.Add(n.Name.V, n.tree())
		}
		return m, len(*from) > 0
	case *[]*Template:
		m := Tree{Kind: yamlread.Map}
		for _, t := range *from {
			m.Add(t.Name.V, t.Written)
		}
		return m, len(*from) > 0
	case *[]*Skill:
		m := Tree{Kind: yamlread.Map}
		for _, s := range *from {
			m.Add(s.Name.V, s.Written)
		}
		return m, len(*from) > 0
	case *Tree:
		return *from, from.Pos.IsSet()
	case *[]*ToolDecl:
		return entriesTree(*from, &toolTable, (*ToolDecl).name)
	case *[]*Server:
		return entriesTree(*from, &serverTable, (*Server).name)
	case *[]*Eval:
		return entriesTree(*from, &evalTable, (*Eval).name)
	case *[]*Block:
		return listTree(*from, func(b *Block) Tree { return keysTree(&blockTable, b) })
	case *[]*Edge:
		return listTree(*from, func(e *Edge) Tree { return keysTree(e.form(), e) })
	case *[]*Assertion:
		return listTree(*from, func(a *Assertion) Tree {
			if a.Doc.IsSet() {
				return keysTree(&assertionTable, a)
			}
			return textTree(a.That.V)
		})
	}
	panic(fmt.Sprintf("spec: cannot write a %T", from))
}

// tree is the node as it was written, if it is of a template.
func (n *Node) tree() Tree {
	if n.Instance != nil {
		return n.Instance.Tree
	}
	return keysTree(&nodeTable, n)
}

// listTree is a list of what its items are made from. It reports whether there are any.
func listTree[T any](items []T, tree func(T) Tree) (Tree, bool) {
	l := Tree{Kind: yamlread.List}
	for _, item := range items {
		l.Items = append(l.Items, tree(item))
	}
	return l, len(items) > 0
}

// entriesTree is a mapping of names to entries with keys of their own.
func entriesTree[T any](entries []*T, keys *table[T], name func(*T) *String) (Tree, bool) {
	m := Tree{Kind: yamlread.Map}
	for _, e := range entries {
		m.Add(name(e).V, keysTree(keys, e))
	}
	return m, len(entries) > 0
}

// form is the table of the entry's form.
func (e *Edge) form() *table[Edge] {
	switch {
	case e.SequentialPos.IsSet():
		return &sequentialTable
	case e.Loop != nil:
		return &loopEdgeTable
	case e.BranchPos.IsSet():
		return &branchTable
	}
	return &edgeTable
}

func namesTree(names []String) Tree {
	l, _ := listTree(names, func(n String) Tree { return textTree(n.V) })
	return l
}

// pairsTree is a mapping of names to names. It reports whether there are any.
func pairsTree[T any](list []T, pair func(T) (key, value String)) (Tree, bool) {
	m := Tree{Kind: yamlread.Map}
	for _, item := range list {
		key, value := pair(item)
		m.Add(key.V, textTree(value.V))
	}
	return m, len(list) > 0
}

// flagTree is the name of a flag, or a mapping of it to its settings.
func flagTree(f Flag) Tree {
	m := Tree{Kind: yamlread.Map}
	switch {
	case f.Retry != nil:
		m.Add(f.Name.V, keysTree(&retryTable, f.Retry))
	case f.Approval != nil:
		m.Add(f.Name.V, keysTree(&approvalTable, f.Approval))
	default:
		return textTree(f.Name.V)
	}
	return m
}

// guardTree is the name of a guard, or a mapping of it to its settings.
func guardTree(g Guard) Tree {
	if len(g.Reads) == 0 && !g.Judge.IsSet() {
		return textTree(g.Name.V)
	}
	m := Tree{Kind: yamlread.Map}
	m.Add(g.Name.V, keysTree(&guardTable, &g))
	return m
}

// processorTree is the name of a processor, or a mapping of it to its settings.
func processorTree(p Processor) Tree {
	if !p.Plain() {
		for _, t := range processorTables {
			if t.Name == p.Name.V {
				m := Tree{Kind: yamlread.Map}
				m.Add(p.Name.V, keysTree(t, &p))
				return m
			}
		}
	}
	return textTree(p.Name.V)
}

// fieldsTree is the fields of a struct or of the state.
func fieldsTree(fields []*Field, keys *table[fieldParts]) Tree {
	m := Tree{Kind: yamlread.Map}
	for _, f := range fields {
		m.Add(f.Name.V, fieldTree(f, keys))
	}
	return m
}

// fieldTree is a field's type text, where that is all there is to say.
func fieldTree(f *Field, keys *table[fieldParts]) Tree {
	parts := fieldParts{Field: f}
	switch f.Type.Kind {
	case TypeEnum:
		parts.enum = f.Type
	case TypeStruct:
		parts.fields = f.Type
	case TypeUnion:
		parts.union, parts.discriminator = f.Type, f.Type.Discriminator
	case TypeGo:
		parts.goType = f.Type
	default:
		parts.text = f.Type
	}
	m := Tree{Kind: yamlread.Map}
	for i := range keys.Rows {
		from := keys.Rows[i].To(&parts)
		value, ok := unread(from)
		if t, isType := from.(**TypeExpr); ok && isType && *t != parts.text {
			value = contents(*t)
		}
		if ok {
			m.Add(keys.Rows[i].Name, value)
		}
	}
	if len(m.Items) == 2 && parts.text != nil {
		return m.Items[1]
	}
	return m
}

// contents is the tree of a type under the key of a field that names its kind.
func contents(t *TypeExpr) Tree {
	return typeTree(&TypeExpr{Kind: t.Kind, Values: t.Values, Fields: t.Fields, Variants: t.Variants, Go: t.Go}).Items[1]
}

// typeTree is a type as an entry of types, or an output.
func typeTree(t *TypeExpr) Tree {
	m := Tree{Kind: yamlread.Map}
	switch t.Kind {
	case TypeEnum:
		m.Add("enum", namesTree(t.Values))
		if renamed, ok := unread(&t.Renamed); ok {
			m.Add("renamed_from", renamed)
		}
	case TypeStruct:
		m.Add("struct", fieldsTree(t.Fields, &fieldTable))
	case TypeUnion:
		variants := Tree{Kind: yamlread.Map}
		for _, v := range t.Variants {
			variants.Add(v.Label.V, typeTree(v.Type))
		}
		m.Add("union", variants)
	case TypeGo:
		m.Add("go", textTree(t.Go.V))
	default:
		return textTree(typeString(t))
	}
	if t.Discriminator.IsSet() {
		m.Add("discriminator", textTree(t.Discriminator.V))
	}
	if t.Doc.IsSet() {
		m.Add("doc", textTree(t.Doc.V))
	}
	return m
}

// typeString is the text of a type that has one.
func typeString(t *TypeExpr) string {
	switch t.Kind {
	case TypeList:
		return "[]" + typeString(t.Elem)
	case TypeMap:
		return "map[string]" + typeString(t.Elem)
	case TypeOptional:
		return "?" + typeString(t.Elem)
	}
	return t.Name
}

// SettingsTree returns the settings of a field besides its type, in the order of the reference.
func (f *Field) SettingsTree() Tree {
	parts := fieldParts{Field: f}
	m := Tree{Kind: yamlread.Map}
	for i := range stateTable.Rows {
		if value, ok := unread(stateTable.Rows[i].To(&parts)); ok {
			m.Add(stateTable.Rows[i].Name, value)
		}
	}
	return m
}

// TypeText is the type of a field as one text: equal types have equal texts.
func TypeText(f *Field) string {
	t := typeTree(f.Type)
	return t.Flow()
}
