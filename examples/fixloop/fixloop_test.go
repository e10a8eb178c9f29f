package fixloop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
)

// The machine runs with its real handlers here, go vet included; the scenarios beside the spec
// tell every way it can go.
func TestRepair(t *testing.T) {
	for _, test := range []struct {
		name, draft string
		reason      graphgen.Reason
		changes     int
	}{
		{"three mistakes are repaired and the file formatted", ThreeMistakes, graphgen.Completed, 5},
		{"the fourth mistake is left", FourMistakes, graphgen.NoRouteMatched, 4},
		{"an unknown mistake fails the run", UnknownMistake, graphgen.Failed, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, err := NewFixloop(Workshop{})
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			var report graphgen.Report
			var state FixloopState
			_, err = m.Run(t.Context(), FixloopInput{Dir: dir, Draft: test.draft}, graphgen.WithReport(&report), graphgen.WithFinalState(&state))
			if report.Reason != test.reason || len(state.Changes) != test.changes || (err != nil) != (test.reason == graphgen.Failed) {
				t.Errorf("%v after %q, error %v", report.Reason, state.Changes, err)
			}
			if !state.Passed {
				return
			}
			source, err := os.ReadFile(filepath.Join(dir, "main.go"))
			if err != nil || !strings.Contains(string(source), `fmt.Printf("%s otters\n", "three")`) {
				t.Errorf("repaired to %s, error %v", source, err)
			}
		})
	}
}
