package mcp_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen/contrib/mcp"
)

// down returns the error as a DownError, and fails the test where it is none.
func down(t *testing.T, err error) *mcp.DownError {
	t.Helper()
	var down *mcp.DownError
	if !errors.As(err, &down) {
		t.Fatalf("got %v (%T)", err, err)
	}
	return down
}

func pid(t *testing.T, s *mcp.Server) string {
	t.Helper()
	result, err := call(t.Context(), t, s, "pid", "")
	if err != nil {
		t.Fatal(err)
	}
	return result.Text
}

func TestServerDiesInCall(t *testing.T) {
	s := command(t)
	_, err := call(t.Context(), t, s, "crash", `{"text":"the disk is on fire"}`)
	e := down(t, err)
	if e.Server != "testserver" || e.Tool != "crash" || e.Status != "exit status 3" || e.Stderr != "the disk is on fire" {
		t.Errorf("got %+v", e)
	}
	const says = `mcp server "testserver", tool "crash": the server is down: the process ended (exit status 3); ` +
		"its standard error ends with:\nthe disk is on fire"
	if err.Error() != says {
		t.Errorf("got %s", err)
	}
	answers(t, s)
}

func TestServerDiesWithCalls(t *testing.T) {
	stderr := newWatched()
	s := command(t, mcp.Stderr(stderr))
	wait, crash := find(t, s, "wait"), find(t, s, "crash")
	errs := make(chan error)
	for range 3 {
		go func() {
			_, err := wait.Call(t.Context(), "")
			errs <- err
		}()
		stderr.until(t, "waiting")
	}
	if _, err := crash.Call(t.Context(), `{"text":"bye"}`); down(t, err).Status != "exit status 3" {
		t.Errorf("got %v", err)
	}
	for range 3 {
		if e := down(t, <-errs); e.Tool != "wait" || e.Status != "exit status 3" {
			t.Errorf("got %+v", e)
		}
	}
	answers(t, s)
}

func TestRestartWaits(t *testing.T) {
	clock := &mcp.Clock{Time: time.Unix(1e9, 0), Wait: make(chan time.Duration, 10), Over: make(chan time.Time)}
	close(clock.Over)
	s := command(t, mcp.Restarts(4), mcp.WithClock(clock))
	crash := find(t, s, "crash")
	for range 5 {
		if _, err := crash.Call(t.Context(), `{"text":"again"}`); down(t, err).Status != "exit status 3" {
			t.Errorf("got %v", err)
		}
	}
	close(clock.Wait)
	var waits []time.Duration
	for d := range clock.Wait {
		waits = append(waits, d)
	}
	if want := []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second}; !slices.Equal(waits, want) {
		t.Errorf("it waited %s, want %s", waits, want)
	}
	_, err := crash.Call(t.Context(), `{"text":"again"}`)
	e := down(t, err)
	if !strings.Contains(e.Error(), "went down 5 times within 10m") || e.Status != "exit status 3" || e.Stderr != "again" {
		t.Errorf("got %v", err)
	}
	clock.Time = clock.Time.Add(mcp.RestartWindow)
	answers(t, s)
}

