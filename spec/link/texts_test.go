package link_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/input"
	"github.com/graphgen/graphgen/spec/link"
)

const promptGraph = `graph: g
entry: b
state: {topic: string}
input: [topic]
nodes:
  b: {reads: topic, next: a}
  a:
    kind: prompt
    instructions: {file: FILE}
`

// prompted is a module with a graph in the folder agent, and the file of a prompt.
type prompted struct{ dir string }

func newPrompted(t *testing.T, module bool) *prompted {
	p := &prompted{t.TempDir()}
	if module {
		p.write(t, "go.mod", "module example.com/shop\n")
	}
	p.write(t, "agent/prompts/sort.md", "Sort it.\n")
	return p
}

func (p *prompted) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

func (p *prompted) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.path(name)), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.path(name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// judge returns the instructions of a graph that names a file, and what is wrong with them.
func (p *prompted) judge(t *testing.T, file string) (text *spec.Text, found string) {
	t.Helper()
	g, ds := spec.Load("agent/g.graph.yaml", []byte(strings.Replace(promptGraph, "FILE", file, 1)))
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	read := func(path string) ([]byte, error) { return input.Start(path, spec.MaxFile) }
	link.New(p.dir, read, nil).ReadFiles(input.Below).Link(g)
	var b strings.Builder
	if err := diag.Render(&b, diag.WithoutNotes(check.Run(cfg.Of(g))), diag.Options{}); err != nil {
		t.Fatal(err)
	}
	return &g.Nodes[1].Prompt.Instructions, b.String()
}

func TestTexts(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"lines":                 {"Sort it.\nBe quick.\n\n", "Sort it.\nBe quick."},
		"no line break":         {"Sort it.", "Sort it."},
		"carriage returns":      {"Sort it.\r\nBe quick.\r\n", "Sort it.\nBe quick."},
		"byte order mark":       {"\ufeffSort it.\n", "Sort it."},
		"characters beyond one": {"Sort it: ü, 本, 😀.", "Sort it: ü, 本, 😀."},
		"the largest":           {strings.Repeat("x", spec.MaxText), strings.Repeat("x", spec.MaxText)},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPrompted(t, true)
			p.write(t, "agent/prompts/sort.md", c.text)
			if text, found := p.judge(t, "prompts/sort.md"); text.V != c.want || found != "" {
				t.Errorf("%.40q, want %.40q\n%s", text.V, c.want, found)
			}
		})
	}
}

// TestTextFlaws holds what is said of the content of a file, at its place in the file.
func TestTextFlaws(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":                  {"\n", "agent/g.graph.yaml:9:26: error[GG190]: the instructions of node \"a\" are empty"},
		"not UTF-8":              {"Sort it.\nAs \xff wanted", "agent/prompts/sort.md:2:4: error[GG299]: the byte 0xFF is not UTF-8"},
		"UTF-16":                 {"\xff\xfeS\x00", "agent/prompts/sort.md:1:1: error[GG299]: the file is UTF-16"},
		"a control character":    {"Sort\x00 it.", "agent/prompts/sort.md:1:5: error[GG299]: the character U+0000 is not allowed"},
		"a lone carriage return": {"Sort\rit.", "agent/prompts/sort.md:1:5: error[GG299]: the character U+000D is not allowed"},
		"too large": {strings.Repeat("x", spec.MaxText+1),
			"agent/g.graph.yaml:9:26: error[GG298]: the file \"prompts/sort.md\" is larger than 1 MiB"},
		"unknown field": {"\ufeffSort it.\r\nÜber {{tpoic}}",
			"agent/prompts/sort.md:2:6: error[GG191]: the placeholder names no field of the state: \"tpoic\""},
		"second on its line": {"{{topic}} {{tpoic}}", "agent/prompts/sort.md:1:11: error[GG191]"},
		"malformed":          {"Sort\n  {{to pic}}", "agent/prompts/sort.md:2:3: error[GG191]: a placeholder holds the name"},
		"not closed":         {"{{{{ and {{topic", "agent/prompts/sort.md:1:10: error[GG191]: the placeholder is not closed"},
		"data":               {"Sort\nit: {{topic}}", "agent/prompts/sort.md:2:5: warning[GG296]: the instructions of node \"a\" are the system prompt"},
		"single braces":      {"Sort\nit: {topic}", "agent/prompts/sort.md:2:5: warning["},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPrompted(t, true)
			p.write(t, "agent/prompts/sort.md", c.text)
			if _, found := p.judge(t, "prompts/sort.md"); !strings.HasPrefix(filepath.ToSlash(found), c.want) {
				t.Errorf("got  %s\nwant %s", found, c.want)
			}
		})
	}
}

