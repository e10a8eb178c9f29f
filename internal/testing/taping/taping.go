// Package taping records the runs of scenarios, for tests that keep recordings.
package taping

import (
	"strings"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/chat/record"
)

// Probe returns an option that records a run, and a function that returns the recording. It is the Probe of a
// scenario.Config.
func Probe() (graphrt.Option, func() string) {
	var b strings.Builder
	tape := record.New(&b)
	return graphrt.Options(graphrt.WithModelWrapper(tape.Model), record.Tools(tape)), func() string {
		if err := tape.Close(); err != nil {
			return err.Error()
		}
		return b.String()
	}
}
