package serve_test

import (
	"context"
	"os"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/killserve"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/thread"
	"github.com/graphgen/graphgen/thread/filestore"
)

func TestMain(m *testing.M) {
	killserve.Main(func(_ context.Context, folder string) (thread.Store, error) { return filestore.Open(folder) })
	os.Exit(m.Run())
}

// TestKilledServers follows a run whose servers are killed. Stores of databases do the same.
func TestKilledServers(t *testing.T) { killserve.Run(t, t.TempDir(), tier.Pick(2, 6, 100)) }
