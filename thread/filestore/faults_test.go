package filestore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/graphgen/graphgen/thread"
)

const ttl = time.Minute

// A script is what a process does with a thread: it appends records of several sizes, in several leases, prunes, and
// stops. It keeps what was acknowledged.
type script struct {
	s     *Store
	acked []string // by their numbers, from 1
	open  string   // the record whose append had an error that leaves its effect open
	now   time.Time
	limit int // how often a call is repeated
}

func (c *script) clock() time.Time { return c.now }

// text returns the text of a record: every fifth is a snapshot, some are larger than a sector, one fills a segment.
func text(seq uint64) string {
	t := strconv.FormatUint(seq, 10) + ":"
	switch {
	case seq == 13:
		t += strings.Repeat("x", snapshotSize+100)
	case seq%4 == 0:
		t += strings.Repeat("y", 2000)
	}
	if seq%5 == 1 {
		return "S" + t
	}
	return t
}

func record(seq uint64) thread.Record {
	t := text(seq)
	return thread.Record{Seq: seq, Snapshot: t[0] == 'S', Time: time.Unix(int64(seq), 0).UTC(), Data: []byte(t)}
}

// run appends records until there are as many as wanted, with a lease for every three, or until an error lasts.
func (c *script) run(ctx context.Context, want uint64) error {
	for {
		var lease thread.Lease
		var head thread.Head
		err := c.repeat(func() (err error) {
			lease, head, err = c.s.Acquire(ctx, "a", ttl)
			return err
		})
		if err != nil {
			return err
		}
		if err := c.reconcile(head.Seq); err != nil {
			return err
		}
		for range 3 {
			if head.Seq == want {
				return c.repeat(func() error { return c.s.Release(ctx, lease) })
			}
			head.Graph, head.Status, head.Summary = "g", thread.Running, []byte("asks")
			head.Seq++
			c.open = text(head.Seq)
			err := c.repeat(func() error {
				_, err := c.s.Append(ctx, lease, head, []thread.Record{record(head.Seq)})
				return err
			})
			if err != nil {
				return err
			}
			c.acked, c.open = append(c.acked, c.open), ""
		}
		if err := c.repeat(func() error { return c.s.Release(ctx, lease) }); err != nil {
			return err
		}
		if head.Seq == 9 {
			if err := c.repeat(func() error { _, err := c.s.Prune(ctx, "a", 7); return err }); err != nil {
				return err
			}
		}
	}
}

// repeat repeats a call that has an error.
func (c *script) repeat(call func() error) (err error) {
	for range c.limit + 1 {
		if err = call(); err == nil {
			return nil
		}
		if _, held := errors.AsType[*thread.HeldError](err); held {
			c.now = c.now.Add(ttl)
		}
	}
	return err
}

// reconcile compares the last record of a thread with those that were acknowledged.
func (c *script) reconcile(last uint64) error {
	switch n := uint64(len(c.acked)); {
	case last == n:
	case last == n+1 && c.open != "":
		c.acked = append(c.acked, c.open)
	default:
		return fmt.Errorf("the thread has %d records, of which %d were acknowledged", last, n)
	}
	c.open = ""
	return nil
}

// check compares the log with what was acknowledged.
func (c *script) check(ctx context.Context) error {
	head, records, err := c.s.Load(ctx, "a", 0)
	if _, missing := errors.AsType[*thread.NotFoundError](err); missing && len(c.acked) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if err := c.reconcile(head.Seq); err != nil {
		return err
	}
	history, err := c.s.History(ctx, "a", 0, 0)
	if err != nil {
		return err
	}
	for _, list := range [][]thread.Record{records, history} {
		if len(list) == 0 || !list[0].Snapshot || list[len(list)-1].Seq != head.Seq {
			return errors.New("the records do not reach from a snapshot to the last one")
		}
		for i, r := range list {
			if r.Seq != list[0].Seq+uint64(i) || string(r.Data) != c.acked[r.Seq-1] {
				return fmt.Errorf("record %d is %.20q, want %.20q", r.Seq, r.Data, c.acked[r.Seq-1])
			}
		}
	}
	return nil
}

