package studio_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/servetest"
	"github.com/graphgen/graphgen/contrib/studio"
	"github.com/graphgen/graphgen/thread"
)

// A shop has the handlers of the graph order.
type shop struct{ gate chan struct{} } // gate is closed once a stop has been requested

func (s *shop) Check(ctx context.Context, in servetest.OrderCheckIn) (servetest.OrderCheckOut, error) {
	switch {
	case strings.HasPrefix(in.Order, "slow"):
		select {
		case <-s.gate:
		case <-ctx.Done():
			return servetest.OrderCheckOut{}, context.Cause(ctx)
		}
	case in.Order == "broken":
		return servetest.OrderCheckOut{}, errors.New(`<img src=x onerror="document.title='hit'">`)
	}
	return servetest.OrderCheckOut{Amount: 90}, nil
}

func (*shop) Pay(ctx context.Context, in servetest.OrderPayIn) (servetest.OrderPayOut, error) {
	return servetest.OrderPayOut{Receipt: "paid " + in.Order}, nil
}

// A page is a browser at a studio.
type page struct {
	t   *testing.T
	url string
	ctx context.Context

	clicks int

	mu       sync.Mutex
	messages []string // of the console
	foreign  []string // requests to other origins
}

// open serves a studio, and opens it in a browser.
func open(t *testing.T, s *shop, o studio.Options) *page {
	t.Helper()
	h := served(t, s, o)
	return browse(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r)
		if strings.HasSuffix(r.URL.Path, "/stop") {
			close(s.gate)
		}
	}))
}

// served returns a studio of the graph order.
func served(t *testing.T, s *shop, o studio.Options) http.Handler {
	t.Helper()
	m, err := servetest.NewOrder(s, thread.With(thread.Settings{Store: thread.NewMemory(), Feed: new(thread.Feed)}), graphgen.WithExchanges())
	if err != nil {
		t.Fatal(err)
	}
	api, err := serve.New(serve.Options{Shared: true, Details: true}, serve.Durable("orders", m))
	if err != nil {
		t.Fatal(err)
	}
	return studio.New(api, o)
}

// browse opens what a handler serves in a browser.
func browse(t *testing.T, h http.Handler, with ...chromedp.ExecAllocatorOption) *page {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("chromium is not installed")
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	flags := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.WindowSize(1400, 900))
	flags = append(flags, with...)
	allocator, end := chromedp.NewExecAllocator(context.Background(), flags...)
	t.Cleanup(end)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	ctx, stop := context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(stop)
	p := &page{t: t, url: server.URL, ctx: ctx}
	if err := chromedp.Listen(ctx, p.listen); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.Navigate(server.URL))
	t.Cleanup(p.quiet)
	return p
}

// listen notes what a page must not do.
func (p *page) listen(e any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := e.(type) {
	case *cdpruntime.EventConsoleAPICalled:
		p.messages = append(p.messages, string(e.Type))
	case *cdpruntime.EventExceptionThrown:
		p.messages = append(p.messages, e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		if e.Entry.Source != log.EntrySourceNetwork { // an answer with a problem is one
			p.messages = append(p.messages, e.Entry.Text)
		}
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, p.url) && !strings.HasPrefix(e.Request.URL, "data:") {
			p.foreign = append(p.foreign, e.Request.URL)
		}
	}
}

// quiet holds that the page has written nothing to the console, and has asked nobody but its server.
func (p *page) quiet() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.messages)+len(p.foreign) > 0 {
		p.t.Errorf("the console has %q, others were asked %q", p.messages, p.foreign)
	}
}

func (p *page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.fail(err)
	}
}

// fail ends the test with what the page shows.
func (p *page) fail(err error) {
	p.t.Helper()
	text, _ := chromedp.Run(p.ctx, chromedp.Evaluate[string](`document.body.innerText`)) // for the message
	p.t.Fatalf("%v\n%.2000s", err, text)
}

// waits waits until an expression of JavaScript holds.
func (p *page) waits(expression string) {
	p.t.Helper()
	poll := chromedp.Poll[bool](expression, chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(time.Minute))
	if _, err := chromedp.Run(p.ctx, poll); err != nil {
		p.fail(fmt.Errorf("%s: %w", expression, err))
	}
}

// sees waits until the page has a text.
func (p *page) sees(text string) {
	p.t.Helper()
	p.waits(`document.body.innerText.includes(` + quote(text) + `)`)
}

// shows waits until an element is there.
func (p *page) shows(selector string) {
	p.t.Helper()
	p.waits(`document.querySelector(` + quote(selector) + `) !== null`)
}

