package releases

import (
	"strings"
	"testing"
)

// releasedMutated is a graph whose first node adds a node of a template and a prompt to its run.
const releasedMutated = `graph: letter
durable: true
entry: draft
limits: {max_steps: 20}
mutations:
  allow: [add_node]
  templates: [check]
  kinds: [prompt]
  reads: [hint]
  writes: [log]
state:
  topic: string
  hint: {type: string, default: none}
  log: {type: "[]string", merge: append}
input: topic
output: log
nodes:
  draft: {reads: hint, writes: log, mutates: true, next: ask}
  ask: {kind: human, instructions: "Shall it be sent?", reads: topic, next: send}
  send: {reads: topic, writes: log}
  check: {reads: topic, writes: log}
`

// adds is the body of its node draft.
const adds = `	out.Log = []string{"draft"}
	changes = []mutation.Change{
		LetterAddNode(mutation.Node{Name: "extra", Template: "check", After: "ask"}),
		LetterAddNode(mutation.Node{Name: "note", Kind: "prompt", Instructions: "Note {{hint}}.", Writes: "log", After: "send"}),
	}
`

// A run that has changed its graph continues in a newer release with the changes, or is refused.
func TestMutated(t *testing.T) {
	const finished = `"log":["draft","check","send","noted"]}`
	tests := []struct {
		name    string
		change  []string
		refused string
	}{
		{name: "a field more", change: []string{"  log: {", "  mood: {type: string, default: calm}\n  log: {", "output: log", "output: [mood, log]"}},
		{name: "a node by another name", change: []string{"entry: draft", "entry: open", "  draft: {", "  open: {renamed_from: draft, "},
			refused: "the run has changed its graph, in which nodes have other names now"},
		{name: "a template less", change: []string{"  templates: [check]\n", "", "  check: {reads: topic, writes: log}\n", "", "output: log",
			"output: [log, topic]"}, refused: `the graph has no node "check"`},
		{name: "a field by another name", change: []string{"  hint: {", "  tip: {renamed_from: hint, ", "[hint]", "[tip]", "reads: hint", "reads: tip"},
			refused: `the run has added node "note": a new node may not be shown the field "hint"`},
		{name: "a node of the name", change: []string{"next: ask", "next: extra", "  send:", "  extra: {reads: topic, writes: log, next: ask}\n  send:"},
			refused: `the run has added node "extra": there is a node "extra" already`},
	}
	older := &version{pkg: "older", flow: flowOf(t, releasedMutated, ""), drafts: adds, prompts: true}
	versions, newer := []*version{older}, []*version{}
	for i, tt := range tests {
		v := &version{pkg: "n" + string(rune('a'+i)), flow: flowOf(t, replaced(t, releasedMutated, tt.change), ""), lock: locked(t, older.flow), prompts: true}
		versions, newer = append(versions, v), append(newer, v)
	}
	secretly := replaced(t, releasedMutated, []string{"topic: string", "topic: {type: string, secret: true}"})
	secret := &version{pkg: "secret", flow: flowOf(t, secretly, ""), drafts: strings.Replace(adds, "{{hint}}", account, 1), prompts: true}
	binary := build(t, append(versions, secret))
	for i, tt := range tests {
		for _, kill := range []string{"", "check"} {
			name := strings.ReplaceAll(tt.name, " ", "_")
			if kill != "" {
				name += ",_killed"
			}
			t.Run(name, func(t *testing.T) {
				p := process{binary: binary, folder: t.TempDir()}
				if got := p.does(t, older, "start"); got != "paused" {
					t.Fatal(got)
				}
				if p.kill = kill; kill != "" {
					if got := p.does(t, older, "go"); got != "killed" {
						t.Fatal(got)
					}
					p.kill = ""
				}
				switch got := p.does(t, newer[i], "go"); {
				case tt.refused == "" && !strings.HasSuffix(got, finished):
					t.Errorf("it ends with\n%s\nwant\n%s", got, finished)
				case tt.refused != "" && (!strings.HasPrefix(got, "refused: ") || !strings.HasSuffix(got, tt.refused)):
					t.Errorf("it ends with\n%s\nwant\n%s", got, tt.refused)
				}
			})
		}
	}
	t.Run("secret", func(t *testing.T) {
		for _, snapshots := range []bool{false, true} {
			p := process{binary: binary, folder: t.TempDir(), keys: "a", snapshots: snapshots}
			if got := p.does(t, secret, "start"); got != "paused" {
				t.Fatal(got)
			}
			p.isSealed(t)
			if got := p.does(t, secret, "go"); got != "{"+finished {
				t.Error(got)
			}
			p.isSealed(t)
		}
	})
}

