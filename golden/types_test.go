package golden_test

import (
	"flag"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/standard"
)

var updateTypes = flag.Bool("types", false, "write types_list_test.go")

func TestStandardTypes(t *testing.T) {
	standard.Listed(t, "golden_test", ".", "github.com/graphgen/graphgen/golden", *updateTypes)
}

// TestStandard takes every golden type through encoding/json and back.
func TestStandard(t *testing.T) {
	standard.RoundTrips(t, standardTypes, "codec.KindsState") // which has many limits, and a test of its own
}
