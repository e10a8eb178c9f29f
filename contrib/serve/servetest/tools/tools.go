// Package tools has the graphs that the conformance suite of MCP calls as tools, as far as graphs can be what it wants.
package tools

import (
	"context"
	"errors"
)

//go:generate go run ../../../../cmd/graphgen

// Broken is a handler that fails.
type Broken struct{}

// Fail fails.
func (Broken) Fail(context.Context) (FailingFailOut, error) {
	return FailingFailOut{}, errors.New("the key is sesame")
}
