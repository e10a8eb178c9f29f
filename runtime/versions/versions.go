// Package versions brings what a saved thread has of a run from a released version of its graph to the version of
// the machine. Generated code has the steps between versions as data, and the functions that the author has written.
package versions

import (
	"errors"
	"slices"
	"strconv"

	"github.com/graphgen/graphgen/internal/caught"
	"github.com/graphgen/graphgen/internal/quote"
	"github.com/graphgen/graphgen/runtime/codec"
)

// Versions are the version of a machine, and the steps that bring runs of earlier versions to it.
type Versions struct {
	Version int
	Shape   string // the hash of the machine's shape
	Steps   []Step // from the first release on
}

// A Step brings runs of one version of a graph to the next.
type Step struct {
	Version int    // of the runs that it takes
	Shape   string // the hash of their shape

	Maps    []Map    // Maps[0] changes nothing
	State   int      // how the state changes: an index of Maps
	Adds    []Member // fields of the next state that have a default
	Outputs []Output // the kept outputs that the next version reads, with how they change
	Nodes   []Rename // nodes with other names

	// Migrate makes the JSON of the next state, with the function of the author; nil: the map of the state does.
	Migrate func(state string) (string, error)

	// Lost are nodes that cannot be resumed in the next version. Node returns where a thread continues that is at one of
	// them, by the JSON of the next state.
	Lost []string
	Node func(node, state string) (string, error)
}

// An Output is how the kept output of a node changes.
type Output struct {
	Node string // in the older version
	Map  int    // an index of Maps
}

// A Member is a field of the state with its JSON.
type Member struct{ Name, JSON string }

// A Rename is another name of a node, a value or a label.
type Rename struct{ From, To string }

// A Run is what a thread has of a run, as far as versions have a say in it.
type Run struct {
	State   string            // the JSON of the state: an object of its fields
	Node    string            // where it is: the node to run next, or that waits; empty: it has ended
	Outputs map[string]string // the JSON of kept outputs by node
	Notes   map[string]string // the JSON of what a branch has written, by the field of the state that it is merged into
	Nodes   map[string]string // the names of all its nodes, by the names that they had when it was saved
	Moved   bool              // the author has decided at which node it continues
}

// A stepError reports a run that could not be brought to the next version.
type stepError struct {
	version int // of the run
	err     error
}

func (e *stepError) Error() string {
	return "from version " + strconv.Itoa(e.version) + " to version " + strconv.Itoa(e.version+1) + ": " + e.err.Error()
}

func (e *stepError) Unwrap() error { return e.err }

// Upgrade brings a run of a shape to the version of the machine, step by step, and returns it. Nodes has an entry
// for each node whose name has changed. The run that is given stays as it is. An error names a shape that no
// release has, or the versions of the step that failed; it wraps the error of the author's function.
func (v *Versions) Upgrade(shape string, r Run) (Run, error) {
	r.Nodes = map[string]string{}
	if shape == v.Shape {
		return r, nil
	}
	at := len(v.Steps) - 1 // of several releases of one shape the last
	for at >= 0 && v.Steps[at].Shape != shape {
		at--
	}
	if at < 0 {
		return Run{}, errors.New("the graph has no release with the shape " + quote.Text(shape))
	}
	names := r.Nodes
	for i := range v.Steps[at:] {
		step := &v.Steps[at+i]
		var err error
		if r, err = step.run(r); err != nil {
			return Run{}, &stepError{step.Version, err}
		}
		step.rename(names)
	}
	r.Nodes = names
	return r, nil
}

// run brings a run to the next version. A panic of the author's function is an error of the step.
func (s *Step) run(r Run) (_ Run, err error) {
	defer caught.Panic(&err)
	if s.Migrate != nil {
		r.State, err = s.Migrate(r.State)
	} else {
		r.State, err = s.next(r.State)
	}
	if err != nil {
		return r, err
	}
	if r.Notes, err = s.notes(r.Notes); err != nil {
		return r, err
	}
	outputs := make(map[string]string, len(r.Outputs))
	for _, o := range s.Outputs {
		if text, kept := r.Outputs[o.Node]; kept {
			if outputs[s.name(o.Node)], err = s.apply(o.Map, text); err != nil {
				return r, err
			}
		}
	}
	r.Outputs = outputs
	if s.lost(r.Node) {
		r.Moved = true
		r.Node, err = s.Node(r.Node, r.State)
		return r, err
	}
	r.Node = s.name(r.Node)
	return r, nil
}

// name returns what the next version calls a node.
func (s *Step) name(node string) string {
	for _, n := range s.Nodes {
		if n.From == node {
			return n.To
		}
	}
	return node
}

// rename adds the nodes with other names to the ones of the steps before.
func (s *Step) rename(names map[string]string) {
	for was, is := range names {
		names[was] = s.name(is)
	}
	for _, n := range s.Nodes {
		_, known := names[n.From] // an earlier node had the name
		for _, is := range names {
			known = known || is == n.To
		}
		if !known {
			names[n.From] = n.To
		}
	}
}

func (s *Step) lost(node string) bool {
	return slices.Contains(s.Lost, node)
}

// Migrate returns the function of a step for one of the author, which takes a state and returns the next.
func Migrate[New codec.Marshaler, Old any, P interface {
	*Old
	codec.Unmarshaler
}](f func(Old) (New, error)) func(string) (string, error) {
	return func(state string) (string, error) {
		next, err := migrated[New, Old, P](f, state)
		if err != nil {
			return "", err
		}
		data, err := codec.Marshal(next)
		return string(data), err
	}
}

// migrated calls the function of an author.
func migrated[New, Old any, P interface {
	*Old
	codec.Unmarshaler
}](f func(Old) (New, error), state string) (next New, err error) {
	var old Old
	state, err = withoutNull(state)
	if err == nil {
		err = codec.UnmarshalString(state, P(&old))
	}
	if err != nil {
		return next, err
	}
	return f(old)
}

// A State is the state of a run of the machine, during the run.
type State[S any] struct {
	Of    *S
	Cells func(*codec.Cells) // lists what threads save of the run
}

// MigrateLast is Migrate to the version of the machine, whose state has no codec of its own. run returns a run.
func MigrateLast[New, Old any, P interface {
	*Old
	codec.Unmarshaler
}](f func(Old) (New, error), run func() State[New]) func(string) (string, error) {
	return func(state string) (string, error) {
		next, err := migrated[New, Old, P](f, state)
		if err != nil {
			return "", err
		}
		s := run()
		*s.Of = next
		var cells codec.Cells
		if _, _, err := cells.Changes(s.Cells); err != nil {
			return "", err
		}
		return string(cells.Object(func(name string) bool { return name[0] != '~' })), nil
	}
}

// Node returns the function of a step for one of the author, which returns where a thread continues.
func Node[State any, P interface {
	*State
	codec.Unmarshaler
}](f func(string, State) (string, error)) func(node, state string) (string, error) {
	return func(node, text string) (string, error) {
		var state State
		if err := codec.UnmarshalString(text, P(&state)); err != nil {
			return "", err
		}
		return f(node, state)
	}
}

// NodeLast is Node in the version of the machine, whose state has no codec of its own. run returns a run.
func NodeLast[S any](f func(string, S) (string, error), run func() State[S]) func(node, state string) (string, error) {
	return func(node, text string) (string, error) {
		var cells codec.Cells
		if err := cells.Take([]byte(text)); err != nil {
			return "", err
		}
		s := run()
		if err := cells.Load(s.Cells); err != nil {
			return "", err
		}
		return f(node, *s.Of)
	}
}
