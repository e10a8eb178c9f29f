package threads

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec/escape"
	"github.com/graphgen/graphgen/thread"
)

// A payload is bytes of a thread: JSON as it is where it reads back as the same bytes, else base64.
type payload struct {
	Data  json.RawMessage `json:"data,omitempty"`
	Bytes []byte          `json:"bytes,omitempty"`
}

func payloadOf(data []byte) payload {
	var compact bytes.Buffer
	if json.Compact(&compact, data) == nil && bytes.Equal(compact.Bytes(), data) && utf8.Valid(data) && bytes.Equal(escape.JSON(data), data) {
		return payload{Data: data}
	}
	return payload{Bytes: data}
}

func (p *payload) bytes() []byte {
	if p.Data != nil {
		return p.Data
	}
	return p.Bytes
}

// entry is a thread.Record as JSON.
type entry struct {
	Seq      uint64    `json:"seq"`
	Time     time.Time `json:"time"`
	Snapshot bool      `json:"snapshot,omitempty"`
	payload
}

type exportVerb struct{ named }

func (exportVerb) Help() string {
	return `Each thread is a line with its head, and a line for each of its records; import reads them back into any store.
Bytes are written as stored: JSON as data, others in base64 as bytes. A thread may be running: the export is consistent.

Examples:

  graphgen threads export file:threads letter-7
  graphgen threads export -all -status completed file:threads > completed.jsonl
`
}

// Run writes threads as JSON lines.
func (v *exportVerb) Run(ctx context.Context, c *Command) error {
	return c.with(ctx, v.Store, func(s thread.Store) error {
		return v.each(ctx, s, func(name string) error { return export(ctx, s, name, c.Data) })
	})
}

// page is how many records are read or written in one call.
const page = 500

func export(ctx context.Context, s thread.Store, name string, w io.Writer) error {
	h, _, err := s.Load(ctx, name, 0)
	if err == nil {
		err = writeJSON(w, headOf(&h))
	}
	if err != nil {
		return err
	}
	for last := uint64(0); last < h.Seq; {
		records, err := s.History(ctx, name, last, page)
		if err != nil {
			return err
		}
		if len(records) == 0 || last > 0 && records[0].Seq != last+1 {
			return fmt.Errorf("thread %q was pruned meanwhile: export it again", name)
		}
		for i := range records {
			r := &records[i]
			if last = r.Seq; last > h.Seq {
				break
			}
			if err := writeJSON(w, entry{r.Seq, r.Time, r.Snapshot, payloadOf(r.Data)}); err != nil {
				return err
			}
		}
	}
	return nil
}

type importVerb struct {
	Store string `arg:"" help:"The URL of the store, such as file:threads."`
	File  string `arg:"" optional:"" default:"-" help:"A file that export wrote; - is standard input."`
	New   bool   `help:"Create the store if it does not exist."`
}

func (importVerb) Help() string {
	return `A thread whose name the store already has is refused. A run that has not ended is imported as stopped, so that it does not
run in both stores: Recover continues it. If records were pruned, the remaining ones are numbered from 1.

Examples:

  graphgen threads import file:threads completed.jsonl
  graphgen threads export file:threads letter-7 | graphgen threads import -new file:others
`
}

