package studio_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/studio"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/thread"
)

// A bank is what the clerks of an office pay with. Its first answer may be late.
type bank struct {
	late  bool
	cents int // that a clerk pays back; 0: 90

	mu   sync.Mutex
	paid []string
	log  bytes.Buffer // events of runs, as JSON lines
}

func (*bank) Close(_ context.Context, in durable.OfficeCloseIn) (durable.OfficeCloseOut, error) {
	return durable.OfficeCloseOut{Filed: []string{fmt.Sprint(len(in.Filed), " filed")}}, nil
}

func (*bank) File(context.Context, durable.ClerkFileIn) (durable.ClerkFileOut, error) {
	return durable.ClerkFileOut{Filed: []string{"filed"}}, nil
}

func (*bank) LookUp(context.Context, durable.ClerkLookUpArgs) (int, error) { return 90, nil }

func (b *bank) Refund(_ context.Context, args durable.ClerkRefundArgs) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.paid = append(b.paid, fmt.Sprint(args.Order, " ", args.Cents)); b.late && len(b.paid) == 1 {
		return "", errors.New("the bank has not answered within 5 seconds")
	}
	return fmt.Sprintf("%d cents are paid", args.Cents), nil
}

// clerk is a model that pays back what a message names, and once more where that has failed.
func (b *bank) clerk(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
	last := req.Messages[len(req.Messages)-1]
	if last.Role == chat.RoleTool && !strings.Contains(last.Text, "not answered") {
		return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: "It is paid."}}, nil
	}
	order := strings.Fields(req.Messages[0].Text)
	arguments := fmt.Sprintf(`{"order":%q,"cents":%d}`, order[len(order)-1], cmp.Or(b.cents, 90))
	call := chat.ToolCall{ID: fmt.Sprint("c", len(req.Messages)), Name: "refund", Arguments: arguments}
	return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Calls: []chat.ToolCall{call}}}, nil
}

// office serves an office, with a run for each of the messages in a thread.
func office(t *testing.T, b *bank) *page {
	t.Helper()
	c, err := durable.NewClerk(b, b, chat.ModelFunc(b.clerk))
	if err != nil {
		t.Fatal(err)
	}
	observer := graphgen.WithObserver(func(e graphgen.Event) {
		b.mu.Lock()
		defer b.mu.Unlock()
		line, _ := e.AppendJSON(nil) // its texts are sound
		b.log.Write(append(line, '\n'))
	})
	m, err := durable.NewOffice(b, c, thread.With(thread.Settings{Store: thread.NewMemory(), Feed: new(thread.Feed)}), graphgen.WithExchanges(), observer)
	if err != nil {
		t.Fatal(err)
	}
	api, err := serve.New(serve.Options{Shared: true, Details: true}, serve.Durable("office", m))
	if err != nil {
		t.Fatal(err)
	}
	return browse(t, studio.New(api, studio.Options{}))
}

// TestApproveInBranches approves, by clicks alone, a call in each of two branches: one as it is, one with other arguments.
func TestApproveInBranches(t *testing.T) {
	b := new(bank)
	p := office(t, b)
	p.click("office")
	p.writes(`[name="messages"]`, `["Refund order 7", "Refund order 8"]`)
	p.click("start")
	p.waits(`document.querySelectorAll('#act .ask').length === 2`)
	p.shows(`#node-help.is-waiting, #node-help.is-active`)
	p.waits(`(() => {
		const ask = [...document.querySelectorAll('#act .ask')].find(a => a.querySelector('textarea').value.includes('"7"'))
		ask.querySelector('textarea').value = '{"order": "7", "cents": 5}'
		ask.querySelector('button.main').click()
		return true
	})()`)
	p.waits(`document.querySelectorAll('#act .ask').length === 1`)
	p.click("approve")
	p.shows(`#act .pill.is-completed`)
	b.mu.Lock()
	defer b.mu.Unlock()
	if slices.Sort(b.paid); !slices.Equal(b.paid, []string{"7 5", "8 90"}) {
		t.Errorf("it paid %q", b.paid)
	}
}

// TestLongInteger holds that an argument keeps its digits where a person changes another one.
func TestLongInteger(t *testing.T) {
	b := &bank{cents: 12345678901234567}
	p := office(t, b)
	p.click("office")
	p.writes(`[name="messages"]`, `["Refund order 7"]`)
	p.click("start")
	p.shows(`#act .ask`)
	p.waits(`(() => {
		const args = document.querySelector('#act .ask textarea')
		args.value = args.value.replace('"7"', '"9"')
		document.querySelector('#act .ask button.main').click()
		return true
	})()`)
	p.shows(`#act .pill.is-completed`)
	b.mu.Lock()
	paid := slices.Clone(b.paid)
	b.mu.Unlock()
	if want := []string{"9 12345678901234567"}; !slices.Equal(paid, want) {
		t.Errorf("it paid %q, want %q", paid, want)
	}
	p.row("answer", 0)
	p.sees(`"cents": 12345678901234567`)
}

