package runpage_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/gen/runpage"
	"github.com/graphgen/graphgen/internal/testing/hostile"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/link"
)

// specs are the specs of the recorded runs in testdata.
var specs = map[string]string{
	"inquiry": "examples/inquiry/inquiry.graph.yaml", "survey": "golden/subgraph/survey.graph.yaml",
	"clerk": "golden/durable/clerk.graph.yaml", "clerk.paused": "golden/durable/clerk.graph.yaml",
	"polls.good": "golden/join/join_settled.graph.yaml", "polls.failed": "golden/join/join_settled.graph.yaml",
}

func load(t *testing.T, file string) (*plan.Machine, []byte) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../..", file))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	g, found := spec.Load(filepath.Base(path), text)
	if g == nil || diag.HasErrors(found) {
		t.Fatal(found)
	}
	link.New(filepath.Dir(path), os.ReadFile, nil).Link(g)
	return plan.Lower(cfg.Of(g), "main"), text
}

// pageOf returns a page of recorded runs of one graph.
func pageOf(t *testing.T, names ...string) *runpage.Page {
	t.Helper()
	m, text := load(t, specs[names[0]])
	p := &runpage.Page{Machine: m, Open: 1, Files: map[string][]string{filepath.Base(specs[names[0]]): strings.Split(string(text), "\n")}}
	for _, name := range names {
		events, err := os.ReadFile("testdata/" + name + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		r := runpage.Run{Name: name}
		for line := range bytes.Lines(events) {
			r.Events = append(r.Events, bytes.TrimSpace(line))
		}
		p.Runs = append(p.Runs, r)
	}
	return p
}

func html(t *testing.T, p *runpage.Page) string {
	t.Helper()
	text, err := p.HTML()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestFold runs the tests of the fold, which are JavaScript.
func TestFold(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed: the fold is tested by the page in a browser alone")
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), node, "testdata/fold.test.mjs", here).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// evil are texts that end an element or a script, or begin one, in some place.
func evil() []string {
	list := []string{
		"</script><script>document.title='x'</script>", "<img src=x onerror=document.title='x'>", "<!--<script>", "-->", "]]>", "</style></svg></title></main>",
		`"onload="document.title='x'`, "'><svg/onload=document.title='x'>", "\\u003c/script\\u003e", "javascript:alert(1)", "__proto__", "constructor", "\u2028", "\U0001f642",
		"<iframe srcdoc=x>", "<base href=//evil.example>", "<a href=javascript:alert(1)>a</a>",
		"<style>*{display:none}</style>", "${alert(1)}", "`", "\xff\xfe",
	}
	for _, h := range hostile.Texts {
		list = append(list, h.Text)
	}
	return list
}

// spoil adds a text to each text of a value, also to names of members; kinds of events alone are left.
func spoil(v any, key, text string) any {
	switch v := v.(type) {
	case string:
		if key == "kind" || key == "rule" || key == "time" || key == "run" {
			return v
		}
		return v + text
	case []any:
		for i := range v {
			v[i] = spoil(v[i], key, text)
		}
	case map[string]any:
		for k := range v {
			v[k] = spoil(v[k], k, text)
		}
		if key == "schema" || key == "arguments" || key == "output" {
			v[text] = text
		}
	}
	return v
}

// spoiled returns a page of a run that has a text in every place.
func spoiled(t *testing.T, name, text string) *runpage.Page {
	t.Helper()
	p := pageOf(t, name, name)
	m := p.Machine
	m.Name, m.Doc = m.Name+text, text
	for _, n := range m.Flow.Nodes {
		n.Name, n.Doc, n.Drawing.Title = n.Name+text, text, n.Drawing.Title+text
	}
	for _, tr := range m.Flow.Transitions {
		tr.Label, tr.Text = tr.Label+text, tr.Text+text
	}
	p.Files = map[string][]string{filepath.Base(specs[name]) + text: {text, text, text}}
	for k := range p.Runs {
		p.Runs[k].Name, p.Runs[k].Note = text, text
		for i, line := range p.Runs[k].Events {
			var e any
			if err := json.Unmarshal(line, &e); err != nil {
				t.Fatal(err)
			}
			if o := e.(map[string]any); o["kind"] == "node_end" {
				o["written"] = []any{map[string]any{"name": "a", "value": map[string]any{"b": "c"}}}
			}
			data, err := json.Marshal(spoil(e, "", text))
			if err != nil {
				t.Fatal(err)
			}
			p.Runs[k].Events[i] = data
		}
	}
	return p
}

// own are the elements of the page and the picture.
var own = strings.Fields("html head meta title style body header h1 div button main section script input output svg desc rect g path circle text " +
	"h2 h3 span b i em p dl dt dd pre details summary")

var tag = regexp.MustCompile(`<(/?[A-Za-z!?][^\s/>]*)([^>]*)>`)

// elements holds that a document has no element, no comment and no script besides those of the page, and no attribute that is a script or
// an address.
func elements(t *testing.T, doc string) {
	t.Helper()
	if n := strings.Count(strings.ToLower(doc), "<script"); n != 2 {
		t.Fatalf("there are %d scripts", n)
	}
	if n := strings.Count(strings.ToLower(doc), "</script"); n != 2 {
		t.Fatalf("%d scripts end", n)
	}
	if strings.Contains(doc, "<!--") {
		t.Fatal("there is a comment")
	}
	raw := regexp.MustCompile(`(?s)(<(?:script|style)\b[^>]*>).*?(</(?:script|style)>)`)
	for _, m := range tag.FindAllStringSubmatch(raw.ReplaceAllString(doc, "$1$2"), -1) {
		name := strings.ToLower(strings.TrimPrefix(m[1], "/"))
		if name == "!doctype" {
			continue
		}
		if !slices.Contains(own, name) {
			t.Fatalf("there is an element %.80q", m[0])
		}
		attributes := regexp.MustCompile(`"[^"]*"`).ReplaceAllString(m[2], `""`)
		if bad := regexp.MustCompile(`(?i)\b(on[a-z]+|href|src|srcdoc|action|formaction)\s*=`).FindString(attributes); bad != "" {
			t.Fatalf("there is an attribute %s in %.80q", bad, m[0])
		}
	}
}

// TestHostileTexts holds that no text of a spec, a model, a tool or a person is more than text in the file.
func TestHostileTexts(t *testing.T) {
	for _, text := range tier.Some(t, 4, len(evil()), evil()) {
		doc := html(t, spoiled(t, "inquiry", text))
		elements(t, doc)
		data := regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`).FindStringSubmatch(doc)
		if data == nil {
			t.Fatalf("%q: there are no data", text)
		}
		var read struct{ Runs []struct{ Name string } }
		if err := json.Unmarshal([]byte(data[1]), &read); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if want := strings.ToValidUTF8(text, "\uFFFD"); strings.ReplaceAll(read.Runs[0].Name, "\uFFFD\uFFFD", "\uFFFD") != want {
			t.Errorf("%q is read as %q", want, read.Runs[0].Name)
		}
		if i := strings.IndexFunc(data[1], func(r rune) bool { return r < ' ' || r > '~' || r == '<' || r == '>' }); i >= 0 {
			t.Errorf("%q: the data have %q", text, data[1][i:i+1])
		}
	}
}

// TestPolicy holds that the page loads nothing: the policy allows the script and the style sheet that it has, and nothing else.
func TestPolicy(t *testing.T) {
	doc := html(t, pageOf(t, "inquiry"))
	if !regexp.MustCompile(`content="default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'"`).MatchString(doc) {
		t.Error("the policy is not there")
	}
	for _, what := range []string{"@import", "url(", "fetch(", "XMLHttpRequest", "innerHTML", "insertAdjacentHTML", "document.write", "eval(", "import "} {
		if strings.Contains(strings.SplitN(doc, `id="data"`, 2)[0], what) || strings.Contains(doc[strings.LastIndex(doc, "<script"):], what) {
			t.Errorf("the page has %s", what)
		}
	}
}

// browser is chromium, or a test is skipped.
func browser(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("chromium is not installed")
	return ""
}

// opened opens a page in the browser and returns the document as the script leaves it. Nothing may be written to the console.
func opened(t *testing.T, p *runpage.Page) string {
	t.Helper()
	program, dir := browser(t), t.TempDir()
	file := filepath.Join(dir, "page.html")
	if err := os.WriteFile(file, []byte(html(t, p)), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+filepath.Join(dir, "user"),
		"--enable-logging=stderr", "--v=0", "--window-size=1400,900", "--virtual-time-budget=5000", "--dump-dom", "file://"+file)
	var out, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &messages
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, messages.String())
	}
	for line := range strings.Lines(messages.String()) {
		if strings.Contains(line, "CONSOLE") {
			t.Errorf("the console has %s", line)
		}
	}
	if !strings.Contains(out.String(), `data-ready="yes"`) {
		t.Fatal("the script did not come to its end")
	}
	return out.String()
}

// TestInBrowser holds what the browser makes of recorded runs.
func TestInBrowser(t *testing.T) {
	for _, c := range []struct {
		name string
		runs []string
		want []string
	}{
		{"a run with tool loops and branches", []string{"inquiry"}, []string{
			`>completed</span>`, `<dt>steps</dt><dd>20</dd>`, `<dt>tokens</dt><dd>11,215 → 930</dd>`, `<dt>retries</dt><dd>2</dd>`,
			`class="node kind-prompt is-failed" id="node-look_into"`, `1 of 10 failed`, `>3 of 4</text>`, `class="bar k-model"`, `class="bar k-tool"`,
			`<h2>synthesise</h2>`, `request: 1 message`, `Answer the question from the findings`, `class="edge is-none" id="edge-7"`,
		}},
		{"a run that waits", []string{"clerk.paused"}, []string{
			`>paused</span>`, `class="node kind-prompt is-waiting picked" id="node-answer"`, `May answer call refund with {"order":"7","cents":100}?`, `class="mark k-person"`,
			`1 message as in call 1`, `class="node kind-func is-none" id="node-file"`,
		}},
		{"a run that failed in branches", []string{"polls.failed"}, []string{
			`>failed</span>`, `class="edge is-lost" id="edge-poll2-out"`, `class="edge is-done" id="edge-poll1-out"`, `<h2>mourn</h2>`,
			`<span class="where">join_settled.graph.yaml:21</span>`, `<pre class="on"><i>21</i>  mourn: {reads: log, next: end}</pre>`, `&lt;script&gt;alert(1)&lt;/script&gt;`,
		}},
		{"child runs", []string{"survey"}, []string{`<dt>steps</dt><dd>26</dd>`, `id="node-ask/search"`, `class="edge is-done" id="edge-ask/3"`, `$3.000`}},
		{"two runs", []string{"polls.good", "polls.failed"}, []string{
			`The first difference: done and failed, in poll2, step 2. `, `id="waterfallA"`, `id="waterfallB"`, `<em>differs</em>`, `poll 2 has no answer`,
		}},
		{"a run and itself", []string{"inquiry", "inquiry"}, []string{`The runs do not differ`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := opened(t, pageOf(t, c.runs...))
			for _, want := range c.want {
				if !strings.Contains(doc, want) {
					t.Errorf("there is no %s", want)
				}
			}
			elements(t, doc)
		})
	}
}

// TestClosedGraphs holds that a node has a button that opens the picture of a graph that is not drawn within it.
func TestClosedGraphs(t *testing.T) {
	p := pageOf(t, "survey")
	p.Open = 0
	doc := opened(t, p)
	for _, want := range []string{`aria-label="open graph lookup, which ask runs"`, `aria-label="open graph polish, which third runs"`, `id="node-ask"`} {
		if !strings.Contains(doc, want) {
			t.Errorf("there is no %s", want)
		}
	}
	elements(t, doc)
	p.Open = 1
	if doc := opened(t, p); strings.Contains(doc, `aria-label="open graph`) {
		t.Error("a graph that is drawn within a node has a button")
	}
}

// TestHostileTextsInBrowser holds that no text becomes an element or a script when the page is shown.
func TestHostileTextsInBrowser(t *testing.T) {
	all := strings.Join(evil(), " ")
	for _, name := range []string{"inquiry", "clerk.paused"} {
		doc := opened(t, spoiled(t, name, all))
		elements(t, doc)
		if !strings.Contains(doc, "<title>graph ") {
			t.Error("the title has changed")
		}
	}
}

// TestRowsInView holds that of 10,000 events the document has the rows that can be seen.
func TestRowsInView(t *testing.T) {
	p := pageOf(t, "polls.good")
	p.Runs[0].Events = longRun(2500)
	doc := opened(t, p)
	if !strings.Contains(doc, `<dt>steps</dt><dd>2500</dd>`) {
		t.Error("the steps are not there")
	}
	if n := strings.Count(doc, `role="option"`); n == 0 || n > 100 {
		t.Errorf("there are %d rows", n)
	}
}

// longRun returns the events of a run with steps one after the other, four events each.
func longRun(steps int) (list []json.RawMessage) {
	add := func(format string, values ...any) { list = append(list, fmt.Appendf(nil, format, values...)) }
	add(`{"kind":"run_start","run":"r","graph":"join_settled"}`)
	for k := range steps {
		at := fmt.Sprintf(`"run":"r","node":"mourn","node_kind":"func","step":%d,"visit":%d,"ms":%d`, k+1, k+1, k)
		add(`{"kind":"node_start",%s}`, at)
		add(`{"kind":"tool_start",%s,"tool":{"id":"a","name":"t","arguments":"{}"}}`, at)
		add(`{"kind":"tool_end",%s,"tool":{"id":"a","name":"t","result":"x"}}`, at)
		add(`{"kind":"node_end",%s}`, at)
	}
	return list
}
