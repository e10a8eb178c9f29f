// Package origin links values of package graphrt to the run that they come from. People read the
// values; graphrt and the engine follow the link.
package origin

// A Ref is a link to the run that a value comes from, or to a part of it. The zero Ref leads nowhere.
type Ref struct{ to any }

// To returns a link.
func To(to any) Ref { return Ref{to} }

// Of returns what a link leads to, nil if it leads nowhere. The caller asserts the methods that it
// needs.
func Of(r Ref) any { return r.to }

// RunKey is the key of contexts under which code that runs within a run finds it.
type RunKey struct{}
