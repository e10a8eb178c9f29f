package yamlread

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/graphgen/graphgen/spec/diag"
)

// A Form is how the value of a key looks. A language has a table of them.
type Form struct {
	Name    string // for tables
	Expects string // in a diagnostic, after "expected"
	Example string
	Doc     string

	Free   bool  // a text that may be empty
	Solid  bool  // a text that is more than blanks
	Scalar bool  // of an expression: any scalar will do, for true is one
	Code   bool  // a text whose place is the place of its first character
	Single bool  // of a list: a single item needs no brackets
	Words  bool  // one or more of the key's words
	Item   *Form // of a list or a mapping: what its items, or its values, are; nil: names

	Schema *Schema // nil: it differs from key to key
}

// A Schema is the JSON Schema of a form, as far as it is the same for every key.
type Schema struct {
	Types    []string // of JSON; empty: the types of AnyOf
	Filled   bool     // a text that is not empty
	Pattern  string   // of a text, a regular expression of ECMA 262
	Min, Max int      // of a number; both 0: any
	AnyOf    []*Form  // it has one of these forms
	Items    *Form    // it is a list of values of this form
	Values   *Form    // it is a mapping of names to values of this form
}

// String returns the form's name.
func (f *Form) String() string { return f.Name }

// A Word is a name with a fixed meaning.
type Word struct {
	Name string
	Doc  string
	Of   string // the Mapping of its settings; empty where it takes none
}

// AsWord returns the word itself: a row of a table that embeds it has the method.
func (w Word) AsWord() Word { return w }

// A Key is one row of a language: a key a mapping may have. The reader, references, schemas and suggestions
// come from these rows.
type Key struct {
	Name     string
	Form     *Form
	Doc      string
	Example  string   // instead of the form's
	Default  string   // what holds where the key is not written; empty for nothing
	Required bool     // the reader reports a mapping without it
	Empty    bool     // may be written without a value
	Words    []Word   // the words to choose from
	Kinds    []string // the kinds of the mapping that have the key; nil for all
	Of       string   // the Mapping that the value, or each of its items, is
	Names    string   // the Mapping whose entries its names are of; of a table, the names that are values
	Keyed    string   // the same, of the names that are the keys of a table
	Ends     bool     // such a name may also be that of an end

	Foreign map[string]string // keys that other formats have for it, each with what to write
}

// A Mapping is one kind of YAML mapping of a language, with its keys.
type Mapping struct {
	Name string // as Key.Of names it
	Noun string // with its article: "a node", "an edge"
	Doc  string
	Keys []Key

	Instead string   // the mapping that this one may replace; "type" for a type
	Exactly []string // the keys of which there must be one, and no more
	Most    []string // the keys of which there may be one
}

// A Row is a Key and the place in T its value goes to. The place's type and the key's
// form say how the value is read.
type Row[T any] struct {
	Key
	To func(*T) any
}

// Rows makes rows of a package's own type, which a package may write without the names
// of their fields.
func Rows[T any, R ~struct {
	Key
	To func(*T) any
}](own []R) []Row[T] {
	rows := make([]Row[T], len(own))
	for i := range own {
		rows[i] = Row[T](own[i])
	}
	return rows
}

// A Table is a Mapping whose rows know where values go.
type Table[T any] struct {
	Name, Noun, Doc string
	Rows            []Row[T]
	Unread          func(*T) *bool  // where to note what is not read; nil: nowhere
	Stray           func(*T, *Tree) // is given each value whose key has no place; nil: nothing is
	Pos             func(*T) *Pos   // where to note the place of the mapping; nil: nowhere
	Bare            bool            // of Entries: an entry without a value is one without keys
	Instead         string
	Exactly, Most   []string
}

// Mapping returns the table as plain data.
func (t *Table[T]) Mapping() Mapping {
	m := Mapping{Name: t.Name, Noun: t.Noun, Doc: t.Doc, Instead: t.Instead, Exactly: t.Exactly, Most: t.Most}
	for i := range t.Rows {
		m.Keys = append(m.Keys, t.Rows[i].Key)
	}
	return m
}

// Names lists the mapping's keys.
func (m Mapping) Names() []string {
	names := make([]string, len(m.Keys))
	for i := range m.Keys {
		names[i] = m.Keys[i].Name
	}
	return names
}

// help lists the mapping's keys in a sentence.
func (m Mapping) help() string {
	return "the keys of " + m.Noun + " are " + strings.Join(m.Names(), ", ")
}

