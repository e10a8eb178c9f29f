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
// That takes fewer lines than the methods EncodeJSON and DecodeJSON with an [ObjectReader], and is slower:
// members in another order than that of the list are read in several passes over the list.
type Struct interface {
	JSONMembers(*Object)
}

// An Object is a struct that is written or read by the list of its members.
type Object struct {
	e *Encoder // nil: the object is read
	d *Decoder

	name    string // the struct's, for errors
	partial bool   // any member may be absent
	start   int    // where the object begins
	pass    int    // how often the list has been begun
	index   int    // of the next member of the list
	count   int    // members read
	before  int    // and before this pass
	seen    []uint64
	word    [1]uint64 // seen, of up to 64 members
	tag     string    // the discriminator that the object may have besides its members
	tagged  bool      // it has been met

	member  string // the name in front of the next value, if named
	at      int    // where it begins
	named   bool
	looking bool   // the object has ended, and the pass finds what is missing
	missing string // the first member that is
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

// String lists a string.
func (o *Object) String(name string, v *string) { Member(o, name, v, ReadString, WriteString) }

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

// Bytes lists bytes.
func (o *Object) Bytes(name string, v *[]byte) { Member(o, name, v, ReadBytes, WriteBytes) }

// Value lists an enum or a struct.
func (o *Object) Value(name string, v interface {
	Marshaler
	Unmarshaler
}) {
	if o.e != nil {
		v.EncodeJSON(o.e.Name(name))
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

// ListMember lists a list that has to be there, by what reads and writes its elements.
func ListMember[T any](o *Object, name string, v *[]T, read Reader[T], write Writer[T]) {
	if o.e != nil {
		WriteList(*v, o.e.Name(name), write)
	} else if o.reads(name, false) {
		ReadList(v, o.d, read)
		o.next()
	}
}

// MapMember lists a map that has to be there, by what reads and writes its values.
func MapMember[T any](o *Object, name string, v *map[string]T, read Reader[T], write Writer[T]) {
	if o.e != nil {
		WriteMap(*v, o.e.Name(name), write)
	} else if o.reads(name, false) {
		ReadMap(v, o.d, read)
		o.next()
	}
}

// begin opens an object that is read.
func (d *Decoder) begin(name string, partial bool) *Object {
	o := &Object{d: d, name: name, partial: partial, tag: d.tag}
	o.seen = o.word[:]
	d.tag = ""
	if start, ok := d.open('{', "an object"); ok {
		o.start = start
		o.next()
	}
	return o
}

// again reports whether the list has to be read once more: until every member of the object was read, in any
// order, and once after the end of the object if it lacks members.
func (o *Object) again() bool {
	switch {
	case o.d.wrong != nil || o.looking:
		if o.missing != "" {
			o.d.Fail("missing field " + quote(o.missing) + " of " + o.name)
		}
		return false
	case o.pass == 0:
	case o.named && o.count == o.before:
		o.d.stop(problem{at: o.at, message: "unknown field " + quote(o.member) + " of " + o.name})
		return false
	case !o.named:
		if o.partial || o.count == o.index {
			return false
		}
		o.looking = true
	}
	o.pass++
	o.index, o.before = 0, o.count
	return true
}

// reads reports whether the value of the next member of the list follows.
func (o *Object) reads(name string, optional bool) bool {
	i := o.index
	o.index++
	if o.looking {
		if !optional && o.missing == "" && !o.has(i) {
			o.missing = name
		}
		return false
	}
	if !o.named || o.member != name {
		return false
	}
	if o.has(i) {
		o.named = false
		o.d.repeated(o.at)
		return false
	}
	for i/64 >= len(o.seen) {
		o.seen = append(o.seen, 0)
	}
	o.seen[i/64] |= 1 << (i % 64)
	o.count++
	return true
}

// has reports whether the member of that index has been read.
func (o *Object) has(i int) bool {
	return i/64 < len(o.seen) && o.seen[i/64]&(1<<(i%64)) != 0
}

// next reads the name of the next member, or the end of the object.
func (o *Object) next() {
	d := o.d
	for {
		o.member, o.at, o.named = d.member(o.count == 0 && !o.tagged)
		switch {
		case !o.named:
			d.closed(o.start)
			return
		case o.tag == "" || o.member != o.tag:
			return
		case o.tagged:
			o.named = false
			d.repeated(o.at)
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

// ReadEnumText is the method UnmarshalText of an enum. It leaves v as it is if the text is no value's name.
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