// click clicks a button or a link by its text, once it can be clicked. What is shown may be replaced at any time, when a run continues.
func (p *page) click(name string) {
	p.t.Helper()
	p.clicks++
	p.waits(`(() => {
		const b = [...document.querySelectorAll('button, a')].find(b => b.textContent.trim() === ` + quote(name) + `)
		if (!b || b.disabled || !b.checkVisibility()) return false
		b.click()
		return true
	})()`)
}

// writes replaces the text of a field, as a person does.
func (p *page) writes(field, text string) {
	p.t.Helper()
	p.shows(field)
	p.do(chromedp.SetValue(chromedp.CSS(field), text))
}

func quote(text string) string { return `"` + strings.ReplaceAll(text, `"`, `\"`) + `"` }

// TestByClicks does by clicks alone what a person does with a run. TestApproveInBranches approves calls with other arguments, in branches; TestModule
// replays a run, and compares two runs and two versions.
func TestByClicks(t *testing.T) {
	s := &shop{gate: make(chan struct{})}
	whole := open(t, s, studio.Options{})
	t.Run("start", func(t *testing.T) {
		p := whole.of(t)
		p.sees("runs are in threads")
		p.click("orders")
		p.sees("An order is looked up")
		p.shows(`#picture svg #node-approve`)
		p.writes(`[name="order"]`, strings.Repeat("x", 50))
		p.click("start")
		p.sees("want at most 40")
		p.shows(`[name="order"][aria-invalid="true"]`)
		p.writes(`[name="order"]`, "A-7")
		p.writes(`[name="thread"]`, "first")
		p.click("start")
	})
	t.Run("watch and answer", func(t *testing.T) {
		p := whole.of(t)
		p.sees("Pay 90 back for order A-7?")
		p.shows(`#node-approve.is-waiting`)
		p.shows(`#edge-3.is-done`) // of what was saved before the page was open
		p.click("approve")
		p.shows(`#act .pill.is-completed`)
		p.shows(`#node-pay.is-done`)
		p.waits(`document.querySelector('#detail .add')?.textContent === 'paid A-7'`) // it was live
		p.reads("order A-7, amount 90")                                               // the owner, which is private, it does not have
		p.row("check", 0)
		p.reads("order A-7")
	})
	t.Run("fork with an edit", func(t *testing.T) {
		p := whole.of(t)
		p.click("state and forks")
		p.sees(`"receipt": "paid A-7"`)
		p.writes(`#past input[type="number"]`, "2")
		p.waits(`document.querySelector('#past input[type=number]').dispatchEvent(new Event('change'))`)
		p.waits(`!document.querySelector('#past pre').textContent.includes('paid A-7')`)
		p.writes(`#past textarea`, `{"amount": 5}`)
		p.writes(`#past input[aria-label="name of the fork"]`, "second")
		p.click("fork here")
		p.waits(`location.hash === '#/t/second'`)
		p.click("continue")
		p.shows(`#act .pill.is-completed`)
	})
	t.Run("compare with another run", func(t *testing.T) {
		p := whole.of(t)
		p.click("compare with")
		p.choose(`select[aria-label="another run"]`, "thread first")
		p.click("compare")
		p.sees("The first difference: ")
		p.sees("first")
		p.sees("second")
	})
	t.Run("stop", func(t *testing.T) {
		p := whole.of(t)
		p.click("graphs")
		p.click("orders")
		p.writes(`[name="order"]`, "slow")
		p.click("start")
		p.shows(`#node-check.is-active`)
		p.click("stop")
		p.shows(`#act .pill.is-stopped`)
	})
}

// TestLateStream holds that a page of a thread hears what happens before it shows the run, and a form whose answer continues it.
func TestLateStream(t *testing.T) {
	h := served(t, new(shop), studio.Options{})
	asked, gate := make(chan struct{}), make(chan struct{})
	var once sync.Once
	p := browse(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/events") {
			once.Do(func() { close(asked) })
			select {
			case <-gate:
			case <-r.Context().Done():
			}
		}
		h.ServeHTTP(w, r)
	}))
	p.sees("runs are in threads")
	p.click("orders")
	p.writes(`[name="order"]`, "A-7")
	p.click("start")
	<-asked
	if got, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](`document.querySelector('#act').innerText`)); err != nil || got != "" {
		p.fail(fmt.Errorf("before the stream is open, the page has %q: %v", got, err))
	}
	close(gate)
	p.click("approve")
	p.waits(`document.querySelector('#detail .add')?.textContent === 'paid A-7'`)
}

