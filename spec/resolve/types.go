package resolve

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/goname"
)

// Kind is the kind of a resolved type.
type Kind uint8

const (
	Unknown Kind = iota // an undeclared name
	String
	Int
	Float
	Bool
	List
	Map      // with string keys
	Optional // absent, or a value
	Enum
	Struct
	Time     // time.Time, RFC 3339 in JSON
	Duration // time.Duration, text as 1h30m in JSON
	Bytes    // []byte, base64 in JSON
	Any      // raw JSON: jsontext.Value, or the Go type of another package given by Import and GoName
	Union    // an interface that its variants implement
	External // a Go type with its own codec methods
	Message  // chat.Message, or a struct in it
	Media    // an image, a PDF or a sound: a type of package chat
)

// basics are the types the language has by name.
var basics = map[string]*Type{
	"string": {Kind: String},
	"int":    {Kind: Int},
	"float":  {Kind: Float},
	"bool":   {Kind: Bool},

	"time":     {Kind: Time},
	"duration": {Kind: Duration},
	"bytes":    {Kind: Bytes},
	"any":      {Kind: Any},

	"message":  messageType,
	"messages": {Kind: List, Elem: messageType},

	"image": {Kind: Media, Name: "image", GoName: "Image", Import: ChatPath, Qualifier: goname.Chat},
	"pdf":   {Kind: Media, Name: "pdf", GoName: "PDF", Import: ChatPath, Qualifier: goname.Chat},
	"audio": {Kind: Media, Name: "audio", GoName: "Audio", Import: ChatPath, Qualifier: goname.Chat},
}

// BasicNames lists the types that the language has by name.
var BasicNames = spec.Names(spec.BasicTypes)

// A Type is a resolved type. Structs, enums and unions are shared: equal types are equal pointers.
type Type struct {
	Kind   Kind
	Name   string // as declared; empty for an inline type
	GoName string // of an enum, struct, union or external type
	Doc    string
	Pos    spec.Pos
	Elem   *Type // List, Map, Optional
	Fields []*Field
	Values []EnumValue

	Variants      []Variant // Union
	Discriminator string    // Union: the JSON member that holds the label
	Import        string    // the import path where the type is declared; empty in the graph's own package
	Qualifier     string    // the name of that package in generated code
	Declared      bool      // the Go type exists: only what it lacks is generated

	byName map[string]*Field // for the state: the first field with each name
	Own    *spec.GoType      // what exists of a Declared type; nil: unknown
}

// A Variant is a member of a union: a struct with its label in JSON.
type Variant struct {
	Label string
	Type  *Type
	Pos   spec.Pos
}

// A Field is a field of a struct type or of the state.
type Field struct {
	Spec   *spec.Field
	Name   string // as written, and in JSON
	GoName string
	Type   *Type
	Merge  string // state fields: last, append, …; empty elsewhere
}

// Private reports whether no model is shown the state field, and none writes it. A nil f is not private.
func (f *Field) Private() bool { return f != nil && f.Spec != nil && f.Spec.Private.V }

// Secret reports whether threads keep the field sealed.
func (f *Field) Secret() bool { return f != nil && f.Spec != nil && f.Spec.Secret.V }

// Carries reports whether the next run of a thread begins with the value of the field.
func (f *Field) Carries() bool { return f != nil && f.Spec != nil && f.Spec.Carry.V }

// Keeps returns how many elements a list of the state keeps, 0 for all.
func (f *Field) Keeps() int {
	if f.Spec == nil || f.Merge != "append" {
		return 0
	}
	return f.Spec.Keep.V
}

// StartsAssigned reports whether a state field has a meaningful value before its first write: a
// default, nil for an optional, the neutral value of its merge rule, or an empty conversation.
func (f *Field) StartsAssigned() bool {
	return f.Spec.Default != nil || f.Type.Kind == Optional || f.Merge != "last" || f.Type.IsConversation()
}

// An EnumValue is one value of an enum.
type EnumValue struct {
	Name  string // as written, and in JSON
	Const string // the Go constant
	Was   string // the name that it had in an earlier release; empty: none
	Pos   spec.Pos
}

