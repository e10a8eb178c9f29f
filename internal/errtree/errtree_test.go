package errtree

import (
	"errors"
	"fmt"
	"testing"
)

type leaf struct{ name string }

func (l *leaf) Error() string { return l.name }

// A stand is an error that gives another by its method As.
type stand struct{ error }

func (s stand) As(target any) bool {
	l, ok := target.(**leaf)
	if ok {
		*l = &leaf{"given"}
	}
	return ok
}

func TestAsFindsWhatAsTypeFinds(t *testing.T) {
	other := errors.New("other")
	for name, err := range map[string]error{
		"none":                nil,
		"another":             other,
		"the error":           &leaf{"a"},
		"a wrapped one":       fmt.Errorf("x: %w", &leaf{"b"}),
		"the first of a tree": errors.Join(other, fmt.Errorf("x: %w", errors.Join(other, &leaf{"c"})), &leaf{"d"}),
		"one by its As":       fmt.Errorf("x: %w", stand{other}),
		"one that wraps none": fmt.Errorf("x: %w", nil),
	} {
		want, is := errors.AsType[*leaf](err)
		var got *leaf
		found := As(err, &got, func(err error) (ok bool) {
			if l, is := err.(*leaf); is {
				got, ok = l, true
			}
			return ok
		})
		if found != is || is && got.name != want.name {
			t.Errorf("%s: got %v, %v, want %v, %v", name, got, found, want, is)
		}
	}
}
