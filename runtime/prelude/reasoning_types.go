// Code generated from spec/prelude/reasoning.types.yaml by go test ./gen/golang -run TestPrelude -update. DO NOT EDIT.

package prelude

// The reasoning nodes, and their types.

// What is wrong with a text, and how bad that is.
type Critique struct {
	// From 0, nothing is wrong, to 1, it has to be written anew.
	Severity float64 // 0 to 1
	// One problem each
	Issues []string
}
