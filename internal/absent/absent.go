// Package absent finds values that are not there: a nil pointer is not nil in an interface, and fails only when a method of it is called.
package absent

import (
	"strings"
	"unsafe"
)

// Is reports whether v is nil, or a pointer that is nil. It uses no reflection. Other values without a pointer in them, such as a struct
// of one pointer that is nil, may well have methods that work.
func Is(v any) bool {
	if v == nil {
		return true
	}
	type words struct{ typ, data unsafe.Pointer } // of an interface
	return (*words)(unsafe.Pointer(&v)).data == nil && isPointer(v)
}

// A nothing has a method that no other type has.
type nothing interface{ absent() }

// isPointer reports whether the type of v is written with a star, which the text of a failed assertion has.
func isPointer(v any) (is bool) {
	defer func() {
		if err, ok := recover().(error); ok {
			is = strings.HasPrefix(err.Error(), "interface conversion: *")
		}
	}()
	_ = v.(nothing)
	return false
}
