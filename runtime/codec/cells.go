package codec

import (
	"bytes"
	"iter"
	"slices"
)

// Cells are the named values of which something consists that is saved again and again, such as the state of a run.
// A function lists them, once for both directions, as JSONMembers lists the members of a struct:
//
//	func (r *run) Cells(c *codec.Cells) {
//		codec.Cell(c, "topic", &r.state.Topic, codec.ReadString, codec.WriteString)
//		codec.Tail(c, "notes", &r.state.Notes, codec.ReadString, codec.WriteString)
//	}
//
// [Cells.Changes] writes the cells that differ from what was saved last, and of lists that have grown only what is
// new. [Cells.Take] adds such changes to what was saved before, and [Cells.Load] reads the values from all of it.
// The zero Cells have saved nothing.
type Cells struct {
	saved map[string]*cell
	names []string // in the order in which they were first listed

	mode    cellMode
	empties bool                   // empty values are written of which nothing was saved
	hides   func(name string) bool // nil: hides nothing
	changes []byte                 // members of an object
	hidden  []byte                 // of hidden cells
	read    map[string]bool        // by the last Load
	scratch []byte                 // in which a value is written to be compared
	err     error
}

// A cell is what was saved of one value.
type cell struct {
	json   []byte // the value; of a list that grows, its elements between the brackets
	list   bool
	hidden bool
	texts  []string // the value, or the elements of the list, where they are strings: what is compared without being written
}

type cellMode uint8

const (
	comparing cellMode = iota // changes are written
	loading
)

// growth marks the name of a member that has what was added to a list.
const growth = "+"

// Inherit makes cells begin with what others have saved, except those that a function leaves out.
func (c *Cells) Inherit(from *Cells, leavesOut func(name string) bool) {
	c.saved, c.names = map[string]*cell{}, nil
	for _, name := range from.names {
		if !leavesOut(name) {
			s := *from.saved[name]
			s.json, s.texts = slices.Clip(s.json), slices.Clip(s.texts)
			c.saved[name], c.names = &s, append(c.names, name)
		}
	}
}

// Hide makes Changes and Whole return the cells apart whose names a function selects. Cells that were taken as hidden
// stay so.
func (c *Cells) Hide(is func(name string) bool) { c.hides = is }

// Changes returns the changes since they were last saved, and the changes of hidden cells, as the members of JSON objects
// without their braces; empty if there are none. They count as saved.
func (c *Cells) Changes(list func(*Cells)) (changes, hidden []byte, err error) {
	c.mode, c.changes, c.hidden, c.err = comparing, nil, nil, nil
	list(c)
	return c.changes, c.hidden, c.err
}

// Empties determines whether empty lists and zero values are written of which nothing was saved. They are not where what Load does not change is
// empty in any case.
func (c *Cells) Empties(write bool) { c.empties = write }

// Whole returns all that was saved, as Changes returns changes.
func (c *Cells) Whole() (all, hidden []byte) {
	hides := func(name string) bool { return c.saved[name].hidden || c.hides != nil && c.hides(name) }
	return c.members(func(name string) bool { return !hides(name) }), c.members(hides)
}

// Object returns the cells that a function chooses by their names, as a JSON object.
func (c *Cells) Object(chooses func(name string) bool) []byte {
	return slices.Concat([]byte{'{'}, c.members(chooses), []byte{'}'})
}

// Value returns the JSON of what was saved of a value, nil if nothing was.
func (c *Cells) Value(name string) []byte {
	if s := c.saved[name]; s != nil {
		return s.value()
	}
	return nil
}

// Set makes a value one that was saved as JSON.
func (c *Cells) Set(name string, value []byte) { c.cell(name).set(value, false) }

func (c *Cells) members(chooses func(name string) bool) []byte {
	var all []byte
	for _, name := range c.names {
		if !chooses(name) {
			continue
		}
		all = member(all, name)
		if s := c.saved[name]; s.list {
			all = append(append(append(all, '['), s.json...), ']')
		} else {
			all = append(all, s.json...)
		}
	}
	return all
}

// Take adds changes to what was saved before. They are an object of JSON.
func (c *Cells) Take(changes []byte) error { return c.take(changes, false) }

