// Package diag holds the findings of the compiler as data: a code, a severity, a position, a
// message and a help. Only Render and JSON turn them into text.
package diag

import (
	"cmp"
	"slices"
)

// Pos is a position in a spec file, or in a file that the spec names. Line and Col count from 1, Col and Width in runes. The zero Pos
// is no position.
type Pos struct {
	File      string // the file, where it is not the spec
	Line, Col int
	Width     int // runes to underline; 0 means one
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
	Help     string    // what to do about it
}

// Related points from a diagnostic to another position, of the same file where its position has none.
type Related struct {
	Pos     Pos
	Message string
}

// Sort sorts diagnostics by file, line, column and code, and drops duplicates.
func Sort(ds []Diagnostic) []Diagnostic {
	slices.SortStableFunc(ds, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Col, b.Pos.Col),
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
