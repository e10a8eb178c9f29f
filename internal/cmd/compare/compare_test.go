package main

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// An answer is what a tool that is played says of an input.
type answer struct {
	status int
	text   string
}

// together is what a tool adds that sees two inputs in one call.
const together = "g3 and g4"

// player returns a tool that gives the answers of its operands one after the other, with the highest of their
// statuses, and adds to a count of calls. Where it stops, a failure is all that it tells.
func player(answers map[string]answer, stops bool, calls *int) tool {
	return func(_ context.Context, args []string) (status int, text string) {
		*calls++
		for _, operand := range args[1:] {
			a := answers[operand]
			status = max(status, a.status)
			text += a.text
			if stops && a.status > 0 {
				return a.status, a.text
			}
		}
		if slices.Contains(args, "g3") && slices.Contains(args, "g4") {
			text += answers[together].text
		}
		return status, text
	}
}

func TestCompare(t *testing.T) {
	base := map[string]answer{}
	for i := range 8 {
		base[fmt.Sprintf("g%d", i)] = answer{0, fmt.Sprintf("g%d has\nline a\nline b\n", i)}
	}
	for _, row := range []struct {
		name     string
		old, new map[string]answer // what differs from base
		stops    bool
		want     []string // the inputs that differ
	}{
		{name: "nothing differs"},
		{name: "the order of lines", new: map[string]answer{"g3": {0, "g3 has\nline b\nline a\n"}}, want: []string{"g3"}},
		{name: "a line more", new: map[string]answer{"g0": {0, "g0 has\nline a\nline b\nline c\n"}}, want: []string{"g0"}},
		{name: "a line less", new: map[string]answer{"g7": {0, "g7 has\nline a\n"}}, want: []string{"g7"}},
		{name: "another text", new: map[string]answer{"g4": {0, "g4 had\nline a\nline b\n"}}, want: []string{"g4"}},
		{name: "a byte at the end", new: map[string]answer{"g5": {0, "g5 has\nline a\nline b"}}, want: []string{"g5"}},
		{name: "nothing is written", new: map[string]answer{"g5": {}}, want: []string{"g5"}},
		{name: "the exit status alone", new: map[string]answer{"g2": {1, base["g2"].text}}, want: []string{"g2"}},
		{
			name: "two of a batch",
			new:  map[string]answer{"g1": {0, "x"}, "g6": {0, "y"}}, want: []string{"g1", "g6"},
		},
		{
			name: "both crash in one, and differ in another",
			old:  map[string]answer{"g1": {2, "boom"}}, new: map[string]answer{"g1": {2, "boom"}, "g6": {0, "y"}}, want: []string{"g6"},
		},
		{
			name: "a failure that both have hides the rest", stops: true,
			old: map[string]answer{"g1": {1, "no"}}, new: map[string]answer{"g1": {1, "no"}, "g6": {0, "y"}}, want: []string{"g6"},
		},
		{
			name: "two in one call, and neither alone",
			new:  map[string]answer{together: {0, "clash"}}, want: []string{"g0", "g1", "g2", "g3", "g4", "g5", "g6", "g7"},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			var calls int
			tools := [2]tool{}
			for i, changed := range []map[string]answer{row.old, row.new} {
				answers := maps.Clone(base)
				maps.Copy(answers, changed)
				tools[i] = player(answers, row.stops, new(int))
				if i == 0 {
					tools[i] = player(answers, row.stops, &calls)
				}
			}
			var list []input
			for _, name := range slices.Sorted(maps.Keys(base)) {
				list = append(list, input{name})
			}
			c := class{name: "test", args: []string{"check"}, batch: 8, stops: row.stops}
			same, found := c.compare(t.Context(), tools[0], tools[1], list)
			var got []string
			for _, d := range found {
				got = append(got, d.input...)
				if d.old == d.new {
					t.Errorf("%v: both texts are %q", d.input, d.old)
				}
			}
			if !slices.Equal(got, row.want) || same != len(list)-len(found) {
				t.Errorf("%d are the same, %v differ; want %v", same, got, row.want)
			}
			if most := 1 + 2*3*max(len(row.want), 1); row.name == "nothing differs" && calls != 1 || calls > 2*most {
				t.Errorf("%d calls", calls)
			}
		})
	}
}

func TestExcerpt(t *testing.T) {
	many := strings.Repeat("x\n", 40)
	for _, row := range []struct{ name, old, new, want string }{
		{"a line", "a\nb\nc\nd\ne\nf\n", "a\nb\nc\nD\ne\nf\n", "@@ -1,6 +1,6 @@| a| b| c|-d|+D| e| f|"},
		{"order", "a\nb\nc\nd\n", "a\nc\nb\nd\n", "@@ -1,4 +1,4 @@| a|-b| c|+b| d|"},
		{"a line more", "a\nb\n", "a\nb\nc\n", "@@ -1,2 +1,3 @@| a| b|+c|"},
		{"no end of line", "a\n", "a", "@@ -1,1 +1,1 @@|-a|+a|\\ No newline at end of file|"},
		{"of a file", fileMark + "y.go\na\n" + fileMark + "x.go\na\nb\nc\n", fileMark + "y.go\na\n" + fileMark + "x.go\na\nb\nd\n",
			"diff x.go x.go|--- x.go|+++ x.go|@@ -1,3 +1,3 @@| a| b|-c|+d|"},
		{"a file more", "", fileMark + "x.go\na\n", "diff x.go x.go|--- x.go|+++ x.go|@@ -0,0 +1,1 @@|+a|"},
		{"long", "", many, "@@ -0,0 +1,40 @@|" + strings.Repeat("+x|", 26) + "... 14 lines more|"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := strings.ReplaceAll(excerpt(row.old, row.new), "\n", "|")
			if got = strings.TrimPrefix(got, "diff status status|--- status|+++ status|"); got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
		})
	}
}

// A seed gives the same graphs again; a mutant is another text.
func TestRandomGraphs(t *testing.T) {
	graphs := func() (texts []string) {
		for i := range 40 {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			text, inner := randomGraph(r, i, "g")
			other := mutant(r, text)
			if other == text {
				t.Errorf("the mutant is the graph:\n%s", text)
			}
			texts = append(texts, text, inner, other)
		}
		return texts
	}
	texts := graphs()
	if !slices.Equal(texts, graphs()) {
		t.Error("a seed gives other graphs the second time")
	}
}
