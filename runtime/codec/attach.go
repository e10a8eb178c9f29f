package codec

// An Attacher takes a value out of a document whose bytes are too many for it: an image, a PDF, a sound. It
// returns the number by which the document refers to the value, 0 for none.
type Attacher func(value any) int

// AppendAttached is Append for a reader that gets media beside the document: each is given to attach, and
// the document has its number instead of its bytes.
func AppendAttached(b []byte, v Marshaler, attach Attacher) ([]byte, error) {
	return Limits{}.append(b, v, attach)
}

// AppendBrief is AppendAttached for a reader that gets no media: the document has their types and sizes.
func AppendBrief(b []byte, v Marshaler) ([]byte, error) {
	return Limits{}.append(b, v, func(any) int { return 0 })
}

// UnmarshalAttached is UnmarshalString of what AppendAttached has written. attached returns the value of a
// number, nil without one.
func UnmarshalAttached(text string, v Unmarshaler, attached func(n int) any) error {
	return Limits{}.unmarshal(text, v, attached)
}

// Attach gives a value to the reader of the document. It reports false where the document is to have it
// whole.
func (e *Encoder) Attach(value any) (number int, ok bool) {
	if e.attach == nil {
		return 0, false
	}
	return e.attach(value), true
}

// Attaches reports whether the reader of the document gets values apart from it.
func (e *Encoder) Attaches() bool { return e.attach != nil }

// Attached returns the value of a number that the document has instead of a value; nil without one.
func (d *Decoder) Attached(number int) any {
	if d.attached == nil {
		return nil
	}
	return d.attached(number)
}
