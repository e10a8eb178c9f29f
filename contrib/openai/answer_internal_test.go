package openai

import (
	"strings"
	"testing"
)

func TestProgress(t *testing.T) {
	for name, c := range map[string]struct {
		pieces string // with bars between them
		ended  bool
	}{
		"nothing":                 {"", false},
		"an object":               {"{}", true},
		"in pieces":               {`{"a|":|{"b":[1,|2]|}}`, true},
		"without its end":         {`{"a":{"b":[1,2]}`, false},
		"its end in a string":     {`{"a":"}|"`, false},
		"a quote in a string":     {`{"a":"\\|"}"}`, true},
		"a backslash in a string": {`{"a":"\\|\\"}`, true},
		"blanks in front":         {" \n|{}", true},
		"a list":                  {"[]", false},
		"a number":                {"1", false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, pieces := range [][]string{strings.Split(c.pieces, "|"), strings.Split(strings.ReplaceAll(c.pieces, "|", ""), "")} {
				var p progress
				for _, piece := range pieces {
					p.add(piece)
				}
				if p.ended != c.ended {
					t.Errorf("ended is %t after %q", p.ended, pieces)
				}
			}
		})
	}
}

func TestDetailsHaveFewMembers(t *testing.T) {
	var th thought
	member := func(prefix string) string {
		return `[{"type":"t","index":0` + strings.Repeat(`,"`+prefix+`":1`, 200) + `}]`
	}
	th.addDetails(member("a"))
	th.addDetails(member("b"))
	if len(th.details) != 1 || len(th.details[0]) != mostMembers {
		t.Errorf("%d details, of which the first has %d members", len(th.details), len(th.details[0]))
	}
}
