package judges_test

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/mcp"
	"github.com/graphgen/graphgen/contrib/serve/servetest"
	"github.com/graphgen/graphgen/thread"
)

// A keeper is a server whose clients keep the runs that wait.
type keeper struct{ *house }

func newKeeper(t *testing.T, o serve.Options) keeper { return keeper{newHouse(t, o)} }

// asks begins a run that waits, and returns what its client keeps.
func (k keeper) asks(text string) string {
	k.t.Helper()
	path, body := tongues["mcp sealed"].say(text)
	status, answer, _ := k.ask("t", "POST", path, body)
	kept := tongues["mcp sealed"].asked.FindStringSubmatch(answer)
	if status != http.StatusOK || kept == nil {
		k.t.Fatalf("%d: the client keeps nothing of %s", status, answer)
	}
	k.keepsNothing()
	return kept[1]
}

// heads sets the headers of a request.
func (keeper) heads(r *http.Request) {
	for name, value := range map[string]string{
		"Authorization": "Bearer t", "Content-Type": "application/json", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "desk",
	} {
		r.Header.Set(name, value)
	}
}

// answers answers the decision of a run.
func (k keeper) answers(kept, kind string, status int, text string) {
	k.t.Helper()
	path, body := tongues["mcp sealed"].answer(kept, kind, `"approve"`)
	got, answer, _ := k.ask("t", "POST", path, body)
	if got != status || !strings.Contains(answer, text) {
		k.t.Errorf("%d %s, want %d %s", got, answer, status, text)
	}
	k.keepsNothing()
}

// keepsNothing holds that the store has no thread.
func (k keeper) keepsNothing() {
	k.t.Helper()
	if _, text, _ := k.ask("t", "GET", "/threads", ""); strings.TrimSpace(text) != `{"threads":[]}` {
		k.t.Errorf("the server keeps %s", text)
	}
}

// TestKeptByClient holds that a run which its client keeps continues at any process that has the key, and that no server keeps anything of it meanwhile:
// the run is in the text alone, which only the key reads or makes.
func TestKeptByClient(t *testing.T) {
	one, two := newKeeper(t, serve.Options{}), newKeeper(t, serve.Options{})
	kept := one.asks("refund")
	two.answers(kept, "tool_approval", 200, "The desk heard: paid")
	if !slices.Equal(two.staff.Done, []string{"refund A-7"}) || len(one.staff.Done) > 0 {
		t.Errorf("done are %v and %v", one.staff.Done, two.staff.Done)
	}
	two.answers(kept, "tool_approval", 409, `"code":"closed"`)
	one.answers(kept, "tool_approval", 200, "The desk heard: paid") // which does not know that it was answered: docs/guides/serve-clients.md says so
	data, err := base64.RawURLEncoding.DecodeString(kept)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"desk", "refund", "A-7", "graph", "{"} {
		if len(part) > 1 && strings.Contains(string(data), part) {
			t.Errorf("the text has %q", part)
		}
	}
	other := one.asks("refund")
	for i := 0; i < len(data); i += 1 + len(data)/50 {
		changed := slices.Clone(data)
		changed[i] ^= 1
		one.answers(base64.RawURLEncoding.EncodeToString(changed), "tool_approval", 409, `"code":"state"`)
	}
	for _, text := range []string{"", kept[:20], kept[1:], other[:len(other)/2] + kept[len(kept)/2:]} {
		if text != "" {
			one.answers(text, "tool_approval", 409, `"code":"state"`)
		}
	}
	two.answers(other, "tool_approval", 200, "The desk heard: paid")
}