// TakeHidden is Take for changes of hidden cells.
func (c *Cells) TakeHidden(changes []byte) error { return c.take(changes, true) }

func (c *Cells) take(changes []byte, hidden bool) error {
	var members map[string][]byte
	read := func(v *map[string][]byte, d *Decoder) { ReadMap(v, d, ReadAny[[]byte]) }
	if err := Unmarshal(changes, Into(&members, read)); err != nil {
		return err
	}
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		value := members[name]
		if base, grown := bytes.CutSuffix([]byte(name), []byte(growth)); grown {
			s := c.cell(string(base))
			s.open()
			s.add(elements(value))
			s.hidden, s.texts = hidden, nil
			continue
		}
		*c.cell(name) = cell{json: value, hidden: hidden}
	}
	return nil
}

// Load reads the values of what was saved into the places that list names. It does not change a place of which nothing was saved.
func (c *Cells) Load(list func(*Cells)) error {
	c.mode, c.err, c.read = loading, nil, map[string]bool{}
	list(c)
	return c.err
}

// Unread yields the names of the cells that the last Load did not list, except those whose value is null.
func (c *Cells) Unread() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, name := range c.names {
			if !c.read[name] && string(c.saved[name].value()) != "null" && !yield(name) {
				return
			}
		}
	}
}

// Loading reports whether values are being read.
func (c *Cells) Loading() bool { return c.mode == loading }

// Names yields the names of all cells that were saved, in the order in which they were first listed.
func (c *Cells) Names() iter.Seq[string] { return slices.Values(c.names) }

// Cell lists a value.
func Cell[T any](c *Cells, name string, v *T, read Reader[T], write Writer[T]) {
	switch {
	case c.err != nil:
	case c.mode == loading:
		c.read[name] = true
		if s := c.saved[name]; s != nil {
			c.load(name, s.value(), Into(v, read))
		}
	default:
		text, _ := any(v).(*string)
		if s := c.saved[name]; text != nil && s != nil && !s.list && len(s.texts) == 1 && s.texts[0] == *text {
			return
		}
		if c.compare(name, Of(*v, write)); text != nil && c.err == nil {
			c.saved[name].texts = []string{*text}
		}
	}
}

// SparseCell lists a value that may be zero though its JSON may not: a zero value is saved as null.
func SparseCell[T comparable](c *Cells, name string, v *T, read Reader[T], write Writer[T]) {
	var zero T
	ZeroCell(c, name, v, *v == zero, read, write)
}

// ZeroCell is SparseCell for a value of a type without ==. isZero is whether it is zero.
func ZeroCell[T any](c *Cells, name string, v *T, isZero bool, read Reader[T], write Writer[T]) {
	if c.mode == loading {
		at := &v
		Cell(c, name, at, func(v **T, d *Decoder) {
			if d.null() {
				**v = *new(T)
				return
			}
			read(*v, d)
		}, nil)
		return
	}
	if isZero {
		if c.saved[name] != nil || c.empties {
			c.compare(name, Of(*v, func(_ T, e *Encoder) { e.null() }))
		}
		return
	}
	Cell(c, name, v, read, write)
}

// Tail lists a list that mostly grows: of what was added, that alone is written.
func Tail[T any](c *Cells, name string, v *[]T, read Reader[T], write Writer[T]) {
	if c.mode == loading {
		Cell(c, name, v, func(v *[]T, d *Decoder) { ReadList(v, d, read) }, nil)
		return
	}
	if c.err != nil {
		return
	}
	s, known := c.saved[name]
	texts, _ := any(v).(*[]string)
	if texts != nil && known && s.beginsWith(*texts) {
		if Grow(c, name, (*v)[len(s.texts):], write); c.err == nil {
			s.texts = append(s.texts, (*texts)[len(s.texts):]...)
		}
		return
	}
	data, ok := c.write(name, OfList(*v, write))
	if !ok {
		return
	}
	all := elements(data)
	if !known {
		if len(all) == 0 && !c.empties {
			return
		}
		s = c.cell(name)
		s.list = true
	}
	s.open()
	switch {
	case known && len(all) == len(s.json) && bytes.Equal(all, s.json):
	case len(s.json) > 0 && len(all) > len(s.json) && all[len(s.json)] == ',' && bytes.HasPrefix(all, s.json):
		added := all[len(s.json)+1:]
		c.change(name, name+growth, slices.Concat([]byte{'['}, added, []byte{']'}))
		s.add(added)
	default:
		c.change(name, name, data)
		s.json = bytes.Clone(all)
	}
	if texts != nil {
		s.texts = slices.Clone(*texts)
	}
}