// Run reads threads.
func (v *importVerb) Run(ctx context.Context, c *Command) error {
	in := c.In
	if v.File != "-" {
		f, err := os.Open(v.File)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	return c.open(ctx, v.Store, v.New, func(s thread.Store) error {
		r := reader{in: bufio.NewReader(in), file: v.File}
		if err := r.next(); err != nil {
			return err
		}
		for !r.end {
			name, n, err := r.thread(ctx, s)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(c.Out, "%s: %d records\n", escape.Word(name), n); err != nil {
				return err
			}
		}
		return nil
	})
}

// A reader reads lines of an export.
type reader struct {
	in   *bufio.Reader
	file string
	line int
	end  bool
	head head // of the line, if it is of a head
	rec  entry
}

// next reads a line.
func (r *reader) next() error {
	text, err := r.in.ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	r.line++
	if r.end = len(bytes.TrimSpace(text)) == 0; r.end {
		return nil
	}
	var both struct {
		head
		Seq      uint64    `json:"seq"`
		Time     time.Time `json:"time"`
		Snapshot bool      `json:"snapshot"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&both); err != nil {
		return r.wrong("is not a line of an export: " + strings.TrimPrefix(err.Error(), "json: "))
	}
	r.head, r.rec = both.head, entry{both.Seq, both.Time, both.Snapshot, both.payload}
	r.head.Seq = both.Seq
	return nil
}

func (r *reader) wrong(problem string) error {
	name := r.file
	if name == "-" {
		name = "standard input"
	}
	return fmt.Errorf("%s:%d: the line %s", name, r.line, problem)
}

// thread reads one thread into a store, and returns its name and how many records it has. A thread that is not whole is deleted.
func (r *reader) thread(ctx context.Context, s thread.Store) (name string, n int, err error) {
	h, err := r.headOf()
	if err != nil {
		return "", 0, err
	}
	lease, kept, err := s.Acquire(ctx, h.Thread, time.Minute)
	if err != nil {
		return "", 0, err
	}
	if kept.Status != thread.New {
		return "", 0, errors.Join(&thread.StateError{Thread: h.Thread, Err: thread.ErrExists}, s.Release(ctx, lease))
	}
	last := r.head.Seq
	n, err = r.records(ctx, s, lease, h, last)
	err = errors.Join(err, s.Release(context.WithoutCancel(ctx), lease))
	if err != nil && n > 0 {
		err = errors.Join(err, s.Delete(context.WithoutCancel(ctx), h.Thread))
	}
	return h.Thread, n, err
}

// headOf returns the head that a line has.
func (r *reader) headOf() (thread.Head, error) {
	h := thread.Head{Thread: r.head.Thread, Graph: r.head.Graph, Shape: r.head.Shape, Summary: r.head.bytes()}
	if r.head.Thread == "" || r.head.Seq == 0 {
		return h, r.wrong("has to be the head of a thread")
	}
	f, err := (&selection{Status: []string{r.head.Status}}).filter()
	if err != nil {
		return h, r.wrong("has the status " + r.head.Status + ", which no thread has")
	}
	if h.Status = f.Status[0]; h.Status == thread.Running {
		h.Status = thread.Stopped
	}
	for at, to := range map[*time.Time]*time.Time{r.head.Created: &h.Created, r.head.Updated: &h.Updated, r.head.Expires: &h.Expires} {
		if at != nil {
			*to = *at
		}
	}
	return h, nil
}

// records reads the records of a thread through one. Until the last is there, the thread is stopped.
func (r *reader) records(ctx context.Context, s thread.Store, lease thread.Lease, h thread.Head, last uint64) (n int, err error) {
	var batch []thread.Record
	size, before := 0, uint64(0)
	for before < last {
		if err := r.next(); err != nil {
			return n, err
		}
		if r.end || r.head.Thread != "" || before > 0 && r.rec.Seq != before+1 || r.rec.Seq == 0 || r.rec.Seq > last {
			return n, r.wrong(fmt.Sprintf("has to be record %d of thread %q, whose last record is %d", before+1, h.Thread, last))
		}
		before = r.rec.Seq
		data := r.rec.bytes()
		batch = append(batch, thread.Record{Seq: uint64(n+len(batch)) + 1, Time: r.rec.Time, Snapshot: r.rec.Snapshot, Data: data})
		if size += len(data); len(batch) < page && size < thread.MaxData/2 && before < last {
			continue
		}
		head := h
		if head.Seq = batch[len(batch)-1].Seq; before < last {
			head.Status = thread.Stopped
		}
		if _, err := s.Append(ctx, lease, head, batch); err != nil {
			return n, err
		}
		n, batch, size = n+len(batch), nil, 0
	}
	return n, r.next()
}
