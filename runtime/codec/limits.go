package codec

import (
	"regexp"
	"strconv"
	"sync"
	"unicode/utf8"
)

// A Length holds the bounds of a length, both inclusive: of a string in characters, of
// bytes, of a list or map in elements. The zero value has none.
type Length struct{ min, over int }

// LengthBetween is a length from low to high.
func LengthBetween(low, high int) Length { return Length{low, high + 1} }

// MinLength is a length from low upwards.
func MinLength(low int) Length { return Length{low, 0} }

// MaxLength is a length up to high.
func MaxLength(high int) Length { return Length{0, high + 1} }

func (l Length) holds(n int) bool { return n >= l.min && (l.over == 0 || n < l.over) }

// excludes returns the message for a length that is out of the bounds.
func (l Length) excludes(n int, one, many string) string {
	unit := many
	if n == 1 {
		unit = one
	}
	text := "has " + strconv.Itoa(n) + " " + unit + ", want "
	switch {
	case l.over == 0:
		return text + "at least " + strconv.Itoa(l.min)
	case l.min == 0:
		return text + "at most " + strconv.Itoa(l.over-1)
	}
	return text + strconv.Itoa(l.min) + " to " + strconv.Itoa(l.over-1)
}

// Read refuses the list, map or bytes that have been read last, if they are of another length.
func (l Length) Read(n int, d *Decoder) {
	if !l.holds(n) {
		d.Fail(l.excludes(n, "element", "elements"))
	}
}

// Write refuses the list, map or bytes that are to be written next, if they are of another length.
func (l Length) Write(n int, e *Encoder) {
	if !l.holds(n) {
		e.Fail(l.excludes(n, "element", "elements"))
	}
}

// Text holds the limits of a string. The zero value has none.
type Text struct {
	Length  Length
	Pattern Matcher
	Format  Matcher
}

// A Matcher is a condition of strings.
type Matcher struct {
	otherwise string // the message for a string that does not match
	holds     func(string) bool
}

// Pattern is the condition that a match of the regular expression is found in the
// string. The expression is compiled when it is needed first.
func Pattern(expr string) Matcher {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
	return Matcher{"does not match " + expr, func(s string) bool { return compiled().MatchString(s) }}
}

// ReadString reads a string within the limits.
func (t *Text) ReadString(v *string, d *Decoder) {
	if ReadString(v, d); d.wrong == nil {
		if wrong := t.wrong(*v); wrong != "" {
			d.Fail(wrong)
		}
	}
}

// WriteString writes a string within the limits; another one is an error.
func (t *Text) WriteString(v string, e *Encoder) {
	if wrong := t.wrong(v); wrong != "" {
		e.Fail(wrong)
		return
	}
	e.text(v)
}

// wrong returns the message of the first limit that the string violates, empty without one.
func (t *Text) wrong(s string) string {
	if t.Length != (Length{}) {
		if n := utf8.RuneCountInString(s); !t.Length.holds(n) {
			return quoted(s) + " " + t.Length.excludes(n, "character", "characters")
		}
	}
	for _, m := range [...]*Matcher{&t.Pattern, &t.Format} {
		if m.holds != nil && !m.holds(s) {
			return quoted(s) + " " + m.otherwise
		}
	}
	return ""
}
