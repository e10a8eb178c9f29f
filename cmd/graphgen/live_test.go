package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/thread"
	"github.com/graphgen/graphgen/thread/filestore"
)

const (
	liveSpec = "graph: review\ndurable: true\nentry: draft\nstate: {topic: string, mark: int}\ninput: topic\noutput: mark\nnodes:\n" +
		"  draft: {reads: topic, writes: mark, next: ask}\n  ask: {kind: human, instructions: \"Shall it be published?\", reads: mark}\n"
	liveChanged = "graph: review\ndurable: true\nentry: draft\nstate: {topic: string, mark: int, tone: \"?string\"}\ninput: topic\n" +
		"output: [mark, tone]\nnodes:\n" +
		"  draft: {reads: topic, writes: [mark, tone], next: ask}\n  ask: {kind: human, instructions: \"Shall it be published?\", reads: mark}\n"
)

// The threads of a store are judged by the shapes in their heads; those that have completed are of no interest.
func TestCheckStore(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile("review.graph.yaml", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	check := func(args ...string) (status int, out string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		status = run(t.Context(), append([]string{"check"}, args...), &stdout, &stderr)
		return status, stdout.String() + stderr.String()
	}
	write(liveSpec)
	keep(t, "d", thread.Head{Status: thread.Failed, Shape: "0123456789abcdef"})
	if status, out := check("-store", "file:threads", "review.graph.yaml"); status != 0 ||
		!strings.Contains(out, "graph review: 1 thread of shape 0123456789abcdef (d): not known: nothing is released\n") {
		t.Errorf("without a release: %d\n%s", status, out)
	}
	var quiet bytes.Buffer
	if status := run(t.Context(), []string{"release", "review.graph.yaml"}, &quiet, &quiet); status != 0 {
		t.Fatal(quiet.String())
	}
	lock, found, err := readLock(&spec.Graph{File: "review.graph.yaml"})
	if err != nil || len(found) > 0 {
		t.Fatal(err, found)
	}
	for id, h := range map[string]thread.Head{
		"a": {Status: thread.Paused}, "b": {Status: thread.Running}, "c": {Status: thread.Completed},
		"e": {Status: thread.Stopped}, "f": {Status: thread.Paused}, "g": {Status: thread.Paused, Graph: "other"},
	} {
		h.Shape = lock.Last().Hash.V
		keep(t, id, h)
	}
	write(liveChanged)
	for name, tt := range map[string]struct {
		args   []string
		status int
		want   []string
	}{
		"one thread is of no release": {[]string{"-store", "file:threads", "review.graph.yaml"}, 1, []string{
			"review.graph.yaml: graph review: 4 threads of release 1 (a, b, e …): compatible\n",
			"review.graph.yaml: graph review: 1 thread of shape 0123456789abcdef (d): refused: no release has the shape\n",
		}},
		"as JSON": {[]string{"-json", "-store", "file:threads", "review.graph.yaml"}, 1,
			[]string{`"threads": 4`, `"verdict": "compatible"`, `"release": 1`, `"refused: no release has the shape"`}},
		"no such folder":      {[]string{"-store", "file:nowhere", "review.graph.yaml"}, 2, []string{"there is no folder nowhere"}},
		"another kind of URL": {[]string{"-store", "nats://x", "review.graph.yaml"}, 2, []string{"it is the folder of a file store"}},
		"a database": {[]string{"-store", "postgres://me:hidden@host/db", "review.graph.yaml"}, 2, []string{
			"go tool threads positions postgres://me:xxxxx@host/db | graphgen check -threads - …; go get -tool " +
				"github.com/graphgen/graphgen/contrib/threads adds it"}},
		"no such list": {[]string{"-threads", "nowhere.jsonl", "review.graph.yaml"}, 2, []string{"-threads: open nowhere.jsonl"}},
		"a list of something": {[]string{"-threads", "review.graph.yaml", "review.graph.yaml"}, 2,
			[]string{"review.graph.yaml: value 1 is not what graphgen threads positions writes"}},
	} {
		status, out := check(tt.args...)
		if status != tt.status {
			t.Errorf("%s: status %d, want %d\n%s", name, status, tt.status, out)
		}
		for _, want := range tt.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: %q is not in\n%s", name, want, out)
			}
		}
		if strings.Contains(out, "other") || strings.Contains(out, " c") && strings.Contains(out, "(c") {
			t.Errorf("%s: what is of no interest is in\n%s", name, out)
		}
	}
	if _, err := os.Stat(filepath.Join(".", "nowhere")); err == nil {
		t.Error("the folder was made")
	}
}

