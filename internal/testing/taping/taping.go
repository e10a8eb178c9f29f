// Package taping records the runs of scenarios, for tests that keep recordings.
package taping

import (
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat/record"
)

// Probe returns an option that records a run, and a function that returns the recording. It is the Probe of a
// scenario.Config.
func Probe() (graphgen.Option, func() string) {
	var b strings.Builder
	tape := record.New(&b)
	return graphgen.Options(graphgen.WithModelWrapper(tape.Model), record.Tools(tape)), func() string {
		if err := tape.Close(); err != nil {
			return err.Error()
		}
		return b.String()
	}
}
