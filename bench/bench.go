// Package bench has benchmarks of machines, each in a folder of its own. docs/reference/performance.md has the results.
package bench

//go:generate go run ../cmd/graphgen ./...
