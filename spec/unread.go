package spec

import (
	"fmt"
	"strconv"
	"time"

	"github.com/graphgen/graphgen/spec/yamlread"
)

// keysTree is a mapping of those of the table's keys that have a value.
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

func bareTree(kind yamlread.Kind, text string) Tree { return Tree{Kind: kind, Text: text} }

// unread is the reverse of read: the tree of a value from the place that a key's row
// names, whose type says what to make of it. It reports whether the value was written.
func unread(from any) (Tree, bool) {
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
			return Tree{}, false
		}
		return bareTree((*from).Kind, (*from).Text), true
	case *Limits:
		return keysTree(&limitsTable, from), from.Pos.IsSet()
	}
	return unreadList(from)
}

// unreadList is unread for what consists of others.
func unreadList(from any) (Tree, bool) {
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
			return Tree{}, false
		}
		return keysTree(&mutationsTable, *from), true
	case **OutputMatch:
		if *from == nil {
			return Tree{}, false
		}
		m := Tree{Kind: yamlread.Map}
		m.Add((*from).Key.V, bareTree((*from).Value.Kind, (*from).Value.Text))
		return m, true
	case *[]Flag:
		return flagsTree(*from), len(*from) > 0
	case **LoopUntil:
		if *from == nil {
			return Tree{}, false
		}
		return keysTree(&loopTable, *from), true
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
	case *[]*Edge:
		l := Tree{Kind: yamlread.List}
		for _, e := range *from {
			l.Items = append(l.Items, keysTree(e.form(), e))
		}
		return l, len(*from) > 0
	case *[]*Assertion:
		l := Tree{Kind: yamlread.List}
		for _, a := range *from {
			if a.Doc.IsSet() {
				l.Items = append(l.Items, keysTree(&assertionTable, a))
			} else {
				l.Items = append(l.Items, bareTree(ScalarString, a.That.V))
			}
		}
		return l, len(*from) > 0
	}
	return unreadEntries(from)
}

// unreadEntries is unread for a section whose entries have keys of their own.
func unreadEntries(from any) (Tree, bool) {
	switch from := from.(type) {
	case *[]*Node:
		return entriesTree(*from, &nodeTable, (*Node).name), len(*from) > 0
	case *[]*ToolDecl:
		return entriesTree(*from, &toolTable, (*ToolDecl).name), len(*from) > 0
	case *[]*Eval:
		return entriesTree(*from, &evalTable, (*Eval).name), len(*from) > 0
	case *[]*Block:
		l := Tree{Kind: yamlread.List}
		for _, b := range *from {
			l.Items = append(l.Items, keysTree(&blockTable, b))
		}
		return l, len(*from) > 0
	}
	panic(fmt.Sprintf("spec: no way to write a %T", from))
}

// entriesTree is a mapping of names to entries with keys of their own.
func entriesTree[T any](entries []*T, keys *table[T], name func(*T) *String) Tree {
	m := Tree{Kind: yamlread.Map}
	for _, e := range entries {
		m.Add(name(e).V, keysTree(keys, e))
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

// branchesTree is the branches of a parallel.
func branchesTree(branches []Branch) Tree {
	m := Tree{Kind: yamlread.Map}
	for _, b := range branches {
		m.Add(b.Name.V, namesTree(b.Nodes))
	}
	return m
}

func namesTree(names []String) Tree {
	l := Tree{Kind: yamlread.List}
	for _, n := range names {
		l.Items = append(l.Items, textTree(n.V))
	}
	return l
}

func pairsTree[T any](list []T, pair func(T) (key, value String)) Tree {
	m := Tree{Kind: yamlread.Map}
	for _, item := range list {
		key, value := pair(item)
		m.Add(key.V, textTree(value.V))
	}
	return m
}

func flagsTree(flags []Flag) Tree {
	l := Tree{Kind: yamlread.List}
	for _, f := range flags {
		if f.Retry == nil {
			l.Items = append(l.Items, textTree(f.Name.V))
			continue
		}
		m := Tree{Kind: yamlread.Map}
		m.Add(f.Name.V, keysTree(&retryTable, f.Retry))
		l.Items = append(l.Items, m)
	}
	return l
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

// contents is the tree of a type behind the key of a field that says its kind.
func contents(t *TypeExpr) Tree {
	return typeTree(&TypeExpr{Kind: t.Kind, Values: t.Values, Fields: t.Fields, Variants: t.Variants, Go: t.Go}).Items[1]
}

// typeTree is a type as an entry of types, or an output.
func typeTree(t *TypeExpr) Tree {
	m := Tree{Kind: yamlread.Map}
	switch t.Kind {
	case TypeEnum:
		m.Add("enum", namesTree(t.Values))
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
