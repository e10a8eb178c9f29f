package mcp_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/graphgen/graphgen/contrib/mcp"
)

// A log keeps what a Watcher observes, as texts.
type log struct {
	mu    sync.Mutex
	lines []string
	last  map[string]string // the attributes of the last request
}

func (l *log) add(parts ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, strings.TrimSpace(strings.Join(parts, " ")))
}

type seenKey struct{}

func (l *log) Request(ctx context.Context, method, tool string, session map[string]string) (context.Context, func(string, int64)) {
	l.mu.Lock()
	l.last = session
	l.mu.Unlock()
	name := method
	if tool != "" {
		name += " " + tool
	}
	return context.WithValue(ctx, seenKey{}, true), func(class string, code int64) {
		if code != 0 {
			class += " of " + strconv.FormatInt(code, 10)
		}
		l.add(name, class)
	}
}

func (l *log) Session(map[string]string) func(string) {
	l.add("session begins")
	return func(class string) { l.add("session ends", class) }
}

// forget removes the lines.
func (l *log) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = nil
}

// has reports whether the lines have a text, without those of other requests.
func (l *log) has(line string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, have := range l.lines {
		if have == line {
			return true
		}
	}
	return false
}

// TestWatch holds which requests and sessions a Watcher observes, over every transport.
func TestWatch(t *testing.T) {
	for name, open := range map[string]func(*testing.T, *log) *mcp.Server{
		"pipe": func(t *testing.T, l *log) *mcp.Server { return command(t, mcp.Watch(l)) },
		"tcp":  func(t *testing.T, l *log) *mcp.Server { return listen(t, "127.0.0.1:0").connect(t, mcp.Watch(l)) },
	} {
		t.Run(name, func(t *testing.T) {
			l := new(log)
			s := open(t, l)
			if _, err := find(t, s, "add").Call(t.Context(), `{"a":1,"b":2}`); err != nil {
				t.Fatal(err)
			}
			if _, err := find(t, s, "fails").Call(t.Context(), `{}`); err == nil {
				t.Error("the tool does not fail")
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := find(t, s, "add").Call(ctx, `{"a":1,"b":2}`); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			l.mu.Lock()
			last := l.last
			l.mu.Unlock()
			if last["network.transport"] != name || last["mcp.protocol.version"] == "" ||
				(last["server.address"] == "127.0.0.1") != (name == "tcp") || (last["server.port"] != "") != (name == "tcp") {
				t.Errorf("the attributes are %v", last)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{"session begins", "tools/list", "tools/call add", "tools/call fails tool_error", "session ends"} {
				if !l.has(want) {
					t.Errorf("there is no %q in %q", want, l.lines)
				}
			}
		})
	}
}

// TestWatchOfDeath holds that a session that a server ends has an error.
func TestWatchOfDeath(t *testing.T) {
	l := new(log)
	s := command(t, mcp.Watch(l))
	if _, err := find(t, s, "crash").Call(t.Context(), `{"text":"a fire"}`); err == nil {
		t.Error("the server does not crash")
	}
	find(t, s, "add") // in another session
	if !l.has("session ends _OTHER") || !l.has("tools/call crash _OTHER") {
		t.Errorf("%q", l.lines)
	}
}

// TestWatchOfCodes holds that only an error that a server has sent has a code.
func TestWatchOfCodes(t *testing.T) {
	l := new(log)
	r := listen(t, "127.0.0.1:0")
	over := r.connect(t, mcp.Watch(l), mcp.Limit(32<<10))
	pipe := command(t, mcp.Watch(l), mcp.Limit(32<<10))
	for _, s := range []*mcp.Server{over, pipe} {
		for _, code := range []string{"-32000", "-32003", "-32005"} {
			if _, err := call(t.Context(), t, s, "refuse", `{"code":`+code+`}`); err == nil {
				t.Error("the tool is not refused")
			}
			if want := "tools/call refuse " + code + " of " + code; !l.has(want) {
				t.Errorf("there is no %q in %q", want, l.lines)
			}
		}
		if _, err := call(t.Context(), t, s, "flood", `{"bytes":50000}`); err == nil {
			t.Error("the answer is not too large")
		}
		if !l.has("tools/call flood _OTHER") {
			t.Errorf("%q", l.lines)
		}
		l.forget()
	}
	for _, what := range []string{"no answer", strings.Replace(result, "ID", "4711", 1)} {
		if _, err := spoilt(t, over, asJSON, what); err == nil || !l.has("tools/call echo _OTHER") {
			t.Errorf("%v in %q", err, l.lines)
		}
		l.forget()
	}
	echo := find(t, over, "echo")
	r.kill()
	if _, err := echo.Call(t.Context(), `{"text":"a"}`); err == nil || !l.has("tools/call echo _OTHER") {
		t.Errorf("%v in %q", err, l.lines)
	}
	if _, err := r.connect(t, mcp.Watch(l)).Tools(t.Context()); err == nil || !l.has("initialize _OTHER") {
		t.Errorf("%v in %q", err, l.lines)
	}
}
