package engine

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/runtime/driver"
)

// A stoppedClock always has the same time.
type stoppedClock struct{ time.Time }

func (c stoppedClock) Now() time.Time { return c.Time }

func (stoppedClock) After(context.Context, time.Duration, func()) (stop func()) { return func() {} }

// TestFitsAsksTheClockOfTheDriver holds that the driver decides whether an answer is late, as it does when the answer is given. A late answer is
// valid, whatever it is.
func TestFitsAsksTheClockOfTheDriver(t *testing.T) {
	deadline := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		now   time.Time
		valid bool
	}{
		"before the deadline": {deadline.Add(-time.Hour), false},
		"after the deadline":  {deadline.Add(time.Hour), true},
	} {
		t.Run(name, func(t *testing.T) {
			machine := new(int)
			held := &held{pause: &pause{machine: machine, asked: &Settings{driver: &driver.Driver{Clock: stoppedClock{test.now}}}}}
			of := graphgen.Request{ID: "ask.1", Deadline: deadline}
			held.requests = []*request{{Request: of, pause: held.pause}}
			p := &graphgen.Pause{Requests: []graphgen.Request{of}, Origin: origin.To(held)}
			err := Fits(t.Context(), p, machine, []graphgen.Answer[int]{graphgen.AnswerJSON[int]("ask.1", []byte(`"perhaps"`))})
			if _, invalid := errors.AsType[*graphgen.AnswerError](err); invalid == test.valid {
				t.Errorf("got %v", err)
			}
		})
	}
}
