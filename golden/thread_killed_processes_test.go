//go:build unix

package golden_test

import (
	"context"
	"os"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/kill9"
	"github.com/graphgen/graphgen/thread"
	"github.com/graphgen/graphgen/thread/filestore"
)

func TestMain(m *testing.M) {
	kill9.Main(openFolder, nil)
	os.Exit(m.Run())
}

func openFolder(_ context.Context, address string) (thread.Store, error) {
	return filestore.Open(address)
}

// TestKilledProcesses kills processes with SIGKILL at the boundaries of steps and in nodes, on the file store.
func TestKilledProcesses(t *testing.T) { kill9.Run(t, t.TempDir()) }

// TestWatchedProcesses follows runs whose processes are killed, from this process.
func TestWatchedProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("TestKilledProcesses kills in a short test")
	}
	kill9.Watch(t, t.TempDir(), openFolder)
}
