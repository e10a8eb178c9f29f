package spec

import (
	"fmt"
	"strconv"
	"time"
)

// tree is the graph as the tree that reading it starts from.
func (g *Graph) tree() tree { return keysTree(&graphTable, g) }

// keysTree is a mapping of those of the table's keys that have a value.
func keysTree[T any](t *table[T], from *T) tree {
	m := tree{shape: mapping}
	for i := range t.rows {
		if value, ok := unread(t.rows[i].to(from)); ok {
			m.add(t.rows[i].Name, value)
		}
	}
	return m
}

// add adds an entry to a mapping.
func (t *tree) add(key string, value tree) {
	t.items = append(t.items, textTree(key), value)
}

func textTree(text string) tree { return tree{shape: scalar, text: text} }

func bareTree(kind ScalarKind, text string) tree {
	return tree{shape: scalar, scalar: kind, text: text}
}

// unread is the reverse of reader.read: the tree of a value from the place that a key's row
// names, whose type says what to make of it. It reports whether the value was written.
func unread(from any) (tree, bool) {
	switch from := from.(type) {
	case *String:
		return textTree(from.V), from.IsSet()
	case *Value[int]:
		return bareTree(ScalarInt, strconv.Itoa(from.V)), from.IsSet()
	case *Value[float64]:
		return bareTree(ScalarFloat, strconv.FormatFloat(from.V, 'g', -1, 64)), from.IsSet()
	case *Value[bool]:
		return bareTree(ScalarBool, strconv.FormatBool(from.V)), from.IsSet()
	case *Value[time.Duration]:
		return bareTree(ScalarString, from.V.String()), from.IsSet()
	case **Scalar:
		if *from == nil {
			return tree{}, false
		}
		return bareTree((*from).Kind, (*from).Text), true
	case *Limits:
		return keysTree(&limitsTable, from), from.Pos.IsSet()
	}
	return unreadList(from)
}

// unreadList is unread for what consists of others.
func unreadList(from any) (tree, bool) {
	switch from := from.(type) {
	case *[]String:
		return namesTree(*from), len(*from) > 0
	case namesAt:
		return namesTree(*from.names), from.pos.IsSet()
	case *[]*Use:
		return pairsTree(*from, func(u *Use) (String, String) { return u.Name, u.File }), len(*from) > 0
	case *[]Transition:
		return pairsTree(*from, func(t Transition) (String, String) { return t.Key, t.To }), len(*from) > 0
	case *[]Assignment:
		return pairsTree(*from, func(a Assignment) (String, String) { return a.Name, a.Field }), len(*from) > 0
	case labelsAt:
		return pairsTree(*from.labels, func(l Label) (String, String) { return l.Name, l.To }), from.pos.IsSet()
	case branchesAt:
		return branchesTree(*from.branches), from.pos.IsSet()
	case **Mutations:
		if *from == nil {
			return tree{}, false
		}
		return keysTree(&mutationsTable, *from), true
	case **OutputMatch:
		if *from == nil {
			return tree{}, false
		}
		m := tree{shape: mapping}
		m.add((*from).Key.V, bareTree((*from).Value.Kind, (*from).Value.Text))
		return m, true
	case *[]Flag:
		return flagsTree(*from), len(*from) > 0
	case **LoopUntil:
		if *from == nil {
			return tree{}, false
		}
		return keysTree(&loopTable, *from), true
	case **TypeExpr:
		if *from == nil {
			return tree{}, false
		}
		return typeTree(*from), true
	case *[]*Field:
		return fieldsTree(*from, &stateTable), len(*from) > 0
	case *[]*TypeDecl:
		m := tree{shape: mapping}
		for _, d := range *from {
			m.add(d.Name.V, typeTree(d.Type))
		}
		return m, len(*from) > 0
	case *[]*Edge:
		l := tree{shape: list}
		for _, e := range *from {
			l.items = append(l.items, keysTree(e.form(), e))
		}
		return l, len(*from) > 0
	case *[]*Assertion:
		l := tree{shape: list}
		for _, a := range *from {
			if a.Doc.IsSet() {
				l.items = append(l.items, keysTree(&assertionTable, a))
			} else {
				l.items = append(l.items, bareTree(ScalarString, a.That.V))
			}
		}
		return l, len(*from) > 0
	}
	return unreadEntries(from)
}

