package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/thread"
)

// A reporter writes a page every 100 ms once its readers have come, and knows when each was written.
type reporter struct {
	come    chan struct{}
	written []atomic.Int64 // nanoseconds, by the number of the page
	pages   atomic.Int64
}

func (r *reporter) Write(ctx context.Context, _ durable.JournalWriteIn) (durable.JournalWriteOut, error) {
	select {
	case <-r.come:
	case <-ctx.Done():
		return durable.JournalWriteOut{}, context.Cause(ctx)
	}
	time.Sleep(100 * time.Millisecond)
	r.written[r.pages.Add(1)].Store(time.Now().UnixNano())
	return durable.JournalWriteOut{Entries: []string{"page"}, Pages: 1}, nil
}

// A streamReader reads the ids of a stream of events. It reads its connection itself: it shares the processors with the server, and costs less than a
// client of net/http.
type streamReader struct {
	net.Conn
	lines *bufio.Reader
	id    int
}

// readStream requests a stream.
func (s *site) readStream(path string) (*streamReader, error) {
	host := strings.TrimPrefix(s.url, "http://")
	c, err := net.Dial("tcp", host)
	if err != nil {
		return nil, err
	}
	from := bufio.NewReader(c)
	_, err = fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\nAccept: text/event-stream\r\n\r\n", path, host)
	head := ""
	for err == nil && !strings.HasSuffix(head, "\r\n\r\n") {
		var line string
		line, err = from.ReadString('\n')
		head += line
	}
	if err == nil && (!strings.HasPrefix(head, "HTTP/1.1 200 ") || !strings.Contains(head, "\r\nTransfer-Encoding: chunked\r\n")) {
		err = fmt.Errorf("the server answers %q", head)
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return &streamReader{Conn: c, lines: bufio.NewReaderSize(httputil.NewChunkedReader(from), 16<<10)}, nil
}

// next reads the next id. It returns false at the end of the stream.
func (r *streamReader) next() bool {
	for {
		line, err := r.lines.ReadSlice('\n')
		if err != nil {
			return false
		}
		if id, is := bytes.CutPrefix(line, []byte("id: ")); is {
			r.id, err = strconv.Atoi(string(bytes.TrimSpace(id)))
			return err == nil
		}
	}
}

// TestCrowd streams one run to many clients: each gets every step once, in order. How long a step is on its way, from the end of its handler
// through its record to the client, is logged: the clients are in the process of the server.
func TestCrowd(t *testing.T) {
	clients, steps := tier.Pick(20, 200, 1000), tier.Pick(4, 10, 100)
	work := &reporter{come: make(chan struct{}), written: make([]atomic.Int64, steps+2)}
	m, err := durable.NewJournal(work, thread.With(thread.Settings{Store: thread.NewMemory(), Feed: new(thread.Feed)}))
	if err != nil {
		t.Fatal(err)
	}
	s := serves(t, serve.Options{Shared: true, Limits: serve.Limits{Streams: clients + 10, TenantWatch: clients + 10}}, serve.Durable("journals", m))
	s.want(s.do("POST", "/graphs/journals/threads", `{"thread": "a", "input": {"basis": "b", "most": `+strconv.Itoa(steps)+`}}`), http.StatusAccepted)
	var open, done sync.WaitGroup
	var mu sync.Mutex
	var delays []time.Duration
	for range clients {
		open.Add(1)
		done.Go(func() {
			client, err := s.readStream("/threads/a/events")
			open.Done()
			if err != nil {
				t.Error(err)
				return
			}
			defer client.Close()
			var own []time.Duration
			next := 1
			for client.next() {
				if client.id != next {
					t.Errorf("step %d comes after %d", client.id, next-1)
					return
				}
				if page := next - 1; page > 0 { // the first step begins the run
					own = append(own, time.Since(time.Unix(0, work.written[page].Load())))
				}
				next++
			}
			if next != steps+2 {
				t.Errorf("the stream ends after %d steps of %d", next-1, steps+1)
			}
			mu.Lock()
			defer mu.Unlock()
			delays = append(delays, own...)
		})
	}
	open.Wait()
	close(work.come)
	done.Wait()
	slices.Sort(delays)
	if len(delays) > 0 {
		half, most, all := delays[len(delays)/2], delays[len(delays)*99/100], delays[len(delays)-1]
		t.Logf("%d clients, %d steps: half of them come in %v, 99%% in %v, all in %v", clients, steps, half, most, all)
	}
}
