package plan

import (
	"cmp"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// String returns the machine as text: a line for each of its settings, types, nodes, transitions, conditions
// and codecs, and indented below a node a line for each part of it. What is zero is left out. Tests compare it.
func (m *Machine) String() string {
	p := &printer{}
	p.parts(reflect.ValueOf(m).Elem(), "", all)
	return p.String()
}

// A printer prints structs field by field, so that no field of a plan is forgotten.
type printer struct{ strings.Builder }

// parts prints the fields of a struct that have lines of their own.
func (p *printer) parts(v reflect.Value, indent string, wanted func(reflect.Type) bool) {
	for f, value := range flat(v) {
		switch {
		case !wanted(f.Type):
		case f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() != reflect.String:
			for j := range value.Len() {
				p.item(f.Name, value.Index(j), indent)
			}
		default:
			p.item(f.Name, value, indent)
		}
	}
}

// groups are the types of parts whose fields are printed as fields of the whole.
var groups = map[reflect.Type]bool{
	reflect.TypeFor[Limits](): true, reflect.TypeFor[Types](): true, reflect.TypeFor[Flow](): true, reflect.TypeFor[Children](): true,
	reflect.TypeFor[Models](): true, reflect.TypeFor[Humans](): true, reflect.TypeFor[Threads](): true,
	reflect.TypeFor[StateUse](): true, reflect.TypeFor[Checks](): true, reflect.TypeFor[Failure](): true, reflect.TypeFor[Pauses](): true,
	reflect.TypeFor[Choices](): true, reflect.TypeFor[Routes](): true, reflect.TypeFor[Composite](): true, reflect.TypeFor[Fork](): true,
}

// flat yields the exported fields of a struct and of its groups that are set.
func flat(v reflect.Value) iter.Seq2[reflect.StructField, reflect.Value] {
	return func(yield func(reflect.StructField, reflect.Value) bool) {
		for i := range v.NumField() {
			f := v.Type().Field(i)
			switch {
			case !f.IsExported() || v.Field(i).IsZero():
			case groups[f.Type]:
				for f, value := range flat(v.Field(i)) {
					if !yield(f, value) {
						return
					}
				}
			case !yield(f, v.Field(i)):
				return
			}
		}
	}
}

// item prints a value where it is declared and, below a node, its parts.
func (p *printer) item(name string, v reflect.Value, indent string) {
	if n, ok := v.Interface().(*Node); ok && name == "Nodes" {
		of := reflect.ValueOf(*n)
		p.WriteString(name + fields(of, func(t reflect.Type) bool { return !large(t) }) + "\n")
		for _, t := range []*resolve.Type{n.In, n.Out, n.Checks.Verdicts} {
			if t != nil && t.Name == "" && len(t.Fields) > 0 {
				p.WriteString("    Type " + typeText(t) + "\n")
			}
		}
		p.parts(of, "    ", large)
		return
	}
	if v.Kind() == reflect.Interface { // its type is the name of a node's work
		v = v.Elem()
		name = v.Type().Elem().Name()
	}
	if w, ok := v.Interface().(*Transition); ok && name == "Transitions" {
		p.WriteString(name + fields(reflect.ValueOf(*w), all) + "\n")
		return
	}
	p.WriteString(strings.TrimRight(indent+name+" "+declared(v), " ") + "\n")
}

func all(reflect.Type) bool { return true }

// large reports whether fields of a type have lines of their own below their node: lists of structs, and
// what only some nodes have.
func large(t reflect.Type) bool {
	if t.Kind() == reflect.Slice {
		return t.Elem().Kind() == reflect.Struct || large(t.Elem())
	}
	if t.Kind() == reflect.Interface {
		return true
	}
	return t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct && references[t] == nil
}

// references are the types of which a reference is printed as a name.
var references = map[reflect.Type]func(any) string{
	reflect.TypeFor[*Node]():          func(v any) string { return v.(*Node).Name },
	reflect.TypeFor[*Transition]():    func(v any) string { return v.(*Transition).Const },
	reflect.TypeFor[*Tool]():          func(v any) string { return v.(*Tool).Name },
	reflect.TypeFor[*Condition]():     func(v any) string { c := v.(*Condition); return cmp.Or(c.Func, c.Expr) },
	reflect.TypeFor[*Other]():         func(v any) string { return v.(*Other).Graph },
	reflect.TypeFor[*spec.Kind]():     func(v any) string { return v.(*spec.Kind).Name },
	reflect.TypeFor[*spec.Graph]():    func(v any) string { return v.(*spec.Graph).Name.V },
	reflect.TypeFor[*resolve.Type]():  func(v any) string { return v.(*resolve.Type).Go() },
	reflect.TypeFor[*resolve.Field](): func(v any) string { return v.(*resolve.Field).Name },
	reflect.TypeFor[*Region](): func(v any) string {
		return cmp.Or(v.(*Region).Name, v.(*Region).Nodes[0].Name)
	},
}

// declared returns a value where it is declared: with its fields, though elsewhere its name is enough.
func declared(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case *resolve.Type:
		return typeText(x)
	case *Codec:
		return strings.Join(append([]string{x.String()}, x.variables()...), " ")
	case fmt.Stringer, *Node, *Transition, *resolve.Field:
		return text(v)
	}
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() == reflect.Struct {
		return strings.TrimPrefix(fields(v, all), " ")
	}
	return text(v)
}

