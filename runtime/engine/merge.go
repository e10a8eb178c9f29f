package engine

import (
	"cmp"
	"slices"
)

// Union returns have with the elements of add that it lacks, in order. It does not change
// have.
func Union[T comparable](have []T, add ...T) []T {
	have = Clip(have)
	for _, v := range add {
		if !slices.Contains(have, v) {
			have = append(have, v)
		}
	}
	return have
}

// Keep returns the last elements of a list, at most the given number. Others may have the list too, so it does not
// change it.
func Keep[T any](list []T, most int) []T {
	return list[max(0, len(list)-most):]
}

// Max returns the greater of two values of which either may be missing.
func Max[T cmp.Ordered](have, add *T) *T {
	if have == nil || add != nil && *add > *have {
		return add
	}
	return have
}

// Min returns the lesser of two values of which either may be missing.
func Min[T cmp.Ordered](have, add *T) *T {
	if have == nil || add != nil && *add < *have {
		return add
	}
	return have
}
