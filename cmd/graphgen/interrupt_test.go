//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/graphgen/graphgen/gen/golang"
	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/thread"
	"github.com/graphgen/graphgen/thread/filestore"
)

// longSpec is a spec of as many nodes as fit, each with three edges: every verb that reads it takes seconds.
func longSpec() string {
	const nodes = 24_000
	var b strings.Builder
	b.WriteString("graph: g\nentry: l0\nstate: {n: int}\ninput: n\noutput: n\nlimits: {max_steps: 1000000}\nnodes:\n")
	for i := range nodes {
		fmt.Fprintf(&b, "  l%d: {reads: n, writes: n}\n", i)
	}
	b.WriteString("edges:\n")
	for i := range nodes {
		fmt.Fprintf(&b, "  - {from: l%d, branch: {x: l%d, y: l%d, z: end}}\n", i, (i+1)%nodes, (i*7+3)%nodes)
	}
	return b.String()
}

// A process is a graphgen that runs until it is signalled.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	ended chan error
}

func start(t *testing.T, dir string, env []string, args ...string) *process {
	t.Helper()
	return startWith(t, dir, env, nil, nil, args...)
}

// startWith starts a graphgen with outputs, nil for none.
func startWith(t *testing.T, dir string, env []string, stdout, stderr io.Writer, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.CommandContext(t.Context(), "graphgen", args...), ended: make(chan error, 1)}
	p.cmd.Dir, p.cmd.Env = dir, append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = stdout, stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.ended <- p.cmd.Wait() }()
	return p
}

// lookAgain is the time between two looks at a process, which leaves the cores to the process.
const lookAgain = 2 * time.Millisecond

// until waits for something that the process does. It fails only where the process ends before.
func (p *process) until(what string, done func() bool) {
	p.t.Helper()
	look := time.NewTicker(lookAgain)
	defer look.Stop()
	for !done() {
		select {
		case err := <-p.ended:
			p.t.Fatalf("graphgen ended before %s: %v", what, err)
		case <-look.C:
		}
	}
}

// computes reports whether the process has used that many hundredths of a second of processor time.
func (p *process) computes(hundredths int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return false
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')'):]))
	used, _ := strconv.Atoi(fields[12])
	return used >= hundredths
}

// writes reports whether a thread of the process waits in a write to a file descriptor.
func (p *process) writes(fd int) bool {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", p.cmd.Process.Pid))
	return slices.ContainsFunc(files, func(file string) bool {
		text, _ := os.ReadFile(file)
		return strings.HasPrefix(string(text), fmt.Sprintf("%d %#x ", syscall.SYS_WRITE, fd))
	})
}

// signal ends the process, and checks its exit status. That it takes no more than a second is tested
// in TestSignalsAreObeyedInTime.
func (p *process) signal(s syscall.Signal, want int) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
	select {
	case err := <-p.ended:
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != want {
			p.t.Errorf("%v: it ends with %v, want exit status %d", s, err, want)
		}
	case <-time.After(time.Minute):
		p.cmd.Process.Kill()
		p.t.Errorf("%v does not end it", s)
	}
}

// statuses are the exit statuses by signal.
var statuses = map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143}