// TestTextPaths holds which files a spec may name.
func TestTextPaths(t *testing.T) {
	const allowed = ""
	for name, c := range map[string]struct {
		path, want string
		bare       bool // there is no go.mod
	}{
		"beside":                      {"own.txt", allowed, false},
		"in another folder":           {"../shared/tone.md", allowed, false},
		"in another without a module": {"../shared/tone.md", "GG297]: the path \"../shared/tone.md\" leads out of the module", true},
		"below without a module":      {"prompts/sort.md", allowed, true},
		"out of the module":           {"../../outside.md", "GG297]: the path \"../../outside.md\" leads out of the module", false},
		"in and out":                  {"prompts/../../../outside.md", "GG297]: the path", false},
		"absolute":                    {"/etc/motd.md", "GG297]: the path \"/etc/motd.md\" is not relative", false},
		"of Windows":                  {`'prompts\sort.md'`, "GG297]: the path", false},
		"of a drive":                  {`"C:sort.md"`, "GG297]: the path", false},
		"another suffix":              {"secrets.env", "GG297]: the file \"secrets.env\" cannot hold the text of a prompt", false},
		"hidden":                      {".secrets.md", "GG297]: the file", false},
		"in a hidden folder":          {"../.git/notes.md", "GG297]: the file", false},
		"missing":                     {"prompts/gone.md", "GG298]: there is no file \"prompts/gone.md\"", false},
		"in a missing folder":         {"gone/sort.md", "GG298]: there is no file", false},
		"a directory":                 {"folder.md", "GG298]: the file \"folder.md\" cannot be read: it is a directory, not a regular file", false},
		"a FIFO":                      {"fifo.md", "GG298]: the file \"fifo.md\" cannot be read: it is a FIFO", false},
		"a link within":               {"within.md", allowed, false},
		"a link out of the module":    {"out.md", "GG297]: the file \"out.md\" is a link to another", false},
		"a link to another suffix":    {"renamed.md", "GG297]: the file \"renamed.md\" is a link to another", false},
		"a folder that is a link":     {"outfolder/outside.md", "GG297]: the file", false},
		"a link in a ring":            {"ring.md", "GG298]: the file \"ring.md\" cannot be read", false},
	} {
		t.Run(name, func(t *testing.T) {
			p := &prompted{filepath.Join(newPrompted(t, false).dir, "module")}
			p.write(t, "agent/prompts/sort.md", "Sort it.")
			if !c.bare {
				p.write(t, "go.mod", "module example.com/shop\n")
			}
			for _, file := range []string{"agent/own.txt", "shared/tone.md", "../outside.md", "agent/secrets.env",
				"agent/.secrets.md", ".git/notes.md", "agent/folder.md/x"} {
				p.write(t, file, "Sort it.")
			}
			for from, to := range map[string]string{"within.md": "../shared/tone.md", "out.md": "../../outside.md",
				"renamed.md": "secrets.env", "outfolder": "../..", "ring.md": "ring.md"} {
				if err := os.Symlink(to, p.path("agent/"+from)); err != nil {
					t.Fatal(err)
				}
			}
			if err := syscall.Mkfifo(p.path("agent/fifo.md"), 0o666); err != nil {
				t.Fatal(err)
			}
			text, found := p.judge(t, c.path)
			if c.want == allowed && (found != "" || text.V != "Sort it.") || c.want != allowed &&
				(!strings.Contains(found, c.want) || text.V != "" || strings.Count(found, "error[") != 1) {
				t.Errorf("got  %q %s\nwant %s", text.V, found, c.want)
			}
			if strings.Contains(found, p.dir) {
				t.Errorf("it names a path of this machine: %s", found)
			}
		})
	}
}

// TestTextsAreReadOnce holds that a file that several texts name is read once.
func TestTextsAreReadOnce(t *testing.T) {
	g, _ := spec.Load("g.graph.yaml",
		[]byte("graph: g\nnodes:\n  a: {kind: prompt, instructions: {file: a.md}, message: {file: a.md}}\n  b: {kind: prompt, instructions: {file: a.md}}\n"))
	reads := 0
	link.Texts(g, func(string) ([]byte, error) {
		reads++
		return []byte("Sort it."), nil
	})
	if reads != 1 || g.Nodes[1].Prompt.Instructions.V != "Sort it." || g.Nodes[0].Prompt.Message.In != g.Nodes[1].Prompt.Instructions.In {
		t.Errorf("read %d times", reads)
	}
}
