package machine

// Generated code imports this package and not the engine, and the Go compiler inlines a method of a type of
// another package only where its body is in the export data of what is imported. A package exports the
// bodies that it has inlined itself: so this function is never called, but without it the loop of a machine
// makes calls in every step.
func inlined(r *Run, transition TransitionID, next NodeID) bool {
	return r.Context() == nil || r.Failed(nil) || r.Cancelled() || !r.Follow(transition, next)
}

var _ = inlined
