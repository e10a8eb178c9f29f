package lsp

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec/diag"
)

// TestChangesOfOneMessage applies changes in order: each has the positions of the text that the changes before it made.
func TestChangesOfOneMessage(t *testing.T) {
	tests := []struct{ name, text, changes, want string }{
		{"later changes see earlier ones", "abc\n",
			`[{"range":{"start":{"line":0,"character":1},"end":{"line":0,"character":1}},"text":"12\n"},` +
				`{"range":{"start":{"line":1,"character":0},"end":{"line":1,"character":1}},"text":"B"}]`, "a12\nBc\n"},
		{"a change of all is one of several", "abc\n",
			`[{"text":"x"},{"range":{"start":{"line":0,"character":1},"end":{"line":0,"character":1}},"text":"y"}]`, "xy"},
		{"a range whose end is before its start", "abc\n",
			`[{"range":{"start":{"line":0,"character":2},"end":{"line":0,"character":1}},"text":""}]`, "ac\n"},
		{"characters of two code units", "\U0001F600b\r\nc\r\n",
			`[{"range":{"start":{"line":0,"character":2},"end":{"line":0,"character":3}},"text":"😀"},` +
				`{"range":{"start":{"line":0,"character":4},"end":{"line":1,"character":1}},"text":"d"}]`, "\U0001F600\U0001F600d\r\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := New(strings.NewReader(""), io.Discard, new(fake))
			d := &document{uri: "file:///a.graph.yaml", abs: "/a.graph.yaml", text: newText([]byte(tt.text))}
			s.docs[d.uri] = d
			p := didChangeParams{TextDocument: textDocument{URI: d.uri, Version: 7}}
			if err := json.Unmarshal([]byte(tt.changes), &p.ContentChanges); err != nil {
				t.Fatal(err)
			}
			if _, err := didChange(t.Context(), s, &p); err != nil {
				t.Fatal(err)
			}
			if string(d.text.bytes) != tt.want || d.version != 7 || !d.dirty {
				t.Errorf("the text is %q in version %d, dirty %v, want %q", d.text.bytes, d.version, d.dirty, tt.want)
			}
		})
	}
}

// TestRelatedLocations compares where the other positions of a diagnostic point: to its file, or to another file that is open.
func TestRelatedLocations(t *testing.T) {
	s := New(strings.NewReader(""), io.Discard, new(fake))
	for uri, text := range map[string]string{"file:///a.graph.yaml": "graph: a\nentry: b\n", "file:///b.md": "\U0001F600 {{x}}\n"} {
		s.docs[uri] = &document{uri: uri, abs: pathOf(uri), text: newText([]byte(text))}
	}
	found := diag.Diagnostic{File: "/a.graph.yaml", Pos: diag.Pos{Line: 1, Col: 1, Width: 5}, Related: []diag.Related{
		{Pos: diag.Pos{Line: 2, Col: 8}, Message: "here"},
		{Pos: diag.Pos{File: "/b.md", Line: 1, Col: 3, Width: 5}, Message: "there"},
		{Message: "and so"},
	}}
	got, err := encode(s.diagnostics("file:///a.graph.yaml", []diag.Diagnostic{found})[0].Related)
	if err != nil {
		t.Fatal(err)
	}
	place := func(uri string, line, from, to int) string {
		r, _ := encode(location{uri, Range{Position{line, from}, Position{line, to}}})
		return string(r)
	}
	want := `[{"location":` + place("file:///a.graph.yaml", 1, 7, 8) + `,"message":"here"},{"location":` + place("file:///b.md", 0, 3, 8) +
		`,"message":"there"},{"location":` + place("file:///a.graph.yaml", 0, 0, 5) + `,"message":"and so"}]`
	if string(got) != want {
		t.Errorf("they are\n%s\nwant\n%s", got, want)
	}
}

// TestURIsOfOneFile publishes the diagnostics of a file that the editor has opened, or closed, by another URI than the server had used for it. An editor
// that takes both for the same file shows them: the last message about the file has them.
func TestURIsOfOneFile(t *testing.T) {
	for _, tt := range []struct{ name, shown, open string }{
		{"opened", "file:///@a/p.md", "file:///%40a/p.md"},
		{"closed", "file:///%40a/p.md", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			s := New(strings.NewReader(""), &out, new(fake))
			found := diag.Diagnostic{File: "/@a/p.md", Pos: diag.Pos{Line: 1, Col: 1}, Severity: diag.Error, Message: "no field"}
			const graph = "file:///@a/a.graph.yaml"
			s.docs[graph] = &document{uri: graph, abs: pathOf(graph), text: newText(nil), checked: &Checked{Found: []diag.Diagnostic{found}}}
			if tt.open != "" {
				s.docs[tt.open] = &document{uri: tt.open, abs: pathOf(tt.open), text: newText([]byte("{{x}}"))}
			}
			s.shown[tt.shown] = true
			if err := s.publish(); err != nil {
				t.Fatal(err)
			}
			last := -1
			for _, body := range strings.Split(out.String(), "Content-Length: ")[1:] {
				var m struct{ Params published }
				if err := json.Unmarshal([]byte(body[strings.Index(body, "{"):]), &m); err != nil {
					t.Fatal(err)
				}
				if pathOf(m.Params.URI) == "/@a/p.md" {
					last = len(m.Params.Diagnostics)
				}
			}
			if last != 1 {
				t.Errorf("the last message has %d diagnostics, want 1: %s", last, &out)
			}
		})
	}
}