// begin returns a script on a disk.
func begin(t *testing.T, d files, limit int) *script {
	t.Helper()
	c := &script{now: time.Unix(1e9, 0), limit: limit}
	s, err := open("/store", d, c.clock)
	if err != nil {
		t.Fatal(err)
	}
	s.pause = func() {}
	c.s = s
	return c
}

// length is how many records scripts write.
const length = 17

// operations returns how many operations a script has that change the disk.
func operations(t *testing.T) (first, last int) {
	t.Helper()
	d := newDisk()
	c := begin(t, d, 0)
	first = d.ops + 1
	if err := errors.Join(c.run(t.Context(), length), c.check(t.Context())); err != nil {
		t.Fatal(err)
	}
	return first, d.ops
}

// stride is how many operations a short test leaves out.
func stride() int {
	if testing.Short() {
		return 5
	}
	return 1
}

// TestPowerFailure ends a script before each operation, loses what an outage loses, and goes on: every record that was
// acknowledged is in the thread, once, and at most the one in flight besides.
func TestPowerFailure(t *testing.T) {
	first, last := operations(t)
	for _, o := range outages {
		t.Run(strings.ReplaceAll(o.name, " ", "_"), func(t *testing.T) {
			for at := first; at <= last; at += stride() {
				d := newDisk()
				c := begin(t, d, 0)
				d.fault = func(op int) error {
					if op >= at {
						return errPower
					}
					return nil
				}
				_ = c.run(t.Context(), length)
				after := begin(t, d.lose(o), 3)
				after.acked, after.open, after.now = c.acked, c.open, c.now.Add(ttl)
				if err := errors.Join(after.check(t.Context()), after.run(t.Context(), length), after.check(t.Context())); err != nil {
					t.Errorf("the power was out before operation %d: %v", at, err)
				}
			}
		})
	}
}

// TestFailingDisk lets one operation fail, or all from one on for a while, as a full disk does. Calls are repeated, and
// nothing is lost or doubled. Then the power fails, too.
func TestFailingDisk(t *testing.T) {
	first, last := operations(t)
	broken := errors.New("the disk is full")
	for _, n := range []int{1, 2, 7} {
		for at := first; at <= last; at += stride() {
			d := newDisk()
			c := begin(t, d, 8)
			d.fault = func(op int) error {
				if op >= at && op < at+n {
					return broken
				}
				return nil
			}
			if err := errors.Join(c.run(t.Context(), length), c.check(t.Context())); err != nil {
				t.Errorf("%d operations from %d on failed: %v", n, at, err)
				continue
			}
			for _, o := range outages {
				after := begin(t, d.lose(o), 3)
				after.acked, after.now = slices.Clone(c.acked), c.now
				if err := after.check(t.Context()); err != nil {
					t.Errorf("%d operations from %d on failed, and %s remained of what was not synced: %v", n, at, o.name, err)
				}
			}
		}
	}
}

// TestInterruptedDelete fails one operation of a Delete, or all from one on, and loses what an outage loses: the thread is whole or gone, it is
// gone where Delete has no error, and the next thread of that name has nothing of it.
func TestInterruptedDelete(t *testing.T) {
	whole, everything := newDisk(), outages[2]
	before := begin(t, whole, 0)
	if err := errors.Join(before.run(t.Context(), length), before.s.Stop(t.Context(), "a")); err != nil {
		t.Fatal(err)
	}
	interrupt := func(at int, lasting bool, o outage) (more bool) {
		d := whole.lose(everything)
		s := begin(t, d, 0).s
		from := d.ops + at
		d.fault = func(op int) error {
			if op == from || lasting && op > from {
				return errPower
			}
			return nil
		}
		deleted := s.Delete(t.Context(), "a")
		after := begin(t, d.lose(o), 0)
		after.acked, after.now = slices.Clone(before.acked), before.now.Add(brief)
		if deleted != nil && after.check(t.Context()) == nil {
			return true
		}
		if err := after.anew(t.Context()); err != nil {
			t.Errorf("operation %d failed, those after it: %v, %s remained, Delete returned %v: %v", at, lasting, o.name, deleted, err)
		}
		return d.ops >= from
	}
	for _, o := range outages {
		for _, lasting := range []bool{false, true} {
			for at := 1; interrupt(at, lasting, o); at++ {
			}
		}
	}
}

