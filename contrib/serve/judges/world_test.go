package judges_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/a2a"
	"github.com/graphgen/graphgen/contrib/serve/agui"
	"github.com/graphgen/graphgen/contrib/serve/aisdk"
	"github.com/graphgen/graphgen/contrib/serve/langgraph"
	"github.com/graphgen/graphgen/contrib/serve/mcp"
	"github.com/graphgen/graphgen/contrib/serve/openai"
	"github.com/graphgen/graphgen/contrib/serve/servetest"
	"github.com/graphgen/graphgen/thread"
	"github.com/graphgen/graphgen/thread/filestore"
)

// The variables of the environment of a process that is a server: the folder of its store, and the file of its transcript.
const (
	folderVariable = "JUDGED_FOLDER"
	scriptVariable = "JUDGED_SCRIPT"
)

func TestMain(m *testing.M) {
	if folder := os.Getenv(folderVariable); folder != "" {
		panic(process(folder))
	}
	os.Exit(m.Run())
}

// A world serves the graphs of package servetest over every wire.
type world struct {
	handler *serve.Handler
	staff   *servetest.Staff
	clerk   *servetest.Clerk
	http.Handler
	pieces chan struct{} // a slow answer takes one for each piece

	mu     sync.Mutex
	log    []exchange
	n      int
	report []string
}

// bearer identifies a caller by a token, which is the tenant.
func bearer(r *http.Request) (serve.Caller, error) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		token = "t"
	}
	if token == "nobody" {
		return serve.Caller{}, errors.New("the token sesame has expired")
	}
	return serve.Caller{Tenant: token, Name: "ann"}, nil
}

// A frozen clock shows one time, and waits as others do.
type frozen struct{}

