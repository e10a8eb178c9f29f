package suite

import (
	"os"
	"strings"
	"testing"
)

// A Difference is a thing that an engine does otherwise than local runs, with the reason, and the scenarios of golden machines in which it shows.
type Difference struct {
	What, Why string
	Scenarios []string
}

// By returns the differences by the scenarios in which they show.
func By(list []Difference) map[string]string {
	by := map[string]string{}
	for _, d := range list {
		for _, name := range d.Scenarios {
			by[name] = d.What
		}
	}
	return by
}

// Guide holds that the table of a guide lists what differs. With update it writes the table.
func Guide(t *testing.T, name string, list []Difference, update bool) {
	t.Helper()
	const heading = "| difference | reason |\n|---|---|\n"
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	from := strings.Index(page, heading)
	if from < 0 {
		t.Fatalf("%s has no table of what differs", name)
	}
	rows := strings.Builder{}
	rows.WriteString(heading)
	for _, d := range list {
		rows.WriteString("| " + d.What + " | " + d.Why + " |\n")
	}
	to := len(page)
	if end := strings.Index(page[from:], "\n\n"); end >= 0 {
		to = from + end + 1
	}
	if page[from:to] == rows.String() {
		return
	}
	if !update {
		t.Fatalf("the table of %s is not that of the test: run go test -run TestDifferences -update", name)
	}
	if err := os.WriteFile(name, []byte(page[:from]+rows.String()+page[to:]), 0o644); err != nil {
		t.Fatal(err)
	}
}
