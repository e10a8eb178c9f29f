package picture_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/picture"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/testing/committed"
	"github.com/graphgen/graphgen/internal/testing/hostile"
	"github.com/graphgen/graphgen/internal/testing/randomgraph"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
)

var (
	update = flag.Bool("update", false, "rewrite the golden files")
	write  = flag.String("write", "", "a folder for the pictures of all graphs, to be looked at")
)

// load returns the machine of a spec; nil for one that does not pass the checks, or has types alone.
func load(file string, text []byte) *plan.Machine { return committed.Load(file, text, os.ReadFile) }

// each calls a function with the graphs of the repository: in the tier short with some of them, in the tier test with at most so many.
func each(t *testing.T, short, most int, f func(file string, m *plan.Machine)) int {
	t.Helper()
	graphs := committed.Graphs(t)
	some := tier.Some(t, short, min(most, len(graphs)), graphs)
	for _, g := range some {
		f(g.File, g.Machine)
	}
	return len(some)
}

// hold draws a machine, and holds what is true of every picture.
func hold(t *testing.T, name string, m *plan.Machine, o picture.Options) (faults int) {
	t.Helper()
	text := picture.Of(m, o).SVG(picture.Style{})
	if again := picture.Of(m, o).SVG(picture.Style{}); !bytes.Equal(text, again) {
		t.Errorf("%s: two pictures of a graph differ", name)
	}
	if *write != "" {
		file := regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.TrimPrefix(name, "../../"), "-")
		os.WriteFile(filepath.Join(*write, fmt.Sprint(file, o.Open, ".svg")), text, 0o666)
	}
	d, err := read(text)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return 1
	}
	list := append(d.faults(), missing(d, m)...)
	for _, f := range list[:min(len(list), 6)] {
		t.Errorf("%s: %s", name, f)
	}
	return len(list)
}

// missing returns what a picture lacks: it has each node once, in the box of its parent, and each transition, but for those to the nodes
// of a pool and their ends.
func missing(d *drawn, m *plan.Machine) (list []string) {
	around := map[string]string{}
	for _, s := range d.shapes {
		if s.within != nil {
			around[s.id] = s.within.id
		}
	}
	for _, n := range m.Flow.Nodes {
		id, want := "node-"+n.Name, ""
		switch {
		case n.Parent != nil:
			want = "node-" + n.Parent.Name
		case n.Template:
			want = "templates"
		}
		if !d.ids[id] || around[id] != want {
			list = append(list, fmt.Sprintf("%s is in %q, want %q", id, around[id], want))
		}
	}
	for _, w := range m.Flow.Transitions {
		pooled := w.From != nil && (w.From.Kind.Picks() && w.Rule == spec.RuleBranch || w.To == nil && w.From.Parent != nil && w.From.Parent.Kind.Picks())
		if id := "edge-" + strconv.Itoa(w.ID+1); !d.ids[id] && !pooled {
			list = append(list, fmt.Sprintf("there is no %s, from %v", id, w.From.Name))
		}
	}
	return list
}

// TestGeometry draws the graphs of the repository and random ones, closed and open, and reads the pictures: no box is over another or
// outside of its region, no edge is in a box or a text, no text is over another.
func TestGeometry(t *testing.T) {
	faults, open := 0, 0
	n := each(t, 100, 1000, func(file string, m *plan.Machine) {
		faults += hold(t, file, m, picture.Options{})
		if slices.ContainsFunc(m.Flow.Nodes, runsGraph) {
			open++
			faults += hold(t, file, m, picture.Options{Open: 3})
		}
	})
	random := 0
	for d := range tier.Draws(t, tier.Pick(40, 200, 3000)) {
		if m := randomMachine(d); m != nil {
			random++
			faults += hold(t, "random "+d.String(), m, picture.Options{Open: int(d.Number % 2)})
		}
	}
	t.Logf("%d graphs of the repository, %d of them also open, %d random ones: %d faults", n, open, random, faults)
}

