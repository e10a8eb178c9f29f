package lsp

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/link"
)

// TestHighlightsOfParameters highlights a node that a parameter of a template names, also while the text has a mistake. A document that was checked is
// not checked again for it.
func TestHighlightsOfParameters(t *testing.T) {
	const text = "graph: a\nentry: one\nstate: {text: string}\noutput: text\ntemplates:\n" +
		"  again: {params: {to: node}, node: {kind: prompt, instructions: Write., writes: text, next: $to}}\n" +
		"nodes:\n  one: {kind: again, to: two}\n  two: {writes: text}\n"
	g, found := spec.Load("/a.graph.yaml", []byte(text))
	if len(found) > 0 {
		t.Fatal(found)
	}
	link.Among(nil, nil).Link(g)
	good := &Checked{Flows: []*cfg.Graph{cfg.Of(g)}}
	older := &Checked{Flows: []*cfg.Graph{cfg.Of(&spec.Graph{})}} // has no template
	for name, tt := range map[string]struct {
		text          string
		good, checked *Checked
		dirty         bool
		now           []*cfg.Graph // what a check finds
		want, checks  int
	}{
		"as it was checked":                 {text, good, good, false, nil, 2, 0},
		"with a mistake":                    {text + "limits: {\n", good, &Checked{}, false, nil, 2, 0},
		"with a mistake, not checked yet":   {text + "limits: {\n", good, good, true, nil, 2, 1},
		"changed, not checked yet":          {text, older, older, true, good.Flows, 2, 1},
		"never without a mistake":           {text + "limits: {\n", nil, &Checked{}, false, nil, 1, 0},
		"not checked, and never without it": {text, nil, nil, true, nil, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{flows: tt.now}
			s := New(strings.NewReader(""), io.Discard, f)
			d := &document{uri: "file:///a.graph.yaml", abs: "/a.graph.yaml", text: newText([]byte(tt.text))}
			d.good, d.checked, d.dirty = tt.good, tt.checked, tt.dirty
			s.docs[d.uri] = d
			at := d.text.position(strings.Index(tt.text, "  two:") + 2)
			got, err := highlights(t.Context(), s, &positionParams{TextDocument: textDocument{URI: d.uri}, Position: at})
			if err != nil {
				t.Fatal(err)
			}
			shown, _ := json.Marshal(got)
			if n := strings.Count(string(shown), "range"); n != tt.want || f.checks != tt.checks {
				t.Errorf("%d highlights after %d checks, want %d after %d: %s", n, f.checks, tt.want, tt.checks, shown)
			}
		})
	}
}
