package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/thread"
	"github.com/graphgen/graphgen/thread/filestore"
)

// folderVariable and stallVariable are variables of the environment of a process that is a server: the folder of its store, and the call of a node that
// never returns.
const (
	folderVariable = "SERVE_FOLDER"
	stallVariable  = "SERVE_STALL"
)

func TestMain(m *testing.M) {
	if folder := os.Getenv(folderVariable); folder != "" {
		panic(process(folder, os.Getenv(stallVariable)))
	}
	os.Exit(m.Run())
}

// A journalist writes a page with each call, up to the one that stalls.
type journalist struct {
	stall int64
	calls atomic.Int64
}

func (j *journalist) Write(ctx context.Context, _ durable.JournalWriteIn) (durable.JournalWriteOut, error) {
	n := j.calls.Add(1)
	if n == j.stall {
		<-ctx.Done()
		return durable.JournalWriteOut{}, context.Cause(ctx)
	}
	return durable.JournalWriteOut{Entries: []string{"page"}, Pages: 1}, nil
}

// process is a server on a store in a folder. It prints its URL.
func process(folder, stall string) error {
	store, err := filestore.Open(folder)
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(stall, 10, 64)
	if err != nil {
		return err
	}
	m, err := durable.NewJournal(&journalist{stall: n}, thread.With(thread.Settings{Store: store, Feed: new(thread.Feed), Lease: 200 * time.Millisecond}))
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
	return h.Serve(context.Background(), l, 0)
}

// serverOf starts the process of a server.
func serverOf(t *testing.T, folder string, stall int) (*site, *exec.Cmd) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), folderVariable+"="+folder, stallVariable+"="+strconv.Itoa(stall))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(cmd) })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return &site{t: t, url: strings.TrimSpace(line)}, cmd
}

// kill ends a process as kill -9 does.
func kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill() // a process that has been killed
	_ = cmd.Wait()         // it was killed
}

// TestKilledServers holds that a client whose servers are killed in the middle of its stream, and who connects to the next one with the last number that
// it has, gets every step of the run once, in order, with the same data.
func TestKilledServers(t *testing.T) {
	const pages = 60
	folder := t.TempDir()
	var seen []event
	last := ""
	for _, stall := range []int{5, 1, 17, 9, 0} { // at which call of the process its node stalls; 0: at none
		s, cmd := serverOf(t, folder, stall)
		if last == "" {
			s.want(s.do("POST", "/graphs/journal/threads", fmt.Sprintf(`{"thread": "a", "input": {"basis": "paper", "most": %d}}`, pages)), 202)
		}
		stream := s.open(s.request("GET", "/threads/a/events", "", "Last-Event-ID", last))
		wanted := max(1, stall-2) // what is saved after it is lost on the way
		if stall == 1 {
			wanted = 0
			s.stalls("a")
		}
		for n := 0; stall == 0 || n < wanted; {
			e, ok := stream.next()
			if !ok || e.name == "end" {
				if stall > 0 || e.name != "end" || !strings.Contains(e.data, "completed") {
					t.Fatalf("after step %s the stream has %v", last, e)
				}
				break
			}
			if e.id != "" {
				seen, last = append(seen, e), e.id
				n++
			}
		}
		if stall > 0 {
			kill(cmd)
			continue
		}
		var want []event
		for after := "0"; ; {
			page := s.want(s.do("GET", "/threads/a/history?limit=50&after="+after, ""), 200)
			var steps struct {
				Steps []json.RawMessage
				Next  int
			}
			if err := json.Unmarshal([]byte(page.body), &steps); err != nil {
				t.Fatal(err)
			}
			for _, data := range steps.Steps {
				want = append(want, event{strconv.Itoa(len(want) + 1), "step", string(data)})
			}
			if steps.Next == 0 {
				break
			}
			after = strconv.Itoa(steps.Next)
		}
		if len(want) != pages+1 { // with the beginning
			t.Errorf("the thread has %d steps", len(want))
		}
		if !slices.Equal(seen, want) {
			t.Errorf("the client has\n%v\nwant\n%v", seen, want)
		}
	}
}

// stalls waits until a process works on a thread again.
func (s *site) stalls(name string) {
	s.t.Helper()
	stream := s.open(s.request("GET", "/threads/"+name+"/events?stay=1", ""))
	for {
		e, ok := stream.next()
		if !ok {
			s.t.Fatal("no process takes the thread")
		}
		if e.name == "live" {
			return
		}
	}
}