// unreadEntries is unread for a section whose entries have keys of their own.
func unreadEntries(from any) (tree, bool) {
	switch from := from.(type) {
	case *[]*Node:
		return entriesTree(*from, &nodeTable, func(n *Node) String { return n.Name }), len(*from) > 0
	case entriesAt[ToolDecl]:
		return entriesTree(*from.list, &toolTable, func(t *ToolDecl) String { return t.Name }), len(*from.list) > 0
	case entriesAt[Field]:
		return fieldsTree(*from.list, &fieldTable), len(*from.list) > 0
	case entriesAt[Eval]:
		return entriesTree(*from.list, &evalTable, func(e *Eval) String { return e.Name }), len(*from.list) > 0
	case entriesAt[Block]:
		l := tree{shape: list}
		for _, b := range *from.list {
			l.items = append(l.items, keysTree(&blockTable, b))
		}
		return l, len(*from.list) > 0
	}
	panic(fmt.Sprintf("spec: no way to write a %T", from))
}

// entriesTree is a mapping of names to entries with keys of their own.
func entriesTree[T any](entries []*T, keys *table[T], name func(*T) String) tree {
	m := tree{shape: mapping}
	for _, e := range entries {
		m.add(name(e).V, keysTree(keys, e))
	}
	return m
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

func namesTree(names []String) tree {
	l := tree{shape: list}
	for _, n := range names {
		l.items = append(l.items, textTree(n.V))
	}
	return l
}

func pairsTree[T any](list []T, pair func(T) (key, value String)) tree {
	m := tree{shape: mapping}
	for _, item := range list {
		key, value := pair(item)
		m.add(key.V, textTree(value.V))
	}
	return m
}

func flagsTree(flags []Flag) tree {
	l := tree{shape: list}
	for _, f := range flags {
		if f.Retry == nil {
			l.items = append(l.items, textTree(f.Name.V))
			continue
		}
		m := tree{shape: mapping}
		m.add(f.Name.V, keysTree(&retryTable, f.Retry))
		l.items = append(l.items, m)
	}
	return l
}

// fieldsTree is the fields of a struct or of the state.
func fieldsTree(fields []*Field, keys *table[fieldParts]) tree {
	m := tree{shape: mapping}
	for _, f := range fields {
		m.add(f.Name.V, fieldTree(f, keys))
	}
	return m
}

// fieldTree is a field's type text, where that is all there is to say.
func fieldTree(f *Field, keys *table[fieldParts]) tree {
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
	m := tree{shape: mapping}
	for i := range keys.rows {
		from := keys.rows[i].to(&parts)
		value, ok := unread(from)
		if t, isType := from.(**TypeExpr); ok && isType && *t != parts.text {
			value = contents(*t)
		}
		if ok {
			m.add(keys.rows[i].Name, value)
		}
	}
	if len(m.items) == 2 && parts.text != nil {
		return m.items[1]
	}
	return m
}

// contents is the tree of a type behind the key of a field that says its kind.
func contents(t *TypeExpr) tree {
	return typeTree(&TypeExpr{Kind: t.Kind, Values: t.Values, Fields: t.Fields, Variants: t.Variants, Go: t.Go}).items[1]
}

// typeTree is a type as an entry of types, or an output.
func typeTree(t *TypeExpr) tree {
	m := tree{shape: mapping}
	switch t.Kind {
	case TypeEnum:
		m.add("enum", namesTree(t.Values))
	case TypeStruct:
		m.add("struct", fieldsTree(t.Fields, &fieldTable))
	case TypeUnion:
		variants := tree{shape: mapping}
		for _, v := range t.Variants {
			variants.add(v.Label.V, typeTree(v.Type))
		}
		m.add("union", variants)
	case TypeGo:
		m.add("go", textTree(t.Go.V))
	default:
		return textTree(typeString(t))
	}
	if t.Discriminator.IsSet() {
		m.add("discriminator", textTree(t.Discriminator.V))
	}
	if t.Doc.IsSet() {
		m.add("doc", textTree(t.Doc.V))
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