// TestLongIntegersOfForms holds that values of forms and forks keep their digits, and are refused where the browser cannot keep them.
func TestLongIntegersOfForms(t *testing.T) {
	h := served(t, new(shop), studio.Options{})
	var mu sync.Mutex
	var forks []string
	p := browse(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/fork") {
			body, _ := io.ReadAll(r.Body) // of a browser that is gone
			r.Body = io.NopCloser(bytes.NewReader(body))
			mu.Lock()
			forks = append(forks, string(body))
			mu.Unlock()
		}
		h.ServeHTTP(w, r)
	}))
	p.sees("runs are in threads")
	p.waits(`(() => {
		Promise.all([import('/form.mjs'), import('/exact.mjs')]).then(([{ form }, { exactly }]) => {
			const properties = exactly('{"a":{"type":"integer","default":12345678901234567,"minimum":-9223372036854775808},"b":{"type":"integer"},' +
				'"c":{},"d":{"enum":[1,98765432109876543]},"e":{"type":"number"},"f":{"type":"integer"}}')
			const f = form({ type: 'object', properties }, 'input'), field = name => f.element.querySelector('[name=' + name + ']')
			field('b').value = '-98765432109876543'
			field('c').value = '[{"n": 98765432109876543, "text": "98765432109876543"}, 1e400]'
			field('d').value = '98765432109876543'
			field('e').value = '0.10'
			field('f').value = '007'
			const written = JSON.stringify(f.value()), keep = JSON.rawJSON
			delete JSON.rawJSON
			let refused
			try { f.value() } catch (err) { refused = err.path + ': ' + err.message }
			field('b').value = '5'
			field('c').value = '{"text": "98765432109876543", "n": 1.5}'
			for (const name of ['a', 'd']) field(name).value = ''
			const kept = JSON.stringify(f.value())
			JSON.rawJSON = keep
			window.values = [written, refused, kept].join('\n')
		}).catch(err => { window.values = String(err) })
		return true
	})()`)
	p.waits(`window.values !== undefined`)
	want := `{"a":12345678901234567,"b":-98765432109876543,"c":[{"n":98765432109876543,"text":"98765432109876543"},1e400],"d":98765432109876543,"e":0.1,"f":7}
a: This browser would change the number 12345678901234567: use a newer one.
{"b":5,"c":{"text":"98765432109876543","n":1.5},"e":0.1,"f":7}`
	if got, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](`window.values`)); err != nil || got != want {
		t.Errorf("got\n%s\nwant\n%s\n%v", got, want, err)
	}
	p.click("orders")
	p.writes(`[name="order"]`, "A-7")
	p.writes(`[name="thread"]`, "first")
	p.click("start")
	p.click("state and forks")
	p.writes(`#past textarea`, `{"amount": 12345678901234567}`)
	p.writes(`#past input[aria-label="name of the fork"]`, "second")
	p.click("fork here")
	p.waits(`location.hash === '#/t/second'`)
	mu.Lock()
	defer mu.Unlock()
	if len(forks) != 1 || !strings.Contains(forks[0], `"set":{"amount":12345678901234567}`) {
		t.Errorf("the forks are %q", forks)
	}
}

// TestChildGraphs opens, by clicks and keys, the picture of a graph that a node runs: before a run, and with what a run took of it.
func TestChildGraphs(t *testing.T) {
	b := new(bank)
	p := office(t, b)
	p.click("office")
	p.shows(`#picture .open[aria-label="open graph clerk, which help runs"]`)
	p.press(`#picture .open`, "Enter")
	p.shows(`#picture #node-file`)
	p.waits(`document.activeElement.matches('.crumbs button')`)
	p.do(chromedp.Click(chromedp.CSS(`.crumbs button`)))
	p.shows(`#picture #node-each`)
	p.writes(`[name="messages"]`, `["Refund order 7", "Refund order 8"]`)
	p.writes(`[name="thread"]`, "both")
	p.click("start")
	for n := 2; n > 0; n-- {
		p.waits(fmt.Sprintf(`document.querySelectorAll('#act .ask').length === %d`, n))
		p.click("approve")
	}
	p.shows(`#act .pill.is-completed`)
	p.waits(`document.querySelectorAll('.rows .row').length === 8`) // what was live continues what was saved
	p.shows(`#picture #node-close.is-done`)
	p.row("help", 0)
	p.reads("message Refund order 7")
	p.click("studio")
	p.click("both")
	p.shows(`#picture #node-each.is-done`)
	p.waits(`document.querySelectorAll('.rows .row').length === 8`)
	b.sameSteps(t, p.url+"/api/threads/both/run")
	p.row("answer", 0)
	p.shows(`#picture #node-answer.picked`)
	p.shows(`#picture #node-file.is-none`)
	p.waits(`[...document.querySelectorAll('.crumbs > *')].map(e => e.textContent).join() === 'office,help'`)
	p.reads("message Refund order 7")
	p.row("close", 0)
	p.shows(`#picture #node-close.is-done.picked`)
	p.press(`#picture .open`, " ")
	p.shows(`#picture #node-answer.is-done`)
	p.press(`#picture #node-answer`, "Enter")
	p.shows(`#picture #node-answer.picked`)
}

