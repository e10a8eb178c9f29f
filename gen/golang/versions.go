package golang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
)

// EmitVersions returns the Go files of the released versions of a machine: what brings their threads to it, the
// interface of the migrations that its author writes, and the types of the releases that these take and give. There
// are none without a release.
func EmitVersions(m *plan.Machine, v *plan.Versions) ([]File, error) {
	if len(v.Releases) == 0 {
		return nil, nil
	}
	code, err := render(emitVersions(m, v))
	if err != nil {
		return nil, fmt.Errorf("emit the versions of %s: %w", m.File, err)
	}
	files := []File{{m.Stem + "_versions.go", code}}
	if slices.ContainsFunc(v.Releases, func(r *plan.Version) bool { return len(r.Samples) > 0 }) {
		if code, err = render(emitSamples(m, v)); err != nil {
			return nil, fmt.Errorf("emit the test of versions of %s: %w", m.File, err)
		}
		files = append(files, File{m.Stem + "_versions_test.go", code})
	}
	return files, nil
}

// emitVersions declares what brings threads to the machine, and the types that migrations take and give.
func emitVersions(m *plan.Machine, v *plan.Versions) *jen.File {
	f := newFile(m)
	if v.Old != nil {
		for _, i := range v.Old.Types.Imports {
			f.ImportAlias(i.Path, i.Name)
		}
	}
	emitSteps(f, m, v)
	emitVersionsMethod(f, m, v)
	if len(v.Migrations()) == 0 {
		return f
	}
	f.Add(comment(v.Interface + " bring threads of released versions of graph " + m.Name + " to the next version, one method for each version that needs one."))
	f.Type().Id(v.Interface).InterfaceFunc(func(g *jen.Group) {
		for i, migration := range v.Migrations() {
			if i > 0 {
				g.Line()
			}
			emitMigration(g, migration)
		}
	})
	f.Line()
	for _, a := range v.Aliases {
		f.Add(comment(fmt.Sprintf("%s is %s as of version %d, the version of the machine.", a.Name, a.Type.GoName, v.Number)))
		f.Type().Id(a.Name).Op("=").Add(goType(a.Type))
		f.Line()
		emitValues(f, a)
	}
	if v.Old != nil {
		emitTypes(f, v.Old)
	}
	return f
}

// emitSteps declares the function that returns the steps between versions.
func emitSteps(f *jen.File, m *plan.Machine, v *plan.Versions) {
	f.Add(comment(v.Func + " returns what brings threads of released versions of graph " + m.Name + " to the version of the machine."))
	f.Func().Id(v.Func).ParamsFunc(func(g *jen.Group) {
		if len(v.Migrations()) > 0 {
			g.Id("m").Id(v.Interface)
		}
	}).Op("*").Qual(versionsPath, "Versions").Block(jen.Return(jen.Op("&").Qual(versionsPath, "Versions").Values(
		jen.Line().Id("Version").Op(":").Lit(v.Number),
		jen.Line().Id("Shape").Op(":").Lit(v.Hash),
		jen.Line().Id("Steps").Op(":").Index().Qual(versionsPath, "Step").ValuesFunc(func(g *jen.Group) {
			for _, r := range v.Releases {
				if r.Number < v.Number {
					g.Line().Add(step(r, v))
				}
			}
			g.Line()
		}),
		jen.Line(),
	)))
	f.Line()
}

// emitVersionsMethod declares the method by which package durable finds the versions of a run.
func emitVersionsMethod(f *jen.File, m *plan.Machine, v *plan.Versions) {
	var written []jen.Code
	if len(v.Migrations()) > 0 {
		written = append(written, jen.Id(v.Methods).Values())
	}
	f.Comment("Versions returns what brings a run that a thread has saved to the version of the machine.")
	f.Func().Params(jen.Op("*").Id(m.Names.Run)).Id("Versions").Params().Op("*").Qual(versionsPath, "Versions").
		Block(jen.Return(jen.Id(v.Func).Call(written...)))
	f.Line()
	if len(written) == 0 {
		return
	}
	f.Comment(v.Methods + " has the methods of " + v.Interface + ".")
	f.Type().Id(v.Methods).Struct()
	f.Line()
	if list := v.Migrations(); !list[len(list)-1].Last {
		return
	}
	state := jen.Qual(versionsPath, "State").Types(jen.Id(m.Names.StateType))
	f.Comment(v.Unsaved + " returns the state of a run of which nothing is saved.")
	f.Func().Id(v.Unsaved).Params().Add(state.Clone()).Block(
		jen.Id("r").Op(":=").New(jen.Id(m.Names.Run)),
		jen.Return(state.Clone().Values(jen.Id("Of").Op(":").Op("&").Id("r").Dot("state"), jen.Id("Cells").Op(":").Id("r").Dot("Cells"))),
	)
	f.Line()
}

