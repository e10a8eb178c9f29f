package sqlite

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/graphgen/graphgen/contrib/storetest"
	"github.com/graphgen/graphgen/internal/testing/kill9"
	"github.com/graphgen/graphgen/internal/testing/killserve"
	"github.com/graphgen/graphgen/thread"
)

func TestMain(m *testing.M) {
	open := func(ctx context.Context, address string) (thread.Store, error) { return Open(ctx, address) }
	storetest.Main(open)
	kill9.Main(open, writeRow)
	killserve.Main(open)
	os.Exit(m.Run())
}

// TestProcesses kills and stops processes that write. A process that is stopped within a transaction has the lock of the
// database, which SQLite takes from none that lives, so that the others wait for it: the test stops them between two steps.
func TestProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "threads.db")
	storetest.Processes(t, opened(t, path), path, true)
}

// TestSchema holds that the schema is made once, also by many at once, and that one of a later version is refused.
func TestSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "threads.db")
	done := make(chan error)
	for range 8 {
		go func() {
			s, err := Open(t.Context(), path)
			if err == nil {
				err = s.Close()
			}
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	s := opened(t, path)
	if _, err := s.write.Exec("pragma user_version = 99"); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), path)
	later, ok := errors.AsType[*thread.SchemaError](err)
	if !ok || later.Found != 99 || later.Know != len(migrations) {
		t.Errorf("the error is %v", err)
	}
}

// steps appends records with a text each.
func steps(t *testing.T, s *Store, n int) (thread.Lease, thread.Head) {
	t.Helper()
	lease, head, err := s.Acquire(t.Context(), "a", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for range n {
		head.Seq, head.Status = head.Seq+1, thread.Running
		if _, err := s.Append(t.Context(), lease, head, []thread.Record{{Seq: head.Seq, Snapshot: true, Data: bytes.Repeat([]byte("text"), 5)}}); err != nil {
			t.Fatal(err)
		}
	}
	return lease, head
}

// TestFullDisk holds that an Append without space writes nothing, and succeeds when there is space again.
func TestFullDisk(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "threads.db"))
	lease, head := steps(t, s, 3)
	var pages int
	if err := s.write.QueryRow("pragma page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	if _, err := s.write.Exec("pragma max_page_count = 1"); err != nil { // as many as there are
		t.Fatal(err)
	}
	head.Seq++
	record := []thread.Record{{Seq: head.Seq, Data: make([]byte, 1<<20)}}
	if _, err := s.Append(t.Context(), lease, head, record); err == nil {
		t.Error("Append had no error")
	}
	if got, _, err := s.Load(t.Context(), "a", 0); err != nil || got.Seq != 3 {
		t.Errorf("the thread has %d records, %v", got.Seq, err)
	}
	if _, err := s.write.Exec("pragma max_page_count = 1000000"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(t.Context(), lease, head, record); err != nil {
		t.Error(err)
	}
}

// TestChangedBytes changes the data of a record in the file: the error says how far the log is intact.
func TestChangedBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "threads.db")
	s := opened(t, path)
	lease, head := steps(t, s, 2)
	head.Seq++
	if _, err := s.Append(t.Context(), lease, head, []thread.Record{{Seq: head.Seq, Snapshot: true, Data: []byte("this is changed")}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || bytes.Count(text, []byte("this is changed")) != 1 {
		t.Fatal("the text is not in the file", err)
	}
	if err := os.WriteFile(path, bytes.Replace(text, []byte("this is changed"), []byte("this is Changed"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	s = opened(t, path)
	_, _, err = s.Load(t.Context(), "a", 0)
	damage, ok := errors.AsType[*thread.CorruptError](err)
	if !ok || damage.Good != 2 {
		t.Fatalf("the error is %v", err)
	}
	if _, records, err := s.Load(t.Context(), "a", damage.Good); err != nil || len(records) != 1 {
		t.Errorf("the record before: %v, %v", records, err)
	}
	if err := s.Copy(t.Context(), "a", damage.Good, thread.Head{Thread: "b", Status: thread.Running, Seq: damage.Good}); err != nil {
		t.Error(err)
	}
}
