package gotag_test

import (
	"fmt"
	"runtime"
	"slices"
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
		"of others": {"const (\n\tC0 T = \"abcdefgh\"\n" + chain.String()[:strings.Index(chain.String(), "\tC5")] + ")\n",
			"the constant C3 has more than the 1024 bytes"},
		"of an untyped constant": {"const (\n\ta = \"x" + strings.Repeat(long, 9) + "\"\n\tb\n)\n\nconst C0 = T(b + \"x\")\n",
			"the constant C0 has more than the 1024 bytes"},
		"of later ones": {"const (\n" + reversed(strings.Replace(chain.String(), "C1 T", "\tC0 T = \"abcdefgh\"\n\tC1 T", 1)) + ")\n",
			"more than 16 MiB together"},
		"of one of later ones": {"const (\n\tC2 T = C1 + C1\n\tC1 T = C0\n\tC0 T = \"" + strings.Repeat("x", 900) + "\"\n)\n",
			"the constant C2 has more than the 1024 bytes"},
		"of which a length is used":    {untyped(chain.String()) + "const C T = \"c\"\n\nconst N = len(C9)\n", "more than 16 MiB together"},
		"of a type":                    {untyped(chain.String()) + "const C T = \"c\"\n\nvar n [len(C9)]int\n", "more than 16 MiB together"},
		"that are compared":            {untyped(chain.String()) + "const C T = \"c\"\n\nconst Same = C9+\"x\" == \"y\"+C9\n", "more than 16 MiB together"},
		"of which a function has some": {"const C0 T = \"c\"\n\nfunc f() int {\n" + untyped(chain.String()) + "\treturn len(C9)\n}\n", ""},
		"of itself":                    {"const C0 T = C0 + \"x\"\n", "T is an enum of neither"},
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

// reversed returns the lines of a text in reverse order.
func reversed(text string) string {
	lines := strings.SplitAfter(text, "\n")
	slices.Reverse(lines)
	return strings.Join(lines, "")
}

// untyped returns the constants of a chain without their type.
func untyped(chain string) string {
	return "const (\n\tC0 = \"abcdefgh\"\n" + strings.ReplaceAll(chain, " T = ", " = ") + ")\n\n"
}
