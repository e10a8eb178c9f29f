package releases

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/cmd/threads"
	"github.com/graphgen/graphgen/spec/compat"
	"github.com/graphgen/graphgen/spec/shape"
	"github.com/graphgen/graphgen/thread"
	"github.com/graphgen/graphgen/thread/filestore"
)

// The graphs of a release, of which one runs the other in a branch. Both branches ask a person.
const (
	releasedOuter = `graph: letter
durable: true
entry: draft
use: {inner: inner.graph.yaml}
state:
  topic: string
  log: {type: "[]string", merge: append}
  notes: {type: "[]string", merge: append}
input: topic
output: [log, notes]
nodes:
  draft: {reads: topic, writes: log, next: both}
  both:
    kind: parallel
    branches:
      law: [lawyer, thank]
      inside: nested
    next: send
  lawyer: {kind: human, instructions: "Is it lawful?", reads: topic}
  thank: {reads: topic, writes: log}
  nested: {kind: subgraph, graph: inner, in: {topic: topic}, out: {notes: notes}}
  send: {reads: topic, writes: log}
`
	releasedInner = `graph: inner
durable: true
entry: look
state:
  topic: string
  mark: int
  notes: {type: "[]string", merge: append}
input: topic
output: notes
nodes:
  look: {reads: topic, writes: [mark, notes], next: ask}
  ask: {kind: human, instructions: "Is it good?", reads: mark, next: close}
  close: {reads: mark, writes: notes}
`
	finishedNested = `{"log":["draft","thank","send"],"notes":["look","close"]}`
)

// A nestedChange is a kind of change of the two graphs.
type nestedChange struct {
	name         string
	outer, inner []string
	migrations   string // of the inner graph
	refused      string
	verdicts     [2]compat.Verdict
	output       string
}

// requests returns the requests of the thread in the newer version: their IDs, nodes and questions.
func (c *nestedChange) requests() string {
	now := func(pairs []string, node string) string {
		for i := 0; i < len(pairs); i += 2 {
			if name, is := strings.CutSuffix(strings.TrimSpace(pairs[i+1]), ": {renamed_from: "+node+","); is {
				return name
			}
		}
		return node
	}
	lawyer, ask, nested := now(c.outer, "lawyer"), now(c.inner, "ask"), now(c.outer, "nested")
	return fmt.Sprintf("law/%s.1 %[1]s Is it lawful? inside/%s.1/%s.1 %[3]s Is it good?", lawyer, nested, ask)
}

// nestedChanges are changes of the two graphs. The thread waits at lawyer and in nested at ask; or at ask alone, where lawyer
// has the answer.
var nestedChanges = []nestedChange{
	{name: "a node that waits, by another name", outer: []string{"lawyer: {", "counsel: {renamed_from: lawyer, ", "[lawyer", "[counsel"},
		verdicts: [2]compat.Verdict{compat.Compatible, compat.Same}, output: finishedNested},
	{name: "a node with branches, by another name",
		outer:    []string{"  both:\n", "  review:\n    renamed_from: both\n", "next: both", "next: review"},
		verdicts: [2]compat.Verdict{compat.Compatible, compat.Same}, output: finishedNested},
	{name: "a node that runs a graph, by another name",
		outer:    []string{"  nested: {", "  within: {renamed_from: nested, ", "inside: nested", "inside: within"},
		verdicts: [2]compat.Verdict{compat.Compatible, compat.Same}, output: finishedNested},
	{name: "a field that branches add to, by another name",
		outer:    []string{"  log: {", "  journal: {renamed_from: log, ", "[log", "[journal", "writes: log", "writes: journal"},
		verdicts: [2]compat.Verdict{compat.Compatible, compat.Same},
		output:   `{"journal":["draft","thank","send"],"notes":["look","close"]}`},
	{name: "names of the inner graph",
		inner: []string{"  ask: {", "  confirm: {renamed_from: ask, ", "next: ask", "next: confirm", "  notes: {",
			"  remarks: {renamed_from: notes, ", "output: notes", "output: remarks", "mark, notes", "mark, remarks", "writes: notes", "writes: remarks"},
		outer: []string{"out: {notes: notes}", "out: {notes: remarks}"}, verdicts: [2]compat.Verdict{compat.Compatible, compat.Compatible},
		output: finishedNested},
	{name: "names of both", outer: []string{"  nested: {", "  within: {renamed_from: nested, ", "inside: nested", "inside: within"},
		inner:    []string{"  ask: {", "  confirm: {renamed_from: ask, ", "next: ask", "next: confirm"},
		verdicts: [2]compat.Verdict{compat.Compatible, compat.Compatible}, output: finishedNested},
	{name: "a migration of the inner graph", inner: []string{"mark: int", "mark: string"},
		verdicts: [2]compat.Verdict{compat.Compatible, compat.Migration}, refused: unwritten,
		migrations: "func (innerMigrations) V1ToV2(old InnerStateV1) (now InnerStateV2, err error) {\n\tnow = InnerStateV2{Topic: " +
			"old.Topic, Mark: strconv.Itoa(old.Mark), Notes: append(old.Notes, \"migrated\")}\n\treturn\n}\n",
		output: `{"log":["draft","thank","send"],"notes":["look","migrated","close"]}`},
	{name: "a node less in the inner graph",
		inner:    []string{"next: ask", "next: close", "  ask: {kind: human, instructions: \"Is it good?\", reads: mark, next: close}\n", ""},
		verdicts: [2]compat.Verdict{compat.Compatible, compat.Migration}, refused: unwritten,
		migrations: "func (innerMigrations) V1ToV2(old InnerStateV1) (now InnerStateV2, err error) {\n\tnow = InnerStateV2{Topic: " +
			"old.Topic, Mark: old.Mark, Notes: old.Notes}\n\treturn\n}\n" +
			"\nfunc (innerMigrations) V1ToV2Node(node string, state InnerStateV2) (string, error) {\n\treturn \"close\", nil\n}\n",
		output: finishedNested},
}

