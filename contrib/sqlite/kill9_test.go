package sqlite

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/kill9"
	"github.com/graphgen/graphgen/internal/testing/killserve"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/thread"
)

// TestKilledProcesses kills processes that run graphs with SIGKILL, at the boundaries of steps and in nodes.
func TestKilledProcesses(t *testing.T) {
	kill9.Run(t, filepath.Join(t.TempDir(), "threads.db"))
}

// TestKilledServers follows a run over HTTP whose servers are killed.
func TestKilledServers(t *testing.T) {
	killserve.Run(t, filepath.Join(t.TempDir(), "threads.db"), tier.Pick(2, 6, 100))
}

// TestWatchedProcesses follows runs whose processes are killed, from this process.
func TestWatchedProcesses(t *testing.T) {
	kill9.Watch(t, filepath.Join(t.TempDir(), "threads.db"), func(ctx context.Context, address string) (thread.Store, error) { return Open(ctx, address) })
}
