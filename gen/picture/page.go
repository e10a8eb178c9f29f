package picture

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
)

// A Section is a graph on a page.
type Section struct {
	Title   string // where there are several
	Machine *plan.Machine
	Options Options
}

// deepest is how deep graphs that run graphs are shown on a page.
const deepest = 5

// Page writes an HTML page with pictures of graphs. Below a picture are pictures of the graphs that its nodes run, closed; a node leads to
// its graph, which a browser opens. The page has no script and loads nothing.
func Page(sections []Section, s Style) []byte {
	p := &page{Style: s}
	p.Bare = true
	title := "graphs"
	if len(sections) == 1 {
		title = "graph " + sections[0].Machine.Name
	}
	p.printf("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>%s</title>\n", escaped(shown(title)))
	p.printf("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
	p.printf("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n")
	p.printf("<style>%s</style>\n</head>\n<body>\n<main>\n", p.css())
	for _, section := range sections {
		if len(sections) > 1 {
			p.Prefix = s.Prefix + idText(section.Title) + ":"
		}
		p.printf("<section>\n<h1>%s</h1>\n", escaped(shown(section.Machine.Name)))
		if len(sections) > 1 {
			p.printf("<p>%s</p>\n", escaped(shown(section.Title)))
		}
		p.Options = section.Options
		p.picture(section.Machine, nil, nil)
		p.printf("</section>\n")
	}
	p.printf("</main>\n</body>\n</html>\n")
	return p.Bytes()
}

// A page is an HTML page as it is written.
type page struct {
	bytes.Buffer
	Options // of the section
	Style
}

func (p *page) printf(format string, values ...any) { fmt.Fprintf(p, format, values...) }

// picture writes a picture of a graph and pictures of the graphs that its nodes run. The nodes of the path run the graph, within the other graphs.
func (p *page) picture(m *plan.Machine, path []string, runs []*spec.Graph) {
	var shows []*plan.Node
	for n, sub := range plan.Works[*plan.Sub](m) {
		if p.Open == 0 && len(path) < deepest && !slices.Contains(runs, sub.Spec) {
			shows = append(shows, n)
		}
	}
	id := func(node string) string {
		return p.Prefix + (&builder{path: path}).id("graph", node)
	}
	style := p.Style
	style.links = func(b *Box) string {
		if !slices.ContainsFunc(shows, func(n *plan.Node) bool { return n.Name == b.Node }) {
			return ""
		}
		return id(b.Node)
	}
	if doc := shown(m.Doc); doc != "" {
		p.printf("<p>%s</p>\n", escaped(doc))
	}
	o := p.Options
	if o.Path = path; len(path) > 0 {
		o.Against = nil // it is another graph
	}
	p.printf("<div class=\"picture\">\n%s</div>\n", Of(m, o).SVG(style))
	for _, n := range shows {
		sub := n.Work.(*plan.Sub)
		p.printf("<details><summary>%s runs graph %s</summary>\n<div id=\"%s\">\n", escaped(shown(n.Name)), escaped(shown(sub.Graph)), id(n.Name))
		p.picture(plan.Lower(cfg.Of(sub.Spec), "main"), append(slices.Clone(path), n.Name), append(slices.Clone(runs), sub.Spec))
		p.printf("</div>\n</details>\n")
	}
}

// css returns the style sheet of the page.
func (p *page) css() string {
	t := p.Theme
	css := fmt.Sprintf("body{margin:24px;font:15px/1.5 system-ui,sans-serif;background:%s;color:%s}"+
		"h1{font-size:18px;margin:0 0 4px}p{max-width:48em;margin:0}section{margin-bottom:40px}.picture{overflow-x:auto}"+
		"summary{cursor:pointer;padding:4px 0}details{border-left:2px solid %s;padding-left:16px;margin:8px 0}"+
		"a .shape{stroke-width:2}a:focus .shape,a:hover .shape{stroke-width:3}",
		t.color(ground), t.color(ink), t.color(regionBorder))
	switch t {
	case Auto:
		css += fmt.Sprintf("@media (prefers-color-scheme:dark){body{background:%s;color:%s}details{border-color:%s}%s}",
			Dark.color(ground), Dark.color(ink), Dark.color(regionBorder), sheet(".graphgen"))
		return ":root{color-scheme:light dark}" + css
	case Dark:
		return ":root{color-scheme:dark}" + css
	}
	return css
}
