package redis

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/graphgen/graphgen/contrib/storetest"
	"github.com/graphgen/graphgen/internal/testing/dbserver"
	"github.com/graphgen/graphgen/thread"
)

// TestServerEnds kills the server at random, or shuts it down, and starts it again, while writers go on.
func TestServerEnds(t *testing.T) {
	server := dbserver.Redis(t)
	defer server.Close()
	storetest.Disturb(t, opened(t, server), func(writers *storetest.Writers) {
		writers.Acknowledged(1 + rand.IntN(200))
		if rand.IntN(3) > 0 {
			server.Kill()
		} else {
			_ = server.Signal(syscall.SIGTERM)
			server.Wait()
		}
		writers.Failed(1 + rand.IntN(5))
		if err := server.Start(); err != nil {
			t.Error(err)
		}
	})
}

// TestStoppedServer holds that the deadline of a context ends a call that the server does not answer.
func TestStoppedServer(t *testing.T) {
	server := dbserver.Redis(t)
	defer server.Close()
	s := opened(t, server)
	if err := server.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, _, err := s.Load(ctx, "a", 0)
		ended <- err
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	case <-time.After(patience / 2):
		t.Error("the call waits for the server")
	}
	if err := server.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
}

// TestProcesses kills and stops processes that write.
func TestProcesses(t *testing.T) {
	to := server(t)
	storetest.Processes(t, opened(t, to, Prefix("processes:")), address(to), false)
}

func openForWriter(ctx context.Context, address string) (thread.Store, error) {
	return Open(ctx, address, Prefix("processes:"))
}

