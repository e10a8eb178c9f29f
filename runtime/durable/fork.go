package durable

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/graphgen/graphgen/internal/quote"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/thread"
)

// forkTTL is the lease under which a fork is written.
const forkTTL = 30 * time.Second

// ForkThread makes a thread with the log of another one through a record, with edits of the state; seq 0 is the last
// record. The other thread is not changed, and may be running. The fork has the status stopped: nothing runs until the
// machine recovers it, and it is kept until it is deleted. Its run has an ID of its own, so that its calls have other
// idempotency keys; what calls gave in the step of the record is kept.
//
// A fork after the end of a run is complete, and has no edits: start the next run of the thread. The types of edits are
// checked when the machine recovers the thread; the method Fork of a machine has typed edits, and the keys that a thread with
// secret fields needs.
func ForkThread(ctx context.Context, s thread.Store, from string, seq uint64, to string, edits ...thread.Edit) error {
	s = thread.Guard(s)
	f, err := forkOf(ctx, s, from, seq, sealing{})
	if err != nil {
		return err
	}
	return f.writeWith(ctx, s, to, edits)
}

// ForkThread is the function of that name with the settings of the machine, by which the fork expires.
func (m *Machine) ForkThread(ctx context.Context, from string, seq uint64, to string, edits ...thread.Edit) error {
	set, err := m.settings()
	if err != nil {
		return err
	}
	f, err := forkOf(ctx, set.Store, from, seq, m.sealing(set))
	if err != nil {
		return err
	}
	f.keep = set.Keep
	return f.writeWith(ctx, set.Store, to, edits)
}

// fork is ForkThread for a thread of the machine. It reads the state into the values that fields lists, and saves them as they are
// after edit.
func (m *Machine) fork(ctx context.Context, from string, seq uint64, to string, fields func(*codec.Cells), edit func()) error {
	set, err := m.settings()
	if err != nil {
		return err
	}
	f, err := m.at(ctx, set, from, seq)
	if err != nil {
		return err
	}
	f.log.hide("", f.log.of(""), m.New())
	cells := &f.log.of("").cells
	if err := load(cells, fields); err != nil {
		return &thread.StoreError{Thread: from, Seq: f.seq, Err: err}
	}
	edit()
	changes, hidden, err := cells.Changes(fields)
	if err != nil {
		return refuse(from, "cannot be forked: "+err.Error())
	}
	return f.write(ctx, set.Store, to, len(changes)+len(hidden) > 0)
}

// at reads a thread of the machine through a record, and brings it to the version of the machine.
func (m *Machine) at(ctx context.Context, set *thread.Settings, id string, seq uint64) (*fork, error) {
	f, err := forkOf(ctx, set.Store, id, seq, m.sealing(set))
	if err != nil {
		return nil, err
	}
	if f.head.Graph != m.Graph.Name {
		return nil, refuse(id, "is of the graph "+quote.Text(f.head.Graph))
	}
	f.keep = set.Keep
	_, err = m.upgrade(id, f.log)
	return f, err
}

// stateAt reads the state of a thread of the machine after a record into the values that fields lists. The state of an
// earlier version of the graph is brought to the version of the machine.
func (m *Machine) stateAt(ctx context.Context, id string, seq uint64, fields func(*codec.Cells)) error {
	set, err := m.settings()
	if err != nil {
		return err
	}
	f, err := m.at(ctx, set, id, seq)
	if err != nil {
		return err
	}
	if err := load(&f.log.of("").cells, fields); err != nil {
		return &thread.StoreError{Thread: id, Seq: f.seq, Err: err}
	}
	return nil
}

// A fork is a thread that is being forked.
type fork struct {
	head thread.Head   // of the other thread
	seq  uint64        // of the last record that the fork has of it
	log  *log          // through that record
	keep time.Duration // for which the fork is kept
}

func forkOf(ctx context.Context, s thread.Store, from string, seq uint64, by sealing) (*fork, error) {
	l, head, records, err := loaded(ctx, s, from, seq, by)
	if err != nil {
		return nil, err
	}
	return &fork{head: head, seq: records[len(records)-1].Seq, log: l}, nil
}

