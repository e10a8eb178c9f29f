package redis

import (
	"fmt"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/foreignstore"
	"github.com/graphgen/graphgen/thread"
)

func stores(t *testing.T) foreignstore.Open {
	t.Helper()
	to := server(t)
	return func(t *testing.T, c *foreignstore.Clock) thread.Store {
		s := opened(t, to, Prefix(fmt.Sprintf("foreign %d:", prefixes.Add(1))))
		s.now = c.Now
		return s
	}
}

func TestStorePanics(t *testing.T) { foreignstore.Panics(t, stores(t)) }

func TestPartition(t *testing.T) { foreignstore.Partition(t, stores(t)) }

func TestRunIDs(t *testing.T) { foreignstore.RunIDs(t, stores(t)) }
