package durable

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/graphgen/graphgen/thread"
)

// TestFailingWriter holds that a record which is made after the session has failed elsewhere is not awaited, also before the failure has
// reached the writer.
func TestFailingWriter(t *testing.T) {
	s := &session{lease: thread.Lease{TTL: time.Minute}, caller: t.Context()}
	s.life, s.end = context.WithCancelCause(t.Context())
	s.writer = newWriter(s)
	hold, failed := make(chan struct{}), make(chan struct{})
	cancel := context.CancelCauseFunc(func(error) { <-hold })
	s.cancel.Store(&cancel)
	go func() {
		defer close(failed)
		_ = s.fail(&thread.LostError{})
	}()
	for s.failed() == nil {
		runtime.Gosched()
	}
	s.writer.put(&pending{head: thread.Head{Seq: 1}})
	defer func() {
		close(hold)
		<-failed
	}()
	if _, lost := errors.AsType[*thread.LostError](s.writer.await(1, 0)); !lost {
		t.Error("the session has lost its lease, and the writer has not")
	}
}