// releasedTemplates is a graph whose first node adds a node of a template that has runs within it, which wait.
const releasedTemplates = `graph: letter
durable: true
entry: draft
limits: {max_steps: 20}
use: {inner: inner.graph.yaml}
mutations: {allow: [add_node], templates: [both, nested]}
state:
  topic: string
  log: {type: "[]string", merge: append}
  notes: {type: "[]string", merge: append}
input: topic
output: [log, notes]
nodes:
  draft: {reads: topic, writes: log, mutates: true, next: send}
  send: {reads: topic, writes: log}
  both: {kind: parallel, branches: {law: [thank, lawyer], style: [editor, second]}}
  lawyer: {kind: human, instructions: "Is it lawful?", reads: topic}
  thank: {reads: topic, writes: log}
  editor: {kind: human, instructions: "Is it short?", reads: topic}
  second: {reads: topic, writes: log}
  nested: {kind: subgraph, graph: inner, in: {topic: topic}, out: {notes: notes}}
`

// A run that waits, or is killed, within a node of a template continues in its release and in a newer one.
func TestMutatedTemplates(t *testing.T) {
	newer := replaced(t, releasedTemplates, []string{"  log: {", "  mood: {type: string, default: calm}\n  log: {", "input: topic", "input: [topic, mood]"})
	var versions []*version
	of := map[string][2]*version{}
	for _, template := range []string{"both", "nested"} {
		drafts := "\tout.Log = []string{\"draft\"}\n\tchanges = []mutation.Change{LetterAddNode(mutation.Node{Name: \"extra\", Template: \"" + template +
			"\", After: \"draft\"})}\n"
		inner := func(pkg string) *version { return &version{pkg: pkg, flow: flowOf(t, releasedInner, "")} }
		older := &version{pkg: template + "older", flow: flowOf(t, releasedTemplates, releasedInner), drafts: drafts, inner: inner(template + "older")}
		newer := &version{pkg: template + "newer", flow: flowOf(t, newer, releasedInner), lock: locked(t, older.flow), inner: inner(template + "newer")}
		of[template] = [2]*version{older, newer}
		versions = append(versions, older, newer)
	}
	binary := build(t, versions)
	for _, tt := range []struct{ template, kill, want string }{
		{"both", "", `{"log":["draft","thank","second","send"],"notes":[]}`},
		{"both", "second", `{"log":["draft","thank","second","send"],"notes":[]}`},
		{"nested", "", `{"log":["draft","send"],"notes":["look","close"]}`},
		{"nested", "close", `{"log":["draft","send"],"notes":["look","close"]}`},
	} {
		older := of[tt.template][0]
		for _, by := range of[tt.template] {
			t.Run(by.pkg+tt.kill, func(t *testing.T) {
				p := process{binary: binary, folder: t.TempDir()}
				if got := p.does(t, older, "start"); got != "paused" {
					t.Fatal(got)
				}
				if p.kill = tt.kill; p.kill != "" {
					if got := p.does(t, older, "go"); got != "killed" {
						t.Fatal(got)
					}
					p.kill = ""
				}
				if got := p.does(t, by, "go"); got != tt.want {
					t.Errorf("it ends with\n%s\nwant\n%s", got, tt.want)
				}
			})
		}
	}
}
