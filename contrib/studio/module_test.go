package studio_test

import (
	"bufio"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/graphgen/graphgen/contrib/studio"
	"github.com/graphgen/graphgen/internal/testing/tempmodule"
)

const refundSpec = `graph: refund
doc: Pays an order back that was paid.
entry: check
state:
  order: string
  paid: {type: int, default: 0}
  receipt: {type: string, default: ""}
input: order
output: receipt
nodes:
  check: {reads: order, writes: paid}
  pay: {reads: [order, paid], writes: receipt, next: end}
edges:
  - {from: check, to: pay, if: state.Paid > 0}
  - {from: check, to: end}
`

const refundScenarios = `graph: refund.graph.yaml
scenarios:
  - name: an order that was paid is paid back
    input: {order: A-7}
    script: {check: {out: 90}, pay: {out: done}}
    expect: {path: [check, pay, tell], output: {receipt: done}}
  - name: the receipt has the number of the order
    input: {order: A-7}
    script: {check: {out: 90}, pay: {out: <b>done</b>}}
    expect: {output: {receipt: A-7}}
`

// refundModule makes a module with a graph in two versions, its scenarios, and recordings of another graph.
func refundModule(t *testing.T) *tempmodule.Module {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	m := tempmodule.New(t, "example.com/refunds", root)
	m.Write("refund.graph.yaml", refundSpec)
	m.Write("refund.scenarios.yaml", refundScenarios)
	for _, args := range [][]string{{"init", "-q"}, {"add", "refund.graph.yaml"}, {"commit", "-q", "-m", "Pay back <i>orders</i>"}} {
		git := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		git.Dir = m.Dir
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	m.Write("refund.graph.yaml", strings.ReplaceAll(strings.Replace(refundSpec, "writes: receipt, next: end}",
		"writes: receipt, next: tell}\n  tell: {kind: say, say: \"Paid {{paid}} back.\", next: end}", 1), "state.Paid > 0", "state.Paid > 5"))
	for from, to := range map[string]string{
		"golden/join/join_settled.graph.yaml": "join_settled.graph.yaml", "gen/runpage/testdata/polls.good.jsonl": "good.jsonl",
		"gen/runpage/testdata/polls.failed.jsonl": "failed.jsonl", "golden/subgraph/article.report.json": "article.json",
	} {
		text, err := os.ReadFile(filepath.Join(root, from))
		if err != nil {
			t.Fatal(err)
		}
		m.Write(to, string(text))
	}
	m.Write("report.json", `{"graph":"refund","run":"r","reason":"completed","path":[{"node":"check","took_ms":2},{"node":"pay","took_ms":3}],
		"transitions":[{"to":"check","rule":"entry","count":1},{"from":"check","to":"pay","rule":"condition","count":1}]}`)
	return m
}

// command builds the command, runs the studio in a folder, and opens it.
func command(t *testing.T, dir string, args ...string) *page {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds the command, and starts a browser")
	}
	program := filepath.Join(t.TempDir(), "graphgen")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./cmd/graphgen")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), program, append([]string{"studio", "-addr", "localhost:0"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod -trimpath")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	line, _ := bufio.NewReader(out).ReadString('\n')
	found := regexp.MustCompile(`http://\S+/`).FindString(line)
	if found == "" {
		t.Fatalf("the command writes %q", line)
	}
	at, err := url.Parse(found)
	if err != nil {
		t.Fatal(err)
	}
	return browse(t, &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(at) }})
}

// choose chooses an option of a list by a part of its text.
func (p *page) choose(list, option string) {
	p.t.Helper()
	p.waits(`(() => {
		const list = document.querySelector(` + quote(list) + `), o = [...list?.options ?? []].find(o => o.text.includes(` + quote(option) + `))
		if (o) list.value = o.value
		return o !== undefined
	})()`)
}

