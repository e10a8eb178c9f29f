package speech

import (
	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/serve"
)

// Waiting is what the run of a thread waits for, for a caller who may answer.
type Waiting struct {
	Thread, Run string
	Requests    []graphgen.Request
}

// Open opens a thread, and returns what its run waits for.
func Open(c *serve.Call, thread string) (*Waiting, error) {
	if err := c.OpenThread(thread); err != nil {
		return nil, err
	}
	requests, err := c.Requests()
	if err != nil {
		return nil, err
	}
	run, err := c.CurrentRun()
	if err != nil {
		return nil, err
	}
	return &Waiting{thread, run, requests}, nil
}

// Has reports whether a call is of the run: the same thread has other calls of earlier runs.
func (w *Waiting) Has(call Call) bool { return call.Thread == w.Thread && call.Run == w.Run }

// ID returns the text that names a request.
func (w *Waiting) ID(q *graphgen.Request) string { return Call{w.Thread, w.Run, q.ID}.String() }

// Find returns the open request that the text of a call names, nil if it names another one.
func (w *Waiting) Find(text string) *graphgen.Request {
	call, ok := ParseCall(text)
	if !ok || !w.Has(call) {
		return nil
	}
	for i := range w.Requests {
		if w.Requests[i].ID == call.Request {
			return &w.Requests[i]
		}
	}
	return nil
}
