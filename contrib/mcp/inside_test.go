package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

func TestScanner(t *testing.T) {
	long := strings.Repeat(`x{"id":3,\"`, 100)
	cases := []struct {
		name, message string
		id            int64
		answers       bool
	}{
		{"the ID is first", `{"jsonrpc":"2.0","id":7,"result":{"id":8}}`, 7, true},
		{"the ID is last", `{"result":{"id":8,"a":["id"]},"jsonrpc":"2.0","id": 7 }`, 7, true},
		{"the ID stands in a text before", `{"result":` + strconv.Quote(long) + `,"id":7}`, 7, true},
		{"a key looks like it", `{"ids":8,"xid":9,"id":7}`, 7, true},
		{"a value looks like it", `{"a":"id","b":"id:8","id":7}`, 7, true},
		{"the ID is a text", `{"id":"7","result":1}`, 0, false},
		{"there is none", `{"result":1}`, 0, false},
		{"it is a question", `{"id":7,"method":"ping","params":{}}`, 0, false},
		{"it is no object", strings.Repeat("x", 100), 0, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var s scanner
			for _, b := range []byte(c.message) {
				s.feed([]byte{b})
			}
			if id, answers := s.call(); id != c.id || answers != c.answers {
				t.Errorf("got %d, %t", id, answers)
			}
		})
	}
}

