package filestore

import (
	"testing"

	"github.com/graphgen/graphgen/internal/testing/foreignstore"
	"github.com/graphgen/graphgen/thread"
)

func stores(t *testing.T, c *foreignstore.Clock) thread.Store {
	t.Helper()
	s, err := open(t.TempDir(), osFiles{}, c.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestStorePanics(t *testing.T) { foreignstore.Panics(t, stores) }

func TestPartition(t *testing.T) { foreignstore.Partition(t, stores) }

func TestRunIDs(t *testing.T) { foreignstore.RunIDs(t, stores) }
