package bounds_test

import (
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec/bounds"
)

func TestPathLength(t *testing.T) {
	for name, test := range map[string]struct{ path, want string }{
		"an empty path":                       {"", ""},
		"nothing repeated":                    {"draft critic publish", "draft critic publish"},
		"a loop":                              {"draft critic draft critic draft critic draft publish", "(draft critic)×3 draft publish"},
		"a node that follows itself":          {"poll poll poll poll done", "poll×4 done"},
		"twice the same node stays as it is":  {"poll poll done", "poll poll done"},
		"a loop within a loop":                {"a b b b c a b b b c", "(a b×3 c)×2"},
		"of two ways to write it the shorter": {"a a a b a a a b", "(a×3 b)×2"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := bounds.Compressed(strings.Fields(test.path)); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
