package golang

import (
	"slices"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

func media(name string) *jen.Statement { return jen.Qual(mediaPath, name) }

// mediaLimits declares the limits of media.
func mediaLimits(f *jen.File, m *plan.Machine) {
	for _, l := range m.Types.Media.Limits {
		var entries []jen.Code
		if s := l.Field.Spec; s.MaxBytes.IsSet() {
			entries = append(entries, entry("Bytes", jen.Lit(s.MaxBytes.V)))
		}
		if s := l.Field.Spec; len(s.Media) > 0 {
			entries = append(entries, entry("Types", list(words(s.Media))))
		}
		f.Line()
		f.Comment(l.Var + " are the limits of the media in " + l.Owner + "." + l.Field.GoName + ".")
		f.Var().Id(l.Var).Op("=").Add(media("Limits")).Types(goType(l.Of)).Values(entries...)
	}
}

func words(list []spec.String) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].V
	}
	return out
}

// mediaFacts describes the limits of media.
func mediaFacts(s *spec.Field) string {
	text := ""
	for i, w := range s.Media {
		if i > 0 {
			text += " or "
		}
		text += w.V
	}
	if s.MaxBytes.IsSet() {
		if text != "" {
			text += "; "
		}
		text += "at most " + strconv.Itoa(s.MaxBytes.V) + " bytes"
	}
	return text
}

// mediaChecks prints the functions that check media: of the input, of outputs, and of the structs and
// unions in them.
func (e *emitter) mediaChecks() {
	if name := e.m.Types.Media.Input; name != "" {
		e.mediaFunc(name, "checks the images, PDFs and audio in an input", jen.Id(e.m.Names.InputType), func(g *jen.Group) {
			e.checkFields(g, jen.Id("v"), e.m.Types.Input.Fields)
		})
	}
	for _, n := range e.m.Flow.Nodes {
		if n.Checks.Media == "" {
			continue
		}
		e.mediaFunc(n.Checks.Media, "checks the images, PDFs and audio that node "+n.Name+" writes", goType(n.Out), func(g *jen.Group) {
			for _, w := range n.State.Writes {
				value, t := jen.Id("v"), n.Out
				if w.From != nil {
					value, t = value.Dot(w.From.GoName), w.From.Type
				}
				e.checkField(g, value, w.To.Name, t, w.To.Spec)
			}
		})
	}
	var types []*resolve.Type
	for t := range e.m.Types.Media.Checks {
		types = append(types, t)
	}
	slices.SortFunc(types, func(a, b *resolve.Type) int {
		return slices.Compare([]byte(e.m.Types.Media.Checks[a]), []byte(e.m.Types.Media.Checks[b]))
	})
	for _, t := range types {
		e.mediaFunc(e.m.Types.Media.Checks[t], "checks the images, PDFs and audio in a "+t.GoName, goType(t), func(g *jen.Group) {
			if t.Kind == resolve.Union {
				e.checkVariants(g, t)
				return
			}
			e.checkFields(g, jen.Id("v"), t.Fields)
		})
	}
}

func (e *emitter) mediaFunc(name, does string, of jen.Code, body func(*jen.Group)) {
	e.f.Line()
	e.f.Add(comment(name + " " + does + "."))
	e.f.Func().Id(name).Params(jen.Id("v").Add(of)).Error().BlockFunc(func(g *jen.Group) {
		body(g)
		g.Return(jen.Nil())
	})
}

func (e *emitter) checkFields(g *jen.Group, value *jen.Statement, fields []*resolve.Field) {
	for _, f := range fields {
		e.checkField(g, value.Clone().Dot(f.GoName), f.Name, f.Type, f.Spec)
	}
}

// checkField prints the check of the media in one field.
func (e *emitter) checkField(g *jen.Group, value *jen.Statement, name string, t *resolve.Type, f *spec.Field) {
	check := e.mediaCheck(value, t, f)
	if check == nil {
		return
	}
	in := "In"
	if f != nil && f.Private.V {
		in = "InPrivate"
	}
	g.If(jen.Err().Op(":=").Add(media(in)).Call(jen.Lit(name), check), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
}

func (e *emitter) checkVariants(g *jen.Group, t *resolve.Type) {
	g.Switch(jen.Id("is").Op(":=").Id("v").Assert(jen.Type())).BlockFunc(func(g *jen.Group) {
		for _, v := range t.Variants {
			if check := e.mediaCheck(jen.Id("is"), v.Type, nil); check != nil {
				g.Case(goType(v.Type)).Block(jen.Return(check))
			}
		}
	})
}

// mediaCheck is a call that checks the media in a value, nil where there is none. f has the limits.
func (e *emitter) mediaCheck(value *jen.Statement, t *resolve.Type, f *spec.Field) *jen.Statement {
	if t.Elem != nil {
		elem := e.mediaChecker(t.Elem, f)
		if elem == nil {
			return nil
		}
		return media(containerCodecs[t.Kind]).Call(value, elem)
	}
	if checker := e.mediaChecker(t, f); checker != nil {
		return checker.Call(value)
	}
	return nil
}

// mediaChecker is a function that checks the media in values of a type, nil where there is none.
func (e *emitter) mediaChecker(t *resolve.Type, f *spec.Field) *jen.Statement {
	switch {
	case t.Kind == resolve.Media:
		if name := e.m.Types.Media.LimitsOf(f); name != "" {
			return jen.Id(name).Dot("Check")
		}
		return media("Check").Types(goType(t))
	case t.Elem != nil:
		check := e.mediaCheck(jen.Id("v"), t, f)
		if check == nil {
			return nil
		}
		return jen.Func().Params(jen.Id("v").Add(goType(t))).Error().Block(jen.Return(check))
	}
	if name := e.m.Types.Media.Checks[t]; name != "" {
		return jen.Id(name)
	}
	return nil
}
