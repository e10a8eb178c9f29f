package main

import (
	"flag"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/standard"
)

var updateTypes = flag.Bool("types", false, "write types_list_test.go")

func TestStandardTypes(t *testing.T) {
	standard.Listed(t, "main", "..", "github.com/graphgen/graphgen/examples", *updateTypes)
}

// TestStandard takes every type of the examples through encoding/json and back.
func TestStandard(t *testing.T) { standard.RoundTrips(t, standardTypes) }
