package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/graphgen/graphgen/internal/testing/hostile"
	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec/escape"
)

// A place is where a spec holds a text of its author. Not every text may be there: the verbs then say so, and
// quote it.
type place struct {
	name, spec string
	sound      bool // a spec with the text "a" has no errors, so that every verb writes it
}

// hostilePlaces are specs with %s for the text in double quotes of YAML.
var hostilePlaces = []place{
	{"everywhere that takes any text", `
graph: hostile
doc: %[1]s
entry: ask
no_match: end
types:
  Verdict: {enum: [yes, no]}
state:
  text: {type: string, doc: %[1]s}
  verdict: ?Verdict
  sum: ?string
input: text
tools:
  look: {doc: %[1]s, args: {at: {type: string, doc: %[1]s, pattern: %[1]s}}, returns: string}
nodes:
  ask: {kind: prompt, doc: %[1]s, instructions: %[1]s, perspective: %[1]s, reads: text, writes: verdict, tools: [look], model: %[1]s}
  work: {reads: text, writes: sum, doc: %[1]s}
  last: {reads: [verdict, sum]}
edges:
  - {from: ask, to: work, if: 'state.Verdict != nil && *state.Verdict == VerdictYes', label: %[1]s}
  - {from: ask, to: last, label: %[1]s}
  - {from: work, to: last, label: %[1]s}
  - {from: last, to: end, label: %[1]s}
`, true},
	{"a pattern", `
graph: hostile
entry: work
state: {text: {type: string, pattern: %[1]s}}
input: text
nodes: {work: {reads: text}}
edges: [{from: work, to: end}]
`, true},
	{"a condition", `
graph: hostile
entry: work
no_match: end
state: {text: string, sum: string}
input: text
nodes:
  work: {reads: text, writes: sum}
  more: {reads: sum, writes: text}
edges:
  - {from: work, to: more, if: %[2]s}
  - {from: more, to: end, when: %[1]s}
  - {from: more, to: work, max_iterations: 2}
`, true},
	{"a value of an enum", `
graph: hostile
entry: work
types:
  Verdict: {enum: [%[1]s, fine]}
state: {text: Verdict}
input: text
nodes: {work: {reads: text}}
edges: [{from: work, to: end}]
`, true},
	{"a name of a node", `
graph: hostile
entry: %[1]s
state: {text: string}
nodes: {%[1]s: {reads: text}, other: {}}
edges: [{from: %[1]s, to: other}, {from: other, to: %[1]s}]
`, false},
	{"a name of a graph", "graph: %[1]s\nentry: a\nnodes: {a: {}}\n", false},
	{"a name of a field", "graph: a\nentry: a\nstate: {%[1]s: string}\nnodes: {a: {reads: %[1]s}}\n", false},
	{"a name of a type", "graph: a\nentry: a\ntypes: {%[1]s: {enum: [x]}}\nstate: {a: %[1]s}\nnodes: {a: {}}\n", false},
	{"a key", "graph: a\nentry: a\n%[1]s: 1\nnodes: {a: {%[1]s: 1}}\n", false},
	{"an import path", "graph: a\nentry: a\nuses: [%[1]s]\nstate: {a: {go: %[1]s}}\nnodes: {a: {}}\n", false},
	{"an assertion", "graph: a\nentry: a\nnodes: {a: {}}\nassert: [%[1]s]\n", false},
	{"a limit", "graph: a\nentry: a\nlimits: {max_steps: %[1]s}\nnodes: {a: {timeout: %[1]s}}\n", false},
	{"the whole file", "%[1]s", false},
}

// quoted writes a text in double quotes of YAML.
func quoted(text string) string { return strconv.QuoteToASCII(text) }

// fill puts a text into a spec: %[1]s is the text, %[2]s a condition that compares with it.
func (p place) fill(text string) string {
	condition := quoted("state.Text == " + strconv.Quote(text))
	return strings.TrimPrefix(fmt.Sprintf(p.spec, quoted(text), condition), "\n")
}

// commands are the verbs that write what a spec says, each with how its output is judged.
var commands = []struct {
	args  string
	judge func(t *testing.T, out string)
	wrong bool // also for specs that are wrong
}{
	{"check -color=never FILE", nil, true},
	{"check -color=always FILE", nil, true},
	{"check -bounds FILE", nil, false},
	{"check -diff -package a FILE", nil, false},
	{"check -json FILE", isJSON, true},
	{"check -json -bounds FILE", isJSON, false},
	{"diff OLD FILE", hasLinesOfDiff, false},
	{"diff -markdown OLD FILE", hasMarkdownOfDiff, true},
	{"diff FILE OLD", hasLinesOfDiff, false},
	{"diff -markdown FILE OLD", hasMarkdownOfDiff, false},
	{"diff other.graph.yaml FILE", hasLinesOfDiff, false},
	{"diff -markdown other.graph.yaml FILE", hasMarkdownOfDiff, false},
	{"diff -markdown FILE other.graph.yaml", hasMarkdownOfDiff, false},
	{"diagram FILE", nil, false},
	{"diagram .", nil, false},
	{"diagram -format dot FILE", nil, false},
	{"diagram -format svg FILE", nil, false},
	{"diagram -format html FILE", nil, false},
	{"expand FILE", isSameSpec, true},
	{"generate -package a -json FILE", isJSON, true},
	{"generate -package a -v FILE", nil, false},
}

