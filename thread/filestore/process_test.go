//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filestore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/graphgen/graphgen/thread"
)

// The variable of the environment that makes this program a writer: folder, signal, operation, time of leases.
const writerVariable = "GRAPHGEN_TEST_WRITER"

func TestMain(m *testing.M) {
	if args := os.Getenv(writerVariable); args != "" {
		if err := write(strings.Split(args, "|")); err != nil {
			fmt.Println("error", err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A signalling file system sends a signal to its own process before one of its operations.
type signalling struct {
	osFiles
	ops, at int
	signal  syscall.Signal
}

type signallingFile struct {
	file
	s *signalling
}

func (s *signalling) op() {
	if s.ops++; s.ops == s.at {
		_ = syscall.Kill(os.Getpid(), s.signal)
		for s.signal == syscall.SIGKILL { // until it arrives
			time.Sleep(time.Second)
		}
	}
}

func (s *signalling) Create(name string) (file, error) {
	s.op()
	f, err := s.osFiles.Create(name)
	return signallingFile{f, s}, err
}
func (s *signalling) ReadFile(n string) ([]byte, error)  { s.op(); return s.osFiles.ReadFile(n) }
func (s *signalling) ReadDir(n string) ([]string, error) { s.op(); return s.osFiles.ReadDir(n) }
func (s *signalling) Mkdir(n string) error               { s.op(); return s.osFiles.Mkdir(n) }
func (s *signalling) Remove(n string) error              { s.op(); return s.osFiles.Remove(n) }
func (s *signalling) SyncDir(n string) error             { s.op(); return s.osFiles.SyncDir(n) }

func (f signallingFile) Sync() error { f.s.op(); return f.file.Sync() }

// WriteAt writes in two parts, with a chance for the signal between them.
func (f signallingFile) WriteAt(b []byte, off int64) (int, error) {
	f.s.op()
	half := len(b) / 2
	if _, err := f.file.WriteAt(b[:half], off); err != nil {
		return 0, err
	}
	f.s.op()
	n, err := f.file.WriteAt(b[half:], off+int64(half))
	return half + n, err
}

// write is a process that writes to a thread: it appends three records, renews, goes on in a second lease, and prints what
// was acknowledged.
func write(args []string) error {
	signal, _ := strconv.Atoi(args[1])
	at, _ := strconv.Atoi(args[2])
	ttl, err := time.ParseDuration(args[3])
	if err != nil {
		return err
	}
	f := &signalling{at: at, signal: syscall.Signal(signal)}
	s, err := open(args[0], f, time.Now)
	if err != nil {
		return err
	}
	ctx := context.Background()
	for range 2 {
		lease, head, err := s.Acquire(ctx, "a", ttl)
		if err != nil {
			return err
		}
		for range 3 {
			head.Seq, head.Status = head.Seq+1, thread.Running
			data := fmt.Sprintf("S%d of %d", head.Seq, lease.Token)
			if _, err := s.Append(ctx, lease, head, []thread.Record{{Seq: head.Seq, Snapshot: true, Data: []byte(data)}}); err != nil {
				return err
			}
			fmt.Printf("ack %s\n", data)
		}
		if _, err := s.Renew(ctx, lease); err != nil {
			return err
		}
		if err := s.Release(ctx, lease); err != nil {
			return err
		}
	}
	fmt.Println("ops", f.ops)
	return nil
}

// A process is a writer that has been started.
type process struct {
	pid int
	out string
}

// start starts a writer.
func start(t *testing.T, dir string, signal syscall.Signal, at int, ttl time.Duration) *process {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s|%d|%d|%s", writerVariable, dir, signal, at, ttl))
	cmd.Stdout = f
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &process{cmd.Process.Pid, out}
}

// wait waits until the process has stopped or ended.
func (p *process) wait(t *testing.T) (status syscall.WaitStatus) {
	t.Helper()
	for {
		_, err := syscall.Wait4(p.pid, &status, syscall.WUNTRACED, nil)
		if err == nil {
			return status
		}
		if !errors.Is(err, syscall.EINTR) {
			t.Fatal(err)
		}
	}
}

// acknowledged returns what was acknowledged to the process, and the last line that it has printed.
func (p *process) acknowledged(t *testing.T) (acks []string, last string) {
	t.Helper()
	text, err := os.ReadFile(p.out)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		last = strings.TrimSpace(line)
		if ack, ok := strings.CutPrefix(last, "ack "); ok {
			acks = append(acks, ack)
		}
	}
	return acks, last
}

// follow acquires the thread when the lease of the process has ended, and appends a record.
func follow(t *testing.T, s *Store, text string) thread.Head {
	t.Helper()
	for {
		lease, head, err := s.Acquire(t.Context(), "a", time.Hour)
		if _, held := errors.AsType[*thread.HeldError](err); held {
			time.Sleep(time.Millisecond)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		head.Seq, head.Status = head.Seq+1, thread.Running
		_, err = s.Append(t.Context(), lease, head, []thread.Record{{Seq: head.Seq, Snapshot: true, Data: []byte(text)}})
		if err := errors.Join(err, s.Release(t.Context(), lease)); err != nil {
			t.Fatal(err)
		}
		return head
	}
}

// logged returns the texts of the log, and holds that they are numbered.
func logged(t *testing.T, s *Store) (texts []string) {
	t.Helper()
	records, err := s.History(t.Context(), "a", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range records {
		if r.Seq != uint64(i+1) {
			t.Errorf("record %d follows %d others", r.Seq, i)
		}
		texts = append(texts, string(r.Data))
	}
	return texts
}

// opsOfWriter returns how many operations a writer has that nothing disturbs.
func opsOfWriter(t *testing.T) int {
	t.Helper()
	p := start(t, filepath.Join(t.TempDir(), "s"), syscall.SIGKILL, 0, time.Hour)
	p.wait(t)
	acks, last := p.acknowledged(t)
	n, ok := strings.CutPrefix(last, "ops ")
	ops, err := strconv.Atoi(n)
	if !ok || err != nil || len(acks) != 6 {
		t.Fatalf("the writer printed %v, %s", acks, last)
	}
	return ops
}

// TestKill kills a writer before each of its operations. The next process gets the thread at once, although the lease was
// for an hour, with every record that was acknowledged, and at most one more.
func TestKill(t *testing.T) {
	ops := opsOfWriter(t)
	for at := 1; at <= ops; at += stride() {
		dir := filepath.Join(t.TempDir(), "s")
		p := start(t, dir, syscall.SIGKILL, at, time.Hour)
		if status := p.wait(t); !status.Signaled() {
			t.Fatalf("operation %d: the writer was not killed", at)
		}
		acks, _ := p.acknowledged(t)
		s, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		head := follow(t, s, "S follower")
		texts := logged(t, s)
		if n := uint64(len(texts)); n != head.Seq || len(texts) < len(acks)+1 || len(texts) > len(acks)+2 {
			t.Errorf("operation %d: %d records were acknowledged, the log is %v", at, len(acks), texts)
			continue
		}
		for i, ack := range acks {
			if texts[i] != ack {
				t.Errorf("operation %d: record %d is %q, %q was acknowledged", at, i+1, texts[i], ack)
			}
		}
	}
}

// TestStopped stops a writer before each of its operations until another process has written. Then the writer goes on: what is
// acknowledged to either is in the log, in one history, and the writer finds out that it has lost its lease.
func TestStopped(t *testing.T) {
	lost := 0
	ops := opsOfWriter(t)
	for at := 1; at <= ops; at += stride() {
		dir := filepath.Join(t.TempDir(), "s")
		p := start(t, dir, syscall.SIGSTOP, at, time.Millisecond)
		if status := p.wait(t); !status.Stopped() {
			continue // the process was so slow that it lost its lease to none: it has ended with an error, or without
		}
		s, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		before, _ := p.acknowledged(t)
		followed := follow(t, s, "S follower")
		if err := syscall.Kill(p.pid, syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		for status := p.wait(t); !status.Exited(); {
			status = p.wait(t)
		}
		acks, last := p.acknowledged(t)
		texts := logged(t, s)
		in := map[string]int{}
		for _, text := range texts {
			in[text]++
		}
		for _, ack := range append(acks, "S follower") {
			if in[ack] != 1 {
				t.Errorf("operation %d: %q is in the log %d times: %v", at, ack, in[ack], texts)
			}
		}
		if strings.Contains(last, "is lost") {
			lost++
		} else if strings.HasPrefix(last, "error") {
			t.Errorf("operation %d: %s", at, last)
		}
		if len(acks) > len(before) && texts[followed.Seq-1] != "S follower" {
			t.Errorf("operation %d: the record of the follower has moved: %v", at, texts)
		}
	}
	if lost == 0 {
		t.Error("no writer has lost its lease")
	}
	t.Log(lost, "writers have lost their leases")
}
