package check

import mathbits "math/bits"

// bits is a set of small numbers. Sets of one graph are of one length.
type bits []uint64

func newBits(n int) bits { return make(bits, (n+63)/64) }

func (b bits) add(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bits) remove(i int)   { b[i/64] &^= 1 << (i % 64) }
func (b bits) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }

func (b bits) isEmpty() bool {
	for _, w := range b {
		if w != 0 {
			return false
		}
	}
	return true
}

func (b bits) fill() {
	for i := range b {
		b[i] = ^uint64(0)
	}
}

// take adds all of another set, and reports whether any was missing.
func (b bits) take(other bits) bool {
	var missing uint64
	for i, w := range other {
		missing |= w &^ b[i]
		b[i] |= w
	}
	return missing != 0
}

// each visits the numbers from the least on.
func (b bits) each(visit func(i int)) {
	for i, w := range b {
		for w != 0 {
			visit(i*64 + mathbits.TrailingZeros64(w))
			w &= w - 1
		}
	}
}
