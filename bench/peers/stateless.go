package peers

import (
	"context"

	"github.com/qmuntal/stateless"
)

// newStateless returns runs of one machine of qmuntal/stateless. The work of a state is done on its entry. The machine
// has its state outside, as its documentation shows for state that is stored: it is set back before each run, and no two
// runs are concurrent.
func newStateless() program {
	var current int
	var state stateless.State = "start"
	machine := stateless.NewStateMachineWithExternalStorage(
		func(context.Context) (stateless.State, error) { return state, nil },
		func(_ context.Context, next stateless.State) error { state = next; return nil },
		stateless.FiringQueued,
	)
	last := "start"
	for i := range nodes {
		machine.Configure(last).Permit("next", name(i))
		machine.Configure(name(i)).OnEntry(func(ctx context.Context, _ ...any) (err error) {
			current, err = add(ctx, current)
			return err
		})
		last = name(i)
	}
	return func(ctx context.Context, count int) (int, error) {
		current, state = count, "start"
		for range nodes {
			if err := machine.FireCtx(ctx, "next"); err != nil {
				return current, err
			}
		}
		return current, nil
	}
}