// Go returns the Go type expression, as generated code writes it.
func (t *Type) Go() string { return t.expr(func(in Import) string { return in.Name }) }

// GoPath returns the Go type expression with import paths instead of package names. Two
// expressions are equal if they denote the same type.
func (t *Type) GoPath() string { return t.expr(func(in Import) string { return in.Path }) }

// expr returns the Go type expression, with package names from qualify.
func (t *Type) expr(qualify func(Import) string) string {
	switch t.Kind {
	case String:
		return "string"
	case Int:
		return "int"
	case Float:
		return "float64"
	case Bool:
		return "bool"
	case List:
		return "[]" + t.Elem.expr(qualify)
	case Map:
		return "map[string]" + t.Elem.expr(qualify)
	case Optional:
		return "*" + t.Elem.expr(qualify)
	case Time:
		return qualify(timeImport) + ".Time"
	case Duration:
		return qualify(timeImport) + ".Duration"
	case Bytes:
		return "[]byte"
	case Any, Enum, Struct, Union, External, Message, Media:
		if t.Kind == Any && t.Import == "" {
			return qualify(jsonImport) + ".Value"
		}
		if t.Import != "" {
			return qualify(Import{t.Import, t.Qualifier}) + "." + t.GoName
		}
		return t.GoName
	}
	return "struct{}"
}

// String returns the type in the notation of the spec.
func (t *Type) String() string {
	switch t.Kind {
	case Float:
		return "float"
	case Time:
		return "time"
	case Duration:
		return "duration"
	case Bytes:
		return "bytes"
	case Any:
		if t.Name != "" {
			return t.Name
		}
		return "any"
	case Map:
		return "map[string]" + t.Elem.String()
	case List:
		if t.IsConversation() {
			return "messages"
		}
		return "[]" + t.Elem.String()
	case Optional:
		return "?" + t.Elem.String()
	case Enum, Struct, Union:
		if t.Name != "" {
			return t.Name
		}
		return t.GoName
	case External:
		if t.Name != "" {
			return t.Name
		}
		return t.Go()
	case Message, Media, Unknown:
		return t.Name
	}
	return t.Go()
}

// Field returns the struct field with the given name, or nil.
func (t *Type) Field(name string) *Field {
	if t == nil {
		return nil
	}
	if t.byName != nil {
		return t.byName[name]
	}
	return fieldNamed(t.Fields, name)
}

// Value returns the enum value with the given name, or nil.
func (t *Type) Value(name string) *EnumValue {
	for i := range t.Values {
		if t.Values[i].Name == name {
			return &t.Values[i]
		}
	}
	return nil
}

// ValueNames lists the values of an enum as they are written.
func (t *Type) ValueNames() []string {
	names := make([]string, len(t.Values))
	for i := range t.Values {
		names[i] = t.Values[i].Name
	}
	return names
}

// Base returns the type without its outermost optional.
func (t *Type) Base() *Type {
	if t.Kind == Optional {
		return t.Elem
	}
	return t
}

// Same reports whether two types are the same Go type.
func Same(a, b *Type) bool {
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case List, Map, Optional:
		return Same(a.Elem, b.Elem)
	case Enum, Struct, Union, Message:
		return a == b
	case Any, External, Media:
		return a.Import == b.Import && a.GoName == b.GoName
	case Unknown:
		return a.Name == b.Name
	}
	return true
}

// bindTypes declares every name first, so that types may refer forward.
func (f *file) bindTypes() {
	for _, d := range f.spec.Types {
		if _, repeated := f.named[d.Name.V]; repeated || d.Type == nil {
			continue
		}
		t := &Type{}
		if d.Type.Kind == spec.TypeGo {
			t = f.external(d.Type, d.Name.V)
			t.Pos = d.Name.Pos
		} else {
			t = f.declare(d.Type, goname.Exported(d.Name.V))
			t.Name, t.Pos = d.Name.V, d.Name.Pos
			t.declaredAs(d.Go)
		}
		f.named[d.Name.V] = t
	}
	for _, d := range f.spec.Types {
		if t := f.named[d.Name.V]; t != nil && t.Pos == d.Name.Pos {
			f.fill(t, d.Type)
		}
	}
}

