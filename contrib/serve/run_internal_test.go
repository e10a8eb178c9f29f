package serve

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/serve/servetest"
	"github.com/graphgen/graphgen/thread"
)

// A leaver is a shop that is left in its first step.
type leaver struct{ leave context.CancelFunc }

func (l leaver) Check(ctx context.Context, _ servetest.OrderCheckIn) (out servetest.OrderCheckOut, _ error) {
	l.leave()
	return out, context.Cause(ctx)
}

func (leaver) Pay(context.Context, servetest.OrderPayIn) (out servetest.OrderPayOut, _ error) {
	return out, nil
}

// TestSettleRecovered holds that a client that stops a run gets no error where a recovery has taken it up.
func TestSettleRecovered(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	m, err := servetest.NewOrder(leaver{leave}, thread.In(thread.NewMemory()))
	if err != nil {
		t.Fatal(err)
	}
	h, err := New(Options{Shared: true}, Durable("orders", m))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Thread("a").Start(ctx, servetest.OrderInput{Order: "A-7"}); err == nil {
		t.Fatal("the run was not left")
	}
	recovery := &run{job: job{name: "a"}}
	if err := h.register(recovery); err != nil {
		t.Fatal(err)
	}
	if err := h.stop(t.Context(), h.graphs[0], "a"); err != nil {
		t.Errorf("the stop of a run that is recovered: %v", err)
	}
	h.unregister(recovery)
	if err := h.stop(t.Context(), h.graphs[0], "a"); err != nil {
		t.Errorf("the stop: %v", err)
	}
	if head, err := headOf(t.Context(), h.graphs[0], "a"); err != nil || head.Status != thread.Stopped {
		t.Errorf("the thread is %+v, %v", head, err)
	}
}

// TestStatusOf holds that a run which the drain has ended is handed on, also where its end met an error of the store: that has it as running.
func TestStatusOf(t *testing.T) {
	c := &call{h: &Handler{o: Options{Report: func(Access, error) {}}}}
	lost := &thread.StoreError{Thread: "a", Unsaved: true, Err: io.ErrUnexpectedEOF}
	for want, err := range map[string]error{statusHandedOn: errors.Join(ErrDrained, lost), statusFailed: lost} {
		if status, p := c.statusOf(&graphgen.RunError{Reason: graphgen.Failed, Err: err}); status != want || (p == nil) != (want == statusHandedOn) {
			t.Errorf("%v: %s, %v", err, status, p)
		}
	}
}
