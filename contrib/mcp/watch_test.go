package mcp_test

import (
	"context"
	"errors"
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
	return context.WithValue(ctx, seenKey{}, true), func(class string, code int64) { l.add(name, class) }
}

func (l *log) Session(map[string]string) func(string) {
	l.add("session begins")
	return func(class string) { l.add("session ends", class) }
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