// TestNoPicture shows a run of a graph that does not describe itself: without a picture, with its steps.
func TestNoPicture(t *testing.T) {
	b := new(bank)
	m, err := durable.NewClerk(b, b, chat.ModelFunc(b.clerk),
		thread.With(thread.Settings{Store: thread.NewMemory(), Feed: new(thread.Feed)}), graphgen.WithExchanges())
	if err != nil {
		t.Fatal(err)
	}
	api, err := serve.New(serve.Options{Shared: true, Details: true}, serve.Durable("clerk", m))
	if err != nil {
		t.Fatal(err)
	}
	p := browse(t, studio.New(api, studio.Options{}))
	p.click("clerk")
	p.sees("There is no picture")
	p.writes(`form textarea`, `{"message": "Refund order 7"}`)
	p.click("start")
	p.click("approve")
	p.shows(`#act .pill.is-completed`)
	p.sees("There is no picture")
	p.row("answer", 1)
	p.sees("It is paid.")
}

// sameSteps holds that events of a thread have the steps that the events of its run had, with the same runs, branches and numbers.
func (b *bank) sameSteps(t *testing.T, url string) {
	t.Helper()
	type event struct {
		Kind, Run, Within, Branch, Node string
		Step, Visit                     int
	}
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var saved struct{ Events []event }
	if err := json.NewDecoder(r.Body).Decode(&saved); err != nil {
		t.Fatal(err)
	}
	var live []event
	b.mu.Lock()
	defer b.mu.Unlock()
	for line := range bytes.Lines(b.log.Bytes()) {
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		live = append(live, e)
	}
	steps := func(all []event) (list []string) {
		for _, e := range all {
			if e.Kind == "node_start" {
				list = append(list, fmt.Sprint(e.Run, " ", e.Within, " ", e.Branch, " ", e.Node, " ", e.Step, " ", e.Visit))
			}
		}
		slices.Sort(list)
		return list
	}
	if got, want := steps(saved.Events), steps(live); !slices.Equal(got, want) {
		t.Errorf("the thread has\n%s\nthe run had\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// press presses a key at an element.
func (p *page) press(selector, key string) {
	p.t.Helper()
	p.waits(fmt.Sprintf(`(() => {
		const e = document.querySelector(%s)
		e?.focus()
		e?.dispatchEvent(new KeyboardEvent('keydown', { key: %s, bubbles: true, cancelable: true }))
		return e !== null
	})()`, quote(selector), quote(key)))
}

// reads waits until the step has an input: names and values of fields.
func (p *page) reads(want string) {
	p.t.Helper()
	p.waits(`(() => {
		const input = [...document.querySelectorAll('#detail section')].find(s => s.querySelector('h3').textContent === 'input')
		return [...input?.querySelectorAll('.field') ?? []].map(f => [...f.children].map(c => c.textContent).join(' ')).join(', ') === ` + quote(want) + `
	})()`)
}

// TestRefundedTwice counts what finding out takes why an agent has paid twice: clicks in the studio, lines in the log.
func TestRefundedTwice(t *testing.T) {
	b := &bank{late: true}
	p := office(t, b)
	p.click("office")
	p.writes(`[name="messages"]`, `["Refund order 7"]`)
	p.writes(`[name="thread"]`, "order-7")
	p.click("start")
	for range 2 {
		p.waits(`(() => { // the form of a call that is not approved yet
			const id = document.querySelector('#act .ask')?.dataset.request
			if (!id || id === window.approved) return false
			window.approved = id
			return true
		})()`)
		p.click("approve")
	}
	p.shows(`#act .pill.is-completed`)
	p.click("studio")
	p.sees("order-7")

	p.clicks = 0
	p.click("order-7") // from the list of threads
	p.shows(`#act .pill.is-completed`)
	for visit := range 2 {
		p.row("answer", visit)
		p.sees(`"cents": 90`)
		p.sees([]string{"the bank has not answered within 5 seconds", "90 cents are paid"}[visit])
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	lines := bytes.Count(b.log.Bytes(), []byte("\n"))
	t.Logf("%d clicks; the log has %d lines of %d bytes", p.clicks, lines, b.log.Len())
	if p.clicks > 3 {
		t.Errorf("it takes %d clicks", p.clicks)
	}
}

// row clicks the nth row of a node.
func (p *page) row(node string, n int) {
	p.t.Helper()
	p.clicks++
	p.waits(fmt.Sprintf(`(() => {
		const rows = [...document.querySelectorAll('.rows .row')].filter(r => r.querySelector('.who b').textContent === %s)
		rows.sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top))
		rows[%d]?.click()
		return rows.length > %d
	})()`, quote(node), n, n))
}
