package serve

import (
	"net/http"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
)

// Listener is what takes the events of a run, as one client gets them. What is nil is left out. An error ends the stream, and http.ErrAbortHandler cuts it.
type Listener struct {
	Begin func() error                // the first call, before any other
	Step  func(*thread.Step) error    // a saved step, of a run in a thread
	Live  func(*graphgen.Event) error // an event, as it happens
	End   func(*End) error            // the last call, unless the client is gone
}

// A Stream is a response of server-sent events.
type Stream struct {
	s     *stream
	holds bool // what is sent goes to the client when nothing follows for now
}

// Send sends an event. What is empty is left out; the data is JSON on one line.
func (s *Stream) Send(id, event string, data []byte) error {
	if s.holds {
		return s.s.add(frame(id, event, data))
	}
	return s.s.write(id, event, data)
}

// Wire events are those that a listener takes.
type wireEvents struct {
	x *Exchange
	Listener
	stream  *stream // nil: what the listener takes is not sent
	show    func(*graphgen.Event) bool
	renames renames
	begun   bool
}

func (w *wireEvents) begin() error {
	if w.begun || w.Begin == nil {
		return nil
	}
	w.begun = true
	return w.Begin()
}

func (w *wireEvents) step(of durable.Watched) error {
	if err := w.begin(); err != nil || w.Step == nil {
		return err
	}
	step := w.x.of.call.shownStep(of.Saved())
	return w.Step(&step)
}

func (w *wireEvents) live(of durable.Watched) error {
	e := *of.Live
	return w.event(&e)
}

// event gives the listener an event, if the client is shown it.
func (w *wireEvents) event(e *graphgen.Event) error {
	c := w.x.of.call
	if !w.show(e) || !c.maySee(e) {
		return nil
	}
	c.shownEvent(e, w.renames)
	if err := w.begin(); err != nil || w.Live == nil {
		return err
	}
	return w.Live(e)
}

func (w *wireEvents) rest() error {
	if w.stream == nil {
		return nil
	}
	return w.stream.flush()
}

func (w *wireEvents) ends(e *End) error {
	if err := w.begin(); err != nil {
		return err
	}
	return w.End(e)
}

func (w *wireEvents) end() error {
	if r := w.x.run; r != nil {
		return w.ends(w.x.endOf(r.out, r.err))
	}
	e, err := w.x.saved()
	if err != nil {
		return w.fail(problemOf(err))
	}
	return w.ends(e)
}

// fail ends the stream with a problem.
func (w *wireEvents) fail(p *Problem) error {
	status := statusFailed
	if p.Code == drained.Code {
		status = statusHandedOn
	}
	if p.cause != nil {
		w.x.of.Report(p.cause)
	}
	return w.ends(&End{Status: status, Problem: p})
}

func (w *wireEvents) gap() error {
	return w.fail(&Problem{Status: http.StatusGone, Code: "gap", Detail: "The steps after that number are not kept."})
}
