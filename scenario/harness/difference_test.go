package harness

import (
	"strings"
	"testing"
)

// TestDifference holds that a difference is quoted with what is around it, and that short texts are quoted whole.
func TestDifference(t *testing.T) {
	same := strings.Repeat("é", 500)
	for name, row := range map[string]struct{ a, b, want string }{
		"none":                {"x", "x", ""},
		"short texts":         {"state 1", "state 2", `it is "state 1" and "state 2"`},
		"one ends before":     {"", "x", `it is "" and "x"`},
		"long texts":          {same + "1", same + "2", `it is "…` + same[:60] + `1" and "…` + same[:60] + `2"`},
		"what follows is cut": {same + "1" + same, same + "2", `it is "…` + same[:60] + "1" + same[:300-3-60-1] + `…" and "…` + same[:60] + `2"`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := difference("it", row.a, row.b); got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
		})
	}
}
