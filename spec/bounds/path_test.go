package bounds_test

import (
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec/bounds"
)

func TestPathsAreShortWhereTheyRepeat(t *testing.T) {
	for name, test := range map[string]struct{ path, want string }{
		"an empty path":                       {"", ""},
		"nothing repeated":                    {"draft critic publish", "draft critic publish"},
		"a loop":                              {"draft critic draft critic draft critic draft publish", "(draft critic)x3 draft publish"},
		"a node that follows itself":          {"poll poll poll poll done", "pollx4 done"},
		"twice the same node stays as it is":  {"poll poll done", "poll poll done"},
		"a loop within a loop":                {"a b b b c a b b b c", "(a bx3 c)x2"},
		"of two ways to write it the shorter": {"a a a b a a a b", "(ax3 b)x2"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := bounds.Compressed(strings.Fields(test.path)); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