// typeText returns a type with what it is made of.
func typeText(t *resolve.Type) string {
	var parts []string
	for _, v := range t.Values {
		parts = append(parts, v.Const+"="+v.Name)
	}
	for _, v := range t.Variants {
		parts = append(parts, v.Label+"="+v.Type.Go())
	}
	for _, f := range t.Fields {
		part := f.GoName + " " + f.Type.Go()
		if f.GoName != f.Name {
			part += " `" + f.Name + "`"
		}
		if f.Merge != "" && f.Merge != "last" {
			part += " merge " + f.Merge
			if most := f.Keeps(); most > 0 {
				part += " keep " + strconv.Itoa(most)
			}
		}
		parts = append(parts, part)
	}
	return t.Go() + " {" + strings.Join(parts, "; ") + "}"
}

// fields returns the fields of a struct that are set and of a wanted type.
func fields(v reflect.Value, wanted func(reflect.Type) bool) string {
	var b strings.Builder
	for f, value := range flat(v) {
		switch {
		case !wanted(f.Type):
		case f.Type.Kind() == reflect.Bool:
			b.WriteString(" " + f.Name)
		default:
			b.WriteString(" " + f.Name + "=" + text(value))
		}
	}
	return b.String()
}

// text returns a value on one line.
func text(v reflect.Value) string {
	if name := references[v.Type()]; name != nil {
		if v.IsNil() {
			return "end"
		}
		return name(v.Interface())
	}
	switch x := v.Interface().(type) {
	case time.Duration:
		return x.String()
	case Place:
		return strconv.Itoa(x.Line) + ":" + strconv.Itoa(x.Col)
	case spec.Rule:
		return text(reflect.ValueOf(x.String()))
	case fmt.Stringer:
		return x.String()
	}
	switch v.Kind() {
	case reflect.String:
		if s := v.String(); s != "" && !strings.ContainsAny(s, " \"\n=[]{}`\t") {
			return s
		}
		return strconv.Quote(v.String())
	case reflect.Pointer:
		return text(v.Elem())
	case reflect.Struct:
		return "{" + strings.TrimPrefix(fields(v, all), " ") + "}"
	case reflect.Slice:
		var items []string
		for i := range v.Len() {
			items = append(items, text(v.Index(i)))
		}
		return "[" + strings.Join(items, " ") + "]"
	case reflect.Map:
		var items []string
		for _, key := range v.MapKeys() {
			items = append(items, text(key)+":"+text(v.MapIndex(key)))
		}
		slices.Sort(items)
		return "{" + strings.Join(items, " ") + "}"
	}
	return fmt.Sprint(v.Interface())
}

var (
	testKinds    = []string{"always", "if", "goto", "label", "value", "equals", "at least", "true", "not empty", "route", "route text", "when", "calls"}
	defaultKinds = []string{"never", "terminal", "exhausted", "error", "end"}
)

// String returns what the test looks at.
func (k TestKind) String() string { return testKinds[k] }

// String returns what happens.
func (k DefaultKind) String() string { return defaultKinds[k] }
