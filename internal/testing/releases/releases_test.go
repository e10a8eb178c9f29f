// Package releases proves the verdicts on changes of durable graphs: a process of an older version begins a thread, and
// waits or is killed; a process of the newer version goes on with it, or refuses it.
package releases

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/cmd/threads"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/compat"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/link"
	"github.com/graphgen/graphgen/spec/shape"
	"github.com/graphgen/graphgen/thread"
	"github.com/graphgen/graphgen/thread/filestore"
)

// flowOf reads and checks a spec, which may use another one.
func flowOf(t *testing.T, text, inner string) *cfg.Graph {
	t.Helper()
	g, found := spec.Load(strings.Fields(text)[1]+".graph.yaml", []byte(text))
	if diag.HasErrors(found) {
		t.Fatalf("%v in\n%s", found, text)
	}
	link.New("/m", func(path string) ([]byte, error) {
		if filepath.Base(path) != "inner.graph.yaml" {
			return nil, fs.ErrNotExist
		}
		return []byte(inner), nil
	}, nil).Link(g)
	flow := cfg.Of(g)
	if found = append(found, check.Run(flow)...); diag.HasErrors(found) {
		t.Fatalf("%v in\n%s", found, text)
	}
	return flow
}

// locked returns the lock file of graphs that were released one after another.
func locked(t *testing.T, releases ...*cfg.Graph) *shape.Lock {
	t.Helper()
	var lock *shape.Lock
	for _, flow := range releases {
		text := lock.Append(shape.Of(flow), "")
		var found []diag.Diagnostic
		if lock, found = shape.ParseLock("letter.graph.lock", text); len(found) > 0 {
			t.Fatal(found)
		}
	}
	return lock
}

// replaced returns a text with others in place of some of its parts. Each of them is there.
func replaced(t *testing.T, text string, pairs []string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("%q is not in\n%s", pairs[i], text)
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text
}

// Every verdict on a change is what happens to a thread of the release.
func TestVerdicts(t *testing.T) {
	older := &version{pkg: "older", flow: flowOf(t, released, ""), drafts: drafts}
	versions := []*version{older}
	some := tier.Some(t, len(changes)/12, len(changes)/9, changes)
	for i, c := range some {
		chain := []*cfg.Graph{older.flow}
		text := released
		if c.then != nil {
			text = replaced(t, text, c.then)
			chain = append(chain, flowOf(t, text, ""))
		}
		v := &version{pkg: fmt.Sprintf("v%d", i), flow: flowOf(t, replaced(t, text, c.change), ""), migrations: c.migrations}
		if v.lock = locked(t, chain...); c.unreleased {
			v.lock = nil
		}
		steps := compat.Steps(locked(t, chain...), shape.Of(v.flow))
		if got := compat.Judge(steps)[0].Verdict; got != c.verdict {
			t.Errorf("%s: the verdict is %s, want %s", c.name, got, c.verdict)
		}
		versions = append(versions, v)
	}
	binary := build(t, versions)
	for i, c := range some {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) { c.prove(t, binary, older, versions[1+i]) })
	}
}

// prove begins a thread by the older version, and goes on with it by the newer one.
func (c *change) prove(t *testing.T, binary string, older, newer *version) {
	begin := func() process {
		p := process{binary: binary, folder: t.TempDir(), kill: c.kill}
		want, got := "paused", p.does(t, older, "start")
		if c.kill != "" {
			want = "killed"
		}
		if c.kill != "" && got == "paused" {
			got = p.does(t, older, "go")
		}
		if got != want {
			t.Fatalf("the older version: %s, want %s", got, want)
		}
		p.kill = ""
		return p
	}
	if c.refused != "" {
		p := begin()
		c.judged(t, p, newer)
		p.unwritten = strings.HasSuffix(c.refused, "is not written")
		before := records(t, p)
		got := p.does(t, newer, "go")
		if !strings.HasPrefix(got, `refused: thread "t" was saved by another version of graph "letter"`) || !strings.HasSuffix(got, c.refused) {
			t.Errorf("the newer version: %s\nwant that it is refused: %s", got, c.refused)
		}
		if after := records(t, p); after != before {
			t.Errorf("the refused thread has changed from\n%s\nto\n%s", before, after)
		}
		if got := p.does(t, older, "go"); got != finished {
			t.Errorf("the older version goes on with\n%s\nwant\n%s", got, finished)
		}
	}
	if c.output == "" {
		return
	}
	p := begin()
	c.judged(t, p, newer)
	if got := p.does(t, newer, "go"); got != c.output {
		t.Errorf("the newer version goes on with\n%s\nwant\n%s", got, c.output)
	}
	if notes, err := os.ReadFile(filepath.Join(p.folder, "notes")); err != nil || strings.Count(string(notes), "draft") != 1 {
		t.Errorf("the nodes that ran: %s, %v", notes, err)
	}
	if got := p.does(t, newer, "go"); got != c.output {
		t.Errorf("read again, the newer version has\n%s", got)
	}
	c.saved(t, p, older, newer)
	p = begin()
	if got := p.does(t, newer, "fork"); got != c.output {
		t.Errorf("a fork of the newer version goes on with\n%s\nwant\n%s", got, c.output)
	}
	if got := p.does(t, older, "go"); got != finished {
		t.Errorf("beside a fork, the older version goes on with\n%s", got)
	}
}

