//go:build unix

package kill9

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Soak is the variable of the environment with which Run kills at every point, and not at a sample of them.
const Soak = "GRAPHGEN_SOAK"

// sample is the distance of the points of a sample.
const sample = 7

// A row is what the kills of the runs of one graph have led to.
type row struct {
	kills, lost, rerun, again, doubled int
}

// Run makes the runs of four graphs in threads of a store, each in a process that is killed with SIGKILL at one point, and in a
// second one that continues. Each run has to end with the output of one that was not killed; no step that was saved is
// executed again; the bank sees the same keys of effects as without a kill.
func Run(t *testing.T, address string) {
	t.Helper()
	every := sample
	if os.Getenv(Soak) != "" {
		every = 1
	}
	for _, graph := range untransacted() {
		t.Run(graph, func(t *testing.T) {
			whole := made(t, address, graph, 0)
			if whole.points < 10 || len(whole.keys) < 3 {
				t.Fatalf("there are %d points and %d effects", whole.points, len(whole.keys))
			}
			var mu sync.Mutex
			var r row
			begin, wait := crowd()
			for at := 1; at <= whole.points; at += every {
				begin(func() {
					n := made(t, address, graph, at)
					mu.Lock()
					defer mu.Unlock()
					r.add(t, at, whole, n)
				})
			}
			wait()
			if r.kills < whole.points/every/2 {
				t.Errorf("%d points were tried, and %d processes killed", whole.points/every, r.kills)
			}
			t.Logf("%d kills: %d runs lost, %d finished steps run again, %d effects under way made again with the same key, %d with another key",
				r.kills, r.lost, r.rerun, r.again, r.doubled)
		})
	}
}

// add counts a run, and reports what is wrong with it.
func (r *row) add(t *testing.T, at int, whole, n *done) {
	r.kills += n.killed
	if n.killed == 0 && n.points >= at { // else the machine was slower when the points were counted, and a process that waits passes more
		t.Errorf("point %d: no process was killed", at)
	}
	if n.output != whole.output {
		r.lost++
		t.Errorf("killed at point %d: the output is %s, want %s", at, n.output, whole.output)
	}
	for _, node := range n.rerun {
		r.rerun++
		t.Errorf("killed at point %d: node %s ran again, though it was saved", at, node)
	}
	for key, times := range n.keys {
		if r.again += times - 1; whole.keys[key] == 0 {
			r.doubled++
			t.Errorf("killed at point %d: the effect %s is none of a run that is not killed", at, key)
		}
	}
	for key := range whole.keys {
		if n.keys[key] == 0 {
			t.Errorf("killed at point %d: the effect %s is missing", at, key)
		}
	}
}

// done is what the processes of a run have done.
type done struct {
	points int
	output string
	killed int
	failed bool           // the first process ended by itself, with an error, or the last one did
	keys   map[string]int // of effects, without the name of the thread: how often each was made
	rerun  []string       // nodes with effects that had ended before their process began
}

// tries is how many runs are made at most where the machine was too slow for the lease of the first process.
const tries = 3

// made makes a run in processes of which the first is killed at a point; 0: none is. Where the machine was too slow for
// the lease of the first process, or of all others, it makes another run.
func made(t *testing.T, address, graph string, at int) (n *done) {
	for try := range tries {
		if n = madeIn(t, address, graph, fmt.Sprintf("%s killed at %d, run %d", graph, at, try), at); !n.failed {
			break
		}
	}
	return n
}

// madeIn makes one such run in the thread of a name.
func madeIn(t *testing.T, address, graph, name string, at int) *done {
	n := &done{keys: map[string]int{}}
	o := order{Graph: graph, Thread: name, Address: address, Notes: filepath.Join(t.TempDir(), "notes"), Point: at}
	const most = 5
	for process := range most {
		killed, ended := o.process(t)
		if ended {
			break
		}
		if killed {
			n.killed++
		}
		n.failed = n.failed || process == 0 && !killed || process == most-1
		o.Point = 0
	}
	finished := map[string]bool{}
	for kind, of := range o.notes(t) {
		switch kind {
		case "points":
			n.points, _ = strconv.Atoi(of)
		case "output":
			n.output = of
		case "finished":
			finished[of] = true
		case "effect":
			key, node, _ := strings.Cut(of, " ")
			if n.keys[key]++; finished[node] {
				n.rerun = append(n.rerun, node)
			}
		}
	}
	return n
}
