package durable

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/thread"
)

// A State is what a thread has of a run behind one of its records.
type State struct {
	Thread string
	Seq    uint64 // of the record
	Time   time.Time
	Run    string // the ID of the run
	Ended  string // the reason why it is complete; empty: it is not
	Runs   []RunState
	Open   []string // the IDs of the requests that it waits for
}

// A RunState is one run of the tree: the outermost one is the first of a State, and the others are child runs of nodes that
// have not ended.
type RunState struct {
	At         string // the place of the run: the nodes around it, with branches; empty: the outermost run
	Shape      string // of the graph by which it was saved
	Node       string // that was executed last, or within which others run; empty: the run begins
	Ended      bool   // the node has ended
	Transition string // that was followed
	Next       string // the node that follows; empty: none does
	Failed     string // the error with which the branch has failed
	Path       []string
	Fields     []Value // of the state, by name. A field that never had a value is left out
}

// Field returns the JSON of a field of the outermost run, nil if it never had a value.
func (s *State) Field(name string) []byte {
	for _, f := range s.Runs[0].Fields {
		if f.Name == name {
			return f.JSON
		}
	}
	return nil
}

// JSON returns the fields of the run as a JSON object.
func (r *RunState) JSON() []byte {
	data := []byte{'{'}
	for i, f := range r.Fields {
		if i > 0 {
			data = append(data, ',')
		}
		name, _ := codec.Marshal(codec.Of(f.Name, codec.WriteString)) // a name of the spec
		data = append(append(append(data, name...), ':'), f.JSON...)
	}
	return append(data, '}')
}

// StateAt returns the state of a thread behind a record; 0: the last one. It needs no machine, and leaves out what is sealed.
func StateAt(ctx context.Context, s thread.Store, id string, seq uint64) (*State, error) {
	l, _, records, err := loaded(ctx, s, id, seq, sealing{blind: true})
	if err != nil {
		return nil, err
	}
	return stateOf(id, l, &records[len(records)-1]), nil
}

// loaded returns what the records of a thread add up to through one.
func loaded(ctx context.Context, s thread.Store, id string, seq uint64, by sealing) (*log, thread.Head, []thread.Record, error) {
	head, records, err := thread.Guard(s).Load(ctx, id, seq)
	if err != nil {
		return nil, head, nil, err
	}
	l, err := replay(id, records, by)
	return l, head, records, err
}

func stateOf(id string, l *log, r *thread.Record) *State {
	s := &State{Thread: id, Seq: r.Seq, Time: r.Time, Run: l.run, Open: slices.Sorted(maps.Keys(l.open))}
	for _, place := range slices.Sorted(maps.Keys(l.runs)) {
		cells := &l.runs[place].cells
		if !l.runs[place].hasSteps() {
			continue
		}
		c := Change{Ended: true}
		c.position(cells)
		run := RunState{
			At: place, Shape: text(cells, shapeCell), Node: c.Node, Ended: c.Ended, Transition: c.Transition, Next: c.Next,
			Failed: text(cells, ".failed"), Path: listOf(cells.Value(".path")),
		}
		for _, name := range slices.Sorted(cells.Names()) {
			if isField(name) {
				run.Fields = append(run.Fields, Value{Name: name, JSON: cells.Value(name)})
			}
		}
		s.Runs = append(s.Runs, run)
	}
	s.Ended = text(&l.of("").cells, endedCell)
	return s
}

// StateAt reads the state of a thread of the machine behind a record into the values that fields lists. The state of an
// earlier version of the graph is brought to that of the machine.
func (m *Machine) StateAt(ctx context.Context, id string, seq uint64, fields func(*codec.Cells)) error {
	_, set, err := m.settings(nil)
	if err != nil {
		return err
	}
	f, err := m.at(ctx, set, id, seq)
	if err != nil {
		return err
	}
	if err := load(&f.log.of("").cells, fields); err != nil {
		return &LoadError{Thread: id, Seq: f.seq, Err: err}
	}
	return nil
}
