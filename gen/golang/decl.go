package golang

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// emitTypes declares the Go types of a graph's data: what the spec declares, the state
// and the parts of it that the run and each node take and give.
func emitTypes(f *jen.File, m *plan.Machine) {
	origins, codecs := originsOf(m), newCodecs(f, m)
	for _, t := range m.Types {
		doc := cmp.Or(t.Doc, t.GoName+" "+cmp.Or(origins[t], "is the type "+t.Name+" of "+m.File)+".")
		switch {
		case t.Kind == resolve.Enum && t.Own != nil:
			emitEnumString(f, t)
		case t.Declared:
		case t.Kind == resolve.Enum:
			emitEnum(f, t, doc)
		case t.Kind == resolve.Union:
			emitUnion(f, t, doc)
		default:
			emitStruct(f, t, doc, documented)
		}
		codecs.beside(t)
	}
	mediaLimits(f, m)
	if m.TypesOnly() {
		return
	}
	if !m.State.Declared {
		emitStruct(f, m.State, m.StateType+" is the state of graph "+m.Name+".", merging)
	}
	codecs.input(m.Input, m.InputType+" is what a run of graph "+m.Name+" starts with.")
	if m.Judged != nil {
		emitStruct(f, m.Judged, m.Judged.GoName+" is what a model that judges edges is shown of the input: nothing private.", plain)
	}
	emitStruct(f, m.Output, m.OutputType+" is what a run of graph "+m.Name+" ends with.", documented, flagField(m)...)
	codecs.beside(m.Output)
	for _, t := range m.Tools {
		if t.In != nil {
			emitStruct(f, t.In, inputDoc(t.In, "tool "+t.Name), plain)
		}
	}
	for _, g := range m.Guards {
		emitStruct(f, g.In, inputDoc(g.In, "guard "+g.Name), plain)
	}
	for _, n := range m.Nodes {
		if n.In != nil {
			emitStruct(f, n.In, inputDoc(n.In, "node "+n.Name), plain)
		}
		if n.FromWrites {
			emitStruct(f, n.Out, n.Out.GoName+" is what node "+n.Name+" writes.", plain)
		}
	}
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
	for _, t := range m.Types {
		for _, v := range t.Variants {
			note(v.Type, "is the variant "+v.Label+" of "+t.String())
		}
	}
	if m.TypesOnly() {
		return ofFields(m, note, origins)
	}
	for _, t := range m.Tools {
		origins[t.Args] = "are the arguments of tool " + t.Name
		if t.Returns != nil {
			note(t.Returns, "is the result of tool "+t.Name)
		}
	}
	for _, n := range m.Nodes {
		if n.Out != nil {
			note(n.Out, "is the output of node "+n.Name)
		}
		if s := n.Saying; s != nil && s.Payload != nil {
			note(s.Payload, "is the payload of node "+n.Name)
		}
	}
	for _, f := range m.State.Fields {
		note(f.Type, "is the type of the state's field "+f.Name)
	}
	return ofFields(m, note, origins)
}

// ofFields notes the types of the fields of structs.
func ofFields(m *plan.Machine, note func(*resolve.Type, string), origins map[*resolve.Type]string) map[*resolve.Type]string {
	for _, t := range m.Types {
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

func emitStruct(f *jen.File, t *resolve.Type, doc string, r remark, more ...jen.Code) {
	f.Add(comment(doc))
	if len(t.Fields)+len(more) == 0 {
		f.Type().Id(t.GoName).Struct()
		return
	}
	if bare(t, r) && len(more) == 0 {
		f.Type().Id(t.GoName).Add(structLine(t.Fields[0]))
		f.Line()
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
	f.Line()
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
	if m.OnMaxSteps != "flag" {
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
		add(s.Default != nil, "default "+defaultText(s))
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
		return d.Text
	}
}

// bounds are those of a number; the zero value has none.
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

// emitUnion declares a union: an interface that its variants implement and, because its
// method is not exported, no type of another package.
func emitUnion(f *jen.File, t *resolve.Type, doc string) {
	var names []string
	for _, v := range t.Variants {
		names = append(names, v.Type.GoName)
	}
	method := plan.NamesOf(t).Method
	f.Add(comment(doc + "\nIt is one of " + strings.Join(names, ", ") + "; nil is not set."))
	f.Type().Id(t.GoName).Interface(jen.Id(method).Params())
	f.Line()
	for _, name := range names {
		f.Func().Params(jen.Id(name)).Id(method).Params().Block()
	}
	f.Line()
}

// emitEnum declares an enum: its values count from 1, so that the zero value is none.
func emitEnum(f *jen.File, t *resolve.Type, doc string) {
	f.Add(comment(doc + "\nThe zero value is not set."))
	underlying := "uint8"
	if len(t.Values) > 255 {
		underlying = "uint16"
	}
	f.Type().Id(t.GoName).Id(underlying)
	f.Line()
	f.Add(comment("The values of " + t.GoName + "."))
	f.Const().DefsFunc(func(g *jen.Group) {
		for i, v := range t.Values {
			s := g.Id(v.Const)
			if i == 0 {
				s.Id(t.GoName).Op("=").Iota().Op("+").Lit(1)
			}
		}
	})
	f.Line()
	emitEnumString(f, t)
}

// counted are the constants of a choice, which count from 1.
func counted(c *plan.ChoiceType) *jen.Statement {
	first := jen.Id(c.Values[0].Const).Id(c.GoName).Op("=")
	if len(c.Values) == 1 {
		return first.Lit(1)
	}
	return jen.DefsFunc(func(g *jen.Group) {
		g.Add(first.Iota().Op("+").Lit(1))
		for _, v := range c.Values[1:] {
			g.Id(v.Const)
		}
	})
}

// emitEnumString gives an enum its names.
func emitEnumString(f *jen.File, t *resolve.Type) {
	if !t.Lacks("String") {
		return
	}
	f.Add(comment("String returns the value as the spec writes it, and nothing if it is not set."))
	if !t.Declared {
		var names []string
		for _, v := range t.Values {
			names = append(names, v.Name)
		}
		f.Func().Params(jen.Id("v").Id(t.GoName)).Id("String").Params().String().Add(body(jen.Return(nameOf("v", names))))
		f.Line()
		return
	}
	f.Func().Params(jen.Id("v").Id(t.GoName)).Id("String").Params().String().Block(
		jen.Switch(jen.Id("v")).BlockFunc(func(g *jen.Group) {
			for _, v := range t.Values {
				g.Case(jen.Id(v.Const)).Block(jen.Return(jen.Lit(v.Name)))
			}
		}),
		jen.Return(jen.Lit("")),
	)
	f.Line()
}

// nameOf is the name of a value that counts the names from 1.
func nameOf(value string, names []string) *jen.Statement {
	const used = len("return ggengine.NameOf(v, ")
	return eng("NameOf").Call(append([]jen.Code{jen.Id(value)}, filled(used, names)...)...)
}

// inputDoc describes what something reads, and which parts of that the state owns.
func inputDoc(in *resolve.Type, reader string) string {
	doc := in.GoName + " is what " + reader + " reads."
	bytes := ""
	for _, field := range in.Fields {
		switch field.Type.Base().Kind {
		case resolve.List, resolve.Map:
			return doc + " Append copies a list; what is in lists and maps is the state's own: copy what you change."
		case resolve.Bytes, resolve.Any:
			bytes = " Append copies bytes, which are the state's own: copy what you change."
		}
	}
	return doc + bytes
}
