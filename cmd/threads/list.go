package threads

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/spec/escape"
	"github.com/graphgen/graphgen/thread"
)

// A selection is the threads that flags select.
type selection struct {
	Graph  string   `placeholder:"NAME" help:"Only threads of this graph."`
	Status []string `placeholder:"STATUS" help:"Only threads of this status: running, paused, completed, failed or stopped; several with commas."`
	Prefix string   `placeholder:"TEXT" help:"Only threads whose names begin with this."`
}

// filter returns the filter of the flags.
func (s *selection) filter() (thread.Filter, error) {
	f := thread.Filter{Graph: s.Graph, Prefix: s.Prefix}
	for _, name := range s.Status {
		status := thread.Running
		for status <= thread.Stopped && status.String() != name {
			status++
		}
		if status > thread.Stopped {
			return f, fmt.Errorf("-status %s: a thread is running, paused, completed, failed or stopped", name)
		}
		f.Status = append(f.Status, status)
	}
	return f, nil
}

type listVerb struct {
	Store string `arg:"" help:"The URL of the store, such as file:threads."`
	selection
	Lost bool `help:"Only threads without a lease; with -status running, the ones whose process has ended."`
	JSON bool `name:"json" help:"Write JSON, a line for each thread."`
}

func (listVerb) Help() string {
	return `Each line has the name of a thread, its graph, its status, the number and the time of its last record, and what it waits
for or why it failed. A running thread without a lease is lost: its process has ended, and Recover continues it.

Examples:

  graphgen threads list file:threads
  graphgen threads list -status paused -graph letter file:threads
  graphgen threads list -status running -lost file:threads
`
}

// Run lists threads.
func (v *listVerb) Run(ctx context.Context, c *Command) error {
	f, err := v.filter()
	if err != nil {
		return err
	}
	f.Unleased = v.Lost
	return c.with(ctx, v.Store, func(s thread.Store) error {
		var lines strings.Builder
		table := tabwriter.NewWriter(&lines, 0, 4, 2, ' ', 0)
		for h, err := range thread.All(ctx, s, f) {
			if err != nil {
				return err
			}
			if v.JSON {
				if err := writeJSON(c.Data, headOf(&h)); err != nil {
					return err
				}
				continue
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\t%s\n", escape.Word(h.Thread), escape.Word(h.Graph), status(&h), h.Seq,
				moment(h.Updated), cut(about(&h), 80))
		}
		if err := table.Flush(); err != nil {
			return err
		}
		for line := range strings.Lines(lines.String()) {
			if _, err := fmt.Fprintln(c.Out, strings.TrimRight(line, " \n")); err != nil {
				return err
			}
		}
		return nil
	})
}

// status returns the status of a thread for people.
func status(h *thread.Head) string {
	switch {
	case h.Stop && !h.Status.Ended():
		return h.Status.String() + ", to stop"
	case h.Status == thread.Running && h.Until.IsZero(), h.Status == thread.Running && !h.Held(time.Now()):
		return "running, lost"
	}
	return h.Status.String()
}

// about returns what a thread waits for, or why it failed, on one line.
func about(h *thread.Head) string {
	t, err := durable.InfoOf(h)
	switch {
	case err != nil:
		return "its summary cannot be read: " + escape.Visible(err.Error())
	case len(t.Requests) > 0:
		q := t.Requests[0]
		line := escape.Visible(q.Where.Node + ": " + ask(&q))
		if more := len(t.Requests) - 1; more > 0 {
			line += fmt.Sprintf(" (and %d more)", more)
		}
		return line
	}
	return escape.Visible(t.Failure)
}

// ask returns what a request asks.
func ask(q *graphgen.Request) string {
	if q.Question == "" && q.Tool != "" {
		return q.Tool + " " + q.Arguments
	}
	return strings.TrimSpace(q.Question)
}

// cut returns a text with at most n characters.
func cut(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}

func moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.DateTime)
}

// head is a thread.Head as JSON.
type head struct {
	Thread  string     `json:"thread"`
	Graph   string     `json:"graph"`
	Shape   string     `json:"shape,omitempty"`
	Status  string     `json:"status"`
	Seq     uint64     `json:"seq"`
	Created *time.Time `json:"created,omitempty"`
	Updated *time.Time `json:"updated,omitempty"`
	Expires *time.Time `json:"expires,omitempty"`
	Stop    bool       `json:"stop,omitempty"`
	Held    *time.Time `json:"held_until,omitempty"`
	payload
}

func headOf(h *thread.Head) head {
	return head{
		h.Thread, h.Graph, h.Shape, h.Status.String(), h.Seq, optional(h.Created), optional(h.Updated), optional(h.Expires), h.Stop, optional(h.Until),
		payloadOf(h.Summary),
	}
}

func optional(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// writeJSON writes a line.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
