package thread

import (
	"bytes"
	"context"
	"iter"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/graphgen/graphgen/internal/quote"
)

// CheckName refuses a name that no thread may have.
func CheckName(thread string) error {
	switch {
	case thread == "":
		return &InvalidError{thread, "a thread needs a name"}
	case len(thread) > MaxName:
		return &InvalidError{thread, "a name has at most " + strconv.Itoa(MaxName) + " bytes"}
	case !utf8.ValidString(thread) || strings.ContainsRune(thread, 0):
		return &InvalidError{thread, "a name is UTF-8 without the byte 0"}
	}
	return nil
}

// CheckTTL refuses the time of a lease that is not positive.
func CheckTTL(thread string, ttl time.Duration) error {
	if ttl <= 0 {
		return &InvalidError{thread, "a lease needs a positive time"}
	}
	return nil
}

// CheckLease refuses the lease that no Acquire has given.
func CheckLease(lease Lease) error {
	if lease.Token == 0 {
		return &LostError{Thread: lease.Thread, Token: lease.Token}
	}
	return nil
}

// CheckAppend refuses arguments of Append that no store accepts. Stores call it before they write.
func CheckAppend(lease Lease, head Head, records []Record) error {
	problem := ""
	switch {
	case head.Thread != lease.Thread:
		problem = "the head is of thread " + quote.Text(head.Thread)
	case head.Status == New || int(head.Status) >= len(statuses):
		problem = "a head cannot have the status " + head.Status.String()
	case head.Seq == 0:
		problem = "a thread without records has no head"
	case len(records) > 0 && records[len(records)-1].Seq != head.Seq:
		problem = "the head is of record " + strconv.FormatUint(head.Seq, 10) + ", and the last record has another number"
	case len(records) > 0 && records[0].Seq == 1 && !records[0].Snapshot:
		problem = "the first record of a thread has to be a snapshot"
	default:
		problem = checkRecords(records)
	}
	if problem != "" {
		return &InvalidError{lease.Thread, problem}
	}
	return nil
}

func checkRecords(records []Record) string {
	size := 0
	for i, r := range records {
		if r.Seq == 0 || r.Seq != records[0].Seq+uint64(i) {
			return "record " + strconv.FormatUint(r.Seq, 10) + " is out of order"
		}
		if size += len(r.Data); size > MaxData {
			return "the records of one Append have more than " + strconv.Itoa(MaxData) + " bytes"
		}
	}
	return ""
}

// CheckCopy refuses arguments of Copy that no store accepts.
func CheckCopy(at uint64, head Head) error {
	if err := CheckName(head.Thread); err != nil {
		return err
	}
	if at == 0 || head.Seq != at {
		return &InvalidError{head.Thread, "the head of a copy has the number of its last record"}
	}
	return CheckAppend(Lease{Thread: head.Thread}, head, nil)
}

// Same reports whether stored records equal the records of a repeated Append.
func Same(stored, records []Record) bool {
	if len(stored) != len(records) {
		return false
	}
	for i, r := range stored {
		if r.Seq != records[i].Seq || r.Snapshot != records[i].Snapshot || !bytes.Equal(r.Data, records[i].Data) {
			return false
		}
	}
	return true
}

// Moment returns a time as stores keep it: in UTC, to the microsecond.
func Moment(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Microsecond)
}

// All returns the heads of all threads that a filter selects, page by page. The last element has the error, if
// any.
func All(ctx context.Context, s Store, filter Filter) iter.Seq2[Head, error] {
	return func(yield func(Head, error) bool) {
		for {
			page, err := s.List(ctx, filter)
			if err != nil {
				yield(Head{}, err)
				return
			}
			for _, h := range page {
				if !yield(h, nil) {
					return
				}
				filter.After = h.Thread
			}
			if len(page) < filter.Page() {
				return
			}
		}
	}
}
