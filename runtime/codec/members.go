package codec

import (
	"slices"
	"time"
)

// A Struct lists its members, once for both directions:
//
//	func (v *Finding) JSONMembers(o *codec.Object) {
//		o.String("message", &v.Message)
//		codec.OptionalMember(o, "line", &v.Line, codec.ReadInt, codec.WriteInt)
//	}
//
// Members that are in the order of the list are read in one pass over it.
type Struct interface {
	JSONMembers(*Object)
}

// An Object is a struct that is written or read by the list of its members. It refuses members that are unknown or
// given twice, and misses those that are not there.
type Object struct {
	e *Encoder // nil: the object is read
	d *Decoder

	name    string // the struct's, for errors
	partial bool   // any member may be absent
	start   int    // where the object begins
	pass    int    // how often the list has been begun
	index   int    // of the next member of the list
	needed  int    // members so far in this pass that have to be there
	count   int    // members read
	before  int    // and before this pass
	found   int    // members read that have to be there
	seen    uint64 // which of the first 64 members have been read
	others  []uint64
	tag     string // the discriminator that the object may have besides its members
	tagged  bool   // it has been met

	at      int    // where the next member begins
	named   bool   // there is one
	parsed  bool   // its name has been read
	member  string // the name, if parsed
	looking bool   // the object has ended, and the pass finds what is missing
	missing string // the first member that is

	free *Object // the next one of the decoder's that are not in use
}

// WriteStruct writes a struct as a JSON object.
func WriteStruct(v Struct, e *Encoder) {
	if !e.Begin() {
		return
	}
	if e.object == nil {
		e.object = &Object{e: e}
	}
	v.JSONMembers(e.object)
	e.End()
}

// writeValue writes an enum or a struct, the latter without a copy of it.
func writeValue(v Marshaler, e *Encoder) {
	if s, ok := v.(Struct); ok {
		WriteStruct(s, e)
	} else {
		v.EncodeJSON(e)
	}
}

// ReadStruct reads a struct of that name from a JSON object.
func ReadStruct[T any, P interface {
	*T
	Struct
}](v P, d *Decoder, name string) {
	*v = *new(T)
	read(v, d, name, false)
}

// ReadMembers is ReadStruct for a struct that is as it is where its members are absent.
func ReadMembers(v Struct, d *Decoder, name string) { read(v, d, name, false) }

// ReadPartial is ReadMembers for a struct of which any member may be absent.
func ReadPartial(v Struct, d *Decoder, name string) { read(v, d, name, true) }

// read reads a struct of that name, of which any member may be absent if it is partial. It leaves what is absent as it is.
func read(v Struct, d *Decoder, name string, partial bool) {
	for o := d.begin(name, partial); o.again(); {
		v.JSONMembers(o)
	}
}

// MarshalStruct returns the JSON of a struct, as [Marshal] does.
func MarshalStruct(v Struct) ([]byte, error) { return Marshal(Of(v, WriteStruct)) }

// UnmarshalInput reads the input of a run into v, as [Unmarshal] does.
func UnmarshalInput[T any, P interface {
	*T
	Struct
}](data []byte, v P) error {
	return Unmarshal(data, Into((*T)(v), func(v *T, d *Decoder) { ReadStruct(P(v), d, "the input") }))
}

// UnmarshalOutput reads the output of a run into v, as [Unmarshal] does. It leaves a member that is absent as it is.
func UnmarshalOutput(data []byte, v Struct) error {
	return Unmarshal(data, Into(&v, func(v *Struct, d *Decoder) { read(*v, d, "the output", true) }))
}

// Empty is the input of a run, without members.
type Empty struct{}

// JSONMembers lists no member.
func (*Empty) JSONMembers(*Object) {}

// MarshalJSON returns {}.
func (v Empty) MarshalJSON() ([]byte, error) { return MarshalStruct(&v) }

// UnmarshalJSON refuses what is not an object without members.
func (v *Empty) UnmarshalJSON(data []byte) error { return UnmarshalInput(data, v) }

// String lists a string.
func (o *Object) String(name string, v *string) { Member(o, name, v, ReadString, WriteString) }

// Strings lists a list of strings.
func (o *Object) Strings(name string, v *[]string) { ListMember(o, name, v, ReadString, WriteString) }

// OptionalString lists a string that may be absent or null.
func (o *Object) OptionalString(name string, v **string) {
	OptionalMember(o, name, v, ReadString, WriteString)
}

// Int lists an int.
func (o *Object) Int(name string, v *int) { Member(o, name, v, ReadInt, WriteInt) }

// Float lists a float64.
func (o *Object) Float(name string, v *float64) { Member(o, name, v, ReadFloat, WriteFloat) }

