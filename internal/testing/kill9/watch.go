//go:build unix

package kill9

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
)

// Watch makes the runs of four graphs in threads of a store, in processes of which the first is killed with SIGKILL at a point, and follows
// each in this process. The loop breaks off after every third step and begins again after it, as clients do whose
// connection ends. It has to get every step of the thread once, in order.
func Watch(t *testing.T, address string, open Opener) {
	t.Helper()
	for _, graph := range untransacted() {
		t.Run(graph, func(t *testing.T) {
			store, err := open(t.Context(), address)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // if a step is missed
			defer cancel()
			kills := 0
			for at := 4; at <= 24; at += 10 {
				for try := range tries {
					n := watched(ctx, t, store, address, graph, fmt.Sprintf("watched %s, killed at %d, run %d", graph, at, try), at)
					if kills += n.killed; !n.failed {
						break
					}
				}
			}
			if kills != 3 {
				t.Errorf("%d processes were killed", kills)
			}
		})
	}
}

// watched makes a run in a thread that is followed.
func watched(ctx context.Context, t *testing.T, store thread.Store, address, graph, name string, at int) *done {
	t.Helper()
	m, err := (&victim{Store: store, order: order{Graph: graph, Thread: name}}).machine()
	if err != nil {
		t.Fatal(err)
	}
	seen := make(chan []string, 1)
	go func() { seen <- follow(ctx, t, m.watch) }()
	n := madeIn(t, address, graph, name, at)
	var want []string
	for s, err := range durable.History(t.Context(), store, name, 0) {
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, nodesOf(s))
	}
	if got := <-seen; !slices.Equal(got, want) {
		t.Errorf("killed at point %d: the steps are\n%s\nwant\n%s", at, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	return n
}

// follow watches a thread up to the end of its run.
func follow(ctx context.Context, t *testing.T, watch watching) (steps []string) {
	after := thread.After{Stay: true, Every: lease / 50}
	for {
		for e, err := range watch(ctx, after) {
			if err != nil {
				t.Errorf("behind %d: %v", after.Seq, err)
				return steps
			}
			steps, after.Seq = append(steps, nodesOf(e.Saved)), e.Seq
			if e.Saved.Ended != "" {
				return steps
			}
			if e.Seq%3 == 0 {
				break
			}
		}
	}
}

// nodesOf writes a step by its nodes.
func nodesOf(s thread.Step) string {
	parts := []string{s.Time.Format(time.RFC3339Nano), s.Run, s.Ended}
	for _, c := range s.Changes {
		parts = append(parts, c.At+":"+c.Node+">"+c.Next)
	}
	return strings.Join(parts, " ")
}
