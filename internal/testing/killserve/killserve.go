// Package killserve kills servers of contrib/serve in the middle of a stream, and holds that a client who connects to the next one with the last
// number that it has gets every step of the run once, in order. Each store of threads runs it in its tests.
package killserve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/thread"
)

// addressVariable is the variable of the environment that gives a process the address of its store.
const addressVariable = "GRAPHGEN_SERVE"

// An Opener opens the store of an address.
type Opener func(ctx context.Context, address string) (thread.Store, error)

// Main is for TestMain. A process that Run starts is a server, and does not return.
func Main(open Opener) {
	if address := os.Getenv(addressVariable); address != "" {
		panic(serveAt(address, open))
	}
}

// A journalist writes a page in a millisecond.
type journalist struct{}

func (journalist) Write(context.Context, durable.JournalWriteIn) (durable.JournalWriteOut, error) {
	time.Sleep(time.Millisecond) // so that a kill is in the middle of the run
	return durable.JournalWriteOut{Entries: []string{"page"}, Pages: 1}, nil
}

// serveAt is a server. It prints its URL.
func serveAt(address string, open Opener) error {
	ctx := context.Background()
	store, err := open(ctx, address)
	if err != nil {
		return err
	}
	m, err := durable.NewJournal(journalist{}, thread.With(thread.Settings{Store: store, Feed: new(thread.Feed), Lease: 300 * time.Millisecond}))
	if err != nil {
		return err
	}
	h, err := serve.New(serve.Options{Shared: true, Recovery: 50 * time.Millisecond, Report: func(a serve.Access, err error) {
		fmt.Fprintln(os.Stderr, a.Verb, err)
	}}, serve.Durable("journal", m))
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", l.Addr())
	return h.Serve(ctx, l, 0)
}

// A process is a server that runs.
type process struct {
	url string
	cmd *exec.Cmd
	err bytes.Buffer
}

func start(t *testing.T, address string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(os.Args[0])}
	p.cmd.Env = append(os.Environ(), addressVariable+"="+address)
	p.cmd.Stderr = &p.err
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		p.kill()
		t.Fatalf("%v\n%s", err, &p.err)
	}
	p.url = strings.TrimSpace(line)
	return p
}

// kill ends a process as kill -9 does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // a process that has been killed
	_ = p.cmd.Wait()         // it was killed
}

// Run makes a run in a thread of a store, whose servers are killed so many times.
func Run(t *testing.T, address string, kills int) {
	t.Helper()
	for d := range tier.Draws(t, 1) {
		draw := d.Rand()
		c := &client{pages: 25 * kills}
		for n := 0; n <= kills; n++ {
			p := start(t, address)
			if n == 0 {
				c.begin(t, p)
			}
			most := 1 + draw.IntN(12)
			if n == kills {
				most = -1
			}
			if c.follow(t, p, most) != (n == kills) {
				t.Fatalf("after %d kills the run has ended: %v", n, n != kills)
			}
			if n == kills {
				c.compare(t, p)
			}
			p.kill()
		}
		t.Logf("%d kills, %d steps: none is missing, none is twice", kills, len(c.seen))
	}
}

// A client follows a run, and knows what it has seen.
type client struct {
	pages int
	last  string // the number of the last step
	seen  []string
}

func (c *client) begin(t *testing.T, p *process) {
	t.Helper()
	body := fmt.Sprintf(`{"thread": "served", "input": {"basis": "paper", "most": %d}}`, c.pages)
	r, err := http.Post(p.url+"/graphs/journal/threads", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if text, _ := io.ReadAll(r.Body); r.StatusCode != http.StatusAccepted { // for the message
		t.Fatalf("%d\n%s", r.StatusCode, text)
	}
}

// follow reads steps: so many, or to the end of the run. It reports whether the run has ended.
func (c *client) follow(t *testing.T, p *process, most int) bool {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+"/threads/served/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Last-Event-ID", c.last)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	var id, event, data string
	for lines.Scan() {
		switch name, value, _ := strings.Cut(lines.Text(), ": "); name {
		case "id":
			id = value
		case "event":
			event = value
		case "data":
			data = value
		case "":
			if event == "step" {
				c.last, c.seen = id, append(c.seen, id+" "+data)
				if most--; most == 0 {
					return false
				}
			}
			if event == "end" {
				return strings.Contains(data, "completed")
			}
			id, event, data = "", "", ""
		}
	}
	t.Fatalf("after step %s the stream ends: %v\n%s", c.last, lines.Err(), &p.err)
	return false
}

// compare holds that the client has seen the history of the thread.
func (c *client) compare(t *testing.T, p *process) {
	t.Helper()
	var want []string
	for after := 0; ; {
		r, err := http.Get(p.url + "/threads/served/history?limit=100&after=" + strconv.Itoa(after))
		if err != nil {
			t.Fatal(err)
		}
		var page struct {
			Steps []json.RawMessage
			Next  int
		}
		err = json.NewDecoder(r.Body).Decode(&page)
		r.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, data := range page.Steps {
			want = append(want, strconv.Itoa(len(want)+1)+" "+string(data))
		}
		if after = page.Next; after == 0 {
			break
		}
	}
	if len(want) != c.pages+1 { // with the beginning
		t.Errorf("the thread has %d steps, want %d", len(want), c.pages+1)
	}
	for k := range max(len(want), len(c.seen)) {
		if k >= len(want) || k >= len(c.seen) || want[k] != c.seen[k] {
			t.Fatalf("step %d differs: the client has %d steps, the thread %d", k+1, len(c.seen), len(want))
		}
	}
}