// Bool lists a bool.
func (o *Object) Bool(name string, v *bool) { Member(o, name, v, ReadBool, WriteBool) }

// Time lists a time.
func (o *Object) Time(name string, v *time.Time) { Member(o, name, v, ReadTime, WriteTime) }

// Duration lists a duration.
func (o *Object) Duration(name string, v *time.Duration) {
	Member(o, name, v, ReadDuration, WriteDuration)
}

// Bytes lists bytes, within limits of their length.
func (o *Object) Bytes(name string, v *[]byte, limits ...Length) {
	if o.e != nil {
		WriteBytes(*v, o.limited(name, len(*v), limits))
	} else if o.reads(name, false) {
		ReadBytes(v, o.d)
		o.within(len(*v), limits)
	}
}

// Value lists an enum or a struct.
func (o *Object) Value(name string, v interface {
	Marshaler
	Unmarshaler
}) {
	if o.e != nil {
		writeValue(v, o.e.Name(name))
	} else if o.reads(name, false) {
		v.DecodeJSON(o.d)
		o.next()
	}
}

// Member lists a member that has to be there.
func Member[T any](o *Object, name string, v *T, read Reader[T], write Writer[T]) {
	if o.e != nil {
		write(*v, o.e.Name(name))
	} else if o.reads(name, false) {
		read(v, o.d)
		o.next()
	}
}

// GivenMember lists a member that is written if it is given.
func GivenMember[T any](o *Object, name string, given bool, v *T, read Reader[T], write Writer[T]) {
	if o.e == nil || given {
		Member(o, name, v, read, write)
	}
}

// DefaultMember lists a member that has the default where it is absent.
func DefaultMember[T any](o *Object, name string, v *T, absent T, read Reader[T], write Writer[T]) {
	switch {
	case o.e != nil:
		write(*v, o.e.Name(name))
	case o.pass == 1 && !o.partial:
		*v = absent
		fallthrough
	default:
		if o.reads(name, true) {
			read(v, o.d)
			o.next()
		}
	}
}

// OptionalMember lists a member that may be absent or null: nil.
func OptionalMember[T any](o *Object, name string, v **T, read Reader[T], write Writer[T]) {
	if o.e != nil {
		if *v != nil {
			write(**v, o.e.Name(name))
		}
	} else if o.reads(name, true) {
		ReadOptional(v, o.d, read)
		o.next()
	}
}

// ListMember lists a list that has to be there, by what reads and writes its elements, within limits of its length.
func ListMember[T any](o *Object, name string, v *[]T, read Reader[T], write Writer[T], limits ...Length) {
	if o.e != nil {
		WriteList(*v, o.limited(name, len(*v), limits), write)
	} else if o.reads(name, false) {
		ReadList(v, o.d, read)
		o.within(len(*v), limits)
	}
}

// ListOf is ListMember for a list of enums or structs.
func ListOf[T any, P interface {
	*T
	Marshaler
	Unmarshaler
}](o *Object, name string, v *[]T, limits ...Length) {
	if o.e == nil {
		if o.reads(name, false) {
			ReadList(v, o.d, func(v *T, d *Decoder) { P(v).DecodeJSON(d) })
			o.within(len(*v), limits)
		}
		return
	}
	e := o.limited(name, len(*v), limits)
	if !e.open('[') {
		return
	}
	for i := range *v {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		if writeValue(P(&(*v)[i]), e); e.wrong != nil {
			return
		}
	}
	e.close(']')
}

// MapMember lists a map that has to be there, by what reads and writes its values, within limits of its length.
func MapMember[T any](o *Object, name string, v *map[string]T, read Reader[T], write Writer[T], limits ...Length) {
	if o.e != nil {
		WriteMap(*v, o.limited(name, len(*v), limits), write)
	} else if o.reads(name, false) {
		ReadMap(v, o.d, read)
		o.within(len(*v), limits)
	}
}

// limited is the encoder after the name of a member of that length, which limits may refuse.
func (o *Object) limited(name string, length int, limits []Length) *Encoder {
	e := o.e.Name(name)
	for _, l := range limits {
		l.Write(length, e)
	}
	return e
}

// within refuses the member that has been read if limits exclude its length, and moves to the next one.
func (o *Object) within(length int, limits []Length) {
	for _, l := range limits {
		l.Read(length, o.d)
	}
	o.next()
}

// begin opens an object that is read.
func (d *Decoder) begin(name string, partial bool) *Object {
	o := d.free
	if o == nil {
		o = new(Object)
	}
	d.free = o.free
	clear(o.others)
	*o = Object{d: d, name: name, partial: partial, tag: d.tag, others: o.others}
	d.tag = ""
	if start, ok := d.open('{', "an object"); ok {
		o.start = start
		o.next()
	}
	return o
}

