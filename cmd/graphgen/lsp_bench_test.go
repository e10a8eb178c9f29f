//go:build linux

package main

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// promptSpec is a spec of n nodes that ask models, without a mistake. Every third node has a condition and a cycle beside its edge to the next.
func promptSpec(n int) string {
	var b strings.Builder
	b.WriteString("graph: large\nentry: n0\nlimits: {max_steps: 1000000}\nstate:\n  x: int\n")
	const fields = 100
	for i := range fields {
		fmt.Fprintf(&b, "  f%d: {type: string, default: \"\"}\n", i)
	}
	b.WriteString("input: x\noutput: f0\nnodes:\n")
	for i := range n {
		fmt.Fprintf(&b, "  n%d:\n    kind: prompt\n    doc: Node %[1]d.\n    reads: [x, f%d]\n    writes: f%d\n", i, i%fields, (i+1)%fields)
		fmt.Fprintf(&b, "    instructions: Write what follows from the number and the text.\n    message: \"{{x}}: {{f%d}}\"\n", i%fields)
	}
	b.WriteString("edges:\n")
	for i := range n {
		next := "end"
		if i+1 < n {
			next = fmt.Sprint("n", i+1)
		}
		if i%3 == 0 {
			fmt.Fprintf(&b, "  - {from: n%d, to: n%d, if: \"state.X > %[1]d\", priority: 10, max_iterations: 2}\n", i, max(0, i-3))
		}
		fmt.Fprintf(&b, "  - {from: n%d, to: %s}\n", i, next)
	}
	return b.String()
}

// TestEditorKeepsPieces holds that the editor keeps the entries of the specs that it has checked, which it does not parse again.
func TestEditorKeepsPieces(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	c := &editorCompiler{packages: foundPackages{}}
	if _, err := c.Check(t.Context(), "large.graph.yaml", map[string][]byte{filepath.Join(dir, "large.graph.yaml"): []byte(promptSpec(20))}); err != nil {
		t.Fatal(err)
	}
	if files := reflect.ValueOf(&c.pieces).Elem().FieldByName("files"); files.Len() != 1 {
		t.Errorf("it keeps the entries of %d files", files.Len())
	}
}

// processorTime returns the processor time that this process has used.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// BenchmarkEditorKey measures the time from a key press in a spec of 500 nodes to its diagnostics: of the clock, and, for a machine
// that does something else too, of the processor, where the collector of garbage counts.
func BenchmarkEditorKey(b *testing.B) {
	dir := b.TempDir()
	b.Chdir(dir)
	e := startEditor(b, dir)
	text := promptSpec(500)
	uri := e.open("large.graph.yaml", text)
	if p := e.wait(uri, 1); len(p.Diagnostics) > 0 {
		b.Fatalf("%s", p.Diagnostics[0].Data)
	}
	line := strings.Count(text[:strings.Index(text, "doc: Node 250.")], "\n")
	at := lspPosition{line, len("    doc: Node 250.")}
	var clock, processor []time.Duration
	version := 1
	for b.Loop() {
		version++
		began, used := time.Now(), processorTime(b)
		e.change(uri, version, &lspRange{at, at}, "x")
		e.wait(uri, version)
		clock, processor = append(clock, time.Since(began)), append(processor, processorTime(b)-used)
	}
	for name, list := range map[string][]time.Duration{"clock": clock, "processor": processor} {
		slices.Sort(list)
		for _, p := range []int{50, 99} {
			b.ReportMetric(float64(list[(len(list)-1)*p/100].Microseconds())/1000, fmt.Sprintf("%s-p%d-ms", name, p))
		}
	}
}
