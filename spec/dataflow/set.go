package dataflow

import (
	"math/bits"
	"slices"
)

// A Set is a set of fields, by their number. The sets of one graph have one length.
type Set []uint64

func newSet(n int) Set { return make(Set, (n+63)/64) }

// Add adds a field.
func (s Set) Add(i int) { s[i/64] |= 1 << (i % 64) }

// Remove removes a field.
func (s Set) Remove(i int) { s[i/64] &^= 1 << (i % 64) }

// Has reports whether a field is in the set.
func (s Set) Has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }

// Union adds the fields of another set, and reports whether any was missing.
func (s Set) Union(other Set) bool {
	var missing uint64
	for i, w := range other {
		missing |= w &^ s[i]
		s[i] |= w
	}
	return missing != 0
}

// AddAll adds the fields of a list.
func (s Set) AddAll(list []int) {
	for _, i := range list {
		s.Add(i)
	}
}

// Each visits the fields in ascending order.
func (s Set) Each(visit func(i int)) {
	for i, w := range s {
		for w != 0 {
			visit(i*64 + bits.TrailingZeros64(w))
			w &= w - 1
		}
	}
}

func (s Set) isEmpty() bool {
	return !slices.ContainsFunc(s, func(w uint64) bool { return w != 0 })
}

func (s Set) fill() {
	for i := range s {
		s[i] = ^uint64(0)
	}
}
