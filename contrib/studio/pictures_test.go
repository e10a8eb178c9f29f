package studio_test

import (
	_ "embed"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
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
	Narrow, Wide                          float64 // the widths that texts have in the font, in those that they have in pictures
}

// spoils are changes of pictures, each of which is a fault more.
var spoils = map[string]string{
	"a node over another":       `move(all("g.node:not(.region)").find(n => n.nextElementSibling?.matches("g.node:not(.region)")), n => n.nextElementSibling)`,
	"a node outside of its box": `all("g.region > g.node")[0].setAttribute("transform", "translate(-900 0)")`,
	"a line through a node":     `lay(all("g.node:not(.region)").at(-1))`,
	"a label over a node":       `move(all("g.edge text")[0], () => document.querySelector("g.node:not(.region)"))`,
	"a text longer than its box": `all("g.node:not(.region) text")[0].removeAttribute("textLength");
		all("g.node:not(.region) text")[0].textContent += " and what has no room here at all"`,
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

// TestGeometry draws all graphs of the repository by the command, opens them in a browser, and looks at what this has drawn: no node is over another
// or outside of its region, no line goes through a node or a text, no text is over another or outside of its node. So it is in whatever fonts there are.
func TestGeometry(t *testing.T) {
	pages := map[string][]byte{"/": drawn(t, "./golden/...", "./examples/...", "./contrib/..."), "/few": drawn(t, "./golden/parallel", "./golden/bounds")}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(pages[r.URL.Path]) // a browser that is gone
	})
	whole := func(t *testing.T, p *page) look {
		seen := p.look()
		for _, f := range seen.Faults[:min(len(seen.Faults), 20)] {
			t.Error(f)
		}
		t.Logf("%d pictures of %d nodes, %d lines and %d labels have %d faults; texts are fitted from %.3f to %.3f of their widths",
			seen.Pictures, seen.Nodes, seen.Edges, seen.Labels, len(seen.Faults), seen.Narrow, seen.Wide)
		if seen.Pictures < 300 || seen.Nodes < 1000 || seen.Edges < 1500 || seen.Labels < 500 || seen.Texts < seen.Nodes {
			t.Errorf("the page has %+v", seen)
		}
		return seen
	}
	t.Run("the fonts of the machine", func(t *testing.T) {
		p := browse(t, h)
		seen := whole(t, p)
		font, err := exec.CommandContext(t.Context(), "fc-match", "Arial").Output()
		named := err == nil && (strings.Contains(string(font), "Liberation") || strings.Contains(string(font), "Arial"))
		if named && (seen.Narrow < 0.97 || seen.Wide > 1.01) {
			t.Errorf("texts do not look as they do in %s", font)
		}
		for name, spoil := range spoils {
			p.do(chromedp.Navigate(p.url + "/few"))
			if p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(spoiling, spoil))); len(p.look().Faults) == 0 {
				t.Errorf("%s is not seen", name)
			}
		}
	})
	t.Run("a font that is wider", func(t *testing.T) {
		if seen := whole(t, browse(t, h, only(t, "DejaVu Sans"))); seen.Wide < 1.1 {
			t.Error("the browser has another font")
		}
	})
}

// only lets a browser have the font of a name, and no other.
func only(t *testing.T, name string) chromedp.ExecAllocatorOption {
	t.Helper()
	dir := t.TempDir()
	for _, weight := range []string{"", ":bold"} {
		out, err := exec.CommandContext(t.Context(), "fc-match", "-f", "%{family}\n%{file}", name+weight).Output()
		family, file, _ := strings.Cut(string(out), "\n")
		if err != nil || family != name {
			t.Skipf("the font %s is not installed: %s %v", name, family, err)
		}
		if err := os.Symlink(file, filepath.Join(dir, filepath.Base(file))); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "fonts.conf")
	const config = `<!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>%[1]s</dir><cachedir>%[1]s</cachedir></fontconfig>`
	if err := os.WriteFile(path, fmt.Appendf(nil, config, dir), 0o600); err != nil {
		t.Fatal(err)
	}
	return chromedp.Env("FONTCONFIG_FILE=" + path)
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
