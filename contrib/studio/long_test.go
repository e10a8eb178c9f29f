package studio_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/graphgen/graphgen/contrib/serve/servetest"
	"github.com/graphgen/graphgen/internal/studio"
	"github.com/graphgen/graphgen/internal/testing/tier"
)

// mostHeap is how much of a page's memory a run of a million events may take. Garbage, which the browser collects when it likes to, is besides.
const mostHeap = 150 << 20

// longSteps is how many steps the long run has: a million events in the full tier. Each has a begin, an end with a value, and a transition; one of ten
// asks a model.
func longSteps() int { return tier.Pick(3_000, 30_000, 313_000) }

// longStep writes the events of a step. As steps of a thread, they have the number of its record.
func longStep(w io.Writer, k int, end string) int {
	nodes, to := []string{"check", "found", "size"}, []string{"found", "size", "check"}
	at := func(n int) string {
		return time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC).Add(time.Duration(4*k+n) * time.Millisecond).Format(time.RFC3339Nano)
	}
	step := fmt.Sprintf(`"run":"u3eeosgeqevn4n7kcikd22bh","graph":"order","node":%q,"node_kind":"func","step":%d,"visit":%d,"record":%d`,
		nodes[k%3], k+1, k/3+1, k+1)
	fmt.Fprintf(w, `{"kind":"node_start","time":%q,%s}%s`, at(0), step, end)
	events := 3
	if k%10 == 0 {
		text := strings.Repeat(fmt.Sprintf("What was said in step %d. ", k), 20)
		fmt.Fprintf(w, `{"kind":"model_start","time":%q,%s,"model":{"call":%d,"name":"m"},"sent":{"system":"s","messages":[{"role":"user","text":%q}]}}%s`,
			at(1), step, k+1, text, end)
		fmt.Fprintf(w, `{"kind":"model_end","time":%q,%s,"model":{"call":%d,"name":"m","usage":{"input":10,"output":5}},"received":{"text":%q}}%s`,
			at(2), step, k+1, text, end)
		events += 2
	}
	fmt.Fprintf(w, `{"kind":"node_end","time":%q,%s,"written":[{"name":"amount","value":%d},{"name":"receipt","value":"the receipt of step %d"}]}%s`,
		at(3), step, k, k+1, end)
	fmt.Fprintf(w, `{"kind":"route","time":%q,%s,"route":{"to":%q,"rule":"edge","transition":%d}}%s`, at(3), step, to[k%3], k%3+2, end)
	return events
}

const longBegin = `{"kind":"run_start","time":"2026-11-28T09:00:00Z","run":"u3eeosgeqevn4n7kcikd22bh","graph":"order","record":1}`

