// Package peers has a chain of ten nodes as the documentation of other libraries writes it, to be
// measured beside the machine of bench/ten. Each node adds one to a count.
package peers

import (
	"context"
	"errors"
	"strconv"
)

// nodes is how many nodes or states a program has.
const nodes = 10

var errNegative = errors.New("the count is negative")

// add is the work of a node. It is kept from being inlined, as no handler that does anything is.
//
//go:noinline
func add(_ context.Context, count int) (int, error) {
	if count < 0 {
		return 0, errNegative
	}
	return count + 1, nil
}

// A program runs the ten nodes from a count and returns the count after them.
type program func(ctx context.Context, count int) (int, error)

// name is the name of the i-th node or state.
func name(i int) string { return "n" + strconv.Itoa(i) }
