package resolve

import (
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
)

// A Codec is a set of the JSON functions that generated code has for a type.
type Codec uint8

const (
	Encode   Codec = 1 << iota // write values
	Decode                     // read values
	Schema                     // return the JSON Schema
	Zero                       // of a struct: report whether a value is zero, so that another type omits it
	Methods                    // implement the methods of encoding/json/v2
	Members                    // write and read values where only a program does so
	Standard                   // implement the methods of encoding/json

	AllCodecs = Encode | Decode | Schema | Zero | Methods | Members | Standard

	// Asked are the functions that generated code itself, or `codecs: all`, needs.
	Asked = Encode | Decode | Schema | Methods
)

// Table reports whether the codec has a variable for the type.
func (c Codec) Table(t *Type) bool { return t.Kind != Struct && c&(Encode|Decode|Members) != 0 }

// Codecs returns the JSON functions that generated code has for each type, including types of used
// files. A type without any is not in the map. The page docs/reference/codecs.md lists which types are JSON.
// A file of types, and a graph with `codecs: all`, has all codecs.
func (g *Graph) Codecs() map[*Type]Codec {
	c := codecs{of: map[*Type]Codec{}, Comparable: Comparable{}}
	if g.EveryCodec() {
		c.all(g)
	} else {
		c.standard(g)
	}
	if g.Spec.Durable.V {
		c.saved(g)
	}
	if g.Spec.Drives(spec.Temporal) {
		c.sent(g)
	}
	for _, f := range g.ShownFields() {
		c.field(f)
	}
	for _, t := range slices.Concat(g.Types, []*Type{g.State}) {
		if t != nil && t.Own != nil { // needs of other graphs of the package
			c.need(t, Codec(t.Own.Codec))
		}
	}
	for _, t := range g.Tools {
		c.need(t.Args, Decode)
		c.need(t.Returns, Encode)
		if t.Spec.Client.V {
			c.need(t.Returns, Decode)
		}
		if t.Keyed() {
			c.need(t.In, Encode)
			c.leavesOut(t.In)
		}
	}
	if m := g.Mutations; m != nil && m.Allows("add_node") && slices.Contains(m.Kinds, "prompt") {
		c.shown(m.Reads...)
		c.offered(m.Tools)
	}
	judged := g.Judged != nil
	c.need(g.Judged, Encode)
	for _, n := range g.All() {
		c.asks(g, n)
		c.judges(n)
		c.inherits(n, judged)
		if n.Kind.By == spec.ByTool && n.Fixed != nil {
			c.need(n.Fixed.Args, Encode)
			c.need(n.Fixed.Returns, Decode)
		}
		c.need(n.Payload, Encode|Decode)
		if n.Has(spec.ValidateOutput) && !n.Asks {
			c.need(n.Out, Encode)
		}
		if n.Has(spec.Cacheable) && n.In != nil {
			c.need(n.In, Encode)
			c.leavesOut(n.In)
		}
	}
	return c.of
}

// ShownFields returns the fields of the state that events of a served graph may have: without private ones, and none where a field is secret.
func (g *Graph) ShownFields() (list []*Field) {
	if !g.Spec.Serve.V {
		return nil
	}
	for _, f := range g.State.Fields {
		if f.Secret() {
			return nil
		}
		if !f.Private() {
			list = append(list, f)
		}
	}
	return list
}

// EveryCodec reports whether all types of the file have all codecs.
func (g *Graph) EveryCodec() bool { return g.Spec.TypesOnly() || g.Spec.Codecs.V == "all" }

// A Lacking is a type of a used graph without a codec that is needed here.
type Lacking struct {
	Type  *Type
	Use   string // the use of the graph; empty: through another file
	File  string // base name of the file that declares it
	Codec Codec  // the codec that is missing
}

// LackingCodecs returns the types of used graphs without a needed codec, in the order of the uses
// and their types.
func (g *Graph) LackingCodecs() []Lacking {
	var out []Lacking
	needed := g.Codecs()
	look := func(f *file, use string) {
		if f == g.own || f.spec.TypesOnly() {
			return
		}
		has := map[string]Codec{}
		used := g.subOf(f.spec)
		for t, codec := range used.Codecs() {
			if slices.Contains(used.Types, t) {
				if codec&Members != 0 {
					codec |= Encode | Decode
				}
				has[t.GoName] = codec
			}
		}
		for _, t := range f.types {
			if lacks := needed[t] &^ has[t.GoName]; lacks != 0 {
				out = append(out, Lacking{t, use, filepath.Base(f.spec.File), lacks})
			}
		}
	}
	seen := map[*file]bool{}
	for _, u := range g.Spec.Use {
		for _, f := range g.own.uses[u.Name.V] {
			if !seen[f] {
				seen[f] = true
				look(f, u.Name.V)
			}
		}
	}
	byPath := func(a, b *spec.Graph) int { return strings.Compare(a.File, b.File) }
	for _, s := range slices.SortedFunc(maps.Keys(g.files), byPath) {
		if f := g.files[s]; !seen[f] {
			look(f, "")
		}
	}
	return out
}

