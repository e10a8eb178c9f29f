package peers

import (
	"context"

	"github.com/looplab/fsm"
)

// newFSM returns runs of one machine of looplab/fsm. The work of a state is the callback that enters it. The machine
// has the state of its run: it is set back before each run, and no two runs are concurrent.
func newFSM() program {
	var current int
	events := fsm.Events{}
	callbacks := fsm.Callbacks{}
	last := "start"
	for i := range nodes {
		events = append(events, fsm.EventDesc{Name: "next", Src: []string{last}, Dst: name(i)})
		callbacks["enter_"+name(i)] = func(ctx context.Context, e *fsm.Event) {
			current, e.Err = add(ctx, current)
		}
		last = name(i)
	}
	machine := fsm.NewFSM("start", events, callbacks)
	return func(ctx context.Context, count int) (int, error) {
		current = count
		machine.SetState("start")
		for range nodes {
			if err := machine.Event(ctx, "next"); err != nil {
				return current, err
			}
		}
		return current, nil
	}
}
