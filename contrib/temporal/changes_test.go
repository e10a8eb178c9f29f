package temporal_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/compat"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/shape"
)

// changes are changes of a spec: texts that are replaced, in turn. waits and ended are whether a workflow that waits at the node approve, and one that
// has ended, break with the changed machine.
var changes = []struct {
	name         string
	replace      []string
	waits, ended bool
	cautious     string // why the verdict is a break where the history continues; empty: it is exact
}{
	{name: "nothing"},
	{name: "the text of a prompt", replace: []string{"Answer the customer.", "Be kind to the customer."}},
	{name: "the temperature of a prompt", replace: []string{"tools: look_up,", "tools: look_up, temperature: 0.5,"}},
	{name: "the temperature of the graph", replace: []string{"entry: open", "entry: open\ntemperature: 0.5"}},
	{name: "a longer time limit", replace: []string{"timeout: 1m", "timeout: 2m"}},
	{name: "a higher limit of steps", replace: []string{"max_steps: 30", "max_steps: 60"}},
	{name: "an optional field of the input", replace: []string{
		"input: [amount]", "input: [amount, payer]", "  limit: {", "  payer: \"?string\"\n  limit: {", "pay: {reads: amount,", "pay: {reads: [amount, payer],",
	}},
	{name: "a tool that no node has", replace: []string{"state:", "  search: {doc: Searches., args: {query: string}}\n\nstate:"}},
	{name: "a field less in the output", replace: []string{
		"output: [reason, reply]", "output: reason", "pay: {reads: amount,", "pay: {reads: [amount, reply],",
	}},
	{name: "what a handler reads", replace: []string{"pay: {reads: amount,", "pay: {reads: [amount, score],"}},
	{name: "a node that no run has come to", replace: []string{"sorry: {writes: reason,", "sorry: {kind: set, set: {reason: '\"sorry\"'},"}},
	{name: "another condition", replace: []string{"> state.Limit", "> 3*state.Limit"}, ended: true},
	{name: "a node after the question", replace: []string{"to: pay, if", "to: check, if", "  pay: {", "  check: {next: pay}\n  pay: {"}, ended: true},
	{name: "a node after the question is missing", replace: []string{
		"  pay: {reads: amount, next: close}\n", "", "  - {from: approve, to: pay, if: state.Amount > state.Limit}\n", "",
	}, ended: true},
	{name: "another name of a node after the question", replace: []string{"pay: {", "send: {renamed_from: pay, ", "to: pay", "to: send"}, ended: true},
	{name: "a handler that becomes a set", replace: []string{
		"close: {reads: score, writes: reason,", "close: {kind: set, set: {reason: '\"done\"'},",
	}, ended: true},
	{name: "guards of a node after the question", replace: []string{"close: {", "close: {guards: sane, "}, ended: true},
	{name: "a node before the question", replace: []string{
		"next: fork", "next: check", "  pay: {", "  check: {next: fork}\n  pay: {",
	}, waits: true, ended: true},
	{name: "another name of a node", replace: []string{
		"branches: {inspect: inspect,", "branches: {inspect: look,", "  inspect: {", "  look: {",
	}, waits: true, ended: true},
	{name: "no time limit", replace: []string{", timeout: 1m", ""}, waits: true, ended: true},
	{name: "a time limit of the question", replace: []string{"reads: amount}\n  pay", "reads: amount, timeout: 24h}\n  pay"}, waits: true, ended: true},
	{name: "a time limit of the run", replace: []string{"max_visits: 5", "max_visits: 5, timeout: 1h"}, waits: true, ended: true},
	{name: "a branch", replace: []string{
		"talk: answer}", "talk: answer, law: check}", "  pay: {", "  check: {reads: amount}\n  pay: {",
	}, waits: true, ended: true},
	{name: "the order of branches", replace: []string{"inspect: inspect, talk: answer", "talk: answer, inspect: inspect"}, waits: true, ended: true},
	{name: "guards of a node", replace: []string{"writes: found,", "writes: found, guards: sane,"}, waits: true, ended: true},
	{name: "a lower limit of steps", replace: []string{"max_steps: 30", "max_steps: 2"}, waits: true, ended: true},
	{name: "another entry", replace: []string{
		"entry: open", "entry: fork", "  open: {reads: amount, writes: score, next: fork}\n", "",
	}, waits: true, ended: true},
	{name: "a required field of the input", replace: []string{
		"input: [amount]", "input: [amount, payer]", "  limit: {", "  payer: string\n  limit: {", "pay: {reads: amount,", "pay: {reads: [amount, payer],",
	}, waits: true, ended: true},
	{name: "another type of what a handler gives", replace: []string{
		"score: {type: int, default: 0}", "score: {type: string, default: \"\"}",
	}, waits: true, ended: true},

	{name: "retries of a node that has not failed", replace: []string{"writes: found,", "writes: found, flags: [retryable],"}, waits: true, ended: true,
		cautious: "the history has no failure"},
	{name: "another model", replace: []string{"tools: look_up,", "tools: look_up, model: cheap,"}, waits: true, ended: true,
		cautious: "the worker has no model of the name, so its own is asked"},
	{name: "another model of the graph", replace: []string{"entry: open", "entry: open\nmodel: cheap"}, waits: true, ended: true,
		cautious: "the worker has no model of the name, so its own is asked"},
	{name: "a message", replace: []string{
		"next: fork", "next: hello", "  pay: {", "  hello: {kind: say, say: Hello., next: fork}\n  pay: {",
	}, waits: true, ended: true,
		cautious: "a node of kind say gives no command"},
	{name: "a condition that decides the same", replace: []string{"> state.Limit", "> 50"}, ended: true, cautious: "the amount is above both"},
	{name: "a default that decides the same", replace: []string{"default: 100", "default: 50"}, waits: true, ended: true, cautious: "the amount is above both"},
}

