package diag_test

import (
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec/diag"
)

func TestSuggest(t *testing.T) {
	nodes := []string{"draft", "critic", "publish", "end", "Review", "ab", "collect_sources"}
	cases := []struct{ name, typed, want string }{
		{"a letter is dropped", "drft", "draft"},
		{"a letter is added", "drafft", "draft"},
		{"a letter is wrong", "critik", "critic"},
		{"two letters are swapped", "pubilsh", "publish"},
		{"the case is wrong", "review", "Review"},
		{"a short name has one edit", "edn", "end"},
		{"a long name has three edits", "collekt_sorces_", "collect_sources"},
		{"a long name has four edits", "kollekt_sorces_", ""},
		{"two letters are too few to guess", "ac", ""},
		{"nothing is near", "summarize", ""},
		{"the name itself is no suggestion", "end", ""},
		{"a name without letters", "", ""},
		{"a name longer than any", strings.Repeat("x", 100), ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, ok := diag.Suggest(c.typed, nodes)
			if got != c.want || ok != (c.want != "") {
				t.Errorf("Suggest(%q) = %q, %v; want %q", c.typed, got, ok, c.want)
			}
		})
	}
}

func TestSuggestOrder(t *testing.T) {
	for _, names := range [][]string{{"nodea", "nodeb", "nodec"}, {"nodec", "nodea", "nodeb"}, {"nodeb", "nodec", "nodea"}} {
		if got, _ := diag.Suggest("nodex", names); got != "nodea" {
			t.Errorf("of %v got %q", names, got)
		}
	}
}
