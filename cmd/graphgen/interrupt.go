package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/graphgen/graphgen/spec/subprocess"
)

// patience is the time that a verb has to end after a signal: to end child processes and to remove
// temporary files. A verb that computes or is blocked is then abandoned. parting is the time to
// kill the child processes and to print the signal to a standard error that may be blocked.
const (
	patience = 700 * time.Millisecond
	parting  = 200 * time.Millisecond
)

// exitSignal is added to the number of a signal to form the exit status.
const exitSignal = 128

// interrupted is the cause of a context that a signal has cancelled.
type interrupted struct{ syscall.Signal }

func (s interrupted) Error() string {
	if s.Signal == syscall.SIGINT {
		return "interrupted"
	}
	return s.Signal.String()
}

func (s interrupted) status() int { return exitSignal + int(s.Signal) }

// underSignals runs the command until it returns or a signal ends it.
func underSignals(run func(context.Context) int) int {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	return until(signals, os.Stderr, run)
}

// until runs the command until it returns. After the first signal, until returns within a second,
// and after the second signal immediately. The command may keep computing.
func until(signals <-chan os.Signal, stderr io.Writer, run func(context.Context) int) int {
	var children subprocess.Set
	ctx, cancel := context.WithCancelCause(children.Context(context.Background()))
	defer cancel(nil)
	ended := make(chan int, 1)
	go func() { ended <- run(ctx) }()
	select {
	case code := <-ended:
		return code
	case s := <-signals:
		cause := interrupted{s.(syscall.Signal)}
		cancel(cause)
		select {
		case code := <-ended:
			return code
		case <-signals:
		case <-time.After(patience):
		}
		parted := make(chan struct{})
		go func() {
			defer close(parted)
			children.Kill()
			fmt.Fprintf(stderr, "graphgen: %v\n", cause)
		}()
		select {
		case <-parted:
		case <-time.After(parting):
		}
		return cause.status()
	}
}
