package postgres

import (
	"testing"

	"github.com/graphgen/graphgen/internal/testing/kill9"
	"github.com/graphgen/graphgen/internal/testing/killserve"
	"github.com/graphgen/graphgen/internal/testing/tier"
)

// TestKilledProcesses kills processes that run graphs with SIGKILL, at the boundaries of steps and in nodes.
func TestKilledProcesses(t *testing.T) {
	kill9.Run(t, connection(server(t)))
}

// TestKilledServers follows a run over HTTP whose servers are killed.
func TestKilledServers(t *testing.T) { killserve.Run(t, connection(server(t)), tier.Pick(2, 6, 100)) }

// TestWatchedProcesses follows runs whose processes are killed, from this process.
func TestWatchedProcesses(t *testing.T) {
	kill9.Watch(t, connection(server(t)), openForWriter)
}
