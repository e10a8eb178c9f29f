// Package incomparable has what structs begin with that nothing compares.
package incomparable

// Struct is a field of no size, for structs that are no API for people. The compiler writes a function for each type
// of struct that compares two of them, used or not: about 1 kB of WebAssembly. It writes no such function for a struct with a function in it.
type Struct [0]func()