// codecs collects the codecs that a graph needs.
type codecs struct {
	of map[*Type]Codec
	Comparable
}

// all adds every codec of the graph.
func (c *codecs) all(g *Graph) {
	for _, t := range g.Types {
		c.need(t, AllCodecs)
	}
	if g.Spec.TypesOnly() {
		return
	}
	for _, t := range []*Type{g.State, g.Input, g.Output} {
		c.need(t, Encode|Decode|Methods|Standard)
	}
	c.leavesOut(g.State)
	for _, n := range g.All() {
		if n.FromWrites() {
			c.need(n.Out, Encode|Decode|Methods|Standard)
		}
	}
}

// saved adds the codecs of what threads save: the fields of the state, and the outputs of nodes.
func (c *codecs) saved(g *Graph) {
	for _, f := range g.State.Fields {
		c.field(f)
	}
	for _, n := range g.All() {
		if n.Out == nil {
			continue
		}
		c.need(n.Out, Encode|Decode)
		if n.Out.Kind == Struct && !c.Comparable.Of(n.Out) {
			c.need(n.Out, Zero)
		}
	}
}

// field adds the codecs of a field that is saved, or shown.
func (c *codecs) field(f *Field) {
	c.need(f.Type, Encode|Decode)
	if f.Type.Kind == Struct && !c.Comparable.Of(f.Type) {
		c.need(f.Type, Zero)
	}
}

// sent adds the codecs of what activities get and return: what handlers, guards and tools read and give, and the state for those that take it, and
// for queries.
func (c *codecs) sent(g *Graph) {
	both := Encode | Decode
	partial := func(t *Type) {
		if t != nil {
			c.need(t, both)
			c.leavesOut(t)
		}
	}
	partial(g.State)
	for _, n := range g.All() {
		if n.Body == nil {
			partial(n.In)
		}
		c.need(n.Out, both)
	}
	for _, in := range g.GuardInputs() {
		partial(in)
	}
	for _, t := range g.Tools {
		partial(t.In)
		c.need(t.Args, both)
		c.need(t.Returns, both)
	}
	c.need(g.Update, both)
}

// standard adds the methods of encoding/json to the types of the graph, its input and its output, but not to a
// type that holds one that generated code may not be able to write.
func (c *codecs) standard(g *Graph) {
	types := slices.Concat(g.Types, []*Type{g.Input, g.Output})
	opaque := opaqueAmong(types)
	for _, t := range types {
		if t != nil && !opaque[t] {
			c.need(t, Members|Standard)
		}
	}
	if g.Output == nil || opaque[g.Output] {
		return
	}
	for _, f := range g.Output.Fields { // which leaves out structs that are zero
		if f.Type.Kind == Struct && slices.Contains(g.Types, f.Type) && !c.Comparable.Of(f.Type) {
			c.need(f.Type, Zero)
		}
	}
}

// opaqueAmong returns the types, and the types in them, that hold a value whose JSON is not known: of a
// Go type, or of a struct in Go with fields that the graph does not use.
func opaqueAmong(types []*Type) map[*Type]bool {
	opaque, holders := map[*Type]bool{}, map[*Type][]*Type{}
	var queue []*Type
	mark := func(t *Type) {
		if !opaque[t] {
			opaque[t] = true
			queue = append(queue, t)
		}
	}
	seen := map[*Type]bool{}
	var visit func(t *Type)
	visit = func(t *Type) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		if t.Kind == External || t.Kind == Unknown || t.Own != nil && t.Own.Hidden {
			mark(t)
		}
		for part := range t.parts() {
			holders[part] = append(holders[part], t)
			visit(part)
		}
	}
	for _, t := range types {
		visit(t)
	}
	for len(queue) > 0 {
		t := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, holder := range holders[t] {
			mark(holder)
		}
	}
	return opaque
}

// parts returns the types that a type is made of.
func (t *Type) parts() iter.Seq[*Type] {
	return func(yield func(*Type) bool) {
		if t.Elem != nil && !yield(t.Elem) {
			return
		}
		for _, f := range t.Fields {
			if !yield(f.Type) {
				return
			}
		}
		for _, v := range t.Variants {
			if !yield(v.Type) {
				return
			}
		}
	}
}

