package studio_test

import (
	_ "embed"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// geometry finds what is wrong with the pictures of a page. It knows nothing of the layout.
//
//go:embed testdata/geometry.js
var geometry string

// A look is what geometry returns.
type look struct {
	Pictures, Nodes, Edges, Labels, Texts int
	Faults                                []string
}

// spoils are changes of pictures, each of which is a fault more.
var spoils = map[string]string{
	"a node over another":        `move(all("g.node:not(.region)").find(n => n.nextElementSibling?.matches("g.node:not(.region)")), n => n.nextElementSibling)`,
	"a node outside of its box":  `all("g.region > g.node")[0].setAttribute("transform", "translate(-900 0)")`,
	"a line through a node":      `lay(all("g.node:not(.region)").at(-1))`,
	"a label over a node":        `move(all("g.edge text")[0], () => document.querySelector("g.node:not(.region)"))`,
	"a text longer than its box": `all("g.node:not(.region) text")[0].textContent += " and what has no room here at all"`,
}

const spoiling = `(() => {
	const all = (q) => [...document.querySelectorAll(q)]
	const lay = (node) => {
		const svg = node.closest('svg'), b = node.querySelector('.shape').getBBox()
		const e = [...svg.querySelectorAll('g.edge')].find(e => e.dataset.from !== node.id && e.dataset.to !== node.id)
		e.querySelector('path[fill=none]').setAttribute('d', 'M' + (b.x - 20) + ' ' + (b.y + 5) + 'H' + (b.x + b.width + 20))
	}
	const move = (el, to) => {
		const svg = el.closest('svg'), other = to(el), target = other.closest('svg') === svg ? other : svg.querySelector('g.node:not(.region)')
		const a = el.getBoundingClientRect(), b = target.getBoundingClientRect()
		el.setAttribute('transform', 'translate(' + (b.left - a.left + 4) + ' ' + (b.top - a.top + 4) + ')')
	}
	%s
})()`

// TestGeometry draws all graphs of the repository by the command, opens them in a browser, and looks at what this has drawn with its fonts: no node is over
// another or outside of its region, no line goes through a node or a text, no text is over another or outside of its node.
func TestGeometry(t *testing.T) {
	font, err := exec.Command("fc-match", "Arial").Output()
	if err == nil && !strings.Contains(string(font), "Liberation") && !strings.Contains(string(font), "Arial") {
		t.Skipf("no font has the widths of Arial, such as fonts-liberation: %s", font)
	}
	pages := map[string][]byte{"/": drawn(t, "./golden/...", "./examples/...", "./contrib/..."), "/few": drawn(t, "./golden/parallel", "./golden/bounds")}
	p := browse(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(pages[r.URL.Path]) // a browser that is gone
	}))
	seen := p.look()
	for _, f := range seen.Faults[:min(len(seen.Faults), 20)] {
		t.Error(f)
	}
	t.Logf("%d pictures of %d nodes, %d lines and %d labels have %d faults", seen.Pictures, seen.Nodes, seen.Edges, seen.Labels, len(seen.Faults))
	if seen.Pictures < 300 || seen.Nodes < 1000 || seen.Edges < 1500 || seen.Labels < 500 || seen.Texts < seen.Nodes {
		t.Errorf("the page has %+v", seen)
	}
	for name, spoil := range spoils {
		p.do(chromedp.Navigate(p.url + "/few"))
		if p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(spoiling, spoil))); len(p.look().Faults) == 0 {
			t.Errorf("%s is not seen", name)
		}
	}
}

// drawn returns the page with the pictures of graphs.
func drawn(t *testing.T, paths ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"run", "./cmd/graphgen", "diagram", "-format", "html"}, paths...)...)
	cmd.Dir = "../.."
	html, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return html
}

// look looks at the pictures of a page.
func (p *page) look() look {
	p.t.Helper()
	seen, err := chromedp.Run(p.ctx, chromedp.Evaluate[look](geometry))
	if err != nil {
		p.t.Fatal(err)
	}
	return seen
}