func (frozen) Now() time.Time                         { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
func (frozen) After(d time.Duration) <-chan time.Time { return time.After(d) }

// newWorld returns the graphs on a store.
func newWorld(store thread.Store, slow bool, o serve.Options) (*world, error) {
	clerk := new(servetest.Clerk)
	w := &world{staff: new(servetest.Staff), clerk: clerk, pieces: make(chan struct{}, 100)}
	if slow {
		clerk.Next = func(ctx context.Context) {
			select {
			case <-w.pieces:
			case <-ctx.Done():
			}
		}
	}
	set := thread.With(thread.Settings{Store: store, Feed: new(thread.Feed), Lease: time.Second})
	desk, err := servetest.NewDesk(w.staff, w.staff, clerk, set)
	if err != nil {
		return nil, err
	}
	greet, err := servetest.NewGreet(chat.ModelFunc(clerk.Generate))
	if err != nil {
		return nil, err
	}
	order, err := servetest.NewOrder(shop{}, set)
	if err != nil {
		return nil, err
	}
	o.Identify, o.Recovery = bearer, 50*time.Millisecond
	if o.Clock == nil {
		o.Clock = frozen{}
	}
	o.Report = func(a serve.Access, err error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.report = append(w.report, string(a.Verb)+": "+err.Error())
	}
	greetings := serve.Plain("greetings", greet).Messages(serve.Messaging{Speaks: []string{"answer"}})
	h, err := serve.New(o, serve.Durable("desk", desk), serve.Durable("orders", order), greetings)
	if err != nil {
		return nil, err
	}
	w.handler = h
	mux := http.NewServeMux()
	h.Handle("/live/ai", aisdk.New(h)) // what no transcript can have, since its time matters
	h.Handle("/live/agui", agui.New(h))
	h.Handle("/live/langgraph", langgraph.New(h))
	h.Handle("/live/openai/v1", openai.New(h))
	h.Handle("/live/a2a", a2a.New(h, a2a.Options{}))
	h.Handle("/live/mcp", mcp.New(h, mcp.Options{Key: []byte("a key of the tests")}))
	h.Handle("/live/mcp-sealed", mcp.New(h, mcp.Options{Key: []byte("a key of the tests"), Sealed: true}))
	mux.Handle("/", h)
	for path, of := range map[string]http.Handler{
		"/a2a": a2a.New(h, a2a.Options{}), "/agui": agui.New(h), "/ai": aisdk.New(h), "/langgraph": langgraph.New(h), "/openai/v1": openai.New(h),
	} {
		mux.Handle(path+"/", http.StripPrefix(path, w.recorded(of)))
	}
	tools, err := newTools(thread.NewMemory(), false)
	if err != nil {
		return nil, err
	}
	sealed, err := newTools(thread.NewMemory(), true)
	if err != nil {
		return nil, err
	}
	mux.Handle("/live/sealed/tools/", http.StripPrefix("/live/sealed/tools", sealed))
	mux.Handle("/tools/", http.StripPrefix("/tools", w.recorded(tools)))
	mux.Handle("/live/tools/", http.StripPrefix("/live/tools", tools))
	mux.HandleFunc("POST /control/kill", func(http.ResponseWriter, *http.Request) { os.Exit(1) })
	mux.HandleFunc("POST /control/piece", func(http.ResponseWriter, *http.Request) { w.pieces <- struct{}{} })
	mux.HandleFunc("GET /control/done", func(to http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(to).Encode(w.staff.Done) })
	w.Handler = mux
	return w, nil
}

type shop struct{}

func (shop) Check(context.Context, servetest.OrderCheckIn) (servetest.OrderCheckOut, error) {
	return servetest.OrderCheckOut{Amount: 12.5}, nil
}

func (shop) Pay(_ context.Context, in servetest.OrderPayIn) (servetest.OrderPayOut, error) {
	return servetest.OrderPayOut{Receipt: "receipt of " + in.Order}, nil
}

// An exchange is a request and its answer, as a transcript has them.
type exchange struct {
	n                  int // the first one is 1
	Method, Path, Body string
	Header             [][2]string // that a wire looks at
	Status             int
	Kind, Answer       string
}

// looked are the headers that a wire looks at.
var looked = []string{"A2a-Version", "Accept", "Authorization", "Last-Event-Id", "Mcp-Method", "Mcp-Name", "Mcp-Protocol-Version"}

// headersOf returns the headers of a request that a wire looks at.
func headersOf(r *http.Request) (list [][2]string) {
	for _, name := range looked {
		value := r.Header.Get(name)
		if name == "Accept" && !strings.HasPrefix(r.RequestURI, "/tools") {
			continue
		}
		if value != "" {
			list = append(list, [2]string{name, value})
		}
	}
	return list
}

// recorded keeps what a handler is asked and answers. Runs have the same names each time.
func (w *world) recorded(h http.Handler) http.Handler {
	return http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		if _, err := body.ReadFrom(r.Body); err != nil {
			panic(err)
		}
		r.Body = nopCloser{&body}
		asked, header := body.String(), headersOf(r)
		w.mu.Lock()
		w.n++
		n := w.n
		named := strings.HasPrefix(r.RequestURI, "/ag") || strings.HasPrefix(r.RequestURI, "/ai") // the threads of others have no names
		if r.Header.Get("Idempotency-Key") == "" && !named {
			r.Header.Set("Idempotency-Key", strconv.Itoa(n))
		}
		w.mu.Unlock()
		both := &tee{ResponseWriter: to}
		h.ServeHTTP(both, r)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.log = append(w.log, exchange{
			n, r.Method, r.RequestURI, asked, header, both.status, to.Header().Get("Content-Type"), both.body.String(),
		})
	})
}

type nopCloser struct{ *bytes.Buffer }

func (nopCloser) Close() error { return nil }

// A tee keeps what is answered.
type tee struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (t *tee) Unwrap() http.ResponseWriter { return t.ResponseWriter }
func (t *tee) WriteHeader(status int) {
	t.status = status
	t.ResponseWriter.WriteHeader(status)
}

