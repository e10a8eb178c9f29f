//go:build unix

package storetest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/graphgen/graphgen/thread"
)

// Variables of the environment of a process that writes: the address of the store, and after how many records it
// stops itself.
const (
	writerVariable = "GRAPHGEN_STORETEST_WRITER"
	stopVariable   = "GRAPHGEN_STORETEST_STOP"
)

// lasting is the time of the leases of processes.
const lasting = 50 * time.Millisecond

// Main is for TestMain of a package that calls Processes. In a process that writes, it opens the store of an address,
// writes until the lease is lost, and does not return.
func Main(open func(ctx context.Context, address string) (thread.Store, error)) {
	address := os.Getenv(writerVariable)
	if address == "" {
		return
	}
	ctx := context.Background()
	s, err := open(ctx, address)
	if err == nil {
		err = writes(ctx, s)
	}
	fmt.Println("error", err)
	os.Exit(0)
}

// writes appends records, and prints those that were acknowledged.
func writes(ctx context.Context, s thread.Store) error {
	lease, head, err := s.Acquire(ctx, "a", lasting)
	if err != nil {
		return err
	}
	stop, _ := strconv.Atoi(os.Getenv(stopVariable))
	for n := 1; ; n++ {
		head.Seq, head.Status = head.Seq+1, thread.Running
		text := fmt.Sprintf("S%d by %d", head.Seq, lease.Token)
		if _, err := s.Append(ctx, lease, head, []thread.Record{record(head.Seq, text)}); err != nil {
			return err
		}
		fmt.Println("ack", text)
		if n == stop {
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			time.Sleep(200 * time.Millisecond) // until it arrives
		}
	}
}

// Processes starts processes that write to a store, each after some records. Some are killed; the next one has to find
// every record that was acknowledged, and at most one more. Others are stopped until another writer has followed: then they
// have to find out that their lease is lost, and the log has one history. With between, processes are stopped between
// two calls only: for stores with a lock that the system does not take from a process that is stopped.
func Processes(t *testing.T, s thread.Store, address string, between bool) {
	t.Helper()
	rounds := 40
	if testing.Short() {
		rounds = 6
	}
	var acked []string
	for round := range rounds {
		signal, stop, n := syscall.SIGKILL, 0, 1+rand.IntN(8)
		if round%2 > 0 {
			signal = syscall.SIGSTOP
		}
		if between && signal == syscall.SIGSTOP {
			stop = n
		}
		p := launch(t, address, stop)
		before := len(acked)
		for range n {
			acked = append(acked, p.ack(t))
		}
		if stop == 0 {
			time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
			if err := p.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
		}
		if signal == syscall.SIGKILL {
			acked = append(acked, p.rest(t)...)
		}
		follower := fmt.Sprintf("S follower %d", round)
		head := follows(t, s, follower)
		if signal == syscall.SIGSTOP {
			if err := p.cmd.Process.Signal(syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			acked = append(acked, p.rest(t)...)
			if !strings.Contains(p.last, "is lost") {
				t.Errorf("round %d: the writer that was stopped ended with %q", round, p.last)
			}
		}
		records, err := s.History(t.Context(), "a", 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		open := int(head.Seq) - 1 - len(acked) // records that were written and not acknowledged
		if open < 0 || open > 1 || len(records) != int(head.Seq) {
			t.Fatalf("round %d: %d records were acknowledged before the follower, whose record is %d of %d", round, len(acked), head.Seq, len(records))
		}
		for i := before; i < len(acked); i++ {
			if got := string(records[i].Data); got != acked[i] {
				t.Errorf("round %d: record %d is %q, and %q was acknowledged", round, i+1, got, acked[i])
			}
		}
		acked = acked[:0]
		for _, r := range records {
			acked = append(acked, string(r.Data))
		}
	}
	t.Log(len(acked), "records in", rounds, "processes")
}

// follows acquires the thread when the lease of the process has ended, and appends a record.
func follows(t *testing.T, s thread.Store, text string) thread.Head {
	t.Helper()
	for {
		lease, head, err := s.Acquire(t.Context(), "a", time.Hour)
		if _, held := errors.AsType[*thread.HeldError](err); held {
			time.Sleep(5 * time.Millisecond)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		head.Seq, head.Status = head.Seq+1, thread.Running
		_, err = s.Append(t.Context(), lease, head, []thread.Record{record(head.Seq, text)})
		if err := errors.Join(err, s.Release(t.Context(), lease)); err != nil {
			t.Fatal(err)
		}
		return head
	}
}

// A launched is a process that writes.
type launched struct {
	cmd  *exec.Cmd
	out  *bufio.Reader
	last string
}

func launch(t *testing.T, address string, stop int) *launched {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), writerVariable+"="+address, stopVariable+"="+strconv.Itoa(stop))
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return &launched{cmd: cmd, out: bufio.NewReader(out)}
}

// ack returns the next record that was acknowledged.
func (p *launched) ack(t *testing.T) string {
	t.Helper()
	line, err := p.out.ReadString('\n')
	ack, ok := strings.CutPrefix(strings.TrimSpace(line), "ack ")
	if err != nil || !ok {
		t.Fatalf("the writer printed %q, %v", line, err)
	}
	return ack
}

// rest returns the other records that were acknowledged, after the process has ended.
func (p *launched) rest(t *testing.T) (acks []string) {
	t.Helper()
	text, err := io.ReadAll(p.out)
	if err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Wait()
	for line := range strings.Lines(string(text)) {
		p.last = strings.TrimSpace(line)
		if ack, ok := strings.CutPrefix(p.last, "ack "); ok && strings.HasSuffix(line, "\n") {
			acks = append(acks, ack)
		}
	}
	return acks
}
