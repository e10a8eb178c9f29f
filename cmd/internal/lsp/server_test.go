package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
)

// A fake is a compiler without files. Its checks panic where a text has the word panic.
type fake struct {
	checks int
	hold   chan bool // the first check waits until it is closed
	flows  []*cfg.Graph
}

func (*fake) Enter(dir string) error {
	if dir == "/missing" {
		return errors.New("there is no such folder")
	}
	return nil
}
func (*fake) Forget() {}
func (*fake) Generate(context.Context, string, map[string][]byte) (map[string][]byte, error) {
	return nil, nil
}
func (*fake) Run(ctx context.Context, args []string) (string, error) {
	if args[0] == "test" {
		panic("on request")
	}
	return strings.Join(args, " "), nil
}
func (*fake) Version() string { return "test" }

func (f *fake) Check(_ context.Context, path string, open map[string][]byte) (*Checked, error) {
	if f.checks++; f.hold != nil {
		<-f.hold
	}
	for _, text := range open {
		if bytes.Contains(text, []byte("panic")) {
			panic("on request")
		}
	}
	is := diag.Diagnostic{Code: "GG001", File: path, Pos: diag.Pos{Line: 1, Col: 1}, Message: "it is so", Help: "leave it"}
	return &Checked{Found: []diag.Diagnostic{is}, Flows: f.flows}, nil
}

