package sqlite

import (
	"path/filepath"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/foreignstore"
	"github.com/graphgen/graphgen/thread"
)

func stores(t *testing.T) foreignstore.Open {
	t.Helper()
	return func(t *testing.T, c *foreignstore.Clock) thread.Store {
		s := opened(t, filepath.Join(t.TempDir(), "threads.db"))
		s.now = c.Now
		return s
	}
}

func TestStorePanics(t *testing.T) { foreignstore.Panics(t, stores(t)) }

func TestPartition(t *testing.T) { foreignstore.Partition(t, stores(t)) }

func TestRunIDs(t *testing.T) { foreignstore.RunIDs(t, stores(t)) }
