package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// A watched is a graphgen that watches, with the lines it writes.
type watched struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines chan string
	ended chan error
}

func startWatch(t *testing.T, dir string, args ...string) *watched {
	t.Helper()
	return startLines(t, dir, append([]string{"-watch"}, args...)...)
}

// startLines starts a graphgen that runs until it is interrupted.
func startLines(t *testing.T, dir string, args ...string) *watched {
	t.Helper()
	w := &watched{t: t, cmd: exec.CommandContext(t.Context(), "graphgen", args...),
		lines: make(chan string, 100), ended: make(chan error, 1)}
	w.cmd.Dir = dir
	read, write := io.Pipe()
	w.cmd.Stdout, w.cmd.Stderr = write, write
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		err := w.cmd.Wait()
		write.Close()
		w.ended <- err
	}()
	go func() {
		for in := bufio.NewScanner(read); in.Scan(); {
			w.lines <- in.Text()
		}
		close(w.lines)
	}()
	return w
}

// expect waits for a line that begins with each of the texts, in that order.
func (w *watched) expect(texts ...string) {
	w.t.Helper()
	late := time.After(time.Minute)
	var seen []string
	for len(texts) > 0 {
		select {
		case line, ok := <-w.lines:
			if !ok {
				w.t.Fatalf("graphgen ended before it wrote %q", texts[0])
			}
			seen = append(seen, line)
			if strings.HasPrefix(line, texts[0]) {
				texts = texts[1:]
			}
		case <-late:
			w.t.Fatalf("graphgen has not written %q; it wrote\n%s", texts[0], strings.Join(seen, "\n"))
		}
	}
}

func (w *watched) interrupt() {
	w.t.Helper()
	if err := w.cmd.Process.Signal(os.Interrupt); err != nil {
		w.t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := <-w.ended; !errors.As(err, &exit) || exit.ExitCode() != exitSignal+int(syscall.SIGINT) {
		w.t.Errorf("interrupted, it ends with %v", err)
	}
}

func write(t *testing.T, path ...string) {
	t.Helper()
	file, text := filepath.Join(path[:len(path)-1]...), path[len(path)-1]
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

const workSpec = "{graph: a, entry: work, nodes: {work: {}}, edges: [{from: work, to: end}]}\n"

func TestWatchCompiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.graph.yaml", workSpec)
	w := startWatch(t, dir, "-package", "a", "./...")
	w.expect("wrote a_graph.go", "waiting for changes; ctrl-C ends")

	// A mistake is told, and does not end it.
	write(t, dir, "a.graph.yaml", strings.Replace(workSpec, "to: end", "to: nd", 1))
	w.expect("a.graph.yaml changed", "a.graph.yaml:1:", "waiting for changes")
	write(t, dir, "a.graph.yaml", strings.Replace(workSpec, "work: {}", "work: {max_visits: 3}", 1))
	w.expect("a.graph.yaml changed", "waiting for changes")

	// A generated file that somebody removes is written again.
	if err := os.Remove(filepath.Join(dir, "a_graph.go")); err != nil {
		t.Fatal(err)
	}
	w.expect("wrote a_graph.go")

	// So is the spec of a directory that was not there, and one that is moved into place as
	// editors do.
	write(t, dir, "sub", "b.graph.yaml", workSpec)
	w.expect("wrote " + filepath.Join("sub", "b_graph.go"))
	write(t, dir, "sub", "b.tmp", strings.Replace(workSpec, "graph: a", "graph: c", 1))
	if err := os.Rename(filepath.Join(dir, "sub", "b.tmp"), filepath.Join(dir, "sub", "b.graph.yaml")); err != nil {
		t.Fatal(err)
	}
	w.expect("wrote "+filepath.Join("sub", "b_graph.go"), "waiting for changes")
	w.interrupt()
}

func TestWatchErrors(t *testing.T) {
	for _, args := range [][]string{{"-watch", "-json"}, {"-watch", filepath.Join(t.TempDir(), "gone")}} {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), args, &stdout, &stderr); code != exitError || stderr.Len() == 0 {
			t.Errorf("%v: exit status %d, %s", args, code, &stderr)
		}
	}
}

