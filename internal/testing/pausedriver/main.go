package pausedriver

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime/debug"
	"testing"
	"testing/synctest"
)

// A Job is a number of runs of a graph.
type Job struct {
	Graph string
	Seed  uint64
	Runs  int
	First int // the number of the first run
}

// A Result counts what the runs of a job did.
type Result struct {
	Graph  string
	Counts map[string]int
	// Problem is what was wrong with a run; empty: nothing was.
	Problem string
	Run     int // its number
}

// data is how many sets of answers a graph has: a run with people has one of them.
const data = 4

// Main does the jobs read from in and writes their results, each a line of JSON.
func Main(t *testing.T, in io.Reader, out io.Writer, machines ...[]Machine) error {
	byName := map[string]*Machine{}
	for _, list := range machines {
		for i := range list {
			byName[list[i].Name] = &list[i]
		}
	}
	w := bufio.NewWriter(out)
	write, read := json.NewEncoder(w), json.NewDecoder(in)
	for {
		var job Job
		switch err := read.Decode(&job); {
		case errors.Is(err, io.EOF):
			return w.Flush()
		case err != nil:
			return err
		}
		result := do(t, byName[job.Graph], &job)
		if err := errors.Join(write.Encode(result), w.Flush()); err != nil {
			return err
		}
	}
}

// do makes the runs of a job until one has a problem.
func do(t *testing.T, m *Machine, job *Job) *Result {
	result := &Result{Graph: job.Graph, Counts: map[string]int{}}
	people, twin := m.New(), m.Twin()
	wants := map[uint64]*ended{}
	for i := job.First; i < job.First+job.Runs && result.Problem == ""; i++ {
		result.Run = i
		r := rand.New(rand.NewPCG(job.Seed, uint64(i)))
		number := job.Seed*data + uint64(i%data)
		synctest.Test(t, func(*testing.T) {
			defer func() {
				if p := recover(); p != nil {
					result.Problem = fmt.Sprintf("panic: %v\n%s", p, debug.Stack())
				}
			}()
			if wants[number] == nil {
				wants[number] = newSession(m, false, number, ^number).runTwin(twin) // the same in every run
			}
			p := &player{session: newSession(m, true, number, r.Uint64()), rand: r, calls: people, other: m.New, want: wants[number], counts: result.Counts}
			result.Problem = p.play()
		})
	}
	return result
}