// defined maps type expressions to the kinds that are declared in Go.
var defined = map[spec.TypeKind]Kind{spec.TypeEnum: Enum, spec.TypeStruct: Struct, spec.TypeUnion: Union}

// declare makes a type with a declaration in Go, without its contents. Types of a used file are
// generated with that file.
func (f *file) declare(e *spec.TypeExpr, goName string) *Type {
	t := &Type{Kind: defined[e.Kind], GoName: goName, Doc: e.Doc.V, Pos: e.Pos, Import: f.in.Path, Qualifier: f.in.Name}
	f.types = append(f.types, t)
	if f.spec == f.graph.Spec {
		f.graph.Types = f.types
	}
	return t
}

// fill sets the contents of a struct, enum or union.
func (f *file) fill(t *Type, e *spec.TypeExpr) {
	switch t.Kind {
	case Enum:
		for i, v := range e.Values {
			if v.Lost {
				continue
			}
			value := EnumValue{Name: v.V, Const: t.GoName + goname.Exported(v.V), Was: e.Was(v.V), Pos: v.Pos}
			if t.Own != nil && i < len(t.Own.Consts) {
				value.Const = t.Own.Consts[i]
			}
			t.Values = append(t.Values, value)
		}
	case Struct:
		t.Fields = f.fields(e.Fields, t.GoName)
	case Union:
		t.Discriminator = e.Discriminator.V
		if !e.Discriminator.IsSet() && !e.Unread {
			t.Discriminator = spec.DefaultDiscriminator
		}
		for _, v := range e.Variants {
			one := f.expr(v.Type, t.GoName+goname.Exported(v.Label.V))
			if v.Type != nil && v.Type.Kind == spec.TypeStruct {
				one.Pos = v.Label.Pos // its label is named instead
			}
			t.Variants = append(t.Variants, Variant{Label: v.Label.V, Type: one, Pos: v.Label.Pos})
		}
	}
}

// expr resolves a type expression. goName is the Go name of an inline type.
func (f *file) expr(e *spec.TypeExpr, goName string) *Type {
	if e == nil {
		return &Type{Kind: Unknown}
	}
	switch e.Kind {
	case spec.TypeNamed:
		if t := f.lookup(e.Name); t != nil && t.Kind != Unknown {
			return t
		}
		return &Type{Kind: Unknown, Name: e.Name, Pos: e.Pos}
	case spec.TypeList:
		return &Type{Kind: List, Elem: f.expr(e.Elem, goName), Pos: e.Pos}
	case spec.TypeMap:
		return &Type{Kind: Map, Elem: f.expr(e.Elem, goName), Pos: e.Pos}
	case spec.TypeOptional:
		return &Type{Kind: Optional, Elem: f.expr(e.Elem, goName), Pos: e.Pos}
	case spec.TypeGo:
		return f.external(e, "")
	}
	t := f.declare(e, goName)
	f.fill(t, e)
	return t
}

func (f *file) fields(written []*spec.Field, parent string) []*Field {
	out := make([]*Field, 0, len(written))
	for _, w := range written {
		name := goname.Exported(w.Name.V)
		if w.GoName != "" {
			name = w.GoName
		}
		out = append(out, &Field{Spec: w, Name: w.Name.V, GoName: name, Type: f.expr(w.Type, parent+name)})
	}
	return out
}

// declaredAs marks the Go type as existing.
func (t *Type) declaredAs(is *spec.GoType) {
	if is != nil {
		t.GoName, t.Declared, t.Own = is.Name, true, is
	}
}

// Lacks reports whether a method of the type has to be generated.
func (t *Type) Lacks(method string) bool {
	return t.Own == nil || !t.Own.Elsewhere && !slices.Contains(t.Own.Methods, method)
}

// Text reports whether the values of an enum are Go strings.
func (t *Type) Text() bool { return t.Own != nil && t.Own.Text }
