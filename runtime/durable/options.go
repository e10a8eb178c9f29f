package durable

import (
	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/engine"
)

// refuses returns why a call cannot take up or resume the run of a thread with its options.
func (m *Machine) refuses(options *engine.Applied) error {
	all, own := options.Settings(), m.Options.Settings()
	wrong := &graphgen.ConfigError{Graph: m.Graph.Name, Why: "the thread keeps where the run pauses: give it to Start"}
	switch {
	case len(all.InterruptBefore) > len(own.InterruptBefore):
		wrong.Option = "graphgen.WithInterruptBefore"
	case len(all.InterruptAfter) > len(own.InterruptAfter):
		wrong.Option = "graphgen.WithInterruptAfter"
	default:
		return nil
	}
	return wrong
}
