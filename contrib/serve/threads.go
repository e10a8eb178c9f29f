package serve

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/graphgen/graphgen/internal/members"
	"github.com/graphgen/graphgen/runtime/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
)

// listGraphs sends what is served.
func (c *call) listGraphs() error {
	return c.object200(http.StatusOK, func(e *codec.Encoder) {
		e.Name("graphs")
		codec.WriteList(c.h.graphs, e, func(g *Graph, e *codec.Encoder) {
			if !e.Begin() {
				return
			}
			g.writeNames(e)
			e.End()
		})
	})
}

// writeNames writes what a list has of a graph.
func (g *Graph) writeNames(e *codec.Encoder) {
	members.Text("name", g.name, e)
	if g.durable != nil {
		members.Text("graph", g.durable.graph(), e)
		members.Text("shape", g.durable.shape(), e)
	}
	e.Name("durable")
	codec.WriteBool(g.durable != nil, e)
	if g.description != nil {
		e.Name("described")
		codec.WriteBool(true, e)
	}
}

// listThreads sends a page of the threads of the tenant, by name.
func (c *call) listThreads() error {
	if name := c.query.Get("graph"); name != "" {
		if err := c.openNamed(name); err != nil {
			return err
		}
		if err := c.authorized(); err != nil { // of this graph
			return err
		}
	}
	limit, err := c.limit()
	if err != nil {
		return err
	}
	space := c.h.space(c.access.Caller)
	f := thread.Filter{Prefix: space + c.query.Get("prefix"), Limit: limit}
	if after := c.query.Get("after"); after != "" {
		f.After = space + after
	}
	if f.Status, err = statuses(c.query["status"]); err != nil {
		return err
	}
	page, err := c.page(f, limit)
	if err != nil {
		return err
	}
	return c.object200(http.StatusOK, func(e *codec.Encoder) {
		e.Name("threads")
		codec.WriteList(page, e, func(v Listed, e *codec.Encoder) {
			if e.Begin() {
				c.writeInfo(v.Graph, v.Name[len(space):], &v.Info, e)
				e.End()
			}
		})
		if len(page) == limit {
			members.Text("next", page[limit-1].Name[len(space):], e)
		}
	})
}

// page returns the first threads of the graphs that the filter selects.
func (c *call) page(f thread.Filter, limit int) (page []Listed, err error) {
	for _, g := range c.h.graphs {
		if g.durable == nil || c.graph != nil && c.graph != g {
			continue
		}
		n := 0
		for info, err := range g.durable.list(c.r.Context(), f) {
			if err != nil {
				return nil, err
			}
			page = append(page, Listed{g.name, info})
			if n++; n == limit {
				break
			}
		}
	}
	slices.SortFunc(page, func(a, b Listed) int { return strings.Compare(a.Name, b.Name) })
	return page[:min(limit, len(page))], nil
}

// limit returns the parameter limit.
func (c *call) limit() (int, error) {
	most := c.h.o.Limits.Page
	asked := c.query.Get("limit")
	if asked == "" {
		return most, nil
	}
	n, err := strconv.Atoi(asked)
	if err != nil || n < 1 {
		return 0, &Problem{Status: http.StatusBadRequest, Code: "number", Field: "limit", Detail: "It is a number from 1."}
	}
	return min(n, most), nil
}

// statuses returns the statuses of these names.
func statuses(names []string) (list []thread.Status, err error) {
	for _, name := range names {
		s := thread.New
		for s <= thread.Stopped && s.String() != name {
			s++
		}
		if s > thread.Stopped {
			return nil, &Problem{Status: http.StatusBadRequest, Code: "choice", Field: "status", Detail: "No thread has that status."}
		}
		list = append(list, s)
	}
	return list, nil
}

// writeInfo writes what lists have of a thread.
func (c *call) writeInfo(graph, name string, info *thread.Info, e *codec.Encoder) {
	members.Text("thread", name, e)
	members.Text("graph", graph, e)
	members.Text("status", info.Status.String(), e)
	e.Name("updated")
	codec.WriteTime(info.Updated, e)
	members.Text("failure", c.failure(info.Failure), e)
	if len(info.Requests) > 0 && c.mayAsk(graph, name) {
		c.writeRequests(e, info.Requests)
	}
}

// readThread sends the status of a thread, with the number of its last step.
func (c *call) readThread() error {
	info, err := c.graph.durable.info(c.r.Context(), c.name)
	if err != nil {
		return err
	}
	return c.object200(http.StatusOK, func(e *codec.Encoder) {
		c.writeInfo(c.graph.name, c.access.Thread, &info, e)
		chatjson.WriteInt("seq", int(c.head.Seq), e)
	})
}

// requests sends the open requests of a thread.
func (c *call) requests() error {
	info, err := c.graph.durable.info(c.r.Context(), c.name)
	if err != nil {
		return err
	}
	return c.object200(http.StatusOK, func(e *codec.Encoder) { c.writeRequests(e, info.Requests) })
}

