// Package compat judges whether the threads of a released version of a graph can continue with another version. It
// compares their shapes: each change is compatible, or needs a migration. Chains of releases are judged step by
// step, as a thread is brought from one to the next.
package compat

import (
	"slices"
	"strconv"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/shape"
)

// A Verdict is what a change means for threads of the older version.
type Verdict uint8

const (
	Same       Verdict = iota
	Compatible         // the newer version reads what the older has written
	Migration          // a function of the author has to make the newer state
)

// String returns the words of the verdict.
func (v Verdict) String() string { return [...]string{"same", "compatible", "needs a migration"}[v] }

// A Change is a difference between two shapes.
type Change struct {
	Verdict Verdict
	Code    string
	Pos     spec.Pos // in the newer version; where something is missing, of what lacks it
	Old     spec.Pos // in the older version; not set for what is added
	Message string
	Help    string

	OfStruct bool    // GG329, GG330: the field is of a struct, and not of the state
	Rename   *Rename // the change is a new name, which needs nothing of the author
	Lost     string  // the node of the older version at which threads may wait and cannot continue; the author decides where they do
	Moved    string  // the node of the older version that other nodes run, where no thread waits
}

// A Rename is a new name that the spec declares by renamed_from.
type Rename struct {
	Of   string // Fields, Values or Nodes
	In   string // the struct or the enum; empty: the state
	From string
	To   string
}

// What a Rename is of.
const (
	Fields = "fields"
	Values = "values"
	Nodes  = "nodes"
)

// Verdict returns the verdict of all of the changes together.
func VerdictOf(changes []Change) Verdict {
	worst := Same
	for _, c := range changes {
		worst = max(worst, c.Verdict)
	}
	return worst
}

// A comparison collects the changes between two shapes.
type comparison struct {
	old, new *shape.Shape
	title    string // of the older version, in messages
	changes  []Change
	seen     map[[2]*resolve.Type]bool
	pin      spec.Pos // of the field whose type another file declares; not set: places are in the types
}

// Between returns the changes from an older shape to a newer one; title is what messages call the older one.
func Between(old, new *shape.Shape, title string) []Change {
	c := &comparison{old: old, new: new, title: title, seen: map[[2]*resolve.Type]bool{}}
	c.fields(owner{state: true, pos: new.Pos}, old.State.Fields, new.State.Fields)
	c.nodes()
	return c.changes
}

// migrate adds a change that needs a migration.
func (c *comparison) migrate(code string, pos, old spec.Pos, message, help string) {
	c.add(Change{Verdict: Migration, Code: code, Pos: pos, Old: old, Message: message, Help: help})
}

func (c *comparison) add(change Change) {
	if c.pin.IsSet() {
		change.Pos = c.pin
	}
	c.changes = append(c.changes, change)
}

// allow adds a compatible change.
func (c *comparison) allow(pos, old spec.Pos, message string) {
	c.add(Change{Verdict: Compatible, Code: "GG328", Pos: pos, Old: old, Message: message})
}

// rename adds a change of a name that the spec declares.
func (c *comparison) rename(pos, old spec.Pos, message string, r Rename) {
	c.add(Change{Verdict: Compatible, Code: "GG328", Pos: pos, Old: old, Message: message, Rename: &r})
}

// A pair is an entry of a list with its older form.
type pair[T any] struct{ old, new T }

// matched returns the entries that both lists have, by name or by the name of an earlier release, and those that
// one list has alone.
func matched[T any](old, new []T, name, was func(T) string) (both []pair[T], removed, added []T) {
	taken := map[string]bool{}
	index := map[string]T{}
	for _, o := range old {
		index[name(o)] = o
	}
	current := map[string]bool{}
	for _, n := range new {
		current[name(n)] = true
	}
	for _, n := range new {
		from := name(n)
		if _, ok := index[from]; !ok && !current[was(n)] {
			from = was(n)
		}
		o, ok := index[from]
		if !ok || from == "" || taken[from] {
			added = append(added, n)
			continue
		}
		taken[from] = true
		both = append(both, pair[T]{o, n})
	}
	for _, o := range old {
		if !taken[name(o)] {
			removed = append(removed, o)
		}
	}
	return both, removed, added
}

// mostCompared is how many added entries are looked at for a missing one.
const mostCompared = 50

// renamedHelp is what to do about something that is missing, where one of the added entries may be it by another
// name.
func renamedHelp[T any](removed T, added []T, name func(T) string, alike func(a, b T) bool, key func(now, was string) string, otherwise string) string {
	if len(added) > mostCompared {
		return otherwise
	}
	added = slices.DeleteFunc(slices.Clone(added), func(a T) bool { return !alike(removed, a) })
	if len(added) == 1 {
		return "if it is called " + strconv.Quote(name(added[0])) + " here, add " + key(name(added[0]), name(removed)) + "; else " + otherwise
	}
	return otherwise
}
