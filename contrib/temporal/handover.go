package temporal

import (
	"context"
	"encoding/json"

	"go.temporal.io/sdk/workflow"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/durable"
)

// A history that grows too long is continued as a new one: between two steps of the run, the workflow hands the run over to another workflow with its ID.

// handed is what a workflow hands over.
type handed struct {
	sent         // the image of the run, in JSON
	Release int  `json:"release,omitempty"`
	Stop    bool `json:"stop,omitempty"` // a stop was requested meanwhile
}

// WithHistory sets how many events a history has at most, with those that the next step may add; the default is 10,000. Temporal warns of more than
// 10,240 events, and ends workflows of 51,200. A history is also continued as a new one where the server suggests it, as it does for one with many
// bytes. Graphs with durable: true do that.
func WithHistory(events int) Option {
	return func(s *settings) {
		if events > 0 {
			s.events = events
		}
	}
}

// historyEvents is the default of WithHistory.
const historyEvents = 10_000

// A handover is how a run is handed over.
type handover struct {
	from  *handed // nil: the workflow begins the run
	relay *durable.Relay
}

// isHandedOver reports whether the run continues in another workflow. Observers do not get that it ends here then.
func (h *handover) isHandedOver() bool { return h != nil && h.relay != nil && h.relay.Image() != nil }

// relayed returns the options of a run that can be handed over, instead of its own. An image that the machine cannot load fails the workflow task, so that
// the workflow waits for a worker that can.
func (r *run[M, I, O, S]) relayed(ctx context.Context, opts []graphgen.RunOption) []graphgen.RunOption {
	switch {
	case r.handover == nil:
		return opts
	case r.graph.methods.Durable == nil && r.from == nil:
		return opts
	}
	r.host.do(ctx, func(w workflow.Context) {
		if r.graph.methods.Durable == nil {
			panic("the run was handed over by a graph with durable: true, and this machine has no threads")
		}
		var image []byte
		if from := r.from; from != nil {
			if from.Stop {
				r.stopper.Stop()
			}
			var values []json.RawMessage
			r.stores(w, func() (err error) { values, err = r.set.unpack(context.Background(), from.sent); return err })
			image = values[0]
		}
		var err error
		if r.relay, err = r.graph.methods.Durable().Relay(r.RunID(), image, r.due, opts); err != nil {
			panic(err)
		}
	})
	return []graphgen.RunOption{r.relay.Option()}
}

// due reports whether the history is to be continued as a new one.
func (r *run[M, I, O, S]) due() bool {
	if r.stopper.Requested() || r.ctx.Err() != nil || len(r.open) > 0 { // Temporal ends child workflows with their parent
		return false
	}
	info, most, step := workflow.GetInfo(r.root), r.set.events, r.graph.methods.Events
	if step == 0 {
		step = most / 2
	}
	return info.GetCurrentHistoryLength()+step > most || info.GetContinueAsNewSuggested()
}

// next returns the error that continues the history as a new one.
func (r *run[M, I, O, S]) next() error {
	next := &handed{Release: r.release, Stop: r.stopper.Requested()}
	err := unwatched(r.root, func() (err error) {
		next.sent, err = r.set.pack(context.Background(), []json.RawMessage{r.relay.Image()})
		return err
	})
	if err != nil {
		panic(err)
	}
	return workflow.NewContinueAsNewError(r.outer, r.name, json.RawMessage("null"), next)
}
