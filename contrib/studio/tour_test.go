package studio_test

import (
	"flag"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/graphgen/graphgen/contrib/studio"
)

// axe returns the source of axe-core, which npm installs by the lock file.
func axe(t *testing.T) string {
	t.Helper()
	if os.Getenv("JUDGES") == "" {
		t.Skip("make judges runs it")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("there is no npm: axe-core is not run")
	}
	folder := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("npm does not install axe-core: %v\n%s", err, out)
	}
	source, err := os.ReadFile(filepath.Join(folder, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// A stop is a page of the tour, and whether its picture is dark.
type stop struct {
	name string
	dark bool
}

// stops are the pages of which docs/pictures has pictures, in the order of the tour.
var stops = []stop{{"home", false}, {"graph", false}, {"waiting", false}, {"threads", true}, {"completed", true}, {"state", false}}

// moduleStops are the pages of a module, likewise.
var moduleStops = []stop{{"scenarios", false}, {"versions", false}, {"recording", true}, {"two", false}}

// moduleTour shows a person around a module.
func (p *page) moduleTour(at func(i int)) {
	p.t.Helper()
	p.click("refund")
	p.click("run all")
	p.sees("1 passed, 1 failed")
	at(0)
	p.choose(`select[aria-label="version"]`, "Pay back")
	p.click("compare")
	p.sees("state.Paid > 0")
	at(1)
	p.click("graphs")
	p.click("failed.jsonl")
	p.shows(`#node-poll2.is-failed`)
	at(2)
	p.choose(`select[aria-label="another run"]`, "good.jsonl")
	p.click("compare")
	p.sees("The first difference: ")
	at(3)
}

// tour shows a person around: it calls at with the number of each stop.
func (p *page) tour(at func(i int)) {
	p.t.Helper()
	p.sees("runs are in threads")
	at(0)
	p.click("orders")
	p.shows(`#picture svg #node-approve`)
	p.writes(`[name="order"]`, strings.Repeat("x", 50))
	p.click("start")
	p.sees("want at most 40")
	at(1)
	p.writes(`[name="order"]`, "A-7")
	p.writes(`[name="thread"]`, "refund-7")
	p.click("start")
	p.sees("Pay 90 back for order A-7?")
	p.shows(`#node-approve.is-waiting`)
	at(2)
	p.click("graphs")
	p.sees("refund-7")
	at(3)
	p.click("refund-7")
	p.shows(`#act .ask button`) // a step has its name, too
	p.waits(`(document.querySelector('#act .ask button').click(), true)`)
	p.shows(`#act .pill.is-completed`)
	p.shows(`#node-pay.is-done`)
	at(4)
	p.click("state and forks")
	p.sees(`"receipt": "paid A-7"`)
	at(5)
}

// theme lets the browser prefer light or dark pages.
func (p *page) theme(name string) {
	p.t.Helper()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}}
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, media); err != nil {
		p.t.Fatal(err)
	}
}

// TestAxe holds that axe-core finds no violation in the studio's pages, and in pictures, light and dark.
func TestAxe(t *testing.T) {
	source := axe(t)
	check := func(p *page, name string) {
		t.Helper()
		for _, theme := range []string{"light", "dark"} {
			p.theme(theme)
			p.do(chromedp.Evaluate[chromedp.Void](source + "\n;void 0"))
			found, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](`axe.run({ resultTypes: ["violations"] }).then(r =>
				r.violations.flatMap(v => v.nodes.map(n => v.id + " at " + n.target.join(" ") + ": " + n.failureSummary)))`, chromedp.EvalAwaitPromise))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				t.Errorf("%s, %s: %s", name, theme, f)
			}
		}
	}
	p := open(t, new(shop), studio.Options{})
	p.tour(func(i int) { check(p, stops[i].name) })
	p = command(t, refundModule(t).Dir, "refund.graph.yaml", "join_settled.graph.yaml", "good.jsonl", "failed.jsonl")
	p.moduleTour(func(i int) { check(p, moduleStops[i].name) })
	p = office(t, new(bank))
	p.click("office")
	p.shows(`#picture .open`)
	check(p, "a node with a graph")
	p.do(chromedp.Click(chromedp.CSS(`#picture .open`)))
	p.shows(`.crumbs`)
	check(p, "the graph of a node")
	html := drawn(t, "./golden/parallel", "./golden/bounds")
	check(browse(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(html) // a browser that is gone
	})), "pictures")
}

var update = flag.Bool("update", false, "write the pictures of the studio's pages")

// TestScreens makes the pictures of docs/pictures with -update, and holds that a page of the documentation shows each.
func TestScreens(t *testing.T) {
	guide, err := os.ReadFile("../../docs/guides/look-at-a-run.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range slices.Concat(stops, moduleStops) {
		if name := "../pictures/studio-" + s.name + ".png"; !strings.Contains(string(guide), name) {
			t.Errorf("the guide does not show %s", name)
		}
		if _, err := os.Stat("../../docs/pictures/studio-" + s.name + ".png"); err != nil && !*update {
			t.Error(err)
		}
	}
	if !*update {
		return
	}
	p := open(t, new(shop), studio.Options{})
	p.tour(func(i int) { p.pictures(stops[i]) })
	p = command(t, refundModule(t).Dir, "refund.graph.yaml", "join_settled.graph.yaml", "good.jsonl", "failed.jsonl")
	p.moduleTour(func(i int) { p.pictures(moduleStops[i]) })
}

// pictures writes the picture of a page.
func (p *page) pictures(s stop) {
	p.t.Helper()
	if p.theme("light"); s.dark {
		p.theme("dark")
	}
	p.waits(`document.activeElement.blur() ?? true`)
	image, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile("../../docs/pictures/studio-"+s.name+".png", image, 0o644)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}