// asks adds the codecs for the request of a node to a model or a person, and for the answer.
func (c *codecs) asks(g *Graph, n *Node) {
	if n.Asks || n.Kind.Picks() || n.Kind.By == spec.ByPerson || n.Kind.Sends {
		for p := range n.Pieces() {
			c.shown(p.Field)
		}
		c.shown(n.Shown()...)
	}
	if n.Gated() {
		c.shown(n.Approved()...)
	}
	for _, t := range n.Tools {
		if g.Approves(n, t.Spec.Name.V) {
			c.need(t.Args, Encode)
		}
	}
	switch {
	case n.Asks && n.Kind.By == spec.ByModel:
		c.offered(n.Tools)
		c.need(n.Out, Decode)
		if !g.Mutates(n) { // else the schema of the answer includes the mutations
			c.need(n.Out, Schema)
		} else if n.Out != nil {
			c.need(g.Update, Decode)
		}
	case n.Kind.By == spec.ByPerson && n.Out != nil:
		c.need(n.Out, Encode|Decode)
		if n.Out.Kind == Struct {
			c.need(n.Out, Schema)
		}
	}
}

// judges adds the codecs for what models are shown that judge the output of a node, or its edges.
func (c *codecs) judges(n *Node) {
	for _, e := range n.Evals {
		c.shown(e.Shown...)
	}
	for _, guard := range n.Guards {
		c.shown(guard.Shown...)
	}
	for _, e := range n.Leaving {
		c.shown(e.Shown...)
	}
}

// inherits adds the codecs for results that are shown later: of all nodes if a model judges edges,
// else of those that prompts inherit from or that a model judges.
func (c *codecs) inherits(n *Node, judged bool) {
	if judged && n.Kind.By != spec.ByGraph || n.HasJudge() {
		c.need(n.Out, Encode)
	}
	for _, from := range n.Inherits {
		c.need(from.Out, Encode)
	}
}

// offered adds the schemas of the arguments of tools that models may call.
func (c *codecs) offered(tools []*Tool) {
	for _, t := range tools {
		c.need(t.Args, Schema)
	}
}

// shown adds the encoding of state fields. An enum is shown as text.
func (c *codecs) shown(fields ...*Field) {
	for _, f := range fields {
		if f != nil && f.Type.Base().Kind != Enum {
			c.need(f.Type, Encode)
		}
	}
}

// leavesOut adds the zero tests of structs in a struct, which omits zero values.
func (c *codecs) leavesOut(t *Type) {
	for _, f := range t.Fields {
		if f.Type.Kind == Struct {
			c.need(f.Type, Zero)
		}
	}
}

// need adds codecs for a type and its parts.
func (c *codecs) need(t *Type, codec Codec) {
	for t != nil && t.Elem != nil {
		t = t.Elem
	}
	if t == nil || t.Kind != Struct && t.Kind != Enum && t.Kind != Union && t.Kind != External {
		return
	}
	more := codec &^ c.of[t]
	if more == 0 {
		return
	}
	c.of[t] |= more
	within := more & (Encode | Decode | Members)
	for _, known := range []struct {
		codec   Codec
		methods []string
	}{{Encode, []string{"EncodeJSON", "MarshalJSONTo"}}, {Decode, []string{"DecodeJSON", "UnmarshalJSONFrom"}}} {
		if t.Own != nil && slices.ContainsFunc(known.methods, func(name string) bool { return slices.Contains(t.Own.Methods, name) }) {
			within &^= known.codec | Members
		}
	}
	if within != 0 {
		for _, f := range t.Fields {
			c.need(f.Type, within)
		}
		for _, v := range t.Variants {
			c.need(v.Type, within)
		}
	}
	if more&Zero != 0 && !c.Comparable.Of(t) {
		c.leavesOut(t)
	}
}

// Comparable reports whether Go's == compares the values of types, as far as known. It examines
// each struct once.
type Comparable map[*Type]bool

// Of reports whether == compares values of the type.
func (c Comparable) Of(t *Type) bool {
	switch t.Kind {
	case List, Map, Bytes, Any, Time, Union, External, Message, Media:
		return false
	}
	if t.Own != nil && t.Own.Hidden {
		return false
	}
	known, ok := c[t]
	if ok || len(t.Fields) == 0 {
		return known || !ok
	}
	c[t] = false // a struct that contains itself, which is a mistake
	c[t] = !slices.ContainsFunc(t.Fields, func(f *Field) bool { return !c.Of(f.Type) })
	return c[t]
}
