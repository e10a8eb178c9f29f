package plan

import (
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A Codec is what is generated for the JSON of a type.
type Codec struct {
	Type           *resolve.Type
	Encode, Decode Method // EncodeJSON and DecodeJSON; of a union the functions
	Marshal        bool   // MarshalJSONTo, of encoding/json/v2
	Unmarshal      bool   // UnmarshalJSONFrom
	Standard       bool   // MarshalJSON and UnmarshalJSON; of an enum MarshalText and UnmarshalText
	Asked          bool   // the machine itself needs it
	Schema         bool   // JSONSchema
	IsZero         bool
	Comparable     bool // Go's == compares its values

	Partial  bool // any member may be absent: of the state, and of what is cut out of it
	Defaults bool // a member that is absent has its default
	Flag     bool // it has the field FlagName
	ends     bool // it is the input or the output of a run

	Table string // the variable with what the codec needs of the type; empty: none
	Texts []Text // the limits of strings that it declares
}

// A Text is the limits of the strings of a field, as a variable: so patterns are compiled once. A field that
// several types share has one.
type Text struct {
	Var   string
	Field *resolve.Field
}

// A Method is the origin of a method of a codec.
type Method uint8

const (
	NoMethod  Method = iota // the type has it, or nothing calls it
	Adapter                 // it calls the type's own method of encoding/json/v2
	Generated               // it has code of its own; of a struct the list of its members, JSONMembers
)

// hasTable reports whether the codec has a variable with what it needs of the type.
func (c *Codec) hasTable() bool { return c.Type.Kind != resolve.Struct && c.Limits() }

// Limits reports whether the codec looks at the limits of the type's fields.
func (c *Codec) Limits() bool { return c.Encode == Generated || c.Decode == Generated }

// Alone reports whether only the methods of encoding/json use the list of the members: no value of another type holds
// one of this.
func (c *Codec) Alone() bool {
	return !c.Asked && c.ends && c.Encode == Generated && c.Decode == Generated
}

// findCodecs finds the codecs that are generated, in the order of the file.
func (l *lowering) findCodecs() {
	m := l.m
	if m.TypesOnly() {
		l.findMediaLimits()
	}
	find := codecs{lowering: l, needed: l.g.Codecs(), comparable: resolve.Comparable{}, limited: map[*spec.Field]bool{}}
	for _, t := range m.Types.Declared {
		find.add(Codec{Type: t, Defaults: true})
	}
	if m.TypesOnly() {
		return
	}
	find.add(Codec{Type: m.Types.State, Partial: true})
	find.add(Codec{Type: m.Types.Input, ends: true})
	if m.Types.Judged != nil {
		find.add(Codec{Type: m.Types.Judged})
	}
	find.add(Codec{Type: m.Types.Output, ends: true, Partial: true, Flag: m.Limits.OnMaxSteps == "flag"})
	for _, t := range m.Models.Tools {
		if t.Keyed || m.Temporal && t.In != nil {
			find.add(Codec{Type: t.In, Partial: true})
		}
	}
	if m.Temporal {
		for _, in := range l.g.GuardInputs() {
			find.add(Codec{Type: in, Partial: true})
		}
	}
	for _, n := range m.Flow.Nodes {
		if n.In != nil && (n.Kept.Cache || m.Temporal) {
			find.add(Codec{Type: n.In, Partial: true})
		}
		if n.State.FromWrites {
			// What an activity returns may leave a value unset, as a handler may.
			find.add(Codec{Type: n.Out, Partial: m.Temporal && n.HasHandler() && !n.Kept.Result && !n.Checks.Validate})
		}
	}
}

// codecs adds codecs to a machine.
type codecs struct {
	*lowering
	needed     map[*resolve.Type]resolve.Codec
	comparable resolve.Comparable
	limited    map[*spec.Field]bool // the fields whose limits are declared
}

// add adds the codec of a type, as far as it is needed and the type lacks it.
func (c *codecs) add(codec Codec) {
	t := codec.Type
	needed := c.needed[t]
	method := func(is resolve.Codec, own, standard string) (Method, bool) {
		made := NoMethod
		if needed&(is|resolve.Members) != 0 && t.Lacks(own) {
			if made = Generated; !t.Lacks(standard) {
				made = Adapter
			}
		}
		return made, needed&resolve.Methods != 0 && t.Lacks(standard) && t.Kind != resolve.Union
	}
	codec.Encode, codec.Marshal = method(resolve.Encode, "EncodeJSON", "MarshalJSONTo")
	codec.Decode, codec.Unmarshal = method(resolve.Decode, "DecodeJSON", "UnmarshalJSONFrom")
	codec.Schema = needed&resolve.Schema != 0 && t.Lacks("JSONSchema")
	codec.IsZero = needed&resolve.Zero != 0 && t.Kind == resolve.Struct && t.Lacks("IsZero")
	codec.Standard = needed&resolve.Standard != 0 && t.Kind != resolve.Union && !t.Declared
	codec.Asked = needed&resolve.Asked != 0 || needed&resolve.Members == 0
	codec.Comparable = c.comparable.Of(t)
	if codec.Limits() || codec.Encode == Adapter || codec.Decode == Adapter || codec.Marshal || codec.Unmarshal || codec.Schema || codec.IsZero {
		if codec.hasTable() {
			codec.Table = c.name(tableName(t))
		}
		if t.Kind == resolve.Struct && codec.Limits() {
			c.findTexts(&codec)
		}
		c.m.Types.Codecs = append(c.m.Types.Codecs, &codec)
	}
}

// findTexts finds the limits of strings that no codec before declares.
func (c *codecs) findTexts(codec *Codec) {
	for _, f := range codec.Type.Fields {
		s := f.Spec
		if s == nil || f.Type.Base().Kind != resolve.String || c.limited[s] {
			continue
		}
		if s.MinLength.IsSet() || s.MaxLength.IsSet() || s.Pattern.IsSet() || s.Format.IsSet() {
			c.limited[s] = true
			codec.Texts = append(codec.Texts, Text{Var: c.name(textName(codec.Type, f)), Field: f})
		}
	}
}

// String returns the type and what is generated for it.
func (c *Codec) String() string {
	text := c.Type.GoName + ":"
	for _, part := range []struct {
		is   bool
		name string
	}{
		{c.Encode == Generated, " encode"}, {c.Encode == Adapter, " encode by MarshalJSONTo"},
		{c.Decode == Generated, " decode"}, {c.Decode == Adapter, " decode by UnmarshalJSONFrom"},
		{c.Marshal, " marshal"}, {c.Unmarshal, " unmarshal"}, {c.Schema, " schema"}, {c.IsZero, " zero"}, {c.Standard, " standard"},
		{c.Partial, " (partial)"}, {c.Flag, " (flag)"},
	} {
		if part.is {
			text += part.name
		}
	}
	return text
}

// variables returns the names of the variables that the codec declares.
func (c *Codec) variables() []string {
	var names []string
	if c.Table != "" {
		names = append(names, c.Table)
	}
	for _, t := range c.Texts {
		names = append(names, t.Var)
	}
	return names
}
