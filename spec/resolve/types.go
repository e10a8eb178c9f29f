package resolve

import (
	"go/ast"
	"go/parser"
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

// GoPath returns the Go type expression with import paths in place of package names. Two
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
	for _, f := range t.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
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

func (g *Graph) bindState() {
	g.State = &Type{Kind: Struct, GoName: g.GoName + "State", Fields: g.own.fields(g.Spec.State, g.GoName)}
	g.State.declaredAs(g.Spec.Go.State)
	for _, f := range g.State.Fields {
		f.Merge = mergeOf(f.Spec)
	}
	g.State.byName = make(map[string]*Field, len(g.State.Fields)) // every node uses it
	for _, f := range slices.Backward(g.State.Fields) {
		g.State.byName[f.Name] = f
	}
	g.Input = &Type{Kind: Struct, GoName: g.GoName + "Input", Fields: g.given(g.Spec.Input)}
	g.Output = &Type{Kind: Struct, GoName: g.GoName + "Output", Fields: g.pick(g.Spec.Output)}
}

// mergeOf returns the merge rule of a state field.
func mergeOf(f *spec.Field) string {
	if f.Merge.V == "" && !f.Merge.Lost {
		return "last"
	}
	return f.Merge.V
}

// given returns the fields of the input.
func (g *Graph) given(names []spec.String) []*Field {
	fields := g.pick(names)
	for i, f := range fields {
		fields[i] = offered(f)
	}
	return fields
}

// offered returns a field as an input. An input with a default becomes optional, so that a passed
// value can be distinguished from none.
func offered(f *Field) *Field {
	if f.Spec.Default == nil || f.Type.Kind == Optional {
		return f
	}
	given := *f
	given.Type = &Type{Kind: Optional, Elem: f.Type, Pos: f.Type.Pos}
	return &given
}

// SetAtStart reports whether a state field has a value when a run starts: it is an input, or it has
// a default.
func (g *Graph) SetAtStart(f *Field) bool {
	return g.Input.Field(f.Name) != nil || f.Spec.Default != nil
}

// pick returns the known state fields among names, each once.
func (g *Graph) pick(names []spec.String) []*Field { return picked(g.State, names) }

func picked(state *Type, names []spec.String) []*Field {
	var out []*Field
	seen := map[string]bool{}
	for _, n := range names {
		if f := state.Field(n.V); f != nil && !seen[n.V] {
			seen[n.V] = true
			out = append(out, f)
		}
	}
	return out
}

// bindData binds the input and output of a node. Those of a composite node are those of its regions.
func (g *Graph) bindData(n *Node) {
	if n.undecided() {
		n.Out = &Type{Kind: Unknown}
		return
	}
	switch {
	case n.Handled():
		g.bindHandlerData(n)
	case n.Asks || n.Kind.By == spec.ByTool || n.Kind.By == spec.ByPerson:
		g.bindAgentData(n)
	case n.Kind.By == spec.ByGraph:
		g.bindSubData(n)
	case len(n.Spec.Set) > 0:
		g.bindSet(n)
	}
}

// bindSet finds out which fields a node writes values to, and which ones these are made of.
func (g *Graph) bindSet(n *Node) {
	n.Out = &Type{Kind: Struct, GoName: g.GoName + n.GoName + "Out", Pos: n.Spec.Name.Pos}
	for _, a := range n.Spec.Set {
		if f := g.State.Field(a.Name.V); f != nil {
			n.Out.Fields = append(n.Out.Fields, f)
			n.Writes = append(n.Writes, Write{To: f, From: f, Name: a.Name})
		}
		for _, f := range g.ReadBy(a.Field.V) {
			n.read(f)
		}
	}
	if len(n.Writes) < len(n.Spec.Set) {
		n.Out = &Type{Kind: Unknown}
	}
}

// ReadBy returns the fields of the state that an expression names.
func (g *Graph) ReadBy(expression string) []*Field {
	var fields []*Field
	for _, name := range stateNames(expression) {
		if i := slices.IndexFunc(g.State.Fields, func(f *Field) bool { return f.GoName == name }); i >= 0 {
			fields = append(fields, g.State.Fields[i])
		}
	}
	return fields
}

// stateNames lists the Go names of the fields of state that an expression uses.
func stateNames(text string) (names []string) {
	const most = 16 << 10 // the parser descends as deep as an expression is nested
	tree, err := parser.ParseExpr(text[:min(len(text), most)])
	if err != nil {
		return nil
	}
	ast.Inspect(tree, func(x ast.Node) bool {
		if s, ok := x.(*ast.SelectorExpr); ok {
			if of, ok := s.X.(*ast.Ident); ok && of.Name == "state" {
				names = append(names, s.Sel.Name)
			}
		}
		return true
	})
	return names
}

// bindHandlerData finds out what a method of the handlers takes and gives.
func (g *Graph) bindHandlerData(n *Node) {
	s := n.Spec
	reads, writes := s.ReadsPos.IsSet(), s.WritesPos.IsSet()
	n.TakesState = !reads && !writes
	prefix := g.GoName + n.GoName
	if reads {
		n.In = &Type{Kind: Struct, GoName: prefix + "In", Fields: g.pick(s.Reads)}
		n.Reads = n.In.Fields
	}
	switch {
	case s.Output != nil:
		n.Out = g.own.expr(s.Output, prefix+"Out")
	case s.Unread || slices.ContainsFunc(s.Writes, func(w spec.String) bool { return g.State.Field(w.V) == nil }):
		n.Out = &Type{Kind: Unknown} // whatever it was meant to be
	case len(s.Writes) > 0:
		n.Out = &Type{Kind: Struct, GoName: prefix + "Out", Fields: g.pick(s.Writes)}
	}
	for _, w := range s.Writes {
		to := g.State.Field(w.V)
		if to == nil {
			continue
		}
		write := Write{To: to, Name: w}
		whole := s.Output != nil && n.writesWhole(to, w)
		if !whole {
			write.From = n.Out.Field(w.V)
		}
		n.Writes = append(n.Writes, write)
	}
}

// writesWhole reports whether the whole output is written to a field: its type fits, and of several fields, the output
// has none of that name.
func (n *Node) writesWhole(to *Field, name spec.String) bool {
	return (len(n.Spec.Writes) == 1 || n.Out.Field(name.V) == nil) && Accepts(to, n.Out)
}

// Accepts reports whether a value of type t can be merged into the state field: it has the type of
// the field, possibly without its optional, or it is an element of a list with merge rule append or
// union.
func Accepts(f *Field, t *Type) bool {
	return Same(f.Type, t) || (f.Type.Kind == Optional || TakesElement(f)) && Same(f.Type.Elem, t)
}

// TakesElement reports whether the merge rule of the field adds elements to a list.
func TakesElement(f *Field) bool {
	return f.Type.Kind == List && (f.Merge == "append" || f.Merge == "union")
}

// FromWrites reports whether the node's output struct consists of the fields that it writes and is
// not a declared type.
func (n *Node) FromWrites() bool {
	return n.Out != nil && n.Spec.Output == nil && (n.Handled() || n.Kind.By == spec.ByMachine)
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
