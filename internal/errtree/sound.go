package errtree

import (
	"strconv"
	"time"
)

// A BrokenError replaces an error of foreign code of which a method panics, such as a nil pointer that was returned as an
// error.
type BrokenError struct {
	Method string // "Error", "Unwrap", …
	Panic  string // what it panicked with
}

func (e *BrokenError) Error() string {
	text := "an error whose method " + e.Method + " panics: " + e.Panic
	if e.Panic == nilDereference {
		text += " (was a nil pointer returned as an error?)"
	}
	return text
}

const nilDereference = "runtime error: invalid memory address or nil pointer dereference"

// deepest is how many errors of a tree Sound looks at. What has more does not end.
const deepest = 10_000

// Sound returns err if no method of an error in its tree panics, and the tree ends; otherwise a *[BrokenError] instead of the
// whole tree. Every error of foreign code passes it once, where it is first seen: all later code, observers included, may
// then call the methods of the error, also with a lock held.
func Sound(err error) (sound error) {
	if err == nil {
		return nil
	}
	p := probe{method: "Error", other: new(BrokenError)}
	defer func() {
		if v := recover(); v != nil {
			sound = &BrokenError{p.method, PanicText(v)}
		}
	}()
	if !p.look(err) {
		return &BrokenError{"Unwrap", "the tree does not end"}
	}
	return err
}

// Text returns the text of an error, also where its method Error panics.
func Text(err error) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = (&BrokenError{"Error", PanicText(v)}).Error()
		}
	}()
	return err.Error()
}

// PanicText returns the text of what was panicked with. It has none of the panics of the value's own methods.
func PanicText(v any) (text string) {
	defer func() {
		if recover() != nil {
			text = "a value whose text panics, too"
		}
	}()
	switch v := v.(type) {
	case error:
		return v.Error()
	case string:
		return v
	case interface{ String() string }:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return "a value that is no error and no text"
}

// A probe calls the methods of a tree of errors that the kernel calls.
type probe struct {
	method string // that is called
	seen   int
	other  *BrokenError // the target of Is and As: no foreign error is one
}

// look calls the methods of err and of the errors that it wraps, and reports whether these end.
func (p *probe) look(err error) bool {
	for err != nil {
		if p.seen++; p.seen > deepest {
			return false
		}
		p.method = "Error"
		_ = err.Error()
		p.ask(err)
		p.method = "Unwrap"
		switch x := err.(type) {
		case interface{ Unwrap() error }:
			err = x.Unwrap()
		case interface{ Unwrap() []error }:
			for _, part := range x.Unwrap() {
				if !p.look(part) {
					return false
				}
			}
			return true
		default:
			return true
		}
	}
	return true
}

// ask calls the methods by which errors say what they are.
func (p *probe) ask(err error) {
	p.method = "Is"
	if x, ok := err.(interface{ Is(error) bool }); ok {
		x.Is(p.other)
	}
	p.method = "As"
	if x, ok := err.(interface{ As(any) bool }); ok {
		x.As(&p.other)
	}
	p.method = "Transient"
	if x, ok := err.(interface{ Transient() bool }); ok {
		x.Transient()
	}
	p.method = "RetryAfter"
	if x, ok := err.(interface{ RetryAfter() time.Duration }); ok {
		x.RetryAfter()
	}
	p.method = "Decides"
	if x, ok := err.(interface{ Decides() bool }); ok {
		x.Decides()
	}
	p.method = "Fatal"
	if x, ok := err.(interface{ Fatal() bool }); ok {
		x.Fatal()
	}
	p.method = "Permanent"
	if x, ok := err.(interface{ Permanent() bool }); ok {
		x.Permanent()
	}
}
