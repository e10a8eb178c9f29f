//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// servedProgram is a server that says when it begins, and when it is interrupted.
const servedProgram = `package main

import (
	"fmt"
	"os"
	"os/signal"
)

func main() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	fmt.Println("one", os.Args[1:])
	<-c
	fmt.Println("interrupted")
}
`

// TestServe runs a server, runs it again after changes that build, and leaves it alone after those that do not.
func TestServe(t *testing.T) {
	if testing.Short() {
		t.Skip("builds servers")
	}
	dir := t.TempDir()
	write(t, dir, "go.mod", "module example.com/served\n\ngo 1.26\n")
	write(t, dir, "main.go", servedProgram)
	write(t, dir, "a", "a.graph.yaml", workSpec)
	w := startLines(t, dir, "serve", ".", "--", "-details", "x")
	w.expect("wrote "+filepath.Join("a", "a_graph.go"), "one [-details x]")
	write(t, dir, "main.go", strings.Replace(servedProgram, `"one"`, `"two"`, 1))
	w.expect("main.go changed", "interrupted", "the server runs", "two [-details x]")
	write(t, dir, "main.go", "package main\n\nfunc main() { nobody() }\n")
	w.expect("graphgen: the server is not built: exit status 1", "./main.go:3:15: undefined: nobody", "waiting for changes")
	write(t, dir, "a", "a.graph.yaml", strings.Replace(workSpec, "to: end", "to: nd", 1))
	w.expect("a/a.graph.yaml:1:", "waiting for changes")
	write(t, dir, "a", "a.graph.yaml", workSpec)
	write(t, dir, "main.go", "package main\n\nfunc main() { panic(1) }\n")
	w.expect("interrupted", "the server runs", "graphgen: the server has ended: exit status 2")
	write(t, dir, "main.go", "package other\n")
	w.expect("graphgen: . is no main package", "waiting for changes")
	write(t, dir, "main.go", servedProgram)
	w.expect("one [-details x]")
	w.interrupt()
}