// TestChanges holds that check -compat is right about running workflows: histories that the machine of a spec has recorded are replayed by the machines
// of changed ones, and what comes of it is the verdict.
func TestChanges(t *testing.T) {
	if testing.Short() {
		t.Skip("builds machines with the SDK of Temporal")
	}
	tempmodule.WatchRuntime(t, "../..")
	base, err := os.ReadFile("testdata/changes/desk.graph.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const dir = "testdata/changed" // the same each time, for the build cache
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	var imports, versions strings.Builder
	shapes := make([]*shape.Shape, len(changes))
	args := []string{"run", "github.com/graphgen/graphgen/cmd/graphgen", "generate"}
	every := tier.Pick(1, 4, 1)
	for i, c := range changes {
		if i%every != 0 {
			fmt.Fprintf(&versions, "\tnil,\n")
			continue
		}
		text := string(base)
		for k := 0; k < len(c.replace); k += 2 {
			if !strings.Contains(text, c.replace[k]) {
				t.Fatalf("%s: the spec has no %q", c.name, c.replace[k])
			}
			text = strings.ReplaceAll(text, c.replace[k], c.replace[k+1])
		}
		g, found := spec.Load("desk.graph.yaml", []byte(text))
		flow := cfg.Of(g)
		if found = append(found, check.Run(flow)...); diag.HasErrors(found) {
			t.Fatalf("%s: %v", c.name, found)
		}
		shapes[i] = shape.Of(flow)
		name := fmt.Sprintf("c%02d", i)
		writeFile(t, filepath.Join(dir, name, "desk.graph.yaml"), text)
		args = append(args, "./"+dir+"/"+name)
		fmt.Fprintf(&imports, "\t%q\n", "github.com/graphgen/graphgen/contrib/temporal/"+dir+"/"+name)
		fmt.Fprintf(&versions, "\tfunc() (interface{ RegisterWorkflow(worker.WorkflowRegistry) }, error) {\n"+
			"\t\treturn %s.NewDeskTemporal(struct{ %[1]s.DeskHandlers }{}, struct{ %[1]s.DeskTools }{}, chat.ModelFunc(talk))\n\t},\n", name)
	}
	program, err := os.ReadFile("testdata/changes/main.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "main.go"), strings.NewReplacer("IMPORTS\n", imports.String(), "VERSIONS\n", versions.String()).Replace(string(program)))
	if said, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	var out, said bytes.Buffer
	run := exec.CommandContext(t.Context(), "go", "run", "./"+dir)
	run.Stdout, run.Stderr = &out, &said
	if err := run.Run(); err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	var histories []struct {
		Progress compat.Progress
		Errors   []string
	}
	if err := json.Unmarshal(out.Bytes(), &histories); err != nil || len(histories) != 2 {
		t.Fatal(err, out.String())
	}
	exact, judged := 0, 0
	for i, c := range changes {
		if shapes[i] == nil {
			continue
		}
		judged++
		breaks := compat.Workflows(shapes[0], shapes[i], "release 1")
		for k, h := range histories {
			want := []bool{c.waits, c.ended}[k]
			verdict, replay := h.Progress.Breaks(breaks), h.Errors[i] != ""
			switch {
			case verdict != want:
				t.Errorf("%s, history %d: the verdict is %t, %s", c.name, k, verdict, compat.Where(breaks))
			case replay && !verdict:
				t.Errorf("%s, history %d: the replay fails, and the verdict is that it continues: %s", c.name, k, h.Errors[i])
			case replay != verdict && c.cautious == "":
				t.Errorf("%s, history %d: the verdict is that it breaks, and the replay continues: %s", c.name, k, compat.Where(breaks))
			case replay == verdict:
				exact++
			}
		}
	}
	t.Logf("%d changes, %d histories: %d verdicts are exact, %d cautious", judged, len(histories), exact, judged*len(histories)-exact)
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
