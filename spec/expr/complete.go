package expr

import (
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A Candidate is a name that may follow in an expression.
type Candidate struct {
	Name string
	Type string // "" for a package
	Func bool
}

// chain matches the names at the end of the beginning of an expression.
var chain = regexp.MustCompile(`[\pL_][\pL\pN_]*(?:\.[\pL_][\pL\pN_]*)*\.?$|$`)

// Complete returns the names that may end the beginning of an expression, instead of the part of a name that is
// there: names of the scope, or after a dot the fields and methods of what is before it.
func (s *Scope) Complete(before string) []Candidate {
	names := strings.Split(chain.FindString(before), ".")
	if len(names) == 1 {
		return s.visible()
	}
	o := s.lookup(names[0])
	for _, name := range names[1 : len(names)-1] {
		if o == nil {
			return nil
		}
		o = member(o, name)
	}
	return members(o)
}

// visible returns the names of the scope.
func (s *Scope) visible() (list []Candidate) {
	names := s.candidates()
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		o := s.lookup(name)
		if o == nil {
			continue
		}
		if _, is := o.(*types.PkgName); is {
			list = append(list, Candidate{Name: name})
			continue
		}
		list = append(list, candidate(o, name))
	}
	return list
}

func candidate(o types.Object, name string) Candidate {
	c := Candidate{Name: name}
	if _, builtin := o.(*types.Builtin); builtin {
		c.Func = true
		return c
	}
	_, c.Func = o.Type().Underlying().(*types.Signature)
	if o.Type() != types.Typ[types.Invalid] {
		c.Type = types.TypeString(o.Type(), func(*types.Package) string { return "" })
	}
	return c
}

// member returns a field or a method of what an object is, or a name of a package; nil without one.
func member(o types.Object, name string) types.Object {
	if p, is := o.(*types.PkgName); is {
		return p.Imported().Scope().Lookup(name)
	}
	found, _, _ := types.LookupFieldOrMethod(o.Type(), true, o.Pkg(), name)
	return found
}

// members returns the fields and methods of what an object is, or the names of a package.
func members(o types.Object) (list []Candidate) {
	if o == nil {
		return nil
	}
	if p, is := o.(*types.PkgName); is {
		scope := p.Imported().Scope()
		for _, name := range scope.Names() {
			if m := scope.Lookup(name); m.Exported() {
				list = append(list, candidate(m, name))
			}
		}
		return list
	}
	found := map[string]Candidate{}
	of := o.Type()
	if p, is := of.Underlying().(*types.Pointer); is {
		of = p.Elem()
	}
	if st, is := of.Underlying().(*types.Struct); is {
		for f := range st.Fields() {
			if f.Exported() {
				found[f.Name()] = candidate(f, f.Name())
			}
		}
	}
	for m := range types.NewMethodSet(types.NewPointer(of)).Methods() {
		if m.Obj().Exported() {
			found[m.Obj().Name()] = candidate(m.Obj(), m.Obj().Name())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		list = append(list, found[name])
	}
	return list
}
