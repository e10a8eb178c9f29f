package thread

import "strconv"

// A Span has the numbers of the first and the last record that a store has of a thread; zero: it has none. Records before the
// first were pruned. Stores whose records can be damaged or removed compare it with what they read.
type Span struct{ First, Last uint64 }

// CheckHead returns the error of a log that does not end with the record of its head. Acquire and Load of the whole thread call it.
func (s Span) CheckHead(h *Head) error {
	switch {
	case s.Last < h.Seq:
		return s.missing(h.Thread, s.Last+1, ", and the head is of record "+strconv.FormatUint(h.Seq, 10))
	case s.Last > h.Seq || s.First > h.Seq:
		return &CorruptError{
			Thread: h.Thread, Good: h.Seq,
			Where: "the head is of record " + strconv.FormatUint(h.Seq, 10) + ", and the log has the records " +
				strconv.FormatUint(s.First, 10) + " through " + strconv.FormatUint(s.Last, 10),
		}
	}
	return nil
}

// CheckLoad returns the error of records that Load has read for one at; 0 is the last one.
func (s Span) CheckLoad(h *Head, at uint64, records []Record) error {
	seq := at
	if at == 0 {
		if err := s.CheckHead(h); err != nil {
			return err
		}
		seq = h.Seq
	}
	switch {
	case seq > h.Seq || seq < s.First:
		return &NotFoundError{h.Thread, seq}
	case len(records) == 0 || !records[0].Snapshot:
		return &CorruptError{Thread: h.Thread, Where: "every snapshot before record " + strconv.FormatUint(seq, 10) + " is missing"}
	}
	return s.check(h.Thread, records[0].Seq, seq, records)
}

// CheckHistory returns the error of records that History has read after a number, at most limit of them.
func (s Span) CheckHistory(h *Head, after uint64, limit int, records []Record) error {
	if after >= h.Seq {
		return s.CheckHead(h)
	}
	through, whole := h.Seq, true
	if n := len(records); limit > 0 && n >= limit && records[n-1].Seq <= h.Seq {
		through, whole = records[n-1].Seq, false
	}
	if err := s.check(h.Thread, max(after+1, s.First), through, records); err != nil || !whole {
		return err
	}
	return s.CheckHead(h)
}

// CheckCopy returns the error of a copy through a record that has so many records.
func (s Span) CheckCopy(h *Head, at uint64, records int64) error {
	switch {
	case at > h.Seq || at < s.First:
		return &NotFoundError{h.Thread, at}
	case s.First == 0 || records != int64(at-s.First+1):
		return &CorruptError{Thread: h.Thread, Where: "a record through " + strconv.FormatUint(at, 10) + " is missing"}
	}
	return nil
}

// check returns the error of records from one number through another.
func (s Span) check(thread string, from, through uint64, records []Record) error {
	for i := range records {
		switch r := &records[i]; {
		case r.Seq != from:
			return s.missing(thread, from, "")
		case r.Seq == s.First && !r.Snapshot:
			return s.missing(thread, r.Seq-1, "")
		}
		from++
	}
	if from <= through {
		return s.missing(thread, from, "")
	}
	return nil
}

// missing returns the error of a record that is missing.
func (s Span) missing(thread string, seq uint64, more string) error {
	e := &CorruptError{Thread: thread, Where: "record " + strconv.FormatUint(seq, 10) + " is missing" + more}
	if seq > s.First {
		e.Good = seq - 1
	}
	return e
}
