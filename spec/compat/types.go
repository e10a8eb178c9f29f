package compat

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// An owner is what has fields: the state, or a struct.
type owner struct {
	state bool
	name  string // of a struct, for messages
	pos   spec.Pos
}

// of returns what messages call a field of the owner.
func (o owner) of(field string) string {
	if o.state {
		return "state field " + strconv.Quote(field)
	}
	return "field " + strconv.Quote(field) + " of " + o.name
}

const writeIt = "or write the migration"

func fieldName(f *resolve.Field) string { return f.Name }

func fieldWas(f *resolve.Field) string { return f.Spec.RenamedFrom.V }

// fields compares the fields of the state, or of a struct.
func (c *comparison) fields(in owner, old, new []*resolve.Field) {
	both, removed, added := matched(old, new, fieldName, fieldWas)
	for _, p := range both {
		if p.old.Name != p.new.Name {
			c.rename(p.new.Spec.Name.Pos, p.old.Spec.Name.Pos, in.of(p.new.Name)+" is "+strconv.Quote(p.old.Name)+" of "+c.title,
				Rename{Of: Fields, In: in.name, From: p.old.Name, To: p.new.Name})
		}
		c.field(in, p.old, p.new)
	}
	for _, f := range removed {
		help := renamedHelp(f, added, fieldName, func(a, b *resolve.Field) bool { return a.Type.String() == b.Type.String() },
			func(_, was string) string { return diag.Set("renamed_from", was) + " to it" },
			"write the migration, which drops its values or keeps them elsewhere")
		c.migrate("GG330", in.pos, f.Spec.Name.Pos, in.of(f.Name)+" of "+c.title+" is missing: its values would be lost", help)
		c.changes[len(c.changes)-1].OfStruct = !in.state
	}
	for _, f := range added {
		switch pos := f.Spec.Name.Pos; {
		case in.state && f.StartsAssigned(), f.Type.Kind == resolve.Optional, f.Spec.Default != nil:
			c.allow(pos, spec.Pos{}, in.of(f.Name)+" is not in "+c.title+": its threads have "+start(f))
		default:
			c.migrate("GG329", pos, spec.Pos{}, in.of(f.Name)+" is not in "+c.title+", and has no value to start with",
				"add a default, or make it optional: "+diag.OfType("?"+f.Type.String())+", "+writeIt)
			c.changes[len(c.changes)-1].OfStruct = !in.state
		}
	}
}

// start is what a thread has for a field that is added.
func start(f *resolve.Field) string {
	switch {
	case f.Spec.Default != nil:
		return "its default"
	case f.Type.Kind == resolve.Optional:
		return "nothing there"
	}
	return "an empty value, to which runs add"
}

// field compares a field with its older form.
func (c *comparison) field(in owner, old, new *resolve.Field) {
	at := place{what: in.of(new.Name), pos: new.Spec.Name.Pos, old: old.Spec.Name.Pos, from: old, to: new}
	if !c.typ(at, old.Type, new.Type) {
		return
	}
	c.limits(at, old.Spec, new.Spec)
	if in.state && old.Merge != new.Merge {
		c.allow(at.pos, at.old,
			fmt.Sprintf("%s has the merge rule %s, and %s in %s: what a thread has written by then stays as that rule has made it",
				at.what, new.Merge, old.Merge, c.title))
	}
}

// A place is where a type is.
type place struct {
	what     string
	pos, old spec.Pos
	from, to *resolve.Field // nil: it is the output of a node
}

// typ compares two types, and reports whether the newer one reads what the older one has written, as far as the
// types themselves are concerned and not what they hold.
func (c *comparison) typ(at place, old, new *resolve.Type) bool {
	switch {
	case new.Kind == resolve.Optional && old.Kind != resolve.Optional:
		before := len(c.changes)
		ok := c.typ(at, old, new.Elem)
		if ok && len(c.changes) == before {
			c.allow(at.pos, at.old, at.what+" is optional, and is not in "+c.title)
		}
		return ok
	case old.Kind == resolve.Int && new.Kind == resolve.Float:
		if exact(at.from) && (old == at.from.Type || at.from.Type.Kind == resolve.Optional && old == at.from.Type.Elem) {
			c.allow(at.pos, at.old, at.what+" is a float, and an int in "+c.title)
			return true
		}
		return c.retyped(at, old, new, ": a float does not have every int")
	case old.Kind == resolve.Enum && new.Kind == resolve.String:
		c.allow(at.pos, at.old, at.what+" is a string, and an enum in "+c.title)
		return true
	case new.Kind == resolve.Any && old.Kind != resolve.Any && old.Kind != resolve.Optional:
		c.allow(at.pos, at.old, at.what+" is of type any, and "+old.String()+" in "+c.title)
		return true
	case old.Kind != new.Kind:
		return c.retyped(at, old, new, "")
	}
	switch new.Kind {
	case resolve.List, resolve.Map, resolve.Optional:
		return c.typ(at, old.Elem, new.Elem)
	case resolve.Enum, resolve.Struct, resolve.Union:
		c.declared(at, old, new)
	case resolve.Any, resolve.External, resolve.Media:
		if old.GoPath() != new.GoPath() {
			return c.retyped(at, old, new, "")
		}
	case resolve.Unknown:
		return c.retyped(at, old, new, "")
	}
	return true
}

// mostExact is the greatest int of which a float has all up to it.
const mostExact = 1 << 53

// exact reports whether a float has every value of an int field.
func exact(f *resolve.Field) bool {
	return f != nil && f.Spec.Min.IsSet() && f.Spec.Max.IsSet() && f.Spec.Min.V >= -mostExact && f.Spec.Max.V <= mostExact
}

