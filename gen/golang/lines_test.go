package golang

import "testing"

// TestNumberLines holds that a directive gets the number of its line, and that the same text of an author stays as it is.
func TestNumberLines(t *testing.T) {
	const directive = "/*line g_graph.go:1:1*/"
	for name, row := range map[string]struct{ code, want string }{
		"of a condition":         {"a\nif /*line g.yaml:7:3*/ x " + directive + " {\n", "a\nif /*line g.yaml:7:3*/ x /*line g_graph.go:2:1*/ {\n"},
		"in a literal":           {"\n\n\"" + directive + "\" + x\n", "\n\n\"" + directive + "\" + x\n"},
		"in a comment":           {"\n\n// " + directive + "\n", "\n\n// " + directive + "\n"},
		"after one in a literal": {"\nx == \"" + directive + "\" " + directive + "\n", "\nx == \"" + directive + "\" /*line g_graph.go:2:1*/\n"},
	} {
		if got := string(numberLines([]byte(row.code), "g_graph.go")); got != row.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, row.want)
		}
	}
}