// framed frames messages.
func framed(bodies ...string) string {
	var b strings.Builder
	for _, body := range bodies {
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	return b.String()
}

const (
	hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`
	bye   = `{"jsonrpc":"2.0","id":99,"method":"shutdown"}`
	exit  = `{"jsonrpc":"2.0","method":"exit"}`
)

// answers runs a server over an input, and returns what it sends, a message a line.
func answers(t *testing.T, f *fake, input string) (list []string, err error) {
	t.Helper()
	var out bytes.Buffer
	err = New(strings.NewReader(input), &out, f).Run(t.Context())
	for c := (&conn{in: newReader(&out)}); ; {
		size, err := c.header()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		body := make([]byte, size)
		if _, err := io.ReadFull(c.in, body); err != nil || !json.Valid(body) {
			t.Fatalf("%v: %s", err, body)
		}
		list = append(list, string(body))
	}
	return list, err
}

func TestSessions(t *testing.T) {
	opened := func(text string) string {
		return `{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///a.graph.yaml","version":3,"text":"` + text + `"}}}`
	}
	tests := []struct {
		name, in string
		want     []string // a part of each message
		err      string
	}{
		{"a session ends after its shutdown", framed(hello, bye, exit), []string{`"name":"graphgen"`, `"id":99,"result":null`}, ""},
		{"an exit without a shutdown is an error", framed(hello, exit), []string{`"id":1`}, ErrExit.Error()},
		{"an end of the input too", framed(hello), []string{`"id":1`}, "EOF"},
		{"no request comes before initialize", framed(`{"jsonrpc":"2.0","id":7,"method":"shutdown"}`, hello, bye, exit),
			[]string{`"id":7,"error":{"code":-32002`, `"id":1`, `"id":99`}, ""},
		{"a notification before initialize has no effect", framed(opened("x"), hello, bye, exit), []string{`"id":1`, `"id":99`}, ""},
		{"and none after the shutdown", framed(hello, bye, `{"jsonrpc":"2.0","id":8,"method":"shutdown"}`, exit),
			[]string{`"id":1`, `"id":99`, `"id":8,"error":{"code":-32600`}, ""},
		{"a session begins once", framed(hello, hello, bye, exit), []string{`"id":1,"result"`, `"id":1,"error":{"code":-32600`, `"id":99`}, ""},
		{"a folder that cannot be entered fails",
			framed(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"rootUri":"file:///missing"}}`),
			[]string{`"code":-32803,"message":"there is no such folder"`}, "EOF"},
		{"an unknown method is an error", framed(hello, `{"jsonrpc":"2.0","id":"a","method":"x/y"}`, bye, exit),
			[]string{`"id":1`, `"id":"a","error":{"code":-32601`, `"id":99`}, ""},
		{"an unknown notification has no answer", framed(hello, `{"jsonrpc":"2.0","method":"$/x"}`, bye, exit), []string{`"id":1`, `"id":99`}, ""},
		{"an answer has none", framed(hello, `{"jsonrpc":"2.0","id":5,"result":null}`, bye, exit), []string{`"id":1`, `"id":99`}, ""},
		{"parameters of another type are an error", framed(hello, `{"jsonrpc":"2.0","id":2,"method":"initialize","params":[1]}`, bye, exit),
			[]string{`"id":1`, `"id":2,"error":{"code":-32602`, `"id":99`}, ""},
		{"a message that is not JSON is an error, and the session continues", framed(hello, `{`, "\xff", `[]`, `{"id":1}`, bye, exit),
			[]string{`"id":1`, `"id":null,"error":{"code":-32700`, `-32700`, `-32700`, `-32600`, `"id":99`}, ""},
		{"a header without a length ends it", "Content-Type: x\r\n\r\n{}", nil, `is not of a header`},
		{"so does a length that is not a size", "Content-Length: -1\r\n\r\n", nil, "is not a size"},
		{"and a header without an end", strings.Repeat("A: b\r\n", 5000), nil, "too long"},
		{"and a body that ends early", "Content-Length: 10\r\n\r\n{}", nil, "unexpected EOF"},
		{"a message that is too large is skipped",
			fmt.Sprintf("Content-Length: %d\r\n\r\n%s", maxMessage+1, strings.Repeat(" ", maxMessage+1)) + framed(hello, bye, exit),
			[]string{`"id":null,"error":{"code":-32600`, `"id":1`, `"id":99`}, ""},
		{"an open file is checked, with the page of the code", framed(hello, opened("graph: a")), []string{`"id":1`,
			`"version":3,"diagnostics":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"severity":1,"code":"GG001",` +
				`"codeDescription":{"href":"https://github.com/graphgen/graphgen/blob/main/docs/reference/checks/GG001.md"},"source":"graphgen",` +
				`"message":"it is so\nhelp: leave it","data":{"file":"` + namedPath("/a.graph.yaml") + `","line":1,"col":1,` +
				`"code":"GG001","severity":"error","message":"it is so","help":"leave it"}}]`}, "EOF"},
		{"a check that panics is a diagnostic, and a log", framed(hello, opened("panic")),
			[]string{`"id":1`, `window/logMessage`, `graphgen panicked: on request`}, "EOF"},
		{"a document that is not open is an error, to the log", framed(hello,
			`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///b.graph.yaml"}}}`, bye, exit),
			[]string{`"id":1`, `the document is not open: file:///b.graph.yaml`, `"id":99`}, ""},
		{"documents that are no files are left alone", framed(hello,
			`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"untitled:a","text":""}}}`, bye, exit),
			[]string{`"id":1`, `"id":99`}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := answers(t, new(fake), tt.in)
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("it ends with %v, want %q", err, tt.err)
			}
			if len(got) != len(tt.want) {
				t.Fatalf("it sends %q, want parts %q", got, tt.want)
			}
			for i := range got {
				if !strings.Contains(got[i], tt.want[i]) {
					t.Errorf("message %d is %s, want a part %s", i, got[i], tt.want[i])
				}
			}
		})
	}
}

// TestPanics checks that a request that panics is answered, and that the session continues.
func TestPanics(t *testing.T) {
	var out bytes.Buffer
	s := New(strings.NewReader(framed(hello, `{"jsonrpc":"2.0","id":2,"method":"panic"}`, bye, exit)), &out, new(fake))
	s.methods["panic"] = of(func(context.Context, *Server, *struct{}) (any, error) { panic("on request") })
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"id":2,"error":{"code":-32603,"message":"panic: panic: on request"}`, "window/logMessage", `"id":99,"result":null`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not send %s", want)
		}
	}
}

// TestCancel cancels requests that run, that wait, and that do not exist: each request has one answer.
func TestCancel(t *testing.T) {
	in, feed := io.Pipe()
	var out bytes.Buffer
	s := New(in, &out, new(fake))
	runs := make(chan bool)
	s.methods["wait"] = of(func(ctx context.Context, _ *Server, _ *struct{}) (any, error) {
		runs <- true
		<-ctx.Done()
		return nil, ctx.Err()
	})
	ended := make(chan error)
	go func() { ended <- s.Run(t.Context()) }()
	io.WriteString(feed, framed(hello, `{"jsonrpc":"2.0","id":2,"method":"wait"}`))
	<-runs
	const storm = 1000
	for i := range storm {
		io.WriteString(feed, framed(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"wait"}`, 100+i)))
	}
	for i := range 2 * storm {
		io.WriteString(feed, framed(fmt.Sprintf(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":%d}}`, 100+i)))
	}
	io.WriteString(feed, framed(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}}`, bye, exit))
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), fmt.Sprint(codeCancelled)); got != storm+1 {
		t.Errorf("%d requests are cancelled, want %d", got, storm+1)
	}
	if len(s.inbox.cancelled) > 0 {
		t.Errorf("the inbox keeps %d cancelled requests", len(s.inbox.cancelled))
	}
}

// TestChangesAreChecked checks that changes that come during a check are checked together.
func TestChangesAreChecked(t *testing.T) {
	f := &fake{hold: make(chan bool)}
	in, feed := io.Pipe()
	var out bytes.Buffer
	ended := make(chan error)
	go func() { ended <- New(in, &out, f).Run(t.Context()) }()
	io.WriteString(feed, framed(hello, `{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///a.graph.yaml","text":""}}}`))
	const changes = 1000
	for i := range changes {
		io.WriteString(feed, framed(fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///a.graph.yaml",`+
			`"version":%d},"contentChanges":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"text":"x"}]}}`, i)))
	}
	close(f.hold)
	feed.Close()
	if err := <-ended; !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if last := fmt.Sprintf(`"version":%d`, changes-1); !strings.Contains(out.String(), last) {
		t.Errorf("the last version is not checked")
	}
	if f.checks > 4 {
		t.Errorf("%d changes have %d checks", changes, f.checks)
	}
}

// TestRequestsDoNotHoldUpChecks checks that a document is checked though requests keep coming.
func TestRequestsDoNotHoldUpChecks(t *testing.T) {
	s := New(strings.NewReader(""), io.Discard, new(fake))
	s.docs["file:///a.graph.yaml"] = &document{uri: "file:///a.graph.yaml", abs: "/a.graph.yaml", text: newText(nil), dirty: true}
	request, change := &message{ID: json.RawMessage("1"), Method: "x"}, &message{Method: "textDocument/didChange"}
	for n := 1; n < mostOvertakes; n++ {
		if s.overtaken(request) || s.overtaken(change) {
			t.Fatalf("the check is due after %d requests", n)
		}
	}
	if !s.overtaken(request) || s.overtaken(request) {
		t.Error("the check is not due once")
	}
}

func TestPositions(t *testing.T) {
	const content = "a\u00e9\U0001F600b\r\nx\rlast\n"
	tests := []struct {
		name     string
		at       Position
		offset   int
		position Position
	}{
		{"the start", Position{0, 0}, 0, Position{0, 0}},
		{"after a character of two bytes", Position{0, 2}, 3, Position{0, 2}},
		{"after one of two code units", Position{0, 4}, 7, Position{0, 4}},
		{"within it is before it", Position{0, 3}, 3, Position{0, 2}},
		{"the end of a line", Position{0, 5}, 8, Position{0, 5}},
		{"after the end of a line", Position{0, 99}, 8, Position{0, 5}},
		{"a line after CRLF", Position{1, 1}, 11, Position{1, 1}},
		{"a line after CR", Position{2, 4}, 16, Position{2, 4}},
		{"the last line", Position{3, 0}, 17, Position{3, 0}},
		{"after the last line", Position{9, 9}, 17, Position{3, 0}},
		{"before the first", Position{-1, -1}, 0, Position{0, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := newText([]byte(content))
			if got := text.offset(tt.at); got != tt.offset {
				t.Errorf("the offset is %d, want %d", got, tt.offset)
			}
			if got := text.position(tt.offset); got != tt.position {
				t.Errorf("the position is %v, want %v", got, tt.position)
			}
		})
	}
}