// TestTornLog cuts the log of the server within the last step, as a machine does that loses its power: the step is gone as a
// whole, and the thread goes on.
func TestTornLog(t *testing.T) {
	server := dbserver.Redis(t)
	defer server.Close()
	s := opened(t, server)
	lease, head, err := s.Acquire(t.Context(), "a", time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	step := func(text string) {
		head.Seq, head.Status, head.Summary = head.Seq+1, thread.Running, []byte(text)
		if _, err := s.Append(t.Context(), lease, head, []thread.Record{{Seq: head.Seq, Snapshot: true, Data: []byte(text)}}); err != nil {
			t.Fatal(err)
		}
	}
	step("one")
	step("two")
	server.Kill()
	logs := server.Dir + "/appendonlydir/appendonly.aof.1.incr.aof"
	text, err := os.ReadFile(logs)
	if err != nil {
		t.Fatal(err)
	}
	last := strings.LastIndex(string(text), "MULTI")
	for _, cut := range []int{(last + len(text)) / 2, len(text) - 1} {
		if err := os.WriteFile(logs, text[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		again, records, err := s.Load(t.Context(), "a", 0)
		if err != nil || again.Seq != 1 || string(again.Summary) != "one" || len(records) != 1 {
			t.Errorf("cut at %d of %d: %+v, %v, %v", cut, len(text), again, records, err)
		}
		server.Kill()
	}
}

// TestLostTokens holds that a server which has lost its last writes gives no token again: the lease that had it writes nothing more.
func TestLostTokens(t *testing.T) {
	s, other := opened(t, server(t), Prefix("tokens:")), opened(t, server(t), Prefix("tokens:"))
	step := func(s *Store, lease thread.Lease, seq uint64) error {
		head := thread.Head{Thread: "a", Status: thread.Running, Seq: seq}
		_, err := s.Append(t.Context(), lease, head, []thread.Record{{Seq: seq, Snapshot: true, Data: []byte("data")}})
		return err
	}
	acquire := func(s *Store) thread.Lease {
		t.Helper()
		lease, _, err := s.Acquire(t.Context(), "a", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		return lease
	}
	first := acquire(s)
	if err := errors.Join(step(s, first, 1), s.Release(t.Context(), first)); err != nil {
		t.Fatal(err)
	}
	names, err := s.client.Keys(t.Context(), "tokens:*").Result()
	saved := map[string]string{}
	for _, name := range names {
		if saved[name], err = s.client.Dump(t.Context(), name).Result(); err != nil {
			t.Fatal(err)
		}
	}
	if err != nil || len(saved) < 5 {
		t.Fatalf("the keys are %q, %v", names, err)
	}
	lost := acquire(s)
	if err := step(s, lost, 2); err != nil {
		t.Fatal(err)
	}
	for name, data := range saved {
		if err := s.client.RestoreReplace(t.Context(), name, 0, data).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if err := step(other, acquire(other), 2); err != nil {
		t.Fatal(err)
	}
	err = step(s, lost, 3)
	if _, ok := errors.AsType[*thread.LostError](err); !ok {
		t.Errorf("the lease that the server has lost writes: %v", err)
	}
}

// TestLongList holds that a script looks at a bounded number of names, and that lists with few of them have all.
func TestLongList(t *testing.T) {
	s := opened(t, server(t), Prefix("list:"))
	rare := map[int]bool{0: true, 499: true, 500: true, 1499: true}
	var want []string
	_, err := s.client.Pipelined(t.Context(), func(p goredis.Pipeliner) error {
		for i := range 1500 {
			name, graph := fmt.Sprintf("t%04d", i), "common"
			if rare[i] {
				graph, want = "rare", append(want, name)
			}
			p.ZAdd(t.Context(), "list:names", goredis.Z{Member: name})
			p.HSet(t.Context(), "list:head:"+name, "graph", graph, "seq", "1", "status", "3")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	count := new(scripts)
	s.client.AddHook(count)
	for _, c := range []struct{ limit, threads, scripts int }{{100, 4, 4}, {4, 4, 3}, {3, 3, 2}, {1, 1, 1}} {
		count.n = 0
		page, err := s.List(t.Context(), thread.Filter{Graph: "rare", Limit: c.limit})
		var names []string
		for _, h := range page {
			names = append(names, h.Thread)
		}
		if err != nil || !slices.Equal(names, want[:c.threads]) || count.n != c.scripts {
			t.Errorf("of %d, a list by %d scripts has %q, %v", c.limit, count.n, names, err)
		}
	}
}

// scripts counts scripts that run.
type scripts struct{ n int }

func (*scripts) DialHook(next goredis.DialHook) goredis.DialHook { return next }

func (*scripts) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return next
}

func (s *scripts) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, cmd goredis.Cmder) error {
		err := next(ctx, cmd)
		if strings.HasPrefix(cmd.Name(), "eval") && err == nil {
			s.n++
		}
		return err
	}
}

// TestSettings holds that servers which lose what they have acknowledged are refused, unless the caller accepts it.
func TestSettings(t *testing.T) {
	for setting, value := range map[string]string{"appendonly": "no", "appendfsync": "everysec", "maxmemory-policy": "allkeys-lru"} {
		server := dbserver.Redis(t, setting, value)
		defer server.Close()
		_, err := Open(t.Context(), address(server))
		refused, ok := errors.AsType[*SettingError](err)
		if !ok || refused.Name != setting || refused.Value != value {
			t.Errorf("%s %s: the error is %v", setting, value, err)
		}
		opened(t, server, Lossy())
	}
}

// TestVersion holds that keys of a later version are refused.
func TestVersion(t *testing.T) {
	s := opened(t, server(t), Prefix("version:"))
	if err := s.client.Incr(t.Context(), "version:version").Err(); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), address(server(t)), Prefix("version:"))
	later, ok := errors.AsType[*thread.SchemaError](err)
	if !ok || later.Found != version+1 || later.Know != version {
		t.Errorf("the error is %v", err)
	}
}

// TestInvalidAddress holds that the error of an address has no part of its password.
func TestInvalidAddress(t *testing.T) {
	for _, address := range []string{"redis://user:hush/1@host", "redis://user:hush 1@host", "redis://user:hush%zz@host"} {
		if _, err := Open(t.Context(), address); err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", address, err)
		}
	}
}