// TestModule holds what the command shows of a module: scenarios that are run, with what they took, a version beside another, and recordings.
func TestModule(t *testing.T) {
	m := refundModule(t)
	p := command(t, m.Dir, "refund.graph.yaml", "join_settled.graph.yaml", "good.jsonl", "failed.jsonl")
	t.Run("scenarios", func(t *testing.T) {
		p := p.of(t)
		p.click("refund")
		p.sees("an order that was paid is paid back")
		p.click("run all")
		p.sees("1 passed, 1 failed")
		p.shows(`tr[data-scenario="an order that was paid is paid back"] .pill.is-passed`)
		p.shows(`tr[data-scenario="the receipt has the number of the order"] .pill.is-failed`)
		p.sees("A-7")
		p.sees("<b>done</b>")
		p.shows(`#node-pay.is-done`)
		p.waits(`[...document.querySelectorAll('#picture .count')].some(c => c.textContent === 'never')`)
		p.sees("3 of 3 nodes, 3 of 4 transitions")
		p.waits(`[...document.querySelectorAll('#picture .count')].some(c => c.textContent === '×2')`)
		p.click("an order that was paid is paid back")
		p.waits(`[...document.querySelectorAll('#picture .count')].every(c => c.textContent !== '×2')`)
	})
	t.Run("versions", func(t *testing.T) {
		p := p.of(t)
		p.choose(`select[aria-label="version"]`, "Pay back <i>orders</i>")
		p.click("compare")
		p.sees("state.Paid > 0")
		p.waits(`document.querySelector('#picture #node-tell').textContent.includes('added')`)
		p.click("as it is")
		p.waits(`!document.querySelector('#picture #node-tell').textContent.includes('added')`)
		p.writes(`input[aria-label="another revision"]`, "no-such")
		p.click("compare")
		p.sees("-against: no-such:./refund.graph.yaml")
	})
	t.Run("recordings", func(t *testing.T) {
		p := p.of(t)
		p.click("graphs")
		p.click("failed.jsonl")
		p.shows(`#node-poll2.is-failed`)
		p.click("begin")
		p.waits(`document.querySelector('#node-poll2').matches('.is-none')`)
		for range 4 {
			p.click("on")
		}
		p.shows(`#node-polls.is-active`)
		p.choose(`select[aria-label="another run"]`, "good.jsonl")
		p.click("compare")
		p.sees("The first difference: failed and done")
		p.shows(`.row.differs`)
	})
	t.Run("files", func(t *testing.T) {
		p := p.of(t)
		p.click("graphs")
		p.shows(`input[type="file"]`)
		p.do(chromedp.SetUploadFiles(chromedp.CSS(`input[type="file"]`), []string{filepath.Join(m.Dir, "good.jsonl")}))
		p.shows(`#node-poll2.is-done`)
		p.click("graphs")
		p.shows(`input[type="file"]`)
		p.do(chromedp.SetUploadFiles(chromedp.CSS(`input[type="file"]`), []string{filepath.Join(m.Dir, "report.json")}))
		p.shows(`#node-pay.is-done`)
		p.sees("A report has neither the state nor requests and answers")
		p.click("graphs")
		p.shows(`input[type="file"]`)
		p.do(chromedp.SetUploadFiles(chromedp.CSS(`input[type="file"]`), []string{filepath.Join(m.Dir, "article.json")}))
		p.sees("The run is of the graph article, which the studio does not have.")
		p.click("graphs")
		p.shows(`input[type="file"]`)
		p.do(chromedp.SetUploadFiles(chromedp.CSS(`input[type="file"]`), []string{filepath.Join(m.Dir, "go.mod")}))
		p.sees("The file has neither events as JSON lines nor a report as JSON.")
	})
}

// TestRunsOfRecording holds that the page shows one run of a recording that has several, with its own child runs alone: the ID of another run, which has
// some too, begins alike.
func TestRunsOfRecording(t *testing.T) {
	p := open(t, new(shop), studio.Options{})
	p.sees("runs are in threads")
	p.waits(`(() => {
		const lines = [['order-1'], ['order-12'], ['order-12/3.help', 'help'], ['order-1/2.help', 'help'], ['order-1/2.help/1.ask', 'help/ask'], ['order-12']]
		const file = new Blob(lines.map(([run, within]) => JSON.stringify({ kind: 'node_start', run, within }) + '\n'))
		const read = async id => {
			const { Lines } = await import('/source.mjs')
			const source = new Lines(async (from, to) => file.slice(from, to).stream(), id), events = []
			for await (const page of source.pages()) events.push(...page.events)
			const again = (await source.again(0, events.length - 1)).events
			return [events, again].map(all => all.map(e => e.run).join(' ')).join(', ') + '; ' + [...source.others].join(' ')
		}
		Promise.all(['', 'order-12'].map(read)).then(all => { window.read = all.join('\n') })
		return true
	})()`)
	p.waits(`window.read !== undefined`)
	one, two := "order-1 order-1/2.help order-1/2.help/1.ask", "order-12 order-12/3.help order-12"
	want := one + ", " + one + "; order-12\n" + two + ", " + two + "; order-1"
	if got, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](`window.read`)); err != nil || got != want {
		t.Errorf("got\n%s\nwant\n%s\n%v", got, want, err)
	}
}

// TestNoModule holds that a page of a program says what shows scenarios.
func TestNoModule(t *testing.T) {
	p := open(t, new(shop), studio.Options{})
	p.sees("Scenarios and versions are shown by graphgen studio")
}

// of returns the page as a subtest uses it.
func (p *page) of(t *testing.T) *page {
	return &page{t: t, url: p.url, ctx: p.ctx}
}