// beginsWith reports whether a list has the elements that were saved, and perhaps others after them.
func (s *cell) beginsWith(list []string) bool {
	return len(s.texts) > 0 && len(list) >= len(s.texts) && slices.Equal(list[:len(s.texts)], s.texts)
}

// write writes a value to be compared. The next one is written over it.
func (c *Cells) write(name string, v Marshaler) (data []byte, ok bool) {
	data, err := Append(c.scratch[:0], v)
	if err != nil {
		c.fail(name, err)
		return nil, false
	}
	c.scratch = data
	return data, true
}

// compare writes a value that differs from what was saved of it.
func (c *Cells) compare(name string, v Marshaler) {
	data, ok := c.write(name, v)
	if !ok {
		return
	}
	s, known := c.saved[name]
	if known && bytes.Equal(s.value(), data) {
		return
	}
	c.change(name, name, data)
	c.cell(name).set(bytes.Clone(data), false)
}

func (c *Cells) load(name string, data []byte, v Unmarshaler) {
	if err := Unmarshal(data, v); err != nil {
		c.fail(name, err)
	}
}

func (c *Cells) fail(name string, err error) {
	if e, ok := err.(*Error); ok {
		err = e.below(name)
	}
	c.err = err
}

// change writes a change of a cell, as the member of a name: the name of the cell, or of what was added to it.
func (c *Cells) change(of, name string, data []byte) {
	to := &c.changes
	if s := c.saved[of]; s != nil && s.hidden || c.hides != nil && c.hides(of) {
		to = &c.hidden
	}
	*to = append(member(*to, name), data...)
}

// member appends the name of a member.
func member(to []byte, name string) []byte {
	if len(to) > 0 {
		to = append(to, ',')
	}
	e := Encoder{buf: to}
	e.text(name)
	return append(e.buf, ':')
}

// cell returns what was saved of a value, to be written.
func (c *Cells) cell(name string) *cell {
	s := c.saved[name]
	if s == nil {
		if c.saved == nil {
			c.saved = map[string]*cell{}
		}
		s = new(cell)
		c.saved[name], c.names = s, append(c.names, name)
	}
	return s
}

// value returns the JSON of what was saved.
func (s *cell) value() []byte {
	if s.list {
		return slices.Concat([]byte{'['}, s.json, []byte{']'})
	}
	return s.json
}

func (s *cell) set(json []byte, list bool) { s.json, s.list, s.texts = json, list, nil }

// open prepares a list to grow.
func (s *cell) open() {
	if !s.list {
		s.json, s.list, s.texts = slices.Clip(elements(s.json)), true, nil
	}
}

func (s *cell) add(elements []byte) {
	if len(s.json) > 0 && len(elements) > 0 {
		s.json = append(s.json, ',')
	}
	s.json = append(s.json, elements...)
}

// elements returns what is between the brackets of a list.
func elements(list []byte) []byte {
	list = bytes.TrimSpace(list)
	if len(list) < 2 || list[0] != '[' {
		return nil
	}
	return bytes.TrimSpace(list[1 : len(list)-1])
}

// Grow writes what was added to a list, which the caller knows.
func Grow[T any](c *Cells, name string, added []T, write Writer[T]) {
	if c.err != nil || len(added) == 0 {
		return
	}
	data, err := Marshal(OfList(added, write))
	if err != nil {
		c.fail(name, err)
		return
	}
	s := c.cell(name)
	s.open()
	if s.add(elements(data)); len(s.json) > MaxSize {
		c.fail(name, tooLong(MaxSize))
		return
	}
	c.change(name, name+growth, data)
}
