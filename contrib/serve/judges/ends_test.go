package judges_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/aisdk"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
	"github.com/graphgen/graphgen/contrib/serve/servetest"
	"github.com/graphgen/graphgen/thread"
)

// slow begins a run over a wire whose answer is in progress, and returns what follows the text of its first piece.
func (h *house) slow(ctx context.Context, path, body string) *bufio.Scanner {
	h.t.Helper()
	h.pieces <- struct{}{}
	r, err := http.NewRequestWithContext(ctx, "POST", h.url+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("A2A-Version", "1.0")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = response.Body.Close() }) // it may have ended
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if strings.Contains(lines.Text(), `"You "`) {
			return lines
		}
	}
	h.t.Fatalf("%d: the answer does not begin", response.StatusCode)
	return nil
}

// slowly are requests for a slow answer over each wire that streams.
func slowly() map[string][2]string {
	list := map[string][2]string{}
	for wire, of := range tongues {
		if wire == "own" || strings.HasPrefix(wire, "mcp") {
			continue
		}
		path, body := streamed(of.say("slow words"))
		list[wire] = [2]string{path, body}
	}
	return list
}

// streamed returns a request for a run as one for its events.
func streamed(path, body string) (string, string) {
	switch {
	case strings.Contains(path, "openai"):
		body = `{"stream":true,` + body[1:]
	case strings.Contains(path, "langgraph"):
		path, body = strings.Replace(path, "/wait", "/stream", 1), `{"stream_mode":["values","messages-tuple"],`+body[1:]
	}
	return path, strings.Replace(body, "SendMessage", "SendStreamingMessage", 1)
}

// slowHouse returns a server whose slow answers wait for their pieces.
func slowHouse(t *testing.T, o serve.Options) *house {
	t.Helper()
	h := newHouse(t, o)
	h.clerk.Next = func(ctx context.Context) {
		select {
		case <-h.pieces:
		case <-ctx.Done():
		}
	}
	return h
}

// TestDrain holds that a stream over each wire ends when the server does: the client is asked to connect again, and another process continues the run.
func TestDrain(t *testing.T) {
	for wire, of := range slowly() {
		t.Run(wire, func(t *testing.T) {
			h := slowHouse(t, serve.Options{})
			rest := h.slow(t.Context(), of[0], of[1])
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			_ = h.handler.Drain(ended) // which cancels the step
			text := ""
			for rest.Scan() {
				text += rest.Text() + "\n"
			}
			if wire == "langgraph" { // whose clients connect again where a stream is cut
				if rest.Err() == nil || strings.Contains(text, "event: error") {
					t.Errorf("the stream ends with %s, %v", text, rest.Err())
				}
				return
			}
			if !strings.Contains(text, "draining") && !strings.Contains(text, "TASK_STATE_WORKING") {
				t.Errorf("the stream ends with %s", text)
			}
		})
	}
}

// TestNextRun holds that a stream over each wire ends with its run, and has nothing of the next one of the thread.
func TestNextRun(t *testing.T) {
	for wire, of := range slowly() {
		t.Run(wire, func(t *testing.T) {
			h := slowHouse(t, serve.Options{})
			rest := h.slow(t.Context(), of[0], of[1])
			next := `{"thread":"a","multitask":"interrupt","input":{"message":"next"}}`
			if status, text, _ := h.ask("t", "POST", "/graphs/desk/threads", next); status != http.StatusAccepted {
				t.Fatalf("%d %s", status, text)
			}
			text := ""
			for rest.Scan() {
				text += rest.Text() + "\n"
			}
			if strings.Contains(joined(text), "You wrote: next") {
				t.Errorf("the stream has %s", text)
			}
			if _, text, _ := h.ask("t", "GET", "/threads/a/events", ""); !strings.Contains(text, `"reply":"You wrote: next"`) {
				t.Errorf("the thread has %s", text)
			}
		})
	}
}

