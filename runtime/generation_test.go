package graphrt_test

import (
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tempmodule"
)

// TestEarlierGeneration holds that the compiler refuses code of an earlier graphgen with a sentence about what to do.
func TestEarlierGeneration(t *testing.T) {
	module := tempmodule.New(t, "earlier", "..")
	for imported, want := range map[string]string{
		`ggrt "github.com/graphgen/graphgen/runtime"`:          "./earlier_graph.go:5:11: ggrt.SupportsGen1 (variable of struct type graphrt.code_of_an_earlier_graphgen__run_go_generate_again) is not constant",
		`ggrun "github.com/graphgen/graphgen/runtime/machine"`: "",
	} {
		name, _, _ := strings.Cut(imported, " ")
		constant := name + map[string]string{"ggrt": ".SupportsGen1", "ggrun": ".SupportsGen2"}[name]
		module.Write("earlier_graph.go", "package earlier\n\nimport "+imported+"\n\nconst _ = "+constant+"\n")
		out, err := module.Go("build", ".")
		if _, out, _ = strings.Cut(out, "\n"); strings.TrimSpace(out) != want || (err == nil) != (want == "") {
			t.Errorf("code that refers to %s: %v\n%s\nwant %s", constant, err, out, want)
		}
	}
}
