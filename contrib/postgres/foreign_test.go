package postgres

import (
	"testing"

	"github.com/graphgen/graphgen/internal/testing/foreignstore"
	"github.com/graphgen/graphgen/thread"
)

func stores(t *testing.T) foreignstore.Open {
	t.Helper()
	to := connection(server(t))
	return func(t *testing.T, c *foreignstore.Clock) thread.Store {
		s := opened(t, to, Schema(fresh()))
		s.now = c.Now
		return s
	}
}

func TestStorePanics(t *testing.T) { foreignstore.Panics(t, stores(t)) }

func TestPartition(t *testing.T) { foreignstore.Partition(t, stores(t)) }

func TestRunIDs(t *testing.T) { foreignstore.RunIDs(t, stores(t)) }