// emitSamples prints the test that brings samples of releases to the version of the machine.
func emitSamples(m *plan.Machine, v *plan.Versions) *jen.File {
	f := newFile(m)
	f.Add(comment(v.Test + " brings states of all releases, at each node at which their threads may wait, to the version of the machine."))
	f.Func().Id(v.Test).Params(jen.Id("t").Op("*").Qual("testing", "T")).Block(
		jen.Id("m").Op(":=").New(jen.Id(m.GoName)).Dot("Durable").Call(),
		jen.For(jen.List(jen.Id("_"), jen.Id("s")).Op(":=").Range().Index().Add(durable("Sample")).ValuesFunc(func(g *jen.Group) {
			for _, r := range v.Releases {
				for _, s := range r.Samples {
					g.Line().Add(sample(s))
				}
			}
			g.Line()
		})).Block(
			jen.If(jen.Err().Op(":=").Id("m").Dot("Reads").Call(jen.Id("s")), jen.Err().Op("!=").Nil()).Block(
				jen.Id("t").Dot("Errorf").Call(jen.Lit("release %d, node %s, state %s: %v"), jen.Id("s").Dot("Release"),
					jen.Id("s").Dot("Node"), jen.Id("s").Dot("State"), jen.Err()),
			),
		),
	)
	return f
}

// sample prints a sample.
func sample(s plan.Sample) jen.Code {
	return jen.ValuesFunc(func(g *jen.Group) {
		g.Id("Release").Op(":").Lit(s.Release)
		g.Id("Shape").Op(":").Lit(s.Hash)
		if len(s.Hosts) > 0 {
			g.Id("Hosts").Op(":").Index().String().ValuesFunc(func(g *jen.Group) {
				for _, host := range s.Hosts {
					g.Lit(host)
				}
			})
		}
		g.Id("Node").Op(":").Lit(s.Node)
		g.Id("State").Op(":").Lit(s.State)
	})
}

// step prints the step from a release to the next version.
func step(r *plan.Version, v *plan.Versions) jen.Code {
	return jen.ValuesFunc(func(g *jen.Group) {
		entry := func(name string, value jen.Code) { g.Line().Id(name).Op(":").Add(value) }
		entry("Version", jen.Lit(r.Number))
		entry("Shape", jen.Lit(r.Hash))
		if len(r.Maps.Maps) > 1 {
			entry("Maps", jen.Index().Qual(versionsPath, "Map").ValuesFunc(func(g *jen.Group) {
				for _, m := range r.Maps.Maps {
					g.Line().Add(mapRow(m))
				}
				g.Line()
			}))
		}
		if r.Maps.State > 0 {
			entry("State", jen.Lit(r.Maps.State))
		}
		if len(r.Adds) > 0 && r.Migration == nil {
			entry("Adds", jen.Index().Qual(versionsPath, "Member").ValuesFunc(func(g *jen.Group) {
				for _, a := range r.Adds {
					g.Values(jen.Id("Name").Op(":").Lit(a.Field.Name), jen.Id("JSON").Op(":").Lit(a.Default))
				}
			}))
		}
		if len(r.Maps.Outputs) > 0 {
			entry("Outputs", rows("Output", r.Maps.Outputs, columns{from: "Node"}))
		}
		if len(r.Maps.Nodes) > 0 {
			entry("Nodes", rows("Rename", r.Maps.Nodes, columns{from: "From", to: "To"}))
		}
		if m := r.Migration; m != nil {
			by := func(function, method string) *jen.Statement {
				args := []jen.Code{jen.Id("m").Dot(method)}
				if m.Last {
					args = append(args, jen.Id(v.Unsaved))
				}
				return jen.Qual(versionsPath, function).Call(args...)
			}
			entry("Migrate", by(m.By, m.Method))
			if m.NodeMethod != "" {
				entry("Lost", jen.Index().String().ValuesFunc(func(g *jen.Group) {
					for _, name := range m.Lost {
						g.Lit(name)
					}
				}))
				entry("Node", by(m.NodeBy, m.NodeMethod))
			}
		}
		g.Line()
	})
}

