package scenario_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/scenario"
)

// TestShow shows the requests of nodes of every kind, at every place of a graph.
func TestShow(t *testing.T) {
	for i, c := range []struct{ file, node, system, user, answer string }{
		{"promptfiles/promptfiles", "look", "Say whether this is a question for our support.", "The customer writes:", "verdict"},
		{"pool/pool", "explore", "The answer names the next:", "", "route"},
		{"autonomous/autonomous", "autonomous", "the model picks the next node each time", "", "route"},
		{"branchprompt/branch_panel", "reply", "", "Say something about .", ""},
		{"mapping/map_prompts", "answer", "", "Answer .", ""},
	} {
		if testing.Short() && i > 1 {
			break
		}
		t.Run(c.file, func(t *testing.T) {
			shown, err := scenario.Show(t.Context(), filepath.Join("..", "golden", filepath.FromSlash(c.file)+".graph.yaml"), c.node, "")
			if err != nil || len(shown.Diagnostics) > 0 {
				t.Fatal(err, shown)
			}
			r := shown.Request
			user := r.Messages[len(r.Messages)-1]
			if !strings.Contains(r.System, c.system) || user.Role != "user" || !strings.Contains(user.Text, c.user) || len(r.Version) != 12 {
				t.Errorf("%+v", r)
			}
			if c.answer != "" && (r.Output == nil || r.Output.Name != c.answer) {
				t.Errorf("the answer is %+v", r.Output)
			}
		})
	}
}

// TestShowFindings holds that findings about values have the file of the values.
func TestShowFindings(t *testing.T) {
	shown, err := scenario.Show(t.Context(), "../golden/promptfiles/promptfiles.graph.yaml", "look", "testdata/values.yaml")
	if err != nil || shown.Request != nil {
		t.Fatal(err, shown)
	}
	codes := []string{}
	for _, d := range shown.Diagnostics {
		codes = append(codes, filepath.Base(d.File)+" "+d.Code)
	}
	if !slices.Equal(codes, []string{"values.yaml GG207"}) {
		t.Error(codes)
	}
}
