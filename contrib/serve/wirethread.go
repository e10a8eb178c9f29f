package serve

import (
	"net/http"
	"slices"

	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
)

// What a wire reads and does with threads, besides their runs.

// A Listed is a thread of a list.
type Listed struct {
	Graph string
	thread.Info
}

// Threads returns the first threads of the tenant that a filter selects, by name. A graph that is open is the only one. The limit is at most the
// handler's Limits.Page.
func (c *Call) Threads(f thread.Filter) ([]Listed, error) {
	if err := c.may(List); err != nil {
		return nil, err
	}
	space := c.call.h.space(c.call.access.Caller)
	f.Prefix = space + f.Prefix
	if f.After != "" {
		f.After = space + f.After
	}
	if f.Limit <= 0 || f.Limit > c.call.h.o.Limits.Page {
		f.Limit = c.call.h.o.Limits.Page
	}
	page, err := c.call.page(f, f.Limit)
	for i := range page {
		page[i].Name = page[i].Name[len(space):]
		c.hide(&page[i].Info, page[i].Graph)
	}
	return page, err
}

// hide leaves out what the caller is not shown of a thread.
func (c *Call) hide(info *thread.Info, graph string) {
	info.Failure = c.call.failure(info.Failure)
	if !c.call.mayAsk(graph, info.Name) {
		info.Requests = nil
	}
	info.Requests = c.call.shownRequests(info.Requests)
}

// Info returns the thread that is open, with the requests that the caller may see.
func (c *Call) Info() (thread.Info, error) {
	if err := c.may(Read); err != nil {
		return thread.Info{}, err
	}
	info, err := c.call.graph.durable.info(c.call.r.Context(), c.call.name)
	info.Name = c.call.access.Thread
	c.hide(&info, c.call.graph.name)
	return info, err
}

// StateOf returns the last state of a thread of a list, without what clients are not shown.
func (c *Call) StateOf(t *Listed) (*thread.State, error) {
	other := &Call{call: &call{h: c.call.h, r: c.call.r, rt: c.call.rt, access: Access{Caller: c.call.access.Caller}}}
	if err := other.OpenGraph(t.Graph); err != nil {
		return nil, err
	}
	if err := other.OpenThread(t.Name); err != nil {
		return nil, err
	}
	return other.StateAt(0)
}

// Seq returns the number of the last record of the thread that is open.
func (c *Call) Seq() uint64 { return c.call.head.Seq }

// StateAt returns the state of the thread that is open after a record, without what clients are not shown; 0 is the last one.
func (c *Call) StateAt(seq uint64) (*thread.State, error) {
	if err := c.may(State); err != nil {
		return nil, err
	}
	s, err := durable.StateAt(c.call.r.Context(), c.call.graph.durable.store(), c.call.name, seq)
	if err != nil {
		return nil, err
	}
	return c.call.shownState(s), nil
}

// StateOfRun returns the last state of a run of the thread that is open, by the ID that clients know, without what they are not shown. The thread may have a
// later run.
func (c *Call) StateOfRun(run string) (*thread.State, error) {
	s, err := c.StateAt(0)
	if err != nil || s.Run == run || run == "" {
		return s, err
	}
	last, err := c.call.lastStepOf(c.call.r.Context(), func(id string) bool { return c.call.shownRun(id) == run })
	if err != nil || last == nil {
		return s, err
	}
	return c.StateAt(last.Seq)
}

// States returns the states of the thread that is open after its last records before one, the newest first; 0 is after the last one. keep selects
// among them, by the state after the record that follows, and of what it selects there are at most limit.
func (c *Call) States(before uint64, limit int, keep func(newer, s *thread.State) bool) (list []*thread.State, _ error) {
	if err := c.may(History); err != nil {
		return nil, err
	}
	if err := c.may(State); err != nil {
		return nil, err
	}
	page := uint64(c.call.h.o.Limits.Page) // of records, of which each page is read from the first one on: keep may pass few of them
	limit = min(limit, int(page))
	var newer *thread.State
	through := c.call.head.Seq
	if before > 0 && before <= through {
		through = before - 1
		var err error
		if newer, err = c.StateAt(before); err != nil {
			return nil, err
		}
	}
	for through > 0 && len(list) < limit {
		from := through - min(through, page) + 1
		var states []*thread.State
		for s, err := range durable.Replay(c.call.r.Context(), c.call.graph.durable.store(), c.call.name, from, through) {
			if err != nil {
				return nil, err
			}
			states = append(states, c.call.shownState(s))
		}
		through = from - 1
		for _, s := range slices.Backward(states) {
			if newer != nil && newer.TakesBack > 0 && s.Seq >= newer.TakesBack {
				continue
			}
			if len(list) < limit && (newer == nil || keep(newer, s)) {
				list = append(list, s)
			}
			newer = s
		}
		if newer != nil && newer.TakesBack > 0 {
			through = min(through, newer.TakesBack-1)
		}
	}
	return list, nil
}

// shownState returns a copy of a state with what clients are shown of it.
func (c *call) shownState(s *thread.State) *thread.State {
	shown := *s
	shown.Thread, shown.Run = c.access.Thread, c.shownRun(s.Run)
	shown.Runs = slices.Clone(s.Runs)
	for i := range shown.Runs {
		v := &shown.Runs[i]
		v.Failed, v.Fields = c.failure(v.Failed), c.shown(v.At, v.Fields)
	}
	return &shown
}

// Recover continues the run of the thread that is open, which has failed, was stopped, or whose process has ended.
func (c *Call) Recover(stream, leave bool) (*Exchange, error) {
	if err := c.may(Recover); err != nil {
		return nil, err
	}
	c.call.order = c.orderOf(stream, leave)
	c.call.order.begin = c.call.graph.durable.recover(c.call.name)
	return c.begun()
}

// LastRun returns the ID of the last run of the thread that is open, and its status when the thread was opened.
func (c *Call) LastRun() (id string, _ thread.Status, _ error) {
	if err := c.may(Watch); err != nil {
		return "", 0, err
	}
	last, err := c.last()
	return c.call.shownRun(last.id), c.call.head.Status, err
}

// JoinAfter follows the run of the thread that is open, from what follows a record on.
func (c *Call) JoinAfter(seq uint64) (*Exchange, error) {
	x, err := c.Join()
	if err == nil {
		x.after = seq
	}
	return x, err
}

// Fork makes a thread that continues after a record of the one that is open.
func (c *Call) Fork(to string, seq uint64) error {
	if err := c.may(Fork); err != nil {
		return err
	}
	name, err := c.call.h.stored(c.call.access.Caller, to)
	if err == nil {
		err = c.call.mayMake(to, name)
	}
	if err != nil {
		return err
	}
	return c.call.graph.durable.fork(c.call.r.Context(), c.call.name, seq, name, nil)
}

// Delete deletes the thread that is open, which no run has.
func (c *Call) Delete() error {
	if err := c.may(Delete); err != nil {
		return err
	}
	return c.call.graph.durable.store().Delete(c.call.r.Context(), c.call.name)
}

// noContent answers that there is nothing.
func (c *call) noContent() error { return c.bytes(http.StatusNoContent, "", nil) }