// colors are the escapes that graphgen writes itself.
var colors = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// No output of a verb has anything that a terminal obeys, and texts of a spec stay where they belong: in a
// string of JSON, in a line of a diff, in a code span of Markdown.
func TestHostileSpecs(t *testing.T) {
	for _, p := range hostilePlaces {
		t.Run(strings.ReplaceAll(p.name, " ", "_"), func(t *testing.T) {
			for _, h := range tier.Some(t, 1, 6, hostile.Texts) {
				dir := t.TempDir()
				t.Chdir(dir)
				writeSpec(t, "hostile.graph.yaml", p.fill(h.Text))
				writeSpec(t, "old/old.graph.yaml", p.fill("a"))
				writeSpec(t, "other.graph.yaml", "graph: other\nentry: a\nnodes: {a: {}}\nedges: [{from: a, to: end}]\n")
				for _, c := range commands {
					if !p.sound && !c.wrong {
						continue
					}
					args := strings.Fields(strings.NewReplacer("FILE", "hostile.graph.yaml", "OLD", "old/old.graph.yaml").Replace(c.args))
					var stdout, stderr bytes.Buffer
					code := run(t.Context(), args, &stdout, &stderr)
					for name, out := range map[string]string{"stdout": stdout.String(), "stderr": stderr.String()} {
						if strings.Contains(c.args, "-color=always") {
							out = colors.ReplaceAllString(out, "")
						}
						if bad := obeyed(out); bad != "" {
							t.Errorf("%s: %s: %s has %s:\n%q", h.Name, c.args, name, bad, out)
						}
					}
					if p.sound && code == exitError {
						t.Errorf("the verb fails")
					}
					if c.judge != nil && stdout.Len() > 0 && code != exitError {
						c.judge(t, stdout.String())
					}
					if t.Failed() {
						t.Fatalf("%s: %s:\n%s%s", h.Name, c.args, &stdout, &stderr)
					}
				}
			}
		})
	}
}

// The texts have to reach the outputs, or the test above would hold of nothing.
func TestHostilePlacesAreSound(t *testing.T) {
	for _, p := range hostilePlaces {
		if !p.sound {
			continue
		}
		t.Run(strings.ReplaceAll(p.name, " ", "_"), func(t *testing.T) {
			t.Chdir(t.TempDir())
			writeSpec(t, "old/old.graph.yaml", p.fill("a"))
			writeSpec(t, "hostile.graph.yaml", p.fill("b [x](y) c"))
			var stdout, stderr bytes.Buffer
			if code := run(t.Context(), []string{"check", "old/old.graph.yaml"}, &stdout, &stderr); code != exitFine {
				t.Errorf("check: exit status %d:\n%s", code, &stderr)
			}
			if code := run(t.Context(), []string{"diff", "-markdown", "old/old.graph.yaml", "hostile.graph.yaml"}, &stdout, &stderr); code != exitFound {
				t.Errorf("diff: exit status %d:\n%s", code, &stderr)
			}
			if !strings.Contains(stdout.String(), "b [x](y) c") {
				t.Errorf("the text is not in the diff:\n%s", &stdout)
			}
		})
	}
}