// TestKeyOfEnded holds that a client which repeats a request with a key does not get the answer to another one that is in progress.
func TestKeyOfEnded(t *testing.T) {
	h := slowHouse(t, serve.Options{})
	of := `"conversation":"a"`
	again := func(stream string) (int, string) {
		t.Helper()
		body := `{"model":"desk",` + of + `,"input":"hi"` + stream + `}`
		r, err := http.NewRequestWithContext(t.Context(), "POST", h.url+"/live/openai/v1/responses", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", "k")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		var text bytes.Buffer
		if _, err := text.ReadFrom(response.Body); err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, text.String()
	}
	if status, text := again(""); status != http.StatusOK || !strings.Contains(text, "You wrote: hi") {
		t.Fatalf("%d %s", status, text)
	}
	rest := h.slow(t.Context(), slowly()["responses"][0], slowly()["responses"][1])
	for _, stream := range []string{"", `,"stream":true`} {
		if status, text := again(stream); status != http.StatusConflict || !strings.Contains(text, `"code":"held"`) {
			t.Errorf("%d %s", status, text)
		}
	}
	for range 3 {
		h.pieces <- struct{}{}
	}
	for rest.Scan() {
	}
	if status, text := again(""); status != http.StatusOK || !strings.Contains(text, "You wrote: hi") {
		t.Errorf("%d %s", status, text)
	}
	_, first, _ := h.ask("t", "POST", "/live/openai/v1/responses", `{"model":"desk","conversation":"b","input":"first"}`)
	ids := regexp.MustCompile(`"id":"(resp_[^"]+)"`)
	id := ids.FindStringSubmatch(first)
	if id == nil {
		t.Fatal(first)
	}
	of = `"previous_response_id":` + quoted(id[1]) // which is not the last response any more when the request is repeated
	status, text := again("")
	if repeated, same := again(""); status != http.StatusOK || repeated != status || ids.FindString(same) != ids.FindString(text) {
		t.Errorf("%d %s\n%d %s", status, text, repeated, same)
	}
	if _, text, _ := h.ask("t", "GET", "/threads/b/history", ""); strings.Count(text, `"run":`) != 2 {
		t.Errorf("the thread has %s", text)
	}
}

// TestDrainOfPlain holds that the stream of a run which is in no thread continues while the server ends: no other process continues the run.
func TestDrainOfPlain(t *testing.T) {
	h := slowHouse(t, serve.Options{})
	rest := h.slow(t.Context(), "/live/openai/v1/responses", `{"stream":true,"model":"greetings","input":"slow words"}`)
	drained := make(chan error, 1)
	go func() { drained <- h.handler.Drain(t.Context()) }()
	for status := http.StatusOK; status == http.StatusOK; { // until it drains
		status, _, _ = h.ask("t", "GET", "/readyz", "")
	}
	text := ""
	for _, piece := range []string{`"wrote: "`, `"slow "`, `"words"`} {
		h.pieces <- struct{}{}
		for !strings.Contains(text, piece) && rest.Scan() {
			text += rest.Text() + "\n"
		}
	}
	for rest.Scan() {
		text += rest.Text() + "\n"
	}
	if err := <-drained; err != nil || !strings.Contains(text, `"words"`) || !strings.Contains(text, "response.completed") {
		t.Errorf("%v, and the stream ends with %s", err, text)
	}
}

// A closable listener accepts nothing until it is closed.
type closable struct {
	net.Listener
	once   sync.Once
	closed chan struct{}
}

func (c *closable) Addr() net.Addr { return &net.TCPAddr{} }
func (c *closable) Accept() (net.Conn, error) {
	<-c.closed
	return nil, net.ErrClosed
}

func (c *closable) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// TestDrainHasDeadline holds that a server which ends waits for a step until its grace is over, and not longer. A client that waits is then asked to
// repeat its request, and a client that streams is asked before, over each wire.
func TestDrainHasDeadline(t *testing.T) {
	const grace, step = 30 * time.Second, 10 * time.Minute
	for wire, w := range tongues {
		path, body := w.say("slow words")
		asked := [][2]string{{path, body}}
		if of, streams := slowly()[wire]; streams && of != asked[0] {
			asked = append(asked, of)
		}
		for i, of := range asked {
			t.Run(wire+" "+strconv.Itoa(i), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					world, err := newWorld(thread.NewMemory(), false, serve.Options{})
					if err != nil {
						t.Fatal(err)
					}
					world.clerk.Next = func(ctx context.Context) {
						select {
						case <-time.After(step):
						case <-ctx.Done():
						}
					}
					h := &house{world: world, t: t}
					answer := make(chan string, 1)
					go func() {
						_, text, _ := h.ask("t", "POST", of[0], of[1])
						answer <- text
					}()
					synctest.Wait()
					ctx, end := context.WithCancel(t.Context())
					ended := make(chan error, 1)
					go func() { ended <- world.handler.Serve(ctx, &closable{closed: make(chan struct{})}, grace) }()
					synctest.Wait()
					begun := time.Now()
					end()
					if err := <-ended; !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != grace {
						t.Errorf("the server ends after %v: %v", time.Since(begun), err)
					}
					text := <-answer
					told := strings.Contains(text, "draining") || strings.Contains(text, "TASK_STATE_WORKING") || wire == "own" // which does not wait
					cut := wire == "langgraph" && i == 1                                                                        // and its client connects again
					if !told && !cut || time.Since(begun) != grace {
						t.Errorf("after %v the client has %s", time.Since(begun), text)
					}
				})
			})
		}
	}
}

