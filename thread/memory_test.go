package thread_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen/contrib/storetest"
	"github.com/graphgen/graphgen/thread"
)

func TestMemory(t *testing.T) {
	storetest.Run(t, func(_ *testing.T, clock *storetest.Clock) storetest.Backend {
		m := thread.NewMemoryAt(clock.Now)
		return storetest.Backend{Open: func() thread.Store { return m }}
	})
}

// makes adds a thread with one record, which expires after a time.
func makes(t *testing.T, m *thread.Memory, name string, now time.Time, life time.Duration) {
	t.Helper()
	lease, _, err := m.Acquire(t.Context(), name, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	head := thread.Head{Thread: name, Graph: "g", Status: thread.Paused, Seq: 1, Created: now, Updated: now, Expires: now.Add(life)}
	if _, err := m.Append(t.Context(), lease, head, []thread.Record{{Seq: 1, Snapshot: true, Time: now, Data: []byte("{}")}}); err != nil {
		t.Fatal(err)
	}
	if err := m.Release(t.Context(), lease); err != nil {
		t.Fatal(err)
	}
}

// namesOf returns the names of a page.
func namesOf(t *testing.T, m *thread.Memory, f thread.Filter) (names []string) {
	t.Helper()
	heads, err := m.List(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range heads {
		names = append(names, h.Thread)
	}
	return names
}

// TestMemoryList holds that a page of a tenant, or one thread, is found without a look at the threads of others. The store asks the clock for each thread
// that it looks at.
func TestMemoryList(t *testing.T) {
	now, asked := time.Now(), 0
	m := thread.NewMemoryAt(func() time.Time { asked++; return now })
	for i := range 10_000 {
		makes(t, m, fmt.Sprintf("tenant-%02d/%05d", i%50, i), now, time.Hour)
	}
	for _, row := range []struct {
		filter      thread.Filter
		first, last string
		names, most int
	}{
		{thread.Filter{Prefix: "tenant-07/", Limit: 100}, "tenant-07/00007", "tenant-07/04957", 100, 100},
		{thread.Filter{Prefix: "tenant-07/", After: "tenant-07/04957", Limit: 1000}, "tenant-07/05007", "tenant-07/09957", 100, 101},
		{thread.Filter{Prefix: "tenant-49/09999", Limit: 1}, "tenant-49/09999", "tenant-49/09999", 1, 1},
		{thread.Filter{After: "tenant-48/09998", Limit: 3}, "tenant-49/00049", "tenant-49/00149", 3, 4},
	} {
		before := asked
		names := namesOf(t, m, row.filter)
		if n := len(names); n != row.names || names[0] != row.first || names[n-1] != row.last || asked-before > row.most {
			t.Errorf("%+v: %d names, %v, with %d looks", row.filter, n, names, asked-before)
		}
	}
}

// TestMemoryNames holds that lists have exactly the threads that there are, however they come and go.
func TestMemoryNames(t *testing.T) {
	now, random := time.Now(), rand.New(rand.NewPCG(1, 2))
	m := thread.NewMemoryAt(func() time.Time { return now })
	expires := map[string]time.Time{} // of the threads that there are
	for range 3000 {
		name := fmt.Sprint(random.IntN(40))
		_, exists := expires[name]
		switch random.IntN(5) {
		case 0, 1:
			if life := time.Duration(random.IntN(100)+1) * time.Minute; !exists {
				makes(t, m, name, now, life)
				expires[name] = now.Add(life)
			}
		case 2:
			if err := m.Delete(t.Context(), name); exists != (err == nil) {
				t.Fatal(err)
			}
			delete(expires, name)
		case 3:
			lease, _, err := m.Acquire(t.Context(), name, time.Second) // and has no record
			if err == nil {
				err = m.Release(t.Context(), lease)
			}
			if err != nil {
				t.Fatal(err)
			}
		case 4:
			now = now.Add(time.Minute)
			if _, err := m.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			maps.DeleteFunc(expires, func(_ string, at time.Time) bool { return !at.After(now) })
		}
		prefix := fmt.Sprint(random.IntN(4))
		var want []string
		for _, name := range slices.Sorted(maps.Keys(expires)) {
			if strings.HasPrefix(name, prefix) {
				want = append(want, name)
			}
		}
		if got := namesOf(t, m, thread.Filter{Prefix: prefix}); !slices.Equal(got, want) {
			t.Fatalf("the threads %s* are %q, want %q", prefix, got, want)
		}
	}
}