// openAnswer reads an answer.
func (c *call) openAnswer() (err error) {
	if err := c.openThread(); err != nil {
		return err
	}
	if c.body, err = c.readBody(); err != nil {
		return err
	}
	c.order = &order{begin: c.graph.durable.resume(c.name, c.r.PathValue("request"), c.body, c.access.Name)}
	c.order.answered, c.order.patience = answering(c.r)
	return nil
}

// answer answers a request of a thread, whose run continues.
func (c *call) answer() error { return c.answers(c.begun) }

// recoverThread continues the run of a thread.
func (c *call) recoverThread() error {
	c.order = &order{begin: c.graph.durable.recover(c.name)}
	c.order.answered, c.order.patience = answering(c.r)
	return c.answers(c.begun)
}

// stopThread requests that the run of a thread stops.
func (c *call) stopThread() error {
	if err := c.h.stop(c.r.Context(), c.graph, c.name); err != nil {
		return err
	}
	return c.object200(http.StatusAccepted, func(e *codec.Encoder) { members.Text("thread", c.access.Thread, e) })
}

// deleteThread deletes a thread that no run has.
func (c *call) deleteThread() error {
	if err := c.graph.durable.store().Delete(c.r.Context(), c.name); err != nil {
		return err
	}
	return c.noContent()
}

// history sends a page of the steps of a thread.
func (c *call) history() error {
	after, err := number("after", c.query.Get("after"))
	if err != nil {
		return err
	}
	limit, err := c.limit()
	if err != nil {
		return err
	}
	var page []thread.Step
	for s, err := range durable.History(c.r.Context(), c.graph.durable.store(), c.name, after) {
		if err != nil {
			return err
		}
		if page = append(page, s); len(page) == limit {
			break
		}
	}
	steps := make([][]byte, len(page))
	for i := range page {
		shown := c.shownStep(page[i])
		var err error
		if steps[i], err = shown.AppendJSON(nil); err != nil {
			return err
		}
	}
	return c.object200(http.StatusOK, func(e *codec.Encoder) {
		e.Name("steps")
		codec.WriteList(steps, e, codec.WriteAny)
		if len(page) == limit {
			chatjson.WriteInt("next", int(page[limit-1].Seq), e)
		}
	})
}

// state sends the state of a thread after a step.
func (c *call) state() error {
	at, err := number("at", c.query.Get("at"))
	if err != nil {
		return err
	}
	s, err := durable.StateAt(c.r.Context(), c.graph.durable.store(), c.name, at)
	if err != nil {
		return err
	}
	return c.object200(http.StatusOK, func(e *codec.Encoder) { c.writeState(s, e) })
}

// forkThread makes a thread that continues after a step of this one, with fields that are set.
func (c *call) forkThread() error {
	given, err := c.object()
	if err != nil {
		return err
	}
	to, err := text(given, "to")
	if err != nil {
		return err
	}
	at, err := number("at", string(given["at"]))
	if err != nil {
		return err
	}
	name, err := c.h.stored(c.access.Caller, to)
	if p, ok := err.(*Problem); ok {
		p.Field = "to"
		return p
	}
	if err := c.mayMake(to, name); err != nil {
		return err
	}
	set, err := c.edits(at, given["set"])
	if err != nil {
		return err
	}
	if err := c.graph.durable.fork(c.r.Context(), c.name, at, name, set); err != nil {
		return err
	}
	if err := c.checkFork(name, set); err != nil {
		return err
	}
	c.locate(to)
	return c.object200(http.StatusCreated, func(e *codec.Encoder) { members.Text("thread", to, e) })
}

// mayMake returns the problem of a caller who may not make a fork, or of its name in the store.
func (c *call) mayMake(fork, stored string) error {
	a := c.access
	a.Thread = fork
	if err := c.allowed(a); err != nil {
		return err
	}
	return c.isFree(stored)
}

// edits returns the fields that a fork sets: fields that the state has, and that clients see.
func (c *call) edits(at uint64, data []byte) (map[string][]byte, error) {
	if data == nil {
		return nil, nil
	}
	set, err := objectOf(data)
	if err != nil {
		return nil, invalid("set", err)
	}
	if c.graph.durable.secret() {
		return nil, &Problem{
			Status: http.StatusUnprocessableEntity, Code: "sealed", Field: "set", Detail: "The fields of this graph are sealed: a fork sets none.",
		}
	}
	s, err := durable.StateAt(c.r.Context(), c.graph.durable.store(), c.name, at)
	if err != nil {
		return nil, err
	}
	has := c.graph.durable.shown("", slices.Clone(s.Runs[0].Fields))
	for field := range set {
		if !slices.ContainsFunc(has, func(v thread.Value) bool { return v.Name == field }) {
			return nil, &Problem{
				Status: http.StatusUnprocessableEntity, Code: "invalid", Field: "set." + brief(field), Detail: "The state has no such field there.",
			}
		}
	}
	return set, nil
}

// checkFork deletes a fork whose state is not of the types of the graph.
func (c *call) checkFork(name string, set map[string][]byte) error {
	if len(set) == 0 {
		return nil
	}
	err := c.graph.durable.check(c.r.Context(), name)
	if err == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.r.Context()), 10*time.Second)
	defer cancel()
	if gone := c.graph.durable.store().Delete(ctx, name); gone != nil {
		return gone
	}
	return invalid("set", err)
}