// TestHandedOn holds that a client which waits for a run does not repeat its request when the server ends, since another process continues the run: unless
// the request has a key, by which that process knows it again.
func TestHandedOn(t *testing.T) {
	for _, wire := range []string{"chat completions", "responses", "langgraph"} {
		for _, key := range []string{"", "k"} {
			t.Run(wire+" with the key "+strconv.Quote(key), func(t *testing.T) {
				h := newHouse(t, serve.Options{})
				h.clerk.Next = func(ctx context.Context) {
					h.pieces <- struct{}{}
					<-ctx.Done()
				}
				path, body := tongues[wire].say("slow words")
				r, err := http.NewRequestWithContext(t.Context(), "POST", h.url+path, strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Content-Type", "application/json")
				if key != "" {
					r.Header.Set("Idempotency-Key", key)
				}
				answer := make(chan *http.Response, 1)
				go func() {
					response, err := http.DefaultClient.Do(r)
					if err != nil {
						t.Error(err)
					}
					answer <- response
				}()
				<-h.pieces
				ended, cancel := context.WithCancel(t.Context())
				cancel()
				_ = h.handler.Drain(ended) // which cancels the step
				response := <-answer
				if response == nil {
					return
				}
				defer response.Body.Close()
				repeats := response.StatusCode != http.StatusUnprocessableEntity && response.Header.Get("X-Should-Retry") != "false"
				if repeats != (key != "") || (response.Header.Get("Retry-After") != "") != (key != "") {
					t.Errorf("%s %v", response.Status, response.Header)
				}
				if at := response.Header.Get("Content-Location"); wire == "langgraph" && !strings.HasPrefix(at, "/threads/a/runs/") {
					t.Errorf("the run is at %q", at)
				}
			})
		}
	}
}

// TestHandedOnSealed holds that a client of MCP is sent that another process continues its run, unless the client keeps the run itself: that one is gone.
func TestHandedOnSealed(t *testing.T) {
	for wire, want := range map[string]string{"mcp": "another process continues the run", "mcp sealed": "ask another one"} {
		t.Run(wire, func(t *testing.T) {
			h := newHouse(t, serve.Options{})
			h.clerk.Next = func(ctx context.Context) {
				h.pieces <- struct{}{}
				<-ctx.Done()
			}
			answer := make(chan string, 1)
			go func() {
				path, body := tongues[wire].say("slow words")
				_, text, _ := h.ask("t", "POST", path, body)
				answer <- text
			}()
			<-h.pieces
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			_ = h.handler.Drain(ended) // which cancels the step
			if text := <-answer; !strings.Contains(text, want) {
				t.Errorf("%s, want %q", text, want)
			}
		})
	}
}

// TestGone holds that the run of a client that goes continues.
func TestGone(t *testing.T) {
	for wire, of := range slowly() {
		t.Run(wire, func(t *testing.T) {
			h := slowHouse(t, serve.Options{})
			ctx, cancel := context.WithCancel(t.Context())
			h.slow(ctx, of[0], of[1])
			cancel()
			for range 3 {
				h.pieces <- struct{}{}
			}
			if _, text, _ := h.ask("t", "GET", "/threads/a/events", ""); !strings.Contains(text, `"status":"completed"`) {
				t.Errorf("the run is %s", text)
			}
		})
	}
}

// TestCancelElsewhere holds that a client which cancels a run of another process is sent what is so: the run works until its node ends,
// and completes if that is the last one.
func TestCancelElsewhere(t *testing.T) {
	for _, wire := range []string{"a2a", "responses", "langgraph"} {
		t.Run(wire, func(t *testing.T) {
			store := &servetest.Stoppable{Store: thread.NewMemory(), Asked: make(chan struct{}, 9)}
			one, two := houseOn(t, store, serve.Options{}), houseOn(t, store, serve.Options{})
			one.clerk.Next = func(ctx context.Context) {
				select {
				case <-one.pieces:
				case <-ctx.Done():
				}
			}
			rest := one.slow(t.Context(), slowly()["a2a"][0], slowly()["a2a"][1])
			ends := func() {
				for range 3 {
					one.pieces <- struct{}{}
				}
				for rest.Scan() {
				}
			}
			switch wire {
			case "a2a":
				_, text, _ := two.ask("t", "POST", "/live/a2a/desk", two.task("CancelTask"))
				if !strings.Contains(text, "TASK_STATE_WORKING") {
					t.Error(text)
				}
				ends()
				if _, text, _ := two.ask("t", "POST", "/live/a2a/desk", two.task("GetTask")); !strings.Contains(text, "TASK_STATE_COMPLETED") {
					t.Error(text)
				}
			case "responses":
				path := "/live/openai/v1/responses/" + speech.Pack("resp_", "a", two.runOf())
				if _, text, _ := two.ask("t", "POST", path+"/cancel", ""); !strings.Contains(text, `"status":"in_progress"`) {
					t.Error(text)
				}
				ends()
				if _, text, _ := two.ask("t", "GET", path, ""); !strings.Contains(text, `"status":"completed"`) {
					t.Error(text)
				}
			case "langgraph":
				path := "/live/langgraph/threads/a/runs/" + two.runOf() + "/cancel?wait=1"
				answer := make(chan int, 1)
				go func() {
					status, _, _ := two.ask("t", "POST", path, "")
					_, text, _ := two.ask("t", "GET", "/threads/a", "")
					if !strings.Contains(text, `"status":"completed"`) {
						t.Errorf("after the answer, the thread is %s", text)
					}
					answer <- status
				}()
				<-store.Asked
				time.AfterFunc(100*time.Millisecond, ends) // meanwhile it waits
				if status := <-answer; status != http.StatusNoContent {
					t.Error(status)
				}
			}
		})
	}
}

// TestStopped holds that it is stopped where the program wants that.
func TestStopped(t *testing.T) {
	h := slowHouse(t, serve.Options{})
	h.handler.Handle("/stops", aisdk.New(h.handler, aisdk.Options{StopOnDisconnect: true}))
	ctx, cancel := context.WithCancel(t.Context())
	h.slow(ctx, "/stops/desk", slowly()["aisdk"][1])
	cancel()
	if _, text, _ := h.ask("t", "GET", "/threads/a/events", ""); !strings.Contains(text, `"status":"stopped"`) {
		t.Errorf("the run is %s", text)
	}
}

// TestBusy holds that the limits of the handler hold over each wire, in its own form.
func TestBusy(t *testing.T) {
	for wire, of := range slowly() {
		t.Run(wire, func(t *testing.T) {
			for _, limits := range []serve.Limits{{TenantRuns: 1}, {TenantWatch: 1}} {
				h := slowHouse(t, serve.Options{Limits: limits})
				h.slow(t.Context(), of[0], of[1])
				status, text, header := h.ask("t", "POST", of[0], strings.ReplaceAll(of[1], `"a"`, `"b"`))
				if status != http.StatusTooManyRequests || !strings.Contains(text, "busy") || header.Get("Retry-After") != "1" {
					t.Errorf("%+v: %d %s %v", limits, status, text, header)
				}
			}
		})
	}
}

// TestPauseWithoutThread holds that a run that waits, and that nothing keeps, ends with an error.
func TestPauseWithoutThread(t *testing.T) {
	m, err := servetest.NewOrder(shop{}, thread.With(thread.Settings{Store: thread.NewMemory()}))
	if err != nil {
		t.Fatal(err)
	}
	g, err := serve.New(serve.Options{Shared: true}, serve.Plain("orders", m))
	if err != nil {
		t.Fatal(err)
	}
	h := newHouse(t, serve.Options{})
	h.handler.Handle("/plain", aisdk.New(g))
	_, text, _ := h.ask("t", "POST", "/plain/orders", `{"id":"a","messages":[{"id":"u","role":"user","parts":[{"type":"text","text":"A-7"}]}]}`)
	if !strings.Contains(text, `"errorText":"not_durable: graph: `) {
		t.Error(text)
	}
}

// TestKilled holds that the chat of a server that is killed continues at another process on the same store: its message is completed there.
func TestKilled(t *testing.T) {
	folder := t.TempDir()
	h := &house{t: t}
	url, _ := serverOf(t, folder, "")
	h.url = url
	piece := func() { _, _, _ = h.ask("t", "POST", "/control/piece", "") }
	piece()
	first := (&house{t: t, url: url, world: &world{pieces: make(chan struct{}, 1)}}).slow(t.Context(), slowly()["aisdk"][0], slowly()["aisdk"][1])
	if response, err := http.Post(url+"/control/kill", "application/json", nil); err == nil {
		_ = response.Body.Close()
		t.Fatal("the server lives")
	}
	for first.Scan() { // it is cut
		if strings.Contains(first.Text(), `"finish"`) {
			t.Fatal("the stream has ended")
		}
	}
	h.url, _ = serverOf(t, folder, "")
	r, err := http.NewRequestWithContext(t.Context(), "GET", h.url+"/live/ai/desk/a/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	rest, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer rest.Body.Close()
	if rest.StatusCode != http.StatusOK { // the run has no piece of its answer yet
		t.Fatal(rest.Status)
	}
	for range 4 {
		piece()
	}
	var text bytes.Buffer
	if _, err := text.ReadFrom(rest.Body); err != nil {
		t.Fatal(err)
	}
	if all := text.String(); !strings.Contains(all, `"finish"`) || !strings.Contains(joined(all), "You wrote: slow words") {
		t.Errorf("the stream ends with %s", all)
	}
	if _, text, _ := h.ask("t", "GET", "/threads/a/state", ""); !strings.Contains(text, `"reply":"You wrote: slow words"`) {
		t.Errorf("the thread is %s", text)
	}
}

// TestSaidTwice holds that messages of one node have different IDs: a node in a loop says something else each time, also after a pause.
func TestSaidTwice(t *testing.T) {
	h := newHouse(t, serve.Options{})
	for wire, id := range map[string]*regexp.Regexp{
		"a2a": regexp.MustCompile(`"messageId":"([^"]+)".*"text":"Hello`), "agui": regexp.MustCompile(`"messageId":"([^"]+)","delta":"Hello`),
	} {
		asked, said := "", map[string]bool{}
		for _, text := range []string{"ask", "another", "Ann"} {
			path, body := tongues[wire].say(text)
			if asked != "" {
				path, body = tongues[wire].answer(asked, "reply", quoted(text))
			}
			path, body = streamed(path, strings.ReplaceAll(body, `"a"`, quoted(wire)))
			_, got, _ := h.ask("t", "POST", path, body)
			if of := tongues[wire].asked.FindStringSubmatch(got); of != nil {
				asked = of[1]
			}
			if of := id.FindStringSubmatch(got); of != nil {
				said[of[1]] = true
			}
		}
		if len(said) != 2 {
			t.Errorf("%s: two messages have the IDs %v", wire, said)
		}
	}
}
