package codec

import (
	"github.com/go-json-experiment/json/jsontext"
)

// An ObjectReader reads a struct from an object, a member at a time:
//
//	o := codec.ReadObject(d, "Finding", "severity")
//	for o.Next() {
//		switch string(o.Name) {
//		case "severity":
//			o.Err = v.Severity.UnmarshalJSONFrom(d)
//		default:
//			o.Unknown()
//		}
//	}
//	return o.Err
type ObjectReader struct {
	Name []byte // of the member at hand; valid until its value is read
	Err  error  // ends the reading

	d       *jsontext.Decoder
	typ     string
	missing []string // required names; those met are empty
	at      int      // where in missing the next name stands if the members are in order
}

// ReadObject opens an object that must have the required names. typ is the name of its
// type, for errors.
func ReadObject(d *jsontext.Decoder, typ string, required ...string) ObjectReader {
	o := ObjectReader{d: d, typ: typ, missing: required}
	t, err := d.ReadToken()
	if err != nil {
		o.Err = err
	} else if k := t.Kind(); k != jsontext.KindBeginObject {
		o.Err = wrongKind(d, "an object", k)
	}
	return o
}

// Next reads the next member's name. It reports false at the end of the object, and
// after an error. The caller reads the value.
func (o *ObjectReader) Next() bool {
	if o.Err != nil {
		return false
	}
	if o.d.PeekKind() == jsontext.KindEndObject {
		o.end()
		return false
	}
	quoted, err := o.d.ReadValue()
	if err != nil {
		o.Err = err
		return false
	}
	if o.Name, o.Err = unquoted(quoted); o.Err != nil {
		return false
	}
	for range o.missing {
		if o.at == len(o.missing) {
			o.at = 0
		}
		o.at++
		if o.missing[o.at-1] == string(o.Name) {
			o.missing[o.at-1] = ""
			break
		}
	}
	return true
}

// end reads the end of the object and looks for what is missing.
func (o *ObjectReader) end() {
	if _, o.Err = o.d.ReadToken(); o.Err != nil {
		return
	}
	for _, name := range o.missing {
		if name != "" {
			o.Err = readError(o.d, "missing field "+quote(name)+" of "+o.typ)
			return
		}
	}
}

// Unknown refuses the member at hand.
func (o *ObjectReader) Unknown() {
	object := path(o.d, o.d.StackPointer().Parent())
	o.Err = &Error{Path: object, Message: "unknown field " + quote(string(o.Name)) + " of " + o.typ}
}

// An ObjectWriter writes a struct as an object, a member at a time:
//
//	o := codec.WriteObject(e)
//	if o.Field("severity") {
//		o.Err = v.Severity.MarshalJSONTo(e)
//	}
//	return o.End()
type ObjectWriter struct {
	Err error // ends the writing

	e *jsontext.Encoder
}

// WriteObject opens an object.
func WriteObject(e *jsontext.Encoder) ObjectWriter {
	return ObjectWriter{e: e, Err: e.WriteToken(jsontext.BeginObject)}
}

// Field writes the name of a member, whose value the caller then writes. It reports
// false after an error.
func (o *ObjectWriter) Field(name string) bool {
	if o.Err == nil {
		o.Err = o.e.WriteToken(jsontext.String(name))
	}
	return o.Err == nil
}

// End closes the object.
func (o *ObjectWriter) End() error {
	if o.Err != nil {
		return o.Err
	}
	return o.e.WriteToken(jsontext.EndObject)
}
