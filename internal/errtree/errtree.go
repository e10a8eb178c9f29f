// Package errtree searches trees of errors.
package errtree

// As does what errors.AsType does: it finds the first error of a tree that fits, which fits keeps, or one whose method As
// sets the target. It is one function for all types of errors, where AsType is one of 3 kB of WebAssembly for each.
func As(err error, target any, fits func(error) bool) bool {
	for err != nil {
		if fits(err) {
			return true
		}
		if x, ok := err.(interface{ As(any) bool }); ok && x.As(target) {
			return true
		}
		switch x := err.(type) {
		case interface{ Unwrap() error }:
			err = x.Unwrap()
		case interface{ Unwrap() []error }:
			for _, part := range x.Unwrap() {
				if As(part, target, fits) {
					return true
				}
			}
			return false
		default:
			return false
		}
	}
	return false
}
