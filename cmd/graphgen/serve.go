package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/graphgen/graphgen/spec/subprocess"
)

type serveVerb struct {
	Package string   `arg:"" optional:"" default:"." help:"The main package of the server (default: the current directory)."`
	Args    []string `arg:"" optional:"" help:"Arguments of the server, after --."`
}

func (serveVerb) Help() string {
	return `It compiles the specs of the current directory and below, builds the package, and runs it. When a spec, a prompt or a Go
file changes, it does so again. As long as there is a mistake, the old server keeps running.

The package is a program of yours, such as graphgen init -serve writes. Before a restart, the server is interrupted, and killed after 5 seconds;
the next one continues its threads.

Examples:

  graphgen serve                       the package of the current directory
  graphgen serve . -- -details         with an argument
  graphgen serve ./cmd/server -- -addr localhost:9000
`
}

// Run runs the server until it is interrupted.
func (v *serveVerb) Run(ctx context.Context, t *terminal) error {
	dir, err := os.MkdirTemp("", "graphgen-serve-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s := &devServer{serveVerb: v, t: t, dir: dir}
	defer s.stop()
	return (&generateVerb{paths: paths{Paths: []string{"./..."}}}).watch(ctx, t, s.renew)
}

// A devServer is the server that runs, if there is one.
type devServer struct {
	*serveVerb
	t      *terminal
	dir    string
	builds int
	sum    [sha256.Size]byte // of the program that runs
	cmd    *exec.Cmd         // nil: none runs
	ended  chan struct{}     // closed when it has ended
	ends   chan struct{}     // closed when it is to end
}

// renew builds the server, and runs it instead of the one before, unless they are the same.
func (s *devServer) renew(ctx context.Context) error {
	s.builds++
	program := filepath.Join(s.dir, "server-"+strconv.Itoa(s.builds))
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", program, s.Package)
	var out bytes.Buffer
	build.Stdout, build.Stderr = &out, &out
	if err := subprocess.Run(ctx, build); err != nil {
		return fmt.Errorf("the server is not built: %w\n%s", err, bytes.TrimSpace(out.Bytes()))
	}
	sum, err := sumOf(program)
	if errors.Is(err, errNoProgram) {
		return fmt.Errorf("%s is no main package", s.Package)
	}
	if err != nil || s.runs() && sum == s.sum {
		return err
	}
	s.stop()
	s.sum = sum
	s.cmd = exec.Command(program, s.Args...)
	s.cmd.Stdout, s.cmd.Stderr = s.t.out, s.t.err
	if err := s.cmd.Start(); err != nil {
		s.cmd = nil
		return err
	}
	s.ended, s.ends = make(chan struct{}), make(chan struct{})
	fmt.Fprintf(s.t.out, "the server runs, process %d\n", s.cmd.Process.Pid)
	go func(cmd *exec.Cmd, ended, ends chan struct{}) {
		defer close(ended)
		err := cmd.Wait()
		select {
		case <-ends:
		default:
			fmt.Fprintf(s.t.err, "graphgen: the server has ended: %v; it starts again when a file changes\n", endOf(err))
		}
	}(s.cmd, s.ended, s.ends)
	return nil
}

func endOf(err error) any {
	if err == nil {
		return "exit status 0"
	}
	return err
}

// errNoProgram is about what the go command writes of a package that is not main.
var errNoProgram = errors.New("it cannot be run")

// sumOf returns the sum of a program.
func sumOf(path string) (sum [sha256.Size]byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Mode()&0o111 == 0 && runtime.GOOS != "windows" {
		return sum, errNoProgram
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	h.Sum(sum[:0])
	return sum, err
}

// runs reports whether a server runs.
func (s *devServer) runs() bool {
	if s.cmd == nil {
		return false
	}
	select {
	case <-s.ended:
		return false
	default:
		return true
	}
}

// stop ends the server that runs.
func (s *devServer) stop() {
	if s.cmd == nil {
		return
	}
	const patience = 5 * time.Second
	close(s.ends)
	if s.runs() && s.cmd.Process.Signal(os.Interrupt) == nil { // Windows has no such signal
		select {
		case <-s.ended:
		case <-time.After(patience):
		}
	}
	_ = s.cmd.Process.Kill() // it may have ended
	<-s.ended
	s.cmd = nil
}
