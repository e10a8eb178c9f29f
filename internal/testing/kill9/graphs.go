//go:build unix

package kill9

import (
	"context"
	"encoding/json"

	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/golden/pauses"
	"github.com/graphgen/graphgen/runtime/thread"
)

// answers are those of people, by node.
var answers = map[string]string{
	"lawyer": `"approve"`, "editor": `"fine"`, "lead": `"good"`, "judge": `{"content":true,"note":"fine"}`, "sign": `"approve"`,
}

// graphs make the machines of four graphs: of one node that runs 15 times, with a loop and retries, with branches, and with a map of
// runs of another.
var graphs = map[string]func(v *victim, name string) (*machine, error){
	"rounds": func(v *victim, name string) (*machine, error) {
		m, err := pauses.NewRounds(rounds{v}, thread.With(thread.Settings{Store: v, Lease: lease}))
		return &machine{
			watch: m.Watch,
			start: func(ctx context.Context) ([]byte, error) {
				return encode(m.Start(ctx, name, pauses.RoundsInput{Topic: "otters"}))
			},
			recover: func(ctx context.Context) ([]byte, error) { return encode(m.Recover(ctx, name)) },
			answer: func(ctx context.Context, id string, a []byte) ([]byte, error) {
				return encode(m.Answer(ctx, m.Thread(name), id, a))
			},
		}, err
	},
	"journal": func(v *victim, name string) (*machine, error) {
		m, err := durable.NewJournal(journal{v}, thread.With(thread.Settings{Store: v, Lease: lease}))
		return &machine{
			watch: m.Watch,
			start: func(ctx context.Context) ([]byte, error) {
				return encode(m.Start(ctx, name, durable.JournalInput{Basis: "x", Most: 15}))
			},
			recover: func(ctx context.Context) ([]byte, error) { return encode(m.Recover(ctx, name)) },
		}, err
	},
	"panel": func(v *victim, name string) (*machine, error) {
		m, err := pauses.NewPanel(panel{v}, thread.With(thread.Settings{Store: v, Lease: lease}))
		return &machine{
			watch: m.Watch,
			start: func(ctx context.Context) ([]byte, error) {
				return encode(m.Start(ctx, name, pauses.PanelInput{Text: "x"}))
			},
			recover: func(ctx context.Context) ([]byte, error) { return encode(m.Recover(ctx, name)) },
			answer: func(ctx context.Context, id string, a []byte) ([]byte, error) {
				return encode(m.Answer(ctx, m.Thread(name), id, a))
			},
		}, err
	},
	"desk": func(v *victim, name string) (*machine, error) {
		inner, err := pauses.NewPanel(panel{v})
		if err != nil {
			return nil, err
		}
		m, err := pauses.NewDesk(inner, thread.With(thread.Settings{Store: v, Lease: lease}))
		return &machine{
			watch: m.Watch,
			start: func(ctx context.Context) ([]byte, error) {
				return encode(m.Start(ctx, name, pauses.DeskInput{Texts: []string{"a", "b"}}))
			},
			recover: func(ctx context.Context) ([]byte, error) { return encode(m.Recover(ctx, name)) },
			answer: func(ctx context.Context, id string, a []byte) ([]byte, error) {
				return encode(m.Answer(ctx, m.Thread(name), id, a))
			},
		}, err
	},
}

// encode returns an output as JSON.
func encode(out any, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

type journal struct{ *victim }

func (w journal) Write(ctx context.Context, _ durable.JournalWriteIn) (durable.JournalWriteOut, error) {
	w.did(ctx)
	return durable.JournalWriteOut{Entries: []string{"an entry"}, Pages: 1}, nil
}

type rounds struct{ *victim }

func (w rounds) Write(ctx context.Context, in pauses.RoundsWriteIn) (pauses.RoundsWriteOut, error) {
	w.did(ctx)
	return pauses.RoundsWriteOut{Text: in.Topic, Notes: []string{"wrote " + in.Topic}}, nil
}

func (w rounds) Store(ctx context.Context, in pauses.RoundsStoreIn) (pauses.RoundsStoreOut, error) {
	w.did(ctx)
	return pauses.RoundsStoreOut{Notes: []string{"stored " + in.Text}}, nil
}

func (w rounds) File(ctx context.Context, in pauses.RoundsFileIn) (pauses.RoundsFileOut, error) {
	w.did(ctx)
	return pauses.RoundsFileOut{Notes: []string{"filed " + in.Text}}, nil
}

func (w rounds) GiveUp(ctx context.Context, _ pauses.RoundsGiveUpIn) (pauses.RoundsGiveUpOut, error) {
	w.did(ctx)
	return pauses.RoundsGiveUpOut{Notes: []string{"gave up"}}, nil
}

type panel struct{ *victim }

func (w panel) Prepare(ctx context.Context, in pauses.PanelPrepareIn) (pauses.PanelPrepareOut, error) {
	w.did(ctx)
	return pauses.PanelPrepareOut{Log: []string{"prepared " + in.Text}}, nil
}

func (w panel) Thank(ctx context.Context, in pauses.PanelThankIn) (pauses.PanelThankOut, error) {
	w.did(ctx)
	return pauses.PanelThankOut{Log: []string{"thanked for " + in.Text}}, nil
}

func (w panel) Check(ctx context.Context, _ pauses.PanelCheckIn) (pauses.PanelCheckOut, error) {
	w.did(ctx)
	return pauses.PanelCheckOut{Checked: true}, nil
}

func (w panel) Publish(ctx context.Context, in pauses.PanelPublishIn) (pauses.PanelPublishOut, error) {
	w.did(ctx)
	return pauses.PanelPublishOut{Log: []string{"published " + in.Text + ", " + in.Style}}, nil
}
