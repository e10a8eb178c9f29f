package runevents_test

import (
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/runevents"
)

// TestRequests holds that the values of the state that a person is shown are in no event.
func TestRequests(t *testing.T) {
	list, err := runevents.Requests([]graphgen.Request{{
		ID: "ask.1", Where: graphgen.Where{Node: "ask", Branch: "2"}, Within: "look", Question: "Now?",
		Shown: []graphgen.Shown{{Name: "letter", Text: "sesame"}},
	}})
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	q := list[0]
	if text := string(q.JSON); q.Path != "look" || q.Branch != "2" || q.Node != "ask" || !strings.Contains(text, "Now?") || strings.Contains(text, "sesame") {
		t.Errorf("%s, %s, %s: %s", q.Path, q.Branch, q.Node, text)
	}
}

// TestPlace holds what the places of threads mean.
func TestPlace(t *testing.T) {
	for _, row := range []struct{ at, within, branch string }{
		{"", "", ""},
		{"/each.0", "", "0"},
		{"/panel/", "panel", ""},
		{"/panel//each.0", "panel", "0"},
		{"/each.0/panel/", "panel", "0"},
		{"/panel//each.1/ask/", "panel/ask", "1"},
	} {
		if within, branch := runevents.Place(row.at); within != row.within || branch != row.branch {
			t.Errorf("%s is in %q, branch %q", row.at, within, branch)
		}
	}
}
