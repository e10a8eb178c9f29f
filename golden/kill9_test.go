package golden_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/graphgen/graphgen/golden/pauses"
	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/thread"
	"github.com/graphgen/graphgen/runtime/thread/filestore"
)

// The variables by which a test starts processes of its own program: the graph, the folder, and the point at which the
// process kills itself.
const (
	killGraph  = "GRAPHGEN_KILL_GRAPH"
	killFolder = "GRAPHGEN_KILL_FOLDER"
	killPoint  = "GRAPHGEN_KILL_POINT"
)

// A victim kills its process with SIGKILL at one of the points that it passes: before and behind what a node does
// outside, and before and behind each append.
type victim struct {
	thread.Store
	mu    sync.Mutex
	left  int // points up to that one; negative: it is not killed
	made  int
	notes *os.File
}

func (v *victim) passes() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.made++; v.made == v.left {
		p, _ := os.FindProcess(os.Getpid())
		_ = p.Kill()
		select {}
	}
}

func (v *victim) Append(ctx context.Context, l thread.Lease, h thread.Head, r []thread.Record) (thread.Ack, error) {
	v.passes()
	ack, err := v.Store.Append(ctx, l, h, r)
	v.note("append " + strconv.FormatUint(h.Seq, 10))
	v.passes()
	return ack, err
}

// note adds a line to what all processes have done.
func (v *victim) note(line string) {
	if _, err := v.notes.WriteString(line + "\n"); err != nil {
		panic(err)
	}
}

func (v *victim) did(ctx context.Context) {
	v.passes()
	v.note("effect " + graphrt.IdempotencyKey(ctx))
	v.passes()
}

