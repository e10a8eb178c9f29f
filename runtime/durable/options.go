package durable

import (
	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/engine"
)

// refuses returns the error of options that cannot change a run of a thread which has begun.
func (m *Machine) refuses(options *engine.Applied) error {
	all, own := options.Settings(), options.OfMachine().Settings()
	wrong := &graphgen.OptionError{Graph: m.Graph.Name, Place: "Recover or a method that resumes"}
	switch {
	case all.RunID != "":
		wrong.Option, wrong.Why = "graphgen.WithRunID", "the run has its ID: leave it out"
	case len(all.InterruptBefore) > len(own.InterruptBefore):
		wrong.Option, wrong.Why = "graphgen.WithInterruptBefore", "the thread keeps where the run pauses: give it to Start"
	case len(all.InterruptAfter) > len(own.InterruptAfter):
		wrong.Option, wrong.Why = "graphgen.WithInterruptAfter", "the thread keeps where the run pauses: give it to Start"
	default:
		return nil
	}
	return wrong
}
