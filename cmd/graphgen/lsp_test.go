package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/textproto"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/gotag"
	"github.com/graphgen/graphgen/spec/link"
)

// An editor is a client of the language server, in this process.
type editor struct {
	t     testing.TB
	root  string
	in    io.WriteCloser
	out   *bufio.Reader
	ended chan error
	last  int                  // the ID of the last request
	shown map[string]published // the diagnostics by URI
	logs  []string
}

type published struct {
	URI         string `json:"uri"`
	Version     int    `json:"version"`
	Diagnostics []struct {
		Range    lspRange        `json:"range"`
		Severity int             `json:"severity"`
		Code     string          `json:"code"`
		Message  string          `json:"message"`
		Data     json.RawMessage `json:"data"`
	} `json:"diagnostics"`
}

type lspPosition struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type lspRange struct {
	Start lspPosition `json:"start"`
	End   lspPosition `json:"end"`
}

// startEditor starts a server, and begins a session in a folder.
func startEditor(t testing.TB, root string) *editor {
	t.Helper()
	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	e := &editor{t: t, root: root, in: in, out: bufio.NewReader(out), ended: make(chan error, 1), shown: map[string]published{}}
	go func() {
		err := serveEditor(t.Context(), toServer, fromServer)
		fromServer.CloseWithError(cmp.Or(err, io.EOF))
		e.ended <- err
	}()
	t.Cleanup(func() { in.Close() })
	e.call("initialize", map[string]any{"rootUri": "file://" + root, "capabilities": editorCapabilities}, nil)
	e.notify("initialized", struct{}{})
	return e
}

var editorCapabilities = json.RawMessage(`{"workspace":{"workspaceEdit":{"documentChanges":true}},
	"textDocument":{"completion":{"completionItem":{"snippetSupport":true}}}}`)

// raw sends bytes.
func (e *editor) raw(text string) {
	e.t.Helper()
	if _, err := io.WriteString(e.in, text); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) send(m map[string]any) {
	e.t.Helper()
	m["jsonrpc"] = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		e.t.Fatal(err)
	}
	e.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
}

func (e *editor) notify(method string, params any) {
	e.t.Helper()
	e.send(map[string]any{"method": method, "params": params})
}

// An answer is an answer of the server.
type answer struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

// receive reads a message, and takes notice of diagnostics and logs.
func (e *editor) receive() answer {
	e.t.Helper()
	head, err := textproto.NewReader(e.out).ReadMIMEHeader()
	if err != nil {
		e.t.Fatalf("the server has ended: %v", err)
	}
	size, err := strconv.Atoi(head.Get("Content-Length"))
	if err != nil {
		e.t.Fatal(err)
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(e.out, body); err != nil {
		e.t.Fatal(err)
	}
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		e.t.Fatalf("%v in %s", err, body)
	}
	switch a.Method {
	case "textDocument/publishDiagnostics":
		var p published
		if err := json.Unmarshal(a.Params, &p); err != nil {
			e.t.Fatal(err)
		}
		e.shown[p.URI] = p
	case "window/logMessage":
		e.logs = append(e.logs, string(a.Params))
	}
	return a
}

// request sends a request and returns the answer.
func (e *editor) request(method string, params any) answer {
	e.t.Helper()
	e.last++
	id := strconv.Itoa(e.last)
	e.send(map[string]any{"id": e.last, "method": method, "params": params})
	for {
		if a := e.receive(); a.Method == "" && string(a.ID) == id {
			return a
		}
	}
}

// call sends a request that has a result.
func (e *editor) call(method string, params, result any) {
	e.t.Helper()
	a := e.request(method, params)
	if a.Error != nil {
		e.t.Fatalf("%s: %s", method, a.Error.Message)
	}
	if result != nil {
		if err := json.Unmarshal(a.Result, result); err != nil {
			e.t.Fatalf("%s: %v in %s", method, err, a.Result)
		}
	}
}

func fileURI(path string) string {
	abs, _ := filepath.Abs(path)
	return "file://" + abs
}

// open opens a file with a text, version 1.
func (e *editor) open(path, text string) string {
	e.t.Helper()
	uri := fileURI(path)
	e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": uri, "languageId": "yaml", "version": 1, "text": text}})
	return uri
}

