// Package servetest has the graphs that the tests of package serve serve.
package servetest

//go:generate go run ../../../cmd/graphgen
