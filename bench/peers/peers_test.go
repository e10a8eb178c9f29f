package peers

import (
	"errors"
	"testing"
)

type row struct {
	name string
	run  program
}

func programs(tb testing.TB) []row {
	plain, err := newEino(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	callbacks, err := newEino(tb.Context(), observed(new(int), new(int)))
	if err != nil {
		tb.Fatal(err)
	}
	return []row{
		{"Eino", plain},
		{"Eino observed", callbacks},
		{"looplab fsm", newFSM()},
		{"stateless", newStateless()},
	}
}

func TestRun(t *testing.T) {
	for _, p := range programs(t) {
		t.Run(p.name, func(t *testing.T) {
			for range 2 { // a machine is set back
				if count, err := p.run(t.Context(), 5); err != nil || count != 15 {
					t.Errorf("the count is %d, the error %v", count, err)
				}
			}
			if _, err := p.run(t.Context(), -5); !errors.Is(err, errNegative) {
				t.Errorf("the error of a negative count is %v", err)
			}
		})
	}
}

// TestObserved holds that the callbacks see every node and the graph.
func TestObserved(t *testing.T) {
	var starts, ends int
	run, err := newEino(t.Context(), observed(&starts, &ends))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run(t.Context(), 0); err != nil || starts != nodes+1 || ends != nodes+1 {
		t.Errorf("%d starts, %d ends, the error %v", starts, ends, err)
	}
}

func BenchmarkRun(b *testing.B) {
	for _, p := range programs(b) {
		b.Run(p.name, func(b *testing.B) {
			ctx := b.Context()
			b.ReportAllocs()
			for b.Loop() {
				if count, err := p.run(ctx, 0); err != nil || count != nodes {
					b.Fatal(count, err)
				}
			}
		})
	}
}