// anew begins the thread again.
func (c *script) anew(ctx context.Context) error {
	lease, head, err := c.s.Acquire(ctx, "a", ttl)
	if err != nil || head.Seq != 0 {
		return fmt.Errorf("the thread has %d records, %v", head.Seq, err)
	}
	head.Seq, head.Status = 1, thread.Running
	ack, err := c.s.Append(ctx, lease, head, []thread.Record{record(1)})
	if err != nil || ack.Stop {
		return fmt.Errorf("the first record has the answer %+v, %v", ack, err)
	}
	c.acked = []string{text(1)}
	return errors.Join(c.check(ctx), c.s.Release(ctx, lease), c.run(ctx, length), c.check(ctx))
}

// TestLostCopy holds that a copy has an error if another process has got the name meanwhile, and writes to it.
func TestLostCopy(t *testing.T) {
	d := &paused{disk: newDisk()}
	c := begin(t, d, 0)
	if err := c.run(t.Context(), length); err != nil {
		t.Fatal(err)
	}
	other := begin(t, d.disk, 0)
	d.at, d.meanwhile = "/t-b/"+id{1, 1}.file(), func() {
		c.now = c.now.Add(brief)
		other.now = c.now
		lease, head, err := other.s.Acquire(t.Context(), "b", ttl)
		head.Seq, head.Status = 1, thread.Running
		if _, more := other.s.Append(t.Context(), lease, head, []thread.Record{record(1)}); err != nil || more != nil {
			t.Error(err, more)
		}
	}
	err := c.s.Copy(t.Context(), "a", length, thread.Head{Thread: "b", Status: thread.Stopped, Seq: length})
	if _, lost := errors.AsType[*thread.LostError](err); !lost || d.meanwhile != nil {
		t.Errorf("the copy is made: %v", err)
	}
	if records, err := c.s.History(t.Context(), "b", 0, 0); err != nil || !thread.Same(records, []thread.Record{record(1)}) {
		t.Errorf("the thread has %v, %v", records, err)
	}
}

// A paused disk stops a process before it creates a file: others work meanwhile.
type paused struct {
	*disk
	at        string // how the name of the file ends
	meanwhile func()
}

func (d *paused) Create(name string) (file, error) {
	if f := d.meanwhile; f != nil && strings.HasSuffix(name, d.at) {
		d.meanwhile = nil
		f()
	}
	return d.disk.Create(name)
}

// TestForgottenLeases holds that a Store keeps nothing of a lease that has ended, also where the folder of the thread could not be read, or the Store is
// closed meanwhile.
func TestForgottenLeases(t *testing.T) {
	d := &unreadable{disk: newDisk()}
	c := begin(t, d, 0)
	lease, _, err := c.s.Acquire(t.Context(), "a", ttl)
	if err != nil {
		t.Fatal(err)
	}
	d.err = errPower
	if err := c.s.Release(t.Context(), lease); !errors.Is(err, errPower) || len(c.s.leases) != 0 {
		t.Errorf("the Store has %d leases, %v", len(c.s.leases), err)
	}
	d.err = nil
	for range 20 {
		c.now = c.now.Add(ttl)
		lease, head, err := c.s.Acquire(t.Context(), "a", ttl)
		if err != nil {
			t.Fatal(err)
		}
		var calls sync.WaitGroup
		calls.Go(func() {
			head.Status, head.Seq = thread.Running, head.Seq+1
			_, err := c.s.Append(t.Context(), lease, head, []thread.Record{{Seq: head.Seq, Snapshot: true}})
			if _, lost := errors.AsType[*thread.LostError](err); err != nil && !lost {
				t.Error(err)
			}
		})
		calls.Go(func() { _ = c.s.Close() })
		calls.Wait()
	}
}

