//go:build unix

package kill9

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/golden/pauses"
	"github.com/graphgen/graphgen/golden/transact"
	"github.com/graphgen/graphgen/internal/testing/transacts"
	"github.com/graphgen/graphgen/thread"
)

// answers are the answers of people, by node.
var answers = map[string]string{
	"lawyer": `"approve"`, "editor": `"fine"`, "lead": `"good"`, "judge": `{"content":true,"note":"fine"}`, "sign": `"approve"`,
}

// graphs make the machines of graphs: of one node that runs 15 times, with a loop and retries, with branches, with a map of
// runs of another, and with transactions.
var graphs = map[string]func(v *victim, in thread.Option) (*machine, error){
	"rounds": func(v *victim, in thread.Option) (*machine, error) {
		m, err := pauses.NewRounds(rounds{v}, in)
		return newMachine(m, err, v.Thread, pauses.RoundsInput{Topic: "otters"})
	},
	"journal": func(v *victim, in thread.Option) (*machine, error) {
		m, err := durable.NewJournal(journal{v}, in)
		return newMachine(m, err, v.Thread, durable.JournalInput{Basis: "x", Most: 15})
	},
	"panel": func(v *victim, in thread.Option) (*machine, error) {
		m, err := pauses.NewPanel(panel{v}, in)
		return newMachine(m, err, v.Thread, pauses.PanelInput{Text: "x"})
	},
	"desk": func(v *victim, in thread.Option) (*machine, error) {
		inner, err := pauses.NewPanel(panel{v})
		if err != nil {
			return nil, err
		}
		m, err := pauses.NewDesk(inner, in)
		return newMachine(m, err, v.Thread, pauses.DeskInput{Texts: []string{"a", "b"}})
	},
	payout: func(v *victim, in thread.Option) (*machine, error) {
		m, err := transact.NewPayout(transacts.Teller{Write: v.books, Closed: func(ctx context.Context) bool { return graphgen.Info(ctx).Attempt == 1 }}, in)
		return newMachine(m, err, v.Thread, transact.PayoutInput{Amounts: []int{2, 3}})
	},
}

// payout names the graph whose nodes have transactions.
const payout = "payout"

// untransacted returns the names of the other graphs.
func untransacted() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(graphs)), func(name string) bool { return name == payout })
}

// A machine makes the run of one thread. Each function returns the output as JSON.
type machine struct {
	start, recover func(context.Context) ([]byte, error)
	answer         func(context.Context, *graphgen.Pause) ([]byte, error)
	watch          watching
}

// watching is the method Watch of the thread.
type watching func(context.Context, thread.After) iter.Seq2[thread.Event, error]

func newMachine[M, I, O, S any](m interface {
	Thread(name string) thread.Thread[M, I, O, S]
}, err error, name string, in I) (*machine, error) {
	if err != nil {
		return nil, err
	}
	t := m.Thread(name)
	return &machine{
		watch:   t.Watch,
		start:   func(ctx context.Context) ([]byte, error) { return encode(t.Start(ctx, in)) },
		recover: func(ctx context.Context) ([]byte, error) { return encode(t.Recover(ctx)) },
		answer: func(ctx context.Context, p *graphgen.Pause) ([]byte, error) {
			q := p.Requests[len(p.Requests)-1]
			return encode(t.Resume(ctx, graphgen.AnswerJSON[M](q.ID, []byte(answers[q.Where.Node]))))
		},
	}, nil
}

// encode returns an output as JSON.
func encode(out any, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

// run makes the run to its end.
func (m *machine) run(ctx context.Context) ([]byte, error) {
	call := m.recover
	out, err := call(ctx)
	for range 1000 {
		p := graphgen.AsPause(err)
		switch {
		case is[*thread.NotFoundError](err):
			call = m.start
			out, err = call(ctx)
		case is[*thread.HeldError](err): // the lease of the process that was killed
			time.Sleep(lease / 20)
			out, err = call(ctx)
		case p != nil:
			out, err = m.answer(ctx, p)
		default:
			return out, err
		}
	}
	return out, err
}

type journal struct{ *victim }

func (w journal) Write(ctx context.Context, _ durable.JournalWriteIn) (durable.JournalWriteOut, error) {
	return durable.JournalWriteOut{Entries: []string{"an entry"}, Pages: 1}, w.did(ctx)
}

type rounds struct{ *victim }

func (w rounds) Write(ctx context.Context, in pauses.RoundsWriteIn) (pauses.RoundsWriteOut, error) {
	return pauses.RoundsWriteOut{Text: in.Topic, Notes: []string{"wrote " + in.Topic}}, w.did(ctx)
}

func (w rounds) Store(ctx context.Context, in pauses.RoundsStoreIn) (pauses.RoundsStoreOut, error) {
	return pauses.RoundsStoreOut{Notes: []string{"stored " + in.Text}}, w.did(ctx)
}

func (w rounds) File(ctx context.Context, in pauses.RoundsFileIn) (pauses.RoundsFileOut, error) {
	return pauses.RoundsFileOut{Notes: []string{"filed " + in.Text}}, w.did(ctx)
}

func (w rounds) GiveUp(ctx context.Context, _ pauses.RoundsGiveUpIn) (pauses.RoundsGiveUpOut, error) {
	return pauses.RoundsGiveUpOut{Notes: []string{"gave up"}}, w.did(ctx)
}

type panel struct{ *victim }

func (w panel) Prepare(ctx context.Context, in pauses.PanelPrepareIn) (pauses.PanelPrepareOut, error) {
	return pauses.PanelPrepareOut{Log: []string{"prepared " + in.Text}}, w.did(ctx)
}

func (w panel) Thank(ctx context.Context, in pauses.PanelThankIn) (pauses.PanelThankOut, error) {
	return pauses.PanelThankOut{Log: []string{"thanked for " + in.Text}}, w.did(ctx)
}

func (w panel) Check(ctx context.Context, _ pauses.PanelCheckIn) (pauses.PanelCheckOut, error) {
	return pauses.PanelCheckOut{Checked: true}, w.did(ctx)
}

func (w panel) Publish(ctx context.Context, in pauses.PanelPublishIn) (pauses.PanelPublishOut, error) {
	return pauses.PanelPublishOut{Log: []string{"published " + in.Text + ", " + in.Style}}, w.did(ctx)
}
