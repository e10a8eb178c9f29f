package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// patience is how long a verb may take to end after a signal: for child processes to end, and
// temporary files to be removed. What computes without looking for signals is ended then.
const patience = 700 * time.Millisecond

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
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals, ended := make(chan os.Signal, 2), make(chan int, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
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
		case <-signals: // again: at once
		case <-time.After(patience):
		}
		fmt.Fprintf(os.Stderr, "graphgen: %v\n", cause)
		return cause.status()
	}
}
