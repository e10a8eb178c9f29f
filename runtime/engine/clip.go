package engine

// Append writes after the end of a list where it has room. A run hands the lists of its
// state to handlers, branches and callers, and each of them may append. So generated code cuts
// every list to its length when it is handed out, and the lists within a value when the value
// enters the state: what one appends, no other sees.

// Clip returns the list without the room after its end, so that append copies it.
func Clip[S ~[]E, E any](list S) S { return list[:len(list):len(list)] }

// ClipList is Clip that also reports whether there was room.
func ClipList[S ~[]E, E any](list S) (S, bool) { return Clip(list), cap(list) > len(list) }

// ClipEach returns the list and the lists within its elements without room after their ends, and
// reports whether there was any. It copies the list rather than change an element of it.
func ClipEach[S ~[]E, E any](list S, clip func(E) (E, bool)) (S, bool) {
	list, roomy := ClipList(list)
	owned := false
	for i := range list {
		v, had := clip(list[i])
		if !had {
			continue
		}
		if !owned {
			list, owned = append(make(S, 0, len(list)), list...), true
		}
		list[i] = v
	}
	return list, roomy || owned
}

// ClipMap is ClipEach for a map.
func ClipMap[M ~map[string]E, E any](m M, clip func(E) (E, bool)) (M, bool) {
	out := m
	owned := false
	for k, v := range m {
		v, had := clip(v)
		if !had {
			continue
		}
		if !owned {
			out, owned = UnionMap(m, nil), true
		}
		out[k] = v
	}
	return out, owned
}

// ClipTo is ClipEach for a value that may be absent.
func ClipTo[T any](p *T, clip func(T) (T, bool)) (*T, bool) {
	if p == nil {
		return nil, false
	}
	v, had := clip(*p)
	if !had {
		return p, false
	}
	return &v, true
}

// UnionMap returns a map with the entries of both; entries of add win.
func UnionMap[V any](have, add map[string]V) map[string]V {
	out := make(map[string]V, len(have)+len(add))
	for k, v := range have {
		out[k] = v
	}
	for k, v := range add {
		out[k] = v
	}
	return out
}