// randomMachine returns a random graph: one that runs another, or that runs may change, or another one.
func randomMachine(d tier.Draw) *plan.Machine {
	o := randomgraph.Options{Composes: true, Routers: true, People: true, Models: d.Number%8 < 4, Tables: true}
	text, inner := "", ""
	switch d.Number % 4 {
	case 0:
		text = randomgraph.Mutating(d.Rand(), "random")
	case 1:
		text, inner = randomgraph.Nested(d.Rand(), "random", "inner", o)
	default:
		text = randomgraph.Make(d.Rand(), "random", o)
	}
	return committed.Load("random.graph.yaml", []byte(text), func(path string) ([]byte, error) { return []byte(inner), nil })
}

// TestMarks draws graphs of the repository with marks on everything, and against others: what is added for them is over nothing either.
func TestMarks(t *testing.T) {
	var before *plan.Machine
	each(t, 40, 150, func(file string, m *plan.Machine) {
		marks := &picture.Marks{Nodes: map[string]picture.Mark{}, Edges: map[string]picture.Mark{}, Fade: true}
		for k, n := range m.Flow.Nodes {
			marks.Nodes[n.Name] = picture.Mark{State: picture.State(k % 4), Text: []string{"", "×12", "1 of 3 failed", "waits"}[k%4]}
		}
		for k := range m.Flow.Transitions {
			marks.Edges[strconv.Itoa(k+1)] = picture.Mark{State: picture.State(k % 2), Text: []string{"", "×1024"}[k%2]}
		}
		hold(t, file, m, picture.Options{Marks: marks})
		if before != nil {
			hold(t, file, m, picture.Options{Against: before})
		}
		before = m
	})
}

