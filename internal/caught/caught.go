// Package caught makes errors of panics.
package caught

import (
	"runtime"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/errtree"
)

// Panic sets the error of a function that panics, and replaces one whose methods panic. It is to be deferred by the function.
func Panic(err *error) {
	Value(recover(), err)
	*err = errtree.Sound(*err)
}

// Value sets an error to the error of a recovered value, unless the value is nil.
func Value(v any, err *error) {
	if v != nil {
		if err, is := v.(error); is {
			v = errtree.Sound(err)
		}
		stack := make([]byte, 16<<10)
		*err = &graphgen.PanicError{Value: v, Stack: string(stack[:runtime.Stack(stack, false)])}
	}
}
