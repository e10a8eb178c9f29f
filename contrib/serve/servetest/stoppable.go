package servetest

import (
	"context"

	"github.com/graphgen/graphgen/thread"
)

// A Stoppable is a store that reports each request to stop a run.
type Stoppable struct {
	thread.Store
	Asked chan struct{} // has room for them
}

// Stop implements thread.Store.
func (s *Stoppable) Stop(ctx context.Context, name string) error {
	err := s.Store.Stop(ctx, name)
	s.Asked <- struct{}{}
	return err
}
