package pausedriver

import (
	"fmt"
	"io"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/graphgen/graphgen/internal/testing/scriptdriver"
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

// Main does the jobs read from in and writes their results.
func Main(t *testing.T, in io.Reader, out io.Writer, machines ...[]Machine) error {
	byName := map[string]*Machine{}
	for _, m := range slices.Concat(machines...) {
		byName[m.Name] = &m
	}
	return scriptdriver.Serve(in, out, func(job *Job) *Result { return do(t, byName[job.Graph], job) })
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
				switch p := recover().(type) {
				case nil:
				case mishap:
					result.Problem = p.text
				default:
					result.Problem = fmt.Sprintf("panic: %v\n%s", p, debug.Stack())
				}
			}()
			if wants[number] == nil {
				wants[number] = newSession(m, false, number, ^number).runTwin(twin) // the same in every run
			}
			p := &player{session: newSession(m, true, number, r.Uint64()), rand: r, calls: people, other: m.New, want: wants[number], counts: result.Counts}
			p.play()
		})
	}
	return result
}
