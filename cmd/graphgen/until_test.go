package main

import (
	"context"
	"io"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen/spec/subprocess"
)

// blocked is a writer that blocks until it is closed.
type blocked chan struct{}

func (b blocked) Write(p []byte) (int, error) {
	<-b
	return len(p), nil
}

func TestSignalsAreObeyedInTime(t *testing.T) {
	const never = time.Hour
	for name, c := range map[string]struct {
		signals []syscall.Signal // one every tenth of a second, the first at once
		ends    time.Duration    // after the context has
		blocked bool             // standard error
		status  int
		takes   time.Duration
	}{
		"no signal":               {ends: 0, status: 7, takes: never},
		"a command that heeds it": {signals: []syscall.Signal{syscall.SIGINT}, ends: 300 * time.Millisecond, status: 7, takes: 300 * time.Millisecond},
		"a command that does not": {signals: []syscall.Signal{syscall.SIGINT}, ends: never, status: 130, takes: patience},
		"SIGTERM":                 {signals: []syscall.Signal{syscall.SIGTERM}, ends: never, status: 143, takes: patience},
		"a second signal": {signals: []syscall.Signal{syscall.SIGTERM, syscall.SIGINT}, ends: never, status: 143,
			takes: 100 * time.Millisecond},
		"standard error is blocked": {signals: []syscall.Signal{syscall.SIGINT}, ends: never, blocked: true, status: 130, takes: patience + parting},
		"a second signal, and it blocked": {signals: []syscall.Signal{syscall.SIGINT, syscall.SIGINT}, ends: never, blocked: true,
			status: 130, takes: 100*time.Millisecond + parting},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				signals, stderr := make(chan os.Signal, 2), io.Discard
				if c.blocked {
					b := make(blocked)
					defer close(b)
					stderr = b
				}
				for i, s := range c.signals {
					time.AfterFunc(time.Duration(i)*100*time.Millisecond, func() { signals <- s })
				}
				over := make(chan struct{})
				defer close(over)
				begun := time.Now()
				status := until(signals, stderr, func(ctx context.Context) int {
					select {
					case <-ctx.Done():
					case <-time.After(never):
					}
					select {
					case <-time.After(c.ends):
					case <-over:
					}
					return 7
				})
				if took := time.Since(begun); status != c.status || took != c.takes || len(c.signals) > 0 && took > time.Second {
					t.Errorf("it ends with %d after %v, want %d after %v", status, took, c.status, c.takes)
				}
			})
		})
	}
	if subprocess.Grace >= patience {
		t.Error("a command that does not heed SIGINT is not killed in time")
	}
}