// longFile writes the run as a recording, and returns the number of its events.
func longFile(t *testing.T, file string) int {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	fmt.Fprintln(w, longBegin)
	n := 1
	for k := range longSteps() {
		n += longStep(w, k, "\n")
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return n
}

// longAPI is a server with a thread of the long run, of which it sends pages, as contrib/serve does.
func longAPI() http.Handler {
	mux := http.NewServeMux()
	answer := func(path, text string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, text) // a browser that is gone
		})
	}
	answer("/graphs", `{"graphs":[{"name":"order","graph":"order","durable":true,"described":true}]}`)
	answer("/graphs/order", `{"name":"order","graph":"order","durable":true,"view":`+new(servetest.Order).Describe()+`}`)
	answer("/threads", `{"threads":[{"thread":"long","graph":"order","status":"running","updated":"2026-11-28T09:00:00Z"}]}`)
	answer("/threads/long", fmt.Sprintf(`{"thread":"long","graph":"order","status":"running","updated":"2026-11-28T09:00:00Z","seq":%d}`, longSteps()))
	mux.HandleFunc("GET /threads/long/run", func(w http.ResponseWriter, r *http.Request) {
		after, _ := strconv.Atoi(r.FormValue("after")) // 0 without one
		end := min(after+1000, longSteps())
		next := ""
		if end < longSteps() {
			next = fmt.Sprintf(`"next":%d,`, end)
		}
		var events strings.Builder
		if after == 0 {
			events.WriteString(longBegin + ",")
		}
		for k := after; k < end; k++ {
			longStep(&events, k, ",")
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"seq":%d,"begin":1,%s"events":[%s]}`, end, next, strings.TrimSuffix(events.String(), ","))
	})
	mux.HandleFunc("GET /threads/long/events", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush() // likewise
		<-r.Context().Done()
	})
	return mux
}

// heap returns what the page uses after a collection.
func (p *page) heap() int64 {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
		p.t.Fatal(err)
	}
	return p.used()
}

// used returns what the page uses, with what is to be collected.
func (p *page) used() int64 {
	p.t.Helper()
	got, err := chromedp.Call(p.ctx, cdpruntime.GetHeapUsage, cdp.Empty{})
	if err != nil {
		p.t.Fatal(err)
	}
	return int64(got.UsedSize + got.EmbedderHeapUsedSize + got.BackingStorageSize)
}

// TestLongRun holds that a page shows a run of a million events in little memory: the rows that can be seen alone, which scroll, and a step in the middle
// with what it wrote, which is read again.
func TestLongRun(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	file := filepath.Join(t.TempDir(), "long.jsonl")
	events := longFile(t, file)
	module := http.NewServeMux()
	module.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		studio.Answer(w, map[string]any{"recordings": []string{"long.jsonl"}})
	})
	module.HandleFunc("GET /recording", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, file) })
	h := studio.Handler(longAPI(), studio.Options{Module: module})
	for _, link := range []string{"long.jsonl", "long"} {
		t.Run(link, func(t *testing.T) {
			p := browse(t, h)
			begun, peak := time.Now(), int64(0)
			p.click(link)
			p.shows(`#runs dl`)
			first := time.Since(begun)
			for until := time.Now().Add(5 * time.Minute); !p.holds(`document.querySelector('#runs dd').textContent === ` + quote(fmt.Sprint(longSteps()))); {
				if time.Now().After(until) {
					p.fail(fmt.Errorf("the page does not have all steps"))
				}
				peak = max(peak, p.used())
				time.Sleep(200 * time.Millisecond)
			}
			whole := time.Since(begun)
			p.shows(`html[data-ready]`)
			heap := p.heap()
			if heap > mostHeap {
				t.Errorf("the page uses %d MB", heap>>20)
			}
			p.waits(`document.querySelectorAll('.rows .row').length < 200`)
			p.waits(fmt.Sprintf(`document.querySelector('.space').getBoundingClientRect().height === %d`, 22*longSteps()))
			for _, at := range []int{0, longSteps() / 2, longSteps() - 1} {
				p.waits(fmt.Sprintf(`(document.querySelector('.rows').scrollTop = %d, true)`, 22*at))
				p.shows(fmt.Sprintf(`#step-%d`, at))
				p.waits(fmt.Sprintf(`(document.querySelector('#step-%d').click(), true)`, at))
				p.sees(fmt.Sprintf("the receipt of step %d", at+1))
			}
			asked := longSteps() / 2 / 10 * 10
			p.waits(fmt.Sprintf(`(document.querySelector('.rows').scrollTop = %d, true)`, 22*asked))
			p.shows(fmt.Sprintf(`#step-%d`, asked))
			p.waits(fmt.Sprintf(`(document.querySelector('#step-%d').click(), true)`, asked))
			p.sees(fmt.Sprintf("What was said in step %d.", asked))
			move := p.number(`(() => {
				const slider = document.querySelector('#scrub'), begun = performance.now()
				for (let k = 1; k <= 10; k++) slider.value = slider.max * k / 10, slider.dispatchEvent(new Event('input'))
				return (performance.now() - begun) / 10
			})()`)
			t.Logf("%d events, %d steps: shown after %v, whole after %v, %d MB, %d MB at the end, "+
				"with garbage %d MB at most; a move of the slider takes %.0f ms", events, longSteps(), first.Round(time.Millisecond),
				whole.Round(time.Millisecond), heap>>20, p.heap()>>20, peak>>20, move)
		})
	}
}

// holds evaluates a condition.
func (p *page) holds(expression string) bool {
	p.t.Helper()
	ok, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](expression))
	if err != nil {
		p.fail(err)
	}
	return ok
}

func (p *page) number(expression string) float64 {
	p.t.Helper()
	n, err := chromedp.Run(p.ctx, chromedp.Evaluate[float64](expression))
	if err != nil {
		p.fail(err)
	}
	return n
}

// TestLongEvents holds that the events of the long run are JSON.
func TestLongEvents(t *testing.T) {
	var text strings.Builder
	longStep(&text, 10, "\n")
	for line := range strings.Lines(text.String()) {
		if !json.Valid([]byte(line)) {
			t.Error(line)
		}
	}
}