func (c *comparison) retyped(at place, old, new *resolve.Type, why string) bool {
	if at.to != nil { // the types may be parts of the fields' types
		old, new = at.from.Type, at.to.Type
	}
	was, is := old.String(), new.String()
	if was == is {
		was, is = old.GoPath(), new.GoPath()
	}
	c.migrate("GG331", at.pos, at.old, fmt.Sprintf("%s is of type %s, and %s in %s%s", at.what, is, was, c.title, why), "keep the type, "+writeIt)
	return false
}

// declared compares enums, structs and unions, each once.
func (c *comparison) declared(at place, old, new *resolve.Type) {
	key := [2]*resolve.Type{old, new}
	if c.seen[key] {
		return
	}
	c.seen[key] = true
	if !c.pin.IsSet() && !c.new.Declares(new) {
		c.pin = at.pos
		defer func() { c.pin = spec.Pos{} }()
	}
	name, pos := new.Name, new.Pos
	if name == "" {
		name, pos = at.what, at.pos
	}
	switch new.Kind {
	case resolve.Enum:
		c.values(name, pos, old, new)
	case resolve.Struct:
		c.fields(owner{name: name, pos: pos}, old.Fields, new.Fields)
	case resolve.Union:
		c.variants(name, pos, old, new)
	}
}

func (c *comparison) values(name string, pos spec.Pos, old, new *resolve.Type) {
	both, removed, added := matched(old.Values, new.Values, func(v resolve.EnumValue) string { return v.Name },
		func(v resolve.EnumValue) string { return v.Was })
	for _, p := range both {
		if p.old.Name != p.new.Name {
			c.rename(p.new.Pos, p.old.Pos, fmt.Sprintf("value %q of %s is %q of %s", p.new.Name, name, p.old.Name, c.title),
				Rename{Of: Values, In: name, From: p.old.Name, To: p.new.Name})
		}
	}
	for _, v := range removed {
		help := renamedHelp(v, added, func(v resolve.EnumValue) string { return v.Name }, func(_, _ resolve.EnumValue) bool { return true },
			func(now, was string) string { return diag.Set("renamed_from", "{"+now+": "+was+"}") + " to the enum" }, "keep the value, "+writeIt)
		c.migrate("GG332", pos, v.Pos, fmt.Sprintf("value %q of %s, of %s, is missing", v.Name, name, c.title), help)
	}
	for _, v := range added {
		c.allow(v.Pos, spec.Pos{}, fmt.Sprintf("value %q of %s is not in %s", v.Name, name, c.title))
	}
}

func (c *comparison) variants(name string, pos spec.Pos, old, new *resolve.Type) {
	if old.Discriminator != new.Discriminator {
		c.migrate("GG332", pos, old.Pos, fmt.Sprintf("the discriminator of %s is %q, and %q in %s", name, new.Discriminator,
			old.Discriminator, c.title), "keep the discriminator, "+writeIt)
	}
	both, removed, added := matched(old.Variants, new.Variants, func(v resolve.Variant) string { return v.Label }, func(resolve.Variant) string { return "" })
	for _, p := range both {
		c.typ(place{what: "variant " + strconv.Quote(p.new.Label) + " of " + name, pos: p.new.Pos, old: p.old.Pos}, p.old.Type, p.new.Type)
	}
	for _, v := range removed {
		c.migrate("GG332", pos, v.Pos, fmt.Sprintf("variant %q of %s, of %s, is missing", v.Label, name, c.title), "keep the variant, "+writeIt)
	}
	for _, v := range added {
		c.allow(v.Pos, spec.Pos{}, fmt.Sprintf("variant %q of %s is not in %s", v.Label, name, c.title))
	}
}

// limits compares what limits the values of a field.
func (c *comparison) limits(at place, old, new *spec.Field) {
	var narrowed, widened []string
	note := func(name string, narrow, changed bool) {
		switch {
		case narrow:
			narrowed = append(narrowed, name)
		case changed:
			widened = append(widened, name)
		}
	}
	atLeast(note, "min", old.Min, new.Min)
	atMost(note, "max", old.Max, new.Max)
	atLeast(note, "min_length", old.MinLength, new.MinLength)
	atMost(note, "max_length", old.MaxLength, new.MaxLength)
	atMost(note, "max_bytes", old.MaxBytes, new.MaxBytes)
	note("types",
		len(new.Media) > 0 && (len(old.Media) == 0 || slices.ContainsFunc(old.Media, func(s spec.String) bool { return !has(new.Media, s.V) })),
		len(new.Media) != len(old.Media))
	note("pattern", new.Pattern.IsSet() && new.Pattern.V != old.Pattern.V, new.Pattern.V != old.Pattern.V)
	note("format", new.Format.IsSet() && new.Format.V != old.Format.V, new.Format.V != old.Format.V)
	if len(narrowed) > 0 {
		c.migrate("GG333", at.pos, at.old, at.what+" has another "+strings.Join(narrowed, " and ")+", which values of "+c.title+" may exceed",
			"keep the limit, "+writeIt)
	}
	if len(widened) > 0 {
		c.allow(at.pos, at.old, at.what+" has another "+strings.Join(widened, " and ")+", which all values of "+c.title+" keep")
	}
}

func has(list []spec.String, text string) bool {
	return slices.ContainsFunc(list, func(s spec.String) bool { return s.V == text })
}

func atLeast[N int | float64](note func(string, bool, bool), name string, old, new spec.Value[N]) {
	note(name, new.IsSet() && (!old.IsSet() || new.V > old.V), new.IsSet() != old.IsSet() || new.V != old.V)
}

func atMost[N int | float64](note func(string, bool, bool), name string, old, new spec.Value[N]) {
	note(name, new.IsSet() && (!old.IsSet() || new.V < old.V), new.IsSet() != old.IsSet() || new.V != old.V)
}