// TestFullDisk holds that a lease whose process cannot write to a full disk holds its thread until its time is up.
func TestFullDisk(t *testing.T) {
	d := &full{disk: newDisk()}
	c, other := begin(t, d, 0), begin(t, d.disk, 0)
	lease, head, err := c.s.Acquire(t.Context(), "a", ttl)
	if err != nil {
		t.Fatal(err)
	}
	appends := func() error {
		head.Status, head.Seq = thread.Running, head.Seq+1
		_, err := c.s.Append(t.Context(), lease, head, []thread.Record{record(head.Seq)})
		if err != nil {
			head.Seq--
		}
		return err
	}
	if err := appends(); err != nil {
		t.Fatal(err)
	}
	held := func(when string) {
		_, _, acquired := other.s.Acquire(t.Context(), "a", ttl)
		for call, err := range map[string]error{"Acquire": acquired, "Delete": other.s.Delete(t.Context(), "a")} {
			if held, ok := errors.AsType[*thread.HeldError](err); !ok || !held.Until.Equal(lease.Until) {
				t.Errorf("%s: %s returns %v", when, call, err)
			}
		}
		if list, err := other.s.List(t.Context(), thread.Filter{Unleased: true}); err != nil || len(list) != 0 {
			t.Errorf("%s: %d threads have no lease, %v", when, len(list), err)
		}
	}
	d.writes = 3
	for range 3 {
		if err := appends(); !errors.Is(err, errPower) {
			t.Fatalf("%d writes are left to fail: %v", d.writes, err)
		}
		held("the disk is full")
	}
	files := 0
	for name := range d.now {
		if strings.HasSuffix(name, segmentEnd) {
			files++
		}
	}
	if files != 1 {
		t.Errorf("the thread has %d segments", files)
	}
	if _, err := d.disk.Create("/store/t-a/" + id{lease.Token, 1}.file()); err != nil { // the process is between Create and its first write
		t.Fatal(err)
	}
	held("a segment is empty")
	if err := appends(); err != nil {
		t.Error(err)
	}
	other.now = other.now.Add(ttl)
	if _, head, err := other.s.Acquire(t.Context(), "a", ttl); err != nil || head.Seq != 2 {
		t.Errorf("the thread has %d records, %v", head.Seq, err)
	}
}

// A full disk has an error for some writes.
type full struct {
	*disk
	writes int
}

func (d *full) Create(name string) (file, error) {
	f, err := d.disk.Create(name)
	return fullFile{f, d}, err
}

type fullFile struct {
	file
	d *full
}

func (f fullFile) WriteAt(b []byte, off int64) (int, error) {
	if f.d.writes > 0 {
		f.d.writes--
		return 0, errPower
	}
	return f.file.WriteAt(b, off)
}

// An unreadable disk has an error for the names in folders.
type unreadable struct {
	*disk
	err error
}

func (d *unreadable) ReadDir(name string) ([]string, error) {
	if d.err != nil {
		return nil, d.err
	}
	return d.disk.ReadDir(name)
}

