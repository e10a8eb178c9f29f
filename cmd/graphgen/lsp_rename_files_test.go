package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tempmodule"
)

// A renameCase renames a symbol in a folder of files.
type renameCase struct {
	name    string
	golden  string            // a folder of golden whose specs, scenarios and prompts the files are; or
	files   map[string]string // the files
	root    string            // the folder that the editor has opened, in that of the files
	linked  bool              // the editor has opened that folder through a link
	file    string            // the file with the symbol, at the mark of at
	at, to  string
	changed map[string]string // parts of files, by |
	refused string
}

const (
	enumOfTypes = "types:\n  Grade: {enum: [low, high]}\n"
	usesGrade   = "graph: app\nentry: judge\nuse: {common: %s}\nstate: {text: string, grade: \"?common.Grade\"}\ninput: text\noutput: grade\n" +
		"nodes: {judge: {reads: text, writes: grade}, again: {reads: text, writes: grade}}\n" +
		"edges: [{from: judge, to: again, if: '*out.Grade == common.GradeLow'}, {from: judge, to: end}]\n"
	asksAbout = "graph: %s\nentry: ask\nstate: {topic: string, text: string}\ninput: topic\noutput: text\n" +
		"nodes: {ask: {kind: prompt, instructions: Answer., message: {file: %s}, writes: text}}\n"
	onlyWrites = "graph: only\nentry: grade\nstate: {grade: \"?string\", note: \"?string\"}\noutput: [grade, note]\nnodes:\n  grade: {writes: grade%s}\n" +
		"  b: {writes: note}\n  c: {writes: note}\n"
)

