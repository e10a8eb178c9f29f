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

// A verdict is an error that says whether trying again is pointless, or may help.
type verdict struct{ permanent, transient, decided bool }

func (v verdict) Error() string   { return "verdict" }
func (v verdict) Permanent() bool { return v.permanent }
func (v verdict) Transient() bool { return v.transient }
func (v verdict) Decides() bool   { return v.decided }

// TestVerdictsOfBranches holds that of several errors one that is permanent is enough, and that the first one which decides is transient or not.
func TestVerdictsOfBranches(t *testing.T) {
	plain := errors.New("plain")
	for name, row := range map[string]struct {
		err                           error
		permanent, transient, decided bool
	}{
		"none":                {nil, false, false, false},
		"plain ones":          {errors.Join(plain, plain), false, false, false},
		"the second one":      {errors.Join(verdict{}, fmt.Errorf("x: %w", verdict{permanent: true})), true, false, false},
		"one that decides":    {errors.Join(plain, verdict{}, verdict{transient: true, decided: true}), false, true, true},
		"another that is not": {errors.Join(verdict{decided: true}, verdict{transient: true, decided: true}), false, false, true},
	} {
		if p, tr, d := Permanent(row.err), Transient(row.err), DecidesTransient(row.err); p != row.permanent || tr != row.transient || d != row.decided {
			t.Errorf("%s: permanent %t, transient %t, decided %t", name, p, tr, d)
		}
	}
}
