// Package subprocess runs commands that end with their context, together with all processes that
// they have started.
package subprocess

import (
	"context"
	"errors"
	"os/exec"
	"sync"
	"time"
)

// Grace is the time that an interrupted command has to end. drain is the time for reading its
// output after it has ended, if a process that it started still has the output open. It is long
// because a busy machine may be slow.
const (
	Grace = 300 * time.Millisecond
	drain = 10 * time.Second
)

// Run runs a command made by exec.CommandContext with ctx. When the context ends, it interrupts the
// command and its processes, so that the go command removes its files. After the command has ended,
// Run kills what is left: on Unix, no process that the command started outlives it.
func Run(ctx context.Context, cmd *exec.Cmd) error {
	s, ok := ctx.Value(setKey{}).(*Set)
	if !ok {
		s = new(Set)
	}
	group(cmd)
	cmd.WaitDelay = drain
	if err := s.start(cmd); err != nil {
		return err
	}
	defer s.end(cmd)
	defer context.AfterFunc(ctx, func() {
		time.AfterFunc(Grace, func() { s.late(cmd) })
	})()
	return cmd.Wait()
}

// A Set is the commands that run with a context. The zero Set is empty.
type Set struct {
	mu      sync.Mutex
	running map[*exec.Cmd]bool
	killed  bool
}

type setKey struct{}

// Context returns a context whose commands are in the set while they run.
func (s *Set) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, setKey{}, s)
}

// Kill kills the commands of the set with their processes. No command starts after it.
func (s *Set) Kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.killed = true
	for cmd := range s.running {
		kill(cmd)
	}
}

var errKilled = errors.New("the program is about to end")

func (s *Set) start(cmd *exec.Cmd) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.killed {
		return errKilled
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if s.running == nil {
		s.running = map[*exec.Cmd]bool{}
	}
	s.running[cmd] = true
	return nil
}

// late kills a command that has not ended after an interrupt.
func (s *Set) late(cmd *exec.Cmd) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[cmd] {
		kill(cmd)
	}
}

// end kills the remaining processes of a command.
func (s *Set) end(cmd *exec.Cmd) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, cmd)
	kill(cmd)
}