// renameCases are renames of which a part is in another file, or where only the graph shows that a name is of the symbol.
var renameCases = []renameCase{
	{name: "a field of a graph that nodes name by its file", golden: "subgraph", file: "polish.graph.yaml",
		at: "  te‸xt: string", to: "body", changed: map[string]string{
			"direct.graph.yaml":      "in: {body: answer}, out: {answer: body, rounds: rounds}, next: again|out: {answer: body, rounds: rounds}}",
			"article.graph.yaml":     "in: {body: text}|out: {text: body, rounds: rounds}",
			"polish.scenarios.yaml":  "out: {body: a shorter text, rounds: 1}",
			"direct.scenarios.yaml":  "shorten/shorten: {out: {body: because, rounds: 1}}|find/answer: {out: because of a}",
			"article.scenarios.yaml": "write: {out: {text: otters play all day}}|polish/shorten: [{out: {body: otters play, rounds: 1}}|text: otters\n",
			"survey.scenarios.yaml":  "first/shorten: {out: {body: short, rounds: 1}}",
		}},
	{name: "a node of a graph that runs itself", golden: "subgraph", file: "tree.graph.yaml", at: "  deep‸er:\n", to: "below", changed: map[string]string{
		"tree.scenarios.yaml": "below/below/take|path: [take, below]",
	}},
	{name: "a node that has a name of another graph", golden: "subgraph", file: "article.graph.yaml",
		at: "  wri‸te: {reads", to: "shorten", changed: map[string]string{
			"article.scenarios.yaml": "      shorten: {out: {text|polish/shorten: [|details, shorten, polish]",
		}},
	{name: "a type that the folder of the editor uses from above", root: "app", file: "app/app.graph.yaml",
		at: "?common.Gr‸ade", to: "Level", files: map[string]string{
			"types/common.types.yaml": enumOfTypes, "app/app.graph.yaml": strings.Replace(usesGrade, "%s", "../types/common.types.yaml", 1),
		}, changed: map[string]string{"app/app.graph.yaml": `grade: "?common.Level"|common.LevelLow`, "types/common.types.yaml": "Level: {enum"}},
	{name: "a type in a folder that is opened through a link", linked: true, file: "app/app.graph.yaml",
		at: "?common.Gr‸ade", to: "Level", files: map[string]string{
			"types/common.types.yaml": enumOfTypes, "app/app.graph.yaml": strings.Replace(usesGrade, "%s", "../types/common.types.yaml", 1),
		}, changed: map[string]string{"app/app.graph.yaml": `grade: "?common.Level"`, "types/common.types.yaml": "Level: {enum"}},
	{name: "a type of a Go package", file: "bricks/bricks.types.yaml", at: "Gra‸de: {enum", to: "Level", files: map[string]string{
		"bricks/bricks.types.yaml": enumOfTypes, "desk/desk.graph.yaml": strings.Replace(usesGrade, "%s", "example.com/a/bricks", 1),
	}, changed: map[string]string{"desk/desk.graph.yaml": `grade: "?common.Level"|common.LevelLow`}},
	{name: "a type of a Go package, where it is used", file: "desk/desk.graph.yaml", at: "?common.Gra‸de", to: "Level", files: map[string]string{
		"bricks/bricks.types.yaml": enumOfTypes, "bricks/more.types.yaml": "types:\n  Other: {n: int}\n",
		"desk/desk.graph.yaml": strings.Replace(usesGrade, "%s", "example.com/a/bricks", 1),
	}, changed: map[string]string{"desk/desk.graph.yaml": `grade: "?common.Level"`, "bricks/bricks.types.yaml": "Level: {enum"}},
	{name: "a field of a prompt that two specs have", file: "a.graph.yaml", at: "{top‸ic: string", to: "subject", files: map[string]string{
		"a.graph.yaml": strings.NewReplacer("%s\n", "a\n", "%s}", "prompts/ask.md}").Replace(asksAbout), "prompts/ask.md": "About {{topic}}.\n",
		"deep/b.graph.yaml": strings.NewReplacer("%s\n", "b\n", "%s}", "../prompts/ask.md}").Replace(asksAbout),
	}, refused: `with the name "subject" deep/b.graph.yaml does not compile: prompts/ask.md:1`},
	{name: "a field whose name a member of an output has", file: "a.graph.yaml", at: "{te‸xt: string, verdict", to: "body", files: map[string]string{
		"a.graph.yaml": "graph: a\nentry: write\ntypes: {Verdict: {text: string, score: int}}\n" +
			"state: {text: string, verdict: \"?Verdict\"}\noutput: [text, verdict]\n" +
			"nodes:\n  write: {writes: text, next: judge}\n  judge: {reads: text, output: Verdict, writes: verdict}\n",
		"a.scenarios.yaml": "graph: a.graph.yaml\nscenarios:\n  - name: it is judged\n    script:\n      write: {out: {text: v1}}\n" +
			"      judge: [{out: {text: fine, score: 3}, given: {in: {text: v1}}}]\n    expect: {end: completed, output: {text: v1}}\n",
	}, changed: map[string]string{"a.scenarios.yaml": "out: {body: v1}|out: {text: fine, score: 3}|given: {in: {body: v1}}|output: {body: v1}"}},
	{name: "a field that the elements of a map write", file: "a.graph.yaml", at: "no‸tes: {type", to: "found", files: map[string]string{
		"a.graph.yaml": "graph: a\nentry: each\nstate: {topics: \"[]string\", topic: string, notes: {type: \"[]string\", merge: append}}\n" +
			"input: topics\noutput: notes\nnodes:\n  each: {kind: map, over: topics, item: topic, body: note}\n  note: {reads: topic, writes: notes}\n",
		"a.scenarios.yaml": "graph: a.graph.yaml\nscenarios:\n  - name: all are noted\n    input: {topics: [x, y]}\n" +
			"    script: {note: {each: [[{out: {notes: [a]}}], {out: {notes: [b]}}]}}\n    expect: {output: {notes: [a, b]}}\n",
	}, changed: map[string]string{"a.scenarios.yaml": "each: [[{out: {found: [a]}}], {out: {found: [b]}}]"}},
	{name: "a type of a file that does not exist", file: "app.graph.yaml", at: "?common.Gr‸ade", to: "Level", files: map[string]string{
		"app.graph.yaml": strings.Replace(usesGrade, "%s", "comon.types.yaml", 1),
	}, refused: `"common.Grade" is not declared in a file that can be changed`},
	{name: "a field in the condition of a loop", golden: "autonomous", file: "autonomous.graph.yaml",
		at: "  te‸xt: {type", to: "body", changed: map[string]string{
			"autonomous.graph.yaml": `until: out.Body == "good"|writes: body|output: [seen, body]`,
		}},
	{name: "an enum whose constant an edge has", golden: "outputs", file: "outputs.graph.yaml", at: "  Lev‸el: {enum", to: "Rank", changed: map[string]string{
		"outputs.graph.yaml": "level: Rank\n|out.Level == RankMiddle",
	}},
	{name: "a node that a parameter of a template names", golden: "reasoning", file: "inquiry.graph.yaml",
		at: "  wri‸ter: {kind", to: "author", changed: map[string]string{
			"inquiry.graph.yaml": "revise: author|on_fail: author|[parts, author, critic, gate]",
		}},
	{name: "a node at the parameter that names it", golden: "reasoning", file: "inquiry.graph.yaml",
		at: "revise: wri‸ter", to: "author", changed: map[string]string{
			"inquiry.graph.yaml": "revise: author|  author: {kind",
		}},
	{name: "a field that an edge compares, of a node that only writes", file: "a.graph.yaml", at: "{gra‸de: ", to: "mark", files: map[string]string{
		"a.graph.yaml": strings.Replace(onlyWrites, "%s", "", 1) + "edges: [{from: grade, to: b, on_output: {grade: low}}, {from: grade, to: c}]\n",
	}, changed: map[string]string{"a.graph.yaml": "on_output: {mark: low}|  grade: {writes: mark}"}},
	{name: "a field that transitions look at, of a node that only writes", file: "a.graph.yaml", at: "{gra‸de: ", to: "mark", files: map[string]string{
		"a.graph.yaml": strings.Replace(onlyWrites, "%s", ", transitions: {grade: b}, next: c", 1),
	}, changed: map[string]string{"a.graph.yaml": "transitions: {mark: b}"}},
	{name: "a field that a branch table selects by, of a node that only writes", file: "a.graph.yaml", at: "{gra‸de: ", to: "mark", files: map[string]string{
		"a.graph.yaml": strings.NewReplacer("%s", "",
			`state: {grade: "?string"`, "types: {Mark: {enum: [low, high]}}\nstate: {grade: Mark").Replace(onlyWrites) +
			"edges: [{from: grade, by: grade, branch: {low: b, high: c}}]\n",
	}, changed: map[string]string{"a.graph.yaml": "by: mark, branch"}},
	{name: "a node that is the value of an enum", golden: "route", file: "route.graph.yaml", at: "  a‸ct:\n", to: "perform", changed: map[string]string{
		"route.graph.yaml":     "route: {enum: [perform, think, finish]}|  perform:\n",
		"route.scenarios.yaml": "script: {plan: [{out: {route: perform}}, {out: {route: finish}}], perform: {out: {}}",
	}},
	{name: "a node that a text of an output names", golden: "route", file: "route.graph.yaml", at: "  rep‸ort: {writes", to: "tell", changed: map[string]string{
		"route.graph.yaml": "finish: tell|over: tell", "route.scenarios.yaml": "act: {out: {next_step: tell}}|act: {out: {route: over, next_step: think}}",
	}},
	{name: "a node that requests of a child run name", golden: "../examples/refunds", file: "office.graph.yaml",
		at: "  he‸lp: {", to: "assist", changed: map[string]string{
			"office.scenarios.yaml": "to: 1/assist.1/answer.1.refund.1|to: 0/assist.1/answer.1.refund.1|assist/refund",
		}},
	{name: "a node in a branch that requests name", golden: "../examples/refunds", file: "inbox.graph.yaml",
		at: "  rel‸ease:", to: "approve", changed: map[string]string{
			"inbox.scenarios.yaml": "to: 2/approve.1|requests: [1/approve.1]",
		}},
	{name: "a tool that requests of a child run name", golden: "../examples/refunds", file: "support.graph.yaml",
		at: "  ref‸und:", to: "repay", changed: map[string]string{
			"office.scenarios.yaml":  "to: 1/help.1/answer.1.repay.1|help/repay",
			"support.scenarios.yaml": "repay: {result: paid}|[look_up, {repay: {order|{tool_calls: [{repay: |requests: [answer.1.repay.1]|to: repay",
		}},
	{name: "a tool of a graph that a node runs", golden: "subgraph", file: "lookup/lookup.graph.yaml", at: "  ra‸te:", to: "weigh", changed: map[string]string{
		"article.scenarios.yaml": "tool_calls: [{weigh: {title: Play}}]|details/weigh: {result: 5}|tools_called: [{details/weigh: {title: Play}}]",
	}},
}