// TestAgainst compares two versions of a graph.
func TestAgainst(t *testing.T) {
	const head = "graph: news\nentry: draft\nstate: {text: {type: string, default: a}, score: {type: int, default: 0}}\nnodes:\n" +
		"  draft: {reads: [score], writes: text}\n"
	old := load("old.graph.yaml", []byte(head+`  critic: {reads: text, writes: score}
  file: {reads: text}
  both: {kind: parallel, branches: {a: one, b: two}}
  one: {reads: text}
  two: {reads: text}
edges:
  - {from: draft, to: critic}
  - {from: critic, to: file, if: out.Score > 5}
  - {from: critic, to: draft, max_iterations: 3}
  - {from: critic, to: both}
  - {from: both, to: file}
`))
	now := load("now.graph.yaml", []byte(head+`  critic: {reads: text, writes: score, flags: [retryable]}
  file: {reads: text}
  print: {reads: text}
edges:
  - {from: draft, to: critic}
  - {from: critic, to: file, if: out.Score > 6}
  - {from: critic, to: draft, max_iterations: 3}
  - {from: critic, to: print}
`))
	if old == nil || now == nil {
		t.Fatal("the graphs are wrong")
	}
	p := picture.Of(now, picture.Options{Against: old})
	d, err := read(p.SVG(picture.Style{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range d.faults() {
		t.Error(f)
	}
	compare(t, "testdata/against.txt", []byte(p.String()))
}

// TestFaults holds that the geometry of a wrong picture is found to be wrong.
func TestFaults(t *testing.T) {
	const (
		region = `<g class="node region" id="r"><path d="M100 100L400 100L400 300L100 300Z"/>`
		a      = `<g class="node" id="a"><path d="M120 150L200 150L200 190L120 190Z"/></g>`
		b      = `<g class="node" id="b"><path d="M120 230L200 230L200 270L120 270Z"/></g>`
		edge   = `<g class="edge" id="e" data-from="a" data-to="b"><path fill="none" d="M160 190L160 222"/><path d="M160 230L157 222L163 222Z"/>`
	)
	for _, row := range []struct{ name, svg, want string }{
		{"a picture", region + a + b + edge + `</g></g>`, ""},
		{"a node over another", region + a + strings.ReplaceAll(b, "230", "180") + `</g>`, "a is over b"},
		{"a node outside of its region", region + strings.ReplaceAll(a, "120", "90") + `</g>`, "a is outside of r"},
		{"a node in the header", region + strings.ReplaceAll(a, "150", "130") + `</g>`, "a is outside of r"},
		{"a node outside of the picture", strings.ReplaceAll(a, "200", "600"), "a is outside of the picture"},
		{"an edge through a node", a + b + edge + `</g><g class="node" id="c"><path d="M150 200L170 200L170 215L150 215Z"/></g>`, "e is in c"},
		{"an edge in its node", a + b + strings.Replace(edge, "M160 190", "M160 170", 1) + `</g>`, "e is in a"},
		{"an edge that ends too early", a + b + strings.Replace(edge, "M160 190", "M160 195", 1) + `</g>`, "e does not end at a"},
		{"an edge to no node", a + edge + `</g>`, "e leads to a box that is not there"},
		{"a curve through a node", a + b + strings.Replace(edge, "L160 222", "C160 200 260 200 160 222", 1) +
			`</g><g class="node" id="c"><path d="M185 200L220 200L220 212L185 212Z"/></g>`, "e is in c"},
		{"an edge in its label", a + b + edge + `<text x="150" y="210" font-size="11" textLength="23">label</text></g>`, "e is in the text"},
		{"a label over another", a + b + edge +
			`<text x="250" y="210" font-size="11" textLength="18">one</text><text x="255" y="215" font-size="11" textLength="17">two</text></g>`,
			"is over the text"},
		{"a label over a node", a + b + edge + `<text x="195" y="180" font-size="11" textLength="23">label</text></g>`, `the label "label" is over a`},
		{"a label outside of its region", region + a + b + edge +
			`<text x="390" y="210" font-size="11" textLength="23">label</text></g></g>`, "is outside of r"},
		{"a name wider than its node", strings.TrimSuffix(a, "</g>") + `<text x="130" y="175" font-size="13" textLength="95">a very long name</text></g>`,
			"is wider than a"},
		{"a text of any width", a + b + edge + `<text x="250" y="210" font-size="11">one</text></g>`, "is fitted to 0 pixels"},
		{"a text that is squeezed", a + b + edge + `<text x="250" y="210" font-size="11" textLength="14">one</text></g>`, "is fitted to 14 pixels"},
		{"a script", `<script/>`, "there is an element script"},
		{"an image", `<image href="https://evil.example/"/>`, "there is an element image"},
		{"an event", `<g onclick="x()"/>`, "there is an attribute onclick"},
		{"two of an id", a + a, "two elements have the id a"},
	} {
		d, err := read([]byte(`<svg xmlns="http://www.w3.org/2000/svg" width="500" height="400">` + row.svg + `</svg>`))
		var list []string
		if err != nil {
			list = append(list, err.Error())
		} else {
			list = d.faults()
		}
		if got := strings.Join(list, "\n"); !strings.Contains(got, row.want) || row.want == "" && got != "" {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
}

// TestPictures holds some pictures and their layouts to the committed files. -update writes them.
func TestPictures(t *testing.T) {
	files, err := filepath.Glob("../../testdata/diagram/*.graph.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no specs", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".graph.yaml")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p := picture.Of(load(file, text), picture.Options{})
			compare(t, "testdata/"+name+".txt", []byte(p.String()))
			compare(t, "../../golden/diagram/"+name+".svg", p.SVG(picture.Style{}))
		})
	}
}

var (
	idAttr   = regexp.MustCompile(` id="([^"]*)"`)
	refAttr  = regexp.MustCompile(` (?:href|src|srcset|style|on[a-z]+|action|xlink:href)="([^"]*)"`)
	tagNames = regexp.MustCompile(`<(\w+)`)
)

// holdPage holds that a page has each id once, refers to ids of itself alone, and has no element that runs or loads anything.
func holdPage(t *testing.T, name string, text []byte) (refs int) {
	t.Helper()
	ids := map[string]bool{}
	for _, id := range idAttr.FindAllSubmatch(text, -1) {
		if ids[string(id[1])] {
			t.Errorf("%s: two elements have the id %s", name, id[1])
		}
		ids[string(id[1])] = true
	}
	for _, ref := range refAttr.FindAllSubmatch(text, -1) {
		refs++
		if id, ok := strings.CutPrefix(string(ref[1]), "#"); !ok || !ids[id] {
			t.Errorf("%s: there is no %s", name, ref)
		}
	}
	for _, tag := range tagNames.FindAllSubmatch(text, -1) {
		switch tag := string(tag[1]); tag {
		case "html", "head", "meta", "body", "main", "section", "h1", "p", "div", "details", "summary", "a":
		default:
			if !allowed[tag] {
				t.Errorf("%s: there is an element %s", name, tag)
			}
		}
	}
	return refs
}

// TestPage holds pages of graphs that run graphs, and of all of them.
func TestPage(t *testing.T) {
	var all []picture.Section
	refs := 0
	each(t, 1000, 1000, func(file string, m *plan.Machine) {
		section := picture.Section{Title: file, Machine: m}
		if all = append(all, section); slices.ContainsFunc(m.Flow.Nodes, runsGraph) {
			refs += holdPage(t, file, picture.Page([]picture.Section{section}, picture.Style{}))
		}
	})
	if n := holdPage(t, "all", picture.Page(all, picture.Style{})); n < refs || refs < 20 {
		t.Errorf("pages have %d references, and the page of all %d", refs, n)
	}
}

// compare holds a text to a committed file.
func compare(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s differs; -update writes it. got:\n%s", path, got)
	}
}

// TestIcons holds that each kind of node has an icon, and that no two kinds have the same.
func TestIcons(t *testing.T) {
	seen := map[string]string{}
	for _, k := range spec.Kinds {
		icon := picture.Icon(k)
		if other := seen[icon]; icon == "" || other != "" {
			t.Errorf("kinds %s and %q have the icon %q", k.Name, other, icon)
		}
		seen[icon] = k.Name
	}
}

// TestHostileTexts holds that texts of authors are text in a picture, on one line, whatever they hold.
func TestHostileTexts(t *testing.T) {
	source, err := os.ReadFile("../../testdata/diagram/hosts.graph.yaml")
	if err != nil {
		t.Fatal(err)
	}
	texts := append([]hostile.Text{
		{Name: "a long word", Text: strings.Repeat("Donaudampfschifffahrt", 400)},
		{Name: "many lines", Text: strings.Repeat("a\r\nb ", 300)},
		{Name: "a tower of marks", Text: "a" + strings.Repeat("\u0301", 200)},
		{Name: "wide letters", Text: strings.Repeat("漢字", 60)},
		{Name: "right to left", Text: "\u202b\u05e9\u05dc\u05d5\u05dd\u202c"},
		{Name: "no Unicode", Text: "a\xff\xfe\x00b"},
		{Name: "the end of an element", Text: `"></g></svg><script>alert(1)</script><image href="https://evil.example/"/>`},
		{Name: "the end of a section", Text: "]]> <![CDATA[ <!-- -->"},
		{Name: "nothing", Text: ""},
	}, hostile.Texts...)
	for _, h := range tier.Some(t, 12, len(texts), texts) {
		t.Run(h.Name, func(t *testing.T) {
			m := load("hosts.graph.yaml", source)
			m.Name, m.Doc = h.Text, h.Text
			for k, n := range m.Flow.Nodes {
				n.Name, n.Doc = h.Text+strconv.Itoa(k), h.Text
				if loop, is := n.Work.(*plan.Loop); is {
					loop.Until.Expr = h.Text
				}
			}
			for _, w := range m.Flow.Transitions {
				w.Label, w.Text = h.Text, h.Text
			}
			text := picture.Of(m, picture.Options{}).SVG(picture.Style{})
			d, err := read(text)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			for _, f := range d.faults() {
				t.Error(f)
			}
			sections := []picture.Section{{Title: h.Text, Machine: m}, {Title: h.Text + "2", Machine: m}}
			holdPage(t, h.Name, picture.Page(sections, picture.Style{}))
		})
	}
}

// TestLargeGraphs draws graphs of 500 nodes. A failure route of each to the same node, which is far away, is no line across the others, so
// that a graph ten times as long is not wider, and its picture is about ten times as large.
func TestLargeGraphs(t *testing.T) {
	m := load("large.graph.yaml", []byte(large(500)))
	if m == nil {
		t.Fatal("the graph is wrong")
	}
	hold(t, "large", m, picture.Options{})
	var sizes []int
	var widths []float64
	for _, n := range []int{50, 500} {
		m := load("rescued.graph.yaml", []byte(rescued(n)))
		if m == nil {
			t.Fatal("the graph is wrong")
		}
		hold(t, "rescued", m, picture.Options{})
		p := picture.Of(m, picture.Options{})
		text := p.SVG(picture.Style{})
		if far := bytes.Count(text, []byte(` data-end="to-edge-`)); far < n-20 {
			t.Errorf("of %d failure routes, %d have a sign of their own", n, far)
		}
		sizes, widths = append(sizes, len(text)), append(widths, p.Root.W)
	}
	if sizes[1] > 11*sizes[0] || widths[1] > 1.2*widths[0] {
		t.Errorf("pictures of 50 and 500 nodes have %v bytes, and are %v pixels wide", sizes, widths)
	}
}

// rescued returns a chain of n nodes, each with a failure route to the same node.
func rescued(n int) string {
	var b strings.Builder
	b.WriteString("graph: rescued\nentry: n0\nstate: {score: {type: int, default: 0}}\nlimits: {max_steps: 5000}\nnodes:\n  rescue: {reads: score}\n")
	for k := range n {
		fmt.Fprintf(&b, "  n%d: {reads: score, writes: score}\n", k)
	}
	b.WriteString("edges:\n")
	for k := range n {
		fmt.Fprintf(&b, "  - {from: n%d, to: %s}\n  - {from: n%d, to: rescue, on: error}\n", k, pick(k+1 < n, fmt.Sprintf("n%d", k+1), "rescue"), k)
	}
	return b.String()
}

func pick[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}

func BenchmarkLargeGraph(b *testing.B) {
	m := load("large.graph.yaml", []byte(large(500)))
	for b.Loop() {
		picture.Of(m, picture.Options{}).SVG(picture.Style{})
	}
}

// large returns a graph of n nodes, which fan out by ten and join again, with edges back and failure routes.
func large(n int) string {
	var b strings.Builder
	b.WriteString("graph: large\nentry: n0\nstate: {score: {type: int, default: 0}}\nlimits: {max_steps: 5000}\nnodes:\n")
	for k := range n {
		fmt.Fprintf(&b, "  n%d: {reads: score, writes: score}\n", k)
	}
	b.WriteString("edges:\n")
	for k := 0; k+11 < n; k += 11 {
		for i := 1; i <= 10; i++ {
			fmt.Fprintf(&b, "  - {from: n%d, to: n%d, if: out.Score == %d}\n", k, k+i, i)
			fmt.Fprintf(&b, "  - {from: n%d, to: n%d}\n", k+i, k+11)
		}
		fmt.Fprintf(&b, "  - {from: n%d, to: n%d}\n", k, k+11)
		if k > 0 {
			fmt.Fprintf(&b, "  - {from: n%d, to: n%d, if: out.Score > 90, max_iterations: 2}\n", k+11, k)
		}
	}
	last := (n - 1) / 11 * 11
	for k := last; k < n; k++ {
		to := "end"
		if k+1 < n {
			to = fmt.Sprintf("n%d", k+1)
		}
		fmt.Fprintf(&b, "  - {from: n%d, to: %s}\n", k, to)
	}
	return b.String()
}

// TestSheet holds the style sheet that servers send, who do not link this package, to the one of the pictures. -update writes it.
func TestSheet(t *testing.T) {
	compare(t, "../../internal/runview/picture.css", []byte(strings.ReplaceAll(picture.Sheet(), "}", "}\n")))
}

// runsGraph reports whether a node runs another graph.
func runsGraph(n *plan.Node) bool {
	_, is := n.Work.(*plan.Sub)
	return is
}
