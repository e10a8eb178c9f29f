package graphrt

import "strconv"

// A PanicError is a panic of a handler or of a condition.
type PanicError struct {
	Value any
	Stack string // of the goroutine at the panic

	Pos Position // of the condition that panicked; zero: a handler did
}

func (e *PanicError) Error() string { return "panic: " + panicText(e.Value) }

// Unwrap returns the panic's value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

func panicText(v any) string {
	switch v := v.(type) {
	case error:
		return v.Error()
	case string:
		return v
	case interface{ String() string }:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return "a value that is no error and no text"
}
