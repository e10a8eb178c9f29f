package durable

import (
	"context"
	"slices"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/thread"
)

// carried returns the fields that a run begins with because the last run of its thread has saved them, in the version of the
// machine; nil if there are none. It reads the thread only where the graph carries fields.
func (m *Machine) carried(ctx context.Context, set *thread.Settings, h *thread.Head) (*codec.Cells, error) {
	if len(m.Carries) == 0 || h.Seq == 0 {
		return nil, nil
	}
	l, _, _, err := loaded(ctx, set.Store, h.Thread, h.Seq, m.sealing(set))
	if err != nil {
		return nil, err
	}
	l.drop("") // what its nodes ran is of no use to another run
	// Where it failed or was stopped, its node need not be there any more.
	ended, _ := codec.Marshal(codec.Of(graphrt.Completed.String(), codec.WriteString))
	l.of("").cells.Set(endedCell, ended)
	if _, err := m.upgrade(h.Thread, l); err != nil {
		return nil, err
	}
	c := new(codec.Cells)
	c.Inherit(&l.of("").cells, func(name string) bool { return !slices.Contains(m.Carries, name) })
	return c, nil
}
