package golang

import (
	"fmt"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
)

// partsProgram runs the machine of manyNodes. One of the handlers panics, which an error transition handles.
const partsProgram = `package main

import (
	"context"
	"fmt"
	"os"
)

type handlers struct{}

func (handlers) N600(context.Context) (ManyN600Out, error) { panic("n600") }

func (handlers) N601(context.Context) (ManyN601Out, error) { return ManyN601Out{Path: []int{601}}, nil }

func main() {
	m, err := NewMany(handlers{})
	if err != nil {
		panic(err)
	}
	out, err := m.Run(context.Background(), ManyInput{})
	fmt.Fprintln(os.Stdout, out.Path, err)
}
`

// TestManyNodes compiles and runs machines whose nodes are divided among several methods.
func TestManyNodes(t *testing.T) {
	for _, size := range []int{613, 5<<plan.PartBits + 1} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			text, path := manyNodes(size)
			g, found := spec.Load("many.graph.yaml", []byte(text))
			flow := cfg.Of(g)
			if found = append(found, check.Run(flow)...); diag.HasErrors(found) {
				t.Fatal(found)
			}
			files, err := Emit(plan.Lower(flow, "main"))
			if err != nil {
				t.Fatal(err)
			}
			module := tempmodule.New(t, "many", "../..")
			for _, f := range files {
				module.Write(f.Name, string(f.Content))
				if n := strings.Count(string(f.Content), "r.SlowStep("); f.Name == "many_graph.go" && n != size>>plan.PartBits+1 {
					t.Errorf("%d nodes are run by %d methods", size, n)
				}
			}
			module.Write("main.go", partsProgram)
			if out, err := module.Go("run", "."); err != nil || out != fmt.Sprintln(path, "<nil>") {
				t.Errorf("the run is %.2000s, want %v; %v", out, path, err)
			}
		})
	}
}

// manyNodes returns a spec with nodes that append their numbers to a list, and that list. Each step leads far, to
// another method.
func manyNodes(size int) (text string, path []int) {
	const distance = 419 // a prime number
	var b strings.Builder
	b.WriteString("graph: many\nentry: n0\nlimits: {max_steps: 5000}\nstate:\n  path: {type: \"[]int\", merge: append}\noutput: path\nnodes:\n")
	for i := range size {
		next := fmt.Sprint("n", (i+distance)%size)
		if next == "n0" {
			next = "end"
		}
		switch i {
		case 600:
			fmt.Fprintf(&b, "  n%d: {writes: path, transitions: {error: %s}, next: end}\n", i, next)
		case 601:
			fmt.Fprintf(&b, "  n%d: {writes: path, next: %s}\n", i, next)
		default:
			fmt.Fprintf(&b, "  n%d: {kind: set, set: {path: \"[]int{%d}\"}, next: %s}\n", i, i, next)
		}
	}
	for i := 0; len(path) == 0 || i != 0; i = (i + distance) % size {
		if i != 600 {
			path = append(path, i)
		}
	}
	return b.String(), path
}
