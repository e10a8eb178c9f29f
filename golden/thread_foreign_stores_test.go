package golden_test

import (
	"testing"

	"github.com/graphgen/graphgen/internal/testing/foreignstore"
	"github.com/graphgen/graphgen/thread"
)

func inMemory(_ *testing.T, c *foreignstore.Clock) thread.Store { return thread.NewMemoryAt(c.Now) }

func TestStorePanics(t *testing.T) { foreignstore.Panics(t, inMemory) }

func TestPartition(t *testing.T) { foreignstore.Partition(t, inMemory) }

func TestRunIDs(t *testing.T) { foreignstore.RunIDs(t, inMemory) }
