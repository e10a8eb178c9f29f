package sqlite

import (
	"path/filepath"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/kill9"
)

// TestKilledProcesses kills processes that run graphs with SIGKILL, at the boundaries of steps and in nodes.
func TestKilledProcesses(t *testing.T) {
	kill9.Run(t, filepath.Join(t.TempDir(), "threads.db"))
}
