package absent_test

import (
	"context"
	"errors"
	"testing"

	"github.com/graphgen/graphgen/internal/absent"
)

type (
	pointer  struct{ _ int }
	one      struct{ _ *pointer }
	empty    struct{}
	function func()
	table    map[string]int
)

func (*pointer) Error() string { return "" }

// TestIs tries values of every kind: nil pointers alone are absent.
func TestIs(t *testing.T) {
	var err error
	for name, c := range map[string]struct {
		value any
		want  bool
	}{
		"nil":                           {nil, true},
		"a nil error":                   {err, true},
		"a nil pointer":                 {(*pointer)(nil), true},
		"a nil pointer as an error":     {error((*pointer)(nil)), true},
		"a nil pointer to a pointer":    {(**pointer)(nil), true},
		"a nil pointer to nothing":      {(*empty)(nil), true},
		"a pointer":                     {new(pointer), false},
		"a pointer to nothing":          {new(empty), false},
		"nothing":                       {empty{}, false},
		"a struct of one nil pointer":   {one{}, false},
		"an array of one nil pointer":   {[1]*pointer{}, false},
		"a nil function of a type":      {function(nil), false},
		"a nil map of a type":           {table(nil), false},
		"zero":                          {0, false},
		"a text":                        {"", false},
		"an error":                      {errors.New("is *"), false},
		"a context, which is a pointer": {context.Background(), false},
	} {
		if got := absent.Is(c.value); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