// A thread is refused where its run, or one of its child runs, is at a node that is removed. What graphgen threads positions writes of a store
// is judged as the store is.
func TestCheckPositions(t *testing.T) {
	const (
		before = "graph: review\ndurable: true\nentry: draft\nstate: {topic: string, mark: int}\ninput: topic\noutput: mark\nnodes:\n" +
			"  draft: {reads: topic, writes: mark, next: polish}\n  polish: {reads: mark, next: both}\n" +
			"  both: {kind: parallel, branches: {law: [look, read], style: check}, next: send}\n  look: {reads: mark}\n  read: " +
			"{reads: mark}\n  check: {reads: mark}\n  send: {reads: mark}\n"
		polish, look = "next: polish}\n  polish: {reads: mark, next: both}", "[look, read]"
	)
	t.Chdir(t.TempDir())
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile("review.graph.yaml", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	does := func(args ...string) (status int, out string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		status = run(t.Context(), args, &stdout, &stderr)
		return status, stdout.String() + stderr.String()
	}
	write(before)
	if status, out := does("release", "review.graph.yaml"); status != 0 {
		t.Fatal(out)
	}
	lock, _, err := readLock(&spec.Graph{File: "review.graph.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	hash := lock.Last().Hash.V
	at := func(place, to, node string) string {
		return `{"at":"` + place + `","fresh":true,"cells":{".shape":"` + hash + `",".to":"` + to + `",".at":"` + node + `",".run":{}}}`
	}
	for id, runs := range map[string]string{
		"between": at("", "draft>polish polish", "draft"), "within": at("", "", "polish"), "past": at("", "polish>both both", "polish"),
		"branch": at("", "", "both") + "," + at("/both.law", "both>look look", "both") + "," + at("/both.style", "terminal end", "check"),
	} {
		keepOf(t, id, thread.Head{Status: thread.Running, Shape: hash}, `{"run":"r","runs":[`+runs+`]}`)
	}
	keepOf(t, "broken", thread.Head{Status: thread.Failed, Shape: hash}, "broken")

	write(strings.NewReplacer(polish, "next: both}", look, "read", "  look: {reads: mark}\n", "").Replace(before))
	_, lines := does("threads", "positions", "file:threads")
	if err := os.WriteFile("positions.jsonl", []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	if want := `{"thread":"branch","graph":"review","shape":"` + hash + `","status":"running","runs":[{"shape":"` + hash +
		`","node":"both"},{"at":"/both.law","shape":"` + hash + `","node":"look"},{"at":"/both.style","shape":"` + hash + `"}]}` +
		"\n"; !strings.Contains(lines, want) {
		t.Errorf("positions writes\n%swant\n%s", lines, want)
	}
	for _, args := range [][]string{{"-store", "file:threads"}, {"-threads", "positions.jsonl"}} {
		status, out := does(append([]string{"check", "review.graph.yaml"}, args...)...)
		for _, want := range []string{
			"1 thread of release 1 (past): compatible\n",
			`2 threads of release 1 (between, within): refused: node "polish" of release 1 is missing, where the run is` + "\n",
			`1 thread of release 1 (branch): refused: node "look" of release 1 is missing, where the child run of /both.law is` + "\n",
			"1 thread of release 1 (broken): refused: it cannot be read: ",
		} {
			if !strings.Contains(out, "review.graph.yaml: graph review: "+want) {
				t.Errorf("%s: %q is not in\n%s", args, want, out)
			}
		}
		if status != 1 {
			t.Errorf("%s: status %d", args, status)
		}
	}
	if _, out := does("threads", "positions", "-status", "failed", "file:threads"); strings.Count(out, "\n") != 1 ||
		!strings.HasPrefix(out, `{"thread":"broken"`) {
		t.Errorf("positions of failed threads are %s", out)
	}
}

// keep makes a thread.
func keep(t *testing.T, id string, h thread.Head) {
	t.Helper()
	keepOf(t, id, h, "{}")
}

// keepOf makes a thread with a record.
func keepOf(t *testing.T, id string, h thread.Head, record string) {
	t.Helper()
	store, err := filestore.Open("threads")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	lease, _, err := store.Acquire(t.Context(), id, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	h.Thread, h.Seq = id, 1
	if h.Graph == "" {
		h.Graph = "review"
	}
	if _, err := store.Append(t.Context(), lease, h, []thread.Record{{Seq: 1, Snapshot: true, Data: []byte(record)}}); err != nil {
		t.Fatal(err)
	}
	if err := store.Release(t.Context(), lease); err != nil {
		t.Fatal(err)
	}
}
