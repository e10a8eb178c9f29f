package scenario_test

import (
	"os"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/scenario"
)

func TestTheReferenceNamesEveryWord(t *testing.T) {
	text, err := os.ReadFile("../docs/reference/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range scenario.Words() {
		if !strings.Contains(string(text), "`"+word+"`") && !strings.Contains(string(text), "`"+word+": ") {
			t.Errorf("docs/reference/scenarios.md says nothing of %q", word)
		}
	}
}
