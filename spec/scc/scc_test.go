package scc_test

import (
	"slices"
	"testing"

	"github.com/graphgen/graphgen/spec/scc"
)

func TestCyclesAndComponents(t *testing.T) {
	for name, test := range map[string]struct {
		next       [][]int
		components []int
		cycles     [][]int
	}{
		"no nodes":                            {nil, nil, nil},
		"a chain has no cycle":                {[][]int{{1}, {2}, {}}, []int{2, 1, 0}, nil},
		"a node that leads to itself":         {[][]int{{1}, {1}}, []int{1, 0}, [][]int{{1}}},
		"a ring that leads into another":      {[][]int{{3}, {2}, {1}, {0, 1}}, []int{1, 0, 0, 1}, [][]int{{0, 3}, {1, 2}}},
		"two rings that share a node are one": {[][]int{{1}, {0, 2}, {1}}, []int{0, 0, 0}, [][]int{{0, 1, 2}}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := scc.Components(test.next, nil); !slices.Equal(got, test.components) {
				t.Errorf("components %v, want %v", got, test.components)
			}
			if got := scc.Cycles(test.next); !slices.EqualFunc(got, test.cycles, slices.Equal) {
				t.Errorf("cycles %v, want %v", got, test.cycles)
			}
		})
	}
}

func TestANodeLeftOutBreaksItsRing(t *testing.T) {
	got := scc.Components([][]int{{1}, {2}, {0}}, []bool{false, true, false})
	if want := []int{0, -1, 1}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestALongChainNeedsNoDeepStack(t *testing.T) {
	next := make([][]int, 1_000_000)
	for i := range next {
		next[i] = []int{(i + 1) % len(next)}
	}
	if got := scc.Cycles(next); len(got) != 1 || len(got[0]) != len(next) {
		t.Errorf("%d cycles", len(got))
	}
}