// TestKeptWrongly holds that what a client keeps is good for the graph and the server that made it, and for its time.
func TestKeptWrongly(t *testing.T) {
	k := newKeeper(t, serve.Options{})
	kept := k.asks("sign")
	path, body := tongues["mcp sealed"].answer(kept, "decision", `"approve"`)
	for name, o := range map[string]mcp.Options{
		"another key": {Key: []byte("another key"), Sealed: true}, "no key": {Sealed: true}, "another form": {Key: []byte("a key of the tests")},
	} {
		k.handler.Handle("/live/mcp-other/"+strings.ReplaceAll(name, " ", "-"), mcp.New(k.handler, o))
		status, text, _ := k.ask("t", "POST", "/live/mcp-other/"+strings.ReplaceAll(name, " ", "-")+"/", body)
		if status != http.StatusConflict || !strings.Contains(text, `"code":"state"`) {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
	status, text, _ := k.ask("t", "POST", path, strings.Replace(body, `"name":"desk"`, `"name":"orders"`, 1))
	if status != http.StatusConflict || !strings.Contains(text, `"code":"state"`) {
		t.Errorf("another graph: %d %s", status, text)
	}
	k.answers(kept, "decision", 200, "signed")
	k.handler.Handle("/live/mcp-short", mcp.New(k.handler, mcp.Options{Key: []byte("k"), Sealed: true, Life: 1}))
	path, body = tongues["mcp sealed"].say("sign")
	_, text, _ = k.ask("t", "POST", strings.Replace(path, "sealed", "short", 1), body)
	path, body = tongues["mcp sealed"].answer(tongues["mcp sealed"].asked.FindStringSubmatch(text)[1], "decision", `"approve"`)
	status, text, _ = k.ask("t", "POST", strings.Replace(path, "sealed", "short", 1), body)
	if status != http.StatusConflict || !strings.Contains(text, `"code":"closed"`) {
		t.Errorf("after its time: %d %s", status, text)
	}
	k.keepsNothing()
}

// TestKeptRuns holds that the server keeps no thread, however a run ends that its client would keep.
func TestKeptRuns(t *testing.T) {
	k := newKeeper(t, serve.Options{Limits: serve.Limits{Body: 16 << 10}})
	for _, row := range []struct {
		say    string
		status int
		text   string
	}{
		{"hi", 200, "You wrote: hi"},
		{"fail", 200, `"isError":true`},
		{"sign", 200, "input_required"},
		{"post " + strings.Repeat("x", 3000), 200, "You wrote: post"},
	} {
		path, body := tongues["mcp sealed"].say(row.say)
		status, text, _ := k.ask("t", "POST", path, body)
		if status != row.status || !strings.Contains(text, row.text) {
			t.Errorf("%s: %d %s", row.say, status, text)
		}
		k.keepsNothing()
	}
	path, body := tongues["mcp sealed"].say("sign")
	unable := strings.Replace(body, `{"elicitation":{}}`, `{}`, 1)
	if status, text, _ := k.ask("t", "POST", path, unable); status != http.StatusBadRequest || !strings.Contains(text, "-32021") {
		t.Errorf("a client that cannot ask: %d %s", status, text)
	}
	k.keepsNothing()
	small := newKeeper(t, serve.Options{Limits: serve.Limits{Body: 2 << 10}})
	if status, text, _ := small.ask("t", "POST", path, body); status != http.StatusUnprocessableEntity || !strings.Contains(text, `"code":"too_large"`) {
		t.Errorf("a run that is too large: %d %s", status, text)
	}
	small.keepsNothing()
	r := httptest.NewRequestWithContext(t.Context(), "POST", path, strings.NewReader(body))
	k.heads(r)
	r.Header.Set("Idempotency-Key", "k")
	to := httptest.NewRecorder()
	if k.ServeHTTP(to, r); to.Code != http.StatusBadRequest || !strings.Contains(to.Body.String(), `"code":"key"`) {
		t.Errorf("a key: %d %s", to.Code, to.Body)
	}
	k.keepsNothing()
	if k.handler.Drain(t.Context()) != nil {
		t.Error("a run works")
	}
}

// TestKeptByClientThatGoes holds that a run whose client goes is stopped, that nothing of it remains, and that its client can answer again.
func TestKeptByClientThatGoes(t *testing.T) {
	k := newKeeper(t, serve.Options{})
	k.url = "" // the call ends before the request does
	begun := make(chan struct{}, 1)
	k.clerk.Next = func(ctx context.Context) {
		begun <- struct{}{}
		<-ctx.Done()
	}
	ctx, leave := context.WithCancel(t.Context())
	path, body := tongues["mcp sealed"].say("slow words")
	r := httptest.NewRequestWithContext(ctx, "POST", path, strings.NewReader(body))
	k.heads(r)
	ended := make(chan struct{})
	go func() {
		k.ServeHTTP(httptest.NewRecorder(), r)
		close(ended)
	}()
	<-begun
	leave()
	<-ended
	k.keepsNothing()
}

// A later clock is ahead of the time.
type later time.Duration

func (l later) Now() time.Time                         { return time.Now().Add(time.Duration(l)) }
func (l later) After(d time.Duration) <-chan time.Time { return time.After(d) }

// TestKilledWhileKept holds that a client continues the run that it keeps at another process of the same store, when the process that had it was killed in
// the call, and that nothing of that call remains.
func TestKilledWhileKept(t *testing.T) {
	clock := &atomic.Int64{} // how far the clock of the store is ahead
	store := thread.NewMemoryAt(func() time.Time { return time.Now().Add(time.Duration(clock.Load())) })
	two := keeper{houseOn(t, store, serve.Options{Clock: later(2 * thread.DefaultLease)})}
	for kill, statuses := range map[string][]int{"Append": {409, 200}, "Release": {200}} {
		t.Run(kill, func(t *testing.T) {
			dying := &servetest.Mortal{Store: store}
			one := keeper{houseOn(t, dying, serve.Options{Clock: later(0)})}
			kept := one.asks("refund")
			dying.Kill = kill
			path, body := tongues["mcp sealed"].answer(kept, "tool_approval", `"approve"`)
			status, text, _ := one.ask("t", "POST", path, body)
			if status < http.StatusInternalServerError || len(one.staff.Done) > 0 {
				t.Fatalf("%d %s: done is %v", status, text, one.staff.Done)
			}
			for _, want := range statuses { // at first, the store knows that a process has a lease
				status, text, _ := two.ask("t", "POST", path, body)
				if status != want || want == 409 && !strings.Contains(text, `"code":"held"`) || want == 200 && !strings.Contains(text, "The desk heard: paid") {
					t.Errorf("%d %s, want %d", status, text, want)
				}
				clock.Add(int64(2 * thread.DefaultLease))
			}
			two.keepsNothing()
		})
	}
}

// TestKilledStart holds that a run whose client would have kept it is deleted when its process was killed: its client has nothing of it.
func TestKilledStart(t *testing.T) {
	store := thread.NewMemory()
	dying := &servetest.Mortal{Store: store, Kill: "Append"}
	one := keeper{houseOn(t, dying, serve.Options{})}
	path, body := tongues["mcp sealed"].say("slow words")
	if status, text, _ := one.ask("t", "POST", path, body); !strings.Contains(text, `"isError":true`) {
		t.Fatalf("%d %s", status, text)
	}
	if page, err := store.List(t.Context(), thread.Filter{}); err != nil || len(page) != 1 || page[0].Status != thread.Running {
		t.Fatalf("the process leaves %+v, %v", page, err)
	}
	gone := &deletions{Store: store, done: make(chan struct{})}
	two := keeper{houseOn(t, gone, serve.Options{})}
	ctx, end := context.WithCancel(t.Context())
	recovered := make(chan error)
	go func() { recovered <- two.handler.Recover(ctx) }()
	<-gone.done
	end()
	<-recovered
	two.keepsNothing()
	if len(two.staff.Done) > 0 {
		t.Errorf("done is %v", two.staff.Done)
	}
}

// Deletions close a channel when a thread is deleted.
type deletions struct {
	thread.Store
	done chan struct{}
}

func (d *deletions) Delete(ctx context.Context, name string) error {
	err := d.Store.Delete(ctx, name)
	if err == nil {
		close(d.done)
	}
	return err
}

// TestKeptTwice holds that an answer which is given many times at the same time to one process continues the run once, also in the form of a stream.
func TestKeptTwice(t *testing.T) {
	k := newKeeper(t, serve.Options{})
	kept := k.asks("refund")
	path, body := tongues["mcp sealed"].answer(kept, "tool_approval", `"approve"`)
	var all sync.WaitGroup
	answers := make([]string, 20)
	for i := range answers {
		all.Go(func() { _, answers[i], _ = k.ask("t", "POST", path, body) })
	}
	all.Wait()
	closed := regexp.MustCompile(`"code":"closed"`)
	n := 0
	for _, text := range answers {
		switch {
		case strings.Contains(text, "The desk heard: paid"):
			n++
		case !closed.MatchString(text):
			t.Errorf("an answer gets %s", text)
		}
	}
	if n != 1 || len(k.staff.Done) != 1 {
		t.Errorf("%d answers continue the run, and done is %v", n, k.staff.Done)
	}
	k.keepsNothing()
}

// TestKeptAgain holds that a client which asks again what its run waits for gets another text of the same run: one answer by either continues it.
func TestKeptAgain(t *testing.T) {
	k := newKeeper(t, serve.Options{})
	kept := k.asks("refund")
	_, text, _ := k.ask("t", "POST", "/live/mcp-sealed/", toolCall(`"arguments":{},"requestState":`+quoted(kept)))
	again := tongues["mcp sealed"].asked.FindStringSubmatch(text)
	if again == nil || again[1] == kept {
		t.Fatalf("the client gets %s", text)
	}
	k.answers(again[1], "tool_approval", 200, "The desk heard: paid")
	k.answers(kept, "tool_approval", 409, `"code":"closed"`)
	k.answers(again[1], "tool_approval", 409, `"code":"closed"`)
	if len(k.staff.Done) != 1 {
		t.Errorf("done is %v", k.staff.Done)
	}
}