// edit sets a field.
func (f *fork) edit(e thread.Edit) error {
	run := f.log.runs[e.At]
	if run == nil || !run.hasSteps() {
		return refuse(f.head.Thread, "has no run at "+quote.Text(e.At)+" after record "+strconv.FormatUint(f.seq, 10))
	}
	if !isField(e.Field) || e.Field == "" {
		return refuse(f.head.Thread, "has no field "+quote.Text(e.Field))
	}
	var value []byte
	if err := codec.Unmarshal(e.JSON, codec.Into(&value, codec.ReadAny[[]byte])); err != nil {
		return refuse(f.head.Thread, "cannot be forked: the value of "+e.Field+" is not JSON: "+err.Error())
	}
	name, err := codec.Marshal(codec.Of(e.Field, codec.WriteString))
	if err != nil {
		return refuse(f.head.Thread, "has no field "+quote.Text(e.Field))
	}
	object := append(append(append([]byte{'{'}, name...), ':'), value...)
	return run.cells.Take(append(object, '}'))
}

// writeWith is write with edits.
func (f *fork) writeWith(ctx context.Context, s thread.Store, to string, edits []thread.Edit) error {
	for _, e := range edits {
		if err := f.edit(e); err != nil {
			return err
		}
	}
	return f.write(ctx, s, to, len(edits) > 0)
}

// write makes the thread. It is stopped at every moment, so that no process takes it up before it is whole. If a process has ended in between, the same
// fork completes the copy that there is.
func (f *fork) write(ctx context.Context, s thread.Store, to string, edited bool) error {
	complete := text(&f.log.of("").cells, endedCell)
	if complete != "" && edited {
		return refuse(f.head.Thread, "is complete at record "+strconv.FormatUint(f.seq, 10)+": its state can be changed after an earlier record")
	}
	head := thread.Head{Thread: to, Graph: f.head.Graph, Shape: f.head.Shape, Status: thread.Stopped, Seq: f.seq, Created: time.Now()}
	about := summary{chain: f.log.chain, run: f.log.run, reason: complete, named: len(f.log.earlier) > 0, partial: complete == ""}
	if complete != "" {
		head.Status = thread.Completed
	}
	if err := f.summarize(&head, &about); err != nil {
		return err
	}
	err := s.Copy(ctx, f.head.Thread, f.seq, head)
	switch {
	case errors.Is(err, thread.ErrExists) && f.isIn(ctx, s, to):
		return f.begin(ctx, s, head, &about)
	case err != nil || complete != "":
		return err
	}
	err = f.begin(ctx, s, head, &about)
	others := is[*thread.HeldError](err) || is[*thread.StateError](err) || is[*thread.LostError](err) // an equal call makes the fork
	if ctx := context.WithoutCancel(ctx); err != nil && !others && f.isIn(ctx, s, to) {
		s.Delete(ctx, to) // a fork without its edits
	}
	return err
}

// isIn reports whether a thread is a copy without the first record of its own.
func (f *fork) isIn(ctx context.Context, s thread.Store, to string) bool {
	head, _, err := s.Load(ctx, to, 0)
	return err == nil && f.isPart(&head)
}

// isPart reports whether the head is of a copy without the first record of its own.
func (f *fork) isPart(head *thread.Head) bool {
	about, err := plainSummary(head)
	return err == nil && about.partial && head.Seq == f.seq && about.chain == f.log.chain
}

// begin appends the first record that the thread has for itself.
func (f *fork) begin(ctx context.Context, s thread.Store, head thread.Head, about *summary) error {
	lease, kept, err := s.Acquire(ctx, head.Thread, forkTTL)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
		defer cancel()
		s.Release(ctx, lease)
	}()
	if !f.isPart(&kept) { // the same fork was made meanwhile
		return &thread.StateError{Thread: head.Thread, Err: thread.ErrExists}
	}
	head.Created = kept.Created
	head.Seq++
	r := record{before: f.log.chain, run: numbered(head.Thread, head.Seq), earlier: f.log.past(head.Thread, f.seq),
		pausesAt: f.log.pausesAt, calls: f.log.calls, forked: thread.Origin{Thread: f.head.Thread, Seq: f.seq}}
	f.log.everything(&r)
	if f.log.seals {
		if err := r.sealBy(f.log.by, head.Seq); err != nil {
			return err
		}
	}
	data, err := r.encode()
	if err != nil {
		return err
	}
	about.chain, about.run, about.named, about.partial = digest(data), r.run, len(r.earlier) > 0, false
	if err := f.summarize(&head, about); err != nil {
		return err
	}
	_, err = s.Append(ctx, lease, head, []thread.Record{{Seq: head.Seq, Time: head.Updated, Snapshot: true, Data: data}})
	return err
}

// summarize sets the summary of a head, and when the fork expires: it has ended, or is stopped.
func (f *fork) summarize(head *thread.Head, about *summary) (err error) {
	if head.Updated = time.Now(); f.keep > 0 {
		head.Expires = head.Updated.Add(f.keep)
	}
	head.Summary, err = codec.MarshalStruct(about)
	return err
}
