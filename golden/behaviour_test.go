package golden_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/spec"
)

var update = flag.Bool("update", false, "rewrite docs/reference/behaviour.md")

// chapters is the order of the golden machines in docs/reference/behaviour.md. Those that no
// chapter names are last.
var chapters = []struct {
	title    string
	machines []string
}{
	{"Choosing the next node", []string{"rules", "route", "routes", "router", "gotonode", "transitions", "covered", "nomatch"}},
	{"Edges", []string{"priority", "pass", "set", "say", "outputs", "branch", "branchby", "conditionpanic", "loops", "bounds", "exhausted"}},
	{"Failures", []string{"failures", "policy", "retries", "replay"}},
	{"Guards", []string{"guards", "guardfail"}},
	{"Bounds", []string{"defaults", "visits", "visitlimit", "stepserror", "stepslast", "stepsflag"}},
	{"A step and the state", []string{"order", "cache", "state", "merges", "memory"}},
	{"Models and tools", []string{"toolloop", "toolcalls", "injecttools", "modelroute", "prompts", "promptfiles", "media",
		"processors", "history", "conversation", "flags", "answers", "evals", "budget", "agentends"}},
	{"Edges that a model judges", []string{"judged", "judgedview"}},
	{"Nodes that run others", []string{"loopretry", "parallel", "join", "maxparallel", "branchnode", "branchprompt", "branchmerge",
		"branchstop", "forknode", "mapping", "pool", "autonomous", "nested", "composition"}},
	{"Types and names", []string{"types", "names"}},
	{"Graphs within graphs", []string{"subgraph"}},
	{"People", []string{"human", "approval"}},
	{"Runs that change their graph", []string{"mutation", "mutationmodel", "mutationends", "mutationrouting", "mutationkinds"}},
	{"A graph in whole", []string{"review"}},
}

const aboutBehaviour = `# What a graph does

This page lets you look up what a graph does in a given case. The sentences are the names of scenarios, and each of them holds: their
machines are [golden](../../golden), and the tests run them. Written from them by ` + "`go test ./golden -run Behaviour -update`" + `.
`

func TestBehaviour(t *testing.T) {
	const path = "../docs/reference/behaviour.md"
	text := behaviour(t)
	if *update {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, text) {
		t.Errorf("%s does not tell what the scenarios do; go test ./golden -run Behaviour -update writes it", path)
	}
}

// behaviour is the page: the scenarios of every golden machine, by chapter.
func behaviour(t *testing.T) []byte {
	t.Helper()
	files, err := filepath.Glob("*/*.graph.yaml")
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string][]string{} // a folder has several where graphs run one another
	for _, file := range files {
		byName[filepath.Dir(file)] = append(byName[filepath.Dir(file)], file)
	}
	b := bytes.NewBufferString(aboutBehaviour)
	tell := func(title string, machines []string) {
		fmt.Fprintf(b, "\n## %s\n", title)
		for _, name := range machines {
			files, ok := byName[name]
			if !ok {
				t.Fatalf("chapter %q: there is no machine %q", title, name)
			}
			delete(byName, name)
			told := false
			for _, file := range files {
				told = tellMachine(t, b, file) || told
			}
			if !told {
				t.Errorf("the machines of %s have no scenarios", name)
			}
		}
	}
	for _, c := range chapters {
		tell(c.title, c.machines)
	}
	if len(byName) > 0 {
		var rest []string
		for name := range byName {
			rest = append(rest, name)
		}
		slices.Sort(rest)
		tell("More", rest)
	}
	return b.Bytes()
}

// tellMachine writes what a machine is about, and the names of its scenarios. One that has
// none is there for others, which run it; then nothing is told.
func tellMachine(t *testing.T, b *bytes.Buffer, file string) (told bool) {
	t.Helper()
	path := strings.TrimSuffix(file, ".graph.yaml") + ".scenarios.yaml"
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return false
	}
	source := read(t, file)
	g, found := spec.Load(filepath.Base(file), source)
	if len(found) > 0 {
		t.Fatalf("%s: %s", file, found[0].Message)
	}
	fmt.Fprintf(b, "\n**[%s](../../golden/%s)**: %s\n\n", g.Name.V, filepath.ToSlash(file), g.Doc.V)
	tests, found := scenario.Load(path, read(t, path))
	if len(found) > 0 {
		t.Fatalf("%s: %s", path, found[0].Message)
	}
	for _, s := range tests.Scenarios {
		fmt.Fprintf(b, "- %s\n", s.Name.V)
	}
	return true
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