// Index returns the row of a key, -1 without one.
func (t *Table[T]) Index(key string) int {
	for i := range t.Rows {
		if t.Rows[i].Name == key {
			return i
		}
	}
	return -1
}

// tear notes that something of an entry is not read.
func (t *Table[T]) tear(to *T) {
	if t.Unread != nil {
		*t.Unread(to) = true
	}
}

// expects is what a diagnostic about the key's value expected.
func (k *Key) expects() string {
	if !k.Form.Words {
		return k.Form.Expects
	}
	what := "one of "
	if k.Form.Single {
		what = "one or more of "
	}
	for i, w := range k.Words {
		if i > 0 {
			what += ", "
		}
		what += w.Name
	}
	return what
}

// example returns a value the key may have.
func (k *Key) example() string {
	switch {
	case k.Form.Words && k.Form.Single:
		return "[" + k.Words[0].Name + "]"
	case k.Form.Words:
		return k.Words[0].Name
	}
	return cmp.Or(k.Example, k.Form.Example)
}

// filled is the help for a key that has no value, from how it is shown.
func (k *Key) filled(shown string) string {
	help := "write it as in " + shown
	if !k.Required {
		help += ", or leave the key out"
	}
	return help
}

// Read reads the values of a mapping to where the table's rows want them.
func Read[T any](r *Reader, m *Tree, t *Table[T], to *T) {
	if t.Pos != nil {
		*t.Pos(to) = m.Pos
	}
	if m.Kind != Map {
		r.Expected(m, "a mapping with the keys of "+t.Noun, t.Mapping().help())
		t.tear(to)
		return
	}
	p := place(r, m, t)
	if p.unplaced > 0 {
		t.tear(to)
	}
	for i, at := range p.rows {
		if at < 0 && t.Stray != nil {
			t.Stray(to, &m.Items[2*i+1])
		}
		if at >= 0 {
			row := &t.Rows[at]
			if r.Seen != nil {
				r.Seen(t.Name, &row.Key, &m.Items[2*i+1])
			}
			if torn := r.readKey(m, i, &row.Key, row.To(to)); torn {
				t.tear(to)
			}
		}
	}
	for _, at := range p.missing {
		row := &t.Rows[at]
		if !p.excused() {
			r.Report(r.Missing, m.Pos, fmt.Sprintf("%s needs the key %q", t.Noun, row.Name), "add "+diag.Add(row.Name, row.example()))
		}
		r.Read(&Tree{Pos: m.Pos}, &row.Key, row.To(to))
	}
}

// readKey reads the value of the i-th key to its place, and reports whether some of it is not read. The
// value of a key that is taken for another is read without a report: the key has one.
func (r *Reader) readKey(m *Tree, i int, k *Key, to any) (torn bool) {
	key, value := m.Key(i)
	guess := key.V != k.Name
	if value.Kind == Null {
		if !guess && (!k.Empty || value.Text != "") {
			r.ReportEmpty(key, value, k)
		}
		if k.Empty {
			return false
		}
		value = &Tree{Pos: value.Pos}
	}
	if guess && !r.guessed.IsSet() {
		r.guessed = value.Pos
		defer func() { r.guessed = Pos{} }()
	}
	outer := r.torn
	r.torn = false
	r.Read(value, k, to)
	torn, r.torn = r.torn, outer
	return torn
}

// Entries reads a mapping of names to mappings with the keys of a table.
func Entries[T any](r *Reader, v *Tree, k *Key, t *Table[T], name func(*T) *String) []*T {
	if v.Kind != Map || v.Dropped > 0 {
		r.Tear()
	}
	entries := make([]*T, 0, len(v.Items)/2)
	r.Each(v, k, func(key String, value *Tree) {
		e := new(T)
		*name(e) = key
		switch {
		case value.Kind != Null:
			Read(r, value, t, e)
		case !t.Bare:
			r.ReportEmpty(key, value, k)
			t.tear(e)
		}
		entries = append(entries, e)
	})
	return entries
}

// Items reads a list of mappings with the keys of a table.
func Items[T any](r *Reader, v *Tree, k *Key, t *Table[T]) []*T {
	list := r.List(v, k)
	items := make([]*T, len(list))
	for i := range items {
		items[i] = new(T)
		Read(r, &list[i], t, items[i])
	}
	return items
}
