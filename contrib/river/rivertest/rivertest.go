// Package rivertest has the graph that the tests of package river run.
package rivertest

//go:generate go run ../../../cmd/graphgen