// Threads that wait are listed with the requests of the newer version when it has recovered them, by itself or by a worker. Until
// then they are as the older version left them.
func TestRecoverPaused(t *testing.T) {
	older := &version{pkg: "older", flow: flowOf(t, released, ""), drafts: drafts}
	renamed := &version{pkg: "renamed",
		flow: flowOf(t,
			replaced(t, released, []string{"  ask: {", "  check: {renamed_from: ask, ", "next: ask", "next: check",
				"Shall it be sent", "Is it right"}), ""), lock: locked(t, older.flow)}
	moved := &version{pkg: "moved",
		flow: flowOf(t,
			replaced(t, released, []string{"writes: log, next: ask", "writes: log, next: send",
				"  ask: {kind: human, instructions: \"Shall it be sent?\", reads: text, next: send}\n", ""}), ""),
		lock: locked(t, older.flow), migrations: copying + nodes + "\treturn \"send\", nil\n}\n"}
	binary := build(t, []*version{older, renamed, moved})
	const before, after = "t paused ask.1 ask Shall it be sent?", "t paused check.1 check Is it right?"
	for _, tt := range []struct {
		name string
		by   *version
		act  string
		want string
	}{
		{"nothing", renamed, "list", before},
		{"Recover, of the same version", older, "recover", before},
		{"Recover", renamed, "recover", after},
		{"a worker", renamed, "work", after},
		{"a worker, at a removed node", moved, "work", "t completed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := process{binary: binary, folder: t.TempDir()}
			if got := p.does(t, older, "start"); got != "paused" {
				t.Fatal(got)
			}
			was := records(t, p)
			if got := p.does(t, tt.by, tt.act); got != tt.want {
				t.Errorf("the list is %q, want %q", got, tt.want)
			}
			if got := p.does(t, tt.by, "list"); got != tt.want {
				t.Errorf("then the list is %q", got)
			}
			if is := records(t, p); (is != was) != (tt.want != before) {
				t.Errorf("the thread was\n%s\nand is\n%s", was, is)
			}
			if got := p.does(t, tt.by, "recover"); got != tt.want && tt.act != "list" {
				t.Errorf("recovered once more, the list is %q", got)
			}
			if tt.by == renamed && tt.act != "list" {
				(&change{}).saved(t, p, older, renamed)
			}
			if got := p.does(t, tt.by, "go"); got != finished {
				t.Errorf("it goes on with\n%s\nwant\n%s", got, finished)
			}
		})
	}
}

// judged holds that what graphgen check finds out by the node of the thread is what happens to the thread.
func (c *change) judged(t *testing.T, p process, newer *version) {
	t.Helper()
	store, err := filestore.Open(filepath.Join(p.folder, "threads"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if newer.lock == nil {
		return
	}
	now := shape.Of(newer.flow)
	for at, err := range threads.Positions(t.Context(), store, thread.Filter{}) {
		if err != nil || len(at.Runs) != 1 || at.Runs[0].Node == "" {
			t.Fatalf("the thread is at %+v, %v", at, err)
		}
		why := compat.Removed(compat.Steps(newer.lock, now), now, at.Runs[0].Node)
		if refused := c.refused != "" && c.verdict == compat.Compatible; (why != "") != refused {
			t.Errorf("at node %s, the reason is %q, but the thread is refused: %t", at.Runs[0].Node, why, refused)
		}
	}
}

// saved holds that what the newer version reads of the thread is its own.
func (c *change) saved(t *testing.T, p process, older, newer *version) {
	store, err := filestore.Open(filepath.Join(p.folder, "threads"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	head, records, err := store.Load(t.Context(), "t", 0)
	if err != nil {
		t.Fatal(err)
	}
	was, is := shape.Of(older.flow).Hash(), shape.Of(newer.flow).Hash()
	if head.Shape != is {
		t.Errorf("the thread has the shape %s, want %s", head.Shape, is)
	}
	for _, r := range records {
		if was != is && newer.lock != nil && strings.Contains(string(r.Data), was) {
			t.Errorf("record %d is of the older version: %s", r.Seq, r.Data)
		}
	}
}

// records returns what a thread has.
func records(t *testing.T, p process) string {
	t.Helper()
	store, err := filestore.Open(filepath.Join(p.folder, "threads"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	head, records, err := store.Load(t.Context(), "t", 0)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintln(&b, head.Shape, head.Status, head.Seq, string(head.Summary))
	for _, r := range records {
		fmt.Fprintln(&b, r.Seq, r.Snapshot, string(r.Data))
	}
	return b.String()
}
