package filestore

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/thread"
)

// several makes a thread of three leases in several segments. The last lease has two records, and is released or not.
func several(t *testing.T, released bool) (d *disk, names []string, want []thread.Record) {
	t.Helper()
	d = newDisk()
	c := begin(t, d, 0)
	for i, sizes := range [][]int{{6000, 6000, 6000}, {100, 100}, {100, 100}} {
		lease, head, err := c.s.Acquire(t.Context(), "a", ttl)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range sizes {
			head.Seq, head.Status = head.Seq+1, thread.Running
			want = append(want, thread.Record{Seq: head.Seq, Snapshot: head.Seq == 1, Data: bytes.Repeat([]byte{byte(head.Seq)}, size)})
			if _, err := c.s.Append(t.Context(), lease, head, want[head.Seq-1:]); err != nil {
				t.Fatal(err)
			}
		}
		if i < 2 || released {
			if err := c.s.Release(t.Context(), lease); err != nil {
				t.Fatal(err)
			}
		}
	}
	for n := range d.now {
		if strings.HasSuffix(n, segmentEnd) {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return d, names, want
}

// unmark removes the marks of a disk.
func unmark(d *disk) {
	for n := range d.now {
		if strings.HasSuffix(n, markEnd) {
			delete(d.now, n)
		}
	}
}

// outcome is how the log of a disk is read: whole, with an error, or with so few records.
func outcome(t *testing.T, d *disk, want []thread.Record) (string, int) {
	s := begin(t, d, 0).s
	got, err := s.History(t.Context(), "a", 0, 0)
	_, corrupt := errors.AsType[*thread.CorruptError](err)
	_, missing := errors.AsType[*thread.NotFoundError](err)
	switch {
	case corrupt:
		return "error", 0
	case missing:
		return "does not exist", 0
	case err == nil && thread.Same(got, want):
		return "whole", len(got)
	case err == nil && len(got) < len(want) && thread.Same(got, want[:len(got)]):
		return "shorter", len(got)
	}
	t.Errorf("records %v, %v", got, err)
	return "wrong", 0
}

// TestCutLog cuts each segment of a thread at every byte, and changes every byte. Where the lease was released, no record is missed in silence; where its
// process ended, those after the first of the lease can be. Without marks, every loss at the end looks like a write that did not end.
func TestCutLog(t *testing.T) {
	for _, test := range []struct {
		name            string
		released, marks bool
		least           int // records that are never missed in silence
	}{
		{"released", true, true, 7},
		{"left", false, true, 6},
		{"without marks", true, false, 0},
	} {
		t.Run(strings.ReplaceAll(test.name, " ", "_"), func(t *testing.T) {
			d, names, want := several(t, test.released)
			if len(names) < 2 {
				t.Fatalf("the segments are %v", names)
			}
			if !test.marks {
				unmark(d)
			}
			cuts, flips := map[string]int{}, map[string]int{}
			try := func(name string, data []byte, seen map[string]int) {
				whole := d.now[name].data
				d.now[name].data = data
				result, n := outcome(t, d, want)
				d.now[name].data = whole
				seen[result]++
				if result != "error" && n < test.least {
					t.Errorf("%s with %d of %d bytes: %s, %d records", name, len(data), len(whole), result, n)
				}
			}
			for _, name := range names {
				data := d.now[name].data
				step := stride()
				if len(data) > 2*sector {
					step = 37 // large records: the bytes of one are alike
				}
				for at := 0; at < len(data); at += step {
					try(name, data[:at], cuts)
					changed := bytes.Clone(data)
					changed[at] ^= 1 << (at % 8)
					try(name, changed, flips)
				}
			}
			t.Log(len(names), "segments; cuts", cuts, "changes", flips)
			if silent := cuts["shorter"] + cuts["does not exist"]; test.marks == (silent > 0) && test.released {
				t.Errorf("%d cuts are not found", silent)
			}
		})
	}
}
