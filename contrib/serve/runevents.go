package serve

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/graphgen/graphgen/internal/runevents"
	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
)

// runPage is how many steps a page of events has: most runs have fewer.
const runPage = 1000

// A runCursor is where a page of the events of a run ends.
type runCursor struct {
	name         string // of the thread in the store
	begin, after uint64 // the first step of the run, and the last one of the page
}

// runSeries are what makes steps into events, by where the last page ended: the next page of a long run need not begin with its first step.
type runSeries struct {
	mu   sync.Mutex
	list []keptSeries // the last one is the youngest
}

type keptSeries struct {
	runCursor
	until time.Time
	of    *runevents.Series
}

const (
	mostSeries = 16
	seriesLife = time.Minute // a thread of that name may be another one then
)

// take removes and returns the series whose last page ended at a cursor, or nil.
func (s *runSeries) take(at runCursor, now time.Time) *runevents.Series {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = slices.DeleteFunc(s.list, func(k keptSeries) bool { return now.After(k.until) })
	for i, k := range s.list {
		if k.runCursor == at {
			s.list = slices.Delete(s.list, i, i+1)
			return k.of
		}
	}
	return nil
}

func (s *runSeries) keep(at runCursor, of *runevents.Series, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.list) == mostSeries {
		s.list = slices.Delete(s.list, 0, 1)
	}
	s.list = append(s.list, keptSeries{at, now.Add(seriesLife), of})
}

// runEvents sends a page of the last run of a thread as events, which its steps are made into.
func (c *call) runEvents() error {
	if !c.h.o.Details {
		return &Problem{
			Status: http.StatusNotFound, Code: "no_events", Field: "thread",
			Detail: "Events of saved steps are for developers: the server needs Details.",
		}
	}
	at := runCursor{name: c.name}
	limit, err := c.limit()
	if err == nil {
		at.begin, err = number("begin", c.query.Get("begin"))
	}
	if err == nil {
		at.after, err = number("after", c.query.Get("after"))
	}
	if err != nil {
		return err
	}
	if c.query.Get("limit") == "" {
		limit = runPage
	}
	info, err := c.graph.durable.info(c.r.Context(), c.name)
	if err != nil {
		return err
	}
	if at.begin == 0 {
		last, err := c.placeOf("")
		if err != nil {
			return err
		}
		at.begin = max(1, last.begin)
	}
	at.after = max(at.after, at.begin-1)
	series, err := c.seriesAt(at)
	if err != nil {
		return err
	}
	steps, more, err := c.runSteps(at, at.after, limit)
	if err != nil {
		return err
	}
	var asked []runevents.Asked
	if !more && c.mayAsk(c.graph.name, c.access.Thread) {
		if asked, err = runevents.Requests(info.Requests); err != nil {
			return err
		}
	}
	page := struct {
		Seq    uint64            `json:"seq"` // of the last step
		Begin  uint64            `json:"begin"`
		Next   uint64            `json:"next,omitempty"` // there is more after this step
		Events []runevents.Event `json:"events"`
	}{at.after, at.begin, 0, append([]runevents.Event{}, series.Next(steps, asked)...)}
	if len(steps) > 0 {
		page.Seq = steps[len(steps)-1].Seq
	}
	if more {
		page.Next, at.after = page.Seq, page.Seq
		c.h.series.keep(at, series, c.h.o.Clock.Now())
	}
	data, err := json.Marshal(page)
	if err != nil {
		return err
	}
	return c.bytes(http.StatusOK, "application/json", data)
}

// seriesAt returns what makes the steps after a cursor into events: kept since the page before, or made of all steps until there.
func (c *call) seriesAt(at runCursor) (*runevents.Series, error) {
	if of := c.h.series.take(at, c.h.o.Clock.Now()); of != nil {
		return of, nil
	}
	of := runevents.NewSeries(c.graph.name)
	for after := at.begin - 1; after < at.after; {
		steps, more, err := c.runSteps(at, after, int(min(runPage, at.after-after)))
		if err != nil {
			return nil, err
		}
		if len(steps) > 0 {
			of.Next(steps, nil)
			after = steps[len(steps)-1].Seq
		}
		if !more {
			break
		}
	}
	return of, nil
}

// runSteps returns steps of a run, as clients see them, and whether it has further ones.
func (c *call) runSteps(at runCursor, after uint64, limit int) (steps []thread.Step, more bool, err error) {
	for s, err := range durable.History(c.r.Context(), c.graph.durable.store(), c.name, after) {
		switch {
		case err != nil:
			return nil, false, err
		case s.Run != "" && s.Seq > at.begin: // of another run
			return steps, false, nil
		case len(steps) == limit:
			return steps, true, nil
		}
		steps = append(steps, c.shownStep(s))
	}
	return steps, false, nil
}
