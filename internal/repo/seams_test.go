package repo_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// seams are the files of the engine and the pipeline that start goroutines, wait for others, or use the system's clock or its random numbers, with
// what they use of these. A driver stands for each of them.
var seams = map[string][]string{
	"engine/driven.go":  {"rand.Uint64", "receive", "select", "send", "time.AfterFunc", "time.Now", "time.Since"},
	"engine/calls.go":   {"go", "receive", "send"},                             // where a run has no driver
	"engine/timeout.go": {"context.WithTimeoutCause"},                          // likewise
	"engine/watch.go":   {"receive", "send", "time.Now", "time.Since"},         // likewise
	"engine/fork.go":    {"go", "receive", "select", "send", "sync.WaitGroup"}, // likewise
	"engine/pause.go":   {"receive", "select", "send"},                         // the turn, for which a run with a driver has waited by it
	"engine/waiting.go": {"receive", "send"},                                   // which gives the turn back
	"engine/resume.go":  {"receive"},                                           // likewise
	"engine/ledger.go":  {"sync.Mutex"},                                        // held while nothing waits
	"engine/nested.go":  {"sync.Mutex"},                                        // likewise
	"engine/around.go":  {"sync.Mutex"},                                        // for which a run with a driver has waited by it
	"pipeline/meter.go": {"sync.Mutex"},                                        // held while nothing waits
}

// TestSeams holds that nothing else in the engine and the pipeline decides by the schedule, the clock or chance.
func TestSeams(t *testing.T) {
	seen := map[string]bool{}
	for _, folder := range []string{"engine", "pipeline"} {
		files, err := filepath.Glob("runtime/" + folder + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			name := folder + "/" + filepath.Base(path)
			seen[name] = true
			if used := usesOf(file); !slices.Equal(used, seams[name]) {
				t.Errorf("runtime/%s uses %q, want %q: ask the driver of the run, as driven.go does", name, used, seams[name])
			}
		}
	}
	for name := range seams {
		if !seen[name] {
			t.Errorf("runtime/%s does not exist", name)
		}
	}
}

// usesOf lists what a file uses of the schedule, the clock and chance.
func usesOf(file *ast.File) (list []string) {
	clock := map[string][]string{
		"time":    {"Now", "Since", "Until", "After", "AfterFunc", "Sleep", "NewTimer", "NewTicker", "Tick"},
		"context": {"WithTimeout", "WithTimeoutCause", "WithDeadline", "WithDeadlineCause", "AfterFunc"},
		"sync":    {"Mutex", "RWMutex", "WaitGroup", "Cond", "NewCond", "Once", "Map"},
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			list = append(list, "go")
		case *ast.SelectStmt:
			list = append(list, "select")
		case *ast.SendStmt:
			list = append(list, "send")
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				list = append(list, "receive")
			}
		case *ast.SelectorExpr:
			if of, ok := n.X.(*ast.Ident); ok && (of.Name == "rand" || slices.Contains(clock[of.Name], n.Sel.Name)) {
				list = append(list, of.Name+"."+n.Sel.Name)
			}
		}
		return true
	})
	slices.Sort(list)
	return slices.Compact(list)
}
