package expr_test

import (
	"testing"

	"github.com/graphgen/graphgen/spec/expr"
)

func TestSame(t *testing.T) {
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{`state.Topic=="a"`, `state.Topic == "a"`, true},
		{`state.Topic == "a  b"`, `state.Topic == "a b"`, false},
		{"state.Topic == `a`", `state.Topic == "a"`, true},
		{`state.Topic == "\u00e9"`, `state.Topic == "é"`, true},
		{`state.N == 0x10`, `state.N == 16`, true},
		{`state.N == 1_000`, `state.N == 1000`, true},
		{`state.F == 1.50`, `state.F == 1.5`, true},
		{`10/4.0 == state.F`, `10/4 == state.F`, false},
		{`state.C == 'a'`, `state.C == '\x61'`, true},
		{`state.C == 'a'`, `state.C == 97`, false},
		{`((state.N) > (1))`, `state.N > 1`, true},
		{`(state.A && state.B) || state.C`, `state.A && state.B || state.C`, true},
		{`state.A && (state.B || state.C)`, `state.A && state.B || state.C`, false},
		{`state.A && (state.B && state.C)`, `state.A && state.B && state.C`, false},
		{`(state.N + 1) * 2 > 3`, `state.N + 1 * 2 > 3`, false},
		{`!(state.A == state.B)`, `!state.A == state.B`, false},
		{`(*state.P).X > 1`, `*state.P.X > 1`, false},
		{`*(state.P) > 1`, `*state.P > 1`, true},
		{`-(-state.N) > 1`, `- -state.N > 1`, true},
		{`len( state.List ) > 1`, `len(state.List) > 1`, true},
		{`slices.Contains([]string{"a", "b"}, state.T)`, "slices.Contains([]string{`a`,(\"b\")}, state.T)", true},
		{`slices.Contains([]string{"a", "b"}, state.T)`, `slices.Contains([]string{"a", "c"}, state.T)`, false},
		{`state.List[(1)] == state.List[1 : 2][0]`, `state.List[1]==state.List[1:2][0]`, true},
		{`f(state.Args...)`, `f(state.Args)`, false},
		{`state.N > `, `state.N >`, false},
		{`state.N > `, `state.N > `, true},
		{`float(1.5)`, `float 1.5`, false},
	} {
		if got := expr.Same(test.a, test.b); got != test.same {
			t.Errorf("%s and %s: the same is %v", test.a, test.b, got)
		}
		if got := expr.Same(test.b, test.a); got != test.same {
			t.Errorf("%s and %s: the same is %v", test.b, test.a, got)
		}
	}
}
