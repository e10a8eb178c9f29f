package engine

import (
	"reflect"
	"testing"
)

func TestClip(t *testing.T) {
	roomy := func(s ...string) []string { return append(make([]string, 0, len(s)+1), s...) }
	tight := func(s ...string) []string { return append(make([]string, 0, len(s)), s...) }

	t.Run("a list is cut and not copied", func(t *testing.T) {
		list := roomy("a")
		got, had := ClipList(list)
		if !had || cap(got) != 1 || &got[0] != &list[0] {
			t.Errorf("ClipList gives %v with room for %d, and reports %v", got, cap(got), had)
		}
		if _, had := ClipList(got); had {
			t.Error("a list without room has room")
		}
		if Clip[[]string](nil) != nil {
			t.Error("no list is a list")
		}
	})

	t.Run("a list of lists is copied where a list in it has room", func(t *testing.T) {
		lists := [][]string{tight("a"), roomy("b"), nil}
		got, had := ClipEach(lists, ClipList)
		if !had || !reflect.DeepEqual(got, lists) || cap(got[1]) != 1 || cap(lists[1]) != 2 {
			t.Errorf("ClipEach gives %v, and leaves room for %d of the argument's", got, cap(lists[1]))
		}
		again, had := ClipEach(got, ClipList)
		if had || &again[0] != &got[0] {
			t.Error("a list without room in it is copied")
		}
	})

	t.Run("a map is copied where a list in it has room", func(t *testing.T) {
		lists := map[string][]string{"a": tight("a"), "b": roomy("b")}
		got, had := ClipMap(lists, ClipList)
		if !had || !reflect.DeepEqual(got, lists) || cap(got["b"]) != 1 || cap(lists["b"]) != 2 {
			t.Errorf("ClipMap gives %v, and leaves room for %d of the argument's", got, cap(lists["b"]))
		}
		again, had := ClipMap(got, ClipList)
		if again["new"] = nil; had || len(got) != 3 {
			t.Error("a map without room in it is copied")
		}
	})

	t.Run("what may be absent is copied where it has room", func(t *testing.T) {
		list := roomy("a")
		got, had := ClipTo(&list, ClipList)
		if !had || got == &list || cap(*got) != 1 || cap(list) != 2 {
			t.Errorf("ClipTo gives %v, and reports %v", *got, had)
		}
		if again, had := ClipTo(got, ClipList); had || again != got {
			t.Error("a value without room in it is copied")
		}
		if p, had := ClipTo[[]string](nil, ClipList); p != nil || had {
			t.Error("an absent value is there")
		}
	})

	t.Run("nothing is allocated where there is no room", func(t *testing.T) {
		lists, byName := [][]string{tight("a"), tight("b")}, map[string][]string{"a": tight("a")}
		allocs := testing.AllocsPerRun(100, func() {
			lists, _ = ClipEach(lists, ClipList)
			byName, _ = ClipMap(byName, ClipList)
		})
		if allocs != 0 {
			t.Errorf("%v allocations", allocs)
		}
	})
}