// sample returns the only segment of a thread with three records, which was released.
func sample(t *testing.T) (d *disk, name string, want []thread.Record) {
	t.Helper()
	d = newDisk()
	c := begin(t, d, 0)
	lease, head, err := c.s.Acquire(t.Context(), "a", ttl)
	if err != nil {
		t.Fatal(err)
	}
	for seq := range uint64(3) {
		head.Status, head.Seq = thread.Running, seq+1
		want = append(want, record(head.Seq))
		if _, err := c.s.Append(t.Context(), lease, head, want[seq:]); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.s.Release(t.Context(), lease); err != nil {
		t.Fatal(err)
	}
	for n := range d.now {
		if strings.HasSuffix(n, segmentEnd) {
			name = n
		}
	}
	return d, name, want
}

// TestBitFlips changes every bit of a segment: the whole log is read, or the error says how far it is intact, and so much of it
// can be loaded and copied. Nothing is left out in silence.
func TestBitFlips(t *testing.T) {
	d, name, want := sample(t)
	data := d.now[name].data
	seen := map[string]int{}
	for bit := 0; bit < len(data)*8; bit += stride() {
		d.now[name].data = bytes.Clone(data)
		d.now[name].data[bit/8] ^= 1 << (bit % 8)
		s := begin(t, d, 0).s
		got, err := s.History(t.Context(), "a", 0, 0)
		damage, corrupt := errors.AsType[*thread.CorruptError](err)
		switch {
		case err == nil && thread.Same(got, want):
			seen["whole"]++
			continue
		case !corrupt:
			t.Errorf("bit %d: %v, records %v", bit, err, got)
			continue
		}
		seen["error"]++
		if _, _, err := s.Load(t.Context(), "a", 0); err == nil {
			t.Errorf("bit %d: Load has no error", bit)
		}
		if _, _, err := s.Acquire(t.Context(), "a", ttl); err == nil {
			t.Errorf("bit %d: Acquire has no error", bit)
		}
		if damage.Good == 0 {
			continue
		}
		seen["good"]++
		copied := thread.Head{Thread: "copy", Status: thread.Running, Seq: damage.Good}
		if err := s.Copy(t.Context(), "a", damage.Good, copied); err != nil {
			t.Errorf("bit %d: %v", bit, err)
		}
		got, err = s.History(t.Context(), "copy", 0, 0)
		if err != nil || !thread.Same(got, want[:damage.Good]) {
			t.Errorf("bit %d: the copy has %v, %v", bit, got, err)
		}
		if err := errors.Join(s.Delete(t.Context(), "copy"), s.Close()); err != nil {
			t.Errorf("bit %d: %v", bit, err)
		}
	}
	t.Log(seen)
	if seen["error"] == 0 || seen["good"] == 0 {
		t.Error("no change was found")
	}
}

// TestTornTail cuts a segment at every byte, as a crash during a write does: the records before are read, and the thread
// goes on.
func TestTornTail(t *testing.T) {
	d, name, want := sample(t)
	unmark(d)
	data := d.now[name].data
	ends := map[int]bool{}
	for end := len(data); end > 0; end -= stride() {
		d.now[name].data = bytes.Clone(data[:end])
		c := begin(t, d, 0)
		c.now = c.now.Add(ttl)
		s := c.s
		lease, head, err := s.Acquire(t.Context(), "a", ttl)
		if err != nil {
			t.Errorf("%d bytes: %v", end, err)
			continue
		}
		ends[int(head.Seq)] = true
		head.Status = thread.Running
		head.Seq++
		if _, err := s.Append(t.Context(), lease, head, []thread.Record{record(head.Seq)}); err != nil {
			t.Errorf("%d bytes: %v", end, err)
		}
		got, err := s.History(t.Context(), "a", 0, 0)
		if err != nil || !thread.Same(got, append(slices.Clone(want[:head.Seq-1]), record(head.Seq))) {
			t.Errorf("%d bytes: %v, %v", end, got, err)
		}
		for n := range d.now {
			if strings.HasPrefix(n, "/store/t-a/") && n != name {
				delete(d.now, n)
			}
		}
		if d.now[name] == nil {
			d.now[name] = &inode{}
		}
	}
	for n := range len(want) + 1 {
		if !ends[n] {
			t.Errorf("no cut left %d records", n)
		}
	}
}

// TestTruncatedSegment cuts a segment that another one follows: records that are missing are an error.
func TestTruncatedSegment(t *testing.T) {
	d := newDisk()
	c := begin(t, d, 0)
	if err := c.run(t.Context(), 30); err != nil {
		t.Fatal(err)
	}
	st, err := c.s.read("a")
	if err != nil {
		t.Fatal(err)
	}
	prev, err := st.previous(st.tip)
	if err != nil || prev == nil {
		t.Fatalf("there is one segment: %v", err)
	}
	name := st.dir + "/" + prev.file()
	data := d.now[name].data
	for _, cut := range []uint64{prev.end - 1, prev.end / 2, 10, 0} {
		d.now[name].data = data[:cut]
		if _, err := c.s.History(t.Context(), "a", 0, 0); err == nil {
			t.Errorf("%d bytes: History has no error", cut)
		} else if _, corrupt := errors.AsType[*thread.CorruptError](err); !corrupt {
			t.Errorf("%d bytes: %v", cut, err)
		}
		if head, _, err := c.s.Load(t.Context(), "a", 0); err != nil || head.Seq != 30 {
			t.Errorf("%d bytes: Load needs none of it: %d, %v", cut, head.Seq, err)
		}
	}
}