func (e *editor) close(uri string) {
	e.t.Helper()
	e.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri}})
}

// change changes a part of a document, or with a nil range all of it.
func (e *editor) change(uri string, version int, at *lspRange, text string) {
	e.t.Helper()
	c := map[string]any{"text": text}
	if at != nil {
		c["range"] = at
	}
	e.notify("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": uri, "version": version}, "contentChanges": []any{c}})
}

// wait returns the diagnostics of a version of a document.
func (e *editor) wait(uri string, version int) published {
	e.t.Helper()
	for e.shown[uri].Version != version {
		e.receive()
	}
	e.request("no/such/method", nil) // the diagnostics of other files come before its answer
	return e.shown[uri]
}

// reported returns all diagnostics that are shown, as check -json writes them.
func (e *editor) reported() string {
	e.t.Helper()
	var all []json.RawMessage
	for _, uri := range slices.Sorted(maps.Keys(e.shown)) {
		for _, d := range e.shown[uri].Diagnostics {
			all = append(all, d.Data)
		}
	}
	return diagnosticsJSON(e.t, all)
}

// diagnosticsJSON writes diagnostics by file, as the list of a check of several files is sorted.
func diagnosticsJSON(t testing.TB, all []json.RawMessage) string {
	file := func(raw json.RawMessage) string {
		var d struct{ File string }
		if err := json.Unmarshal(raw, &d); err != nil {
			t.Fatal(err)
		}
		return d.File
	}
	slices.SortStableFunc(all, func(a, b json.RawMessage) int { return cmp.Compare(file(a), file(b)) })
	var b bytes.Buffer
	if err := diag.EncodeJSON(&b, append([]json.RawMessage{}, all...)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// checkReports returns what the verb check writes about a file.
func checkReports(t testing.TB, path string) string {
	t.Helper()
	var out, problems bytes.Buffer
	if status := run(t.Context(), []string{"check", "-json", path}, &out, &problems); status == exitError {
		t.Fatalf("%s: %s", path, &problems)
	}
	var all []json.RawMessage
	if err := json.Unmarshal(out.Bytes(), &all); err != nil {
		t.Fatal(err)
	}
	if got := diagnosticsJSON(t, slices.Clone(all)); got == out.String() {
		return got
	}
	return diagnosticsJSON(t, all)
}

// specsOf returns the specs of the repository, and the Go files with graphs, by their paths in it.
func specsOf(t testing.TB, root string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() && strings.HasPrefix(e.Name(), ".") && path != root {
			return cmp.Or(err, fs.SkipDir)
		}
		name, _ := filepath.Rel(root, path)
		if !e.Type().IsRegular() || strings.HasPrefix(e.Name(), "_") || strings.HasPrefix(e.Name(), ".") {
			return nil
		}
		if link.IsSpec(e.Name()) && specName.MatchString(e.Name()) {
			list = append(list, name)
		} else if strings.HasSuffix(name, goSuffix) && !strings.HasSuffix(name, "_test.go") {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if from, err := generatedFrom(path); err == nil && from == "" && gotag.Holds(text) {
				list = append(list, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// inRepository makes the root of the repository the current folder.
func inRepository(t testing.TB) (root string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	return root
}

// TestEditorReportsWhatCheckReports opens the specs of the repository, valid and invalid: the editor shows the same diagnostics as the verb
// check, byte for byte.
func TestEditorReportsWhatCheckReports(t *testing.T) {
	root := inRepository(t)
	specs := specsOf(t, root)
	if len(specs) < 600 {
		t.Fatalf("the repository has %d specs", len(specs))
	}
	e := startEditor(t, root)
	for _, path := range tier.Some(t, 12, 40, specs) {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := checkReports(t, path)
		if !utf8.Valid(content) {
			continue // no message can hold it
		}
		uri := e.open(path, string(content))
		p := e.wait(uri, 1)
		if got := e.reported(); got != want {
			t.Errorf("%s: the editor shows\n%s\ncheck says\n%s", path, got, want)
		}
		for _, d := range p.Diagnostics {
			holdRange(t, path, string(content), d.Range, d.Data)
		}
		e.close(uri)
		e.shown = map[string]published{}
	}
	if len(e.logs) > 0 {
		t.Errorf("the server logs %v", e.logs)
	}
}

// holdRange fails unless a range, in code units, is where a diagnostic points.
func holdRange(t *testing.T, path, content string, got lspRange, data json.RawMessage) {
	t.Helper()
	var d struct{ Line, Col, Width int }
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	if d.Line == 0 || strings.Contains(strings.ReplaceAll(content, "\r\n", ""), "\r") {
		return // without a place; a line that only editors break
	}
	lines := strings.Split(strings.TrimPrefix(content, "\ufeff"), "\n")
	if d.Line > len(lines) {
		t.Errorf("%s: line %d of %d", path, d.Line, len(lines))
		return
	}
	line := []rune(strings.TrimSuffix(lines[d.Line-1], "\r"))
	units := func(n int) int { return len(utf16.Encode(line[:min(n, len(line))])) }
	want := lspRange{lspPosition{d.Line - 1, units(d.Col - 1)}, lspPosition{d.Line - 1, units(d.Col - 1 + max(d.Width, 1))}}
	if d.Line == 1 && strings.HasPrefix(content, "\ufeff") {
		want.Start.Character++
		want.End.Character++
	}
	if got != want {
		t.Errorf("%s: the range of %s is %v, want %v", path, data, got, want)
	}
}

// editsOf are what an edit may put into a text.
var editsOf = []string{"", " ", "\n", "\r\n", "  ", ":", ": ", "-", "- ", "{", "}", "[", "]", "\"", "'", "|", ">", "#", "&a", "*a", "!", "{{", "}}", "é",
	"😀", "\t", "\u2028", "if: out.", "kind: ", "nodes:\n", "edges:\n", "state.", "from: ", "null", "---\n", "\ufeff", "0", "x"}

// TestEditorDoesNotDrift makes random edits. The server then has the text of the editor, and shows what a fresh check
// of that text reports.
func TestEditorDoesNotDrift(t *testing.T) {
	root := inRepository(t)
	var specs []string
	for _, path := range specsOf(t, root) {
		if info, err := os.Stat(path); err == nil && info.Size() < 4<<10 && link.IsSpec(path) {
			specs = append(specs, path)
		}
	}
	const perDraw = 50
	dir := t.TempDir()
	t.Chdir(dir)
	e := startEditor(t, dir)
	for d := range tier.Draws(t, tier.Pick(1, 40, 100_000/perDraw)) {
		r := d.Rand()
		path := specs[r.IntN(len(specs))]
		content, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ToValidUTF8(string(content), "\ufffd")
		name := filepath.Base(path)
		uri := e.open(name, text)
		e.wait(uri, 1)
		for version := 2; version < perDraw+2; version++ {
			text = e.edit(r, uri, version, text)
			if r.IntN(8) == 0 {
				holdFresh(t, e, uri, version, name, text)
			}
		}
		holdFresh(t, e, uri, perDraw+1, name, text)
		e.close(uri)
		e.shown = map[string]published{}
		if t.Failed() {
			return
		}
	}
}

// edit makes a random edit of a document, and returns its new text.
func (e *editor) edit(r *rand.Rand, uri string, version int, text string) string {
	if r.IntN(40) == 0 {
		e.change(uri, version, nil, text)
		return text
	}
	var bounds []int // where runes begin, none within a break of a line
	for i, c := range text {
		if c == '\n' && i > 0 && text[i-1] == '\r' {
			continue
		}
		bounds = append(bounds, i)
	}
	bounds = append(bounds, len(text))
	from := r.IntN(len(bounds))
	to := min(from+[]int{0, 0, 1, 2, 30}[r.IntN(5)], len(bounds)-1)
	put := editsOf[r.IntN(len(editsOf))]
	if r.IntN(4) == 0 { // a copy of another part
		at := r.IntN(len(bounds))
		put = text[bounds[at]:bounds[min(at+40, len(bounds)-1)]]
	}
	begin, end := bounds[from], bounds[to]
	e.change(uri, version, &lspRange{positionIn(text, begin), positionIn(text, end)}, put)
	return text[:begin] + put + text[end:]
}

// positionIn returns the position of a byte, as editors count.
func positionIn(text string, offset int) lspPosition {
	before := text[:offset]
	flat := strings.ReplaceAll(strings.ReplaceAll(before, "\r\n", "\n"), "\r", "\n")
	line := flat[strings.LastIndexByte(flat, '\n')+1:]
	return lspPosition{strings.Count(flat, "\n"), len(utf16.Encode([]rune(line)))}
}

// holdFresh compares what the server shows with a fresh check of the text in a file.
func holdFresh(t *testing.T, e *editor, uri string, version int, name, text string) {
	t.Helper()
	e.wait(uri, version)
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(name)
	if want, got := checkReports(t, name), e.reported(); got != want {
		t.Errorf("of\n%s\nthe editor shows\n%s\na fresh check says\n%s", text, got, want)
	}
}

// TestEditorOpensAnything opens hostile texts: the server shows what check reports of them, and does not end.
func TestEditorOpensAnything(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	e := startEditor(t, dir)
	for name, text := range map[string]string{
		"nothing":                       "",
		"a line break":                  "\n",
		"half a line":                   "graph: a\nnodes:\n  x",
		"half a key":                    "graph: a\nnodes:\n  x: {kin",
		"half a condition":              "graph: a\nentry: x\nnodes: {x: {}}\nedges:\n  - {from: x, to: end, if: \"out.",
		"an open placeholder":           "graph: a\nentry: x\nnodes: {x: {kind: prompt, instructions: \"{{\"}}\nedges: [{from: x, to: end}]\n",
		"CRLF":                          strings.ReplaceAll("graph: a\nentry: x\nnodes: {x: {kind: prompt}}\nedges:\n  - {from: x, to: y}\n", "\n", "\r\n"),
		"lines that only an editor has": "graph: a\rentry: x\u2028nodes: {}\u0085",
		"a byte order mark":             "\ufeffgraf: a\n",
		"characters of two code units":  "graph: \"😀\"\nentry: 😀😀\nnodes: {😀: {kind: prompt}, x: {unknown: 😀}}\n",
		"a long line":                   "graph: a\nnodes: {" + strings.Repeat("x: {}, ", 50_000) + "}\n",
		"deep brackets":                 "graph: a\nnodes: " + strings.Repeat("[", 5000),
		"10 MB":                         "graph: a\n" + strings.Repeat("# a comment of sixteen bytes and more\n", 280_000),
		"4 MB of keys":                  "graph: a\n" + strings.Repeat("a: b\n", 700_000),
		"control characters":            "graph: \x00\x1b[31m\x7f\n",
	} {
		if testing.Short() && len(text) > 1<<20 {
			continue
		}
		uri := e.open("a.graph.yaml", text)
		e.wait(uri, 1)
		if err := os.WriteFile("a.graph.yaml", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if want, got := checkReports(t, "a.graph.yaml"), e.reported(); got != want {
			t.Errorf("%s: the editor shows\n%.2000s\ncheck says\n%.2000s", name, got, want)
		}
		e.close(uri)
		os.Remove("a.graph.yaml")
		e.shown = map[string]published{}
	}
	params := `{"textDocument":{"uri":"` + fileURI("b.graph.yaml") + `","version":4,"text":"graph: ` + "\xff\xfe\\ud800" + `"}}`
	body := `{"jsonrpc":"2.0","method":"textDocument/didOpen","params":` + params + `}`
	e.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
	e.wait(fileURI("b.graph.yaml"), 4)
	if len(e.logs) > 0 {
		t.Errorf("the server logs %v", e.logs)
	}
}

// TestEditorFollowsFiles checks a file that names others: it is checked with their texts in the editor, and again when they change.
func TestEditorFollowsFiles(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, dir, "go.mod", "module example.com/a\n")
	write(t, dir, "common.types.yaml", "types: {Grade: {enum: [low, high]}}\n")
	write(t, dir, "ask.md", "Grade {{text}}.\n")
	const text = "graph: a\nentry: x\nuse: {common: common.types.yaml}\nstate: {text: string, grade: \"?common.Grade\"}\ninput: text\noutput: grade\nnodes:\n" +
		"  x: {kind: prompt, instructions: {file: ask.md}, reads: text, writes: grade}\nedges: [{from: x, to: end}]\n"
	write(t, dir, "a.graph.yaml", text)
	e := startEditor(t, dir)
	uri := e.open("a.graph.yaml", text)
	if e.wait(uri, 1); strings.Contains(e.reported(), "error") || e.reported() != checkReports(t, "a.graph.yaml") {
		t.Fatalf("the editor shows %s, check says %s", e.reported(), checkReports(t, "a.graph.yaml"))
	}
	until := func(what, part string) {
		t.Helper()
		for range 1000 {
			if strings.Contains(e.reported(), part) {
				return
			}
			e.request("no/such/method", nil)
		}
		t.Fatalf("%s: the editor shows %s", what, e.reported())
	}
	types := e.open("common.types.yaml", "types: {Grade: {enum: [low, high]}}\n")
	e.wait(types, 1)
	e.change(types, 2, nil, "types: {Mark: {enum: [low, high]}}\n")
	until("a type that is renamed where it is open", `common.Mark`)
	e.change(types, 3, nil, "types: {Grade: {enum: [low, high]}}\n")
	e.wait(types, 3)
	prompt := e.open("ask.md", "Grade {{tekst}}.\n")
	until("a placeholder of an open prompt", `tekst`)
	if p := e.shown[prompt]; len(p.Diagnostics) != 1 || p.Diagnostics[0].Range != (lspRange{lspPosition{0, 6}, lspPosition{0, 15}}) {
		t.Errorf("the prompt shows %v", p)
	}
	e.close(prompt)
	until("a prompt that is closed is the file", "is data")
	write(t, dir, "ask.md", "Grade {{other}}.\n")
	e.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": prompt, "type": 2}}})
	until("a prompt that another program has written", `other`)
	e.open("new.graph.yaml", "graph: new\nnodez: {}\n")
	until("a spec that is not saved", `nodez`)
}

// TestEditorFollowsPackages checks a spec again when a Go package that it uses, or that a file of it uses, gets another file of types, or its first one.
func TestEditorFollowsPackages(t *testing.T) {
	const (
		first = "types: {Mark: {n: int}}\n"
		text  = "graph: a\nentry: x\nuse: {ours: example.com/a/bricks}\nstate: {grade: \"?ours.Grade\"}\noutput: [grade]\n" +
			"nodes: {x: {writes: [grade]}}\n"
	)
	for name, tt := range map[string]struct {
		files   map[string]string
		text    string
		unsaved bool
	}{
		"another file":   {map[string]string{"bricks/first.types.yaml": first}, text, false},
		"the first file": {map[string]string{"bricks/bricks.go": "package bricks\n"}, text, false},
		"not saved yet":  {map[string]string{"bricks/first.types.yaml": first}, text, true},
		"the folder":     {nil, text, false},
		"of a file that is used": {map[string]string{"more/more.types.yaml": "use: {ours: example.com/a/bricks}\ntypes: {Grade: {of: ours.Grade}}\n"},
			strings.Replace(text, "/bricks}", "/more}", 1), false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			write(t, dir, "go.mod", "module example.com/a\n")
			for file, text := range tt.files {
				write(t, dir, file, text)
			}
			e := startEditor(t, dir)
			uri := e.open("a.graph.yaml", tt.text)
			if e.wait(uri, 1); !strings.Contains(e.reported(), "error") {
				t.Fatalf("the editor shows %s", e.reported())
			}
			const path, second = "bricks/second.types.yaml", "types: {Grade: {enum: [low, high]}}\n"
			if tt.unsaved {
				e.open(path, second)
			} else {
				write(t, dir, path, second)
				e.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": fileURI(path), "type": 1}}})
			}
			for range 1000 {
				if !strings.Contains(e.reported(), "error") {
					return
				}
				e.request("no/such/method", nil)
			}
			t.Errorf("the editor shows %s", e.reported())
		})
	}
}
