package main

import (
	"context"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"text/template"
)

// A graph is a large graph: each node has an edge to the next node, and one to a random node.
type graph struct {
	Root  string // the folder of graphgen
	Nodes []node
}

// A node has its name, which is the name of its handler's method in small letters, and the names of its targets.
type node struct{ Name, Method, Next, NextMethod, Other, OtherMethod string }

func newGraph(root string, size int) graph {
	g := graph{Root: root}
	random := rand.New(rand.NewPCG(1, uint64(size)))
	name := func(letter string, i int) string { return fmt.Sprint(letter, i%size) }
	for i := range size {
		next := i + 1
		other := next + 1 + random.IntN(size-2) // neither next nor i
		g.Nodes = append(g.Nodes, node{name("n", i), name("N", i), name("n", next), name("N", next), name("n", other), name("N", other)})
	}
	return g
}

// files are templates of the files of a module, by their names.
//
//go:embed large.tmpl
var files string

// ownModule is the environment of a command in a module that is not part of the workspace.
func ownModule() []string {
	return append(os.Environ(), "GOWORK=off", "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod")
}

// write writes the module of a large graph to a folder, and generates its machine with a binary of graphgen.
func (g graph) write(ctx context.Context, dir, graphgen string) error {
	t, err := template.New("").Parse(files)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "hand"), 0o755); err != nil {
		return err
	}
	for _, name := range []string{"go.mod", "large.graph.yaml", "doc.go", "large_test.go", "hand/hand.go"} {
		file, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		err = t.ExecuteTemplate(file, filepath.Base(name), g)
		if closed := file.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, graphgen)
	cmd.Dir = dir
	cmd.Env = ownModule()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("graphgen: %w\n%s", err, out)
	}
	return nil
}