// TestVictim is not a test: it is the process that TestKilledProcesses kills.
func TestVictim(t *testing.T) {
	graph := os.Getenv(killGraph)
	if graph == "" {
		t.Skip("it is a process of TestKilledProcesses")
	}
	folder := os.Getenv(killFolder)
	store, err := filestore.Open(filepath.Join(folder, "threads"))
	if err != nil {
		t.Fatal(err)
	}
	notes, err := os.OpenFile(filepath.Join(folder, "notes"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	v := &victim{Store: store, left: -1, notes: notes}
	if at, err := strconv.Atoi(os.Getenv(killPoint)); err == nil {
		v.left = at
	}
	m := victims[graph](t, v)
	out, err := m.recover(t.Context())
	if _, none := errors.AsType[*thread.NotFoundError](err); none {
		out, err = m.start(t.Context())
	}
	for range 100 {
		p, paused := errors.AsType[*graphrt.InterruptedError](err)
		if !paused {
			break
		}
		q := p.Requests[len(p.Requests)-1]
		out, err = m.answer(t.Context(), q.ID, []byte(personal[q.Node]))
	}
	if err != nil {
		t.Fatal(err)
	}
	v.note("points " + strconv.Itoa(v.made))
	v.note("output " + canonical(t, out))
}

// personal are the answers of people, by node.
var personal = map[string]string{
	"lawyer": `"approve"`, "editor": `"fine"`, "lead": `"good"`, "approve": `"approve"`,
	"judge": `{"content":true,"note":"fine"}`, "sign": `"approve"`,
}

// victims make the machines of three graphs: with a loop and retries, with branches, and with a map of runs of another.
var victims = map[string]func(*testing.T, *victim) survivor{
	"rounds": func(t *testing.T, v *victim) survivor {
		m, err := pauses.NewRounds(roundsWork{v}, thread.In(v))
		if err != nil {
			t.Fatal(err)
		}
		return survivor{
			start: func(ctx context.Context) (any, error) {
				return m.Start(ctx, "t", pauses.RoundsInput{Topic: "otters"})
			},
			recover: func(ctx context.Context) (any, error) { return m.Recover(ctx, "t") },
			answer: func(ctx context.Context, id string, a []byte) (any, error) {
				return m.Answer(ctx, m.Thread("t"), id, a)
			},
		}
	},
	"panel": func(t *testing.T, v *victim) survivor {
		m, err := pauses.NewPanel(panelWork{v}, thread.In(v))
		if err != nil {
			t.Fatal(err)
		}
		return survivor{
			start:   func(ctx context.Context) (any, error) { return m.Start(ctx, "t", pauses.PanelInput{Text: "x"}) },
			recover: func(ctx context.Context) (any, error) { return m.Recover(ctx, "t") },
			answer: func(ctx context.Context, id string, a []byte) (any, error) {
				return m.Answer(ctx, m.Thread("t"), id, a)
			},
		}
	},
	"desk": func(t *testing.T, v *victim) survivor {
		panel, err := pauses.NewPanel(panelWork{v})
		if err != nil {
			t.Fatal(err)
		}
		m, err := pauses.NewDesk(panel, thread.In(v))
		if err != nil {
			t.Fatal(err)
		}
		return survivor{
			start: func(ctx context.Context) (any, error) {
				return m.Start(ctx, "t", pauses.DeskInput{Texts: []string{"a", "b"}})
			},
			recover: func(ctx context.Context) (any, error) { return m.Recover(ctx, "t") },
			answer: func(ctx context.Context, id string, a []byte) (any, error) {
				return m.Answer(ctx, m.Thread("t"), id, a)
			},
		}
	},
}

// TestKilledProcesses kills processes with SIGKILL at every boundary of a step and in every node, on the file store. A
// run is never lost, and ends with the same output; an effect that a later append follows in its process is never
// repeated.
func TestKilledProcesses(t *testing.T) {
	for graph := range victims {
		t.Run(graph, func(t *testing.T) {
			whole := notesOf(t, graph, 0)
			points := 0
			for _, line := range whole.lines {
				if n, ok := strings.CutPrefix(line, "points "); ok {
					points, _ = strconv.Atoi(n)
				}
			}
			if points < 10 {
				t.Fatalf("there are %d points", points)
			}
			every, again := 1, 0
			if testing.Short() {
				every = 7
			}
			for at := 1; at <= points; at += every {
				n := notesOf(t, graph, at)
				if n.output != whole.output {
					t.Errorf("killed at point %d: the output is %s, want %s", at, n.output, whole.output)
				}
				again += n.again
				if n.lost != "" {
					t.Errorf("killed at point %d: %s was repeated, though it was saved", at, n.lost)
				}
			}
			t.Logf("%d kills, %d effects of steps in flight made again with the same key", (points+every-1)/every, again)
		})
	}
}

// notes are what the processes of a run have done.
type notes struct {
	lines  []string
	output string
	again  int    // effects that were repeated
	lost   string // one that was repeated though an append had followed it
}

// notesOf makes a run in processes of which the first is killed at a point; 0: none is.
func notesOf(t *testing.T, graph string, at int) (n notes) {
	t.Helper()
	folder := t.TempDir()
	for process := range 3 {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestVictim$")
		cmd.Env = append(os.Environ(), killGraph+"="+graph, killFolder+"="+folder)
		if process == 0 && at > 0 {
			cmd.Env = append(cmd.Env, killPoint+"="+strconv.Itoa(at))
		}
		said, err := cmd.CombinedOutput()
		if err == nil {
			break
		}
		if process > 0 || at == 0 {
			t.Fatalf("process %d: %v\n%s", process, err, said)
		}
	}
	text, err := os.ReadFile(filepath.Join(folder, "notes"))
	if err != nil {
		t.Fatal(err)
	}
	saved, done := map[string]int{}, map[string]int{}
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		line := s.Text()
		n.lines = append(n.lines, line)
		kind, of, _ := strings.Cut(line, " ")
		switch kind {
		case "output":
			n.output = of
		case "append":
			for key, appends := range done {
				saved[key] = max(saved[key], appends)
			}
		case "effect":
			if done[of]++; done[of] > 1 {
				n.again++
				if saved[of] > 0 && graph == "rounds" { // in branches, the append may be of another one
					n.lost = of
				}
			}
		}
	}
	return n
}