// TestRenameAcrossFiles renames what other files name in a way that only their graphs show. What it gives can be checked, and the scenarios hold.
func TestRenameAcrossFiles(t *testing.T) {
	repo := inRepository(t)
	for _, tt := range renameCases {
		t.Run(tt.name, func(t *testing.T) {
			files := tt.files
			if tt.golden != "" {
				files = goldenTexts(t, filepath.Join(repo, "golden", tt.golden))
			}
			module := tempmodule.New(t, "example.com/a", repo)
			module.Write("doc.go", "package a\n")
			for name, text := range files {
				module.Write(name, text)
			}
			t.Chdir(filepath.Join(module.Dir, tt.root))
			t.Setenv("GOFLAGS", "-mod=mod -buildvcs=false -trimpath")
			t.Setenv("GOWORK", "off")
			dir := module.Dir
			if tt.linked {
				dir = filepath.Join(t.TempDir(), "link")
				if err := os.Symlink(module.Dir, dir); err != nil {
					t.Skip(err)
				}
			}
			e := startEditor(t, filepath.Join(dir, tt.root))
			path := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
			text := files[tt.file]
			at := strings.Index(text, strings.Replace(tt.at, cursorMark, "", 1)) + strings.Index(tt.at, cursorMark)
			changes, refused := e.renames(e.open(path(tt.file), text), positionIn(text, at), tt.to)
			if len(e.logs) > 0 {
				t.Errorf("the server logs %v", e.logs)
			}
			message := ""
			if refused != nil {
				message = refused.Error.Message
			}
			if (message != "") != (tt.refused != "") || !strings.Contains(message, tt.refused) {
				t.Fatalf("it is refused: %q, want %q", message, tt.refused)
			}
			if message != "" {
				return
			}
			for name, before := range files {
				after := edited(t, before, changes[fileURI(path(name))])
				for part := range strings.SplitSeq(tt.changed[name], "|") {
					if !strings.Contains(after, part) {
						t.Errorf("%s has not %q:\n%s", name, part, after)
					}
				}
				if err := os.WriteFile(path(name), []byte(after), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			t.Chdir(module.Dir)
			verbs := []string{"check"}
			if !testing.Short() {
				verbs = append(verbs, "generate", "test")
			}
			for _, verb := range verbs {
				var out bytes.Buffer
				if status := run(t.Context(), []string{verb, "./..."}, &out, &out); status != exitFine {
					t.Errorf("%s: status %d\n%s", verb, status, out.String())
				}
			}
		})
	}
}

// goldenTexts returns the files of a folder that people write: specs, scenarios and prompts.
func goldenTexts(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".yaml") && !strings.HasSuffix(path, ".md") {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
