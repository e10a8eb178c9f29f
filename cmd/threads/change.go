package threads

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/spec/escape"
	"github.com/graphgen/graphgen/thread"
)

// named are threads of a store.
type named struct {
	Store   string   `arg:"" help:"The URL of the store, such as file:threads."`
	Threads []string `arg:"" optional:"" name:"thread" help:"Names of threads."`
	All     bool     `help:"All threads that the flags select."`
	selection
}

// each calls do for each thread that is named or selected.
func (v *named) each(ctx context.Context, s thread.Store, do func(name string) error) error {
	f, err := v.filter()
	if err != nil {
		return err
	}
	selects := v.Graph != "" || v.Prefix != "" || len(v.Status) > 0
	switch {
	case len(v.Threads) > 0 && (v.All || selects):
		return errors.New("give names of threads, or -all with -graph, -status and -prefix, and not both")
	case len(v.Threads) == 0 && !v.All:
		return errors.New("give names of threads, or -all")
	}
	for _, name := range v.Threads {
		if err := do(name); err != nil {
			return err
		}
	}
	if !v.All {
		return nil
	}
	for h, err := range thread.All(ctx, s, f) {
		if err == nil {
			err = do(h.Thread)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

type stopVerb struct{ named }

func (stopVerb) Help() string {
	return `A run stops before its next node, in any process. A run whose process has ended stops when Recover continues it. A thread
that has ended is left as it is.

Examples:

  graphgen threads stop file:threads letter-7
  graphgen threads stop -all -status running -graph letter file:threads
`
}

// Run requests that runs stop.
func (v *stopVerb) Run(ctx context.Context, c *Command) error {
	return c.with(ctx, v.Store, func(s thread.Store) error {
		return v.each(ctx, s, func(name string) error {
			if err := s.Stop(ctx, name); err != nil {
				return err
			}
			_, err := fmt.Fprintf(c.Out, "%s: its stop is requested\n", escape.Word(name))
			return err
		})
	})
}

type forkVerb struct {
	Store  string   `arg:"" help:"The URL of the store, such as file:threads."`
	Thread string   `arg:"" help:"The name of the thread."`
	To     string   `arg:"" help:"The name of the new thread."`
	At     uint64   `placeholder:"SEQ" help:"The last record to copy (default: the last one)."`
	Set    []string `sep:"none" placeholder:"FIELD=JSON" help:"Set a field of the state; repeatable."`
	In     string   `placeholder:"PLACE" help:"Set fields of the child run at this place, such as /each.0, instead of the outermost run."`
}

func (forkVerb) Help() string {
	return `The new thread has a copy of the log up to a record, and continues from there, with the next node that the record has. It is
stopped until Recover of its handle continues it. The other thread is not changed, and may be running.

The type of a value is checked when the thread continues.

Examples:

  graphgen threads fork file:threads letter-7 letter-8
  graphgen threads fork -at 12 -set 'text="Dear otters"' -set 'tries=0' file:threads letter-7 letter-8
`
}

// Run forks a thread.
func (v *forkVerb) Run(ctx context.Context, c *Command) error {
	var edits []thread.Edit
	for _, set := range v.Set {
		field, value, ok := strings.Cut(set, "=")
		if !ok || field == "" {
			return fmt.Errorf("-set %s: want a field and its value as JSON, such as -set 'text=\"Dear otters\"'", set)
		}
		edits = append(edits, thread.Edit{At: v.In, Field: field, JSON: []byte(value)})
	}
	return c.with(ctx, v.Store, func(s thread.Store) error {
		if err := durable.ForkThread(ctx, s, v.Thread, v.At, v.To, edits...); err != nil {
			return err
		}
		at, err := durable.StateAt(ctx, s, v.To, 0)
		if err != nil {
			return err
		}
		does := "is complete, as the run has ended there: Start begins the next one"
		if at.Ended == "" {
			does = "is stopped: Recover resumes it"
		}
		_, err = fmt.Fprintf(c.Out, "%s has %d records, and %s\n", escape.Word(v.To), at.Seq, does)
		return err
	})
}

type pruneVerb struct {
	named
	Before uint64 `placeholder:"SEQ" help:"Keep what is needed for the state after this record and all later ones."`
}

func (pruneVerb) Help() string {
	return `It removes the records before the last snapshot of each thread, or with -before the last snapshot up to a
record. The state after every remaining record can still be read. Threads may be running.

Examples:

  graphgen threads prune file:threads letter-7
  graphgen threads prune -all -status completed file:threads
`
}

// Run prunes threads.
func (v *pruneVerb) Run(ctx context.Context, c *Command) error {
	return c.with(ctx, v.Store, func(s thread.Store) error {
		return v.each(ctx, s, func(name string) error {
			before := v.Before
			if before == 0 {
				before = 1<<63 - 1
			}
			n, err := s.Prune(ctx, name, before)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.Out, "%s: %d records removed\n", escape.Word(name), n)
			return err
		})
	})
}

type deleteVerb struct {
	named
	Expired bool `help:"Delete all expired threads, instead of named ones."`
}

func (deleteVerb) Help() string {
	return `A thread that a process is working on is refused: stop it first. Deleted threads cannot be restored; export keeps a copy.

Examples:

  graphgen threads delete file:threads letter-7
  graphgen threads delete -all -status completed,failed -prefix test- file:threads
  graphgen threads delete -expired file:threads
`
}

// Run deletes threads.
func (v *deleteVerb) Run(ctx context.Context, c *Command) error {
	return c.with(ctx, v.Store, func(s thread.Store) error {
		if v.Expired {
			if len(v.Threads) > 0 || v.All {
				return errors.New("-expired selects threads by itself")
			}
			n, err := s.Sweep(ctx)
			if err == nil {
				_, err = fmt.Fprintf(c.Out, "%d threads deleted\n", n)
			}
			return err
		}
		return v.each(ctx, s, func(name string) error {
			err := s.Delete(ctx, name)
			if _, held := errors.AsType[*thread.HeldError](err); held {
				return fmt.Errorf("%w; stop it first, and delete it when it has stopped", err)
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.Out, "%s: deleted\n", escape.Word(name))
			return err
		})
	})
}
