package expr

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// result wants a value of the wanted type. One that decides is not always the same.
func (t *typing) result() {
	tv := t.info.Types[t.tree]
	switch {
	case tv.Type == nil || tv.Type == types.Typ[types.Invalid]:
		t.Unsure = true
		return
	case !tv.IsValue() && t.scope.Role.Decides:
		t.whole(Unwanted, t.the()+" is not a value", "write something that is true or false")
		return
	case !tv.IsValue():
		t.whole(Unwanted, t.the()+" is not a value", "write something like "+t.scope.Role.Like)
		return
	}
	t.Type = tv.Type
	if t.want != nil {
		t.fits(tv)
	}
	if t.Mistake == nil && !t.Unsure {
		t.constants()
	}
}

// fits wants a value that can be assigned to a variable of the wanted type. Numbers are no values
// of enums and no durations, and bytes are no JSON, although Go would assign them.
func (t *typing) fits(tv types.TypeAndValue) {
	want := t.pkg.typeOf(t.want)
	switch {
	case want == types.Typ[types.Invalid]:
		t.Unsure = true
	case t.assignable(tv, t.want):
	case t.want.Kind == resolve.Optional && t.assignable(tv, t.want.Elem):
		t.Elem = true
	case want == stubType("time", "Duration") && t.bareDuration(t.tree):
	case tv.Value != nil && t.overflows(tv, want):
		t.whole(Unwanted, t.the()+" overflows "+t.want.String(), "write a number that the type can hold")
	default:
		t.whole(Unwanted, t.the()+" is "+diag.Article(t.word(tv.Type))+", not "+diag.Article(t.want.String()), t.wantedHelp(tv.Type, t.want.Base()))
	}
}

// assignable reports whether a value can be assigned to a variable of a type of the spec.
func (t *typing) assignable(tv types.TypeAndValue, to *resolve.Type) bool {
	want := t.pkg.typeOf(to)
	switch {
	case tv.IsNil():
		return types.AssignableTo(tv.Type, want)
	case to.Kind == resolve.Any:
		return types.Identical(tv.Type, want)
	case to.Kind == resolve.Union:
		return types.Identical(tv.Type, want) || t.variant(tv.Type, to)
	case tv.Value == nil || !basic(tv.Type, types.IsUntyped):
		return types.AssignableTo(tv.Type, want)
	case to.Kind == resolve.Enum, to.Kind == resolve.Duration && (!basic(tv.Type, types.IsNumeric) || constant.Sign(tv.Value) != 0):
		return false
	}
	return represents(want, tv)
}

// variant reports whether a type is the type of a variant of a union.
func (t *typing) variant(of types.Type, union *resolve.Type) bool {
	return slices.ContainsFunc(union.Variants, func(v resolve.Variant) bool { return t.pkg.origin[of] == v.Type })
}

// represents reports whether a variable of a type can hold an untyped constant.
func represents(want types.Type, tv types.TypeAndValue) bool {
	p := types.NewPackage("constant", "constant")
	param := types.NewTuple(types.NewVar(token.NoPos, nil, "", want))
	p.Scope().Insert(types.NewConst(token.NoPos, p, "value", tv.Type, tv.Value))
	p.Scope().Insert(types.NewFunc(token.NoPos, p, "take", types.NewSignatureType(nil, nil, nil, param, param, false)))
	_, err := types.Eval(token.NewFileSet(), p, token.NoPos, "take(value)")
	return err == nil
}

// overflows reports whether a constant is a number of the wanted kind that is too large.
func (t *typing) overflows(tv types.TypeAndValue, want types.Type) bool {
	switch {
	case !basic(tv.Type, types.IsUntyped) || !basic(tv.Type, types.IsNumeric) || t.pkg.origin[want] != nil:
		return false
	case basic(want, types.IsInteger):
		return constant.ToInt(tv.Value).Kind() == constant.Int && !represents(want, tv)
	}
	return basic(want, types.IsFloat) && constant.ToFloat(tv.Value).Kind() == constant.Float && !represents(want, tv)
}

// wantedHelp returns how to convert a value of another type to the wanted one.
func (t *typing) wantedHelp(of types.Type, want *resolve.Type) string {
	text := t.text(t.tree)
	if want.Kind == resolve.Bool {
		return t.boolHelp(of)
	}
	if p, ok := of.(*types.Pointer); ok && types.AssignableTo(p.Elem(), t.pkg.typeOf(want)) {
		return t.seenElsewhere(t.tree)
	}
	switch want.Kind {
	case resolve.Int:
		if basic(of, types.IsNumeric) && !basic(of, types.IsUntyped) && t.pkg.origin[of] == nil {
			return "write int(" + text + ")"
		}
	case resolve.Float:
		if basic(of, types.IsInteger) {
			return "write float64(" + text + ")"
		}
	case resolve.String:
		if len(methodsOf(of)) > 0 || t.pkg.origin[of] != nil && t.pkg.origin[of].Kind == resolve.Enum {
			return "write " + text + ".String()"
		}
	case resolve.Bytes:
		if basic(of, types.IsString) {
			return "write []byte(" + text + ")"
		}
	case resolve.Duration:
		return "write the unit, as in 5*time.Second"
	case resolve.Enum:
		if help := t.enumHelp(want, t.tree); help != "" {
			return help
		}
		return diag.Listed("its constants are", constants(want))
	case resolve.List:
		if types.AssignableTo(of, t.pkg.typeOf(want.Elem)) {
			return "write a list, as in " + types.TypeString(t.pkg.typeOf(want), (*types.Package).Name) + "{" + text + "}"
		}
	}
	return "give it a value of type " + want.String()
}

// boolHelp returns how to make a bool of a value.
func (t *typing) boolHelp(of types.Type) string {
	text := t.text(t.tree)
	switch u := of.Underlying().(type) {
	case *types.Pointer:
		if basic(u.Elem(), types.IsBoolean) {
			return "it may be absent: write " + text + " != nil && *" + text
		}
		return "compare it, as in " + text + " != nil"
	case *types.Slice, *types.Map:
		return "compare its length, as in len(" + text + ") > 0"
	case *types.Interface:
		return "compare it, as in " + text + " != nil"
	case *types.Basic:
		if origin := t.pkg.origin[of]; origin != nil && len(origin.Values) > 0 {
			return "compare it, as in " + text + " == " + origin.Constant(origin.Values[0])
		}
		if u.Info()&types.IsString != 0 {
			return "compare it, as in " + text + ` != ""`
		}
		if u.Info()&types.IsNumeric != 0 {
			return "compare it, as in " + text + " > 0"
		}
	}
	return "compare it with something"
}
