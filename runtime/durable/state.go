package durable

import (
	"context"
	"maps"
	"slices"

	"github.com/graphgen/graphgen/thread"
)

// StateAt returns the state of a thread after a record; 0: the last one. It needs no machine, and leaves out what is sealed.
func StateAt(ctx context.Context, s thread.Store, id string, seq uint64) (*thread.State, error) {
	l, _, records, err := loaded(ctx, s, id, seq, sealing{blind: true})
	if err != nil {
		return nil, err
	}
	return stateOf(id, l, &records[len(records)-1]), nil
}

func stateOf(id string, l *log, r *thread.Record) *thread.State {
	s := &thread.State{Thread: id, Seq: r.Seq, Time: r.Time, Run: l.run, Open: slices.Sorted(maps.Keys(l.open)), TakesBack: l.back}
	for _, place := range slices.Sorted(maps.Keys(l.runs)) {
		cells := &l.runs[place].cells
		if !l.runs[place].hasSteps() {
			continue
		}
		c := thread.Change{Ended: true}
		position(&c, cells)
		run := thread.RunState{
			At: place, Shape: text(cells, shapeCell), Node: c.Node, Ended: c.Ended, Transition: c.Transition, Next: c.Next,
			Failed: text(cells, ".failed"), Path: listOf(cells.Value(".path")),
		}
		for _, name := range slices.Sorted(cells.Names()) {
			if isField(name) {
				run.Fields = append(run.Fields, thread.Value{Name: name, JSON: cells.Value(name)})
			}
		}
		s.Runs = append(s.Runs, run)
	}
	s.Ended = text(&l.of("").cells, endedCell)
	return s
}