func TestRestartWaitIsCancelled(t *testing.T) {
	clock := &mcp.Clock{Wait: make(chan time.Duration), Over: make(chan time.Time)}
	s := command(t, mcp.WithClock(clock))
	crash := find(t, s, "crash")
	for range 2 {
		_, err := crash.Call(t.Context(), `{"text":"again"}`)
		down(t, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-clock.Wait
		cancel()
	}()
	if _, err := crash.Call(ctx, `{"text":"again"}`); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestServerDoesNotStart(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	cases := []struct {
		name   string
		argv   []string
		status string
		says   string
	}{
		{"it exits with a message", []string{program, "-fail", "no licence"}, "exit status 4", "no licence"},
		{"it is not there", []string{"/nowhere/testserver"}, "", "no such file"},
		{"it says nothing", []string{program, "-child", silent.Addr().String()}, "signal: killed", "it was not ready within 100ms"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, err := mcp.Command(c.argv, mcp.Name("it"), mcp.StartTimeout(100*time.Millisecond))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			_, err = s.Tools(t.Context())
			if e := down(t, err); e.Server != "it" || e.Status != c.status || !strings.Contains(e.Error(), c.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestPingUnanswered(t *testing.T) {
	clock := &mcp.Clock{Wait: make(chan time.Duration, 10), Over: make(chan time.Time)}
	close(clock.Over)
	stderr := newWatched()
	s := command(t, mcp.Stderr(stderr), mcp.WithClock(clock), mcp.StartTimeout(time.Minute))
	before, freeze := pid(t, s), find(t, s, "freeze")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := freeze.Call(ctx, "")
		done <- err
	}()
	stderr.until(t, "freezing")
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if after := pid(t, s); after == before {
		t.Error("it is the same process")
	}
	if d := <-clock.Wait; d != time.Minute {
		t.Errorf("it had %s to answer", d)
	}
}

func TestPingAnswered(t *testing.T) {
	clock := &mcp.Clock{Wait: make(chan time.Duration, 10), Over: make(chan time.Time)}
	for _, protocol := range []string{"", "2025-11-25"} {
		stderr := newWatched()
		s := command(t, mcp.Stderr(stderr), mcp.WithClock(clock), mcp.Protocol(protocol))
		before, wait := pid(t, s), find(t, s, "wait")
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			_, err := wait.Call(ctx, "")
			done <- err
		}()
		stderr.until(t, "waiting")
		cancel()
		<-done
		if after := pid(t, s); after != before {
			t.Error("it is another process")
		}
	}
}

func TestDeafServer(t *testing.T) {
	stderr := newWatched()
	s := command(t, mcp.Stderr(stderr))
	before, freeze, echo := pid(t, s), find(t, s, "freeze"), find(t, s, "echo")
	done := make(chan error)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, err := freeze.Call(ctx, "")
		done <- err
	}()
	stderr.until(t, "freezing")
	// A call may be over before it has written anything, which leaves the server as it was.
	for wait := 50 * time.Millisecond; ; wait *= 2 {
		short, end := context.WithTimeout(t.Context(), wait)
		_, err := echo.Call(short, `{"text":"`+strings.Repeat("x", 1<<20)+`"}`)
		end()
		if err == nil {
			break
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
	}
	if e := down(t, <-done); !strings.Contains(e.Error(), "does not read its standard input") {
		t.Errorf("got %v", e)
	}
	cancel()
	if after := pid(t, s); after == before {
		t.Error("it is the same process")
	}
}

func TestNoiseOnStdout(t *testing.T) {
	cases := []struct {
		name, line string
		down       string // what the error says; empty: the call goes on
	}{
		{"a line of a log is passed over", `Listening on port 3000`, ""},
		{"an empty line, too", ``, ""},
		{"a notification that is of no use, too", `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`, ""},
		{"a notification that does not exist, too", `{"jsonrpc":"2.0","method":"notifications/otters"}`, ""},
		{"a second answer, too", `{"jsonrpc":"2.0","id":1,"result":{}}`, ""},
		{"what is asked of the client is declined", `{"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`, ""},
		{"a batch is read", `[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","id":"b","method":"roots/list"}]`, ""},
		{"an answer to a call that was never made ends it", `{"jsonrpc":"2.0","id":4711,"result":{}}`, "the server answered call 4711, which was not made"},
		{"one to a text does, too", `{"jsonrpc":"2.0","id":"four","result":{}}`, "the server answered call four, which was not made"},
		{"an object that is cut off does, too", `{"jsonrpc":"2.0","id":`, "not a message of JSON-RPC"},
		{"an object that is no message does, too", `{"level":"info","msg":"hello"}`, "not a message of JSON-RPC"},
		{"a batch of none does, too", `[1,2]`, "not a message of JSON-RPC"},
		{"a message nested without end does, too", `{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", 100_000), "not a message of JSON-RPC"},
	}
	s := command(t, mcp.Restarts(-1), mcp.WithClock(atOnce()))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			result, err := call(t.Context(), t, s, "write", fmt.Sprintf(`{"text":%q}`, c.line))
			if c.down == "" {
				if err != nil || result.Text != "written" {
					t.Fatalf("got %q, %v", result.Text, err)
				}
			} else if e := down(t, err); !strings.Contains(e.Error(), c.down) || e.Tool != "write" {
				t.Errorf("got %v", err)
			}
			answers(t, s)
		})
	}
}

// atOnce returns a clock on which every wait is over.
func atOnce() *mcp.Clock {
	c := &mcp.Clock{Wait: make(chan time.Duration, 1000), Over: make(chan time.Time)}
	close(c.Over)
	return c
}

func TestWhatIsTooLargeIsThrownAway(t *testing.T) {
	const mega = 1 << 20
	over := func(bytes int, tool string) (string, string) { return tool, fmt.Sprintf(`{"bytes":%d}`, bytes) }
	cases := []struct {
		name  string
		bytes int
		tool  string
		large bool // the error says so
		kept  bool // the process is
	}{
		{"a result below the limit is had", mega - 1000, "flood", false, true},
		{"a result above it is an error of the call", 10 * mega, "flood", true, true},
		{"a long line of a log is passed over", 10 * mega, "line", false, true},
		{"endless notifications are dropped", 10 * mega, "notify", false, true},
	}
	s := command(t, mcp.Limit(mega))
	before := pid(t, s)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tool, arguments := over(c.bytes, c.tool)
			f := find(t, s, tool)
			held := live()
			var start, end runtime.MemStats
			runtime.ReadMemStats(&start)
			_, err := f.Call(t.Context(), arguments)
			runtime.ReadMemStats(&end)
			var large *mcp.TooLargeError
			if errors.As(err, &large) != c.large || !c.large && err != nil {
				t.Errorf("got %v", err)
			}
			if c.large && (large.Limit != mega || large.Tool != c.tool) {
				t.Errorf("got %+v", large)
			}
			// All that was allocated. What is thrown away must cost less than it is long.
			if grown := end.TotalAlloc - start.TotalAlloc; (c.large || c.tool == "line") && grown > 8*mega {
				t.Errorf("it took %d bytes of memory", grown)
			}
			if grown := live() - held; grown > 4*mega {
				t.Errorf("%d bytes are held after the call", grown)
			}
			if (pid(t, s) == before) != c.kept {
				t.Errorf("is it the same process? %t", !c.kept)
			}
		})
	}
}

// live is how many bytes of the heap are in use, without garbage: it does not depend on when garbage was collected last.
func live() int64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

func TestLargeResult(t *testing.T) {
	everyWay(t, func(t *testing.T, s *mcp.Server) {
		flood := find(t, s, "flood")
		_, err := flood.Call(t.Context(), `{"bytes":5000000}`)
		var large *mcp.TooLargeError
		if !errors.As(err, &large) || large.Limit != mcp.DefaultLimit || large.Tool != "flood" {
			t.Errorf("got %v", err)
		}
		result, err := flood.Call(t.Context(), `{"bytes":4000000}`)
		if err != nil || len(result.Text) != 4000000 {
			t.Errorf("got %d bytes, %v", len(result.Text), err)
		}
	})
}

func TestEndlessMessage(t *testing.T) {
	s := command(t, mcp.Limit(64<<10))
	for _, tool := range []string{"flood", "line"} {
		_, err := call(t.Context(), t, s, tool, `{"bytes":4000000}`)
		if e := down(t, err); !strings.Contains(e.Error(), "more than 1048576 bytes") {
			t.Errorf("got %v", err)
		}
		answers(t, s)
	}
}

func TestAListOfToolsHasALimit(t *testing.T) {
	s := command(t, mcp.Limit(2000))
	_, err := s.Tools(t.Context())
	var large *mcp.TooLargeError
	if !errors.As(err, &large) {
		t.Errorf("got %v", err)
	}
}

func TestProcessClosesOutput(t *testing.T) {
	s := command(t, mcp.Grace(10*time.Millisecond))
	_, err := call(t.Context(), t, s, "close", "")
	if e := down(t, err); e.Status == "" {
		t.Errorf("got %v", err)
	}
	answers(t, s)
}

func TestProcessTree(t *testing.T) {
	ends := []struct {
		name string
		end  func(*testing.T, *mcp.Server)
	}{
		{"when it is closed", func(_ *testing.T, s *mcp.Server) { _ = s.Close() }},
		{"when it crashes", func(t *testing.T, s *mcp.Server) {
			_, err := call(t.Context(), t, s, "crash", `{"text":"bye"}`)
			down(t, err)
		}},
		{"when it breaks the protocol", func(t *testing.T, s *mcp.Server) {
			_, err := call(t.Context(), t, s, "write", `{"text":"{}"}`)
			down(t, err)
		}},
	}
	for _, c := range ends {
		t.Run(c.name, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			s := command(t)
			if _, err := call(t.Context(), t, s, "child", fmt.Sprintf(`{"text":%q}`, listener.Addr())); err != nil {
				t.Fatal(err)
			}
			conn, err := listener.Accept()
			if err != nil {
				t.Fatal(err)
			}
			in := bufio.NewReader(conn)
			if line, err := in.ReadString('\n'); line != "here\n" {
				t.Fatal(line, err)
			}
			c.end(t, s)
			if _, err := in.ReadByte(); err == nil { // blocks for as long as the child lives
				t.Error("the child speaks")
			}
		})
	}
}

func TestClose(t *testing.T) {
	everyWay(t, func(t *testing.T, s *mcp.Server) {
		wait := find(t, s, "wait")
		done := make(chan error)
		for range 5 {
			go func() {
				_, err := wait.Call(t.Context(), "")
				done <- err
			}()
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		for range 5 {
			if err := <-done; !errors.Is(err, mcp.ErrClosed) {
				t.Errorf("got %v", err)
			}
		}
		if _, err := s.Tools(t.Context()); !errors.Is(err, mcp.ErrClosed) {
			t.Errorf("got %v", err)
		}
		if _, err := wait.Call(t.Context(), ""); !errors.Is(err, mcp.ErrClosed) {
			t.Errorf("got %v", err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestCloseLeavesNoGoroutine(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			s := way.open(t)
			before := runtime.NumGoroutine()
			for _, tool := range []string{"echo", "fails"} {
				_, _ = call(t.Context(), t, s, tool, `{"text":"a"}`)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_, _ = call(ctx, t, s, "echo", `{"text":"a"}`)
			_ = s.Close()
			for runtime.NumGoroutine() > before {
				if t.Context().Err() != nil {
					t.Fatal("there are goroutines left")
				}
				runtime.Gosched()
			}
		})
	}
}

func TestProcessEnvironment(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-of-another")
	t.Setenv("LC_ALL", "C")
	const secret = "ghp_verysecret"
	stderr := newWatched()
	s := command(t, mcp.Env("MODE", "dry"), mcp.Secret("GH_TOKEN", secret), mcp.Stderr(stderr))
	result, err := call(t.Context(), t, s, "environment", `{"text":"MODE"}`)
	if err != nil {
		t.Fatal(err)
	}
	of := strings.Fields(result.Text)
	if of[0] != "dry" || !slices.Contains(of, "PATH") || !slices.Contains(of, "LC_ALL") || slices.Contains(of, "OPENAI_API_KEY") {
		t.Errorf("got %q", result.Text)
	}
	result, err = call(t.Context(), t, s, "environment", `{"text":"GH_TOKEN"}`)
	if err != nil || !strings.HasPrefix(result.Text, "[redacted] of ") {
		t.Errorf("got %q, %v", result.Text, err)
	}
	stderr.until(t, "GH_TOKEN is [redacted]")
	if _, err := call(t.Context(), t, s, "write", `{"text":"it is `+secret+`"}`); err != nil {
		t.Fatal(err)
	}
	stderr.until(t, "it is [redacted]")
	_, err = call(t.Context(), t, s, "crash", `{"text":"bad token `+secret+`"}`)
	if e := down(t, err); e.Stderr != "MODE is dry\nGH_TOKEN is [redacted]\nit is [redacted]\nbad token [redacted]" {
		t.Errorf("got %q", e.Stderr)
	}
}

// TestSecretOfSeveralLines holds that a secret of several lines is not passed on, whichever output the process writes it to.
func TestSecretOfSeveralLines(t *testing.T) {
	const secret = "-----BEGIN KEY-----\nverysecret\n\nverysecret\n-----END KEY-----"
	stderr := newWatched()
	s := command(t, mcp.Secret("KEY", secret), mcp.Stderr(stderr))
	if _, err := call(t.Context(), t, s, "environment", `{"text":"KEY"}`); err != nil {
		t.Fatal(err)
	}
	stderr.until(t, "KEY is [redacted]")
	if _, err := call(t.Context(), t, s, "write", fmt.Sprintf(`{"text":%q}`, "it is "+secret)); err != nil {
		t.Fatal(err)
	}
	if before := stderr.until(t, "it is [redacted]"); len(before) > 0 {
		t.Errorf("got %q", before)
	}
}
