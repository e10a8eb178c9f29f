package scriptdriver

import (
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/graphgen/graphgen/thread"
)

// A Job is a script for a graph.
type Job struct {
	Graph  string
	Number int
	Script *Script
}

// An Answer is what the runs of a job did, by mode. A mode whose run did the same as that
// of the mode Plain is left out.
type Answer struct {
	Graph   string
	Number  int
	Results map[string]Result
	Sights  map[string]int `json:",omitempty"` // what the modes of Asking have done, and how often
}

// A Mode is a method of making a run, in which the kernel takes another path.
type Mode struct {
	Name        string
	Asks        int  // every how many calls handlers call Info; 0 is never
	Cancellable bool // the context can be cancelled
	Observed    bool
	Stream      bool
	Hooks       bool
	Cancelled   bool // the context is cancelled at the script's Break
	Stopped     bool // a stop is requested there

	AtOnce  bool // executions of a timed script take no time
	Threads int  // how many may run at once; 0: as many as there are

	Misused bool // between the calls of a run that pauses, others are made that have to be refused
	Pairs   bool // two requests are answered concurrently
	Cut     bool // the run is abandoned at a pause, or a call that answers is cancelled
	Dry     bool // it is a dry run

	Death    Death       // of the processes that make the run in a thread; empty: it is in none
	Saving   thread.Mode // of the thread
	Snapshot int         // bytes between two snapshots of it
}

// Plain is the mode that others are compared with.
const Plain = "plain"

// Modes are all modes. Every script is played in each.
var Modes = []Mode{
	{Name: Plain},
	{Name: "asking", Asks: 1},
	{Name: "asking at times", Asks: 3},
	{Name: "cancellable", Cancellable: true},
	{Name: "cancellable, asking at times", Asks: 3, Cancellable: true},
	{Name: "observed", Asks: 1, Observed: true},
	{Name: "stream", Cancellable: true, Stream: true},
	{Name: "hooked", Hooks: true},
	{Name: "cancelled", Cancellable: true, Cancelled: true},
	{Name: "cancelled, observed", Asks: 1, Cancellable: true, Cancelled: true, Observed: true},
	{Name: "stopped", Stopped: true},
	{Name: "stopped, observed", Asks: 1, Stopped: true, Observed: true},
}

// Timed are the modes in which a script with a schedule is played.
var Timed = []Mode{
	{Name: Plain},
	{Name: "cancellable", Cancellable: true, Threads: 1},
	{Name: "observed", Observed: true},
	{Name: "stream", Cancellable: true, Stream: true},
	{Name: "hooked", Hooks: true, Threads: 1},
	{Name: "at once", AtOnce: true},
	{Name: "at once, cancellable", AtOnce: true, Cancellable: true, Threads: 4},
	{Name: "at once, on one thread", AtOnce: true, Threads: 1},
}

// Asking are the modes in which a script with acts is played besides.
var Asking = []Mode{
	{Name: "misused", Misused: true},
	{Name: "misused, answered in pairs", Misused: true, Pairs: true},
	{Name: "misused, cut short", Misused: true, Cut: true},
	{Name: "misused, dry", Misused: true, Dry: true},
}

// ModesOf are the modes in which a script is played.
func ModesOf(script *Script, durable bool) []Mode {
	switch {
	case len(script.Acts) > 0:
		return slices.Concat(Timed, Asking)
	case script.Schedule > 0 && durable:
		return slices.Concat(Timed, TimedThreaded)
	case script.Schedule > 0:
		return Timed
	case durable:
		return slices.Concat(Modes, Threaded)
	}
	return Modes
}

// Main plays the jobs read from in and writes their answers.
func Main(t *testing.T, in io.Reader, out io.Writer, machines ...[]Machine) error {
	byName := map[string]Machine{}
	for _, m := range slices.Concat(machines...) {
		byName[m.Name] = m
	}
	return Serve(in, out, func(job *Job) Answer { return play(t, byName[job.Graph], job) })
}

// Serve does the jobs read from in and writes the result of each immediately: lines of JSON.
func Serve[J, R any](in io.Reader, out io.Writer, do func(*J) R) error {
	write, read := json.NewEncoder(out), json.NewDecoder(in)
	for {
		var job J
		switch err := read.Decode(&job); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := write.Encode(do(&job)); err != nil {
			return err
		}
	}
}

func play(t *testing.T, m Machine, job *Job) Answer {
	answer := Answer{Graph: job.Graph, Number: job.Number, Results: map[string]Result{}, Sights: map[string]int{}}
	for _, mode := range ModesOf(job.Script, m.Durable) {
		var got Result
		if job.Script.Schedule > 0 {
			synctest.Test(t, func(*testing.T) { got = run(m, mode, job.Script, answer.Sights) })
		} else {
			got = run(m, mode, job.Script, answer.Sights)
		}
		if !mode.Observed {
			got.Events = nil // a stream's are those of an observer
		}
		if mode.Name != Plain && reflect.DeepEqual(got, answer.Results[Plain]) {
			continue
		}
		answer.Results[mode.Name] = got
	}
	return answer
}
