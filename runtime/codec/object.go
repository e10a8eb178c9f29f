package codec

import "slices"

// Members are the members of an object that a struct is read from.
type Members struct {
	Type     string   // the struct's name, for errors
	Names    []string // of all members, in the order they are usually in; ASCII without quotes and backslashes
	Optional []string // those that may be absent
	Partial  bool     // any may be absent
}

// An ObjectReader reads a struct from an object, a member at a time:
//
//	o := codec.ReadObject(d, &findingJSON)
//	for o.Next() {
//		switch o.Name {
//		case "severity":
//			v.Severity.DecodeJSON(d)
//		}
//	}
//
// It refuses members that are unknown or given twice, and misses those that are not there.
type ObjectReader struct {
	Name string // of the member at hand

	d      *Decoder
	m      *Members
	start  int    // where the object begins
	count  int    // members met
	likely int    // which name is next if the members are in order
	tag    string // the discriminator that the object may have besides its members
	tagged bool   // it has been met
	seen   uint64 // which of the first 64 names have been met
	others []uint64
}

// ReadObject opens an object of those members.
func ReadObject(d *Decoder, m *Members) ObjectReader {
	o := ObjectReader{d: d, m: m, tag: d.tag}
	d.tag = ""
	o.start, _ = d.open('{', "an object")
	if len(m.Names) > 64 {
		o.others = make([]uint64, (len(m.Names)-1)/64)
	}
	return o
}

// Next reads the next member's name. It reports false at the end of the object, and
// after an error. The caller reads the value.
func (o *ObjectReader) Next() bool {
	d := o.d
	if !d.beforeName(o.count == 0 && !o.tagged) {
		o.end()
		return false
	}
	i := o.likely
	at := d.pos
	if i < len(o.m.Names) && startsWith(d.text[at+1:], o.m.Names[i]) {
		d.pos += len(o.m.Names[i]) + 2
	} else if i = o.find(); i < 0 {
		return i == tagRead && o.Next()
	}
	if d.pos < len(d.text) && d.text[d.pos] == ':' {
		d.pos++
	} else if !d.colon() {
		return false
	}
	word := &o.seen
	if i >= 64 {
		word = &o.others[i/64-1]
	}
	if *word&(1<<(i%64)) != 0 {
		d.repeated(at)
		return false
	}
	*word |= 1 << (i % 64)
	o.count++
	o.likely = i + 1
	o.Name = o.m.Names[i]
	return true
}

// startsWith reports whether the text is the name and the quote that ends it.
func startsWith(text, name string) bool {
	return len(text) > len(name) && text[:len(name)] == name && text[len(name)] == '"'
}

// What find returns instead of a member's index.
const (
	notFound = -1 - iota
	tagRead
)

// find reads the name of a member and returns its index.
func (o *ObjectReader) find() int {
	d := o.d
	at := d.pos
	name, ok := d.str()
	if !ok {
		return notFound
	}
	for i := range o.m.Names {
		if i += o.likely; i >= len(o.m.Names) {
			i -= len(o.m.Names)
		}
		if o.m.Names[i] == name {
			return i
		}
	}
	if o.tag == "" || name != o.tag {
		d.stop(problem{at: at, message: "unknown field " + quoted(name) + " of " + o.m.Type})
		return notFound
	}
	if o.tagged {
		d.repeated(at)
		return notFound
	}
	o.tagged = true
	if d.colon() {
		d.skip()
	}
	return tagRead
}

// end looks for what is missing, once the end of the object has been read.
func (o *ObjectReader) end() {
	d := o.d
	d.closed(o.start)
	if d.wrong != nil || o.count == len(o.m.Names) || o.m.Partial {
		return
	}
	for i, name := range o.m.Names {
		word := o.seen
		if i >= 64 {
			word = o.others[i/64-1]
		}
		if word&(1<<(i%64)) == 0 && !slices.Contains(o.m.Optional, name) {
			d.Fail("missing field " + quoted(name) + " of " + o.m.Type)
			return
		}
	}
}
