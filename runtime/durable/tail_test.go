package durable

import (
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen/thread"
)

// TestTail holds that what a tail keeps is bounded, by the number of steps and by their bytes, that it has the last ones, and that one who reads from the
// beginning gets each step once.
func TestTail(t *testing.T) {
	for name, test := range map[string]struct{ records, size, kept int }{
		"many": {2000, 10, keptSteps}, "large": {1200, keptBytes / 10, 9}, "huge": {3, 2 * keptBytes, 1},
	} {
		t.Run(name, func(t *testing.T) {
			m := thread.NewMemory()
			lease, _, err := m.Acquire(t.Context(), "t", time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			chain := ""
			for n := uint64(1); n <= uint64(test.records); n++ {
				v := record{before: chain, failure: strings.Repeat("x", test.size)}
				data, err := v.encode()
				if err != nil {
					t.Fatal(err)
				}
				chain = digest(data)
				head := thread.Head{Thread: "t", Graph: "g", Status: thread.Running, Seq: n, Created: time.Now(), Updated: time.Now()}
				if _, err := m.Append(t.Context(), lease, head, []thread.Record{{Seq: n, Time: time.Now(), Snapshot: n == 1, Data: data}}); err != nil {
					t.Fatal(err)
				}
			}
			tail, seq := newTail(newReader(m, "t")), uint64(0)
			for more := true; more; {
				var steps []*savedStep
				if steps, more, _, err = tail.take(t.Context(), taking{seq: seq, looks: -1}); err != nil {
					t.Fatal(err)
				}
				for _, s := range steps {
					if seq++; s.seq != seq || s.step.Seq != seq {
						t.Fatalf("step %d is %d", seq, s.seq)
					}
				}
			}
			if seq != uint64(test.records) || len(tail.steps) != test.kept || tail.end() != (mark{seq, chain}) || tail.bytes > max(keptBytes, test.size+200) {
				t.Errorf("%d steps are read, %d kept, of %d bytes", seq, len(tail.steps), tail.bytes)
			}
			first := seq - uint64(test.kept)
			if steps, err := tail.kept(first, 0); len(steps) != test.kept || steps[0].seq != first+1 || err != nil {
				t.Errorf("%d are kept after %d, %v", len(steps), first, err)
			}
			if steps, err := tail.kept(first, first+1); len(steps) != 1 || steps[0].seq != first+1 || err != nil {
				t.Errorf("%d are kept through %d, %v", len(steps), first+1, err)
			}
			if _, err := tail.kept(first-1, 0); err != errBehind {
				t.Errorf("before them: %v", err)
			}
		})
	}
}
