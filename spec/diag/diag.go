// Package diag holds the findings of the compiler as data: a code, a severity, a position, a
// message and a help. Only Render and JSON turn them into text.
package diag

import (
	"cmp"
	"slices"
)

// Pos is a position in a spec file, or in a file that the spec names. Line and Col count from 1, Col and Width in runes. The zero Pos
// is not a position.
type Pos struct {
	File      string // the file, where it is not the spec
	Line, Col int
	Width     int    // runes to underline; 0 means one
	In        *Place // the place in a template, of what a template has; the position itself is the place of its use
}

// A Place is where a template has what a position refers to.
type Place struct {
	Template         string // its name
	Skills           bool   // it is a skill group
	File             string // the file of the template, where it is not the spec
	Line, Col, Width int
	By               *Place // where another template uses this one; nil: the graph does
}

// Compare compares positions of one file: by line and column, then by their places in templates.
func (p Pos) Compare(q Pos) int {
	c := cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
	if c != 0 || p.In == q.In {
		return c
	}
	a, b := p.In.outwards(), q.In.outwards()
	return slices.CompareFunc(a, b, func(x, y *Place) int {
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Col, y.Col))
	})
}

// outwards returns the places from that in the outermost template on.
func (p *Place) outwards() (list []*Place) {
	for ; p != nil; p = p.By {
		list = append([]*Place{p}, list...)
	}
	return list
}

// IsSet reports whether p is a position in a file.
func (p Pos) IsSet() bool { return p.Line > 0 }

// Severity is the weight of a finding. Only an Error stops generation.
type Severity uint8

const (
	Error Severity = iota
	Warning
	Note
)

// String returns the word that a rendered diagnostic shows.
func (s Severity) String() string { return [...]string{"error", "warning", "note"}[s] }

// A Diagnostic is one finding at one place of a spec.
type Diagnostic struct {
	Code     string // "GG012"; graphgen explain prints its doc
	Severity Severity
	File     string
	Pos      Pos
	Message  string    // what is wrong, lower case, in the author's words
	Related  []Related // other positions that matter, in reading order
	Help     Help      // what to do about it
}

// Related points from a diagnostic to another position, of the same file where its position has none.
type Related struct {
	Pos     Pos
	Message string
}

// Remarks returns the other positions of a diagnostic, with those in templates: of each template that has what the
// diagnostic is about, and of those that have what its notes are about.
func (d *Diagnostic) Remarks() []Related {
	if d.Pos.In == nil && !slices.ContainsFunc(d.Related, func(r Related) bool { return r.Pos.In != nil }) {
		return d.Related
	}
	var list []Related
	add := func(p Pos) {
		for at := p.In; at != nil; at = at.By {
			list = append(list, Related{Pos: at.pos(), Message: "the " + at.what() + " \"" + at.Template + "\" has it here"})
		}
	}
	add(d.Pos)
	for _, r := range d.Related {
		list = append(list, r)
		add(r.Pos)
	}
	return list
}

func (p *Place) what() string {
	if p.Skills {
		return "skill group"
	}
	return "template"
}

func (p *Place) pos() Pos { return Pos{File: p.File, Line: p.Line, Col: p.Col, Width: p.Width} }

// Sort sorts diagnostics by file, line, column and code, and drops duplicates.
func Sort(ds []Diagnostic) []Diagnostic {
	slices.SortStableFunc(ds, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File),
			a.Pos.Compare(b.Pos),
			cmp.Compare(a.Code, b.Code),
		)
	})
	return slices.CompactFunc(ds, func(a, b Diagnostic) bool {
		return a.Code == b.Code && a.File == b.File && a.Pos == b.Pos && a.Message == b.Message
	})
}

// WithoutNotes returns the diagnostics that are not notes. The argument is not changed.
func WithoutNotes(ds []Diagnostic) []Diagnostic {
	return slices.DeleteFunc(slices.Clone(ds), func(d Diagnostic) bool { return d.Severity == Note })
}

// HasErrors reports whether any of the diagnostics stops generation.
func HasErrors(ds []Diagnostic) bool {
	return slices.ContainsFunc(ds, func(d Diagnostic) bool { return d.Severity == Error })
}
