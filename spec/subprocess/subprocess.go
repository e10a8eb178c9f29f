// Package subprocess runs commands that end with their context, and with them all that they have
// started.
package subprocess

import (
	"context"
	"errors"
	"os/exec"
	"sync"
	"time"
)

// Grace is how long a command may take to end when it is interrupted. drain is how long its output
// is read once it has ended, where something that it has started still has it open. It is long, as a
// busy machine may be late to read all.
const (
	Grace = 300 * time.Millisecond
	drain = 10 * time.Second
)

// Run runs a command that exec.CommandContext has made with ctx. When the context ends, the command
// and what it has started are interrupted, so that the go command removes its files. What is left of
// them when the command has ended is killed: on Unix, nothing that it has started outlives it.
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

// Kill kills the commands of the set, with what they have started. None starts after it.
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

// late kills a command that has been interrupted, unless it has ended.
func (s *Set) late(cmd *exec.Cmd) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[cmd] {
		kill(cmd)
	}
}

// end kills what a command has left.
func (s *Set) end(cmd *exec.Cmd) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, cmd)
	kill(cmd)
}
