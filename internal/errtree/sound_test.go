package errtree

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// A mine panics in one of its methods.
type mine struct{ in string }

func (m *mine) step(method string) {
	if m.in == method {
		panic("in " + method)
	}
}

func (m *mine) Error() string             { m.step("Error"); return "mine" }
func (m *mine) Unwrap() error             { m.step("Unwrap"); return nil }
func (m *mine) Is(error) bool             { m.step("Is"); return false }
func (m *mine) As(any) bool               { m.step("As"); return false }
func (m *mine) Transient() bool           { m.step("Transient"); return true }
func (m *mine) RetryAfter() time.Duration { m.step("RetryAfter"); return 0 }
func (m *mine) Decides() bool             { m.step("Decides"); return true }
func (m *mine) Fatal() bool               { m.step("Fatal"); return false }
func (m *mine) Permanent() bool           { m.step("Permanent"); return false }

// A ring wraps itself.
type ring struct{}

func (r *ring) Error() string { return "ring" }
func (r *ring) Unwrap() error { return r }

// A selfish panics with itself.
type selfish struct{}

func (s selfish) Error() string { panic(s) }

func TestSound(t *testing.T) {
	var none *leaf
	if err := Sound(none); err == nil || !strings.HasSuffix(err.Error(), "(was a nil pointer returned as an error?)") {
		t.Errorf("a nil pointer is %v", err)
	}
	for _, method := range []string{"Error", "Unwrap", "Is", "As", "Transient", "RetryAfter", "Decides", "Fatal", "Permanent"} {
		for name, err := range map[string]error{
			"alone":   &mine{method},
			"wrapped": errWith{&mine{method}},
			"joined":  joined{errors.New("a"), &mine{method}},
		} {
			broken, ok := Sound(err).(*BrokenError)
			if !ok || *broken != (BrokenError{method, "in " + method}) {
				t.Errorf("%s, %s: %v", name, method, broken)
			}
		}
	}
	for _, err := range []error{&ring{}, selfish{}} {
		if _, ok := Sound(err).(*BrokenError); !ok {
			t.Errorf("%T is sound", err)
		}
	}
}

// An errWith wraps an error, and has a text of its own.
type errWith struct{ error }

func (e errWith) Error() string { return "with" }
func (e errWith) Unwrap() error { return e.error }

// A joined wraps several.
type joined []error

func (j joined) Error() string   { return "joined" }
func (j joined) Unwrap() []error { return j }

func TestSoundErrorsStay(t *testing.T) {
	one := errors.New("one")
	for _, err := range []error{nil, one, fmt.Errorf("x: %w", one), errors.Join(one, &mine{}), stand{one}} {
		if got := Sound(err); got != err {
			t.Errorf("%v becomes %v", err, got)
		}
	}
}

func TestText(t *testing.T) {
	for want, err := range map[string]error{
		"leaf": &leaf{"leaf"},
		"an error whose method Error panics: in Error":                       &mine{"Error"},
		"an error whose method Error panics: a value whose text panics, too": selfish{},
	} {
		if got := Text(err); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