// A clock gives its channels to the test.
type clock chan chan time.Time

func (c clock) after(time.Duration) <-chan time.Time {
	timer := make(chan time.Time)
	c <- timer
	return timer
}

func TestWatchQuickChanges(t *testing.T) {
	events, failures := make(chan fsnotify.Event), make(chan error)
	timers, passes := make(clock), make(chan int)
	var out, errs bytes.Buffer
	count := 0
	w := &watch{t: &terminal{out: &out, err: &errs}, events: events, errors: failures, after: timers.after, compile: func(context.Context) error {
		count++
		passes <- count
		if count == 2 {
			return errors.New("disk full")
		}
		return nil
	}}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- w.run(ctx) }()
	<-passes

	change := func(name string, op fsnotify.Op) { events <- fsnotify.Event{Name: name, Op: op} }
	change("b.graph.yaml", fsnotify.Write)
	first := <-timers
	change("a.graph.yaml", fsnotify.Create)
	second := <-timers
	change("a.graph.yaml", fsnotify.Chmod)
	change(".a.graph.yaml.swp", fsnotify.Write)
	change("notes.txt", fsnotify.Write)
	select {
	case first <- time.Time{}:
		t.Error("the timer of the first change still counts")
	case second <- time.Time{}:
	}
	if n := <-passes; n != 2 {
		t.Errorf("compiled %d times", n)
	}
	failures <- errors.New("queue overflow")
	<-timers <- time.Time{}
	<-passes
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	want := "waiting for changes; ctrl-C ends\na.graph.yaml, b.graph.yaml changed\nwaiting for changes\n"
	if out.String() != want {
		t.Errorf("it writes\n%swant\n%s", &out, want)
	}
	if want := "graphgen: disk full\ngraphgen: watching: queue overflow\n"; errs.String() != want {
		t.Errorf("it tells\n%swant\n%s", &errs, want)
	}
}

// A file that a prompt is in is watched with the spec, also where it is not there yet.
func TestWatchFollowsPrompts(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "go.mod", "module example.com/a\n")
	write(t, dir, "a", "a.graph.yaml", "{graph: a, entry: work, nodes: {work: {kind: prompt, instructions: {file: ../prompts/work.md}}}}\n")
	w := startWatch(t, dir, "./a")
	w.expect("a/a.graph.yaml:1:", "waiting for changes; ctrl-C ends")

	prompt := filepath.Join("prompts", "work.md")
	write(t, dir, prompt, "Work.")
	w.expect("wrote a/a_graph.go")
	write(t, dir, prompt, "Work harder.")
	w.expect(prompt+" changed", "wrote a/a_graph.go", "waiting for changes")
	write(t, dir, prompt, "Work {{hard}}.")
	w.expect(prompt+" changed", prompt+":1:6: error[GG191]", "waiting for changes")
	write(t, dir, prompt, "Work.")
	w.expect("wrote a/a_graph.go")
	w.interrupt()
}

// A file of types is watched as a graph is, and a file that a spec uses also where it is in a folder that is not selected.
func TestWatchFollowsUses(t *testing.T) {
	const kinds, steps = "types: {Kind: {enum: [a, b]}}\n", "use: {kinds: ../kinds/kinds.types.yaml}\ntypes: {Step: {kind: kinds.Kind}}\n"
	dir := t.TempDir()
	write(t, dir, "go.mod", "module example.com/a\n")
	write(t, dir, "a", "a.graph.yaml", "graph: a\nentry: work\nuse: {steps: ../steps/steps.types.yaml}\nstate: {step: \"?steps.Step\"}\n"+
		"input: step\nnodes: {work: {reads: step, next: end}}\n")
	write(t, dir, "steps", "steps.types.yaml", steps)
	write(t, dir, "kinds", "kinds.types.yaml", kinds)
	w := startWatch(t, dir, "./kinds")
	w.expect("wrote kinds/kinds_types.go", "waiting for changes; ctrl-C ends")
	write(t, dir, "kinds", "kinds.types.yaml", strings.Replace(kinds, "b]", "b, c]", 1))
	w.expect("kinds/kinds.types.yaml changed", "wrote kinds/kinds_types.go", "waiting for changes")
	w.interrupt()

	w = startWatch(t, dir, "./a")
	w.expect("wrote a/a_graph.go", "waiting for changes; ctrl-C ends")
	write(t, dir, "steps", "steps.types.yaml", strings.Replace(steps, "Step:", "Stop:", 1))
	w.expect("steps/steps.types.yaml changed", "a/a.graph.yaml:4:", "waiting for changes")
	write(t, dir, "steps", "steps.types.yaml", steps)
	w.expect("steps/steps.types.yaml changed", "waiting for changes")
	write(t, dir, "kinds", "kinds.types.yaml", strings.Replace(kinds, "Kind:", "Sort:", 1))
	w.expect("kinds/kinds.types.yaml changed", "a/a.graph.yaml:3:", "waiting for changes")
	w.interrupt()
}