func (t *tee) Write(b []byte) (int, error) {
	t.body.Write(b)
	return t.ResponseWriter.Write(b)
}

// process is a server on a store in a folder. It prints its URL, and ends with its standard input: then it writes its transcript.
func process(folder string) error {
	store, err := filestore.Open(folder)
	if err != nil {
		return err
	}
	w, err := newWorld(store, true, serve.Options{})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", l.Addr())
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = new(bytes.Buffer).ReadFrom(os.Stdin) // it ends when the test closes it
		if to := os.Getenv(scriptVariable); to != "" {
			w.mu.Lock()
			if err := os.WriteFile(to, transcript(w.log), 0o600); err != nil {
				panic(err)
			}
			w.mu.Unlock()
		}
		for _, line := range w.report {
			fmt.Fprintln(os.Stderr, line)
		}
		cancel()
		os.Exit(0)
	}()
	go func() { _ = w.handler.Recover(ctx) }()
	return (&http.Server{Handler: w, ReadHeaderTimeout: time.Minute}).Serve(l)
}

// origin matches the URL of a server, which is another one each time.
var origin = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// times matches the times of records.
var times = regexp.MustCompile(`("(?:created|updated)_at":)"[^"]*"`)

// transcript writes exchanges as a text: a line of a request begins with >, one of an answer with <.
func transcript(log []exchange) []byte {
	var b bytes.Buffer
	slices.SortFunc(log, func(a, b exchange) int { return a.n - b.n }) // a client asks again before the handler of its stream has returned
	for _, e := range log {
		fmt.Fprintf(&b, "> %s %s\n", e.Method, e.Path)
		for _, h := range e.Header {
			fmt.Fprintf(&b, "> %s: %s\n", h[0], h[1])
		}
		fmt.Fprintf(&b, "> %s\n< %d %s\n", e.Body, e.Status, e.Kind)
		for line := range strings.SplitSeq(strings.TrimSuffix(e.Answer, "\n"), "\n") {
			b.WriteString(strings.TrimSuffix("< "+line, " ") + "\n")
		}
		b.WriteByte('\n')
	}
	return times.ReplaceAll(origin.ReplaceAll(b.Bytes(), []byte("http://server")), []byte(`${1}"now"`))
}

// parsed reads a transcript: of each exchange the request, and the text of the whole.
func parsed(t *testing.T, data []byte) (log []exchange, texts []string) {
	t.Helper()
	for text := range strings.SplitSeq(strings.TrimSuffix(string(data), "\n\n"), "\n\n") {
		var e exchange
		for line := range strings.SplitSeq(text, "\n") {
			line, asked := strings.CutPrefix(line, "> ")
			switch {
			case line == ">" || !asked:
			case e.Method == "":
				e.Method, e.Path, _ = strings.Cut(line, " ")
			default:
				name, value, _ := strings.Cut(line, ": ")
				if slices.Contains(looked, name) {
					e.Header = append(e.Header, [2]string{name, value})
				} else {
					e.Body = line
				}
			}
		}
		log, texts = append(log, e), append(texts, text)
	}
	return log, texts
}

// replay makes the requests of a transcript again, and returns the transcript of that.
func replay(t *testing.T, log []exchange) []string {
	t.Helper()
	w, err := newWorld(thread.NewMemory(), false, serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(w)
	defer server.Close()
	for _, e := range log {
		r, err := http.NewRequestWithContext(t.Context(), e.Method, server.URL+e.Path, strings.NewReader(e.Body))
		if err != nil {
			t.Fatal(err)
		}
		if e.Body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		for _, h := range e.Header {
			r.Header.Set(h[0], h[1])
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = new(bytes.Buffer).ReadFrom(response.Body) // the server has kept it
		_ = response.Body.Close()
	}
	server.Close() // the last exchange is kept once its handler has returned
	w.mu.Lock()
	defer w.mu.Unlock()
	_, texts := parsed(t, transcript(w.log))
	return texts
}
