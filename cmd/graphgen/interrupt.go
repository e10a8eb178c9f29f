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

// patience is how long a verb may take to end after a signal: for child processes to end, and
// temporary files to be removed. A verb that computes or is blocked is ended then. parting is how
// long it may take to kill its child processes, and to name the signal on a standard error that may
// be blocked.
const (
	patience = 700 * time.Millisecond
	parting  = 200 * time.Millisecond
)

// exitSignal is added to the number of the signal that has ended the command.
const exitSignal = 128

// interrupted is the cause of a context that a signal has ended.
type interrupted struct{ syscall.Signal }

func (s interrupted) Error() string {
	if s.Signal == syscall.SIGINT {
		return "interrupted"
	}
	return s.Signal.String()
}

func (s interrupted) status() int { return exitSignal + int(s.Signal) }

// underSignals runs the command until it ends, or a signal ends it.
func underSignals(run func(context.Context) int) int {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	return until(signals, os.Stderr, run)
}

// until runs the command until it ends. After the first of the signals it returns within a second,
// after the second one at once. What the command computes runs on.
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
