package golden_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/golden/carry"
	"github.com/graphgen/graphgen/thread"
	"github.com/graphgen/graphgen/thread/filestore"
)

// A counter answers customers. Its model answers with how many messages it was shown, after a call of its tool.
type counter struct {
	cards []string // that count was given
	fails bool     // count fails
	ends  func()   // in count, the process ends; nil: it does not
}

func (*counter) Order(context.Context, carry.HelpdeskOrderArgs) (string, error) { return "sent", nil }

func (d *counter) Count(ctx context.Context, in carry.HelpdeskCountIn) (carry.HelpdeskCountOut, error) {
	d.cards = append(d.cards, in.Card)
	if d.ends != nil {
		d.ends()
		<-ctx.Done()
		return carry.HelpdeskCountOut{}, context.Cause(ctx)
	}
	if d.fails {
		return carry.HelpdeskCountOut{}, errors.New("no pen")
	}
	if strings.HasPrefix(in.Message, "card ") {
		in.Card = in.Message
	}
	return carry.HelpdeskCountOut{Turns: 1, Card: in.Card, Mark: "marked"}, nil
}

func (d *counter) desk(t *testing.T, set thread.Settings) *carry.Helpdesk {
	t.Helper()
	model := chat.ModelFunc(func(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
		said := chat.Message{Role: chat.RoleAssistant, Text: "shown " + strconv.Itoa(len(req.Messages))}
		if req.Messages[len(req.Messages)-1].Role == chat.RoleUser {
			said.Calls = []chat.ToolCall{{ID: "1", Name: "order", Arguments: `{"number":7}`}}
		}
		return &chat.Response{Message: said, Finish: chat.Stop}, nil
	})
	set.Seal = keys(t, "k")
	m, err := carry.NewHelpdesk(d, d, model, thread.With(set))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestCarry holds that the next run of a thread begins with what the fields with carry had at the end of the last one, in
// another process too, and with the defaults of the others.
func TestCarry(t *testing.T) {
	for name, mode := range map[string]thread.Mode{"every step": thread.EveryStep, "async": thread.Async, "at pauses": thread.AtPauses} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			d := new(counter)
			for turn, message := range []string{"card " + secretMark, "hello", "card 2", "bye"} {
				store, err := filestore.Open(folder)
				if err != nil {
					t.Fatal(err)
				}
				m := d.desk(t, thread.Settings{Store: store, Mode: mode})
				out, err := m.Thread("t").Start(t.Context(), carry.HelpdeskInput{Message: message})
				// The request has four messages of each turn before, and three of this one.
				if want := "shown " + strconv.Itoa(4*turn+3); err != nil || out.Reply != want || out.Turns != turn+1 {
					t.Errorf("turn %d ends with %+v, want %s, %v", turn, out, want, err)
				}
				state, err := m.Thread("t").StateAt(t.Context(), 0)
				if err != nil || len(state.Talk) != 4*turn+4 || state.Talk[4*turn].Text != message {
					t.Errorf("the conversation has %d messages, %v", len(state.Talk), err)
				}
				if err := store.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if want := []string{"", "card " + secretMark, "card " + secretMark, "card 2"}; !slices.Equal(d.cards, want) {
				t.Errorf("the cards are %q, want %q", d.cards, want)
			}
			leaks(t, folder)
		})
	}
}

// TestCarryOfFailedRun holds that a run begins with what a failed run has saved, and that a run that is killed goes on with what it
// began with.
func TestCarryOfFailedRun(t *testing.T) {
	store := thread.NewMemory()
	d := new(counter)
	m := d.desk(t, thread.Settings{Store: store})
	turn := func() (carry.HelpdeskOutput, error) {
		return m.Thread("t").Start(t.Context(), carry.HelpdeskInput{Message: "hello"})
	}
	if _, err := turn(); err != nil {
		t.Fatal(err)
	}
	d.fails = true
	if _, err := turn(); err == nil {
		t.Fatal("the run did not fail")
	}
	out, err := m.Thread("t").Recover(t.Context())
	if err == nil {
		t.Fatalf("the run ended with %+v", out)
	}
	d.fails = false
	out, err = turn() // its conversation has the turn of the failed run, whose node answer had ended
	if err != nil || out.Reply != "shown 11" || out.Turns != 2 {
		t.Errorf("the run ends with %+v, %v", out, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = m.Thread("t").Start(ctx, carry.HelpdeskInput{Message: "hello"}, graphgen.WithObserver(func(e graphgen.Event) {
		if e.Kind == graphgen.ModelEnd {
			cancel()
		}
	}))
	if head := statusOf(t, store, "t"); err == nil || head.Status != thread.Running {
		t.Fatalf("the thread is %v, %v", head.Status, err)
	}
	if out, err = m.Thread("t").Recover(t.Context()); err != nil || out.Reply != "shown 15" || out.Turns != 3 {
		t.Errorf("the run ends with %+v, %v", out, err)
	}
}

// TestCarryWithin holds that a run within another one begins without what is carried, and that a run without a thread does.
func TestCarryWithin(t *testing.T) {
	d := new(counter)
	set := thread.Settings{Store: thread.NewMemory()}
	inner := d.desk(t, set)
	m, err := carry.NewDesk(inner, thread.With(thread.Settings{Store: set.Store, Seal: keys(t, "k")}))
	if err != nil {
		t.Fatal(err)
	}
	for turn := 1; turn <= 3; turn++ {
		out, err := m.Thread("t").Start(t.Context(), carry.DeskInput{Message: "hello"})
		if err != nil || out.Turns != 1 || len(out.Replies) != turn || out.Replies[turn-1] != "shown 3" {
			t.Errorf("run %d ends with %+v, %v", turn, out, err)
		}
		alone, err := inner.Run(t.Context(), carry.HelpdeskInput{Message: "hello"})
		if err != nil || alone.Turns != 1 || alone.Reply != "shown 3" {
			t.Errorf("a run without a thread ends with %+v, %v", alone, err)
		}
	}
}
