package gotag_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestLongConstants holds that the value of an enum that is too long is reported, and not evaluated.
func TestLongConstants(t *testing.T) {
	var chain strings.Builder
	for i := range 9 {
		fmt.Fprintf(&chain, "\tC%d T = %s\n", i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("C%d + ", i), 8), " + "))
	}
	const head = "package g\n\nimport \"github.com/graphgen/graphgen/graph\"\n\n//graphgen:graph g entry=a\ntype _ struct {\n" +
		"\tState S `graphgen:\"input=f; output=f\"`\n\tA graph.Func `graphgen:\"reads=f; writes=f\"`\n}\n\ntype S struct{ F T }\n\ntype T string\n\n"
	long := strings.Repeat("x", 1024)
	for name, c := range map[string]struct{ decls, want string }{
		"the longest": {"const C0 T = \"" + long + "\"\n", ""},
		"written":     {"const C0 T = \"x" + long + "\"\n", "the constant C0 has more than the 1024 bytes"},
		"of others":   {"const (\n\tC0 T = \"abcdefgh\"\n" + chain.String() + ")\n", "the constant C3 has more than the 1024 bytes"},
		"of an untyped constant": {"const (\n\ta = \"x" + strings.Repeat(long, 9) + "\"\n\tb\n)\n\nconst C0 = T(b + \"x\")\n",
			"the constant C0 has more than the 1024 bytes"},
		"of itself": {"const C0 T = C0 + \"x\"\n", "T is an enum of neither"},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, found := judge("g.go", []byte(head+c.decls))
			runtime.ReadMemStats(&after)
			switch {
			case c.want == "" && len(found) > 0, c.want != "" && (len(found) != 1 || !strings.Contains(found[0].Message, c.want)):
				t.Errorf("found %v, want %q", found, c.want)
			}
			if made := after.TotalAlloc - before.TotalAlloc; made > 64<<20 {
				t.Errorf("%d MiB are allocated", made>>20)
			}
		})
	}
}
