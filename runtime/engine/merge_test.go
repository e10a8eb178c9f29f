package engine

import (
	"slices"
	"strconv"
	"testing"
	"time"
)

func TestUnion(t *testing.T) {
	have := append(make([]string, 0, 8), "a", "b")
	got := Union(have, "b", "c", "c")
	if !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("got %v", got)
	}
	if have = have[:3]; have[2] != "" {
		t.Errorf("the array behind the first argument was written: %v", have)
	}
	m := UnionMap(map[string]int{"a": 1, "b": 1}, map[string]int{"b": 2})
	if len(m) != 2 || m["b"] != 2 {
		t.Errorf("got %v", m)
	}
}

func TestMaxAndMinTakeWhatIsThere(t *testing.T) {
	one, two := 1, 2
	if Max(nil, &one) != &one || Max(&two, &one) != &two || Max(&one, nil) != &one {
		t.Error("Max")
	}
	if Min(nil, &two) != &two || Min(&two, &one) != &one || Min[int](nil, nil) != nil {
		t.Error("Min")
	}
}

func TestCacheEviction(t *testing.T) {
	var c Cache
	for i := range cacheLength + 1 {
		c.Keep(1, strconv.Itoa(i), i)
	}
	r := &Run{}
	r.Start(t.Context(), &Graph{Nodes: make([]NodeInfo, 2), Transitions: []TransitionInfo{{To: 1}}, MaxSteps: 1}, &Frame{Counters: make([]uint32, 3)}, nil, nil)
	if _, ok := Cached[int](r, &c, 1, "0"); ok {
		t.Error("the oldest result is still there")
	}
	if v, ok := Cached[int](r, &c, 1, "1"); !ok || v != 1 {
		t.Errorf("got %v, %v", v, ok)
	}
	if _, ok := Cached[int](r, &c, 2, "1"); ok {
		t.Error("another node's result was given")
	}
}

func TestTheWaitGrowsByItsFactor(t *testing.T) {
	p := Policy{Wait: time.Second, Factor: 3, MaxWait: time.Minute}
	for tries, most := range map[int]time.Duration{1: time.Second, 2: 3 * time.Second, 3: 9 * time.Second, 4: 27 * time.Second,
		5: time.Minute, 5000: time.Minute} {
		for _, jitter := range []float64{0, 0.3, 1} {
			if d := backoff(p, tries, jitter); d < most/2 || d > most {
				t.Fatalf("after %d tries: %v, want %v to %v", tries, d, most/2, most)
			}
		}
	}
}

func TestRetryWait(t *testing.T) {
	p := Policy{Wait: time.Second, MaxWait: 8 * time.Second}
	for tries, most := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 4: 8 * time.Second, 5: 8 * time.Second, 70: 8 * time.Second} {
		for _, jitter := range []float64{0, 0.3, 1} {
			if d := backoff(p, tries, jitter); d < most/2 || d > most {
				t.Fatalf("after %d tries: %v, want %v to %v", tries, d, most/2, most)
			}
		}
	}
}
