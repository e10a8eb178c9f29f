package prelude_test

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/link"
	"github.com/graphgen/graphgen/spec/prelude"
	"github.com/graphgen/graphgen/spec/yamlread"
)

var update = flag.Bool("update", false, "write the recordings of patterns and skills")

// recorded is the name of the scenario that plays the recording of a skill. That of the first scenario is what is played.
const recorded = "the recorded run"

// taping is the package that records runs.
const taping = "github.com/graphgen/graphgen/internal/testing/taping"

// compare holds that a file has a recording.
func compare(t *testing.T, file, recording string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(recording), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if string(read(t, file)) != recording {
		t.Errorf("%s is another recording; go test ./spec/prelude -update writes it", file)
	}
}

// skills returns the skills: the templates of their file.
func skills(t *testing.T) []*spec.Template {
	t.Helper()
	for _, file := range prelude.Use().Graphs() {
		if filepath.Base(file.File) == "skills.types.yaml" {
			return file.Templates
		}
	}
	t.Fatal("there is no file of skills")
	return nil
}

// TestSkills holds that each skill has a graph with evals, a scripted model that looks for its instructions, a recorded
// run, and answers that the evals refuse.
func TestSkills(t *testing.T) {
	tempmodule.WatchRuntime(t, "../..")
	tempmodule.Watch(t, "../../scenario/harness", "skills")
	all := skills(t)
	if len(all) < 15 {
		t.Errorf("there are %d skills", len(all))
	}
	var files []string
	for _, skill := range all {
		file := filepath.Join("skills", skill.Name.V+".graph.yaml")
		files = append(files, file)
		g, found := spec.Load(file, read(t, file))
		if g == nil || len(found) > 0 || !uses(g, skill.Name.V) {
			t.Errorf("%s has no node of kind %s: %v", file, skill.Name.V, found)
		}
	}
	for _, g := range play(t, scenario.Config{Files: files, Probe: taping}) {
		compare(t, strings.TrimSuffix(g.Spec, ".graph.yaml")+".jsonl", g.Results[0].Seen)
		refused := 0
		for _, r := range g.Results {
			if len(r.Failures) > 0 || r.Error != "" {
				t.Errorf("%s: %s: %v", g.Spec, r.Name, r.Failures)
			}
			if strings.HasSuffix(r.Name, "is refused") {
				refused++
			}
		}
		if refused < 1 || !slices.ContainsFunc(g.Results, func(r scenario.Result) bool { return r.Name == recorded }) {
			t.Errorf("%s has no recorded run, or no answer that is refused", g.Spec)
		}
	}
}

// TestSkillsWithoutInstructions holds that the recorded run of a skill fails without its instructions, and so does the
// script, whose model looks for them; with them both pass in the same module.
func TestSkillsWithoutInstructions(t *testing.T) {
	all := tier.Some(t, 2, 5, skills(t))
	for _, emptied := range []bool{false, true} {
		m := tempmodule.New(t, "example.com/skills", "../..")
		var files []string
		for _, skill := range all {
			name := skill.Name.V
			m.Write(name+".graph.yaml", string(expanded(t, name, emptied)))
			for _, suffix := range []string{scenario.Suffix, ".jsonl"} {
				m.Write(name+suffix, string(read(t, filepath.Join("skills", name+suffix))))
			}
			files = append(files, name+".graph.yaml")
		}
		for _, g := range play(t, scenario.Config{Dir: m.Dir, Files: files}) {
			for i, r := range g.Results {
				if i > 0 && r.Name != recorded {
					continue
				}
				all := strings.Join(messages(r), "\n")
				switch {
				case !emptied && all != "":
					t.Errorf("%s: %s fails with its instructions:\n%s", g.Spec, r.Name, all)
				case emptied && r.Name == recorded && !strings.Contains(all, "the replay diverges"),
					emptied && i == 0 && !strings.Contains(all, "want a text with"):
					t.Errorf("%s: without instructions %s gives: %s", g.Spec, r.Name, all)
				}
			}
		}
	}
}

// expanded returns the graph of a skill without templates; emptied, without the instructions of the skill.
func expanded(t *testing.T, skill string, emptied bool) []byte {
	t.Helper()
	folder := fstest.MapFS{}
	for _, file := range prelude.Use().Graphs() {
		folder[filepath.Base(file.File)] = &fstest.MapFile{Data: file.Source}
	}
	u, found := prelude.Load(fs.FS(folder), prelude.Path)
	if len(found) > 0 {
		t.Fatal(found)
	}
	if emptied {
		for _, file := range u.Graphs() {
			for _, p := range file.Templates {
				if p.Name.V == skill && !empty(&p.Node) {
					t.Errorf("the skill %s has no instructions", skill)
				}
			}
		}
	}
	name := filepath.Join("skills", skill+".graph.yaml")
	g, found := spec.Load(name, read(t, name))
	link.Among(nil, nil).Prelude(u).Link(g)
	if len(found) > 0 || len(g.Expanding) > 0 {
		t.Fatal(found, g.Expanding)
	}
	return spec.Write(g)
}

// empty replaces the instructions of a node by a word. It reports whether the node has instructions.
func empty(node *spec.Tree) bool {
	for i := range len(node.Items) / 2 {
		key, value := node.Key(i)
		if slices.Contains([]string{"instructions", "guidance", "requirements"}, key.V) && value.Kind == yamlread.Text {
			value.Text = "Work."
			return true
		}
	}
	return false
}

// uses reports whether a node of a graph, as it is written, has a kind.
func uses(g *spec.Graph, kind string) bool {
	return slices.ContainsFunc(g.Nodes, func(n *spec.Node) bool { return n.Kind.V == kind })
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	return text
}

// play runs scenarios, and returns the results of each graph.
func play(t *testing.T, config scenario.Config) []scenario.Graph {
	t.Helper()
	var out strings.Builder
	config.Stdout, config.Stderr = &out, &out
	summary, err := scenario.Test(t.Context(), config)
	if err != nil || len(summary.Graphs) != len(config.Files) || diag.HasErrors(summary.Diagnostics) {
		t.Fatalf("%v: %v\n%s", err, summary.Diagnostics, out.String())
	}
	for _, g := range summary.Graphs {
		if g.Problem != "" || len(g.Results) < 2 {
			t.Fatalf("%s: %d results: %s", g.Spec, len(g.Results), g.Problem)
		}
	}
	return summary.Graphs
}

// messages returns what is wrong with a scenario.
func messages(r scenario.Result) []string {
	var list []string
	for _, f := range r.Failures {
		list = append(list, f.What+": want "+f.Want+", got "+f.Got)
	}
	return list
}
