//go:build unix

package kill9

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Soak is the variable of the environment with which Run kills at every point, and not at a sample of them.
const Soak = "GRAPHGEN_SOAK"

// atOnce is how many runs are made at a time: most of their time is the wait for leases.
const atOnce = 4

// sample is the distance of the points of a sample.
const sample = 7

// A row is what the kills of the runs of one graph have led to.
type row struct {
	kills, lost, rerun, again, doubled int
}

// Run makes the runs of four graphs in threads of a store, each in a process that is killed with SIGKILL at one point, and in a
// second one that goes on. Each run has to end with the output of one that was not killed; no step that was saved is
// executed again; the bank sees the same keys of effects as without a kill.
func Run(t *testing.T, address string) {
	t.Helper()
	every := sample
	if os.Getenv(Soak) != "" {
		every = 1
	}
	for _, graph := range slices.Sorted(maps.Keys(graphs)) {
		t.Run(graph, func(t *testing.T) {
			whole := made(t, address, graph, 0)
			if whole.points < 10 || len(whole.keys) < 3 {
				t.Fatalf("there are %d points and %d effects", whole.points, len(whole.keys))
			}
			var mu sync.Mutex
			var r row
			var wg sync.WaitGroup
			slots := make(chan struct{}, atOnce)
			for at := 1; at <= whole.points; at += every {
				slots <- struct{}{}
				wg.Go(func() {
					defer func() { <-slots }()
					n := made(t, address, graph, at)
					mu.Lock()
					defer mu.Unlock()
					r.add(t, at, whole, n)
				})
			}
			wg.Wait()
			t.Logf("%d kills: %d runs lost, %d finished steps run again, %d effects under way made again with the same key, %d with another key",
				r.kills, r.lost, r.rerun, r.again, r.doubled)
		})
	}
}

// add counts a run, and reports what is wrong with it.
func (r *row) add(t *testing.T, at int, whole, n *notes) {
	r.kills += n.killed
	if n.killed == 0 {
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

// notes are what the processes of a run have done.
type notes struct {
	points int
	output string
	killed int
	failed bool           // the first process ended by itself, with an error
	keys   map[string]int // of effects, without the name of the thread: how often each was made
	rerun  []string       // nodes with effects that had ended before their process began
}

// made makes a run in processes of which the first is killed at a point; 0: none is. Where the machine was too slow for
// the lease of the first process, it makes another run, of three at most.
func made(t *testing.T, address, graph string, at int) (n *notes) {
	for try := range 3 {
		if n = madeIn(t, address, graph, fmt.Sprintf("%s killed at %d, run %d", graph, at, try), at); !n.failed {
			break
		}
	}
	return n
}

// madeIn makes one such run in the thread of a name.
func madeIn(t *testing.T, address, graph, name string, at int) *notes {
	file := filepath.Join(t.TempDir(), "notes")
	n := &notes{keys: map[string]int{}}
	for process := range 5 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), graphVariable+"="+graph, threadVariable+"="+name, addressVariable+"="+address, notesVariable+"="+file)
		if process == 0 {
			cmd.Env = append(cmd.Env, pointVariable+"="+strconv.Itoa(at))
		}
		out, err := cmd.CombinedOutput()
		if err == nil {
			break
		}
		if process == 0 && at > 0 && cmd.ProcessState.ExitCode() < 0 {
			n.killed++
			continue
		}
		if !outran(out) {
			t.Errorf("point %d, process %d: %v\n%s", at, process, err, out)
		}
		n.failed = n.failed || process == 0
	}
	text, err := os.ReadFile(file)
	if err != nil && n.killed == 0 {
		t.Errorf("point %d: %v", at, err)
	}
	n.read(string(text), name)
	return n
}

// outran reports whether a process ended because the machine was too slow for its lease.
func outran(out []byte) bool {
	return slices.ContainsFunc([]string{"deadline exceeded", "is lost", "the store has acknowledged no call for"}, func(text string) bool {
		return bytes.Contains(out, []byte(text))
	})
}

// read reads what processes have noted.
func (n *notes) read(text, name string) {
	finished := map[string]bool{}
	for line := range strings.Lines(strings.ReplaceAll(text, name, "t")) {
		kind, of, _ := strings.Cut(strings.TrimSpace(line), " ")
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
}