// release drops the document that o and the following ones have read, and all but the first few of them.
func (o *Object) release() {
	const few = 4
	for n := 1; o != nil; n++ {
		next := o.free
		if n == few {
			next = nil
		}
		*o = Object{others: o.others, free: next}
		o = next
	}
}

// again reports whether the list has to be read once more: until every member of the object was read, in any
// order, and once after the end of the object if it lacks members.
func (o *Object) again() bool {
	d := o.d
	switch {
	case d.wrong != nil:
	case o.pass == 0, o.named && o.count > o.before:
		o.pass++
		o.index, o.needed, o.before = 0, 0, o.count
		return true
	case o.named:
		if o.parsed || o.parse() {
			d.stop(problem{at: o.at, message: "unknown field " + quoted(o.member) + " of " + o.name})
		}
	case o.missing != "":
		d.Fail("missing field " + quoted(o.missing) + " of " + o.name)
	case !o.partial && o.found < o.needed:
		o.looking, o.index = true, 0
		return true
	}
	o.free, d.free = d.free, o
	return false
}

// reads reports whether the value of the next member of the list follows.
func (o *Object) reads(name string, optional bool) bool {
	i := o.index
	o.index++
	if !optional {
		o.needed++
	}
	if !o.named || !o.is(name) {
		if o.looking && !optional && o.missing == "" && !o.has(i) {
			o.missing = name
		}
		return false
	}
	if o.has(i) {
		o.repeated()
		return false
	}
	if i < 64 {
		o.seen |= 1 << i
	} else {
		for i/64 > len(o.others) {
			o.others = append(o.others, 0)
		}
		o.others[i/64-1] |= 1 << (i % 64)
	}
	o.count++
	if !optional {
		o.found++
	}
	return true
}

// is reports whether the next member has the name. Then the decoder is at its value.
func (o *Object) is(name string) bool {
	if !o.parsed {
		d := o.d
		if rest := d.text[o.at+1:]; len(rest) > len(name) && rest[:len(name)] == name && rest[len(name)] == '"' {
			d.pos = o.at + len(name) + 2
			o.named = d.colon()
			return o.named
		}
		if !o.parse() {
			return false
		}
	}
	return o.member == name
}

// parse reads the name of the next member, and the colon after it.
func (o *Object) parse() bool {
	o.member, o.named = o.d.str()
	o.named = o.named && o.d.colon()
	o.parsed = true
	return o.named
}

// has reports whether the member of that index has been read.
func (o *Object) has(i int) bool {
	if i < 64 {
		return o.seen&(1<<i) != 0
	}
	return i/64 <= len(o.others) && o.others[i/64-1]&(1<<(i%64)) != 0
}

// repeated refuses the next member, which is given twice.
func (o *Object) repeated() {
	o.named = false
	o.d.repeated(o.at)
}

// next moves to the name of the next member, or past the end of the object.
func (o *Object) next() {
	d := o.d
	for {
		o.parsed = false
		if o.named = d.beforeName(o.count == 0 && !o.tagged); !o.named {
			d.closed(o.start)
			return
		}
		o.at = d.pos
		switch {
		case o.tag == "" || !o.parse() || o.member != o.tag:
			return
		case o.tagged:
			o.repeated()
			return
		}
		o.tagged = true
		d.skip()
	}
}

// EnumText is the method MarshalText of an enum: the name of its value. One that is not set is an error.
func EnumText[T ~uint8 | ~uint16](v T, t *Enum) ([]byte, error) {
	if v == 0 || int(v) > len(t.Names) {
		return nil, &Error{Message: t.Type + " is not set"}
	}
	return []byte(t.Names[v-1]), nil
}

// ReadEnumText is the method UnmarshalText of an enum. It does not change v if the text is not the name of a value.
func ReadEnumText[T ~uint8 | ~uint16](v *T, text []byte, t *Enum) error {
	i := slices.Index(t.Names, string(text))
	if i < 0 {
		return &Error{Message: t.refusal(string(text))}
	}
	*v = T(i + 1)
	return nil
}

// SparseMember lists a value that is left out where it is zero.
func SparseMember[T comparable](o *Object, name string, v *T, read Reader[T], write Writer[T]) {
	var zero T
	if o.e == nil || *v != zero {
		DefaultMember(o, name, v, zero, read, write)
	}
}

// SparseListMember lists a list that is left out where it is empty.
func SparseListMember[T any](o *Object, name string, v *[]T, read Reader[T], write Writer[T]) {
	if o.e == nil || len(*v) > 0 {
		DefaultMember(o, name, v, nil, func(v *[]T, d *Decoder) { ReadList(v, d, read) }, func(v []T, e *Encoder) { WriteList(v, e, write) })
	}
}
