package main

import (
	"strings"
	"testing"
)

// TestNoPasswords holds that graphgen prints no password of a URL, also where it has no such store or takes none.
func TestNoPasswords(t *testing.T) {
	const url = "postgres://user:hush/@1@127.0.0.1/db"
	for _, args := range [][]string{
		{"threads", "list", url}, {"threads", "show", url, "t"}, {"threads", url}, {"threads", "import", url, "none"}, {"threads", "fork", url, "a", "b"},
		{"check", "-store", url}, {"check", "-compat", "-store", url}, {"check", url}, {"generate", url}, {"diff", url, url}, {url},
	} {
		var out, err strings.Builder
		if run(t.Context(), args, &out, &err) == exitFine || strings.Contains(out.String()+err.String(), "hush") || out.String()+err.String() == "" {
			t.Errorf("%q prints %s%s", args, &out, &err)
		}
	}
}
