package releases

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec/shape"
)

// releasedCached is a graph whose threads keep a result of a cacheable node.
const releasedCached = `graph: letter
durable: true
entry: draft
state:
  topic: string
  log: {type: "[]string", merge: append}
input: topic
output: log
nodes:
  draft: {reads: topic, output: {points: int}, flags: [cacheable]}
  ask: {kind: human, instructions: "Again?", next: draft}
  send: {reads: topic, writes: log}
edges:
  - {from: draft, to: ask, if: out.Points > 0, max_iterations: 1}
  - {from: draft, to: send}
`

// A cached result of another output is not used, though the shapes are the same: the node runs again.
func TestCachedResults(t *testing.T) {
	older := &version{pkg: "older", flow: flowOf(t, releasedCached, ""), drafts: "\tout.Points = 7\n"}
	newer := &version{pkg: "newer", drafts: older.drafts,
		flow: flowOf(t, replaced(t, releasedCached, []string{"{points: int}", "{points: int, why: string}"}), "")}
	if shape.Of(newer.flow).Hash() != shape.Of(older.flow).Hash() {
		t.Fatal("the shapes differ")
	}
	binary := build(t, []*version{older, newer})
	for v, ran := range map[*version]string{older: "draft send", newer: "draft draft send"} {
		p := process{binary: binary, folder: t.TempDir()}
		if got := p.does(t, older, "start"); got != "paused" {
			t.Fatal(got)
		}
		if got := p.does(t, v, "go"); got != `{"log":["send"]}` {
			t.Errorf("%s goes on with %s", v.pkg, got)
		}
		if notes, err := os.ReadFile(filepath.Join(p.folder, "notes")); err != nil || strings.TrimSpace(string(notes)) != ran {
			t.Errorf("%s: the nodes that ran are %s, want %s, %v", v.pkg, notes, ran, err)
		}
	}
}
