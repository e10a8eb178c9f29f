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
	code, err := emitVersions(m, v)
	if err != nil {
		return nil, fmt.Errorf("emit the versions of %s: %w", m.File, err)
	}
	files := []File{{m.Stem + "_versions.go", code}}
	if slices.ContainsFunc(v.Releases, func(r *plan.Version) bool { return len(r.Samples) > 0 }) {
		e := newEmitter(m)
		e.print("samples", v)
		if code, err = e.render(); err != nil {
			return nil, fmt.Errorf("emit the test of versions of %s: %w", m.File, err)
		}
		files = append(files, File{m.Stem + "_versions_test.go", code})
	}
	return files, nil
}

// emitVersions declares what brings threads to the machine, and the types that migrations take and give.
func emitVersions(m *plan.Machine, v *plan.Versions) ([]byte, error) {
	e := newEmitter(m)
	if v.Old != nil {
		for _, i := range v.Old.Types.Imports {
			e.f.ImportAlias(i.Path, i.Name)
		}
	}
	e.print("versions", v)
	if v.Old != nil {
		e.f.Line()
		e.m = v.Old
		e.types()
	}
	return e.render()
}

// A migrationMethod is a method that the author of a migration writes.
type migrationMethod struct {
	*plan.Migration
	Name, File, Doc string
	OfNode          bool   // it returns the node at which a thread continues; else the state
	Of              string // the type that has it
}

// migrationMethods returns the methods of a migration.
func migrationMethods(m *plan.Migration) []migrationMethod {
	var doc strings.Builder
	fmt.Fprintf(&doc, "%s returns the state of version %d for one of version %d, after these changes:\n ", m.Method, m.To, m.From)
	for _, c := range m.Changes {
		doc.WriteString("\n  - " + c)
	}
	list := []migrationMethod{{Migration: m, Name: m.Method, File: m.File, Doc: doc.String()}}
	if m.NodeMethod == "" {
		return list
	}
	return append(list, migrationMethod{
		Migration: m, Name: m.NodeMethod, File: m.NodeFile, OfNode: true,
		Doc: fmt.Sprintf("%s returns the node of version %d at which threads continue that wait at a node which it cannot resume: %s.",
			m.NodeMethod, m.To, strings.Join(m.Lost, ", ")),
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
		for _, method := range migrationMethods(migration) {
			method.Of = v.Methods
			e := newEmitter(m)
			e.f = jen.NewFile(m.Package)
			e.print("stub", method)
			code, err := e.render()
			if err != nil {
				return nil, fmt.Errorf("emit the migrations of %s: %w", m.File, err)
			}
			stubs = append(stubs, Stub{File{method.File, code}, v.Methods, method.Name})
		}
	}
	return stubs, nil
}