// TestEarlyEvents holds that a page shows what happens while it reads the run: the steps, and the form of a request.
func TestEarlyEvents(t *testing.T) {
	s := &shop{gate: make(chan struct{})}
	h := served(t, s, studio.Options{})
	read, gate := make(chan struct{}), make(chan struct{})
	var once sync.Once
	p := browse(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/run") {
			h.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		once.Do(func() { close(read) })
		select {
		case <-gate:
		case <-r.Context().Done():
		}
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		w.Write(answer.Body.Bytes()) // a page that left does not read it
	}))
	p.sees("runs are in threads")
	p.waits(`(() => {
		window.held = 0
		const after = window.setTimeout
		window.setTimeout = (f, ...of) => after(() => { f(); if (f.name === 'refresh') held++ }, ...of)
		return true
	})()`)
	p.click("orders")
	p.writes(`[name="order"]`, "slow")
	p.click("start")
	<-read
	close(s.gate)
	p.waits(`held > 1`) // after the pause: its end and its record
	close(gate)
	p.shows(`#node-check.is-done`)
	p.shows(`#act .ask`)
}

// TestLeftPlace holds that what a page has begun shows nothing on the page that follows.
func TestLeftPlace(t *testing.T) {
	p := open(t, new(shop), studio.Options{})
	p.sees("runs are in threads")
	p.click("orders")
	p.writes(`[name="order"]`, "A-7")
	p.click("start")
	p.sees("Pay 90 back for order A-7?")
	p.waits(`(() => {
		window.held = []
		const after = window.setTimeout, ask = window.fetch
		window.setTimeout = (f, ...of) => f.name === 'refresh' ? held.push(f) : after(f, ...of) // what waits for the page needs timers
		window.asked = 0
		window.fetch = async (...of) => { asked++; try { return await ask(...of) } finally { asked-- } }
		document.querySelector('#act .ask button').click()
		return true
	})()`)
	p.waits(`held.length > 0 && asked === 0`) // a timer is to ask for the thread when its record is saved
	p.click("graphs")
	p.sees("runs are in threads")
	p.waits(`asked === 0 && (held.splice(0).forEach(f => f()), true)`)
	p.waits(`asked === 0`)
	if n, err := chromedp.Run(p.ctx, chromedp.Evaluate[int](`document.querySelector('#act').childNodes.length`)); err != nil || n > 0 {
		p.fail(fmt.Errorf("the page that follows has %d elements of the thread: %v", n, err))
	}
}

// TestHostileTexts holds that texts of clients and handlers are texts.
func TestHostileTexts(t *testing.T) {
	p := open(t, &shop{}, studio.Options{})
	p.sees("runs are in threads")
	p.click("orders")
	p.writes(`[name="order"]`, "broken")
	p.writes(`[name="thread"]`, `<script>document.title='hit'</script>`)
	p.click("start")
	p.shows(`#act .pill.is-failed`)
	p.sees(`onerror="document.title='hit'"`)
	if title, err := chromedp.Run(p.ctx, chromedp.Title()); err != nil || strings.HasPrefix(title, "hit") {
		t.Errorf("a text was executed: %s, %v", title, err)
	}
}

// TestFiles holds that each file of the page may load what the studio serves alone, and is what its name says.
func TestFiles(t *testing.T) {
	h := studio.New(http.NotFoundHandler(), studio.Options{})
	for path, kind := range map[string]string{
		"/": "text/html", "/studio.mjs": "text/javascript", "/form.mjs": "text/javascript", "/view.mjs": "text/javascript", "/fold.mjs": "text/javascript",
		"/paint.mjs": "text/javascript", "/module.mjs": "text/javascript", "/source.mjs": "text/javascript", "/exact.mjs": "text/javascript",
		"/studio.css": "text/css", "/view.css": "text/css", "/picture.css": "text/css", "/icon.svg": "image/svg+xml",
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		head := w.Header()
		if !strings.HasPrefix(head.Get("Content-Type"), kind) || head.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.HasPrefix(head.Get("Content-Security-Policy"), "default-src 'self'; ") || w.Body.Len() == 0 {
			t.Errorf("%s: %d %v", path, w.Code, head)
		}
	}
}

// TestReadOnly holds that a studio that is read-only starts nothing.
func TestReadOnly(t *testing.T) {
	p := open(t, &shop{}, studio.Options{ReadOnly: true})
	p.sees("runs are in threads")
	p.click("orders")
	p.writes(`[name="order"]`, "A-7")
	p.click("start")
	p.sees("This studio changes nothing.")
}
