package durable

import (
	"slices"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/codec"
)

// carried returns the fields that a run begins with because the last run of its thread has saved them, in the version of the
// machine; nil if there are none. l has that run, which it changes.
func (m *Machine) carried(id string, l *log) (*codec.Cells, error) {
	if len(m.Carries) == 0 || l.run == "" {
		return nil, nil
	}
	l.drop("") // what its nodes ran is of no use to another run
	// Where it failed or was stopped, its node need not be there any more.
	ended, _ := codec.Marshal(codec.Of(graphgen.Completed.String(), codec.WriteString))
	l.of("").cells.Set(endedCell, ended)
	if _, err := m.upgrade(id, l); err != nil {
		return nil, err
	}
	c := new(codec.Cells)
	c.Inherit(&l.of("").cells, func(name string) bool { return !slices.Contains(m.Carries, name) })
	return c, nil
}