// The files of types of a Go package that a spec uses are watched, with those that they use: of this module and of another one, also where they
// are added later, or go.mod leads to them later.
func TestWatchFollowsPackages(t *testing.T) {
	const kinds, grades = "types: {Kind: {enum: [a, b]}}\n", "types: {Grade: {enum: [low, high]}}\n"
	const module = "module example.com/a\n\ngo 1.26\n\nrequire example.com/other v0.0.0\n\nreplace example.com/other => ./other\n"
	dir := t.TempDir()
	write(t, dir, "go.mod", module)
	write(t, dir, "a", "a.graph.yaml", "graph: a\nentry: work\nuse: {bricks: example.com/a/bricks, grades: example.com/other/grades}\n"+
		"state: {step: \"?bricks.Step\", grade: \"?grades.Grade\"}\ninput: [step, grade]\nnodes: {work: {reads: [step, grade], next: end}}\n")
	write(t, dir, "bricks", "steps.types.yaml", "use: {kinds: example.com/a/kinds}\ntypes: {Step: {kind: kinds.Kind}}\n")
	write(t, dir, "kinds", "kinds.go", "package kinds\n")
	write(t, dir, "other", "go.mod", "module example.com/other\n")
	write(t, dir, "other", "grades", "grades.types.yaml", grades)
	write(t, dir, "other", "grades", "grades.go", "package grades\n")
	w := startWatch(t, dir, "./a")
	w.expect("a/a.graph.yaml:3:", "waiting for changes; ctrl-C ends")
	write(t, dir, "kinds", "kinds.types.yaml", kinds)
	w.expect("kinds/kinds.types.yaml changed", "wrote a/a_graph.go", "waiting for changes")
	write(t, dir, "kinds", "kinds.types.yaml", strings.Replace(kinds, "Kind:", "Sort:", 1))
	w.expect("kinds/kinds.types.yaml changed", "a/a.graph.yaml:3:", "waiting for changes")
	write(t, dir, "kinds", "kinds.types.yaml", kinds)
	w.expect("kinds/kinds.types.yaml changed", "waiting for changes")
	write(t, dir, "other", "grades", "grades.types.yaml", strings.Replace(grades, "Grade:", "Mark:", 1))
	w.expect("other/grades/grades.types.yaml changed", "a/a.graph.yaml:4:", "waiting for changes")

	write(t, dir, "fork", "go.mod", "module example.com/other\n")
	write(t, dir, "fork", "grades", "grades.types.yaml", grades)
	write(t, dir, "fork", "grades", "grades.go", "package grades\n")
	write(t, dir, "go.mod", strings.Replace(module, "./other", "./fork", 1))
	write(t, dir, "kinds", "kinds.types.yaml", kinds+"\n")
	w.expect("kinds/kinds.types.yaml changed", "waiting for changes")
	write(t, dir, "fork", "grades", "grades.types.yaml", strings.Replace(grades, "Grade:", "Mark:", 1))
	w.expect("fork/grades/grades.types.yaml changed", "a/a.graph.yaml:4:", "waiting for changes")
	w.interrupt()
}
