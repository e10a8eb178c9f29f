package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/thread"
)

// written makes a database with a thread of some records, and returns its bytes and the records.
func written(t *testing.T) (file []byte, want []thread.Record) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "threads.db")
	s := opened(t, path)
	lease, head, err := s.Acquire(t.Context(), "a", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for head.Seq < 12 {
		head.Seq, head.Status = head.Seq+1, thread.Paused
		r := thread.Record{Seq: head.Seq, Snapshot: head.Seq == 1, Data: bytes.Repeat([]byte{byte('a' + head.Seq)}, 150)}
		if _, err := s.Append(t.Context(), lease, head, []thread.Record{r}); err != nil {
			t.Fatal(err)
		}
		want = append(want, r)
	}
	if err := errors.Join(s.Release(t.Context(), lease), s.Close()); err != nil {
		t.Fatal(err)
	}
	if file, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return file, want
}

// reads returns how the thread of a file is read: whole, with an error, or with a loss that nothing shows.
func reads(ctx context.Context, path string, want []thread.Record) string {
	s, err := Open(ctx, path)
	if err != nil {
		return "error of Open"
	}
	defer func() { _ = s.Close() }()
	head, _, load := s.Load(ctx, "a", 0)
	got, history := s.History(ctx, "a", 0, 0)
	_, acquired, acquire := s.Acquire(ctx, "a", time.Hour)
	switch {
	case history == nil && !thread.Same(got, want):
		return fmt.Sprintf("History lost %d records", len(want)-len(got))
	case load == nil && head.Seq != uint64(len(want)):
		return fmt.Sprintf("Load has a head at %d", head.Seq)
	case acquire == nil && acquired.Seq == 0 && renamed(ctx, s):
		return "another name"
	case acquire == nil && acquired.Seq == 0:
		return "Acquire has an empty thread"
	case load == nil && history == nil:
		return "whole"
	}
	_, missing := errors.AsType[*thread.NotFoundError](load)
	if missing && acquire == nil {
		return "the thread is not found"
	}
	return "error"
}

// renamed reports whether the name of the thread has changed in the table or in its index, which have no checksums.
func renamed(ctx context.Context, s *Store) bool {
	var check string
	err := s.read.QueryRowContext(ctx, "pragma integrity_check").Scan(&check)
	heads, list := s.List(ctx, thread.Filter{})
	return err != nil || check != "ok" || list == nil && len(heads) == 1 && heads[0].Thread != "a"
}

// TestChangedFile changes single bits of a database, and cuts it at every page: each record is read as it was, or there is an error. A name that
// has changed is that of another thread.
func TestChangedFile(t *testing.T) {
	file, want := written(t)
	path := filepath.Join(t.TempDir(), "threads.db")
	seen := map[string]int{}
	try := func(what string, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		result := reads(t.Context(), path, want)
		seen[result]++
		if result != "whole" && result != "error" && result != "error of Open" && result != "another name" {
			t.Errorf("%s: %s", what, result)
		}
		for _, end := range []string{"-wal", "-shm"} {
			_ = os.Remove(path + end)
		}
	}
	for at := 0; at < len(file); at += tier.Pick(97, 23, 1) {
		data := bytes.Clone(file)
		data[at] ^= 1 << (at % 8)
		try(fmt.Sprintf("byte %d of %d", at, len(file)), data)
	}
	for size := pageSize; size < len(file); size += pageSize {
		try(fmt.Sprintf("%d of %d bytes", size, len(file)), file[:size])
	}
	t.Log(seen)
	if bytesOfName := 20; seen["another name"] > bytesOfName || seen["error"] == 0 {
		t.Error("too many changes are not found")
	}
}
