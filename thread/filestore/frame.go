package filestore

import (
	"hash/crc32"
	"time"

	"github.com/graphgen/graphgen/thread"
)

// A segment is a series of frames. A frame is the length of its payload, the CRC-32C of the payload, the payload, and
// the length again; the first byte of a payload is its kind. Numbers of a frame have four bytes, the lowest first; numbers
// of a payload are varints.

type kind byte

const (
	kindLease   kind = 1 + iota // until: the first frame of the first segment of a lease
	kindBase                    // the segment before it and its end, the head: from here on the segment counts
	kindAppend                  // until, the head, records
	kindRenew                   // until
	kindRelease                 // the lease was released
	kindGone                    // the thread was deleted
)

const (
	frameHead  = 8
	frameTail  = 4
	maxPayload = 1 << 30
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A base is where the log of a segment continues from.
type base struct {
	prev id     // the segment before; zero: it is the first
	cut  uint64 // how many of its bytes count
	head thread.Head
}

// An entry is the content of an append frame.
type entry struct {
	until   time.Time
	head    thread.Head
	records []thread.Record
}

// An encoder builds one frame.
type encoder struct{ b []byte }

// newFrame begins a frame that needs about size bytes.
func newFrame(k kind, size int) *encoder {
	b := make([]byte, frameHead, frameHead+size+256)
	return &encoder{append(b, byte(k))}
}

// finish returns the frame.
func (e *encoder) finish() []byte {
	payload := e.b[frameHead:]
	putUint32(e.b, uint32(len(payload)))
	putUint32(e.b[4:], crc32.Checksum(payload, castagnoli))
	tail := [frameTail]byte{}
	putUint32(tail[:], uint32(len(payload)))
	return append(e.b, tail[:]...)
}

func (e *encoder) uint(v uint64) {
	for ; v >= 0x80; v >>= 7 {
		e.b = append(e.b, byte(v)|0x80)
	}
	e.b = append(e.b, byte(v))
}

func (e *encoder) bytes(v []byte) {
	e.uint(uint64(len(v)))
	e.b = append(e.b, v...)
}

func (e *encoder) text(v string) {
	e.uint(uint64(len(v)))
	e.b = append(e.b, v...)
}

// time writes microseconds since 1970, zigzag, plus one; the zero time is 0.
func (e *encoder) time(t time.Time) {
	if t.IsZero() {
		e.uint(0)
		return
	}
	v := t.UnixMicro()
	e.uint(uint64(v<<1^v>>63) + 1)
}

func (e *encoder) head(h thread.Head) {
	e.text(h.Thread)
	e.text(h.Graph)
	e.text(h.Shape)
	e.uint(uint64(h.Status))
	e.uint(h.Seq)
	e.time(h.Created)
	e.time(h.Updated)
	e.time(h.Expires)
	e.bytes(h.Summary)
}

func untilFrame(k kind, until time.Time) []byte {
	e := newFrame(k, 0)
	e.time(until)
	return e.finish()
}

func baseFrame(b base) []byte {
	e := newFrame(kindBase, len(b.head.Summary))
	e.uint(b.prev.token)
	e.uint(b.prev.part)
	e.uint(b.cut)
	e.head(b.head)
	return e.finish()
}

func appendFrame(until time.Time, head thread.Head, records []thread.Record) []byte {
	size := len(head.Summary)
	for _, r := range records {
		size += len(r.Data) + 32
	}
	e := newFrame(kindAppend, size)
	e.time(until)
	e.head(head)
	e.uint(uint64(len(records)))
	for _, r := range records {
		flag := uint64(0)
		if r.Snapshot {
			flag = 1
		}
		e.uint(r.Seq)
		e.uint(flag)
		e.time(r.Time)
		e.bytes(r.Data)
	}
	return e.finish()
}

// A decoder reads one payload. After the first mistake, it returns zeros.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) uint() (v uint64) {
	for shift := 0; shift < 64; shift += 7 {
		if len(d.b) == 0 {
			break
		}
		c := d.b[0]
		d.b = d.b[1:]
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return v
		}
	}
	d.bad = true
	return 0
}

// bytes returns a part of the payload.
func (d *decoder) bytes() []byte {
	n := d.uint()
	if n > uint64(len(d.b)) {
		d.bad = true
		return nil
	}
	v := d.b[:n:n]
	d.b = d.b[n:]
	return v
}

func (d *decoder) time() time.Time {
	v := d.uint()
	if v == 0 {
		return time.Time{}
	}
	v--
	return time.UnixMicro(int64(v>>1) ^ -int64(v&1)).UTC()
}

func (d *decoder) head() (h thread.Head) {
	h.Thread = string(d.bytes())
	h.Graph = string(d.bytes())
	h.Shape = string(d.bytes())
	h.Status = thread.Status(d.uint())
	h.Seq = d.uint()
	h.Created = d.time()
	h.Updated = d.time()
	h.Expires = d.time()
	h.Summary = d.bytes()
	return h
}

func (d *decoder) base() (b base) {
	b.prev.token = d.uint()
	b.prev.part = d.uint()
	b.cut = d.uint()
	b.head = d.head()
	return b
}

func (d *decoder) entry() (e entry) {
	e.until = d.time()
	e.head = d.head()
	n := d.uint()
	for i := uint64(0); i < n && !d.bad; i++ {
		r := thread.Record{Seq: d.uint(), Snapshot: d.uint() == 1, Time: d.time(), Data: d.bytes()}
		e.records = append(e.records, r)
	}
	return e
}

func putUint32(b []byte, v uint32) {
	b[0], b[1], b[2], b[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
}

func getUint32(b []byte) uint32 {
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}
