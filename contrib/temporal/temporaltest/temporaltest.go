// Package temporaltest has the graphs with which contrib/temporal is tested.
package temporaltest

//go:generate go run ../../../cmd/graphgen