// mapRow prints a map of a step.
func mapRow(m plan.Map) jen.Code {
	return jen.ValuesFunc(func(g *jen.Group) {
		if m.Elem > 0 {
			g.Id("Elem").Op(":").Lit(m.Elem)
		}
		if len(m.Fields) > 0 {
			g.Id("Fields").Op(":").Add(rows("Field", m.Fields, columns{from: "From", to: "To"}))
		}
		if len(m.Values) > 0 {
			g.Id("Values").Op(":").Add(rows("Rename", m.Values, columns{from: "From", to: "To"}))
		}
		if m.Label != "" {
			g.Id("Label").Op(":").Lit(m.Label)
		}
		if len(m.Variants) > 0 {
			g.Id("Variants").Op(":").Add(rows("Variant", m.Variants, columns{from: "Label"}))
		}
	})
}

// columns are the fields that a type of package versions has for the names of an entry; to is empty where it has one
// name.
type columns struct{ from, to string }

// rows prints a list of a type of package versions.
func rows(of string, list []plan.MapEntry, c columns) jen.Code {
	return jen.Index().Qual(versionsPath, of).ValuesFunc(func(g *jen.Group) {
		for _, e := range list {
			g.ValuesFunc(func(g *jen.Group) {
				g.Id(c.from).Op(":").Lit(e.From)
				if c.to != "" {
					g.Id(c.to).Op(":").Lit(e.To)
				}
				if e.Map > 0 {
					g.Id("Map").Op(":").Lit(e.Map)
				}
			})
		}
	})
}

// emitValues declares the constants of an enum by its other name.
func emitValues(f *jen.File, a plan.Alias) {
	if len(a.Values) == 0 {
		return
	}
	f.Add(comment("The values of " + a.Name + "."))
	f.Const().DefsFunc(func(g *jen.Group) {
		for i, name := range a.Values {
			g.Id(name).Op("=").Qual(a.Type.Import, a.Type.Values[i].Const)
		}
	})
	f.Line()
}

// emitMigration declares the methods of a migration.
func emitMigration(g *jen.Group, m *plan.Migration) {
	for i, method := range methods(m) {
		if i > 0 {
			g.Line()
		}
		g.Add(comment(method.doc))
		g.Add(method.signature)
	}
}

// A migrationMethod is a method that the author of a migration writes.
type migrationMethod struct {
	name, file, doc string
	signature       *jen.Statement
	returns         []jen.Code // besides the error
}

// methods returns the methods of a migration.
func methods(m *plan.Migration) []migrationMethod {
	var doc strings.Builder
	fmt.Fprintf(&doc, "%s returns the state of version %d for one of version %d, after these changes:\n ", m.Method, m.To, m.From)
	for _, c := range m.Changes {
		doc.WriteString("\n  - " + c)
	}
	var same []jen.Code
	for _, field := range m.Same {
		same = append(same, jen.Id(field).Op(":").Id("old").Dot(field))
	}
	list := []migrationMethod{{
		m.Method, m.File, doc.String(),
		jen.Id(m.Method).Params(jen.Id("old").Id(m.Old)).Params(jen.Id(m.New), jen.Error()),
		[]jen.Code{jen.Id(m.New).Values(same...)},
	}}
	if m.NodeMethod == "" {
		return list
	}
	return append(list, migrationMethod{
		m.NodeMethod, m.NodeFile,
		fmt.Sprintf("%s returns the node of version %d at which a thread continues that waits at a node which cannot be resumed there: %s.",
			m.NodeMethod, m.To, strings.Join(m.Lost, ", ")),
		jen.Id(m.NodeMethod).Params(jen.Id("node").String(), jen.Id("state").Id(m.New)).Params(jen.String(), jen.Error()),
		[]jen.Code{jen.Lit("")},
	})
}

// A Stub is a file with a method for the author to fill in. It has no header: it is written once.
type Stub struct {
	File
	Type, Method string
}

// EmitStubs returns a stub for each method of the migrations. It copies the fields that both versions have with the same
// plain type, and returns an error until the author removes it: threads are refused, and stay as they are.
func EmitStubs(m *plan.Machine, v *plan.Versions) ([]Stub, error) {
	var stubs []Stub
	for _, migration := range v.Migrations() {
		for _, method := range methods(migration) {
			f := jen.NewFile(m.Package)
			f.Add(comment(method.doc))
			f.Func().Params(jen.Id(v.Methods)).Add(method.signature).Block(
				jen.Return(append(method.returns,
					jen.Qual("errors", "New").Call(jen.Lit("the migration "+method.name+" of graph "+m.Name+" is not written")))...),
			)
			code, err := render(f)
			if err != nil {
				return nil, fmt.Errorf("emit the migrations of %s: %w", m.File, err)
			}
			stubs = append(stubs, Stub{File{method.file, code}, v.Methods, method.name})
		}
	}
	return stubs, nil
}
