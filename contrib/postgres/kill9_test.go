package postgres

import (
	"testing"

	"github.com/graphgen/graphgen/internal/testing/kill9"
)

// TestKilledProcesses kills processes that run graphs with SIGKILL, at the boundaries of steps and in nodes.
func TestKilledProcesses(t *testing.T) {
	kill9.Run(t, connection(server(t)))
}

// TestWatchedProcesses follows runs whose processes are killed, from this process.
func TestWatchedProcesses(t *testing.T) {
	kill9.Watch(t, connection(server(t)), openForWriter)
}
