package threads

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/spec/escape"
	"github.com/graphgen/graphgen/thread"
)

type showVerb struct {
	Store  string `arg:"" help:"The URL of the store, such as file:threads."`
	Thread string `arg:"" help:"The name of the thread."`
	At     uint64 `placeholder:"SEQ" help:"Show the state after this record; the last one without it."`
	Last   int    `default:"30" help:"How many records to list at most; 0: all."`
}

func (showVerb) Help() string {
	return `It shows the open requests with their questions, a line for each record, and the state as JSON, also of child
runs that have not ended.

A line has the number and the time of the record; the nodes that ended, with the transition and the next node; the nodes
in progress; and the fields that were written. Names of child runs begin with their place, such as /each.0 for branch 0 of
the node each.

Examples:

  graphgen threads show file:threads letter-7
  graphgen threads show -at 12 file:threads letter-7
`
}

// Run shows a thread.
func (v *showVerb) Run(ctx context.Context, c *Command) error {
	return c.with(ctx, v.Store, func(s thread.Store) error {
		h, _, err := s.Load(ctx, v.Thread, 0)
		if err != nil {
			return err
		}
		at, err := durable.StateAt(ctx, s, v.Thread, v.At)
		if err != nil {
			return err
		}
		fmt.Fprintf(c.Out, "%s: graph %s, %s, %d records, created %s, updated %s\n", escape.Word(h.Thread), escape.Word(h.Graph),
			status(&h), h.Seq, moment(h.Created), moment(h.Updated))
		t, err := durable.InfoOf(&h)
		if err != nil {
			return err
		}
		if t.Failure != "" {
			fmt.Fprintf(c.Out, "failure: %s\n", t.Failure)
		}
		for i := range t.Requests {
			request(c.Out, &t.Requests[i])
		}
		if err := v.history(ctx, c.Out, s, at.Seq); err != nil {
			return err
		}
		return state(c.Out, at)
	})
}

// request shows a request with its question.
func request(w io.Writer, q *graphgen.Request) {
	fmt.Fprintf(w, "\nrequest %s of node %s", q.ID, q.Where.Node)
	if q.Where.Branch != "" {
		fmt.Fprintf(w, ", branch %s", q.Where.Branch)
	}
	if !q.Deadline.IsZero() {
		fmt.Fprintf(w, ", until %s", moment(q.Deadline))
	}
	fmt.Fprintf(w, "\n  %s\n", strings.ReplaceAll(ask(q), "\n", "\n  "))
	for _, s := range q.Shown {
		fmt.Fprintf(w, "  %s: %s\n", s.Name, strings.ReplaceAll(s.Text, "\n", "\n    "))
	}
	if len(q.Choices) > 0 {
		fmt.Fprintf(w, "  answers: %s\n", strings.Join(q.Choices, ", "))
	} else if q.Schema != "" {
		fmt.Fprintf(w, "  answers: %s\n", q.Schema)
	}
}

// history shows the last records through one.
func (v *showVerb) history(ctx context.Context, w io.Writer, s thread.Store, through uint64) error {
	fmt.Fprintln(w, "\nrecords")
	after := uint64(0)
	if v.Last > 0 && through > uint64(v.Last) {
		if after = through - uint64(v.Last); !isKept(ctx, s, v.Thread, after) {
			after = 0
		}
	}
	for step, err := range durable.History(ctx, s, v.Thread, after) {
		if err != nil {
			return err
		}
		if step.Seq > through {
			break
		}
		if _, err := fmt.Fprintf(w, "%6d  %s  %s\n", step.Seq, moment(step.Time), escape.Visible(line(&step))); err != nil {
			return err
		}
	}
	return nil
}

// isKept reports whether a record was not pruned.
func isKept(ctx context.Context, s thread.Store, name string, seq uint64) bool {
	_, _, err := s.Load(ctx, name, seq)
	return err == nil
}

// line returns what a record saves, on one line.
func line(s *thread.Step) string {
	var parts []string
	if s.Forked.Thread != "" {
		parts = append(parts, fmt.Sprintf("forked from %s after record %d", s.Forked.Thread, s.Forked.Seq))
	}
	if s.TakesBack > 0 {
		parts = append(parts, fmt.Sprintf("takes back the records from %d", s.TakesBack))
	}
	if s.Run != "" {
		parts = append(parts, "run "+s.Run)
	}
	for i := range s.Changes {
		parts = append(parts, change(&s.Changes[i]))
	}
	for _, call := range s.Calls {
		parts = append(parts, "result of "+strings.TrimPrefix(call.At+" "+call.Key, " "))
	}
	for _, a := range s.Answers {
		parts = append(parts, a.Decision+" "+a.ID)
	}
	if len(s.Open) > 0 {
		parts = append(parts, "waits for "+strings.Join(s.Open, ", "))
	}
	if s.Ended != "" {
		parts = append(parts, strings.TrimSuffix(s.Ended+": "+s.Failure, ": "))
	}
	return strings.Join(parts, "; ")
}

// change returns what changed of a run.
func change(c *thread.Change) string {
	var b strings.Builder
	if c.At != "" {
		b.WriteString(c.At + ": ")
	}
	switch {
	case c.Failed != "":
		b.WriteString(c.Node + " failed: " + c.Failed)
	case !c.Ended:
		b.WriteString("within " + c.Node)
	case c.Next != "" && c.Node != "":
		b.WriteString(c.Node + " → " + c.Next)
	case c.Next != "":
		b.WriteString("begins with " + c.Next)
	case strings.Contains(c.Transition, ">"):
		b.WriteString(c.Node + " → end")
	default:
		b.WriteString(c.Node + ", " + c.Transition)
	}
	separator := " writes "
	for _, f := range c.Written {
		b.WriteString(separator + f.Name)
		separator = ", "
	}
	return b.String()
}

// state shows the state after a record.
func state(w io.Writer, s *thread.State) error {
	for i := range s.Runs {
		r := &s.Runs[i]
		var b bytes.Buffer
		if err := json.Indent(&b, r.JSON(), "", "  "); err != nil {
			return err
		}
		title := fmt.Sprintf("state after record %d", s.Seq)
		if r.At != "" {
			title = "state of " + r.At
		}
		if _, err := fmt.Fprintf(w, "\n%s\n%s\n", title, escape.JSON(b.Bytes())); err != nil {
			return err
		}
	}
	return nil
}
