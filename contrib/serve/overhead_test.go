package serve_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/langgraph"
	"github.com/graphgen/graphgen/contrib/serve/servetest"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/thread"
)

// A till pays every order at once.
type till struct{}

func (till) Check(context.Context, servetest.OrderCheckIn) (servetest.OrderCheckOut, error) {
	return servetest.OrderCheckOut{Amount: 5}, nil
}

func (till) Pay(context.Context, servetest.OrderPayIn) (servetest.OrderPayOut, error) {
	return servetest.OrderPayOut{Receipt: "paid"}, nil
}

// BenchmarkServed is a run of four steps in a thread in memory: by its machine, and over HTTP on one connection, waited for, streamed, and by the wire
// of LangGraph.
func BenchmarkServed(b *testing.B) {
	local := func(o ...graphgen.RunOption) func(*testing.B, *servetest.Order, string, string) error {
		return func(b *testing.B, m *servetest.Order, _, thread string) error {
			_, err := m.Thread(thread).Start(b.Context(), servetest.OrderInput{Order: "A-7"}, o...)
			return err
		}
	}
	over := func(path, body, header, value string) func(*testing.B, *servetest.Order, string, string) error {
		return func(b *testing.B, _ *servetest.Order, url, thread string) error {
			at, with := strings.Replace(path, "THREAD", thread, 1), strings.Replace(body, "THREAD", thread, 1)
			r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, url+at, strings.NewReader(with))
			if err != nil {
				return err
			}
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set(header, value)
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				return err
			}
			defer response.Body.Close()
			text, err := io.ReadAll(response.Body)
			if !strings.Contains(string(text), `"receipt":"paid"`) {
				return errors.Join(err, errors.New(string(text)))
			}
			return err
		}
	}
	const path, body = "/graphs/orders/threads", `{"thread":"THREAD","input":{"order":"A-7"}}`
	const wire, asked = "/langgraph/threads/THREAD/runs/stream", `{"assistant_id":"orders","input":{"order":"A-7"}}`
	for _, way := range []struct {
		name string
		run  func(b *testing.B, m *servetest.Order, url, thread string) error
	}{
		{"local", local()},
		{"observed", local(graphgen.WithObserver(func(graphgen.Event) {}))},
		{"waited", over(path, body, "Prefer", "wait")},
		{"streamed", over(path, body, "Accept", "text/event-stream")},
		{"langgraph", over(wire, asked, "Accept", "text/event-stream")},
	} {
		b.Run(way.name, func(b *testing.B) {
			m, err := servetest.NewOrder(till{}, thread.With(thread.Settings{Store: thread.NewMemory(), Feed: new(thread.Feed)}))
			if err != nil {
				b.Fatal(err)
			}
			h, err := serve.New(serve.Options{Shared: true}, serve.Durable("orders", m))
			if err != nil {
				b.Fatal(err)
			}
			h.Handle("/langgraph", langgraph.New(h))
			server := httptest.NewServer(h)
			defer server.Close()
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				if err := way.run(b, m, server.URL, "t"+strconv.Itoa(n)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestManyWaiting holds that threads which wait for people have no goroutine each, and lists them.
func TestManyWaiting(t *testing.T) {
	m, err := servetest.NewOrder(dear{}, thread.With(thread.Settings{Store: thread.NewMemory()}))
	if err != nil {
		t.Fatal(err)
	}
	s := serves(t, serve.Options{Shared: true}, serve.Durable("orders", m))
	before := runtime.NumGoroutine()
	n := tier.Pick(200, 2000, 10_000)
	for i := range n {
		_, err := m.Thread("t"+strconv.Itoa(i)).Start(t.Context(), servetest.OrderInput{Order: "A-7"})
		if graphgen.AsPause(err) == nil {
			t.Fatal(err)
		}
	}
	start := time.Now()
	page := s.want(s.do("GET", "/threads?status=paused&limit=100", ""), http.StatusOK, `"next":`)
	took := time.Since(start)
	if got := strings.Count(page.body, `"question":"Pay 90`); got != 100 {
		t.Errorf("the page has %d threads that ask", got)
	}
	for more := 1; more > 0; { // those of connections end
		if more = runtime.NumGoroutine() - before - 20; more > n/10 {
			t.Fatalf("%d threads that wait have %d goroutines", n, more)
		}
		runtime.Gosched()
	}
	t.Logf("a page of 100 of %d threads took %v", n, took)
}

// A till that is asked for much asks a person.
type dear struct{ till }

func (dear) Check(context.Context, servetest.OrderCheckIn) (servetest.OrderCheckOut, error) {
	return servetest.OrderCheckOut{Amount: 90}, nil
}
