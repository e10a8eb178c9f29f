package golang

import (
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// types declares the Go types of a graph's data: what the spec declares, the state
// and the parts of it that the run and each node take and give.
func (e *emitter) types() {
	f, m := e.f, e.m
	origins, codecs := originsOf(m), newCodecs(e)
	for _, t := range m.Types.Declared {
		doc := t.Doc
		if doc == "" && origins[t] != "" {
			doc = t.GoName + " " + origins[t] + "."
		}
		switch {
		case t.Kind == resolve.Enum && t.Own != nil:
			codecs.emitEnumTable(t)
			e.enumString(t)
		case t.Declared && t.Kind == resolve.Enum:
			codecs.emitEnumTable(t)
		case t.Declared:
		case t.Kind == resolve.Enum:
			e.enum(t, doc)
			codecs.emitEnumTable(t)
			e.enumString(t)
		case t.Kind == resolve.Union:
			e.union(t, doc)
		default:
			emitStruct(f, t, doc, documented)
		}
		codecs.beside(t)
	}
	mediaLimits(f, m)
	if m.TypesOnly() {
		return
	}
	if !m.Types.State.Declared {
		emitStruct(f, m.Types.State, "", merging)
	}
	codecs.beside(m.Types.State)
	codecs.input(m.Types.Input)
	if m.Types.Judged != nil {
		emitStruct(f, m.Types.Judged, m.Types.Judged.GoName+" is what a model that judges edges is shown of the input: nothing private.", plain)
		codecs.beside(m.Types.Judged)
	}
	emitStruct(f, m.Types.Output, "", documented, flagField(m)...)
	codecs.beside(m.Types.Output)
	emitExchanged(f, m, codecs)
}

// emitExchanged declares what handlers take and give: in one declaration, except for types with methods.
func emitExchanged(f *jen.File, m *plan.Machine, codecs *codecs) {
	var taken, together, apart []*resolve.Type
	add := func(t *resolve.Type) {
		if codecs.of[t] == nil {
			together = append(together, t)
		} else {
			apart = append(apart, t)
		}
	}
	take := func(t *resolve.Type) {
		if t != nil {
			taken = append(taken, t)
			add(t)
		}
	}
	for _, t := range m.Models.Tools {
		take(t.In)
	}
	for _, g := range m.StateGuards() {
		take(g.In)
	}
	for _, n := range m.Flow.Nodes {
		take(n.In)
		if n.State.FromWrites {
			add(n.Out)
		}
	}
	doc := "What handlers take and give." + owned(taken)
	switch len(together) {
	case 0:
	case 1:
		emitStruct(f, together[0], doc, plain)
		doc = ""
	default:
		f.Add(comment(doc))
		f.Type().DefsFunc(func(g *jen.Group) {
			for _, t := range together {
				g.Id(t.GoName).Add(structBody(t))
			}
		})
		doc = ""
	}
	f.Line()
	for _, t := range apart {
		emitStruct(f, t, doc, plain)
		codecs.beside(t)
		doc = ""
	}
}

// structBody is a struct whose fields have no comments.
func structBody(t *resolve.Type) *jen.Statement {
	switch len(t.Fields) {
	case 0:
		return jen.Struct()
	case 1:
		return structLine(t.Fields[0])
	}
	return jen.StructFunc(func(g *jen.Group) {
		for _, field := range t.Fields {
			g.Id(field.GoName).Add(goType(field.Type))
		}
	})
}

// originsOf returns where the spec has the types without a name.
func originsOf(m *plan.Machine) map[*resolve.Type]string {
	origins := map[*resolve.Type]string{}
	note := func(t *resolve.Type, where string) {
		for t.Elem != nil {
			t = t.Elem
		}
		if t.Name == "" && origins[t] == "" {
			origins[t] = where
		}
	}
	for _, t := range m.Types.Declared {
		for _, v := range t.Variants {
			note(v.Type, "is the variant "+v.Label+" of "+t.String())
		}
	}
	if m.TypesOnly() {
		return ofFields(m, note, origins)
	}
	for _, t := range m.Models.Tools {
		if t.Returns != nil {
			note(t.Returns, "is the result of tool "+t.Name)
		}
	}
	for n, s := range plan.Works[*plan.Saying](m) {
		if s.Payload != nil {
			note(s.Payload, "is the payload of node "+n.Name)
		}
	}
	for _, f := range m.Types.State.Fields {
		note(f.Type, "is the type of the state's field "+f.Name)
	}
	return ofFields(m, note, origins)
}

// ofFields notes the types of the fields of structs.
func ofFields(m *plan.Machine, note func(*resolve.Type, string), origins map[*resolve.Type]string) map[*resolve.Type]string {
	for _, t := range m.Types.Declared {
		for _, f := range t.Fields {
			note(f.Type, "is the type of field "+f.Name+" of "+t.String())
		}
	}
	return origins
}

// A remark is how much the comments of a struct's fields explain.
type remark uint8

const (
	plain      remark = iota // nothing: the state does
	documented               // doc and bounds
	merging                  // merge rules as well
)

// emitStruct declares a struct. Its methods follow on the next line.
func emitStruct(f *jen.File, t *resolve.Type, doc string, r remark, more ...jen.Code) {
	if doc != "" {
		f.Add(comment(doc))
	}
	if len(t.Fields)+len(more) == 0 {
		f.Type().Id(t.GoName).Struct()
		return
	}
	if bare(t, r) && len(more) == 0 {
		f.Type().Id(t.GoName).Add(structLine(t.Fields[0]))
		return
	}
	f.Type().Id(t.GoName).StructFunc(func(g *jen.Group) {
		for _, field := range t.Fields {
			if remarked(field, r) {
				g.Add(comment(field.Spec.Doc.V))
			}
			s := g.Id(field.GoName).Add(goType(field.Type))
			if beside := facts(field, r); beside != "" {
				s.Add(comment(beside))
			}
		}
		for _, code := range more {
			g.Add(code)
		}
	})
}

// bare reports whether a struct is one field without comments, which fits on a line.
func bare(t *resolve.Type, r remark) bool {
	return len(t.Fields) == 1 && !remarked(t.Fields[0], r) && facts(t.Fields[0], r) == ""
}

// remarked reports whether a field has a comment above it.
func remarked(f *resolve.Field, r remark) bool {
	return r > plain && f.Spec != nil && len(commentLines(f.Spec.Doc.V)) > 0
}

// body is the body of a function with one statement, on one line.
func body(statement jen.Code) *jen.Statement {
	return jen.Custom(jen.Options{Open: "{ ", Close: " }"}, statement)
}

// structLine is a struct of one field on one line. Formatting breaks it where the field is long.
func structLine(f *resolve.Field) *jen.Statement {
	return structOf(jen.Id(f.GoName).Add(goType(f.Type)))
}

// structOf is a struct of what is on its one line.
func structOf(field jen.Code) *jen.Statement {
	return jen.Custom(jen.Options{Open: "struct{ ", Close: " }"}, field)
}

// flagField is the field of the output that reports that the steps were used up.
func flagField(m *plan.Machine) []jen.Code {
	if m.Limits.OnMaxSteps != "flag" {
		return nil
	}
	return []jen.Code{
		comment(plan.FlagName + " reports whether the run was cut short because its steps were used up."),
		jen.Id(plan.FlagName).Bool(),
	}
}

// facts are the comment beside a field: its limits, its default, and how the state
// merges it.
func facts(f *resolve.Field, r remark) string {
	var all []string
	add := func(is bool, text string) {
		if is && text != "" {
			all = append(all, text)
		}
	}
	if s := f.Spec; s != nil && r > plain {
		add(true, boundsOf(f).String())
		add(true, lengths(s))
		add(true, mediaFacts(s))
		add(s.Format.IsSet(), "format "+s.Format.V)
		add(s.Pattern.IsSet(), "matches "+strconv.Quote(s.Pattern.V))
		add(s.Default != nil && !plan.StartsZero(f.Type.Base(), *s.Default), "default "+defaultText(s))
	}
	add(r == merging && f.Merge != "" && f.Merge != "last", "merge: "+f.Merge)
	add(r == merging && f.Keeps() > 0, "keep: "+strconv.Itoa(f.Keeps()))
	return strings.Join(all, "; ")
}

// lengths describes the lengths that a field's value may have.
func lengths(s *spec.Field) string {
	low, high := strconv.Itoa(s.MinLength.V), strconv.Itoa(s.MaxLength.V)
	switch {
	case s.MinLength.IsSet() && s.MaxLength.IsSet():
		return "length " + low + " to " + high
	case s.MinLength.IsSet():
		return "length at least " + low
	case s.MaxLength.IsSet():
		return "length at most " + high
	}
	return ""
}

func defaultText(s *spec.Field) string {
	switch d := s.Default; {
	case d == nil:
		return ""
	case d.Kind == spec.ScalarString && s.Type.Kind == spec.TypeNamed && s.Type.Name == "string":
		return strconv.Quote(d.Text)
	default:
		return d.String()
	}
}

// bounds are the limits of a number; the zero value has none.
type bounds struct {
	low, high       float64
	hasLow, hasHigh bool
}

// boundsOf returns the bounds that hold for a field's value: a number, or one that may
// be absent.
func boundsOf(f *resolve.Field) bounds {
	if f == nil || f.Spec == nil {
		return bounds{}
	}
	if k := f.Type.Base().Kind; k != resolve.Int && k != resolve.Float {
		return bounds{}
	}
	return bounds{f.Spec.Min.V, f.Spec.Max.V, f.Spec.Min.IsSet(), f.Spec.Max.IsSet()}
}

func (b bounds) none() bool { return !b.hasLow && !b.hasHigh }

// excludeZero reports whether 0, the value of a field that is not set, is out of bounds.
func (b bounds) excludeZero() bool { return b.hasLow && b.low > 0 || b.hasHigh && b.high < 0 }

func (b bounds) String() string {
	number := func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
	switch {
	case b.hasLow && b.hasHigh:
		return number(b.low) + " to " + number(b.high)
	case b.hasLow:
		return "at least " + number(b.low)
	case b.hasHigh:
		return "at most " + number(b.high)
	}
	return ""
}

// union declares a union: an interface that its variants implement and, because its
// method is not exported, no type of another package.
func (e *emitter) union(t *resolve.Type, doc string) {
	var names []string
	for _, v := range t.Variants {
		names = append(names, v.Type.GoName)
	}
	e.f.Add(comment(besides(doc, "It", t.GoName, " is one of "+strings.Join(names, ", ")+"; nil is not set.")))
	e.print("union", t)
	e.f.Line()
}

// besides is the doc of a type with a sentence after it, whose subject has the name of the type where there is no doc.
func besides(doc, subject, named, predicate string) string {
	if doc == "" {
		return named + predicate
	}
	if strings.Contains(strings.TrimSpace(doc), "\n") || len(doc) > lineWidth {
		return doc + "\n" + subject + predicate
	}
	return doc + " " + subject + predicate
}

// enum declares an enum. Its values count from 1: zero is not a value of it.
func (e *emitter) enum(t *resolve.Type, doc string) {
	e.f.Add(comment(besides(doc, "The zero value", "The zero value of "+t.GoName, " is not set.")))
	e.print("enum", t)
	e.f.Line()
}

// counted are constants of a type that count from 1.
func counted(names []string, of *jen.Statement) *jen.Statement {
	first := jen.Id(names[0]).Add(of).Op("=")
	if len(names) == 1 {
		return first.Lit(1)
	}
	return jen.DefsFunc(func(g *jen.Group) {
		g.Add(first.Iota().Op("+").Lit(1))
		for _, name := range names[1:] {
			g.Id(name)
		}
	})
}

// enumString gives an enum its names.
func (e *emitter) enumString(t *resolve.Type) {
	if t.Lacks("String") {
		e.print("enum string", t)
	}
}

// valueNames are the names of an enum's values.
func valueNames(t *resolve.Type) []string {
	var names []string
	for _, v := range t.Values {
		names = append(names, v.Name)
	}
	return names
}

// nameOf is the name of a value that counts the names from 1.
func nameOf(value string, names []string) *jen.Statement {
	const used = len("return ggengine.NameOf(v, ")
	return eng("NameOf").Call(append([]jen.Code{jen.Id(value)}, filled(used, names)...)...)
}

// owned is the note on what is read that the state owns.
func owned(read []*resolve.Type) string {
	bytes := ""
	for _, in := range read {
		for _, field := range in.Fields {
			switch field.Type.Base().Kind {
			case resolve.List, resolve.Map:
				return " append copies a list. The elements of lists and maps belong to the state: copy what you change."
			case resolve.Bytes, resolve.Any:
				bytes = " append copies bytes. The bytes belong to the state: copy what you change."
			}
		}
	}
	return bytes
}
