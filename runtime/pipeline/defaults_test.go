package pipeline_test

import (
	"testing"

	"github.com/graphgen/graphgen/runtime/pipeline"
	"github.com/graphgen/graphgen/spec"
)

func TestDefaults(t *testing.T) {
	if pipeline.DefaultParallel != spec.DefaultMaxParallel {
		t.Errorf("%d calls of a turn run at once by default, and the language has %d", pipeline.DefaultParallel, spec.DefaultMaxParallel)
	}
	if pipeline.LongValue != spec.DefaultLongValue || pipeline.MostOutput != spec.DefaultMostOutput {
		t.Errorf("values of over %d characters are summarized and texts cut after %d, and the language has %d and %d",
			pipeline.LongValue, pipeline.MostOutput, spec.DefaultLongValue, spec.DefaultMostOutput)
	}
}
