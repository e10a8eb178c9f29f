package serve_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/servetest"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/thread"
)

// TestShownApart holds that clients of one thread share what they are sent only where all may see it: servers of one machine with other options, callers
// without the verb requests, and a filter of events, which is asked once for each.
func TestShownApart(t *testing.T) {
	shop, store := newShop(), thread.NewMemory()
	m, err := servetest.NewOrder(shop, thread.With(thread.Settings{Store: store, Feed: new(thread.Feed)}))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	asked := map[int]int{} // by the number of the event
	public := serve.Options{Identify: byHeader, Authorize: func(_ context.Context, a serve.Access) error {
		if a.Verb == serve.Requests && a.Name == "blind" {
			return errors.New("no")
		}
		return nil
	}}
	details, picky := public, public
	details.Details = true
	picky.Show = func(e *graphgen.Event) bool {
		mu.Lock()
		defer mu.Unlock()
		asked[e.N]++
		e.Details.Text = "" // of a copy
		return e.Kind == graphgen.NodeStart
	}
	sites := map[string]*site{}
	for name, o := range map[string]serve.Options{"public": public, "details": details, "picky": picky} {
		sites[name] = serves(t, o, serve.Durable("orders", m))
	}
	s := sites["public"]
	s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "wait-7"}}`, "Tenant", "t"), http.StatusAccepted)
	shop.started(t, "wait-7")
	streams := map[string]*reader{}
	for _, row := range [][3]string{
		{"public 1", "public", "ann"}, {"public 2", "public", "bob"}, {"blind", "public", "blind"}, {"details", "details", "ann"}, {"picky 1", "picky", "ann"},
		{"picky 2", "picky", "bob"},
	} {
		of := sites[row[1]]
		r := of.open(of.request("GET", "/threads/a/events", "", "Tenant", "t", "Name", row[2]))
		if e, _ := r.next(); e.id != "1" { // it watches from here on
			t.Fatalf("%s begins with %v", row[0], e)
		}
		streams[row[0]] = r
	}
	shop.release("wait-7")
	got := map[string]string{}
	for name, r := range streams {
		for _, e := range r.all() {
			if e.name != "end" {
				got[name] += e.id + " " + e.name + " " + e.data + "\n"
			}
		}
	}
	const place, question, kind = `"line":`, "Pay 12.5 back", `"kind":"`
	for name, want := range map[string]struct{ place, question bool }{
		"public 1": {question: true}, "public 2": {question: true}, "blind": {}, "details": {place: true, question: true}, "picky 1": {}, "picky 2": {},
	} {
		if text := got[name]; strings.Contains(text, place) != want.place || strings.Contains(text, question) != want.question ||
			!strings.Contains(text, "2 step") || !strings.Contains(text, `"kind":"node_start"`) {
			t.Errorf("%s is sent\n%s", name, text)
		}
	}
	if got["public 1"] != got["public 2"] || got["picky 1"] != got["picky 2"] {
		t.Errorf("two are sent\n%s\n%s\n%s\n%s", got["public 1"], got["public 2"], got["picky 1"], got["picky 2"])
	}
	if n := strings.Count(got["picky 1"], kind); n == 0 || n != strings.Count(got["picky 1"], `"kind":"node_start"`) {
		t.Errorf("the filter passes\n%s", got["picky 1"])
	}
	mu.Lock()
	defer mu.Unlock()
	for n, times := range asked {
		if times != 1 {
			t.Errorf("the filter is asked %d times about event %d", times, n)
		}
	}
	s.want(s.do("GET", "/threads/a/events", "", "Tenant", "another"), http.StatusNotFound)
}

// A flushes counts how often a response is flushed.
type flushes struct {
	*httptest.ResponseRecorder
	n int
}

func (f *flushes) Flush() { f.n++; f.ResponseRecorder.Flush() }

// TestFlushes holds that the steps that are there are sent together.
func TestFlushes(t *testing.T) {
	const pages = 30
	m, err := durable.NewJournal(pager{}, thread.With(thread.Settings{Store: thread.NewMemory(), Feed: new(thread.Feed)}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Thread("a").Start(t.Context(), durable.JournalInput{Basis: "b", Most: pages}); err != nil {
		t.Fatal(err)
	}
	h, err := serve.New(shared(), serve.Durable("journals", m))
	if err != nil {
		t.Fatal(err)
	}
	w := &flushes{ResponseRecorder: httptest.NewRecorder()}
	h.ServeHTTP(w, httptest.NewRequest("GET", "/threads/a/events", nil))
	if steps := strings.Count(w.Body.String(), "event: step\n"); steps != pages+1 || !strings.Contains(w.Body.String(), "id: "+strconv.Itoa(pages+1)+"\n") {
		t.Fatalf("there are %d steps in\n%s", steps, w.Body)
	}
	if w.n > 4 { // the header, the steps, the end
		t.Errorf("there are %d flushes", w.n)
	}
}

// A pager writes pages.
type pager struct{}

func (pager) Write(context.Context, durable.JournalWriteIn) (durable.JournalWriteOut, error) {
	return durable.JournalWriteOut{Entries: []string{"page"}, Pages: 1}, nil
}