// What a scenario says, and what the machine made of it, is shown when they differ.
func TestHostileScenarios(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a machine")
	}
	module := tempmodule.New(t, "example.com/hostile", "../..")
	module.Write("a.graph.yaml", "graph: a\nentry: work\nstate: {text: string, sum: string}\ninput: text\noutput: sum\n"+
		"nodes: {work: {reads: text, writes: sum}}\nedges: [{from: work, to: end}]\n")
	scenarios := "graph: a.graph.yaml\nscenarios:\n"
	for _, h := range hostile.Texts {
		scenarios += fmt.Sprintf("  - {name: %[1]s, input: {text: %[1]s}, script: {work: [{out: {sum: %[1]s}}]}, expect: {output: {sum: other}}}\n",
			quoted(h.Text)) +
			fmt.Sprintf("  - {name: %s, input: {text: a}, script: {work: [{error: %s}]}, expect: {end: completed}}\n", quoted("error "+h.Text), quoted(h.Text))
	}
	module.Write("a.scenarios.yaml", scenarios)
	t.Chdir(module.Dir)
	t.Setenv("GOFLAGS", "-mod=mod -buildvcs=false -trimpath")
	t.Setenv("GOWORK", "off")
	for _, args := range [][]string{{"test", "-v", "-cover"}, {"test", "-json"}} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), args, &stdout, &stderr)
		if stderr.Len() > 0 && code == exitError {
			t.Fatalf("%q: %s", args, &stderr)
		}
		if failures := strings.Count(stdout.String(), "--- FAIL"); args[1] == "-v" && failures != 2*len(hostile.Texts) {
			t.Errorf("%d failures are shown, want %d:\n%s%s", failures, 2*len(hostile.Texts), &stdout, &stderr)
		}
		if bad := obeyed(stdout.String() + stderr.String()); bad != "" {
			t.Errorf("%q: the output has %s:\n%q", args, bad, &stdout)
		}
		if args[1] == "-json" {
			isJSON(t, stdout.String())
		}
	}
}

// A graph in Go has its texts in comments and tags.
func TestHostileTaggedGo(t *testing.T) {
	for _, h := range tier.Some(t, 3, 12, hostile.Texts) {
		t.Run(strings.ReplaceAll(h.Name, " ", "_"), func(t *testing.T) {
			t.Chdir(t.TempDir())
			tag := func(text string) string { return strconv.Quote("graphgen:" + strconv.Quote(text)) }
			comment := strings.NewReplacer("\n", "\n// ", "\r", "", "\x00", "").Replace(h.Text)
			writeSpec(t, "a.go",
				"package a\n\nimport \"github.com/graphgen/graphgen/graph\"\n\n// A is "+comment+"\n//\n//graphgen:graph a entry=work\ntype _ struct {\n"+
					"\tState struct {\n\t\tText string "+tag("pattern="+h.Text)+"\n\t} `graphgen:\"input=text\"`\n\n"+
					"\t// Work is "+comment+"\n\tWork graph.Func "+tag("reads=text; -> end if "+h.Text)+"\n}\n")
			for _, args := range [][]string{{"check", "a.go"}, {"check", "-json", "a.go"}, {"expand", "a.go"}, {"diagram", "a.go"}, {"diff", "a.go", "a.go"}} {
				var stdout, stderr bytes.Buffer
				code := run(t.Context(), args, &stdout, &stderr)
				if bad := obeyed(stdout.String() + stderr.String()); bad != "" {
					t.Errorf("%q: the output has %s:\n%q\n%q", args, bad, &stdout, &stderr)
				}
				if args[1] == "-json" && code != exitError {
					isJSON(t, stdout.String())
				}
			}
		})
	}
}

// The names of files are hostile too: they come with a repository.
func TestHostileFileNames(t *testing.T) {
	spec := "graph: a\nentry: a\nnodes: {a: {}}\nedges: [{from: a, to: b}]\n"
	for _, h := range tier.Some(t, 6, 12, hostile.Texts) {
		t.Run(strings.ReplaceAll(h.Name, " ", "_"), func(t *testing.T) {
			name := strings.NewReplacer("/", "-", "\x00", "").Replace(h.Text)
			dir := t.TempDir()
			t.Chdir(dir)
			if err := os.Mkdir(name, 0o777); err != nil {
				t.Skip(err) // the file system has no such names
			}
			writeSpec(t, filepath.Join(name, "a.graph.yaml"), spec)
			writeSpec(t, filepath.Join(name, "fine.graph.yaml"), "graph: fine\nentry: a\nnodes: {a: {}}\nedges: [{from: a, to: end}]\n")
			writeSpec(t, filepath.Join(name, "more.graph.yaml"), "graph: more\nentry: a\nnodes: {a: {}}\nedges: [{from: a, to: end}]\n")
			bad := filepath.Join(name, name+".graph.yaml")
			writeSpec(t, bad, spec)
			in, fine, more := filepath.Join(name, "a.graph.yaml"), filepath.Join(name, "fine.graph.yaml"), filepath.Join(name, "more.graph.yaml")
			for _, args := range [][]string{
				{"check", name}, {"check", in}, {"check", bad}, {"check", "-json", in}, {"check", "./..."}, {"check", h.Text}, {"check", "-bounds", fine},
				{"check", "-prices", bad, fine}, {"check", "-prices", h.Text, fine},
				{"generate", "-package", h.Text, fine}, {"generate", "-package", "a", fine, "-v"}, {"generate", bad}, {"generate", "-json", bad},
				{"diff", in, fine}, {"diff", "-markdown", in, fine}, {"diff", "-markdown", h.Text + ":" + h.Text, fine}, {"diff", bad, h.Text},
				{"diagram", in}, {"diagram", fine, more}, {"diagram", "-o", filepath.Join(h.Text, h.Text), fine},
				{"expand", in}, {"expand", fine}, {"expand", "-graph", h.Text, fine},
				{"explain", h.Text}, {"test", in}, {"test", fine}, {"test", h.Text}, {"test", "-run", h.Text, in}, {"test", "-json", in},
				{"schema", "-o", filepath.Join(h.Text, "a.json")}, {"init", h.Text}, {"init", "agent", h.Text},
				{h.Text}, {"-" + h.Text}, {"check", "-" + h.Text}, {"check", "-color=" + h.Text},
				{"_complete", "--", "check", h.Text}, {"_complete", "--", "check", ""}, {"_complete", "--", "check", name + "/"},
			} {
				var stdout, stderr bytes.Buffer
				code := run(t.Context(), args, &stdout, &stderr)
				for stream, out := range map[string]string{"stdout": stdout.String(), "stderr": stderr.String()} {
					if bad := obeyed(out); bad != "" {
						t.Errorf("%q: %s has %s:\n%q", args, stream, bad, out)
					}
				}
				switch {
				case len(args) > 1 && args[1] == "-json" && code != exitError:
					isJSON(t, stdout.String())
				case len(args) > 1 && args[1] == "-markdown" && code == exitFound:
					hasMarkdownOfDiff(t, stdout.String())
				}
			}
		})
	}
}

