package durable

import (
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/caught"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/thread"
)

// An ID of graphgen.WithRunID names one run of a thread: its idempotency keys are made of the ID. So Start makes no second run under an ID
// that the thread has had. Each snapshot has a hash of the input of its run, and a list of the earlier runs that were given an ID.

// remembered is the number of earlier runs that a thread knows by their IDs.
const remembered = 1000

// A pastRun is an earlier run of a thread, which was given an ID.
type pastRun struct {
	run   string // a hash of the ID
	input string // a hash of the input; empty: it is not known
	last  uint64 // the number of its last record
}

func (v *pastRun) JSONMembers(o *codec.Object) {
	last := int(v.last)
	o.String("run", &v.run)
	codec.SparseMember(o, "input", &v.input, codec.ReadString, codec.WriteString)
	o.Int("last", &last)
	v.last = uint64(last)
}

// numbered returns the ID of a run that is given none and begins with a record.
func numbered(thread string, seq uint64) string { return thread + "." + strconv.FormatUint(seq, 10) }

// isNumbered reports whether an ID is one that a thread gives to its runs itself.
func isNumbered(thread, run string) bool {
	number, ok := strings.CutPrefix(run, thread+".")
	seq, err := strconv.ParseUint(number, 10, 64)
	return ok && err == nil && run == numbered(thread, seq)
}

// inputHash returns a hash of the fields of a state that are the input of a run. It is empty where they have no JSON: no run has had that
// input, and the new run fails with the reason.
func inputHash(state func(*codec.Cells), fields []string) string {
	if len(fields) == 0 {
		return digest(nil)
	}
	var c codec.Cells
	if changes(&c, state) != nil {
		return ""
	}
	var text []byte
	for _, name := range slices.Sorted(slices.Values(fields)) {
		text = append(append(append(append(text, name...), ':'), c.Value(name)...), '\n')
	}
	return digest(text)
}

// changes reads a state into cells.
func changes(c *codec.Cells, state func(*codec.Cells)) (err error) {
	defer caught.Panic(&err) // of a type of the state
	_, _, err = c.Changes(state)
	return err
}

// past returns the earlier runs of a log once its run is one of them, with its last record.
func (l *log) past(thread string, last uint64) []pastRun {
	if l.run == "" || isNumbered(thread, l.run) {
		return l.earlier
	}
	runs := append(slices.Clip(l.earlier), pastRun{digest([]byte(l.run)), l.input, last})
	return runs[max(0, len(runs)-remembered):]
}

// ended returns the error with which a run has ended in an earlier call.
func (m *Machine) ended(reason, failure string) error {
	return &graphgen.RunError{Graph: m.Graph.Name, Reason: reasonOf(reason), Err: &thread.SavedError{Text: failure}}
}
