package spec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/growth"
	"github.com/graphgen/graphgen/spec"
)

// big writes a spec of n nodes and 3n edges as a person would.
func big(n int) []byte {
	var b strings.Builder
	b.WriteString("graph: big\nentry: n0\nstate:\n  x: int\nnodes:\n")
	for i := range n {
		fmt.Fprintf(&b, "  n%d:\n    doc: Node number %d.\n    reads: [x]\n    writes: x\n", i, i)
	}
	b.WriteString("edges:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - {from: n%d, to: n%d, if: \"out.X > %d\", priority: 10}\n", i, (i+7)%n, i)
		fmt.Fprintf(&b, "  - {from: n%d, to: n%d, max_iterations: 3}\n", i, (i+1)%n)
		fmt.Fprintf(&b, "  - {from: n%d, to: end, label: done}\n", i)
	}
	return []byte(b.String())
}

func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{10, 1000, 10000} {
		text := big(n)
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, found := spec.Load("big.graph.yaml", text); len(found) > 0 {
					b.Fatal(found)
				}
			}
		})
	}
}

// fill is a file of size bytes at most that repeats an item.
func fill(head, item, tail string) func(size int) string {
	return func(size int) string {
		return head + strings.Repeat(item, (size-len(head)-len(tail)-1)/len(item)) + tail
	}
}

// numbered is a file of size bytes at least that repeats a line, each with its number.
func numbered(format string) func(size int) string {
	return func(size int) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
}

// TestGrowth reads files at which a reader that looks back, expands aliases or walks a line for
// every value is not linear.
func TestGrowth(t *testing.T) {
	cases := map[string]func(size int) string{
		"brackets that open":             fill("", "[", ""),
		"braces that open":               fill("", "{", ""),
		"braces and keys that open":      fill("", "{a: ", ""),
		"items that open":                fill("", "- ", ""),
		"question marks":                 fill("", "? ", ""),
		"colons":                         fill("", ": ", ""),
		"an open quote":                  fill("doc: \"", "a ", ""),
		"backslashes in a quote":         fill("doc: \"", "\\\\", "\""),
		"one line of edges":              fill("graph: g\nedges: [", "{from: a, to: b}, ", "]"),
		"one line of edges in umlauts":   fill("graph: g\nedges: [", "{from: ä, to: b}, ", "]"),
		"one line of keys without value": fill("graph: g\nedges: [", "{a, b, c}, ", "]"),
		"one line of aliases":            fill("graph: g\nx: &a b\nedges: [", "*a , ", "]"),
		"one line of anchors":            fill("graph: g\nedges: [", "&a b, ", "]"),
		"one line of tags":               fill("graph: g\nedges: [", "!a b, ", "]"),
		"one line of quotes":             fill("graph: g\nedges: [", "'', ", "]"),
		"comments":                       fill("", "# c\n", "graph: g\n"),
		"comments that go in":            fill("a:\n", "  # c\n", "  b: c\n"),
		"empty lines":                    fill("", "\n", "graph: g\n"),
		"documents":                      fill("graph: g\n", "---\n", ""),
		"one key many times":             fill("graph: g\nnodes:\n", "  a: {}\n", ""),
		"keys":                           numbered("key%d:\n"),
		"anchors":                        numbered("key%d: &a [*a ]\n"),
		"bytes that are not UTF-8":       fill("doc: ", "\xff", ""),
		"control characters":             fill("doc: ", "\x01", ""),
		"carriage returns":               fill("doc: ", "\r", ""),
		"a long name":                    fill("", "a", ": b\n"),
		"a long type":                    fill("graph: g\nstate:\n  x: \"", "[]", "int\""),
		"a text of many lines":           fill("doc: |\n", "  a\n", ""),
		"a plain text of many lines":     fill("doc:\n", "  a\n", ""),
		"tabs":                           fill("nodes:\n", "\t", "a: {}\n"),
		"directives":                     fill("", "%TAG ! tag:\n", ""),
	}
	rows := map[string]func(int){}
	for name, text := range cases {
		rows[name] = func(size int) { spec.Load("hostile.graph.yaml", []byte(text(size))) }
	}
	growth.Linear(t, spec.MaxFile/100, rows)
}
