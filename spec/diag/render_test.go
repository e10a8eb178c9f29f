package diag_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec/diag"
)

func TestRender(t *testing.T) {
	long := strings.Repeat("a", 300) + "bad" + strings.Repeat("z", 300)
	tests := []struct {
		name   string
		source string
		d      diag.Diagnostic
		want   string
	}{
		{
			name:   "the columns of a finding are underlined, related places and help follow",
			source: "edges:\n  - {from: a, to: b}\n  - {from: a, to: c}\n",
			d: diag.Diagnostic{
				Code: "GG042", File: "x.graph.yaml", Pos: diag.Pos{Line: 3, Col: 15, Width: 5}, Message: "this edge is never taken",
				Related: []diag.Related{{Pos: diag.Pos{Line: 2, Col: 5}, Message: "this edge is always taken"}},
				Help:    "give it a priority",
			},
			want: `
x.graph.yaml:3:15: error[GG042]: this edge is never taken
    3 |   - {from: a, to: c}
      |               ^^^^^
   note: 2:5: this edge is always taken
   help: give it a priority
`,
		},
		{
			name:   "a position without a width gets one caret",
			source: "graph: x",
			d:      diag.Diagnostic{Code: "GG020", Severity: diag.Warning, File: "x.graph.yaml", Pos: diag.Pos{Line: 1, Col: 8}, Message: "short"},
			want:   "\nx.graph.yaml:1:8: warning[GG020]: short\n    1 | graph: x\n      |        ^\n",
		},
		{
			name:   "a tab takes four columns in both lines",
			source: "\tgraph: x",
			d:      diag.Diagnostic{Code: "GG002", File: "f", Pos: diag.Pos{Line: 1, Col: 2, Width: 5}, Message: "tab"},
			want:   "\nf:1:2: error[GG002]: tab\n    1 |     graph: x\n      |     ^^^^^\n",
		},
		{
			name:   "wide characters before and under the carets count double, marks on letters not at all",
			source: "doc: 图e\u0301 状態 x",
			d:      diag.Diagnostic{Code: "GG002", File: "f", Pos: diag.Pos{Line: 1, Col: 10, Width: 2}, Message: "wide"},
			want:   "\nf:1:10: error[GG002]: wide\n    1 | doc: 图e\u0301 状態 x\n      |          ^^^^\n",
		},
		{
			name:   "a position behind the end of its line gets a caret there",
			source: "a: [b",
			d:      diag.Diagnostic{Code: "GG001", File: "f", Pos: diag.Pos{Line: 1, Col: 6}, Message: "open"},
			want:   "\nf:1:6: error[GG001]: open\n    1 | a: [b\n      |      ^\n",
		},
		{
			name:   "a long line is cut around the position",
			source: long,
			d:      diag.Diagnostic{Code: "GG001", File: "f", Pos: diag.Pos{Line: 1, Col: 301, Width: 3}, Message: "long"},
			want: "\nf:1:301: error[GG001]: long\n    1 | …" + strings.Repeat("a", 40) + "bad" + strings.Repeat("z", 57) + "…\n" +
				"      |  " + strings.Repeat(" ", 40) + "^^^\n",
		},
		{
			name:   "the end of a long line is shown in full",
			source: long,
			d:      diag.Diagnostic{Code: "GG001", File: "f", Pos: diag.Pos{Line: 1, Col: 603}, Message: "long"},
			want: "\nf:1:603: error[GG001]: long\n    1 | …" + strings.Repeat("z", 100) + "\n" +
				"      |  " + strings.Repeat(" ", 99) + "^\n",
		},
		{
			name:   "what a terminal would obey is replaced, in the line and in the message",
			source: "doc: \"\x1b[31m\u202e\"",
			d:      diag.Diagnostic{Code: "GG004", File: "f", Pos: diag.Pos{Line: 1, Col: 7}, Message: "the name \x1b[2J\nis bad"},
			want:   "\nf:1:7: error[GG004]: the name �[2J is bad\n    1 | doc: \"�[31m�\"\n      |       ^\n",
		},
		{
			name:   "a line that the file does not have is left out",
			source: "a\n",
			d:      diag.Diagnostic{Code: "GG001", File: "f", Pos: diag.Pos{Line: 9, Col: 1}, Message: "lost"},
			want:   "\nf:9:1: error[GG001]: lost\n",
		},
		{
			name: "a finding about a whole file has no position",
			d:    diag.Diagnostic{Code: "stale", File: "x_graph.go", Message: "differs", Help: "run graphgen\nthen commit"},
			want: "\nx_graph.go: error[stale]: differs\n   help: run graphgen\n         then commit\n",
		},
		{
			name:   "a byte order mark and Windows line ends take no columns",
			source: "\ufeffgraph: x\r\nentry: y\r\n",
			d:      diag.Diagnostic{Code: "GG001", File: "f", Pos: diag.Pos{Line: 1, Col: 8}, Message: "bom"},
			want:   "\nf:1:8: error[GG001]: bom\n    1 | graph: x\n      |        ^\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			source := func(string) []byte { return []byte(tt.source) }
			if err := diag.Render(&out, []diag.Diagnostic{tt.d}, diag.Options{Source: source}); err != nil {
				t.Fatal(err)
			}
			if want := tt.want[1:]; out.String() != want {
				t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
			}
		})
	}
}

func TestColor(t *testing.T) {
	d := diag.Diagnostic{Code: "GG001", File: "f", Pos: diag.Pos{Line: 1, Col: 1}, Message: "m", Help: "h"}
	source := func(string) []byte { return []byte("x") }
	for _, color := range []bool{false, true} {
		var out bytes.Buffer
		if err := diag.Render(&out, []diag.Diagnostic{d}, diag.Options{Color: color, Source: source}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out.String(), "\x1b["); got != color {
			t.Errorf("color %v: escapes written: %v\n%q", color, got, out.String())
		}
	}
}

func TestJSON(t *testing.T) {
	var out bytes.Buffer
	err := diag.JSON(&out, []diag.Diagnostic{{
		Code: "GG011", Severity: diag.Warning, File: "a.graph.yaml", Pos: diag.Pos{Line: 3, Col: 4, Width: 5},
		Message: `the key "<x>" is written twice`, Help: "remove one",
		Related: []diag.Related{{Pos: diag.Pos{Line: 1, Col: 2, Width: 1}, Message: "the first"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	const want = `[
  {
    "file": "a.graph.yaml",
    "line": 3,
    "col": 4,
    "width": 5,
    "code": "GG011",
    "severity": "warning",
    "message": "the key \"<x>\" is written twice",
    "related": [
      {
        "line": 1,
        "col": 2,
        "width": 1,
        "message": "the first"
      }
    ],
    "help": "remove one"
  }
]
`
	if out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
	}
}

func TestEmptyJSON(t *testing.T) {
	var out bytes.Buffer
	if err := diag.JSON(&out, nil); err != nil {
		t.Fatal(err)
	}
	var list []any
	if err := json.Unmarshal(out.Bytes(), &list); err != nil || list == nil || len(list) != 0 {
		t.Errorf("%q: %v", out.String(), err)
	}
}
