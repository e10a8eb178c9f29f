package codec

// A Union lists the variants of a union by their labels in JSON.
type Union struct {
	Type          string // its name, for errors
	Discriminator string // the member of the object that holds the label
	Labels        []string
}

// ReadLabel finds the label in the next object, at any position in it, and returns it. It
// leaves the object to be read by the variant. It returns an empty string after an error.
func ReadLabel(d *Decoder, u *Union) string {
	before := *d
	d.ahead = true
	start, ok := d.open('{', "an object")
	if !ok {
		return ""
	}
	for first := true; ; first = false {
		name, _, ok := d.member(first)
		if !ok {
			break
		}
		if name != u.Discriminator {
			d.skip()
			continue
		}
		if label := u.label(d); label != "" {
			before.ends = d.ends
			*d = before
			d.tag = u.Discriminator
			return label
		}
		return ""
	}
	if d.wrong == nil {
		d.closed(start)
		d.Fail("missing field " + quoted(u.Discriminator) + " of " + u.Type)
	}
	return ""
}

// label reads the label, which is one of the variants'.
func (u *Union) label(d *Decoder) string {
	var n uint16
	ReadEnum(&n, d, &Enum{u.Type, u.Labels})
	if d.wrong != nil {
		return ""
	}
	return u.Labels[n-1]
}

// Variant sets the variant of a union that the next object is.
func (e *Encoder) Variant(u *Union, label string) { e.tag, e.label = u.Discriminator, label }

// NoVariant ends the writing of a union's value that is not one of its variants: nil, or a
// pointer to one.
func (e *Encoder) NoVariant(u *Union, unset bool) {
	if unset {
		e.Fail(u.Type + " is not set")
		return
	}
	e.Fail(u.Type + " holds a pointer, want the variant itself")
}
