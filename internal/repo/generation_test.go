package repo_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tempmodule"
)

// TestEarlierGeneration holds that the compiler refuses code of an earlier graphgen with a sentence about what to do.
func TestEarlierGeneration(t *testing.T) {
	module := tempmodule.New(t, "earlier", ".")
	const refused = " (variable of struct type %s.code_of_an_earlier_graphgen__run_go_generate_again) is not constant"
	for _, row := range []struct{ imported, constant, want string }{
		{`ggrt "github.com/graphgen/graphgen/runtime"`, "ggrt.SupportsGen1", fmt.Sprintf(refused, "runtime")},
		{`ggrun "github.com/graphgen/graphgen/runtime/machine"`, "ggrun.SupportsGen2", fmt.Sprintf(refused, "machine")},
		{`ggrun "github.com/graphgen/graphgen/runtime/machine"`, "ggrun.SupportsGen4", fmt.Sprintf(refused, "machine")},
		{`ggengine "github.com/graphgen/graphgen/runtime/engine"`, "ggengine.SupportsGen5", fmt.Sprintf(refused, "engine")},
		{`ggengine "github.com/graphgen/graphgen/runtime/engine"`, "ggengine.SupportsGen6", ""},
	} {
		want := ""
		if row.want != "" {
			want = "./earlier_graph.go:5:11: " + row.constant + row.want
		}
		module.Write("earlier_graph.go", "package earlier\n\nimport "+row.imported+"\n\nconst _ = "+row.constant+"\n")
		out, err := module.Go("build", ".")
		if _, out, _ = strings.Cut(out, "\n"); strings.TrimSpace(out) != want || (err == nil) != (want == "") {
			t.Errorf("code that refers to %s: %v\n%s\nwant %s", row.constant, err, out, want)
		}
	}
}
