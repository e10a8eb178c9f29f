package golang

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
)

// EmitVersions returns the Go files of the released versions of a machine: the interface of the migrations that
// its author writes, and the types of the releases that these take and give. There are none without a migration.
func EmitVersions(m *plan.Machine, v *plan.Versions) ([]File, error) {
	if len(v.Migrations()) == 0 {
		return nil, nil
	}
	code, err := render(emitVersions(m, v))
	if err != nil {
		return nil, fmt.Errorf("emit the versions of %s: %w", m.File, err)
	}
	files := []File{{m.Stem + "_versions.go", code}}
	if v.Old == nil || !v.Old.HasCodecFile() {
		return files, nil
	}
	if code, err = render(emitCodec(v.Old)); err != nil {
		return nil, fmt.Errorf("emit the codecs of versions of %s: %w", m.File, err)
	}
	return append(files, File{m.Stem + "_versions_codec.go", code}), nil
}

// emitVersions declares the interface of the migrations, and the types of its methods.
func emitVersions(m *plan.Machine, v *plan.Versions) *jen.File {
	f := newFile(m)
	if v.Old != nil {
		for _, i := range v.Old.Imports {
			f.ImportAlias(i.Path, i.Name)
		}
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
		f.Add(comment(fmt.Sprintf("%s is %s as of version %d, which is that of the machine.", a.Name, a.Type.GoName, v.Number)))
		f.Type().Id(a.Name).Op("=").Add(goType(a.Type))
		f.Line()
		emitValues(f, a)
	}
	if v.Old != nil {
		emitTypes(f, v.Old)
	}
	return f
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
	var doc strings.Builder
	fmt.Fprintf(&doc, "%s returns the state of version %d for one of version %d, after these changes:\n ", m.Method, m.To, m.From)
	for _, c := range m.Changes {
		doc.WriteString("\n  - " + c)
	}
	g.Add(comment(doc.String()))
	g.Id(m.Method).Params(jen.Id("old").Id(m.Old)).Params(jen.Id(m.New), jen.Error())
	if m.NodeMethod == "" {
		return
	}
	g.Line()
	g.Add(comment(fmt.Sprintf("%s returns the node of version %d at which a thread goes on that waits at one which cannot be resumed there: %s.", m.NodeMethod, m.To, strings.Join(m.Lost, ", "))))
	g.Id(m.NodeMethod).Params(jen.Id("node").String(), jen.Id("state").Id(m.New)).Params(jen.String(), jen.Error())
}
