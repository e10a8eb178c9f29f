package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
)

// nodePrograms are the rows that Node.js runs.
func nodePrograms() (rows []row) {
	for _, r := range peers() {
		if r.of.how == script {
			rows = append(rows, r)
		}
	}
	return rows
}

// TestNodeVersions holds that rows name the versions of the packages that are measured.
func TestNodeVersions(t *testing.T) {
	text, err := os.ReadFile("../peers/langgraphjs/package.json")
	var is struct{ Dependencies map[string]string }
	if err != nil || json.Unmarshal(text, &is) != nil {
		t.Fatal(err)
	}
	lock, err := os.ReadFile("../peers/langgraphjs/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, version := range is.Dependencies {
		if !strings.Contains(string(lock), `"node_modules/`+name+"\": {\n      \"version\": \""+version+`"`) {
			t.Errorf("package-lock.json does not have %s %s", name, version)
		}
	}
	if len(nodePrograms()) == 0 {
		t.Error("there is no row of Node.js")
	}
	for _, r := range nodePrograms() {
		if !strings.HasPrefix(r.what, "LangGraph.js "+is.Dependencies["@langchain/langgraph"]+", ") {
			t.Errorf("the row %q does not name version %s", r.what, is.Dependencies["@langchain/langgraph"])
		}
	}
}

// TestWithoutNode holds that rows of Node.js are not measured where it is absent, and the others are.
func TestWithoutNode(t *testing.T) {
	c := newCommand(t)
	t.Setenv("PATH", t.TempDir())
	rows := nodePrograms()
	var all []benchmark
	for _, r := range rows {
		all = append(all, r.of)
	}
	if err := c.measure(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if cells := r.cells(c.samples); cells[1] != "not measured" {
			t.Errorf("%q", cells)
		}
	}
}

// TestNode runs the programs of Node.js once.
func TestNode(t *testing.T) {
	if os.Getenv("JUDGES") == "" {
		t.Skip("needs packages of npm: JUDGES=1")
	}
	c := newCommand(t)
	c.nodeTime = time.Millisecond
	rows := nodePrograms()
	var all []benchmark
	for _, r := range rows {
		all = append(all, r.of)
	}
	if err := c.measure(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	if c.noNode != nil {
		t.Skipf("the programs are not run: %v", c.noNode)
	}
	for _, r := range rows {
		if f := r.figures(c.samples); !f.measured || f.least <= 0 {
			t.Errorf("%s: %+v", r.what, f)
		}
	}
}
