package assertion_test

import (
	"fmt"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/assertion"
)

func TestSentencePlaces(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"every path":                      {"every path to publish passes critic", "every path to X passes Y: publish@24 critic@39"},
		"no path":                         {"no path from a to b without c", "no path from A to B without C: a@23 b@28 c@38"},
		"reachable":                       {"end is reachable", "X is reachable: end@10"},
		"at most":                         {"draft runs at most 12 times", "X runs at most N times: draft@10, 12"},
		"once is a time":                  {"draft runs at most 1 time", "X runs at most N times: draft@10, 1"},
		"space between words is free":     {"a   is\treachable", "X is reachable: a@10"},
		"names may be words of the forms": {"every path to path passes every", "every path to X passes Y: path@24 every@36"},
		"columns count characters":        {"é is reachable", "X is reachable: é@10"},
	} {
		t.Run(name, func(t *testing.T) {
			a, wrong := assertion.Parse(spec.String{V: test.text, Pos: spec.Pos{Line: 7, Col: 10, Width: len(test.text)}})
			if wrong != nil {
				t.Fatal(wrong)
			}
			got := a.Kind.String() + ":"
			for _, n := range a.Names {
				got += fmt.Sprintf(" %s@%d", n.V, n.Pos.Col)
			}
			if a.Kind == assertion.AtMost {
				got += fmt.Sprintf(", %d", a.Most)
			}
			if got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

func TestInvalidSentences(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"another sentence":   {"draft is the best", `19: expected "reachable", found "the"`},
		"nothing like it":    {"hello", "10: this is not a form of an assertion"},
		"a misspelt word":    {"evry path to a passes b", `10: expected "every", found "evry"`},
		"too short":          {"every path to a passes", "10: the assertion stops where the name of a node should follow"},
		"too long":           {"a is reachable now", "25: the assertion continues after its end"},
		"a negative number":  {"a runs at most -1 times", `25: expected a whole number, found "-1"`},
		"a number too large": {"a runs at most 99999999999999999999 times", `25: expected a whole number, found "99999999999999999999"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, wrong := assertion.Parse(spec.String{V: test.text, Pos: spec.Pos{Line: 7, Col: 10, Width: len(test.text)}})
			if wrong == nil {
				t.Fatal("it is read")
			}
			if got := fmt.Sprintf("%d: %s", wrong.Pos.Col, wrong.Message); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}
