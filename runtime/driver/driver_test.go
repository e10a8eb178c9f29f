package driver_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat/scripted"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/golden/pauses"
	"github.com/graphgen/graphgen/golden/review"
	"github.com/graphgen/graphgen/runtime/driver"
	"github.com/graphgen/graphgen/thread"
)

// A clock goes on by what is waited for.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func (c *clock) After(_ context.Context, d time.Duration, f func()) func() {
	c.now = c.now.Add(d)
	f()
	return func() {}
}

// A stopped clock calls nothing.
type stopped struct{ clock }

func (*stopped) After(context.Context, time.Duration, func()) func() { return func() {} }

type names struct{ given []string }

func (n *names) RunID() string { n.given = append(n.given, "run-7"); return "run-7" }

type scheduler struct{ driver.Scheduler }

type children struct{ driver.Children }

// writer writes articles.
type writer struct{ keys []string }

func (w *writer) Draft(ctx context.Context, _ review.ReviewDraftIn) (review.ReviewDraftOut, error) {
	w.keys = append(w.keys, graphgen.IdempotencyKey(ctx))
	return review.ReviewDraftOut{}, nil
}
func (w *writer) Critic(context.Context, review.ReviewCriticIn) (review.Verdict, error) {
	return review.Verdict{Score: 5}, nil
}
func (w *writer) Publish(context.Context, review.ReviewPublishIn) error { return nil }

// TestWith holds that a run has the time and the ID of its driver.
func TestWith(t *testing.T) {
	var w writer
	m, err := review.NewReview(&w)
	if err != nil {
		t.Fatal(err)
	}
	c, n := &clock{time.Date(2031, 2, 3, 4, 5, 6, 7, time.UTC)}, new(names)
	var events []graphgen.Event
	observe := graphgen.WithObserver(func(e graphgen.Event) { events = append(events, e) })
	if _, err := m.Run(t.Context(), review.ReviewInput{}, observe, driver.With(driver.Driver{Clock: c, IDs: n})); err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if !e.Time.Equal(c.now) || e.Run.ID != "run-7" {
			t.Errorf("%s is at %s in the run %s", e.Kind, e.Time, e.Run.ID)
		}
	}
	if len(n.given) != 1 || len(w.keys) != 1 || w.keys[0] != "run-7/1" {
		t.Errorf("%d IDs were made, the keys are %q", len(n.given), w.keys)
	}
}

// TestRefused holds which drivers a run cannot have.
func TestRefused(t *testing.T) {
	m, err := review.NewReview(new(writer))
	if err != nil {
		t.Fatal(err)
	}
	for why, d := range map[string]driver.Driver{
		"a Scheduler needs a Clock": {Scheduler: scheduler{}},
		"Children need a Scheduler": {Clock: new(clock), Children: children{}},
	} {
		_, err = m.Run(t.Context(), review.ReviewInput{}, driver.With(d))
		if e, ok := errors.AsType[*graphgen.ConfigError](err); !ok || e.Why != why {
			t.Errorf("the error is %v, want %q", err, why)
		}
	}
	clerk, err := durable.NewClerk(struct{ durable.ClerkHandlers }{}, struct{ durable.ClerkTools }{}, scripted.New(), thread.In(thread.NewMemory()))
	if err == nil {
		_, err = clerk.Thread("t").Start(t.Context(), durable.ClerkInput{}, driver.With(driver.Driver{}))
	}
	if e, ok := errors.AsType[*graphgen.ConfigError](err); !ok || e.Option != "driver.With" {
		t.Errorf("a thread with a driver gives %v", err)
	}
}

// TestWithTimeoutCause holds that contexts end as those of package context do.
func TestWithTimeoutCause(t *testing.T) {
	late, gone := errors.New("late"), errors.New("gone")
	var fire []func()
	c := manual{after: func(f func()) { fire = append(fire, f) }}
	outer, cancelOuter := driver.WithTimeoutCause(t.Context(), c, time.Hour, late)
	defer cancelOuter()
	inner, cancelInner := driver.WithCancelCause(outer)
	defer cancelInner(nil)
	if end, ok := inner.Deadline(); !ok || !end.Equal(time.Unix(3600, 0)) || inner.Err() != nil {
		t.Errorf("it ends at %s, %v", end, inner.Err())
	}
	other, cancelOther := driver.WithTimeoutCause(inner, c, time.Minute, gone)
	defer cancelOther()
	fire[0]()
	for _, ctx := range []context.Context{outer, inner, other} {
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) || context.Cause(ctx) != late {
			t.Errorf("it ends with %v, %v", ctx.Err(), context.Cause(ctx))
		}
	}
	alone, cancel := driver.WithCancelCause(t.Context())
	cancel(gone)
	if !errors.Is(alone.Err(), context.Canceled) || context.Cause(alone) != gone {
		t.Errorf("it ends with %v, %v", alone.Err(), context.Cause(alone))
	}
	if ctx, _ := driver.WithTimeoutCause(t.Context(), c, 0, late); !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Errorf("a timeout of nothing gives %v", ctx.Err())
	}
}

// manual is a clock whose timers a test fires.
type manual struct{ after func(f func()) }

func (manual) Now() time.Time { return time.Unix(0, 0) }

func (m manual) After(_ context.Context, _ time.Duration, f func()) func() {
	m.after(f)
	return func() {}
}

// panelists review texts.
type panelists struct{ pauses.PanelHandlers }

func (panelists) Prepare(context.Context, pauses.PanelPrepareIn) (pauses.PanelPrepareOut, error) {
	return pauses.PanelPrepareOut{}, nil
}
func (panelists) Check(context.Context, pauses.PanelCheckIn) (pauses.PanelCheckOut, error) {
	return pauses.PanelCheckOut{}, nil
}
func (panelists) Thank(context.Context, pauses.PanelThankIn) (pauses.PanelThankOut, error) {
	return pauses.PanelThankOut{}, nil
}

// TestWithAfterAPause holds that the driver of a call that resumes a run drives its child runs too, those that began before it, and that the
// report has a time for all of the run.
func TestWithAfterAPause(t *testing.T) {
	panel, err := pauses.NewPanel(panelists{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := pauses.NewDesk(panel)
	if err != nil {
		t.Fatal(err)
	}
	var report graphgen.Report
	_, err = m.Run(t.Context(), pauses.DeskInput{Texts: []string{"a"}}, graphgen.WithReport(&report))
	p := graphgen.AsPause(err)
	c, seen := &stopped{clock{time.Now().Add(time.Hour)}}, 0
	observe := graphgen.WithObserver(func(e graphgen.Event) {
		if seen++; !e.Time.Equal(c.now) {
			t.Errorf("%s of %s is at %s", e.Kind, e.Run.Graph, e.Time)
		}
	})
	answer := graphgen.AnswerJSON[pauses.Desk]("0/law/panel.1/lawyer.1", []byte(`"approve"`))
	_, err = m.Resume(t.Context(), p, answer, observe, graphgen.WithReport(&report), driver.With(driver.Driver{Clock: c}))
	if graphgen.AsPause(err) == nil {
		t.Fatal(err)
	}
	if took := report.Detail.Duration; took < 0 || took > time.Minute { // without the pause, which took an hour
		t.Errorf("the run took %s", took)
	}
	if seen == 0 {
		t.Error("no events")
	}
}
