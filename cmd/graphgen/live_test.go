package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen/runtime/thread"
	"github.com/graphgen/graphgen/runtime/thread/filestore"
	"github.com/graphgen/graphgen/spec"
)

const (
	liveSpec = "graph: review\ndurable: true\nentry: draft\nstate: {topic: string, mark: int}\ninput: topic\noutput: mark\nnodes:\n" +
		"  draft: {reads: topic, writes: mark, next: ask}\n  ask: {kind: human, instructions: \"Shall it be published?\", reads: mark}\n"
	liveChanged = "graph: review\ndurable: true\nentry: draft\nstate: {topic: string, mark: int, tone: \"?string\"}\ninput: topic\noutput: [mark, tone]\nnodes:\n" +
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
		"as JSON":             {[]string{"-json", "-store", "file:threads", "review.graph.yaml"}, 1, []string{`"threads": 4`, `"verdict": "compatible"`, `"release": 1`, `"refused: no release has the shape"`}},
		"no such folder":      {[]string{"-store", "file:nowhere", "review.graph.yaml"}, 2, []string{"there is no folder nowhere"}},
		"another kind of URL": {[]string{"-store", "redis://x", "review.graph.yaml"}, 2, []string{"it is the folder of a file store"}},
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

// keep makes a thread.
func keep(t *testing.T, id string, h thread.Head) {
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
	if _, err := store.Append(t.Context(), lease, h, []thread.Record{{Seq: 1, Snapshot: true, Data: []byte("{}")}}); err != nil {
		t.Fatal(err)
	}
	if err := store.Release(t.Context(), lease); err != nil {
		t.Fatal(err)
	}
}
