package filestore

import (
	"bytes"
	"hash/crc32"
	"strconv"
	"time"

	"github.com/graphgen/graphgen/thread"
)

// A segment is what the bytes of a file say.
type segment struct {
	id
	leased bool      // it has a lease frame: it was begun by a process that did not end immediately
	until  time.Time // the end of the lease; zero: released
	base   *base     // nil: the segment does not count
	begun  uint64    // where the base ends
	gone   bool
	spots  []spot // append frames
	last   kind   // of the last frame
	end    uint64 // of the last frame
	damage string // what is wrong after it; empty: nothing, or a frame that was not written to its end
}

// A spot is where an append frame is.
type spot struct {
	off, end uint64
	payload  []byte
}

func (s spot) entry() entry {
	d := decoder{b: s.payload[1:]}
	return d.entry()
}

// head returns the last head of a segment that counts.
func (s *segment) head() thread.Head {
	if n := len(s.spots); n > 0 {
		return s.spots[n-1].entry().head
	}
	return s.base.head
}

// parse reads the frames of a file up to a limit; 0: all.
func parse(i id, data []byte, limit uint64) *segment {
	s := &segment{id: i}
	if limit > 0 && limit < uint64(len(data)) {
		data = data[:limit]
	}
	for s.damage == "" {
		rest := data[s.end:]
		payload, ok := frameAt(rest)
		if !ok {
			s.damage = s.damaged(rest)
			break
		}
		end := s.end + frameHead + uint64(len(payload)) + frameTail
		if !s.add(spot{s.end, end, payload}) {
			s.damage = "a frame at " + strconv.FormatUint(s.end, 10) + " has unknown content"
			break
		}
		s.end, s.last = end, kind(payload[0])
	}
	if limit > 0 && s.end != limit && s.damage == "" {
		s.damage = "the file ends at " + strconv.FormatUint(s.end, 10) + ", and had " + strconv.FormatUint(limit, 10) + " bytes"
	}
	return s
}

// add takes one frame.
func (s *segment) add(at spot) bool {
	d := decoder{b: at.payload[1:]}
	switch kind(at.payload[0]) {
	case kindLease:
		s.leased, s.until = true, d.time()
	case kindBase:
		b := d.base()
		s.base, s.begun = &b, at.end
	case kindAppend:
		e := d.entry()
		s.until, s.spots = e.until, append(s.spots, at)
	case kindRenew:
		s.until = d.time()
	case kindRelease:
		s.until = time.Time{}
	case kindGone:
		s.gone = true
	default:
		return false
	}
	return !d.bad
}

// frameAt returns the payload of the frame at the beginning of data, if there is a whole one.
func frameAt(data []byte) ([]byte, bool) {
	if len(data) < frameHead+1+frameTail {
		return nil, false
	}
	n := uint64(getUint32(data))
	if n == 0 || n > maxPayload || frameHead+n+frameTail > uint64(len(data)) || uint64(getUint32(data[frameHead+n:])) != n {
		return nil, false
	}
	payload := data[frameHead : frameHead+n]
	return payload, crc32.Checksum(payload, castagnoli) == getUint32(data[4:])
}

// sector is the unit in which disks write.
const sector = 512

// damaged returns what is damaged, or nothing: it distinguishes bytes that have changed from a write that a process or a machine
// did not finish. Every frame is synced before the next one is written, except the frames through the base, which are
// written together. A sector that was not written has zeros only. So bytes have changed if
//   - a whole frame follows, unless the base is missing and a sector before that frame has zeros only,
//   - the length at the end of the bytes is the length of a frame that begins where they begin, or
//   - the length at the beginning fits, and no sector in between has zeros only.
func (s *segment) damaged(rest []byte) string {
	at := "a frame at " + strconv.FormatUint(s.end, 10)
	if len(rest) < frameHead+1+frameTail {
		return ""
	}
	for i := 1; i+frameHead < len(rest); i++ {
		if _, ok := frameAt(rest[i:]); !ok {
			continue
		}
		if s.base == nil && unwritten(rest[:i], s.end) {
			return ""
		}
		return at + " has changed, and others follow it"
	}
	if s.base == nil {
		return ""
	}
	if n := uint64(getUint32(rest[len(rest)-frameTail:])); n > 0 && n+frameHead+frameTail == uint64(len(rest)) {
		if crc32.Checksum(rest[frameHead:frameHead+n], castagnoli) == getUint32(rest[4:]) || !unwritten(rest, s.end) {
			return at + " has changed"
		}
	}
	n := uint64(getUint32(rest))
	if n > 0 && n <= maxPayload && frameHead+n+frameTail <= uint64(len(rest)) && !unwritten(rest[:frameHead+n+frameTail], s.end) {
		return at + " has changed"
	}
	return ""
}

// unwritten reports whether the part of data in one of its sectors has zeros only. Data is at an offset of the file.
func unwritten(data []byte, off uint64) bool {
	zeros := make([]byte, sector)
	for len(data) > 0 {
		n := min(sector-off%sector, uint64(len(data)))
		if bytes.Equal(data[:n], zeros[:n]) {
			return true
		}
		data, off = data[n:], off+n
	}
	return false
}