// Threads of graphs that run others, in branches, go on as the verdicts on both say.
func TestNestedVerdicts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	inner := &version{pkg: "older", flow: flowOf(t, releasedInner, "")}
	older := &version{pkg: "older", flow: flowOf(t, releasedOuter, releasedInner), inner: inner, drafts: "\tout.Log = []string{\"draft\"}\n"}
	versions := []*version{older}
	for i, c := range nestedChanges {
		text := replaced(t, releasedInner, c.inner)
		within := &version{pkg: fmt.Sprintf("n%d", i), flow: flowOf(t, text, ""), lock: locked(t, inner.flow), migrations: c.migrations}
		v := &version{pkg: within.pkg, flow: flowOf(t, replaced(t, releasedOuter, c.outer), text), lock: locked(t, older.flow), inner: within}
		versions = append(versions, v)
		for k, x := range []*version{v, within} {
			if got := compat.Judge(compat.Steps(x.lock, shape.Of(x.flow)))[0].Verdict; got != c.verdicts[k] {
				t.Errorf("%s: the verdict is %s, want %s", c.name, got, c.verdicts[k])
			}
		}
	}
	binary := build(t, versions)
	for i, c := range nestedChanges {
		for _, first := range []string{"", "answer", "recover"} {
			t.Run(strings.ReplaceAll(c.name+first, " ", "_"), func(t *testing.T) {
				p := process{binary: binary, folder: t.TempDir()}
				if got := p.does(t, older, "start"); got != "paused" {
					t.Fatal(got)
				}
				newer := versions[i+1]
				switch first {
				case "answer":
					if got := p.does(t, older, first); got != "paused" {
						t.Fatal(got)
					}
				case "recover":
					if got, want := p.does(t, newer, first), "t paused "+c.requests(); c.refused == "" && got != want {
						t.Errorf("recovered, the list is %q, want %q", got, want)
					}
				}
				if c.refused != "" && first != "recover" {
					p.unwritten = true
					before := records(t, p)
					if got := p.does(t, newer, "go"); !strings.HasPrefix(got,
						`refused: thread "t" was saved by another version of graph "inner"`) || !strings.HasSuffix(got, c.refused) {
						t.Errorf("the newer version: %s", got)
					}
					if after := records(t, p); after != before {
						t.Errorf("the refused thread has changed from\n%s\nto\n%s", before, after)
					}
					p.unwritten = false
				}
				if got := p.does(t, newer, "go"); got != c.output {
					t.Errorf("the newer version goes on with\n%s\nwant\n%s", got, c.output)
				}
				notes, err := os.ReadFile(filepath.Join(p.folder, "notes"))
				ran := strings.Fields(string(notes))
				if slices.Sort(ran); err != nil || strings.Join(ran, " ") != "close draft look send thank" {
					t.Errorf("the nodes that ran: %s, %v", notes, err)
				}
			})
		}
	}
}

// sides is a graph whose branches a newer version has otherwise.
const sides = `graph: letter
durable: true
entry: draft
state:
  topic: string
  log: {type: "[]string", merge: append}
input: topic
output: log
nodes:
  draft: {reads: topic, writes: log, next: both}
  both: {kind: parallel, branches: {left: [polish, stamp], right: [thank]}, next: send}
  polish: {reads: topic, writes: log}
  stamp: {reads: topic, writes: log}
  thank: {reads: topic, writes: log}
  send: {reads: topic, writes: log}
`