func listed(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// blockedPipe returns a pipe that is full, and is not read.
func blockedPipe(t *testing.T) *os.File {
	t.Helper()
	var fds [2]int
	if err := syscall.Pipe2(fds[:], syscall.O_CLOEXEC|syscall.O_NONBLOCK); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fds[0]) })
	for size := 4096; size > 0; {
		if _, err := syscall.Write(fds[1], make([]byte, size)); errors.Is(err, syscall.EAGAIN) {
			size /= 2
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.SetNonblock(fds[1], false); err != nil { // its writers wait
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(fds[1]), "blocked")
	t.Cleanup(func() { file.Close() })
	return file
}

// The ways in which a verb is kept from its end until it is signalled.
type hold int

const (
	computing hold = iota // over a long spec
	stdout                // is blocked
	stderr                // is blocked
)

// held are command lines of every verb, and what keeps them from their end.
var held = []struct {
	verb string
	args []string
	by   hold
}{
	{"generate", []string{"generate", "-package", "g", "."}, computing},
	{"generate", []string{"-watch", "-package", "g", "."}, computing},
	{"generate", []string{"generate", "-package", "g", "."}, stdout},
	{"generate", []string{"-watch", "-package", "g", "."}, stdout},
	{"check", []string{"check", "."}, computing},
	{"check", []string{"check", "-bounds", "."}, computing},
	{"check", []string{"check", "-diff", "-package", "g", "."}, computing},
	{"check", []string{"check", "-json", "."}, stdout},
	{"check", []string{"check", "missing"}, stderr},
	{"test", []string{"test", "."}, computing},
	{"test", []string{"test", "-json", "."}, stdout},
	{"diff", []string{"diff", "g.graph.yaml", "g.graph.yaml"}, computing},
	{"diff", []string{"diff", "g.graph.yaml", "other.graph.yaml"}, stdout},
	{"check", []string{"check", "-compat", "."}, computing},
	{"release", []string{"release", "g.graph.yaml"}, computing},
	{"release", []string{"release", "g.graph.yaml"}, stdout},
	{"diagram", []string{"diagram", "."}, computing},
	{"diagram", []string{"diagram", "-o", "g.mmd", "."}, computing},
	{"diagram", []string{"diagram", "."}, stdout},
	{"explain", []string{"explain"}, stdout},
	{"explain", []string{"explain", "GG012"}, stdout},
	{"prompts", []string{"prompts", "g.graph.yaml"}, computing},
	{"init", []string{"init", "-module", "example.com/agent", "agent"}, stdout},
	{"schema", []string{"schema"}, stdout},
	{"fmt", []string{"fmt", "."}, computing},
	{"fmt", []string{"fmt", "missing"}, stderr},
	{"lsp", []string{"lsp", "g.graph.yaml"}, stderr},
	{"upgrade", []string{"upgrade", "-from", "v0.0.1", "."}, computing},
	{"upgrade", []string{"upgrade", "-from", "v0.0.1", "-json", "."}, stdout},
	{"expand", []string{"expand", "g.graph.yaml"}, computing},
	{"expand", []string{"expand", "g.graph.yaml"}, stdout},
	{"import", []string{"import", "workflow", "g.graph.yaml"}, stderr},
	{"import", []string{"import", "-json", "workflow", "g.graph.yaml"}, stdout},
	{"show", []string{"show", "run.jsonl", "g.graph.yaml"}, stdout},
	{"serve", []string{"serve"}, computing},
	{"studio", []string{"studio", "-addr", "localhost:0", "http://localhost:1"}, stdout},
	{"openapi", []string{"openapi", "."}, computing},
	{"openapi", []string{"openapi", "."}, stdout},
	{"client", []string{"client", "ts", "g.graph.yaml"}, computing},
	{"client", []string{"client", "ts", "g.graph.yaml"}, stdout},
	{"threads", []string{"threads", "show", "file:threads", "letter"}, stdout},
	{"threads", []string{"threads", "export", "-all", "file:threads"}, stdout},
	{"threads", []string{"threads", "list", "file:missing"}, stderr},
	{"version", []string{"version"}, stdout},
	{"completion", []string{"completion", "bash"}, stdout},
	{"_complete", []string{"_complete", "--", ""}, stdout},
}

// writeThread makes a store with a thread.
func writeThread(t *testing.T, dir string) {
	t.Helper()
	s, err := filestore.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	lease, head, err := s.Acquire(t.Context(), "letter", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	head.Status, head.Seq = thread.Completed, 1
	record := thread.Record{Seq: 1, Snapshot: true, Data: []byte(`{"run":"letter.1","runs":[{"at":"","cells":{".at":"end"}}]}`)}
	_, err = s.Append(t.Context(), lease, head, []thread.Record{record})
	if err := errors.Join(err, s.Release(t.Context(), lease)); err != nil {
		t.Fatal(err)
	}
}

func TestSignalsEndEveryVerb(t *testing.T) {
	for _, verb := range new(commandLine).parser().Model.Children {
		covered := false
		for _, h := range held {
			covered = covered || h.verb == verb.Name
		}
		if !covered {
			t.Errorf("the verb %s has no row", verb.Name)
		}
	}
	long := longSpec()
	for i, h := range tier.Some(t, 10, 16, held) {
		t.Run(strings.Join(h.args, " ")+[]string{", computing", ", stdout", ", stderr"}[h.by], func(t *testing.T) {
			if h.by == computing && testing.Short() {
				t.Skip("reads a large spec")
			}
			if h.by != computing {
				t.Parallel() // it waits
			}
			for s, status := range statuses {
				if (h.by == computing || testing.Short()) && (i%2 == 0) != (s == syscall.SIGINT) {
					continue // one of the signals is enough
				}
				dir := t.TempDir()
				if h.by == computing {
					write(t, dir, "g.graph.yaml", long)
					p := start(t, dir, nil, h.args...)
					p.until("it computes", func() bool { return p.computes(20) })
					p.signal(s, status)
					if got := listed(t, dir); got != "g.graph.yaml" {
						t.Errorf("it leaves %s", got)
					}
					continue
				}
				write(t, dir, "g.graph.yaml", workSpec)
				write(t, dir, "other.graph.yaml", strings.Replace(workSpec, "graph: a", "graph: other", 1))
				write(t, dir, "run.jsonl", `{"kind":"run_start","run":"r","graph":"a"}`+"\n"+`{"kind":"run_end","run":"r","graph":"a"}`+"\n")
				if h.verb == "threads" {
					writeThread(t, filepath.Join(dir, "threads"))
				}
				var p *process
				if h.by == stdout {
					p = startWith(t, dir, nil, blockedPipe(t), nil, h.args...)
					p.until("it writes", func() bool { return p.writes(1) })
				} else {
					p = startWith(t, dir, nil, nil, blockedPipe(t), h.args...)
					p.until("it writes", func() bool { return p.writes(2) })
				}
				p.signal(s, status)
			}
		})
	}
}

// Commands that hang, and have started another that does not heed SIGINT, as a shell starts those
// in the background: one that heeds the signals itself, and one that does not.
const (
	hangs       = "#!/bin/sh\nsleep 1000 &\necho $! >\"$STARTED.new\"\nmv \"$STARTED.new\" \"$STARTED\"\nwait\n"
	hangsAlways = "#!/bin/sh\ntrap '' INT TERM\nsleep 1000 &\necho $$ $! >\"$STARTED.new\"\nmv \"$STARTED.new\" \"$STARTED\"\nwait; wait; wait\n"
)

// A hanging command is first on PATH.
type hanging struct{ dir, started string }

func newHanging(t *testing.T, command, script string) hanging {
	t.Helper()
	h := hanging{dir: t.TempDir()}
	h.started = filepath.Join(h.dir, "started")
	write(t, h.dir, command, script)
	if err := os.Chmod(filepath.Join(h.dir, command), 0o777); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h hanging) path() string { return h.dir + ":" + os.Getenv("PATH") }

// pids returns the processes that a command says it is and has started, none before it has.
func pids(started string) (list []int) {
	text, _ := os.ReadFile(started)
	for _, word := range strings.Fields(string(text)) {
		pid, _ := strconv.Atoi(word)
		list = append(list, pid)
	}
	return list
}

// taggedSpec is a graph in Go, for which the go command is asked.
const taggedSpec = `package tagged

import "github.com/graphgen/graphgen/graph"

//graphgen:graph tagged entry=work
type _ struct {
	State struct{ Done bool } ` + "`graphgen:\"output=done\"`" + `
	Work  graph.Func          ` + "`graphgen:\"writes=done\"`" + `
}
`

// startVerbs are command lines of verbs that start a command, and its name.
var startVerbs = []struct {
	args    []string
	command string
}{
	{[]string{"generate", "tagged"}, "go"},
	{[]string{"-watch", "tagged"}, "go"},
	{[]string{"check", "tagged"}, "go"},
	{[]string{"serve"}, "go"},
	{[]string{"test", "tagged"}, "go"},
	{[]string{"test", "."}, "go"},
	{[]string{"diff", "HEAD:a.graph.yaml", "a.graph.yaml"}, "git"},
}

// writeStartSpecs writes what they read.
func writeStartSpecs(t *testing.T, dir string) {
	t.Helper()
	write(t, dir, "a.graph.yaml", workSpec)
	write(t, dir, "a.scenarios.yaml",
		"graph: a.graph.yaml\nscenarios:\n  - name: works\n    script:\n      work: [{}]\n    expect: {path: [work], end: completed}\n")
	write(t, dir, "tagged", "tagged.go", taggedSpec)
	write(t, dir, "tagged", "old_graph.go", golang.Header("old.graph.yaml")+"\n\npackage tagged\n")
}

func TestSignalsEndStartedCommands(t *testing.T) {
	for _, v := range startVerbs {
		for s, status := range statuses {
			for name, script := range map[string]string{"heeds": hangs, "does not heed": hangsAlways} {
				t.Run(fmt.Sprintf("%s, %s, %s %s", strings.Join(v.args, " "), s, v.command, name), func(t *testing.T) {
					t.Parallel()
					dir, h := t.TempDir(), newHanging(t, v.command, script)
					writeStartSpecs(t, dir)
					p := start(t, dir, []string{"PATH=" + h.path(), "STARTED=" + h.started}, v.args...)
					p.until("its command runs", func() bool { return len(pids(h.started)) > 0 })
					p.signal(s, status)
					ended(t, pids(h.started))
				})
			}
		}
	}
}

func TestCancelledCommand(t *testing.T) {
	for _, v := range startVerbs {
		t.Run(strings.Join(v.args, " "), func(t *testing.T) {
			dir, temp, h := t.TempDir(), t.TempDir(), newHanging(t, v.command, hangsAlways)
			writeStartSpecs(t, dir)
			t.Chdir(dir)
			for name, value := range map[string]string{"PATH": h.path(), "STARTED": h.started, "TMPDIR": temp} {
				t.Setenv(name, value)
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			status := make(chan int)
			go func() { status <- run(ctx, v.args, io.Discard, io.Discard) }()
			for len(pids(h.started)) == 0 {
				time.Sleep(lookAgain)
			}
			cancel(interrupted{syscall.SIGTERM})
			if got := <-status; got != 143 {
				t.Errorf("the exit status is %d", got)
			}
			ended(t, pids(h.started))
			if got := listed(t, temp); got != "" {
				t.Errorf("it leaves %s", got)
			}
		})
	}
}

// hungSpec is a graph in Go with a condition that never returns, heeds no signal, and has started
// another process that heeds none.
const hungSpec = `package hung

import (
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/graphgen/graphgen/graph"
)

//graphgen:graph hung entry=work
type _ struct {
	State struct{ Done bool } ` + "`graphgen:\"output=done\"`" + `

	// Work works.
	//
	//graphgen:set output=Result writes=done
	//graphgen:edge -> end if hangs
	//graphgen:edge -> end
	Work graph.Func
}

// A Result is what work gives.
type Result struct{ Done bool }

func hangs(out Result, s *HungState) bool {
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	sleep := exec.Command("sleep", "1000")
	if err := sleep.Start(); err != nil {
		panic(err)
	}
	started := os.Getenv("STARTED")
	pids := strconv.Itoa(os.Getpid()) + " " + strconv.Itoa(sleep.Process.Pid)
	if err := os.WriteFile(started+".new", []byte(pids), 0o666); err != nil {
		panic(err)
	}
	if err := os.Rename(started+".new", started); err != nil {
		panic(err)
	}
	sleep.Wait()
	return false
}
`

func TestSignalsEndHangingScenarios(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary")
	}
	repo, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	tempmodule.WatchRuntime(t, repo)
	tempmodule.Watch(t, filepath.Join(repo, "scenario", "harness"))
	sums, err := os.ReadFile(filepath.Join(repo, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for s, status := range statuses {
		t.Run(s.String(), func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "go.mod", fmt.Sprintf("module example.com/hung\n\ngo 1.26\n\nrequire %s v0.0.0\n\nreplace %[1]s => %q\n", ownModule, repo))
			write(t, dir, "go.sum", string(sums))
			write(t, dir, "hung.go", hungSpec)
			write(t, dir, "hung.scenarios.yaml",
				"graph: hung.go\nscenarios:\n  - name: hangs\n    script: {work: {out: {done: true}}}\n    expect: {path: [work], end: completed}\n")
			started := filepath.Join(dir, "started")
			var said bytes.Buffer
			p := startWith(t, dir, []string{"GOWORK=off", "GOFLAGS=-mod=mod -buildvcs=false -trimpath", "STARTED=" + started}, &said, &said, "test", ".")
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("it writes\n%s", &said)
				}
			})
			p.until("a condition hangs", func() bool { return len(pids(started)) > 0 })
			p.signal(s, status)
			ended(t, pids(started))
		})
	}
}

// ended waits until processes have ended. One that was killed is there until its parent has seen it.
func ended(t *testing.T, pids []int) {
	t.Helper()
	late := time.Now().Add(time.Minute)
	for _, pid := range pids {
		for !gone(pid) {
			if time.Now().After(late) {
				t.Errorf("the process %d runs on", pid)
				syscall.Kill(pid, syscall.SIGKILL)
				break
			}
			time.Sleep(lookAgain)
		}
	}
}

func gone(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	state := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	return len(state) > 0 && state[0] == "Z"
}

// TestSignalsEndTheServer ends a server that waits for its editor.
func TestSignalsEndTheServer(t *testing.T) {
	for s, status := range statuses {
		cmd := exec.CommandContext(t.Context(), "graphgen", "lsp", "-stdio")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`
		fmt.Fprintf(in, "Content-Length: %d\r\n\r\n%s", len(hello), hello)
		if _, err := out.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		cmd.Process.Signal(s)
		io.Copy(io.Discard, out)
		if cmd.Wait(); cmd.ProcessState.ExitCode() != status {
			t.Errorf("%v: %v, want %d", s, cmd.ProcessState, status)
		}
	}
}
