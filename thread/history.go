package thread

import (
	"time"

	"github.com/graphgen/graphgen/runtime/codec"
)

// A Step is what one record of a thread saves: a step of a run, what a call within a step gave, a pause, an end.
type Step struct {
	Seq       uint64
	Time      time.Time
	Bytes     int
	Snapshot  bool     // the record has the whole state
	Run       string   // the ID of the run that begins with the record; empty: a run continues
	Forked    Origin   // where the thread was forked from
	TakesBack uint64   // the first step that does not count any more, since the run that begins takes back the one before; 0: none
	Changes   []Change // of the runs of the tree
	Calls     []Call   // calls of models, tools and thread.Once that gave a result
	Answers   []Answered
	Open      []string // the IDs of the requests that the run waits for
	Paused    bool     // the run waits from here on
	Ended     string   // the reason why the run ended; empty: it has not
	Failure   string   // with which it failed
}

// An Origin is the record after which a thread was forked from another one. It is zero for a thread that is not a fork.
type Origin struct {
	Thread string
	Seq    uint64
}

// A Change is what a record saves of one run of the tree.
type Change struct {
	At         string  // the place of the run: the nodes around it, with branches; empty: the outermost run
	Node       string  // the node that was executed, or within which others run; empty: the run begins
	Ended      bool    // the node has ended
	Transition string  // that was followed, such as write>judge or terminal
	Next       string  // the node that follows; empty: none does
	Failed     string  // the error with which the branch has failed
	Written    []Value // the fields of the state whose values changed, by name
}

// A Value is a field of a state.
type Value struct {
	Name  string
	JSON  []byte
	Added bool // JSON has what was added to a list
}

// A Call is a call whose result was saved before its step ended: it is not made again.
type Call struct {
	At   string // the place of the run
	Key  string // model, tool or once, with the attempt, the iteration and a number or name
	JSON []byte // the result
}

// An Answered is how a request was answered.
type Answered struct {
	ID       string
	Decision string    // approve, deny, reply, or late: an answer after the deadline, which is not taken
	Late     time.Time // the deadline that had passed; zero: it had not
}

// A State is what a thread has of a run after one of its records.
type State struct {
	Thread string
	Seq    uint64 // of the record
	Time   time.Time
	Run    string // the ID of the run
	Ended  string // the reason why it is complete; empty: it is not
	Runs   []RunState
	Open   []string // the IDs of the requests that it waits for

	TakesBack uint64 // as of the Step of the record
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

// An Edit sets a field of the state in a fork.
type Edit struct {
	At    string // the place of the run; empty: the outermost one
	Field string
	JSON  []byte
}
