package graphgen

import "strings"

// Reject returns the error with which a guard refuses a value. message is the reason, and
// the feedback for the next attempt. Any other error of a guard is a failure of the node.
func Reject(message string) error { return &rejection{message} }

type rejection struct{ message string }

func (e *rejection) Error() string     { return e.message }
func (e *rejection) Rejection() string { return e.message }

// A GuardsError reports that guards refused a node's output.
type GuardsError struct{ Failed []GuardFailure }

// A GuardFailure is the verdict of one guard.
type GuardFailure struct{ Guard, Message string }

func (e *GuardsError) Error() string {
	parts := make([]string, len(e.Failed))
	for i, f := range e.Failed {
		parts[i] = f.Guard + ": " + f.Message
	}
	return "guards failed: " + strings.Join(parts, "; ")
}

// Messages returns the messages of the guards.
func (e *GuardsError) Messages() []string {
	out := make([]string, len(e.Failed))
	for i, f := range e.Failed {
		out[i] = f.Message
	}
	return out
}