// A thread that was killed in a branch goes on where the branch has its node. Where another branch has it, graphgen check
// and the newer version refuse the thread, and the older one goes on with it.
func TestMovedBranches(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	drafts := "\tout.Log = []string{\"draft\"}\n"
	older := &version{pkg: "older", flow: flowOf(t, sides, ""), drafts: drafts}
	lock := locked(t, older.flow)
	of := func(pkg string, pairs ...string) *version {
		return &version{pkg: pkg, flow: flowOf(t, replaced(t, sides, pairs), ""), lock: lock, drafts: drafts}
	}
	moved := of("moved", "[polish, stamp], right: [thank]", "[polish], right: [thank, stamp]")
	renamed := of("renamed", "left: [polish, stamp]", "first: [polish, stamp]")
	added := of("added", "[polish, stamp]", "[polish, stamp, seal]", "  thank:", "  seal: {reads: topic, writes: log}\n  thank:")
	binary := build(t, []*version{older, moved, renamed, added})
	const finished = `{"log":["draft","polish","stamp","thank","send"]}`
	for _, tt := range []struct {
		name, kill string
		newer      *version
		refused    string
		output     string
	}{
		{name: "a node of another branch", kill: "stamp", newer: moved, refused: `the graph has no node in both.left "stamp"`},
		{name: "a branch of another name", kill: "stamp", newer: renamed, refused: `the graph has no node in both.left "stamp"`},
		{name: "a longer branch", kill: "stamp", newer: added, output: `{"log":["draft","polish","stamp","seal","thank","send"]}`},
	} {
		t.Run(strings.ReplaceAll(tt.name, " ", "_"), func(t *testing.T) {
			p := process{binary: binary, folder: t.TempDir(), kill: tt.kill}
			if got := p.does(t, older, "start"); got != "killed" {
				t.Fatal(got)
			}
			p.kill = ""
			now := shape.Of(tt.newer.flow)
			steps := compat.Steps(lock, now)
			if got := compat.Judge(steps)[0].Verdict; got != compat.Compatible {
				t.Errorf("the verdict is %s", got)
			}
			store, err := filestore.Open(filepath.Join(p.folder, "threads"))
			if err != nil {
				t.Fatal(err)
			}
			why := ""
			for at, err := range threads.Positions(t.Context(), store, thread.Filter{}) {
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range at.Runs {
					if strings.HasPrefix(r.At, "/both.left") {
						why += compat.Removed(steps, now, r.Node)
					}
				}
			}
			store.Close()
			if (why != "") != (tt.refused != "") {
				t.Errorf("graphgen check has the reason %q", why)
			}
			got := p.does(t, tt.newer, "go")
			if tt.refused == "" {
				if got != tt.output {
					t.Errorf("the newer version goes on with\n%s\nwant\n%s", got, tt.output)
				}
				return
			}
			if !strings.HasPrefix(got, `refused: thread "t" was saved by another version of graph "letter"`) || !strings.HasSuffix(got, tt.refused) {
				t.Errorf("the newer version: %s\nwant that it is refused: %s", got, tt.refused)
			}
			if got := p.does(t, older, "go"); got != finished {
				t.Errorf("the older version goes on with %s", got)
			}
		})
	}
}

// A thread that was killed before, in or behind a branch goes on by the merge rules of the newer version, from what was written by the older ones.
func TestMergeRules(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	const merged = `log: {type: "[]string", merge: append}`
	base := replaced(t, sides, []string{"  thank: {reads: topic, writes: log}", "  thank: {reads: topic}",
		"  send: {reads: topic, writes: log}", "  send: {reads: topic}"})
	drafts := "\tout.Log = []string{\"draft\"}\n"
	texts := map[string]string{"append": base}
	for rule, field := range map[string]string{"last": `log: {type: "[]string"}`, "union": `log: {type: "[]string", merge: union}`} {
		texts[rule] = replaced(t, base, []string{merged, field})
	}
	older, newer := map[string]*version{}, map[[2]string]*version{}
	var versions []*version
	for _, rule := range slices.Sorted(maps.Keys(texts)) {
		v := &version{pkg: rule, flow: flowOf(t, texts[rule], ""), drafts: drafts}
		older[rule], versions = v, append(versions, v)
	}
	outputs := map[[2]string]map[string]string{ // by the node at which the process is killed
		{"append", "last"}:  {"polish": `["stamp"]`, "stamp": `["stamp"]`, "send": `["draft","polish","stamp"]`},
		{"append", "union"}: {"polish": `["draft","polish","stamp"]`, "stamp": `["draft","polish","stamp"]`, "send": `["draft","polish","stamp"]`},
		{"last", "append"}:  {"polish": `["draft","polish","stamp"]`, "stamp": `["draft","stamp"]`, "send": `["stamp"]`},
		{"union", "last"}:   {"polish": `["stamp"]`, "stamp": `["stamp"]`, "send": `["draft","polish","stamp"]`},
	}
	for pair := range outputs {
		v := &version{pkg: pair[0] + pair[1], flow: flowOf(t, texts[pair[1]], ""), lock: locked(t, older[pair[0]].flow), drafts: drafts}
		newer[pair], versions = v, append(versions, v)
	}
	binary := build(t, versions)
	for pair, v := range newer {
		if got := compat.Judge(compat.Steps(v.lock, shape.Of(v.flow)))[0].Verdict; got != compat.Compatible {
			t.Errorf("%v: the verdict is %s", pair, got)
		}
		for kill, want := range outputs[pair] {
			p := process{binary: binary, folder: t.TempDir(), kill: kill}
			if got := p.does(t, older[pair[0]], "start"); got != "killed" {
				t.Fatal(got)
			}
			p.kill = ""
			if got := p.does(t, v, "go"); got != `{"log":`+want+`}` {
				t.Errorf("%v, killed at %s: %s, want %s", pair, kill, got, want)
			}
		}
	}
}