func writeSpec(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// obeyed says what of an output a terminal would obey; empty is nothing.
func obeyed(out string) string {
	if !utf8.ValidString(out) {
		return "bytes that are no UTF-8"
	}
	for _, c := range out {
		if c != '\n' && c != '\t' && !escape.Harmless(c) {
			return strconv.QuoteRuneToASCII(c)
		}
	}
	return ""
}

func isJSON(t *testing.T, out string) {
	t.Helper()
	if !json.Valid([]byte(out)) {
		t.Errorf("this is not one value of JSON:\n%s", out)
	}
}

// isSameSpec holds that YAML is a spec which means the same as the hostile one.
func isSameSpec(t *testing.T, out string) {
	t.Helper()
	writeSpec(t, "expanded/expanded.graph.yaml", out)
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"diff", "hostile.graph.yaml", "expanded/expanded.graph.yaml"}, &stdout, &stderr); code != exitFine {
		t.Errorf("the expanded spec is another:\n%s%s\n%s", &stdout, &stderr, out)
	}
}

// hasLinesOfDiff holds that a line of a diff is a heading or a change.
func hasLinesOfDiff(t *testing.T, out string) {
	t.Helper()
	for line := range strings.Lines(out) {
		change := strings.HasPrefix(line, "  ~ ") || strings.HasPrefix(line, "  + ") || strings.HasPrefix(line, "  - ")
		if !change && strings.Trim(line, "abcdefghijklmnopqrstuvwxyz\n") != "" {
			t.Errorf("%q is no line of a diff", line)
		}
	}
}

// hasMarkdownOfDiff holds that texts of a spec are in code spans. What a parser of Markdown makes of the
// same output is tested in internal/markdown.
func hasMarkdownOfDiff(t *testing.T, out string) {
	t.Helper()
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		rest := outsideOfCode(line)
		for _, form := range []string{"", "##  → ", "### Graph", "### Limits", "### Types", "### State", "### Tools",
			"### Mutations", "### Nodes", "### Edges", "### Assertions"} {
			if rest == form {
				rest = ""
			}
		}
		for _, word := range []string{"changed", "added", "removed"} {
			for _, form := range []string{"- **" + word + "** ", "- **" + word + "** : "} {
				if rest == form {
					rest = ""
				}
			}
		}
		if rest != "" {
			t.Errorf("%q is outside of the code spans of %q", rest, line)
		}
	}
}

// outsideOfCode returns a line of Markdown without its code spans, as CommonMark finds them: a run of
// backticks, up to the next run of the same length.
func outsideOfCode(line string) string {
	var b strings.Builder
	for line != "" {
		before, at, found := strings.Cut(line, "`")
		b.WriteString(before)
		if !found {
			break
		}
		n := 1 + len(at) - len(strings.TrimLeft(at, "`"))
		line = at[n-1:]
		end := -1
		for i := 0; i < len(line); {
			run := len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
			if run == n {
				end = i
				break
			}
			i += max(run, 1)
		}
		if end < 0 {
			b.WriteString(strings.Repeat("`", n))
			continue
		}
		line = line[end+n:]
	}
	return b.String()
}
