package gotag_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/gotag"
)

// Whatever stands in a tag or comment, it is read without a panic, and what is wrong is told
// at a place that the file has.
func FuzzTagsAndComments(f *testing.F) {
	for _, seed := range []string{
		"reads=topic,verdicts; writes=article; -> critic", "-> publish if out.Score >= 4 priority=10; -> draft max_iterations=3",
		"flags=retryable(attempts=3, wait=1s)", "output={score: {type: int, min: 1}, list: '[]string'}", "edge branch={low: a, high: b}",
		"doc='it\\'s' label=\"x\"", "loop_until exit=end if out.Done", "set a=[b, c] d={e: f",
		"body=a,b; over=items; item=it; join=first count=2", "branches={left: a, right: [b, c]}; -> end", "pool=a,b entry=a terminal=b allow_repeat=false",
		"graph=research; in={topic: subject}; out={found: findings}; max_depth=3", "mutations={allow: [add_node], kinds: prompt, max: 3}; mode=autonomous",
		"if", "a=", "->", ";;", "a=b(c=d", "=", "é=ü -> ö",
	} {
		f.Add(seed, "graph g entry=a "+seed)
	}
	f.Fuzz(func(t *testing.T, tag, comment string) {
		if strings.ContainsAny(comment, "\r\n\x00") {
			return
		}
		text := "package g\n\nimport \"github.com/graphgen/graphgen/graph\"\n\n//graphgen:graph g\n//graphgen:" + comment +
			"\ntype _ struct {\n\tState struct{ S string }\n\tA graph.Func " + strconv.Quote("graphgen:"+strconv.Quote(tag)) + "\n}\n"
		graphs, found := gotag.LoadSource("g.go", []byte(text))
		for _, g := range graphs {
			found = append(found, check.Run(cfg.Of(g))...)
		}
		lines := strings.Split(text, "\n")
		for _, d := range found {
			if d.Pos.Line < 1 || d.Pos.Line > len(lines) || d.Pos.Col < 1 || d.Pos.Col > len([]rune(lines[d.Pos.Line-1]))+1 {
				t.Errorf("%v is told at %d:%d of\n%s", d.Message, d.Pos.Line, d.Pos.Col, text)
			}
		}
	})
}

// A file that is cut anywhere is read without a panic.
func TestFilesThatAreCutAreRead(t *testing.T) {
	files, err := filepath.Glob("../../testdata/tagged/*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(source); i += 7 {
			judge(filepath.Base(file), source[:i])
		}
	}
}