func FuzzTheScannerAgreesWithTheDecoder(f *testing.F) {
	for _, seed := range []string{`{"id":7,"result":{"id":8}}`, `{"result":[{"id":1}],"id":7}`, `{"method":"a","id":1}`, `{"a":"\"id\":2,","id":-3}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		var s scanner
		s.feed(message)
		id, answers := s.call()
		if len(s.key) > maxKey || len(s.id) > maxID {
			t.Fatalf("it holds %d and %d bytes", len(s.key), len(s.id))
		}
		// The decoder is asked only where it reads keys as the scanner does: as they are
		// written, each once.
		fields, plain := plainFields(message)
		if !plain {
			return
		}
		want, err := strconv.ParseInt(string(fields["id"]), 10, 64)
		_, asks := fields["method"]
		if is := err == nil && !asks; is != answers || is && id != want {
			t.Errorf("%s: got %d, %t, want %d, %t", message, id, answers, want, is)
		}
	})
}

// plainFields returns the fields of a JSON object, if no key of it has an escape or comes
// twice.
func plainFields(message []byte) (map[string]json.RawMessage, bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(message, &fields) != nil || fields == nil {
		return nil, false
	}
	dec := json.NewDecoder(bytes.NewReader(message))
	_, _ = dec.Token()
	keys := 0
	for ; dec.More(); keys++ {
		if _, err := dec.Token(); err != nil {
			return nil, false
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, false
		}
	}
	for key := range fields {
		if !bytes.Contains(message, []byte(`"`+key+`"`)) {
			return nil, false
		}
	}
	return fields, keys == len(fields)
}

func FuzzNoStreamOfEventsBreaksTheBounds(f *testing.F) {
	f.Add([]byte("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n"))
	f.Add([]byte("id: 1\nretry: 5\ndata: {}\r\n\r\n: x\nevent: y\n\ndata\ndata:\n\n"))
	f.Add([]byte(strings.Repeat("data: xxxxxxxx\n", 50) + "\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		const limit = 200
		g := &gate{limit: limit}
		g.sent.Store(1)
		id, _ := jsonrpc.MakeID(1.0)
		e := newEvents(g, &jsonrpc.Request{ID: id, Method: "tools/call"}, io.NopCloser(bytes.NewReader(stream)))
		out, err := io.ReadAll(e)
		if err != nil {
			t.Fatal(err)
		}
		for event := range strings.SplitSeq(string(out), "\n\n") {
			if len(event) > limit+2*mostField+100 {
				t.Errorf("an event of %d bytes", len(event))
			}
			for line := range strings.SplitSeq(event, "\n") {
				if data, is := strings.CutPrefix(line, "data: "); is {
					if _, err := jsonrpc.DecodeMessage([]byte(data)); err != nil {
						t.Errorf("%q comes through: %v", data, err)
					}
				}
			}
		}
	})
}

func TestGate(t *testing.T) {
	g := &gate{}
	passed := func(msg jsonrpc.Message, times int) (n int) {
		for range times {
			if pass, err := g.admit(msg); err != nil {
				t.Fatal(err)
			} else if pass {
				n++
			}
		}
		return n
	}
	if n := passed(&jsonrpc.Request{Method: "notifications/message"}, 1000); n != 0 {
		t.Errorf("%d messages of a log come through", n)
	}
	changed := &jsonrpc.Request{Method: listChanged}
	if n := passed(changed, 1000); n != 1 {
		t.Errorf("%d notices of a change come through before the first is handled", n)
	}
	g.changed.Store(false)
	if n := passed(changed, 1000); n != 1 {
		t.Errorf("%d notices of a change come through after the first is handled", n)
	}
	id, _ := jsonrpc.MakeID("a")
	if n := passed(&jsonrpc.Request{ID: id, Method: "ping"}, 1000); n != mostAsked {
		t.Errorf("%d questions come through before one is answered", n)
	}
	end := func(id string) *jsonrpc.Request {
		return &jsonrpc.Request{Method: cancelled, Params: json.RawMessage(`{"requestId":` + id + `}`)}
	}
	if n := passed(end(`"b"`), 10) + passed(end(`1`), 10) + passed(end(`[]`), 10); n != 0 {
		t.Errorf("%d ends of what was not asked come through", n)
	}
	if n := passed(end(`"a"`), 10); n != 1 {
		t.Errorf("%d ends of what was asked come through", n)
	}
	g.leaving(&jsonrpc.Response{ID: id})
	if n := passed(end(`"a"`), 10); n != 0 {
		t.Errorf("%d ends of what was answered come through", n)
	}
	if n := passed(&jsonrpc.Request{ID: id, Method: "ping"}, 1000); n != 1 {
		t.Errorf("%d questions come through after one is answered", n)
	}
}

// TestQuestionOutsideCalls holds that a question of a server has a context only while a tool is called.
func TestQuestionOutsideCalls(t *testing.T) {
	var u underway
	has := func() bool {
		ctx, end := u.asking(t.Context())
		defer end()
		return ctx != nil
	}
	use := func(tool string) (end func()) {
		return u.begin(context.WithValue(t.Context(), useKey{}, new(use)), tool)
	}
	defer use("")()
	before := has()
	end := use("act")
	during := has()
	end()
	if before || !during || has() || !u.any() {
		t.Errorf("before %t, during %t, after %t, any %t", before, during, has(), u.any())
	}
}

func TestSecretInStderr(t *testing.T) {
	for _, c := range []struct {
		text, want string
		secrets    []string
	}{
		{"the key is verysecret, and\nverysecretverysecret and verysecre",
			"the key is [redacted], and\n[redacted][redacted] and verysecre", []string{"verysecret"}},
		{"the key is very\nsecret, and\nvery\nsecretvery\nsecret\nvery\n",
			"the key is [redacted], and\n[redacted][redacted]\nvery\n", []string{"very\nsecret"}},
		{"secretly secret secretest", "secretly [redacted][redacted]t", []string{"secretes", "secret "}},
		{"one secret secrets", "one [redacted] [redacted]", []string{"secret", "secrets"}},
		{"verysecret verysecre", "[redacted] verysecre", []string{"the verysecret", "verysecret"}},
	} {
		for size := 1; size < len(c.text); size++ {
			var out bytes.Buffer
			s := newStderr(&config{secrets: written(c.secrets), stderr: &out})
			for rest := c.text; rest != ""; {
				n := min(size, len(rest))
				_, _ = s.Write([]byte(rest[:n]))
				rest = rest[n:]
			}
			s.flush()
			if out.String() != c.want || s.last() != strings.TrimSpace(c.want) {
				t.Errorf("in pieces of %d: %q and %q", size, out.String(), s.last())
			}
		}
	}
}

func TestStderrTail(t *testing.T) {
	s := newStderr(&config{})
	for i := range 10_000 {
		_, _ = s.Write([]byte("line " + strconv.Itoa(i) + "\n"))
	}
	last := s.last()
	if len(last) > tail || !strings.HasSuffix(last, "\nline 9999") || !strings.HasPrefix(last, "line ") {
		t.Errorf("got %q", last)
	}
	if cap(s.to.text) > 4*tail {
		t.Errorf("it holds %d bytes", cap(s.to.text))
	}
}

func TestDeathsOutsideWindow(t *testing.T) {
	now := time.Unix(1e9, 0)
	r := restarts{most: 2}
	ask := func(want time.Duration, may bool) {
		t.Helper()
		if wait, ok := r.next(now); wait != want || ok != may {
			t.Errorf("got %s, %t, want %s, %t", wait, ok, want, may)
		}
	}
	ask(0, true)
	r.died(now)
	ask(0, true)
	r.died(now)
	ask(firstWait, true)
	now = now.Add(firstWait / 2)
	ask(firstWait/2, true)
	r.died(now)
	ask(0, false)
	now = now.Add(RestartWindow - firstWait/2)
	ask(0, true)

	r = restarts{most: -1}
	for range 1000 {
		r.died(now)
	}
	ask(lastWait, true)
	if len(r.deaths) > 16 {
		t.Errorf("it remembers %d deaths", len(r.deaths))
	}
	r = restarts{most: 0}
	ask(0, true)
	r.died(now)
	ask(0, false)
}

// TestClosedServer holds that a use which began before a server was closed, and which does not know it yet, starts no process.
func TestClosedServer(t *testing.T) {
	s, err := Command([]string{"/no/such/program"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.session(t.Context(), ""); !errors.Is(err, ErrClosed) {
		t.Errorf("the session is refused with %v", err)
	}
}
